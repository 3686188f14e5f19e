package exemplar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const good = `
[[demo]]
id = "kiln-1"
db = "kiln"
question = "Which pots are red?"
sql = "SELECT name FROM pot WHERE colour = 'red'"
evidence = "red is a colour"
cot = "The query reads pot."

[[demo.step]]
question = "Which pots are there?"
columns = "pot (name)"
sql = "SELECT name FROM pot"

[[demo.step]]
columns = "pot (colour)"

[[demo]]
id = "train-1"
db = "kiln"
question_sha256 = "8eb4c08a8c38e3f53a761e9142c74af00e9a5d3645ae3c139f4cde2c3cc0f96a"

[[demo.step]]
columns = ""
`

func TestParse(t *testing.T) {
	got, err := Parse("good.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := []Demo{{
		ID: "kiln-1", DB: "kiln", Question: "Which pots are red?", SQL: "SELECT name FROM pot WHERE colour = 'red'",
		Evidence: "red is a colour", CoT: "The query reads pot.",
		Steps: []Step{{"Which pots are there?", "pot (name)", "SELECT name FROM pot"},
			{"Which pots are red?", "pot (colour)", "SELECT name FROM pot WHERE colour = 'red'"}},
	}, {
		ID: "train-1", DB: "kiln", QuestionSHA256: "8eb4c08a8c38e3f53a761e9142c74af00e9a5d3645ae3c139f4cde2c3cc0f96a", Steps: []Step{{}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	check := func(from, to string, want ...string) {
		t.Helper()
		_, err := Parse("ann.toml", []byte(strings.Replace(good, from, to, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), `exemplar: read "ann.toml": `) {
			t.Fatalf("%q: got %v", to, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: got %v, want %q in it", to, err, w)
			}
		}
	}
	check(good, "", "it holds no [[demo]]")
	check(`db = "kiln"`, `db = kiln`, "line 4: ")
	check(`evidence`, `evidense`, `line 2: demo "kiln-1": unknown key "evidense" (there are id,`)
	check(`columns = ""`, `column = ""`, `line 18: demo "train-1": step 1: unknown key "column" (there are question, columns, sql)`)
	check("\n[[demo]]", "seed = 1\n[[demo]]", `unknown key "seed"`)
	check(`id = "train-1"`, `id = "kiln-1"`, `line 18: demo "kiln-1": the id is taken`)
	check(`id = "train-1"`, ``, `line 18: demo "": id is missing`)
	check(`db = "kiln"`, ``, `db is missing`)
	check(`question = "Which pots are red?"`, ``, `question is missing (or question_sha256)`)
	check(`sql = "SELECT name FROM pot WHERE colour = 'red'"`, ``, `sql is missing`)
	check(`db = "kiln"`+"\nquestion_sha256", `db = "kiln"`+"\nsql = \"SELECT 1\"\nquestion_sha256", `replaces question and sql`)
	check(`8eb4`, `8EB4`, `not 64 lower-case`)
	check(`cot = "The query`, `cot = "The\nquery`, `cot has more than one line`)
	check(`cot = "The query`, `cot = "# The query`, `cot starts with #`)
	check(`question = "Which pots are there?"`, ``, `step 1: question is missing`)
	check(`columns = "pot (colour)"`, `question = "Other?"`, `step 2: the last step's question is not the demo's`)
	check(`columns = "pot (colour)"`, `sql = "SELECT 2"`, `step 2: the last step's sql is not the demo's`)
	check(`columns = ""`, `sql = "SELECT 2"`, `step 1: question and sql of the last step belong`)
	check(`cot = "The query`, "step = 3\ncot = \"The query", `line`)
	_, err := Parse("ann.toml", []byte("[[demo]]\nid = 'a'\n[[demo]]\nid = 'b'\nx = 1"))
	for _, w := range []string{`line 1: demo "a": db`, `line 3: demo "b": db`, `"b": unknown key "x"`} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("all faults at once: got %v, want %q", err, w)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.toml")
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "a.toml") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if demos, err := Open(path); err != nil || len(demos) != 2 {
		t.Errorf("got %v, %v", demos, err)
	}
}

// TestShipped reads the annotation files that come with the program: complete, and enough of them.
func TestShipped(t *testing.T) {
	if _, err := Shipped("other"); err == nil || !strings.Contains(err.Error(), "there are sample, spider-train") {
		t.Errorf("got %v", err)
	}
	for name, least := range map[string]int{"sample": 48, "spider-train": 40} {
		demos, err := Shipped(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(demos) < least {
			t.Errorf("%s: %d demonstrations", name, len(demos))
		}
		for _, d := range demos {
			if d.CoT == "" || len(d.Steps) == 0 || len(d.Steps) > 4 {
				t.Errorf("%s: %s has %d steps and cot %q", name, d.ID, len(d.Steps), d.CoT)
			}
			for i, step := range d.Steps {
				if own := i == len(d.Steps)-1 && d.QuestionSHA256 != ""; !own && (step.Question == "" || step.SQL == "") {
					t.Errorf("%s: %s: step %d is %+v", name, d.ID, i+1, step)
				}
			}
			if (d.QuestionSHA256 != "") != (name == "spider-train") {
				t.Errorf("%s: %s names its question the other file's way", name, d.ID)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	demos, err := Parse("good.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	got, missing := Resolve(demos, func(db, sha string) (Original, bool) {
		return Original{"Q?", "SELECT 7", ""}, db == "kiln" && sha == demos[1].QuestionSHA256
	})
	if d := got[1]; missing != nil || d.Question != "Q?" || d.SQL != "SELECT 7" || d.Steps[0] != (Step{"Q?", "", "SELECT 7"}) {
		t.Errorf("got %+v, missing %v", got, missing)
	}
	if demos[1].Question != "" || demos[1].Steps[0].SQL != "" {
		t.Error("the argument changed")
	}
	got, missing = Resolve(demos, func(string, string) (Original, bool) { return Original{}, false })
	if diff := cmp.Diff([]string{"train-1"}, missing); diff != "" || len(got) != 1 || got[0].ID != "kiln-1" {
		t.Errorf("got %+v, missing %v", got, missing)
	}
}

func TestQuestionHash(t *testing.T) {
	sum := sha256.Sum256([]byte("How many heads?"))
	if got := QuestionHash("  How\tmany \n heads? "); got != hex.EncodeToString(sum[:]) {
		t.Errorf("got %s", got)
	}
}

// TestSpiderTrain resolves the shipped annotations against the real training split.
func TestSpiderTrain(t *testing.T) {
	b, err := os.ReadFile("../../../shared/data/spider/train_spider.min.json")
	if err != nil {
		t.Skip("no Spider training split under ../shared/data")
	}
	var items []struct {
		DB       string `json:"db_id"`
		Question string `json:"question"`
		Query    string `json:"query"`
	}
	if err := json.Unmarshal(b, &items); err != nil {
		t.Fatal(err)
	}
	known := map[string][2]string{}
	for _, i := range items {
		known[i.DB+" "+QuestionHash(i.Question)] = [2]string{i.Question, i.Query}
	}
	demos, err := Shipped("spider-train")
	if err != nil {
		t.Fatal(err)
	}
	got, missing := Resolve(demos, func(db, sha string) (Original, bool) {
		v, ok := known[db+" "+sha]
		return Original{v[0], v[1], ""}, ok
	})
	if len(missing) > 0 || len(got) != len(demos) {
		t.Errorf("%d of %d resolved, missing %v", len(got), len(demos), missing)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("[[demo]]\nstep = [1]"))
	f.Add([]byte("demo = [{id = 'a'}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		demos, err := Parse("x.toml", data)
		if err != nil {
			return
		}
		for _, d := range demos {
			if d.ID == "" || d.DB == "" || d.Question == "" && d.QuestionSHA256 == "" {
				t.Fatalf("%+v", d)
			}
		}
	})
}

const divided = `
[[demo]]
id = "kiln-1"
db = "kiln"
question = "Which pots are red?"
sql = "SELECT name FROM pot WHERE colour = 'red'"
cot = "The query reads the pot table."
simplify = "The list becomes a condition."
[[demo.part]]
analysis = "A."
pseudo = "SELECT name FROM pot WHERE red"
sql = "SELECT name FROM pot WHERE id IN (SELECT id FROM pot WHERE colour = 'red')"
[[demo.part]]
number = "1"
question = "red"
analysis = "B."
pseudo = "SELECT id FROM pot WHERE red"
sql = "SELECT id FROM pot WHERE colour = 'red'"
[[demo.part]]
number = "1.1"
question = "deeper"
analysis = "C."
pseudo = "SELECT 1"
sql = "SELECT 1"
[[demo.part]]
number = "2"
question = "other"
analysis = "D."
pseudo = "SELECT 2"
sql = "SELECT 2"
`

func TestDivision(t *testing.T) {
	demos, err := Parse("ann.toml", []byte(divided))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, p := range demos[0].Division.Assembly() {
		order = append(order, p.Number)
	}
	if diff := cmp.Diff([]string{"1.1", "1", "2", ""}, order); diff != "" || demos[0].Division.Parts[0].Question != "Which pots are red?" {
		t.Errorf("%+v\n%s", demos[0].Division, diff)
	}
	check := func(from, to, want string) {
		t.Helper()
		_, err := Parse("ann.toml", []byte(strings.Replace(divided, from, to, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", to, err, want)
		}
	}
	check(`simplify = "The list becomes a condition."`, ``, "simplify is missing")
	check("[[demo.part]]\nanalysis", "[[demo.part]]\nnumber = \"1\"\nanalysis", "part 1: the question itself has no number")
	check(`analysis = "A."`, "question = \"Other?\"\nanalysis = \"A.\"", "part 1: its question is not the demo's")
	check(`number = "1.1"`, `number = "3.1"`, "part 3: number 3.1 is used twice, or before the part that contains it")
	check(`number = "2"`, `number = "1"`, "part 4: number 1 is used twice")
	check(`number = "2"`, `number = "b"`, `part 4: number "b" is not one such as 1 or 1.2`)
	check(`question = "deeper"`, ``, "part 3: question is missing")
	check(`analysis = "D."`, ``, "part 4: analysis is missing")
	check(`pseudo = "SELECT 2"`, ``, "part 4: pseudo is missing")
	check(`sql = "SELECT 2"`, `query = "SELECT 2"`, `part 4: unknown key "query" (there are number, question`)
	check(divided[strings.Index(divided, "[[demo.part]]"):], "", "simplify without parts")
}
