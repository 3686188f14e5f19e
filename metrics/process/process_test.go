package process

import (
	"fmt"
	"strings"
	"testing"

	"assay/metrics"
	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

func harbour() *schema.Database {
	return schema.New("harbour", nil, nil).Add("ferry", "id", "name", "home_id").Add("trip", "ferry_id", "day").Add("harbour", "id", "Free Berths (K-12)")
}

func TestColumns(t *testing.T) {
	check := func(list, tables, columns, unknown string) {
		t.Helper()
		ts, cs, us := Columns(list, harbour())
		var names []string
		for _, c := range cs {
			names = append(names, c.Dotted())
		}
		if d := cmp.Diff([]string{tables, columns, unknown}, []string{strings.Join(ts, " "), strings.Join(names, " "), strings.Join(us, " ")}); d != "" {
			t.Errorf("%q: %s", list, d)
		}
	}
	check("ferry (name, id), trip (ferry_id)", "ferry trip", "ferry.name ferry.id trip.ferry_id", "")
	check("FERRY (Name)", "ferry", "ferry.name", "")
	check("ferry (*), trip ()", "ferry trip", "", "")
	check("`ferry` (\"name\", [id], ferry.home_id)", "ferry", "ferry.name ferry.id ferry.home_id", "")
	check("harbour (Free Berths (K-12), id)", "harbour", "harbour.Free Berths (K-12) harbour.id", "")
	check("ferry (colour), boat (id)", "ferry", "", "ferry.colour boat")
	check("ferry (name", "", "", "ferry (name")
	check("none", "", "", "none")
	check("", "", "", "")
	if _, _, us := Columns(strings.Repeat("x (y), ", 100_000), harbour()); len(us) != mostNames {
		t.Errorf("%d unknown names of a long list", len(us))
	}
}

func TestJudge(t *testing.T) {
	const gold = "SELECT T1.name FROM ferry AS T1 JOIN trip AS T2 ON T1.id = T2.ferry_id"
	check := func(gold string, steps []Step, want ...string) {
		t.Helper()
		var got []string
		for _, m := range Judge(steps, gold, harbour()) {
			got = append(got, fmt.Sprintf("%d/%d %d/%d of %d %s", m.Hit, m.Named, m.AllHit, m.AllNamed, m.Gold, m.Error))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%v: %s", steps, d)
		}
	}
	list := func(columns ...string) (out []Step) {
		for _, c := range columns {
			out = append(out, Step{Columns: c, Status: Unasked})
		}
		return out
	}
	check(gold, list("ferry (name)", "", "ferry (id), trip (FERRY_ID)"), "1/1 1/1 of 3 ", "0/0 1/1 of 3 ", "2/2 3/3 of 3 ")
	check(gold, list("ferry (name, home_id)", "ferry (id)"), "1/2 1/2 of 3 outside", "1/1 2/3 of 3 lacking")
	check(gold, list("ferry (name, name)", "ferry (colour)"), "1/1 1/1 of 3 ", "0/0 1/1 of 3 unknown")
	check(gold, []Step{{SQL: "SELECT f.NAME FROM ferry f", Status: Ran}, {SQL: "SELECT id FROM harbour", Status: Ran}, {SQL: "SELECT x", Status: metrics.SQLError}, {Status: metrics.NoSQL}},
		"1/1 1/1 of 3 ", "0/1 1/2 of 3 outside", "0/0 1/2 of 3 fails", "0/0 1/2 of 3 fails")
	check(gold, []Step{{SQL: "SELECT id FROM harbour", Status: Empty, Final: true}}, "0/1 0/1 of 3 ") // judged as the answer
	check(gold, []Step{{SQL: "DROP TABLE ferry", Status: metrics.Rejected}}, "0/0 0/0 of 3 fails")
	check(gold, []Step{{Status: Unasked}}, "0/0 0/0 of 3 ")
	check("gibberish", []Step{{Columns: "boat (x)", Status: Unasked}, {SQL: "x", Status: metrics.SQLTimeout}}, "0/0 0/0 of 0 ", "0/0 0/0 of 0 fails")
	check(gold, nil)
	m := Judge(list("ferry (name, home_id)"), gold, harbour())[0]
	if p, ok := m.Precision(); p != 0.5 || !ok {
		t.Errorf("precision %v %v", p, ok)
	}
	if r, ok := m.Recall(); r != 1.0/3 || !ok {
		t.Errorf("recall %v %v", r, ok)
	}
	if _, ok := (Mark{}).Precision(); ok {
		t.Error("a step that names nothing has a precision")
	}
	if m := Judge(list("ferry (name)"), gold, nil)[0]; m.Judged {
		t.Error("judged without a schema")
	}
}

var functions = map[string]func(string){
	"Judge":      func(s string) { Judge([]Step{{SQL: s}, {Columns: s}}, s, harbour()) },
	"JudgeTurns": func(s string) { JudgeTurns([]Turn{{s, s}, {"ExecuteSQL('" + s + "')", s}}, s, harbour()) },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }

func FuzzColumns(f *testing.F) {
	f.Add("ferry (name, id), trip (*)")
	f.Add("`a` (\"b\"), c (")
	f.Fuzz(func(t *testing.T, list string) { Columns(list, harbour()) })
}

func FuzzTurns(f *testing.F) {
	f.Add(`SearchColumn(['a', "b"])`, `{"column":"name","table":"ferry"}`, "SELECT name FROM ferry")
	f.Add(`ExecuteSQL("SELECT 'it\'s'")`, `[('a', 1)]`, "SELECT 'it''s'")
	f.Fuzz(func(t *testing.T, action, seen, answer string) {
		for _, w := range JudgeTurns([]Turn{{action, seen}, {action, seen}}, answer, harbour()) {
			if w == "" {
				t.Fatal("a turn without a worth")
			}
		}
	})
}
