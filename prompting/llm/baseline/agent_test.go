package baseline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

const workSystem = `You work on a database.

# Tools

SearchColumn(semantic)
    Finds columns.

SearchValue(value, table=None, column=None)
    Finds values.

FindShortestPath(start, end)
    Joins tables.

ExecuteSQL(sql)
    Runs a query.

Done()
    Ends.

# Example 1

Q: How many kilns are there?

Thought: I count.
Action: ExecuteSQL("SELECT count(*) FROM kiln WHERE name = \"x\"")
Observation: [(1,)]
`

const workTables = `Tables of the database ferry:
| Table | Primary Key | Foreign Key | Row Count |
| --- | --- | --- | --- |
| route | route_id |  | 2 |
| ship | ship_id |  | 3 |
| trip | trip_id | route_id -> route.route_id, ship_id -> ship.ship_id | 9 |

Q: Which ships sail from Nordby?`

// steps plays a dialogue to its end: what the parser does, each answered by the first of that tool's observations that
// is left, or the last.
func steps(t *testing.T, system, user string, tools []llm.Tool) []string {
	t.Helper()
	seen := map[string][]string{
		"SearchColumn": {`{"column":"ship_id","table":"ship","type":"INTEGER","statistics":"numbers: 1, 2, 3"}
{"column":"name","table":"ship","type":"TEXT","statistics":"categories: 'Alma', 'Brig'"}
{"column":"home_port","table":"route","type":"TEXT","statistics":"texts, 80 different, such as 'Sund', 'Aa'"}`},
		"SearchValue":      {`{"contents":"Nordby Havn","table":"route","column":"home_port"}`},
		"FindShortestPath": {"ship.ship_id = trip.ship_id <-> trip.route_id = route.route_id"},
		"ExecuteSQL":       {"[]", "[('Alma',)]"},
	}
	messages := []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}
	var out []string
	for range 12 {
		r, err := New().Generate(context.Background(), llm.Request{Messages: messages, Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, r.Answered())
		d := readDeed(r.Text)
		if len(tools) > 0 {
			d = deed{name: r.ToolCalls[0].Name}
			out = append(out, d.name+" "+r.ToolCalls[0].Arguments)
		} else {
			out = append(out, d.String())
		}
		if d.name == "Done" {
			return out
		}
		next := seen[d.name][0]
		if len(seen[d.name]) > 1 {
			seen[d.name] = seen[d.name][1:]
		}
		if len(tools) > 0 {
			messages = append(messages, r.ToolCalls[0].Answered(next))
		} else {
			messages = append(messages, llm.Message{Role: llm.User, Text: "Observation: " + next})
		}
	}
	t.Errorf("the dialogue does not end:\n%s", strings.Join(out, "\n"))
	return out
}

// TestWork: the parser searches, looks up, joins, runs, mends what finds nothing, and is done.
func TestWork(t *testing.T) {
	got := steps(t, workSystem, workTables, nil)
	var names, queries []string
	for _, s := range got {
		name, _, _ := strings.Cut(s, "(")
		names = append(names, name)
		if name == "ExecuteSQL" {
			queries = append(queries, s)
		}
	}
	if d := cmp.Diff([]string{"SearchColumn", "SearchValue", "SearchColumn", "FindShortestPath", "ExecuteSQL", "ExecuteSQL", "Done"}, names); d != "" {
		t.Fatalf("%s\n%s", d, strings.Join(got, "\n"))
	}
	if !strings.Contains(queries[0], "home_port = 'Nordby Havn'") || queries[0] == queries[1] {
		t.Errorf("queries %q", queries)
	}
}

// TestWorkWithout: tools that the instruction does not name are not used, and function calls are made where functions
// are offered.
func TestWorkWithout(t *testing.T) {
	check := func(system string, tools []llm.Tool, want string, not ...string) {
		t.Helper()
		got := strings.Join(steps(t, system, workTables, tools), "\n")
		if !strings.Contains(got, want) {
			t.Errorf("no %s in:\n%s", want, got)
		}
		for _, n := range not {
			if strings.Contains(got, n) {
				t.Errorf("%s in:\n%s", n, got)
			}
		}
	}
	without := func(heads ...string) string {
		text := workSystem
		for _, h := range heads {
			text = strings.Replace(text, h+"\n", "", 1)
		}
		return text
	}
	column, value, path := "SearchColumn(semantic)", "SearchValue(value, table=None, column=None)", "FindShortestPath(start, end)"
	check(without(value), nil, "SearchColumn(", "SearchValue(")
	check(without(column), nil, "SearchValue(", "SearchColumn(")
	check(without(path), nil, "SearchValue(", "FindShortestPath(")
	check(without(column, value, path), nil, "ExecuteSQL(", "Search", "Find")
	check(workSystem, []llm.Tool{{Name: "ExecuteSQL"}, {Name: "Done"}, {Name: "SearchColumn"}}, `SearchColumn {"semantic":[`, "SearchValue")
}

// TestReadDeed: what the parser writes it reads again.
func TestReadDeed(t *testing.T) {
	for _, d := range []deed{
		{name: "SearchColumn", args: map[string]any{"semantic": []any{"a, b", `c "d"`}}},
		{name: "SearchValue", args: map[string]any{"value": `O'Hara (x)`}},
		{name: "FindShortestPath", args: map[string]any{"start": "a.b", "end": "c=d"}},
		{name: "ExecuteSQL", args: map[string]any{"sql": "SELECT \"a\"\nFROM b WHERE c = 'd\\'"}},
		{name: "Done", args: map[string]any{}},
	} {
		if diff := cmp.Diff(d, readDeed("Thought: so.\nAction: "+d.String()), cmp.AllowUnexported(deed{})); diff != "" {
			t.Error(diff)
		}
	}
}

func FuzzWork(f *testing.F) {
	f.Add(workTables, `{"column":"name","table":"ship","type":"TEXT","statistics":"categories: 'A'"}`, `Thought: a
Action: SearchColumn(["x"])`)
	f.Add("| Table |\n| --- |\n| a |\n\nQ: How many a are there in B?", `{"contents":"Bb","table":"a","column":"x"}`, `Action: SearchValue("B")`)
	f.Add("| a | b |\n|  |  |\nQ: x", "Error: the query failed: no such column: y", "Action: ExecuteSQL(\"SELECT y FROM a\")")
	f.Fuzz(func(t *testing.T, user, seen, action string) {
		if len(user) > 2000 || len(seen) > 2000 {
			return
		}
		call := llm.ToolCall{ID: "1", Name: "SearchColumn", Arguments: action}
		for _, m := range [][]llm.Message{
			{{Role: llm.Assistant, Text: action}, {Role: llm.User, Text: "Observation: " + seen}},
			{{Role: llm.Assistant, Calls: []llm.ToolCall{call}}, call.Answered(seen)},
		} {
			messages := append([]llm.Message{{Role: llm.System, Text: workSystem}, {Role: llm.User, Text: user}}, m...)
			r, err := New().Generate(context.Background(), llm.Request{Messages: messages})
			if err == nil && !strings.Contains(r.Text, "\nAction: ") {
				t.Fatalf("no action: %q", r.Text)
			}
			r, err = New().Generate(context.Background(), llm.Request{Messages: messages, Tools: []llm.Tool{{Name: "ExecuteSQL"}}})
			if err == nil && (len(r.ToolCalls) != 1 || !json.Valid([]byte(r.ToolCalls[0].Arguments))) {
				t.Fatalf("no call: %+v", r)
			}
		}
	})
}
