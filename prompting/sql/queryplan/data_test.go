package queryplan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

const data = "../../../../shared/data"

type gold struct{ path, sql string }

// TestRealGolds explains every gold of Spider's dev set, and those of BIRD's that run on the databases at hand. Beside
// that each can be explained, it holds what the steps say: string constants of the SQL are in them, and hardly a value
// is unknown.
func TestRealGolds(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		t.Skipf("no real data: %v", err)
	}
	check := func(name string, golds []gold) {
		t.Helper()
		m := measure{t: t}
		for _, g := range golds {
			m.add(g)
		}
		m.report(name)
	}
	check("Spider dev", spiderGolds(t))
	check("BIRD stand-ins", birdGolds(t))
}

// measure sums up plans.
type measure struct {
	t                                    *testing.T
	box                                  *sandbox.Box
	plans, failed, steps, words, unknown int
	literals, missing, longest           int
}

var literal = regexp.MustCompile(`'((?:[^']|'')*)'`)

func (m *measure) add(g gold) {
	if m.box == nil {
		m.box = sandbox.New(sandbox.Options{})
	}
	p, err := Steps(m.t.Context(), m.box, sqlite.DB(g.path), g.sql)
	if err != nil {
		m.t.Logf("%v", err)
		m.failed++
		return
	}
	text := p.Text()
	m.plans++
	m.steps += p.Len()
	m.longest = max(m.longest, p.Len())
	m.words += len(strings.Fields(text))
	if strings.Contains(text, unknown) {
		if m.unknown++; os.Getenv("SHOW") != "" {
			m.t.Logf("unknown: %s\n%s", g.sql, text)
		}
	}
	for _, l := range literal.FindAllStringSubmatch(g.sql, -1) {
		if m.literals++; !strings.Contains(text, l[1]) {
			if m.missing++; os.Getenv("SHOW") != "" {
				m.t.Logf("without %s: %s\n%s", l[1], g.sql, text)
			}
		}
	}
}

func (m *measure) report(name string) {
	m.t.Logf("%s: %d plans, %d failed; %.1f steps (at most %d), %.0f words; %d with an unknown value; %d of %d literals missing",
		name, m.plans, m.failed, float64(m.steps)/float64(m.plans), m.longest, float64(m.words)/float64(m.plans), m.unknown, m.missing, m.literals)
	if m.failed > 0 {
		m.t.Errorf("%s: %d gold queries cannot be explained", name, m.failed)
	}
	if m.unknown*100 > m.plans || m.missing*100 > m.literals {
		m.t.Errorf("%s: more than one in a hundred says too little", name)
	}
}

func spiderGolds(t *testing.T) (out []gold) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, "spider/dev_gold.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		sql, db, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok {
			out = append(out, gold{filepath.Join(data, "spider/database", db, db+".sqlite"), sql})
		}
	}
	return out
}

// birdGolds is the dev gold queries that SQLite compiles on the stand-in databases: not all of their columns are there.
func birdGolds(t *testing.T) (out []gold) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, "bird/dev/dev.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		DB  string `json:"db_id"`
		SQL string `json:"sql"`
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	for _, r := range rows {
		path := filepath.Join(data, "bird/stand_in/database", r.DB, r.DB+".sqlite")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if _, err := box.Run(t.Context(), sqlite.DB(path), "EXPLAIN "+r.SQL); err == nil {
			out = append(out, gold{path, r.SQL})
		}
	}
	return out
}
