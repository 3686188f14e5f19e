package columns

import (
	"testing"

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
		if diff := cmp.Diff(want, Parse(completion, school())); diff != "" {
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

func FuzzParse(f *testing.F) {
	f.Add(`{"Pupil": ["Name"]}`)
	f.Add("Pupil (Name), Class (Subject)")
	f.Add(`{"Pupil": ["\u00`)
	db := school()
	f.Fuzz(func(t *testing.T, s string) {
		got := Parse(s, db)
		if again := Parse(Format(got), db); !cmp.Equal(got, again) {
			t.Fatalf("%q: %v reads back as %v", s, got, again)
		}
		if p := db.Cut(db.Joined(got)); len(p.Tables) == 0 {
			t.Fatalf("%q leaves no table", s)
		}
		Relevant(s)
	})
}
