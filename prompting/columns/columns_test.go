package columns

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/goldentest"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// school has a name with signs in it, a table that only links, and one that nothing links to.
func school() *schema.Database {
	return schema.New("school", []schema.Table{
		{Name: "Pupil", PrimaryKey: []string{"id"}, Columns: []schema.Column{{Name: "id", Type: "INT"}, {Name: "Name", Type: "TEXT"}, {Name: "Free (K-12), %", Type: "REAL"}}, Samples: [][]string{{"1", "Ada", "0.5"}}},
		{Name: "Visit", Columns: []schema.Column{{Name: "pupil", Type: "INT"}, {Name: "class", Type: "INT"}, {Name: "day", Type: "DATE"}}},
		{Name: "Class", PrimaryKey: []string{"id"}, Columns: []schema.Column{{Name: "id", Type: "INT"}, {Name: "Subject", Type: "TEXT"}, {Name: "id_old", Type: "INT"}}},
		{Name: "Note", Columns: []schema.Column{{Name: "text", Type: "TEXT"}}},
	}, []schema.ForeignKey{{Table: "Visit", Column: "pupil", RefTable: "Pupil", RefColumn: "id"}, {Table: "Visit", Column: "class", RefTable: "Class", RefColumn: "id"}})
}

func TestParse(t *testing.T) {
	check := func(completion string, want ...schema.ColumnName) {
		t.Helper()
		if diff := cmp.Diff(want, parse(completion, school())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", completion, diff)
		}
	}
	name, subject, free := schema.ColumnName{Table: "Pupil", Column: "Name"}, schema.ColumnName{Table: "Class", Column: "Subject"}, schema.ColumnName{Table: "Pupil", Column: "Free (K-12), %"}
	check(`{"Pupil": ["Name"], "Class": ["Subject"]}`, name, subject)
	check("```json\n{\n  \"class\": [\"subject\",],\n  \"pupil\": [\"name\"],\n}\n```", name, subject)
	check(`{"Pupil": ["Free (K-12), %", "Name", "nothing"], "Teacher": ["Name"]}`, name, free)
	check(`{'Pupil': ['Name', 'Name']}`, name)
	check("{Pupil: [Name], Class: [`Subject`]}", name, subject)
	check(`{"columns": ["Pupil.Name", "class.subject"]}`, name, subject)
	check("Pupil (Name), Class (Subject)", name, subject)
	check("- pupil (name)\n- class (\"Subject\")", name, subject)
	check("The query reads `Pupil`.`Name` and [Class].[Subject].", name, subject)
	check("<think>Note.text? No.</think>Pupil.Name", name)
	check("Class.id_old", schema.ColumnName{Table: "Class", Column: "id_old"})
	check("Class.id_older")
	check(`{"Pupil": []}`)
	check("I cannot tell.")
	check("")
	check("{\"Pupil\": [\"Name")
	all := []schema.ColumnName{name, free, {Table: "Visit", Column: "day"}, subject}
	check(Format(all), all...)
	if got := Format(nil); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRelevant(t *testing.T) {
	check := func(completion string, relevant, ok bool) {
		t.Helper()
		if r, k := Relevant(completion); r != relevant || k != ok {
			t.Errorf("%q: got %v, %v", completion, r, k)
		}
	}
	check(`{"reasoning": "It is.", "relevant": "Yes"}`, true, true)
	check(`{"reasoning": "not relevant: No", "relevant": "Yes"}`, true, true)
	check("{'relevant': 'no'}", false, true)
	check(`{"relevant": true}`, true, true)
	check("**Relevant:** No", false, true)
	check(`{"is_column_information_relevant": "No"}`, false, true)
	check("Yes, the question asks for it.", true, true)
	check("<think>yes</think>\nNo.", false, true)
	check("Perhaps.", false, false)
	check("", false, false)
	check("Notes are kept.", false, false)
}

func made(t *testing.T, use string, model llm.Model) *Selector {
	t.Helper()
	s, err := New(use, prompting.Deps{Model: model, Author: llm.Author{Provider: "scripted", Model: "one"}}, methodtest.Arm("os", "bird", 0), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPrompts(t *testing.T) {
	for _, use := range []string{OneCall, Each} {
		all, err := made(t, use, &llm.Scripted{}).Prompts(methodtest.Question())
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, use+".golden", methodtest.Text(all[0]))
		if n := map[string]int{OneCall: 1, Each: 4}[use]; len(all) != n {
			t.Errorf("%s: %d calls, want %d", use, len(all), n)
		}
	}
	q := methodtest.Question()
	q.Schema.Tables[0].Columns[1].Found = []string{"Sundby"}
	all, err := made(t, Each, &llm.Scripted{}).Prompts(q)
	if err != nil || !strings.Contains(all[1][1].Text, "Example values: Sundby, Sund, Nordby\n") {
		t.Errorf("%v in\n%s", err, all[1][1].Text)
	}
}

func TestSelect(t *testing.T) {
	model := &llm.Scripted{Reply: func(r llm.Request) (string, error) {
		switch text := r.Messages[1].Text; {
		case strings.Contains(text, "Column: Guests"):
			return "", &llm.Failure{Reason: "empty"}
		case strings.Contains(text, "Column: Home Port"):
			return `{"relevant": "Yes"}`, nil
		case strings.Contains(text, "Column: "):
			return `{"relevant": "No"}`, nil
		}
		return `{"route": ["home port"]}`, nil
	}}
	check := func(use, columns string, tables int, notes ...string) {
		t.Helper()
		got, err := made(t, use, model).Select(context.Background(), methodtest.Question())
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, c := range got.Calls {
			said = append(said, c.Stage+": "+c.Note)
		}
		if diff := cmp.Diff(notes, said); diff != "" || Format(got.Columns) != columns || len(got.Schema.Tables) != tables {
			t.Errorf("%s: %s, %d tables, notes (-want +got):\n%s", use, Format(got.Columns), len(got.Schema.Tables), diff)
		}
	}
	check(OneCall, `{"Route": ["Home Port"]}`, 1, `columns: {"Route": ["Home Port"]}`)
	check(Each, `{"Route": ["Home Port"], "Trip": ["Guests"]}`, 2,
		"column: no columns", `column: {"Route": ["Home Port"]}`, "column: no columns", `column: {"Trip": ["Guests"]}: no answer, kept`)
	end := errors.New("no such recording")
	_, err := made(t, Each, &llm.Scripted{Reply: func(llm.Request) (string, error) { return "", end }}).Select(context.Background(), methodtest.Question())
	if !errors.Is(err, end) || !strings.HasPrefix(err.Error(), `columns: select for "test/dev/ferry-1": `) {
		t.Errorf("got %v", err)
	}
	if _, err := made(t, OneCall, model).Select(context.Background(), prompting.Question{ID: "bare"}); err == nil {
		t.Error("a question without a schema was answered")
	}
	if _, err := New("none", prompting.Deps{Model: model}, configs.Arm{}, 1); err == nil {
		t.Error("none is no way to choose")
	}
}

func TestPromptHash(t *testing.T) {
	if h := PromptHash(); !strings.HasPrefix(h, "sha256:") || len(h) != 71 {
		t.Errorf("got %q", h)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"Pupil": ["Name"]}`)
	f.Add("Pupil (Name), Class (Subject)")
	f.Add(`{"Pupil": ["\u00`)
	db := school()
	f.Fuzz(func(t *testing.T, s string) {
		got := parse(s, db)
		if again := parse(Format(got), db); !cmp.Equal(got, again) {
			t.Fatalf("%q: %v reads back as %v", s, got, again)
		}
		if p := db.Cut(db.Joined(got)); len(p.Tables) == 0 {
			t.Fatalf("%q leaves no table", s)
		}
		Relevant(s)
	})
}
