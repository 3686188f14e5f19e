package baseline

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/prompting/llm"
)

// FuzzGenerate holds that no prompt panics, and that one without a schema or a question fails as "empty".
func FuzzGenerate(f *testing.F) {
	f.Add("### SQLite SQL tables, with their properties:\n#\n# boat (id, name, \"year built\")\n# trip (boat_id, day)\n#\n### Question:  Which boats have the most trips?", "decompose the question SQL table (column):", 0.7)
	f.Add("CREATE TABLE boat (id INT PRIMARY KEY, name TEXT)\n/*\n3 example rows:\nSELECT * FROM boat LIMIT 3;\nid\tname\n1\tNora\n*/\n\n-- Using valid SQLite, answer\n-- Evidence: old refers to id > 3\n-- How many old boats are named \"Nora\" or 'Ann'?\nSELECT", "", 0.0)
	f.Add("CREATE TABLE b\n(\n    a INT, -- Example Values: `1`, `2`\n    FOREIGN KEY (a) REFERENCES b ()\n);\n-- Using valid\n-- between 3 and 5 not at least one than average a b each most of the", "we need to know", 1.0)
	f.Add("### Question: What?\nQ: What is it?\nA: SELECT 1\nQ: Whose?\nA:", "", 0.1)
	f.Fuzz(func(t *testing.T, text, system string, temperature float64) {
		r := llm.Request{Params: llm.Params{Temperature: temperature}, Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: text}}}
		got, err := New().Generate(context.Background(), r)
		var failure *llm.Failure
		switch {
		case err != nil && (!errors.As(err, &failure) || failure.Reason != "empty"):
			t.Fatalf("error %v, want only a failure that says empty", err)
		case err == nil && strings.TrimSpace(got.Text) == "":
			t.Fatal("an empty completion without a failure")
		}
	})
}
