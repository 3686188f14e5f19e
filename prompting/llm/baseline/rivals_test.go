package baseline_test

import (
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

// TestRivals: the parser answers each stage of DIN-SQL, and ACT-SQL, in the form that it is asked for.
func TestRivals(t *testing.T) {
	const asked = "### SQLite SQL tables, with their properties:\n#\n# boat (boat_id, name, flag)\n# stay (boat_id, pier, nights)\n#\n### Question:  "
	check := func(system, question, after string, want ...string) {
		t.Helper()
		r := llm.Request{Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: asked + question + after}}}
		a, err := baseline.New().Generate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(a.Text, w) {
				t.Errorf("%s %s: no %q in\n%s", system, question, w, a.Text)
			}
		}
	}
	const flags, nights = "What are the names of boats with flag 'Norway'?", "What are the names of boats with more than 3 nights?"
	check("Schema_links: [<table>.<column>]", flags, "\nForeign_keys = []", "\"names\" needs boat.name.", "Schema_links: [boat.name,boat.flag,'Norway']")
	check("Schema_links: [<table>.<column>]", nights, "", "joined by boat.boat_id = stay.boat_id", "boat.boat_id = stay.boat_id,3]")
	check(`Label: "<class>"`, flags, "\nSchema_links: [boat.name]", "Tables: [boat]. No join", "questions = []\nLabel: \"EASY\"")
	check(`Label: "<class>"`, nights, "", "Label: \"NON-NESTED\"")
	check("Intermediate_representation: <", nights, "", "Tables to join: [boat, stay]\n", "Intermediate_representation: SELECT boat.name GROUP BY boat.boat_id HAVING count(*) > 3\nSQL: SELECT")
	check("Intermediate_representation: <", nights, "\nquestions = [\"What are the names of boats?\"]", `The SQL of "What are the names of boats?" is: SELECT name FROM boat`, "\nSQL: SELECT")
	check("Intermediate_representation: <", nights, "\nquestions = [\"What", "\nSQL: SELECT")
	check(`The text ends in "SQL:"`, flags, "\nSQL:", "SELECT name FROM boat WHERE flag = 'Norway'")
	check(`According to "<words>"`, flags, "", `According to "names", the column boat.name is needed.`, "Values: 'Norway'.\nSo the query is:\nSELECT name FROM boat")
	ddl := "CREATE TABLE boat (\n  boat_id INTEGER,\n  name TEXT,\n  flag TEXT\n)\n\n-- Using valid SQLite, answer the question below for the tables given above.\n-- " + flags + "\nSELECT"
	alike := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "/* Examples of questions like the last, each with its SQL: */\n/* Question: Which? */\nSELECT a FROM b\n" + ddl}}}
	if a, err := baseline.New().Generate(t.Context(), alike); err != nil || a.Text != "name FROM boat WHERE flag = 'Norway'" {
		t.Errorf("examples without schemas: %q, %v", a.Text, err)
	}
	const draft = "\n### Database schema\n# boat (boat_id, name, flag)\n### Question\n" + flags + "\n### Query\n"
	check("", "", draft+"SELECT 1\n### Query as it should be", "SELECT 1")
	check("", "", draft+"\n### Query as it should be", "SELECT name FROM boat WHERE flag = 'Norway'")
	check("", "", draft+"SELECT 1\n### Query without the mistake", "SELECT name FROM boat WHERE flag = 'Norway'")
}
