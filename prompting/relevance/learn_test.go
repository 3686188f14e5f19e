package relevance

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

var (
	update = flag.Bool("update", false, "learn learned.txt again")
	spider = flag.String("spider", "../../../shared/data/spider", "folder of train_spider.json (or train_spider.min.json) and tables.json, to learn from")
)

// What a word must show to be learned.
const (
	leastDatabases = 3   // in which it was seen
	leastLift      = 0.3 // log of how much oftener than by chance
	fullLift       = 2.0 // that counts as sure
)

// notLearned are training databases that development splits have too: BIRD's formula_1 and european_football_2 are of the same
// sources.
var notLearned = []string{"formula_1", "soccer_1"}

// lesson is a training question with what its gold query uses.
type lesson struct {
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Query    string `json:"query"`
}

// pair is a word of questions with a word of columns' names, by stem.
type pair struct{ asked, named string }

// book counts lessons. All words are stems.
type book struct {
	names        map[string]map[string]bool // per database, the words of its columns' names
	lessons      map[string]float64         // per word of columns, lessons whose database has it
	used         map[string]float64         // and those whose gold query uses such a column
	usedIn       map[string]map[string]bool // databases that have it
	both, chance map[pair]float64           // lessons with both words; as many as there would be by chance
	bothIn       map[pair]map[string]bool   // databases with such lessons
}

// learn counts the lessons: once for the words of columns, and then for pairs, whose chances need the first.
func learn(lessons []lesson, dbs map[string]*schema.Database) *book {
	b := &book{names: map[string]map[string]bool{}, lessons: map[string]float64{}, used: map[string]float64{}, usedIn: map[string]map[string]bool{},
		both: map[pair]float64{}, chance: map[pair]float64{}, bothIn: map[pair]map[string]bool{}}
	for id, db := range dbs {
		b.names[id] = wordsIn(db.Columns())
	}
	gold := make([]map[string]bool, len(lessons))
	for i, l := range lessons {
		gold[i] = goldWords(l, dbs[l.DB])
		for w := range b.names[l.DB] {
			b.lessons[w]++
			put(b.usedIn, w, l.DB)
			if gold[i][w] {
				b.used[w]++
			}
		}
	}
	for i, l := range lessons {
		b.pairs(l, gold[i])
	}
	return b
}

func (b *book) pairs(l lesson, gold map[string]bool) {
	asked := map[string]bool{}
	for _, w := range wordsOf(l.Question) {
		asked[w.stem] = true
	}
	for a := range asked {
		for w := range b.names[l.DB] {
			if w == a || len(b.usedIn[w]) < leastDatabases {
				continue
			}
			p := pair{a, w}
			b.chance[p] += b.used[w] / b.lessons[w]
			if gold[w] {
				b.both[p]++
				put(b.bothIn, p, l.DB)
			}
		}
	}
}

func put[K comparable](m map[K]map[string]bool, k K, v string) {
	if m[k] == nil {
		m[k] = map[string]bool{}
	}
	m[k][v] = true
}

func wordsIn(columns []schema.ColumnName) map[string]bool {
	out := map[string]bool{}
	for _, c := range columns {
		for _, w := range wordsOf(c.Column) {
			out[w.stem] = true
		}
	}
	return out
}

func goldWords(l lesson, db *schema.Database) map[string]bool {
	stmt, err := tree.Parse(l.Query)
	if err != nil {
		return nil
	}
	return wordsIn(tree.Columns(stmt, db))
}

// text returns the lines of learned.txt.
func (b *book) text(lessons int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Counted in %d questions of Spider's training split (Yu et al. 2018, yale-lily.github.io/spider) by learn_test.go.\n", lessons)
	for _, w := range slices.Sorted(maps.Keys(b.lessons)) {
		if len(b.usedIn[w]) >= leastDatabases {
			fmt.Fprintf(&out, "= %s %.0f\n", w, 100*b.used[w]/b.lessons[w])
		}
	}
	byText := func(a, b pair) int { return strings.Compare(a.asked+" "+a.named, b.asked+" "+b.named) }
	for _, p := range slices.SortedFunc(maps.Keys(b.both), byText) {
		lift := math.Log((b.both[p] + 1) / (b.chance[p] + 2))
		if len(b.bothIn[p]) >= leastDatabases && lift > leastLift {
			fmt.Fprintf(&out, "%s %s %.0f\n", p.asked, p.named, 100*min(1, lift/fullLift))
		}
	}
	return out.String()
}

// readSpider reads the training questions that may be learned from, and the schemas.
func readSpider(t *testing.T) (out []lesson, dbs map[string]*schema.Database) {
	t.Helper()
	read := func(to any, names ...string) {
		for _, n := range names {
			if b, err := os.ReadFile(filepath.Join(*spider, n)); err == nil {
				if err := json.Unmarshal(b, to); err != nil {
					t.Fatalf("%s: %v", n, err)
				}
				return
			}
		}
		t.Skipf("no %s in %s", names[0], *spider)
	}
	var all []lesson
	read(&all, "train_spider.json", "train_spider.min.json")
	var raw []struct {
		DB      string   `json:"db_id"`
		Tables  []string `json:"table_names_original"`
		Columns [][2]any `json:"column_names_original"`
	}
	read(&raw, "tables.json")
	dbs = map[string]*schema.Database{}
	for _, r := range raw {
		db := &schema.Database{Name: r.DB}
		for _, name := range r.Tables {
			db.Tables = append(db.Tables, schema.Table{Name: name})
		}
		for _, c := range r.Columns {
			if at, _ := c[0].(float64); at >= 0 {
				db.Tables[int(at)].Columns = append(db.Tables[int(at)].Columns, schema.Column{Name: fmt.Sprint(c[1])})
			}
		}
		dbs[r.DB] = db
	}
	for _, l := range all {
		if dbs[l.DB] != nil && !slices.Contains(notLearned, l.DB) {
			out = append(out, l)
		}
	}
	return out, dbs
}

// TestLearned checks that learned.txt is what the training questions give.
func TestLearned(t *testing.T) {
	lessons, dbs := readSpider(t)
	got := learn(lessons, dbs).text(len(lessons))
	if *update {
		if err := os.WriteFile("learned.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("learned.txt"); err != nil || string(want) != got {
		t.Errorf("learned.txt is not what %s gives (%v): go test ./prompting/relevance -update -spider DIR", *spider, err)
	}
}
