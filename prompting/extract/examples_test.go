package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// object writes an example as the model is asked to: a JSON object on one line.
func object(e Example) string {
	b, err := json.Marshal(struct {
		Input  string `json:"input"`
		Output string `json:"output"`
	}{e.Question, e.SQL})
	if err != nil {
		panic(err) // two texts can be written
	}
	return string(b)
}

// TestExamples lists the forms in which models write examples.
func TestExamples(t *testing.T) {
	one, two := Example{"How many pots?", "SELECT count(*) FROM pot"}, Example{`Which are "red" (Hint: red is R)?`, `SELECT "name" FROM pot WHERE colour = 'R'`}
	check := func(completion string, want ...Example) {
		t.Helper()
		if diff := cmp.Diff(want, Examples(completion)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	check(object(one)+"\n"+object(two), one, two)
	check("["+object(one)+", "+object(two)+"]", one, two)
	check("```json\n[\n"+object(one)+",\n"+object(two)+"\n]\n```", one, two)
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
	check("<think>Q: a? A: SELECT 9</think>"+object(one), one)
	check(object(one)+"\n{\"input\": \"Cut?\", \"output\": \"SELECT count(*) FROM pot WHERE", one)
	check(`{"input": "No SQL?", "output": "DELETE FROM pot"}`+"\n"+object(one), one)
	check(`{"output": "SELECT 1"}`)
	check("Here are the examples you asked for.")
	check("")
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
