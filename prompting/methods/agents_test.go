package methods_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/pipeline"
	"assay/prompting/script"
	"assay/prompting/sql/schema"
)

// answers replies by the first rule whose text the prompt has, in the instruction or in the last message.
func answers(rules ...string) func(llm.Request) (string, error) {
	return func(r llm.Request) (string, error) {
		asked := r.Messages[0].Text + r.Messages[len(r.Messages)-1].Text
		for i := 0; i+1 < len(rules); i += 2 {
			if strings.Contains(asked, rules[i]) {
				return rules[i+1], nil
			}
		}
		return "SELECT 1", nil
	}
}

// fleet is a question over six wide tables, t1 to t6, each with the columns c1 to c12, of which c1 is the key.
func fleet() prompting.Question {
	q := methodtest.Question()
	var tables []schema.Table
	for i := range 6 {
		t := schema.Table{Name: fmt.Sprintf("t%d", i+1), PrimaryKey: []string{"c1"}}
		for c := range 12 {
			t.Columns = append(t.Columns, schema.Column{Name: fmt.Sprintf("c%d", c+1), Type: "TEXT"})
		}
		tables = append(tables, t)
	}
	q.Schema = schema.New("fleet", tables, nil)
	return q
}

// shows links a question by a part, and returns its columns by table and the calls' notes.
func shows(t *testing.T, id string, q prompting.Question, reply func(llm.Request) (string, error), change func(*configs.Arm)) (string, []string) {
	t.Helper()
	arm := methodtest.Arm(id, "apidocs", 0)
	if change != nil {
		change(&arm)
	}
	p, err := part(script.Link, id, prompting.Deps{Model: &llm.Scripted{Reply: reply}, Author: scripted}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	out, trace, _, err := p.Link(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var said, notes []string
	for _, table := range out.Schema.Tables {
		var names []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		said = append(said, table.Name+" "+strings.Join(names, ","))
	}
	for _, c := range trace {
		notes = append(notes, c.Note)
	}
	return strings.Join(said, "; "), notes
}

// byParams states params of a link.
func byParams(kv map[string]any) func(*configs.Arm) {
	return func(a *configs.Arm) { a.Params = map[string]any{"link": kv} }
}

// whole is all of a fleet.
func whole() string {
	var out []string
	for i := range 6 {
		out = append(out, fmt.Sprintf("t%d c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12", i+1))
	}
	return strings.Join(out, "; ")
}

// TestC3Linking: sets of tables and columns of each table are voted on and stand in the order of the vote, keys last; what cannot
// be read cuts nothing.
func TestC3Linking(t *testing.T) {
	check := func(tables, columns, want string) {
		t.Helper()
		if got, _ := shows(t, "c3", fleet(), answers("rank the tables", tables, "rank the columns", columns), nil); got != want {
			t.Errorf("%s, %s: got %s", tables, columns, got)
		}
	}
	check(`["t2", "t9", "T1"]`, `{"t1": ["c3", "c2", "none", 5], "T2": ["c9"]}`, "t2 c9,c1; t1 c3,c2,c1")
	check(`["t2"]`, `{"t1": ["c3"]}`, "t2 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12")                                                                                                   // t1 is no longer there
	check(`["t6","t5","t4","t3","t2","t1"]`, `{"t6": ["c2"], "t5": ["c2"], "t4": ["c2"], "t3": ["c9","c8","c7","c6","c5","c4"]}`, "t6 c2,c1; t5 c2,c1; t4 c2,c1; t3 c9,c8,c7,c6,c1") // four of a ranking vote
	check(`[]`, `{}`, whole())
	check(`{"tables": `, `{"t1": "all", "t2": {}}`, whole())
	check("```json\n[\"t3\"]\n```", "The columns are:\n```json\n{\"t3\": [\"c4\"]}\n```", "t3 c4,c1")
}

// TestC3Votes: of ten rankings the commonest set of tables stays, in the order of the first that has it, and in each table the
// commonest columns, five of them though a ranking votes for four.
func TestC3Votes(t *testing.T) {
	reply := func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[0].Text, "rank the tables") {
			return []string{`["t1", "t2"]`, `["t3"]`, `["t3"]`, `["t2", "t1"]`, `["t2", "t1", "t2"]`}[r.Sample%5], nil
		}
		return []string{`{"t1": ["c2", "c3"]}`, `{"t1": ["c4", "c5"]}`, `{"t1": ["c4"], "t2": ["c7"]}`}[r.Sample%3], nil
	}
	warm := func(params map[string]any) func(*configs.Arm) {
		temperature := 0.7
		return func(a *configs.Arm) {
			a.Stages.Columns.Temperature, a.Params = &temperature, map[string]any{"link": params}
		}
	}
	got, notes := shows(t, "c3", fleet(), reply, warm(map[string]any{"tables": int64(5), "columns": int64(6), "most_columns": int64(1)}))
	if got != "t1 c4,c1; t2 c7,c1" || len(notes) != 11 || notes[3] != "t2, t1" {
		t.Errorf("got %s; %q", got, notes)
	}
	got, notes = shows(t, "c3", fleet(), func(r llm.Request) (string, error) {
		if strings.Contains(r.Messages[0].Text, "rank the tables") {
			return `["t1"]`, nil
		}
		return []string{`{"t1": ["c2", "c3", "c4", "c5", "c6", "c7"]}`, `{"t1": ["c7", "c6", "c5", "none", "c4", "c3"]}`}[r.Sample], nil
	}, warm(map[string]any{"tables": int64(1), "columns": int64(2)}))
	if got != "t1 c4,c5,c2,c3,c7,c1" || notes[2] != "t1: c7, c6, c5, c4" {
		t.Errorf("got %s; %q", got, notes)
	}
}

// TestC3Tries: the first sample is asked for until it runs, and the other samples are others.
func TestC3Tries(t *testing.T) {
	check := func(temperature float64, good int, want string, calls int) {
		t.Helper()
		q, box := ferries(t)
		arm := methodtest.Arm("c3", "apidocs", 0)
		arm.Model.Temperature, arm.Model.Samples = temperature, 3
		arm.Params = map[string]any{"tables": int64(0), "columns": int64(0)}
		a, asked := ask(t, prompting.Deps{Box: box}, arm, 1, q, func(r llm.Request) (string, error) {
			if r.Sample < good {
				return fmt.Sprintf("SELECT x%d FROM Trip", r.Sample), nil
			}
			return fmt.Sprintf("SELECT %d", r.Sample), nil
		})
		var got []string
		for _, c := range a.Candidates {
			got = append(got, c.SQL)
		}
		if strings.Join(got, "; ") != want || len(asked) != calls {
			t.Errorf("got %s after %d calls", strings.Join(got, "; "), len(asked))
		}
	}
	check(1, 0, "SELECT 0; SELECT 1; SELECT 2", 3)
	check(1, 4, "SELECT 6; SELECT 7; SELECT 8", 5)                                      // 0 and 3 do not run, 6 does
	check(1, 99, "SELECT x12 FROM Trip; SELECT x13 FROM Trip; SELECT x14 FROM Trip", 7) // five tries
	check(0, 99, "SELECT x0 FROM Trip; SELECT x1 FROM Trip; SELECT x2 FROM Trip", 3)    // greedy: asked once
}

// TestMacSelector: what is said of each table, the released code's six columns, and small schemas that are not cut.
func TestMacSelector(t *testing.T) {
	const six = " c1,c2,c3,c4,c5,c6"
	rest := strings.TrimPrefix(whole(), "t1 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; t2 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; ")
	check := func(reply, want string, params map[string]any) {
		t.Helper()
		if got, _ := shows(t, "mac-sql", fleet(), always(reply), byParams(params)); got != want {
			t.Errorf("%s: got %s", reply, got)
		}
	}
	check(`{"t1": "drop_all", "T2": ["c12", "c11", "nothing", null]}`, "t1"+six+"; t2 c1,c2,c3,c4,c11,c12; "+rest, nil)
	check(`{"t1": "drop_all", "t2": "drop_all"}`, rest, map[string]any{"dropped": int64(0)})
	check(`{"t1": "keep_all", "t2": "drop_all", "t3": [], "t4": 5, "t5": ["c7","c8","c9","c10","c11","c12","c2"], "t6": "drop_all"}`,
		"t1 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; t2"+six+"; t3"+six+"; t4 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; t5 c1,c2,c7,c8,c9,c10,c11,c12; t6"+six, nil)
	for _, reply := range []string{"", "{", "[]", "null", `{"x": "drop_all"}`, "I would drop t1."} {
		check(reply, whole(), nil)
	}
	// Keys count among the six, and a table of six columns is not filled up.
	check(`{"t1": ["c12", "c11", "c10", "c9", "c8"]}`, "t1 c1,c8,c9,c10,c11,c12; t2 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; "+rest, nil)
	check(`{"t1": ["c12"]}`, "t1 c1,c12; t2 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12; "+rest, map[string]any{"columns": int64(12)})
	// The mean is rounded down: four columns of two tables are two a table, and five are, too.
	small := methodtest.Question()
	small.Schema.Tables[1].Columns = append(small.Schema.Tables[1].Columns, schema.Column{Name: "Fare", Type: "REAL"})
	for mean, asked := range map[int64]int{2: 0, 1: 1} {
		if _, notes := shows(t, "mac-sql", small, always(""), byParams(map[string]any{"small_mean": mean})); len(notes) != asked {
			t.Errorf("five columns of two tables, %d the bound: %d calls", mean, len(notes))
		}
	}
	if _, notes := shows(t, "mac-sql", methodtest.Question(), always(""), nil); len(notes) != 0 {
		t.Errorf("a small schema is asked about: %q", notes)
	}
}

// TestMacRefiner: what the query is asked about again by its result, in BIRD's way and in Spider's.
func TestMacRefiner(t *testing.T) {
	check := func(style, first, second, want string, stagesWanted ...string) {
		t.Helper()
		q, box := ferriesOf(t, `CREATE TABLE Trip (Guests INT); INSERT INTO Trip VALUES (NULL), (140);`)
		arm := methodtest.Arm("mac-sql", "bird", 0)
		arm.Model.Temperature = 0.1
		arm.Params = map[string]any{"style": style}
		n := 0
		a, _ := ask(t, prompting.Deps{Box: box}, arm, 1, q, func(llm.Request) (string, error) {
			n++
			return "Sub-question: a?\n```sql\nSELECT 7\n```\n```sql\n" + map[bool]string{true: first, false: second}[n == 1] + "\n```", nil
		})
		if got := stages(a.Trace); a.Candidates[0].SQL != want || a.Candidates[0].Rule != "fence" || !slices.Equal(got[1:], stagesWanted) {
			t.Errorf("%s, %s: got %+v after %v", style, first, a.Candidates[0], got)
		}
	}
	check("spider", "SELECT Guests FROM Trip WHERE Guests > 5", "", "SELECT Guests FROM Trip WHERE Guests > 5")
	check("spider", "SELECT Guests FROM Trip", "", "SELECT Guests FROM Trip") // NULL is no matter of Spider's
	check("spider", "SELECT x FROM Trip", "SELECT 1", "SELECT 1", "refine 1")
	check("spider", "SELECT x FROM Trip", "SELECT y FROM Trip", "SELECT y FROM Trip", "refine 1", "refine 2", "refine 3")
	check("bird", "SELECT Guests FROM Trip", "SELECT 1", "SELECT 1", "refine 1")
	check("bird", "SELECT Guests FROM Trip WHERE Guests > 999", "SELECT 1", "SELECT 1", "refine 1")
	check("bird", "SELECT 'error'", "", "SELECT 'error'") // the released code asks of the word, not of the result
}

// TestChessSelect: columns one by one, then tables, then columns; a report sees one choice.
func TestChessSelect(t *testing.T) {
	yes, no := `{"relevant": "Yes"}`, `{"relevant": "No"}`
	check := func(want string, calls int, rules ...string) {
		t.Helper()
		got, notes := shows(t, "chess-select", fleet(), answers(rules...), nil)
		if got != want || len(notes) != calls {
			t.Errorf("got %s after %d calls", got, len(notes))
		}
	}
	check("t2 c1,c3", 74, "Table: t4", yes, "Column: c3\nTable: t2", yes, "judge whether one column", no, "select the tables", `["T2"]`, "choose which columns", `{"t2": ["c3"]}`)
	check("t4 c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12", 74, "Table: t4", yes, "judge whether one column", no, "select the tables", "none", "choose which columns", "{}")
	check(whole(), 74, "judge whether one column", no, "select the tables", "[]", "choose which columns", "[]") // nothing is relevant: nothing is cut
	arm := methodtest.Arm("chess-select", "apidocs", 0)
	p, err := part(script.Link, "chess-select", prompting.Deps{Model: &llm.Scripted{Reply: answers("judge whether", yes, "select the tables", `["t1"]`, "choose which", `{"t1": ["c2"]}`)}, Author: scripted}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, links, err := p.Link(t.Context(), fleet()); err != nil || len(links) != 1 || links[0].Stage != "chess-select" || len(links[0].Shown) != 2 {
		t.Errorf("got %+v, %v", links, err)
	}
}

// TestResdsqlRanking: the likeliest tables and columns stand first.
func TestResdsqlRanking(t *testing.T) {
	q := methodtest.Question()
	for name, columns := range map[string][]string{"Harbour": {"a", "b"}, "Weather": {"rain", "wind"}} {
		t := schema.Table{Name: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, schema.Column{Name: c, Type: "TEXT"})
		}
		q.Schema.Tables = append(q.Schema.Tables, t)
	}
	slices.SortFunc(q.Schema.Tables, func(a, b schema.Table) int { return strings.Compare(b.Name, a.Name) })
	got, _ := shows(t, "resdsql", q, nil, byParams(map[string]any{"tables": int64(2), "columns": int64(1)}))
	if got != "Trip Guests,Route; Route Home Port,RouteID" {
		t.Errorf("got %s", got)
	}
}

// TestMethodsThatLink: a built-in method that links cuts the schema that another method's prompt shows, and makes no query of its own.
func TestMethodsThatLink(t *testing.T) {
	reply := answers("rank the tables", `["t2"]`, "rank the columns", `{"t2": ["c3"]}`, "cut a database's schema", `{"t2": ["c3"], "t1": "drop_all", "t3": "drop_all", "t4": "drop_all", "t5": "drop_all", "t6": "drop_all"}`,
		"judge whether one column", `{"relevant": "Yes"}`, "select the tables", `["t2"]`, "choose which columns", `{"t2": ["c3"]}`, "", "SELECT 1")
	for id, want := range map[string]string{"c3": "# t2 (c3, c1)\n", "mac-sql": "# t2 (c1, c2, c3, c4, c5, c6)\n", "chess-select": "# t2 (c1, c3)\n", "resdsql": "# t2 ("} {
		arm := methodtest.Arm("standard", "apidocs", 0)
		arm.Link = []string{id}
		model := &llm.Scripted{Reply: reply}
		m, err := pipeline.New(prompting.Deps{Model: model, Author: scripted, Pool: methodtest.Pool(1)}, arm, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(t.Context(), fleet())
		if err != nil {
			t.Fatal(err)
		}
		asked := model.Asked()
		last := methodtest.Text(asked[len(asked)-1].Messages)
		if len(a.Candidates) != 1 || a.Candidates[0].SQL != "SELECT 1" || !strings.Contains(last, want) {
			t.Errorf("%s: %d candidates; the prompt is\n%s", id, len(a.Candidates), last)
		}
	}
}

// TestWideSchemas: ten thousand columns are no more than what a call may do.
func TestWideSchemas(t *testing.T) {
	q := methodtest.Question()
	var tables []schema.Table
	var said strings.Builder
	for i := range 100 {
		t := schema.Table{Name: fmt.Sprintf("table_%d", i)}
		for c := range 100 {
			t.Columns = append(t.Columns, schema.Column{Name: fmt.Sprintf("column_%d_%d", i, c), Type: "TEXT"})
		}
		tables = append(tables, t)
		fmt.Fprintf(&said, "%q: [\"column_%d_7\"], ", t.Name, i)
	}
	q.Schema = schema.New("wide", tables, nil)
	reply := answers("rank the tables", `["table_3"]`, "rank the columns", "{"+strings.TrimSuffix(said.String(), ", ")+"}", "cut a database's schema", "{"+strings.TrimSuffix(said.String(), ", ")+"}")
	for id, want := range map[string]int{"c3": 1, "mac-sql": 100, "resdsql": 4} {
		if got, _ := shows(t, id, q, reply, nil); strings.Count(got, ";")+1 != want {
			t.Errorf("%s: %.200s", id, got)
		}
	}
}

// chooseByTests lets unit-tests choose among queries over ferries.
func chooseByTests(t *testing.T, reply func(llm.Request) (string, error), sqls ...string) (script.Choice, []llm.Request) {
	t.Helper()
	q, box := ferries(t)
	model := &llm.Scripted{Reply: reply}
	p, err := part(script.Choose, "unit-tests", prompting.Deps{Model: model, Author: scripted, Box: box}, methodtest.Arm("standard", "bird", 0), 1)
	if err != nil {
		t.Fatal(err)
	}
	var cs []prompting.Candidate
	for i, sql := range sqls {
		cs = append(cs, prompting.Candidate{SQL: sql, Sample: i, Generator: "standard"})
	}
	c, err := p.Choose(t.Context(), q, cs)
	if err != nil {
		t.Fatal(err)
	}
	return c, ordered(t, model.Asked(), c.Calls)
}

// TestUnitTests: the candidate that passes most tests is chosen, and of those that pass as many one of the largest group.
func TestUnitTests(t *testing.T) {
	check := func(want int, calls int, why string, reply func(llm.Request) (string, error), sqls ...string) {
		t.Helper()
		c, asked := chooseByTests(t, reply, sqls...)
		if c.Index != want || len(asked) != calls || !strings.Contains(c.Why, why) {
			t.Errorf("chose %d after %d calls: %s", c.Index, len(asked), c.Why)
		}
	}
	two := "Candidate 1: failed\n**Candidate 2**: Passed"
	check(1, 4, "passes 3 of 3 tests", answers("You write tests", `["a", "b", "a"]`, "", two), "SELECT 1", "SELECT 2")
	check(1, 3, "passes 2 of 2 tests", answers("You write tests", "1. It counts.", "", two), "SELECT 1", "SELECT 2")
	check(0, 0, "return the same", nil, "SELECT 1", "SELECT 1 + 0")
	check(0, 0, "the only candidate", nil, "SELECT 1")
	check(1, 3, "one of the largest group", answers("You write tests", `["a"]`, "", "Candidate 1: passed\nCandidate 2: passed\nCandidate 3: failed"), "SELECT 1", "SELECT 2", "SELECT 3 - 1", "SELECT 2")
	// Tests that cannot be read leave the fixed one; verdicts that cannot be read count for nobody, after one reminder each.
	check(1, 3, "passes 1 of 1 tests", answers("You write tests", "", "", two), "SELECT 1", "SELECT 2")
	check(0, 4, "passes 0 of 0 tests; 2 pass as many, one of the largest group; 1 without verdicts", always(""), "SELECT 1", "SELECT 2")
	check(0, 5, "2 without verdicts", answers("You write tests", `["a"]`, "", "Candidate 2: passed"), "SELECT 1", "SELECT 2")
	refuse := func(llm.Request) (string, error) { return "", &llm.Failure{Reason: "blocked"} }
	check(0, 2, "1 without verdicts", refuse, "SELECT 1", "SELECT 2")
	many := `["` + strings.Join(strings.Split(strings.Repeat("x", 99), ""), `1", "`) + `"]`
	check(1, 4, "", answers("You write tests", many, "", two), "SELECT 1", "SELECT 2") // 99 tests in two texts
}

// TestAgentPrompts pins what each stage of these methods asks.
func TestAgentPrompts(t *testing.T) {
	compare := func(name string, asked []llm.Request, trace []prompting.Call) {
		t.Helper()
		goldentest.Compare(t, name+".golden", conversations(asked, trace))
	}
	method := func(name, id, format string, k int, change func(*configs.Arm), reply func(llm.Request) (string, error)) {
		t.Helper()
		q, box := ferries(t)
		arm := methodtest.Arm(id, format, k)
		change(&arm)
		a, asked := ask(t, prompting.Deps{Pool: methodtest.Pool(6), Box: box}, arm, 1, q, reply)
		compare(name, asked, a.Trace)
	}
	none := func(*configs.Arm) {}
	method("c3-apidocs", "c3", "apidocs", 0, none, answers("rank the tables", `["Trip", "Route"]`, "rank the columns", `{"Trip": ["Guests"]}`))
	large := func(style string) func(*configs.Arm) {
		return func(a *configs.Arm) { a.Params = map[string]any{"small_total": int64(1), "style": style} }
	}
	method("mac-sql-bird", "mac-sql", "createtable", 2, large("bird"), answers("cut a database", `{"Trip": "keep_all"}`, "", "SELECT x FROM Trip"))
	method("mac-sql-spider", "mac-sql", "bird", 2, large("spider"), answers("cut a database", `{"Trip": "keep_all"}`))
	method("resdsql-createtable", "resdsql", "createtable", 0, none, nil)
	method("resdsql-plain", "resdsql", "apidocs", 0, func(a *configs.Arm) { a.Params = map[string]any{"skeleton": false} }, nil)
	c, asked := chooseByTests(t, answers("You write tests", `["It counts guests."]`, "", "?"), "SELECT 1", "SELECT x FROM Trip")
	compare("unit-tests-bird", asked, c.Calls)
}

// TestAgentsUnknown: a stage whose completion is not known asks for nothing that follows from it.
func TestAgentsUnknown(t *testing.T) {
	for _, id := range []string{"c3", "mac-sql", "chess-select"} {
		p, err := part(script.Link, id, prompting.Deps{Model: &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", prompting.ErrUnknown }}, Author: scripted}, methodtest.Arm(id, "apidocs", 0), 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := p.Link(t.Context(), fleet()); !errors.Is(err, prompting.ErrUnknown) {
			t.Errorf("%s: got %v", id, err)
		}
	}
}
