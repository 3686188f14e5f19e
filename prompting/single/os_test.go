package single

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/extract"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// written answers every stage of method os.
func written(r llm.Request) (string, error) {
	switch system := r.Messages[0].Text; {
	case strings.HasPrefix(system, "You choose"):
		return `{"Trip": ["Guests"]}`, nil
	case strings.Contains(system, "nested joins"):
		return "{\"input\": \"How many routes are there?\", \"output\": \"SELECT count(*) FROM Route\"}\n{\"input\": \"Ports?\", \"output\": \"SELECT \\\"Home Port\\\" FROM Route\"}", nil
	case strings.HasPrefix(system, "You write examples"):
		return "{\"input\": \"How many guests?\", \"output\": \"SELECT sum(Guests) FROM Trip\"}\n{\"input\": \"How many routes are there?\", \"output\": \"SELECT count(*) FROM Route\"}", nil
	case strings.HasPrefix(system, "You are given the tables of a database. Think"):
		return "{\"input\": \"Which trips?\", \"output\": \"SELECT * FROM Trip\"}", nil
	}
	return "Steps.\n<FINAL_ANSWER>\nSELECT 1\n</FINAL_ANSWER>", nil
}

// osName is the method whose examples the model writes.
const osName = "os"

func osArm(format string, k int, change func(*configs.Synthetic)) configs.Arm {
	arm := methodtest.Arm(osName, format, k)
	if change != nil {
		change(&arm.Synthetic)
	}
	return arm
}

// TestSynthetic pins every prompt of method os, by source, with demonstrations and without.
func TestSynthetic(t *testing.T) {
	check := func(name string, k int, change func(*configs.Synthetic), stages ...string) {
		t.Helper()
		for _, format := range render.Formats().IDs() {
			model := &llm.Scripted{Reply: written}
			m, err := New(osName, prompting.Deps{Model: model, Pool: methodtest.Pool(12)}, osArm(format, k, change), 3)
			if err != nil {
				t.Fatal(err)
			}
			a, err := m.Answer(context.Background(), methodtest.Question())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range a.Trace {
				head, _, _ := strings.Cut(c.Note, "\n")
				got = append(got, c.Stage+": "+head)
			}
			if l := a.Linked; (len(l) == 1 && l[0].Stage == "os: columns" && len(l[0].Shown) > 0) != slices.ContainsFunc(stages, func(s string) bool { return strings.HasPrefix(s, "column") }) {
				t.Errorf("linked %+v with stages %q", l, stages)
			}
			if diff := cmp.Diff(stages, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if c := a.Candidates[0]; c.SQL != "SELECT 1" || c.Rule != extract.Tag || c.Generator != osName {
				t.Errorf("%s: %+v", name, c)
			}
			if format != "bird" && name != "os" {
				continue // the formats differ in the schema alone
			}
			var all strings.Builder
			for i, r := range model.Asked() {
				fmt.Fprintf(&all, "======== %s\n%s", a.Trace[i].Stage, methodtest.Text(r.Messages))
			}
			goldentest.Compare(t, "os-"+name+"-"+format+".golden", all.String())
		}
	}
	chosen, features, tables := `columns: {"Trip": ["Guests"]}`, "features: 2 of 4 examples", "tables: 2 of 3 examples"
	check("os", 2, nil, chosen, features, tables, "generate: 3 examples in the prompt:")
	check("zero", 0, nil, chosen, features, tables, "generate: 3 examples in the prompt:")
	check("all-columns", 0, func(s *configs.Synthetic) { s.Columns = "none" }, features, tables, "generate: 3 examples in the prompt:")
	check("features", 0, func(s *configs.Synthetic) { s.Tables = 0 }, features, "generate: 2 examples in the prompt:")
	check("tables", 0, func(s *configs.Synthetic) { s.Features = 0 }, chosen, tables, "generate: 2 examples in the prompt:")
	check("train", 2, func(s *configs.Synthetic) { s.Source = "train" }, "generate: 7 examples in the prompt:")
	check("codes", 2, func(s *configs.Synthetic) { s.Source = "codes" }, "questions: 1 of 4 examples", "generate: 4 examples in the prompt:")
	check("none", 2, func(s *configs.Synthetic) { s.Source = "none" }, "generate: ")
}

// TestSyntheticChosenBefore: where columns were chosen for the question, the first kind of examples sees the whole
// schema, the second what is left, and nothing is chosen again.
func TestSyntheticChosenBefore(t *testing.T) {
	q := methodtest.Question()
	q.Whole = q.Schema
	q.Schema = q.Schema.Cut(q.Schema.Joined([]schema.ColumnName{{Table: "Trip", Column: "Guests"}}))
	model := &llm.Scripted{Reply: written}
	m, err := New(osName, prompting.Deps{Model: model}, osArm("apidocs", 0, nil), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	asked := model.Asked()
	if len(asked) != 3 {
		t.Fatalf("%d calls", len(asked))
	}
	for i, whole := range []bool{true, false, false} {
		if text := asked[i].Messages[1].Text; strings.Contains(text, "# route (") != whole || !strings.Contains(text, "# trip (") {
			t.Errorf("call %d sees\n%s", i, text)
		}
	}
}

// TestStops: what ends an answer ends neither examples nor a choice of columns.
func TestStops(t *testing.T) {
	arm := osArm("apidocs", 0, nil)
	arm.Model.Stop = []string{"\n\n"}
	model := &llm.Scripted{Reply: written}
	m, err := New(osName, prompting.Deps{Model: model}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Answer(context.Background(), methodtest.Question()); err != nil {
		t.Fatal(err)
	}
	for i, r := range model.Asked() {
		if (len(r.Params.Stop) > 0) != (i == 3) {
			t.Errorf("call %d stops at %q", i, r.Params.Stop)
		}
	}
}

// TestRunnable: of the examples that a model writes, those that return rows are kept.
func TestRunnable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ferry.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE Route (RouteID INTEGER); CREATE TABLE Trip (Guests INT); INSERT INTO Route VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	arm := osArm("apidocs", 0, func(s *configs.Synthetic) { s.Runnable, s.Columns = true, "none" })
	model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		text, err := written(r)
		return strings.NewReplacer("sum(Guests)", "Guests", `\"Home Port\"`, "port").Replace(text), err
	}}
	m, err := New(osName, prompting.Deps{Model: model, Box: box}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := methodtest.Question()
	q.Database = sqlite.DB(path)
	a, err := m.Answer(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Trace[0].Note + " | " + a.Trace[1].Note; got != "2 of 4 examples, 1 of them return rows | 2 of 3 examples, 1 of them return rows" {
		t.Errorf("notes %q", got)
	}
	if text := model.Asked()[2].Messages[1].Text; strings.Count(text, "SQL: ") != 1 {
		t.Errorf("shown:\n%s", text)
	}
	if _, err := New(osName, prompting.Deps{Model: model}, arm, 1); err == nil || !strings.Contains(err.Error(), "no sandbox") {
		t.Errorf("without a sandbox: %v", err)
	}
}

func TestSyntheticSettings(t *testing.T) {
	check := func(want string, change func(*configs.Synthetic)) {
		t.Helper()
		_, err := New(osName, prompting.Deps{Model: &llm.Scripted{}}, osArm("apidocs", 0, change), 1)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(`single: method "os": synthetic.source "books" is unknown (there are os, train, codes, none)`, func(s *configs.Synthetic) { s.Source = "books" })
	check(`single: method "os": synthetic.source "train": there are no demonstrations`, func(s *configs.Synthetic) { s.Source = "train" })
	check(`single: method "os": columns: use "some": unknown (there are one-call, each)`, func(s *configs.Synthetic) { s.Columns = "some" })
}

func TestExamples(t *testing.T) {
	one, two := Example{"How many pots?", "SELECT count(*) FROM pot"}, Example{`Which are "red" (Hint: red is R)?`, `SELECT "name" FROM pot WHERE colour = 'R'`}
	check := func(completion string, want ...Example) {
		t.Helper()
		if diff := cmp.Diff(want, Examples(completion)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	check(one.String()+"\n"+two.String(), one, two)
	check("["+one.String()+", "+two.String()+"]", one, two)
	check("```json\n[\n"+one.String()+",\n"+two.String()+"\n]\n```", one, two)
	check("{\n  \"input\": \"How many pots?\",\n  \"output\": \"SELECT count(*)\\n  FROM pot;\"\n}", one)
	check("\"input\": \"How many pots?\"\n\"output\": \"SELECT count(*)\nFROM pot\"\n\n\"input\": \"Which are \"red\" (Hint: red is R)?\"\n\"output\": \"SELECT \"name\" FROM pot WHERE colour = 'R'\"", one, two)
	check("Example 1) \"input\": \"How many pots?\"\n\"output\": \"SELECT count(*) FROM pot\"\n...\nExample 2) \"input\": \"Which are \\\"red\\\" (Hint: red is R)?\"\n\"output\": \"SELECT \\\"name\\\" FROM pot WHERE colour = 'R'\"", one, two)
	check("{'input': 'How many pots?', 'output': 'SELECT count(*) FROM pot'},", one)
	check("“input”: “How many pots?”\n“output”: “SELECT count(*) FROM pot”", one)
	check("**Question:** How many pots?\n**SQL:** SELECT count(*) FROM pot\n\n**Question:** Which are \"red\" (Hint: red is R)?\n**SQL:** "+two.SQL, one, two)
	check("1. Question: How many pots?\n   SQL: `SELECT count(*) FROM pot`", one)
	check("Q: How many pots?\nA: SELECT count(*) FROM pot\nQ: How many pots?\nA: SELECT count(id) FROM pot", one)
	check("Question: How many pots?\n```sql\nSELECT count(*) FROM pot\n```", one)
	check("Question: How many pots?\nSQL:\n```sql\nSELECT count(*) FROM pot\n```", one)
	check("1. How many pots?\nSELECT count(*)\nFROM pot;\n2. "+two.Question+"\n"+two.SQL, one, two)
	check("-- How many pots?\nSELECT count(*) FROM pot;\n\n-- "+two.Question+"\n"+two.SQL+";", one, two)
	check("- How many pots?\n```\nSELECT count(*) FROM pot\n```", one)
	check("<think>Q: a? A: SELECT 9</think>"+one.String(), one)
	check(one.String()+"\n{\"input\": \"Cut?\", \"output\": \"SELECT count(*) FROM pot WHERE", one)
	check(`{"input": "No SQL?", "output": "DELETE FROM pot"}`+"\n"+one.String(), one)
	check(`{"output": "SELECT 1"}`)
	check("Here are the examples you asked for.")
	check("")
}

func TestUniversal(t *testing.T) {
	db := methodtest.Question().Schema
	got := fill(db, 12, draw.Rand(1, "x"))
	if len(got) != 12 {
		t.Fatalf("%d examples", len(got))
	}
	if diff := cmp.Diff(got, fill(db, 12, draw.Rand(1, "x"))); diff != "" {
		t.Error("the same seed draws others")
	}
	if cmp.Equal(got, fill(db, 12, draw.Rand(2, "x"))) {
		t.Error("another seed draws the same")
	}
	for _, e := range got {
		if found := extract.SQL(e.SQL, extract.Options{}); found.SQL != e.SQL || found.Truncated || e.Question == "" {
			t.Errorf("%+v reads as %+v", e, found)
		}
	}
	if n := len(fill(db, 10000, draw.Rand(1, "x"))); n < 30 || n > 200 {
		t.Errorf("%d different examples of two small tables", n)
	}
}

func FuzzExamples(f *testing.F) {
	f.Add(`{"input": "How many?", "output": "SELECT 1"}`)
	f.Add("Q: a?\nA: SELECT 1\n\n1. b?\nSELECT 2")
	f.Add("“input”: “a”\n“output”: “SELECT 'b'”}")
	f.Fuzz(func(t *testing.T, s string) {
		for _, e := range Examples(s) {
			if e.Question == "" || e.SQL == "" || strings.ContainsAny(e.Question+e.SQL, "\r\n") {
				t.Fatalf("%+v", e)
			}
		}
	})
}
