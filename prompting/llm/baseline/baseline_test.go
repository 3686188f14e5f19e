package baseline_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/pipeline"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// kennel is a schema in the form that shows neither keys nor values.
const kennel = `### SQLite SQL tables, with their properties:
#
# owner (owner_id, name, home_town)
# dog (dog_id, name, breed, age, weight, owner_id)
# visit (visit_id, dog_id, visit_date, fee)
#
`

// ask returns the answer to one prompt at temperature 0.
func ask(t *testing.T, text string) string {
	t.Helper()
	r, err := baseline.New().Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// TestQuestions lists one question for each construct of the grammar.
func TestQuestions(t *testing.T) {
	check := func(question, want string) {
		t.Helper()
		if got := ask(t, kennel+"### Question:  "+question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
	check("How many dogs are there?", "SELECT count(*) FROM dog")
	check("What are the names and breeds of all dogs?", "SELECT name, breed FROM dog")
	check("List the distinct breeds of the dogs.", "SELECT DISTINCT breed FROM dog")
	check("What is the average age of the dogs?", "SELECT avg(age) FROM dog")
	check("What are the minimum and maximum weight of all dogs?", "SELECT min(weight), max(weight) FROM dog")
	check("What are the names of dogs older than 7?", "SELECT name FROM dog WHERE age > 7")
	check("What are the names of dogs whose weight is at least 20?", "SELECT name FROM dog WHERE weight >= 20")
	check("Show the breed of dogs with age between 2 and 4.", "SELECT breed FROM dog WHERE age BETWEEN 2 AND 4")
	check("Which dogs have a name that contains 'ex'?", "SELECT name FROM dog WHERE name LIKE '%ex%'")
	check("What is the home town of the owner named Nora?", "SELECT home_town FROM owner WHERE name = 'Nora'")
	check("What is the name of the oldest dog?", "SELECT name FROM dog ORDER BY age DESC LIMIT 1")
	check("What are the names of the 3 heaviest dogs?", "SELECT name FROM dog ORDER BY weight DESC LIMIT 3")
	check("List the names of dogs in descending order of weight.", "SELECT name FROM dog ORDER BY weight DESC")
	check("How many dogs are there for each breed?", "SELECT breed, count(*) FROM dog GROUP BY breed")
	check("What is the most common breed of the dogs?", "SELECT breed FROM dog GROUP BY breed ORDER BY count(*) DESC LIMIT 1")
	check("What are the names of dogs that are heavier than the average?", "SELECT name FROM dog WHERE weight > (SELECT avg(weight) FROM dog)")
	check("What are the names of owners who do not have any dogs?", "SELECT name FROM owner WHERE owner_id NOT IN (SELECT owner_id FROM dog)")
	check("What is the name of the owner with the most dogs?",
		"SELECT T1.name FROM owner AS T1 JOIN dog AS T2 ON T1.owner_id = T2.owner_id GROUP BY T1.owner_id ORDER BY count(*) DESC LIMIT 1")
	check("What are the names of owners with at least 2 dogs?",
		"SELECT T1.name FROM owner AS T1 JOIN dog AS T2 ON T1.owner_id = T2.owner_id GROUP BY T1.owner_id HAVING count(*) >= 2")
	check("What is the age of dogs whose breed is 'Beagle' or 'Collie'?", "SELECT age FROM dog WHERE breed = 'Beagle' OR breed = 'Collie'")
}

// TestPromptParts holds that what else the prompt shows changes the answer.
func TestPromptParts(t *testing.T) {
	check := func(what, text, want string) {
		t.Helper()
		if got := ask(t, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
	check("evidence", kennel+"### Evidence: small refers to weight < 8\n### Question:  What are the names of small dogs?",
		"SELECT name FROM dog WHERE weight < 8")
	rows := "CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, name TEXT, coat TEXT)\n/*\n2 example rows:\nSELECT * FROM dog LIMIT 2;\ndog_id\tname\tcoat\n1\tRex\tCurly\n2\tBo\tFlat\n*/\n\n" +
		"-- Using valid SQLite, answer the question.\n-- What are the names of curly dogs?\nSELECT"
	check("example rows", rows, "name FROM dog WHERE coat = 'Curly'")
	note := "CREATE TABLE dog\n(\n    dog_id INTEGER,\n    name TEXT,\n    coat TEXT, -- Example Values: `Curly`, `Flat`\n    PRIMARY KEY (dog_id)\n);\n\n" +
		"-- Using valid SQLite, answer the question.\n-- What are the names of curly dogs?\nSELECT"
	check("example values", note, "name FROM dog WHERE coat = 'Curly'")
	keys := "CREATE TABLE pup (nr INTEGER PRIMARY KEY, name TEXT, dam INTEGER, FOREIGN KEY (dam) REFERENCES hound (nr))\n\nCREATE TABLE hound (nr INTEGER PRIMARY KEY, kennel TEXT)\n\n" +
		"-- Using valid SQLite, answer the question.\n-- What are the names of pups whose kennel is 'Oak'?\nSELECT"
	check("foreign key", keys, "T1.name FROM pup AS T1 JOIN hound AS T2 ON T1.dam = T2.nr WHERE T2.kennel = 'Oak'")
}

// TestDemonstrations holds that demonstrations of the same pattern can turn the answer, and unlike ones do not.
func TestDemonstrations(t *testing.T) {
	const shop = "### SQLite SQL tables, with their properties:\n#\n# shop (shop_id, name, area, rent)\n#\n"
	const question = kennel + "### Question:  What is the highest weight of the dogs?"
	check := func(demo, want string) {
		t.Helper()
		if got := ask(t, strings.Repeat(demo, 4)+question); got != want {
			t.Errorf("after %q:\n got %s\nwant %s", demo, got, want)
		}
	}
	check("", "SELECT max(weight) FROM dog")
	check(shop+"### Question:  What is the highest rent of the shops?\nSELECT rent FROM shop ORDER BY rent DESC LIMIT 1\n",
		"SELECT weight FROM dog ORDER BY weight DESC LIMIT 1")
	check(shop+"### Question:  List every shop without an area.\nSELECT name FROM shop WHERE area = ''\n", "SELECT max(weight) FROM dog")
}

// TestForms holds that the SQL of every method's answer is found, in every format, with demonstrations and without.
func TestForms(t *testing.T) {
	dog := schema.Table{Name: "dog", Rows: -1, PrimaryKey: []string{"dog_id"}, DDL: "CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, name TEXT, age INTEGER)",
		Columns: []schema.Column{{Name: "dog_id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}, {Name: "age", Type: "INTEGER"}}}
	q := prompting.Question{ID: "t/dev/1", DB: "kennel", Text: "What are the names of the dogs that are older than 7?", Schema: schema.New("kennel", []schema.Table{dog}, nil)}
	const want = "SELECT name FROM dog WHERE age > 7"
	for _, row := range methods.Methods() {
		name := row.ID
		if row.Agent {
			continue // it answers through tools: TestWork
		}
		for _, format := range render.Formats().IDs() {
			for _, k := range []int{0, 3} {
				m, err := pipeline.New(prompting.Deps{Model: baseline.New(), Author: llm.Author{Provider: "baseline", Model: "rules"}, Pool: methodtest.Pool(6), Box: sandbox.New(sandbox.Options{})}, methodtest.Arm(name, format, k), 1)
				if err != nil {
					t.Fatal(err)
				}
				a, err := m.Answer(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				c := a.Candidates[a.Chosen]
				if c.SQL != want {
					t.Errorf("%s, %s, k=%d: %q by rule %q, want %q", name, format, k, c.SQL, c.Rule, want)
				}
				if strings.Contains(name, "decomp") && !strings.Contains(a.Trace[0].Note, "What are the names of the dogs?") {
					t.Errorf("%s, %s, k=%d: steps %q, want a simpler question first", name, format, k, a.Trace[0].Note)
				}
				if name == "least-to-most" && len(a.Trace) != 3 {
					t.Errorf("%s, %s, k=%d: %d calls, want one to reduce and two to solve", name, format, k, len(a.Trace))
				}
			}
		}
	}
}

// TestInterColumns pins the whole answer of the form with columns: a step lists only what is new.
func TestInterColumns(t *testing.T) {
	got := ask(t, kennel+"### Question:  What are the names of dogs that are older than 7?\n") // the form is asked for by the instruction
	if got != "SELECT name FROM dog WHERE age > 7" {
		t.Fatalf("without an instruction: %s", got)
	}
	r, err := baseline.New().Generate(context.Background(), llm.Request{Messages: []llm.Message{
		{Role: llm.System, Text: "Reply in this form:\ndecompose the question\nSQL table (column):  <table> (<column>)"},
		{Role: llm.User, Text: kennel + "### Question:  What are the names of dogs that are older than 7?"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "decompose the question\n1.  What are the names of dogs?\nSQL table (column):  dog (name)\n" +
		"2.  What are the names of dogs that are older than 7?\nSQL table (column):  dog (age)\n" +
		"# Thus, the answer for the question is:  What are the names of dogs that are older than 7?\nSELECT name FROM dog WHERE age > 7"
	if r.Text != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text, want)
	}
}

// TestSampling holds that temperature 0 always gives the same, and that a higher one varies but can be repeated.
func TestSampling(t *testing.T) {
	model := baseline.New()
	generate := func(sample int, p llm.Params) string {
		t.Helper()
		r, err := model.Generate(context.Background(), llm.Request{Sample: sample, Params: p,
			Messages: []llm.Message{{Role: llm.User, Text: kennel + "### Question:  What is the name of the owner with the most dogs?"}}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text
	}
	distinct := func(p llm.Params) int {
		seen := map[string]bool{}
		for i := range 60 {
			seen[generate(i, p)] = true
		}
		return len(seen)
	}
	one := 1
	small := 0.01
	cold, warm, hot := distinct(llm.Params{}), distinct(llm.Params{Temperature: 0.5}), distinct(llm.Params{Temperature: 2})
	if cold != 1 || warm < 2 || hot <= warm {
		t.Errorf("different answers of 60 at temperatures 0, 0.5, 2: %d, %d, %d; want 1, some, more", cold, warm, hot)
	}
	if n := distinct(llm.Params{Temperature: 2, TopK: &one}); n != 1 {
		t.Errorf("top-k 1: %d different answers, want 1", n)
	}
	if n := distinct(llm.Params{Temperature: 2, TopP: &small}); n != 1 {
		t.Errorf("top-p 0.01: %d different answers, want 1", n)
	}
	for i := range 20 {
		if a, b := generate(i, llm.Params{Temperature: 1}), generate(i, llm.Params{Temperature: 1}); a != b {
			t.Fatalf("sample %d: %q, then %q", i, a, b)
		}
	}
}

// TestLimits holds that the bound on tokens and the stop sequences end a completion.
func TestLimits(t *testing.T) {
	check := func(p llm.Params, text, finish string) {
		t.Helper()
		r, err := baseline.New().Generate(context.Background(), llm.Request{Params: p, Messages: []llm.Message{{Role: llm.User, Text: kennel + "### Question:  How many dogs are there?"}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != text || r.Finish != finish {
			t.Errorf("%+v: %q, %s; want %q, %s", p, r.Text, r.Finish, text, finish)
		}
		if !r.Usage.Estimated || r.Usage.PromptTokens == 0 || r.Usage.CompletionTokens != (len(text)+3)/4 {
			t.Errorf("%+v: usage %+v", p, r.Usage)
		}
	}
	check(llm.Params{}, "SELECT count(*) FROM dog", "stop")
	check(llm.Params{MaxTokens: 6}, "SELECT count(*) FROM dog", "stop") // 24 bytes are 6 tokens
	check(llm.Params{MaxTokens: 5}, "SELECT count(*) FROM", "length")
	check(llm.Params{MaxTokens: 1 << 62}, "SELECT count(*) FROM dog", "stop")
	check(llm.Params{Stop: []string{" FROM", "count"}}, "SELECT ", "stop")
}

// TestSilence lists prompts that hold nothing to answer: the answer is empty.
func TestSilence(t *testing.T) {
	check := func(what, text string) {
		t.Helper()
		got, err := baseline.New().Generate(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}})
		if err != nil || got.Text != "" || got.Finish != "stop" {
			t.Errorf("%s: %+v, %v, want an empty answer", what, got, err)
		}
	}
	check("nothing", "")
	check("no schema", "### Question:  How many dogs are there?")
	check("no question", kennel)
	check("tables without columns", "# dog ()\n### Question:  How many dogs are there?")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := baseline.New().Generate(ctx, llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// BenchmarkGenerate answers one question over three tables.
func BenchmarkGenerate(b *testing.B) {
	r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: kennel + "### Question:  What are the names of owners with at least 2 dogs, in descending order of age?"}}}
	for b.Loop() {
		if _, err := baseline.New().Generate(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
