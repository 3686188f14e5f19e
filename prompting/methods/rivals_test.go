package methods_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/render"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// garden is a pool of six demonstrations, two of each class of DIN-SQL.
func garden(t testing.TB) *exemplar.Pool {
	t.Helper()
	db := schema.New("garden", []schema.Table{
		{Name: "bed", PrimaryKey: []string{"bed_id"}, Rows: 3, DDL: "CREATE TABLE bed (\n  bed_id INTEGER PRIMARY KEY,\n  soil_type TEXT\n)",
			Columns: []schema.Column{{Name: "bed_id", Type: "INTEGER"}, {Name: "soil_type", Type: "TEXT"}}},
		{Name: "plant", PrimaryKey: []string{"plant_id"}, Rows: 9, DDL: "CREATE TABLE plant (\n  plant_id INTEGER PRIMARY KEY,\n  name TEXT,\n  height REAL,\n  bed INTEGER REFERENCES bed\n)",
			Columns: []schema.Column{{Name: "plant_id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}, {Name: "height", Type: "REAL"}, {Name: "bed", Type: "INTEGER"}}},
	}, []schema.ForeignKey{{Table: "plant", Column: "bed", RefTable: "bed", RefColumn: "bed_id"}})
	var demos []exemplar.Demo
	add := func(id, hardness, question, sql string, steps ...exemplar.Step) {
		demos = append(demos, exemplar.Demo{ID: id, DB: "garden", Hardness: hardness, Question: question, SQL: sql, Schema: db,
			Steps: append(steps, exemplar.Step{Question: question, SQL: sql})})
	}
	add("garden-1", "easy", "How many plants are there?", "SELECT count(*) FROM plant")
	add("garden-2", "easy", "What are the names of plants higher than 2 metres?", "SELECT name FROM plant WHERE height > 2")
	add("garden-3", "medium", "What are the names of plants on sandy soil?", "SELECT T1.name FROM plant AS T1 JOIN bed AS T2 ON T1.bed = T2.bed_id WHERE T2.soil_type = 'sandy'")
	add("garden-4", "hard", "How many plants are there for each soil type?", "SELECT T2.soil_type, count(*) FROM plant AS T1 JOIN bed AS T2 ON T1.bed = T2.bed_id GROUP BY T2.soil_type")
	add("garden-5", "extra", "Which plants are higher than the average?", "SELECT name FROM plant WHERE height > (SELECT avg(height) FROM plant)",
		exemplar.Step{Question: "What is the average height of plants?", SQL: "SELECT avg(height) FROM plant"})
	add("garden-6", "extra", "Which beds have no plants?", "SELECT bed_id FROM bed EXCEPT SELECT bed FROM plant",
		exemplar.Step{Question: "Which beds have plants?", SQL: "SELECT bed FROM plant"})
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// stages lists the stages of a trace.
func stages(trace []prompting.Call) (out []string) {
	for _, c := range trace {
		out = append(out, c.Stage)
	}
	return out
}

// din answers the stages of DIN-SQL; the class is the label.
func din(label string) func(llm.Request) (string, error) {
	return func(r llm.Request) (string, error) {
		system := r.Messages[0].Text
		switch {
		case strings.Contains(system, "Schema_links: [<table>"):
			return "\"home ports\" needs Route.Home Port.\nSchema_links: [Route.Home Port,Route.RouteID = Trip.Route,100]", nil
		case strings.Contains(system, "three classes"):
			return "questions = [\"Which trips have more than 100 guests?\"]\nLabel: \"" + label + "\"", nil
		case strings.Contains(system, "look over"):
			return "SELECT 2", nil
		}
		return "SELECT 9 FROM x\nIntermediate_representation: SELECT 3\nSQL: SELECT 1", nil
	}
}

// TestDin pins every prompt of din-sql by class, in every format, with demonstrations and with none.
func TestDin(t *testing.T) {
	for label, format := range map[string]string{"EASY": "apidocs", "NON-NESTED": "createtable", "NESTED": "bird"} {
		for k, suffix := range map[int]string{0: "-zero", 2: ""} {
			a, asked := ask(t, prompting.Deps{Pool: garden(t)}, methodtest.Arm("din-sql", format, k), 3, methodtest.Question(), din(label))
			if got := stages(a.Trace); !slices.Equal(got, []string{"link", "classify", "generate", "correct"}) {
				t.Errorf("%s: got the stages %q", label, got)
			}
			if c := a.Candidates[0]; c.SQL != "SELECT 2" || c.Rule != "statement" {
				t.Errorf("%s: %+v", label, c)
			}
			if !strings.Contains(asked[3].Messages[1].Text, "\nSELECT 1\n") {
				t.Errorf("%s: the correction is not shown what follows SQL:", label)
			}
			goldentest.Compare(t, "din-sql-"+strings.ToLower(label)+"-"+format+suffix+".golden", conversations(asked, a.Trace))
		}
	}
	for _, format := range render.Formats().IDs() {
		if _, asked := ask(t, prompting.Deps{Pool: garden(t)}, methodtest.Arm("din-sql", format, 1), 1, methodtest.Question(), din("NESTED")); len(asked) != 4 {
			t.Errorf("%s: %d calls", format, len(asked))
		}
	}
}

// TestDinStages: what each param leaves out.
func TestDinStages(t *testing.T) {
	check := func(name string, value any, want ...string) []llm.Request {
		t.Helper()
		arm := methodtest.Arm("din-sql", "apidocs", 2)
		arm.Params = map[string]any{name: value}
		a, asked := ask(t, prompting.Deps{Pool: garden(t)}, arm, 3, methodtest.Question(), din("NON-NESTED"))
		if got := stages(a.Trace); !slices.Equal(got, want) {
			t.Errorf("%s = %v: got the stages %q, want %q", name, value, got, want)
		}
		return asked
	}
	for _, r := range check("linking", false, "classify", "generate", "correct") {
		if strings.Contains(methodtest.Text(r.Messages), "Schema_links") {
			t.Errorf("without linking a prompt shows links:\n%s", methodtest.Text(r.Messages))
		}
	}
	if asked := check("classes", "easy", "link", "generate", "correct"); !strings.HasSuffix(asked[1].Messages[1].Text, "\nSQL:") {
		t.Error("classes = easy: another prompt")
	}
	if asked := check("classes", "nested", "link", "generate", "correct"); !strings.HasSuffix(asked[1].Messages[1].Text, "\nquestions = []") {
		t.Error("classes = nested: another prompt")
	}
	check("correction", "none", "link", "classify", "generate")
	if asked := check("correction", "generic", "link", "classify", "generate", "correct"); !strings.Contains(asked[3].Messages[0].Text, "is wrong") {
		t.Error("correction = generic: another prompt")
	}
	if asked := check("joined_shots", int64(1), "link", "classify", "generate", "correct"); strings.Count(asked[2].Messages[1].Text, "\nSQL: ") != 1 {
		t.Error("joined_shots = 1: another number")
	}
}

// TestDinReads: what becomes of what a model says at a stage, whatever it is.
func TestDinReads(t *testing.T) {
	check := func(stage, reply, want string) {
		t.Helper()
		a, asked := ask(t, prompting.Deps{}, methodtest.Arm("din-sql", "apidocs", 0), 1, methodtest.Question(), func(r llm.Request) (string, error) {
			system := r.Messages[0].Text
			for name, mark := range map[string]string{"link": "Schema_links: [<table>", "classify": "three classes", "correct": "look over"} {
				if name == stage && strings.Contains(system, mark) {
					return reply, nil
				}
			}
			if stage == "generate" && strings.Contains(system, "turn ") {
				return reply, nil
			}
			return din("NESTED")(r)
		})
		all := a.Candidates[0].SQL + "\n"
		for _, r := range asked {
			all += methodtest.Text(r.Messages)
		}
		if !strings.Contains(all, want) {
			t.Errorf("%s says %q: no %q in\n%s", stage, reply, want, all)
		}
	}
	check("link", "", "Schema_links: []")
	check("link", "Schema_links: [a.b\nc", "Schema_links: []")
	check("link", "Schema_links: [a.b]\nOr better\nschema_links: [c.d, 'x']", "\nSchema_links: [c.d, 'x']\n")
	for _, lost := range []string{"", "I cannot say.", "Label: ?", "questions = [", "questions = [\"a\"", "Label: \"HARD\""} {
		check("classify", lost, "\nquestions = []") // a missing label is NESTED
	}
	check("classify", "questions = [\"a \"quoted\" one\", \"b?\"]\nLabel: \"NESTED\"", "\nquestions = [")
	check("classify", "sub-questions = [\"a?\", 5, \"\", \"b?\"]\nLabel: NESTED", "\nquestions = [\"a?\",\"b?\"]")
	check("classify", "**Label:** \"non-nested\"", "Tables to join: [<table>")
	check("classify", "Label: \"NESTED\" no, Label: \"EASY\"", "\nSQL:")
	check("generate", "**SQL:**\n```sql\nSELECT 4\n```", "\nSELECT 4\n")
	check("generate", "The answer is\nSELECT 5", "\nSELECT 5\n")
	check("generate", "SQL: none", "### Query\n\n### Query as it should be")
	check("correct", "It is right.", "SELECT 1\n")
	check("correct", "```\nSELECT 6\n```", "SELECT 6\n")
}

// TestAct pins the dialogue of act-sql in every format, with demonstrations and with none.
func TestAct(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for k, suffix := range map[int]string{0: "-zero", 4: ""} {
			a, asked := ask(t, prompting.Deps{Pool: garden(t)}, methodtest.Arm("act-sql", format, k), 3, methodtest.Question(), always("So the query is:\nSELECT 1"))
			if len(asked) != 1 || a.Candidates[0].SQL != "SELECT 1" {
				t.Errorf("%s: %d calls, %+v", format, len(asked), a.Candidates)
			}
			goldentest.Compare(t, "act-sql-"+format+suffix+".golden", conversations(asked, a.Trace))
		}
	}
}

// TestActTidies: what is made of the SQL of an answer.
func TestActTidies(t *testing.T) {
	q, box := ferries(t)
	check := func(reply, want string, params ...string) {
		t.Helper()
		arm := methodtest.Arm("act-sql", "apidocs", 0)
		arm.Params = map[string]any{}
		for _, p := range params {
			arm.Params[p] = false
		}
		a, _ := ask(t, prompting.Deps{Box: box}, arm, 1, q, always(reply))
		if got := a.Candidates[0].SQL; got != want {
			t.Errorf("%s: got %s, want %s", reply, got, want)
		}
	}
	const joins = "SELECT 1 FROM Route AS a  left join Trip AS b ON a.RouteID = b.Route WHERE b.Guests <> 5 AND a.\"Home Port\" <> ' LEFT JOIN <>'"
	check(joins, "SELECT 1 FROM Route AS a JOIN Trip AS b ON a.RouteID = b.Route WHERE b.Guests != 5 AND a.\"Home Port\" != ' LEFT JOIN <>'")
	check(joins, joins, "rewrite")
	check("SELECT Guests FROM Trip WHERE Guests > 100 which answers it", "SELECT Guests FROM Trip WHERE Guests > 100")
	check("SELECT Guests FROM Trip WHERE Guests > 100 which answers it", "SELECT Guests FROM Trip WHERE Guests > 100 which answers it", "shorten")
	check("SELECT x FROM Trip", "SELECT x FROM Trip")
	check("SELECT it's", "SELECT it's")
	check("SELECT", "SELECT")
	check("", "")
	long := "SELECT x FROM Trip WHERE x IN (1" + strings.Repeat(" , 1", 300) + ")"
	check(long, long)
}

// stopping is a sandbox in which every query meets the limit of time.
type stopping struct {
	*sandbox.Box
	runs atomic.Int32
}

func (s *stopping) Run(context.Context, engine.DB, string) (*engine.Result, error) {
	s.runs.Add(1)
	return nil, &engine.Error{Kind: engine.Timeout, Err: errors.New("it takes too long")}
}

// TestActStops: a query that is stopped is run once, and not once for each word at its end.
func TestActStops(t *testing.T) {
	q, box := ferries(t)
	s := &stopping{Box: box}
	a, _ := ask(t, prompting.Deps{Box: s}, methodtest.Arm("act-sql", "apidocs", 0), 1, q, always("SELECT count(*) FROM Trip, Trip AS a, Trip AS b"))
	if got := a.Candidates[0].SQL; got != "SELECT count(*) FROM Trip, Trip AS a, Trip AS b" || s.runs.Load() != 1 {
		t.Errorf("got %s after %d executions", got, s.runs.Load())
	}
}

// TestActDraws: two demonstrations by the arm's strategy, then those of the nearest questions, the nearest first.
func TestActDraws(t *testing.T) {
	q := methodtest.Question()
	q.Text = "Which routes have no trips?"
	_, asked := ask(t, prompting.Deps{Pool: garden(t)}, methodtest.Arm("act-sql", "apidocs", 4), 3, q, always("SELECT 1"))
	var shown []string
	for _, m := range asked[0].Messages {
		if m.Role == llm.User {
			_, question, _ := strings.Cut(m.Text, "### Question:  ")
			shown = append(shown, question)
		}
	}
	const near = "Which beds have no plants?"
	if len(shown) != 5 || shown[4] != q.Text || shown[2] != near && shown[0] != near && shown[1] != near {
		t.Errorf("got %q", shown)
	}
	arm := methodtest.Arm("act-sql", "apidocs", 3)
	arm.Params = map[string]any{"static": int64(0), "cot": false}
	_, asked = ask(t, prompting.Deps{Pool: garden(t)}, arm, 3, q, always("SELECT 1"))
	if text := methodtest.Text(asked[0].Messages); strings.Contains(text, "According to") || !strings.HasPrefix(text[strings.Index(text, "[assistant]"):], "[assistant]\nSELECT bed_id FROM bed EXCEPT SELECT bed FROM plant\n") {
		t.Errorf("the nearest is not the first:\n%s", text)
	}
}

// dail answers the first pass with one query, and the second with another.
func dail(draft string) func(llm.Request) (string, error) {
	first := true
	return func(llm.Request) (string, error) {
		defer func() { first = false }()
		return map[bool]string{true: draft, false: "SELECT 2"}[first], nil
	}
}

// TestDail pins both prompts of dail-sql in every format and organisation, with demonstrations and with none.
func TestDail(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		for _, organisation := range []string{"dail", "full", "sql"} {
			arm := methodtest.Arm("dail-sql", format, 2)
			arm.Params = map[string]any{"organisation": organisation}
			a, asked := ask(t, prompting.Deps{Pool: garden(t)}, arm, 3, methodtest.Question(), dail("SELECT a FROM b WHERE c > (SELECT avg(d) FROM b)"))
			if got := stages(a.Trace); !slices.Equal(got, []string{"preliminary", "generate"}) || a.Candidates[0].SQL != "SELECT 2" {
				t.Errorf("%s: got the stages %q and %+v", format, got, a.Candidates)
			}
			goldentest.Compare(t, "dail-sql-"+organisation+"-"+format+".golden", conversations(asked, a.Trace))
		}
		a, asked := ask(t, prompting.Deps{Pool: garden(t)}, methodtest.Arm("dail-sql", format, 0), 3, methodtest.Question(), dail("SELECT 1"))
		goldentest.Compare(t, "dail-sql-"+format+"-zero.golden", conversations(asked, a.Trace))
	}
}

// TestDailSelects: which demonstrations each way to select shows, first to last, by similarities computed by hand.
func TestDailSelects(t *testing.T) {
	q := methodtest.Question()
	q.Text = "Which routes have no trips?" // masked, it is the question of garden-6
	check := func(k int, draft, note string, params map[string]any, want ...string) {
		t.Helper()
		arm := methodtest.Arm("dail-sql", "apidocs", k)
		arm.Params = params
		a, asked := ask(t, prompting.Deps{Pool: garden(t)}, arm, 3, q, dail(draft))
		var shown []string
		for line := range strings.SplitSeq(asked[len(asked)-1].Messages[1].Text, "\n") {
			for _, d := range garden(t).Demos() {
				if line == d.SQL {
					shown = append(shown, d.ID)
				}
			}
		}
		if !slices.Equal(shown, want) || a.Trace[0].Note != note {
			t.Errorf("%v, %s: shows %q, want %q; the note is %q", params, draft, shown, want, a.Trace[0].Note)
		}
	}
	const average = "SELECT x FROM y WHERE z >  ( SELECT AVG(z) FROM y )"
	check(2, average, "1 of 2 demonstrations have a query like it", nil, "garden-5", "garden-6")
	check(1, average, "1 of 1 demonstrations have a query like it", nil, "garden-5")
	check(1, "SELECT x FROM y EXCEPT SELECT z FROM w", "1 of 1 demonstrations have a query like it", nil, "garden-6")
	// Of ten tokens, six are all of garden-2 and garden-3: 6 / 10.
	const sorted = "SELECT x FROM y WHERE z = 1 ORDER BY w"
	check(1, sorted, "0 of 1 demonstrations have a query like it", nil, "garden-6")
	check(1, sorted, "0 of 1 demonstrations have a query like it", map[string]any{"threshold": 0.61}, "garden-6")
	check(3, sorted, "2 of 3 demonstrations have a query like it", map[string]any{"threshold": 0.6}, "garden-3", "garden-2", "garden-6")
	check(1, "I do not know.", "0 of 1 demonstrations have a query like it", nil, "garden-6")
	check(1, average, "", map[string]any{"select": "masked"}, "garden-6")
	check(1, average, "", map[string]any{"select": "question"}, "garden-6")
}

// TestDailSamples: samples vote on the preliminary query, and each sends its own last prompt.
func TestDailSamples(t *testing.T) {
	arm := methodtest.Arm("dail-sql", "apidocs", 1)
	arm.Model.Samples, arm.Model.Temperature = 3, 1
	q, box := ferries(t)
	a, asked := ask(t, prompting.Deps{Pool: garden(t), Box: box}, arm, 3, q, func(r llm.Request) (string, error) {
		return []string{"SELECT count(*) FROM Trip", "SELECT Guests FROM Trip WHERE Guests > (SELECT avg(Guests) FROM Trip)", "SELECT max(Guests) FROM Trip WHERE Guests > (SELECT avg(Guests) FROM Trip)"}[r.Sample], nil
	})
	if len(a.Candidates) != 3 || len(asked) != 6 || !strings.Contains(asked[5].Messages[1].Text, "(SELECT avg(height) FROM plant)") {
		t.Errorf("%+v of %d calls; the last:\n%s", a.Candidates, len(asked), methodtest.Text(asked[len(asked)-1].Messages))
	}
}
