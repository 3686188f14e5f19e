package diagnosis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"

	"github.com/google/go-cmp/cmp"
)

// result is a result of one column a header, whose rows are given as "a|b".
func result(digest string, rows ...string) *record.Result {
	quoted := []string{`["c"]`}
	for _, r := range rows {
		quoted = append(quoted, `["`+strings.ReplaceAll(r, "|", `","`)+`"]`)
	}
	return &record.Result{Item: "q", Digest: digest, Rows: len(rows), Preview: "[" + strings.Join(quoted, ",") + "]"}
}

func wrongCase(question, gold, sql string) Case {
	return Case{Question: record.Question{Item: "q", Question: question, Gold: gold},
		Answer: record.Item{Item: "q", Arm: "a", Status: metrics.Wrong, SQL: sql}}
}

// TestRules: each rule has a case by hand, and says what it is listed to say.
func TestRules(t *testing.T) {
	fired := map[string]bool{}
	check := func(want string, c Case) {
		t.Helper()
		d := suggest(c)
		i := strings.Index(want, "/")
		if got := d.Chase.Rule + "/" + d.IT2S.Rule; got != want {
			t.Errorf("%s | %s: rules %s (%s; %s), want %s", c.Question.Gold, c.Answer.SQL, got, d.Chase.Evidence, d.IT2S.Evidence, want)
		}
		fired[want[:i]], fired[want[i+1:]] = true, true
	}
	both := func(rule, question, gold, sql string) {
		t.Helper()
		check(rule+"/"+rule, wrongCase(question, gold, sql))
	}
	failing := func(rule, sql, why string, status metrics.Status) {
		t.Helper()
		c := wrongCase("?", "SELECT name FROM ship", sql)
		c.Why, c.Answer.Status = why, status
		check(rule+"/"+rule, c)
	}
	results := func(rule, gold, sql string, want, got *record.Result) {
		t.Helper()
		c := wrongCase("?", gold, sql)
		c.Gold, c.Got = want, got
		check(rule+"/"+rule, c)
	}
	failing("no-query", "", "", metrics.NoSQL)
	failing("no-query", "DROP TABLE ship", "", metrics.Rejected)
	failing("unknown-table", "SELECT name FROM boat", "no such table: boat", metrics.SQLError)
	failing("unknown-filter", "SELECT name FROM ship WHERE s.flag = 1", "no such column: s.flag", metrics.SQLError)
	failing("unknown-column", "SELECT title FROM ship", "no such column: title", metrics.SQLError)
	failing("unknown-column", "SELECT id FROM ship JOIN crew", "ambiguous column name: id", metrics.SQLError)
	failing("function-error", "SELECT year(built) FROM ship", "no such function: year", metrics.SQLError)
	failing("does-not-run", "SELECT name FORM ship", `near "ship": syntax error`, metrics.SQLError)
	failing("does-not-run", "SELECT name FROM ship, crew", "", metrics.SQLTimeout)

	over := wrongCase("?", "SELECT name FROM ship", "SELECT id FROM ship")
	over.Question.Override = "the id is asked for"
	check("gold-overridden/gold-overridden", over)
	empty := wrongCase("?", "SELECT name FROM ship WHERE id = 0", "SELECT name FROM ship WHERE id < 0")
	empty.Gold, empty.Got = result("x"), result("y", "Ada")
	check("condition/gold-empty", empty)
	empty.Gold = result("x", "NULL")
	check("condition/gold-empty", empty)

	both("distinct-unasked", "Which different flags are there?", "SELECT flag FROM ship", "SELECT DISTINCT flag FROM ship")
	both("distinct-missed", "Which different flags are there?", "SELECT DISTINCT flag FROM ship", "SELECT s.flag FROM ship AS s")
	both("distinct-only", "Which flags are there?", "SELECT DISTINCT flag FROM ship", "SELECT flag FROM ship")
	both("distinct-only", "How many flags?", "SELECT count(DISTINCT flag) FROM ship", "SELECT count(flag) FROM ship")
	both("gold-case", "Ships from Oslo?", "SELECT id FROM ship WHERE port = 'oslo'", "SELECT id FROM ship WHERE port = 'Oslo'")
	both("gold-case", "Ships from Oslo?", "SELECT id FROM ship WHERE port = 'oslo' AND flag = 1", "SELECT name FROM ship WHERE port = 'Oslo'")
	both("text-case", "Ships from there?", "SELECT id FROM ship WHERE port = 'Oslo'", "SELECT id FROM ship WHERE port = 'OSLO'")
	both("gold-number", "Ships longer than 120?", "SELECT id FROM ship WHERE length > 210", "SELECT id FROM ship WHERE length > 120")
	both("gold-crossed", "?", "SELECT name FROM ship JOIN crew WHERE age > 9", "SELECT name FROM ship JOIN crew ON crew.ship = ship.id WHERE age > 9")

	ignored := wrongCase("How heavy is it?", "SELECT gross_tons FROM ship", "SELECT mass FROM ship")
	ignored.Question.Evidence = "heavy refers to gross tons"
	check("evidence-ignored/other-column", ignored)
	both("tie", "The longest?", "SELECT name FROM ship ORDER BY length DESC LIMIT 1", "SELECT name FROM ship WHERE length = (SELECT max(length) FROM ship)")
	both("tie", "The longest?", "SELECT name FROM ship WHERE length = (SELECT max(length) FROM ship)", "SELECT name FROM ship ORDER BY length DESC LIMIT 1")
	both("tie", "The port with most?", "SELECT port FROM ship GROUP BY port ORDER BY count(*) DESC LIMIT 1", "SELECT port FROM ship GROUP BY port, id ORDER BY count(id) DESC LIMIT 1")

	results("hollow-rows", "SELECT a FROM ship", "SELECT b FROM ship", result("x", "1", "NULL"), result("y", "1"))
	results("permuted", "SELECT a, b FROM ship", "SELECT b, a FROM ship", result("x", "1|2"), result("y", "2|1"))
	results("respelt", "SELECT a FROM ship", "SELECT b FROM ship", result("x", "Ada", "7.0"), result("y", "ada", "7"))
	results("rounded", "SELECT a FROM ship", "SELECT b FROM ship", result("x", "2.667"), result("y", "2.66666666"))
	results("scaled", "SELECT a FROM ship", "SELECT b FROM ship", result("x", "25.0"), result("y", "0.25"))
	results("rejoined", "SELECT a, b FROM ship", "SELECT c FROM ship", result("x", "Ada|Byron"), result("y", "Ada Byron"))
	results("repetitions", "SELECT a FROM ship", "SELECT a FROM crew", result("x", "1", "2"), result("y", "1", "2", "2"))
	results("wider", "SELECT a FROM ship", "SELECT a, b FROM ship", result("x", "1", "2"), result("y", "1|p", "2|q"))
	results("narrower", "SELECT a, b FROM ship", "SELECT a FROM ship", result("x", "1|p", "2|q"), result("y", "1", "2"))

	both("same-name", "?", "SELECT ship.name FROM ship JOIN crew ON ship.id = crew.ship", "SELECT crew.name FROM ship JOIN crew ON ship.id = crew.ship")
	both("name-for-key", "Which ships?", "SELECT ship_id FROM ship", "SELECT ship_name FROM ship")
	both("value-elsewhere", "Ships of Fresno?", "SELECT id FROM ship WHERE city = 'Fresno'", "SELECT id FROM ship WHERE county = 'Fresno'")
	both("other-value", "Female captains?", "SELECT id FROM crew WHERE sex = 'F'", "SELECT id FROM crew WHERE sex = 'women'")
	both("conversion", "?", "SELECT round(avg(age), 2) FROM crew", "SELECT avg(age) FROM crew")
	both("functions", "?", "SELECT sum(age) FROM crew", "SELECT avg(age) FROM crew")
	both("join-condition", "?", "SELECT a FROM ship JOIN crew ON ship.id = crew.ship", "SELECT a FROM ship LEFT JOIN crew ON ship.id = crew.ship")
	both("join-missing", "?", "SELECT a FROM ship JOIN crew ON ship.id = crew.ship", "SELECT a FROM ship")
	both("join-extra", "?", "SELECT a FROM ship", "SELECT a FROM ship JOIN crew ON ship.id = crew.ship")
	both("other-table", "?", "SELECT count(*) FROM ship", "SELECT count(*) FROM crew")
	both("other-column", "?", "SELECT length FROM ship", "SELECT width FROM ship")
	both("concatenated", "?", "SELECT first, last FROM crew", "SELECT first || ' ' || last FROM crew")
	both("more-or-fewer", "?", "SELECT length, width FROM ship", "SELECT length FROM ship")
	both("other-filter", "?", "SELECT a FROM ship WHERE built > 1900", "SELECT a FROM ship WHERE sunk > 5")
	both("condition", "?", "SELECT a FROM ship WHERE built > 1900", "SELECT a FROM ship WHERE built >= 1900")
	both("columns", "?", "SELECT a FROM ship WHERE b > 1 ORDER BY a", "SELECT c FROM ship WHERE d > 1")
	both("structure", "?", "SELECT a FROM ship INTERSECT SELECT a FROM crew", "SELECT a FROM ship")
	check("/", wrongCase("?", "SELECT a FROM ship WHERE b = 1 AND c = 2", "SELECT s.a FROM ship s WHERE 2 = s.c AND s.b = 1"))
	check("/", wrongCase("?", "no SQL", "no SQL either"))

	for _, r := range Rules() {
		if !fired[r.ID] {
			t.Errorf("rule %s has no case", r.ID)
		}
	}
}

// TestRuleTable: every rule says a sentence, and names categories that there are.
func TestRuleTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasSuffix(r.Says, ".") || strings.Count(r.Says, ". ") > 0 {
			t.Errorf("rule %q is there twice or says no sentence: %q", r.ID, r.Says)
		}
		seen[r.ID] = true
		for _, c := range []string{r.Generation, r.Selection} {
			if c != "" && !Chase.Has(c) {
				t.Errorf("%s: %q is none of CHASE", r.ID, c)
			}
		}
		if r.IT2S != "" && !IT2S.Has(r.IT2S) {
			t.Errorf("%s: %q is none of Interactive-T2S", r.ID, r.IT2S)
		}
	}
}

func TestPoolsAreSelections(t *testing.T) {
	c := wrongCase("Ships of Fresno?", "SELECT id FROM ship WHERE city = 'Fresno'", "SELECT id FROM ship WHERE county = 'Fresno'")
	check := func(want string) {
		t.Helper()
		if got := suggest(c).Chase.Category; got != want {
			t.Errorf("%s | %s: %s, want %s", c.Question.Gold, c.Answer.SQL, got, want)
		}
	}
	check(SchemaLinking)
	c.Passed = c.Question.Gold
	check(Vague)
	c.Answer.SQL = "SELECT * FROM ship WHERE city = 'Fresno'"
	check(WrongPicking)
	c.Gold, c.Got = result("x", "1", "NULL"), result("y", "1")
	check(DataIntegrity)
	c.Question.Override = "doubted"
	check(GoldInDoubt)
}

func TestEvidenceNamesWhatFired(t *testing.T) {
	d := suggest(wrongCase("?", "SELECT a FROM ship", "SELECT a FROM ship JOIN singer ON ship.id = singer.ship"))
	if want := "prediction joins singer, gold does not"; d.Chase.Evidence != want {
		t.Errorf("%q, want %q", d.Chase.Evidence, want)
	}
}

// run is two arms over three items: arm a has q1 right and the others wrong, b is wrong everywhere.
func run() *record.Run {
	r := &record.Run{Manifest: record.Manifest{Axes: []string{"k"}}}
	for i, id := range []string{"set/q1", "set/q2", "set/q3"} {
		r.Questions = append(r.Questions, record.Question{Item: id, DB: "harbour", Question: "=which?", Gold: "SELECT a FROM ship"})
		for _, arm := range []string{"a", "b"} {
			it := record.Item{Item: id, DB: "harbour", Arm: arm, Point: []string{"4"}, Seed: 1, Status: metrics.Wrong, SQL: "SELECT b\nFROM ship"}
			if i == 0 && arm == "a" {
				it.Status = metrics.Correct
			}
			r.Items = append(r.Items, it)
		}
	}
	return r
}

func TestWriteThenReadJudged(t *testing.T) {
	r := run()
	all := Wrong(r.Index(), "")
	if len(all) != 5 || len(Wrong(r.Index(), "a")) != 2 {
		t.Fatalf("%d wrong, %d of a", len(all), len(Wrong(r.Index(), "a")))
	}
	judged := Judged{all[0].Answer.Key(): {Categories: []string{WrongLogic, reasoning}, Note: "n"}}
	var b strings.Builder
	if err := Write(&b, r, all, judged); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "'=which?") || !strings.Contains(b.String(), "k=4") {
		t.Errorf("a formula, or no sweep: %s", b.String())
	}
	got, err := parseJudged("f.csv", []byte(b.String()), r)
	if err != nil {
		t.Fatal(err)
	}
	one := got[all[0].Answer.Key()]
	if d := cmp.Diff([]string{WrongLogic, reasoning}, one.Categories); d != "" || len(got) != 1 || one.Note != "n" || one.Under(IT2S) != reasoning {
		t.Errorf("%v %s", got, d)
	}
}

func TestJudgedErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := parseJudged("f.csv", []byte(text), run())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	const head = "item,arm,sweep,seed,judged,sql\n"
	check("", "f.csv:1: no header")
	check("item,arm,seed\n", `f.csv:1: no column "judged"`)
	check(head+"set/q2,a,k=4,1,wrong-logik,\n", `f.csv:2: category "wrong-logik" is unknown; did you mean "wrong-logic"?`)
	check(head+"set/q2,a,k=4,1,,\nset/q9,a,k=4,1,format,\n", `f.csv:3: item "set/q9" is unknown; did you mean`)
	check(head+"set/q2,aa,k=4,1,format,\n", `arm "aa" is unknown`)
	check(head+"set/q2,a,k=5,1,format,\n", `no answer of arm "a" with sweep "k=5"`)
	check(head+"set/q1,a,k=4,1,format,\n", `is not wrong in this run: its status is correct`)
	check(head+"set/q2,a,k=4,1,format;reasoning,\n", `"reasoning" is a second category of it2s`)
	check(head+"set/q2,a,k=4,1,to-be-judged,\n", "is unknown")
	check(head+"set/q2,a,k=4,1,format,SELECT z\n", "judges another answer")
	check(head+"set/q2,a,k=4,1,format,\nset/q2,a,k=4,1,join,\n", "f.csv:3: item \"set/q2\" is judged on line 2 already")
	check(head+"\"set/q2,a\n", "f.csv: ")
	if _, err := ReadJudged(filepath.Join(t.TempDir(), "none.csv"), run()); err == nil || !strings.Contains(err.Error(), "none.csv") {
		t.Error(err)
	}
}

// TestAgree: of four decided answers three are the same. Rules say 2 reasoning, 2 selected-column; the person 3 and 1:
// by chance 2/4*3/4 + 2/4*1/4 = 1/2, so that kappa is (3/4-1/2)/(1-1/2) = 1/2.
func TestAgree(t *testing.T) {
	r := run()
	all := Wrong(r.Index(), "")
	judged := Judged{}
	for i, person := range []string{reasoning, reasoning, reasoning, selectedColumn, format} {
		all[i].IT2S.Category = []string{reasoning, reasoning, selectedColumn, selectedColumn, toBeJudged}[i]
		judged[all[i].Answer.Key()] = Judgement{Categories: []string{person}}
	}
	a := Agree(IT2S, all, judged)
	if a.N != 4 || a.Same != 3 || a.Undecided != 1 || math.Abs(a.Kappa-0.5) > 1e-12 {
		t.Errorf("%+v", a)
	}
	if a := Agree(Chase, all, judged); a.N != 0 || !math.IsNaN(a.Kappa) {
		t.Errorf("%+v", a)
	}
}

func TestSample(t *testing.T) {
	all := Wrong(run().Index(), "")
	names := func(ds []Diagnosis) (out []string) {
		for _, d := range ds {
			out = append(out, d.Answer.Item+d.Answer.Arm)
		}
		return out
	}
	if d := cmp.Diff(names(Sample(all, 3, 7)), names(Sample(all, 3, 7))); d != "" || len(Sample(all, 3, 7)) != 3 {
		t.Error("the same seed draws another sample")
	}
	if len(Sample(all, 0, 1)) != 5 || len(Sample(all, 9, 1)) != 5 {
		t.Error("all are fewer than all")
	}
	drawn := map[string]bool{}
	for seed := range uint64(40) {
		drawn[fmt.Sprint(names(Sample(all, 1, seed)))] = true
	}
	if len(drawn) != 5 {
		t.Errorf("40 seeds draw %d of 5 answers", len(drawn))
	}
}

func TestSelfNamedAlias(t *testing.T) {
	if s := shapeOf("SELECT round(age, 1) AS age FROM crew ORDER BY age", nil); s == nil {
		t.Error("not read")
	}
}

func TestFindTaxonomy(t *testing.T) {
	if _, err := FindTaxonomy("chsae"); err == nil || !strings.Contains(err.Error(), `did you mean "chase"?`) {
		t.Error(err)
	}
}

// TestPredictions: a real system's answers, wrong or right, are read without harm, each against its gold.
func TestPredictions(t *testing.T) {
	dir := "../../../shared/data/"
	golds, err := os.ReadFile(dir + "spider/dev_gold.sql")
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	answers, err := os.ReadFile(dir + "predictions/spider_dev/dail_gpt4.txt")
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	want, got := strings.Split(string(golds), "\n"), strings.Split(string(answers), "\n")
	unread := 0
	for i := range min(len(want), len(got)) {
		gold, _, _ := strings.Cut(want[i], "\t")
		sql, _, _ := strings.Cut(got[i], "\t")
		if d := suggest(wrongCase("?", gold, sql)); d.Chase.Category == "" || shapeOf(gold, nil) == nil {
			unread++
		}
	}
	if unread > 1 { // the blank line at the end
		t.Errorf("%d gold queries do not parse", unread)
	}
}

func FuzzSuggest(f *testing.F) {
	f.Add("SELECT a AS a FROM t ORDER BY a", "SELECT count(DISTINCT x) FROM t JOIN u USING (y) WHERE z = 'q'", `[["c"],["1"]]`)
	f.Add("SELECT", "", "")
	f.Fuzz(func(t *testing.T, gold, sql, preview string) {
		c := wrongCase("which different?", gold, sql)
		c.Gold, c.Got = &record.Result{Rows: 1, Preview: preview}, result("y", "1", "NULL")
		d := suggest(c)
		if !Chase.Has(d.Chase.Category) || !IT2S.Has(d.IT2S.Category) {
			t.Errorf("%+v", d)
		}
	})
}

func FuzzJudged(f *testing.F) {
	f.Add("item,arm,sweep,seed,judged,note\nset/q2,a,k=4,1,format,x\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := run()
		judged, err := parseJudged("f.csv", []byte(text), r)
		if err == nil {
			Agree(Chase, Wrong(r.Index(), ""), judged)
		}
	})
}

func BenchmarkSuggest(b *testing.B) {
	c := wrongCase("The longest?", "SELECT T1.name FROM ship AS T1 JOIN crew AS T2 ON T1.id = T2.ship WHERE T2.age > 30 ORDER BY T1.length DESC LIMIT 1",
		"SELECT name FROM ship WHERE length = (SELECT max(length) FROM ship)")
	for b.Loop() {
		suggest(c)
	}
}
