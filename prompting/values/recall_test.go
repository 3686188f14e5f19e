package values

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/prompting/draw"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
	"assay/prompting/vectors"
)

const sharedData = "../../../shared/data"

var explain = flag.Bool("missed", false, "list the literals that were not found")

// item is a question with the texts that its gold compares with.
type item struct {
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Evidence string `json:"evidence"`
	Query    string `json:"query"`
	SQL      any    `json:"SQL"` // BIRD's query; in Spider a tree
	path     string
	literals []string
}

// readItems reads a dataset's questions whose databases are there.
func readItems(t *testing.T, file, databases string) []item {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(sharedData, file))
	if os.IsNotExist(err) {
		t.Skipf("no %s here", file)
	}
	var all, out []item
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, it := range all {
		it.path = filepath.Join(sharedData, databases, it.DB, it.DB+".sqlite")
		if _, err := os.Stat(it.path); err == nil {
			if sql, ok := it.SQL.(string); ok {
				it.Query = sql
			}
			it.literals = literals(it.Query)
			out = append(out, it)
		}
	}
	return out
}

// literals lists the texts of a statement: string literals, double-quoted names that are no column, LIKE patterns
// without their wildcards.
func literals(sql string) []string {
	stmt, err := tree.Parse(sql)
	if err != nil {
		return nil
	}
	var out []string
	add := func(s string) {
		if s = strings.Trim(s, "%"); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, e := range tree.Literals(stmt) {
		if e.Lit == tree.String {
			add(e.Name)
		}
	}
	for _, r := range tree.Resolve(stmt, nil) {
		if r.Expr != nil && r.Expr.Quote == '"' && r.Meaning == tree.TextLiteral {
			add(r.Expr.Name)
		}
	}
	return out
}

// tally counts literals found among the first k matches.
type tally struct {
	stored, all int // literals that equal a cell of the database but for case; all of them
	at          map[int]int
	latency     []time.Duration
	returned    int
	questions   int
}

var ks = []int{1, 3, 5, 10, 20, 50, 0}

func (ta *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d literals, %d in the database; recall", ta.all, ta.stored)
	for _, k := range ks {
		name := fmt.Sprint("@", k)
		if k == 0 {
			name = "@all"
		}
		fmt.Fprintf(&b, " %s %.3f", name, float64(ta.at[k])/float64(max(1, ta.stored)))
	}
	slices.Sort(ta.latency)
	fmt.Fprintf(&b, "; %.1f matches a question, median %v, slowest %v", float64(ta.returned)/float64(max(1, ta.questions)),
		ta.latency[len(ta.latency)/2].Round(10*time.Microsecond), ta.latency[len(ta.latency)-1].Round(10*time.Microsecond))
	return b.String()
}

// measure runs every item; change may alter a question.
func measure(t *testing.T, items []item, o Options, change func(item) string) *tally {
	t.Helper()
	ta := &tally{at: map[int]int{}}
	indexes, every := map[string]*Index{}, map[string]map[string]bool{}
	emb := vectors.New(vectors.Options{})
	for _, it := range items {
		if indexes[it.path] == nil {
			x, err := Open(context.Background(), sqlite.DB(it.path), o)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			indexes[it.path], every[it.path] = x, allTexts(t, it.path)
		}
		question := it.Question
		if change != nil {
			question = change(it)
		}
		start := time.Now()
		found, err := indexes[it.path].Find(context.Background(), Query{Question: question, Evidence: it.Evidence}, emb)
		if err != nil {
			t.Fatal(err)
		}
		ta.latency = append(ta.latency, time.Since(start))
		ta.returned += len(found)
		ta.questions++
		ta.count(t, it, question, found, every[it.path])
	}
	return ta
}

func (ta *tally) count(t *testing.T, it item, question string, found []Match, stored map[string]bool) {
	t.Helper()
	for _, lit := range it.literals {
		ta.all++
		if !stored[strings.ToLower(lit)] {
			continue
		}
		ta.stored++
		at := slices.IndexFunc(found, func(m Match) bool { return strings.EqualFold(m.Value, lit) })
		if at < 0 && *explain {
			t.Logf("missed %q in %s: %s | %s", lit, it.DB, question, it.Evidence)
		}
		for _, k := range ks {
			if at >= 0 && (k == 0 || at < k) {
				ta.at[k]++
			}
		}
	}
}

// allTexts lists every text of a database, in lower case, whatever the column.
func allTexts(t *testing.T, path string) map[string]bool {
	t.Helper()
	x, err := Open(context.Background(), sqlite.DB(path), Options{Dir: t.TempDir(), Columns: All, MaxLength: 2000})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	out := map[string]bool{}
	for id := range x.Len() {
		out[strings.ToLower(string(x.file.text(uint32(id))))] = true
	}
	return out
}

// misspell swaps two letters, or drops or doubles one, in each literal of four letters or more that the question
// quotes.
func misspell(r *rand.Rand, it item) string {
	q := it.Question
	for _, lit := range it.literals {
		at := strings.Index(strings.ToLower(q), strings.ToLower(lit))
		if at < 0 || len(lit) < 4 || len(strings.ToLower(q)) != len(q) {
			continue
		}
		i := at + 1 + r.IntN(len(lit)-2)
		switch r.IntN(3) {
		case 0:
			q = q[:i] + q[i+1:i+2] + q[i:i+1] + q[i+2:]
		case 1:
			q = q[:i] + q[i+1:]
		default:
			q = q[:i] + q[i:i+1] + q[i:]
		}
	}
	return q
}

// TestRecall measures how many literals of the gold queries are found. The bounds are a little under what was measured,
// so that a change for the worse fails.
func TestRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all databases of two data sets")
	}
	dir := t.TempDir()
	check := func(name string, items []item, o Options, change func(item) string, k int, want float64) {
		t.Helper()
		o.Dir = dir
		ta := measure(t, items, o, change)
		t.Logf("%s: %s", name, ta)
		if got := float64(ta.at[k]) / float64(ta.stored); got < want {
			t.Errorf("%s: recall@%d is %.3f, want %.3f at least", name, k, got, want)
		}
	}
	typos := func() func(item) string {
		r := draw.Rand(7, "misspell")
		return func(it item) string { return misspell(r, it) }
	}
	spider := readItems(t, "spider/dev.json", "spider/database")
	bird := readItems(t, "bird/dev/dev.json", "bird/stand_in/database")
	check("spider dev", spider, Options{}, nil, 10, 0.91)
	check("spider dev, misspelt", spider, Options{}, typos(), 10, 0.84)
	check("spider dev, misspelt, similarity 0.6", spider, Options{MinSimilarity: 0.6}, typos(), 10, 0.6)
	check("spider dev, misspelt, similarity 0.4", spider, Options{MinSimilarity: 0.4}, typos(), 10, 0.7)
	check("spider dev, misspelt, similarity 0.1", spider, Options{MinSimilarity: 0.1}, typos(), 10, 0.84)
	check("spider dev, misspelt, case sensitive grams", spider, Options{CaseSensitive: true}, typos(), 10, 0.5)
	check("spider dev, one pool a column", spider, Options{Pool: poolColumn}, nil, 10, 0.89)
	check("spider dev, columns as CHESS", spider, Options{Columns: Chess}, nil, 10, 0.35)
	check("spider dev, all columns", spider, Options{Columns: All}, nil, 10, 0.91)
	check("bird stand-ins", bird, Options{}, nil, 10, 0.9)
	check("bird stand-ins, misspelt", bird, Options{}, typos(), 10, 0.87)
}
