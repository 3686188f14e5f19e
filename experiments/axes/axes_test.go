package axes

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/configs"

	"github.com/google/go-cmp/cmp"
)

func TestFeatures(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		if got := Features(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	check("SELECT 1", plain)
	check("SELECT name FROM pet", "tables=1")
	check("SELEC name FROM pet", "")
	check("DELETE FROM pet", "")
	check("SELECT 1; SELECT 2", "")
	check("", "")
	// One source after the first; the ON and the WHERE are the two predicates.
	check("SELECT a FROM t JOIN u ON t.x = u.x WHERE b > 1", "joins=1 predicates=2 tables=2")
	// Two comparisons in HAVING and WHERE, count twice, one inner query; LIKE is a predicate too, so three.
	check("SELECT a, count(*) FROM t WHERE b IN (SELECT c FROM u) AND d LIKE 'x%' GROUP BY a HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 3",
		"predicates=3 aggregates=2 subqueries=1 connectives=1 like=1 order-by=1 group-by=1 having=1 limit=1 tables=2")
	// The query of the CTE does not count as a sub-query; upper is the scalar; rank is neither aggregate nor scalar.
	check("WITH c AS (SELECT 1 AS x) SELECT DISTINCT CASE WHEN x THEN upper(x) END, x * 2, rank() OVER (ORDER BY x) FROM c UNION SELECT 1, 2, 3",
		"scalars=1 set-ops=1 maths=1 distinct=1 case=1 windows=1 ctes=1")
	// A table read twice is one; a CTE is none.
	check("WITH c AS (SELECT a FROM t) SELECT 1 FROM c, t AS x, main.T AS y", "joins=2 ctes=1 tables=1")
}

// TestEveryFeatureIsCounted: the names that experiments may use and the counts behind them are the same.
func TestEveryFeatureIsCounted(t *testing.T) {
	for _, f := range configs.Features {
		if count[f.ID] == nil {
			t.Errorf("%s is not counted", f.ID)
		}
	}
	if len(count) != len(configs.Features) {
		t.Errorf("%d counts of %d features", len(count), len(configs.Features))
	}
}

func TestCount(t *testing.T) {
	check := func(features, name string, want int, known bool) {
		t.Helper()
		if n, ok := Count(features, name); n != want || ok != known {
			t.Errorf("%q %s: %d, %v", features, name, n, ok)
		}
	}
	check("joins=12 predicates=2", "joins", 12, true)
	check("joins=12 predicates=2", "predicates", 2, true)
	check("joins=12 predicates=2", "limit", 0, true)
	check(plain, "joins", 0, true)
	check("", "joins", 0, false)
	check(" ", "joins", 0, false)
	check("joins=many", "joins", 0, false)
	check("joins", "joins", 0, false)
}

func TestGroups(t *testing.T) {
	items := []Labels{
		{DB: "b", Hardness: "hard", Features: "joins=3"},
		{DB: "a", Hardness: "easy", Features: plain},
		{DB: "b", Hardness: "odd", Features: "joins=1 limit=1"},
		{DB: "a", Features: ""},
		{DB: "a", Hardness: "easy", Features: "joins=2"},
	}
	check := func(name string, want ...string) {
		t.Helper()
		a, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, a.Groups(items)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	check("hardness", "easy", "hard", "odd", None)
	check("difficulty", None)
	check("database", "b", "a")
	check("joins", "0", "1", "2+", None)
	check("limit", "0", "1", None)
	check("case", "0", None)
	check("joined", "1", "2", "3", "4+", None)
	check("tables", None) // of runs of before tables were counted
}

func TestHolds(t *testing.T) {
	check := func(axis, level string, l Labels, want bool) {
		t.Helper()
		a, err := Find(axis)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Holds(l, level); got != want {
			t.Errorf("%s %s of %+v: %v", axis, level, l, got)
		}
	}
	three := Labels{DB: "b", Hardness: "hard", Features: "joins=2 tables=3"}
	check("hardness", "hard", three, true)
	check("hardness", "", Labels{}, false)
	check("database", "a", three, false)
	check("tables", "3", three, true)
	check("tables", "3+", three, true)
	check("tables", "2+", three, true)
	check("tables", "2", three, false)
	check("tables", "4+", three, false)
	check("tables", "many", three, false)
	check("joined", "3", three, true)
	check("joins", "2", three, true)
	check("joins", "1+", Labels{}, false)
	check("tables", "0", Labels{Features: plain}, false)
}

// TestStrata: what an experiment may draw strata by are the axes.
func TestStrata(t *testing.T) {
	var names []string
	for _, a := range List() {
		names = append(names, a.Name)
	}
	want := configs.StrataAxes.IDs()
	slices.Sort(names)
	slices.Sort(want)
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

func TestFind(t *testing.T) {
	fail := func(name, want string) {
		t.Helper()
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	fail("jions", `axes: find: axis "jions" is unknown; did you mean "joins"?`)
	fail("data-base", `did you mean "database"?`)
	fail("zzzzzzzzzzzzz", "there are hardness, difficulty, database, joins")
	if two, err := FindAll([]string{"joins", "hardness", "joins"}); err != nil || len(two) != 2 || two[1].Name != "hardness" {
		t.Errorf("%v, %v", two, err)
	}
	seen := map[string]bool{}
	for _, a := range List() {
		if a.Shows == "" || seen[a.Name] {
			t.Errorf("%q says nothing, or stands twice", a.Name)
		}
		seen[a.Name] = true
	}
}

// TestRealGoldQueries: every gold of Spider dev has features. Spider's joins are all written with the word, so that the
// groups are the gold queries with none, one, and several matches of \bjoin\b.
func TestRealGoldQueries(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/data/spider/dev.json")
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	var items []struct{ Query string }
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatal(err)
	}
	joins := map[string]int{}
	axis, err := Find("joins")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		joins[axis.Group(Labels{Features: Features(it.Query)})]++
	}
	if d := cmp.Diff(map[string]int{"0": 626, "1": 320, "2+": 88}, joins); d != "" {
		t.Error(d)
	}
}

func FuzzFeatures(f *testing.F) {
	f.Add("SELECT a FROM t JOIN u ON t.x = u.x WHERE b > 1")
	f.Add("joins=1 limit=")
	f.Fuzz(func(t *testing.T, text string) {
		features := Features(text)
		for _, a := range List() {
			a.Group(Labels{Features: features})
			a.Group(Labels{Features: text})
		}
		if features == "" || features == plain {
			return
		}
		total := 0
		for _, c := range configs.Features {
			n, _ := Count(features, c.ID)
			total += n
		}
		if total == 0 {
			t.Errorf("%q of %q counts nothing", features, text)
		}
	})
}

func BenchmarkFeatures(b *testing.B) {
	for b.Loop() {
		Features("SELECT a, count(*) FROM t JOIN u ON t.x = u.x WHERE b IN (SELECT c FROM u) AND d LIKE 'x%' GROUP BY a ORDER BY 2 DESC LIMIT 3")
	}
}
