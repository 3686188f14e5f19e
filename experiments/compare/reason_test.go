package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

func TestReasonsOfFlips(t *testing.T) {
	check := func(a, b string, class Class, reason string) {
		t.Helper()
		gotClass, got := explain(Flip{SQLA: a, SQLB: b, StatusA: metrics.Correct, StatusB: metrics.Wrong}, "B")
		if gotClass != class || got != reason {
			t.Errorf("%s\n%s\nis %s (%s), want %s (%s)", a, b, gotClass, got, class, reason)
		}
	}
	check("SELECT name FROM pet", "select  T1.name from Pet as T1;", Same, "the same SQL but for spelling")
	check("SELECT a.x FROM t AS a JOIN u AS b ON a.i = b.i", "SELECT t.x FROM t INNER JOIN u ON t.i = u.i", Same, "the same SQL but for spelling")
	check(`SELECT a FROM t WHERE b = "x"`, "SELECT a FROM t WHERE b = 'x'", Same, "the same SQL but for spelling")
	check("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'X'", Literals, "only values differ: 'x' -> 'X'")
	check("SELECT a FROM t WHERE b > 1 AND c = 2", "SELECT a FROM t WHERE b > 1 AND c = 3.5", Literals, "only values differ: 2 -> 3.5")
	check("SELECT a FROM t ORDER BY a LIMIT 1", "SELECT a FROM t ORDER BY a LIMIT 3", Literals, "only values differ: 1 -> 3")
	check("SELECT a FROM t", "SELECT DISTINCT a FROM t", Distinct, "only DISTINCT is added")
	check("SELECT count(DISTINCT a) FROM t", "SELECT count(a) FROM t", Distinct, "only DISTINCT is dropped")
	check("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b DESC", Order, "only ORDER BY differs")
	check("SELECT a FROM t ORDER BY b", "SELECT a FROM t", Order, "only ORDER BY is dropped")
	check("SELECT a FROM t", "SELECT a FROM t LIMIT 1", Limit, "only LIMIT is added")
	check("SELECT a, b FROM t", "SELECT b, a FROM t", Selected, "only the order of the result columns differs")
	check("SELECT a FROM t", "SELECT a, b FROM t", Selected, "only the result columns differ: +t.b")
	check("SELECT a FROM t", "SELECT a, a FROM t", Selected, "only the number of result columns differs: 1 -> 2")
	check("SELECT a FROM t", "SELECT T1.a, count( * ), max(T1.b) FROM t AS T1", Selected, "only the result columns differ: +count( * ) +max(T1.b)")
	check("SELECT a FROM t", "SELECT a FROM u", Tables, "tables +u -t; columns +u.a -t.a")
	check("SELECT T1.a FROM t AS T1", "SELECT T1.a FROM t AS T1 JOIN u AS T2 ON T1.i = T2.i WHERE T2.z LIKE 'x%'", Tables,
		"tables +u; joins 0->1, predicates 0->2, like 0->1; columns +t.i +u.i +u.z")
	check("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a IN (SELECT a FROM t)", Features, "subqueries 0->1")
	check("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE c = 1", Columns, "columns +t.c -t.b")
	check("SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b >= 1", Conditions, "other conditions or expressions")
	check("SELECT a FROM t UNION SELECT b FROM t", "SELECT a FROM t UNION ALL SELECT b FROM t", Conditions, "other conditions or expressions")
	// The inner result columns are no result columns of the statement.
	check("SELECT a FROM t WHERE a IN (SELECT b FROM t)", "SELECT a FROM t WHERE a IN (SELECT c FROM t)", Columns, "columns +t.c -t.b")
	check("SELEC a", "SELECT a FROM t", Unread, "A is no query that parses")
	check("SELECT a FROM t", "DELETE FROM t", Unread, "B is no query that parses")
	check("SELEC", "", Unread, "neither side parses")
	if c, why := explain(Flip{StatusA: metrics.SQLError, StatusB: metrics.Correct}, "B"); c != Ran || why != "sql-error -> correct" {
		t.Errorf("%s (%s)", c, why)
	}
}

// FuzzReasons: whatever two statements are, there is one reason, and none against itself but spelling.
func FuzzReasons(f *testing.F) {
	f.Add("SELECT a FROM t WHERE b = 'x'", "SELECT DISTINCT T1.a FROM t AS T1 JOIN u ORDER BY 1 LIMIT 2")
	f.Add("WITH c AS (SELECT 1) SELECT * FROM c", "VALUES (1, 2)")
	f.Add("SELECT count(*) OVER (PARTITION BY a) FROM (SELECT 1)", "SELECT CASE WHEN 1 THEN 2 END IS NOT NULL")
	f.Fuzz(func(t *testing.T, a, b string) {
		class, reason := explain(Flip{SQLA: a, SQLB: b, StatusA: metrics.Wrong, StatusB: metrics.Correct}, "B")
		if reason == "" || !strings.Contains(fmt.Sprint(classes), string(class)) {
			t.Errorf("%q (%q)", class, reason)
		}
		if class, _ := explain(Flip{SQLA: a, SQLB: a, StatusA: metrics.Wrong, StatusB: metrics.Correct}, "B"); class != Same && class != Unread {
			t.Errorf("against itself: %s", class)
		}
	})
}

func TestVariance(t *testing.T) {
	r := run("a", "x", "1100")
	again(r, 1, "1010")
	again(r, 2, "1000")
	rows, err := Variance(r.Index(), "ex")
	if err != nil || len(rows) != 1 || rows[0].Of != Answers || rows[0].Items != 4 || rows[0].Seeds != 3 || rows[0].Samples != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	// Cells by item 111, 100, 010, 000; mean 5/12. Squares: items 3·((7/12)²+2(1/12)²+(5/12)²) = 19/12, of 3 degrees;
	// seeds 4·(2(1/12)²+(1/6)²) = 1/6, of 2; all 35/12, so that the rest has 35/12 - 19/12 - 2/12 = 14/12, of 6.
	near(t, "rest", rows[0].ItemSeed, 14.0/72, 1e-12)
	near(t, "item", rows[0].Item, (19.0/36-14.0/72)/3, 1e-12)
	near(t, "seed", rows[0].Seed, 0, 0)

	for _, it := range r.Items { // two samples of each, one right where the answer is
		for k := range 2 {
			v := it.Values[0].V * float64(1-k)
			r.Candidates = append(r.Candidates, record.Candidate{Item: it.Item, Arm: "x", Seed: it.Seed, Sample: k, Generator: "g", Values: []record.Value{{V: v, OK: true}}})
		}
	}
	rows, err = Variance(r.Index(), "")
	// Five of the twelve cells have a right and a wrong sample, of variance 1/2 each.
	if err != nil || rows[0].Of != Samples || rows[0].Samples != 2 || math.Abs(rows[0].Sampling-2.5/12) > 1e-12 {
		t.Errorf("%+v, %v", rows, err)
	}
	r.Candidates[0].Generator = "h"
	if rows, _ := Variance(r.Index(), ""); rows[0].Of != Answers {
		t.Errorf("two generators: %+v", rows)
	}
	r.Items[0].Values[0].OK = false
	if rows, _ := Variance(r.Index(), ""); rows[0].Dropped != 1 || rows[0].Items != 3 {
		t.Errorf("a missing score: %+v", rows)
	}
	if _, err := Variance(r.Index(), "em"); err == nil || !strings.Contains(err.Error(), `no metric "em", there are ex`) {
		t.Errorf("%v", err)
	}
}

// benchRun is a run of 1534 items, arms with that share of right answers.
func benchRun(name string, every int) *record.Run {
	r := &record.Run{Manifest: record.Manifest{Experiment: name, ID: name, Complete: true, Dataset: "d/dev", Metrics: []record.Metric{{ID: "ex"}}}}
	for i := range 1534 {
		q := record.Question{Item: fmt.Sprintf("d/dev/%04d", i), DB: fmt.Sprint("db", i%11), Gold: "SELECT 1", Hardness: []string{"easy", "hard"}[i%2], Features: "joins=1"}
		it := record.Item{Item: q.Item, DB: q.DB, Arm: "x", Status: metrics.Correct, Values: []record.Value{{V: 1, OK: true}}, SQL: "SELECT a FROM t WHERE b = 1"}
		if i%every == 0 {
			it.Status, it.Values[0].V, it.SQL = metrics.Wrong, 0, "SELECT a, c FROM t JOIN u ON t.i = u.i WHERE b = 1"
		}
		r.Questions, r.Items = append(r.Questions, q), append(r.Items, it)
	}
	return r
}

func BenchmarkRuns(b *testing.B) {
	x, y := benchRun("x", 3), benchRun("y", 5)
	for b.Loop() {
		if _, err := Runs(x, y, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
