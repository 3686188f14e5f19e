package baseline

import (
	"context"
	"testing"

	"assay/prompting/llm"
)

// FuzzGenerate holds that no prompt panics or is an error.
func FuzzGenerate(f *testing.F) {
	f.Add("### SQLite SQL tables, with their properties:\n#\n# boat (id, name, \"year built\")\n# trip (boat_id, day)\n#\n### Question:  Which boats have the most trips?", "decompose the question SQL table (column):", 0.7)
	f.Add("CREATE TABLE boat (id INT PRIMARY KEY, name TEXT)\n/*\n3 example rows:\nSELECT * FROM boat LIMIT 3;\nid\tname\n1\tNora\n*/\n\n-- Using valid SQLite, answer\n-- Evidence: old refers to id > 3\n-- How many old boats are named \"Nora\" or 'Ann'?\nSELECT", "", 0.0)
	f.Add("CREATE TABLE b\n(\n    a INT, -- Example Values: `1`, `2`\n    FOREIGN KEY (a) REFERENCES b ()\n);\n-- Using valid\n-- between 3 and 5 not at least one than average a b each most of the", "we need to know", 1.0)
	f.Add("### Question: What?\nQ: What is it?\nA: SELECT 1\nQ: Whose?\nA:", "", 0.1)
	const tables = "### Database schema\n# boat (id, name, \"year built\")\n# trip (boat_id, day)\n### Question\nWhich boats have the most trips?\n### Evidence\nold refers to id > 3\n"
	f.Add(tables+"### Query\nSELECT T1.nam FROM boat AS T1 JOIN trip WHERE id = 'x' AND day = 2 ORDER BY 1\n### Result\nerror: no such column: T1.nam\n### Mended query\nFinal answer:", "", 0.7)
	f.Add(tables+"### Query\nSELECT id, \xff FROM boat, trip WHERE id = 1\n### Result\nerror: ambiguous column name: \xff\n### Mended query\nFinal answer:", "", 0.0)
	f.Add(tables+"### Candidate A\nSELECT 1\n### Result of A\n1\n(no rows)\n### Candidate B\nSELECT id FROM boat\n### Result of B\nerror: x\n### Answer, A or B", "", 0.5)
	f.Add(tables+"### Candidate 1\nSELECT 1\n### Candidate 2\n\n### Ranking, best first\n", "", 2.0)
	f.Add("Column: built\nTable: boat\nExample values: 1, 2\nMeaning: year built\nEvidence: old means built\nQuestion: Which is the oldest?", `"relevant": "Yes" or "No"`, 0.3)
	f.Add("### Tables\nCREATE TABLE boat (id INT PRIMARY KEY, name TEXT, length REAL)\nWrite 40 examples.", `{"input": "<question>"`, 0.3)
	f.Add("### Examples\nQuestion: How many?\nSQL: SELECT count(*) FROM boat\n\n# boat (id, name)\n### Question: How many boats?\n", "<FINAL_ANSWER>", 0.0)
	f.Add("# boat (id, name)\n### Question: Which boats are not named 'Ann'?\n", `**1. Divide and Conquer:** <FINAL_ANSWER>`, 0.4)
	f.Add("# boat (id, name)\n### Question: Which boats are not named 'Ann'?\n", `**Query Plan:**`, 0.4)
	f.Add("# boat (id, name)\n### Question: Which boats are not named 'Ann'?\n", `{"<table>": ["<column>"`, 0.4)
	f.Add("# boat (id, name)\n### Question: Which “of the boats’ names” are ’ “?\n", "", 0.0)
	f.Add("Evidence: old\nQuestion: Who is 'Ann' of New Haven?", "a list of texts in JSON", 0.0)
	f.Fuzz(func(t *testing.T, text, system string, temperature float64) {
		r := llm.Request{Params: llm.Params{Temperature: temperature}, Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: text}}}
		got, err := New().Generate(context.Background(), r)
		if err != nil || got.Finish == "" || got.Usage == (llm.Usage{}) && text+system != "" {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}
