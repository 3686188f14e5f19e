package exemplar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whole is a demonstration with all that a file can hold.
var whole = Demo{
	ID: "kiln-1", DB: "kiln", Question: "Which \"red\" pots?", SQL: "SELECT name\nFROM pot\tWHERE colour = 'red\\'", Evidence: "red is a colour",
	CoT: "The query reads pot.", Plan: "**Preparation**\n1. Open the table pot.\n",
	Steps: []Step{{"Which pots are there?", "pot (name)", "SELECT name FROM pot"}, {"Which \"red\" pots?", "pot (colour)", "SELECT name\nFROM pot\tWHERE colour = 'red\\'"}},
	Division: &Division{Simplify: "Nothing.", Parts: []Part{
		{Question: "Which \"red\" pots?", Analysis: "a", Pseudo: "p", SQL: "SELECT 1"}, {Number: "1", Question: "red?", Analysis: "b", Pseudo: "q", SQL: "SELECT 2"}}},
	Dialogue:    []Turn{{"I look.", `SearchValue("red")`, "{\"contents\":\"red\"}\n{\"contents\":\"dark \"\"\" red\"}"}, {"Nothing comes back.", `ExecuteSQL("SELECT 1")`, ""}, {"Done.", "Done()", ""}},
	Naturalness: 1, Reviewed: true, Note: "ok",
	By: Provenance{CoT: Rule, Steps: Hand, Dialogue: ByModel("openai/m")},
}

func TestWriteGivesBackWhatItWasGiven(t *testing.T) {
	check := func(name string, demos, want []Demo, o WriteOptions) {
		t.Helper()
		text := Write(demos, o)
		got, err := Parse(name, text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s\n%s", name, diff, text)
		}
	}
	check("all that a file can hold", []Demo{whole}, []Demo{whole}, WriteOptions{Head: "Two\n\nlines"})
	for _, s := range Shipments {
		demos, err := Shipped(s.ID)
		if err != nil {
			t.Fatal(err)
		}
		check(s.ID, demos, demos, WriteOptions{})
	}
}

func TestWriteLeavesTheQuestionInItsDataset(t *testing.T) {
	text := Write([]Demo{whole}, WriteOptions{Hashes: true})
	if strings.Contains(string(text), "question = \"Which \\\"red") || strings.Contains(string(text), "evidence") {
		t.Errorf("it holds the question:\n%s", text)
	}
	read, err := Parse("hashed", text)
	if err != nil {
		t.Fatal(err)
	}
	got, missing := Resolve(read, func(db, sha string) (Original, bool) {
		return Original{whole.Question, whole.SQL, whole.Evidence}, db == "kiln" && sha == QuestionHash(whole.Question)
	})
	want := whole
	want.QuestionSHA256 = QuestionHash(whole.Question)
	if diff := cmp.Diff([]Demo{want}, got); diff != "" || missing != nil {
		t.Errorf("missing %v, (-want +got):\n%s", missing, diff)
	}
}

func TestParseSaysWhatIsWrongWithADialogueAndItsProvenance(t *testing.T) {
	check := func(line, want string) {
		t.Helper()
		_, err := Parse("a.toml", []byte("[[demo]]\nid = 'a'\ndb = 'b'\nquestion = 'c'\nsql = 'd'\n"+line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
	check(`dialogue = "I look."`, "does not begin with Thought")
	check(`dialogue = "Thought: I look."`, "turn 1 of the dialogue has no Action")
	check(`dialogue = "Thought: I\nAction: Done()\nThought: a\nAction: Done()"`, "turn 1 of the dialogue has no Observation")
	check(`dialogue = "Thought: I\nAction: Exe\ncute"`, "more than one line")
	check(`naturalness = 2.0`, "naturalness is not from 0 to 1")
	check(`naturalness = nan`, "naturalness is not from 0 to 1")
	check(`by = { cot = "me" }`, `by.cot is not "hand", "rule" or "model NAME"`)
	check(`by = { cott = "rule" }`, `by 1: unknown key "cott" (there are cot, steps`)
}

func TestProvenance(t *testing.T) {
	p := Provenance{Steps: Rule}
	if p.Of("steps") != Rule || p.Of("cot") != Hand || p.ByHand("steps").Of("steps") != Hand || p.Steps != Rule {
		t.Errorf("%+v", p)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add([]byte(good))
	f.Add(Write([]Demo{whole}, WriteOptions{Head: "x"}))
	f.Fuzz(func(t *testing.T, text []byte) {
		demos, err := Parse("a", text)
		if err != nil {
			return
		}
		again, err := Parse("b", Write(demos, WriteOptions{}))
		if err != nil {
			t.Fatalf("%v in\n%s", err, Write(demos, WriteOptions{}))
		}
		if diff := cmp.Diff(demos, again); diff != "" {
			t.Error(diff)
		}
	})
}
