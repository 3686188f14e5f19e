package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// school has a name with signs in it, a table that only links, and one that nothing links to.
func school() *Database {
	return New("school", []Table{
		{Name: "Pupil", PrimaryKey: []string{"id"}, Columns: []Column{{Name: "id", Type: "INT"}, {Name: "Name", Type: "TEXT"}, {Name: "Free (K-12), %", Type: "REAL"}}, Samples: [][]string{{"1", "Ada", "0.5"}}},
		{Name: "Visit", Columns: []Column{{Name: "pupil", Type: "INT"}, {Name: "class", Type: "INT"}, {Name: "day", Type: "DATE"}}},
		{Name: "Class", PrimaryKey: []string{"id"}, Columns: []Column{{Name: "id", Type: "INT"}, {Name: "Subject", Type: "TEXT"}, {Name: "id_old", Type: "INT"}}},
		{Name: "Note", Columns: []Column{{Name: "text", Type: "TEXT"}}},
	}, []ForeignKey{{Table: "Visit", Column: "pupil", RefTable: "Pupil", RefColumn: "id"}, {Table: "Visit", Column: "class", RefTable: "Class", RefColumn: "id"}})
}

// joined is the description cut to columns and what joins them.
func joined(d *Database, columns []ColumnName) *Database { return d.Cut(d.Joined(columns)) }

func TestCutJoined(t *testing.T) {
	check := func(want string, chosen ...ColumnName) {
		t.Helper()
		got := joined(school(), chosen)
		var lines []string
		for _, table := range got.Tables {
			lines = append(lines, strings.ReplaceAll(table.DDL, "\n", ""))
		}
		if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", chosen, diff)
		}
	}
	const pupil = "CREATE TABLE Pupil (  id INT,  Name TEXT,  PRIMARY KEY (id))"
	check(pupil, ColumnName{"Pupil", "Name"})
	check(pupil+"\nCREATE TABLE Visit (  pupil INT,  class INT,  FOREIGN KEY (pupil) REFERENCES Pupil (id),  FOREIGN KEY (class) REFERENCES Class (id))"+
		"\nCREATE TABLE Class (  id INT,  Subject TEXT,  PRIMARY KEY (id))", ColumnName{"Class", "Subject"}, ColumnName{"Pupil", "Name"})
	check(pupil+"\nCREATE TABLE Note (  text TEXT)", ColumnName{"Note", "text"}, ColumnName{"pupil", "name"})
	if got := joined(school(), nil); len(got.Tables) != 4 {
		t.Errorf("nothing chosen leaves %d tables", len(got.Tables))
	}
	if got := joined(school(), []ColumnName{{Table: "Pupil", Column: "Name"}}).Tables[0].Samples; !cmp.Equal(got, [][]string{{"1", "Ada"}}) {
		t.Errorf("rows are %v", got)
	}
	db := school()
	joined(db, []ColumnName{{Table: "Pupil", Column: "Name"}})
	if diff := cmp.Diff(school(), db); diff != "" {
		t.Errorf("the argument changed:\n%s", diff)
	}
}

// TestCut: without what joins them, columns stand alone, and a key that lacks a column is none.
func TestCut(t *testing.T) {
	db := school()
	db.Tables[1].PrimaryKey = []string{"pupil", "day"}
	check := func(want string, keep ...ColumnName) {
		t.Helper()
		cut := db.Cut(keep)
		var got []string
		for _, table := range cut.Tables {
			got = append(got, table.Name+"("+strings.Join(table.Names(), ",")+")"+strings.Repeat("*", len(table.PrimaryKey)))
		}
		if s := strings.Join(got, " ") + strings.Repeat(" key", len(cut.ForeignKeys)); s != want {
			t.Errorf("%v: got %s, want %s", keep, s, want)
		}
	}
	check("Pupil(Name)", ColumnName{"pupil", "NAME"})
	check("Visit(pupil,day)**", ColumnName{"Visit", "day"}, ColumnName{"Visit", "pupil"})
	check("Pupil(id)* Visit(pupil) key", ColumnName{"Visit", "pupil"}, ColumnName{"Pupil", "id"})
	check("Pupil(id)* Visit(class)", ColumnName{"Visit", "class"}, ColumnName{"Pupil", "id"})
	check("Note()", ColumnName{Table: "note"})
	check("", ColumnName{"Teacher", "name"})
	check("Pupil(id,Name,Free (K-12), %)* Visit(pupil,class,day)** Class(id,Subject,id_old)* Note(text) key key")
}

// TestArranged: tables and columns stand in the order in which they are named, and the rest after them.
func TestArranged(t *testing.T) {
	check := func(want string, names ...ColumnName) {
		t.Helper()
		d := school()
		before := spelt(d)
		var lines []string
		for _, table := range d.Arranged(names).Tables {
			lines = append(lines, table.Name+" "+strings.Join(namesOf(table), ","))
		}
		if got := strings.Join(lines, "; "); got != want || spelt(d) != before {
			t.Errorf("%v: got %s", names, got)
		}
	}
	check("Note text; Pupil Name,id,Free (K-12), %; Visit pupil,class,day; Class id,Subject,id_old", ColumnName{"note", "TEXT"}, ColumnName{"Pupil", "Name"}, ColumnName{"none", "x"})
	check("Class id_old,Subject,id; Visit day,pupil,class; Pupil id,Name,Free (K-12), %; Note text",
		ColumnName{"Class", "id_old"}, ColumnName{"Visit", "day"}, ColumnName{"Class", "Subject"}, ColumnName{"Class", "id_old"})
	check("Pupil id,Name,Free (K-12), %; Visit pupil,class,day; Class id,Subject,id_old; Note text")
	if got := school().Arranged([]ColumnName{{"Pupil", "Name"}}).Tables[0]; got.Samples[0][0] != "Ada" || !strings.Contains(got.DDL, "Name TEXT,\n  id INT") {
		t.Errorf("got %+v", got)
	}
}

// namesOf and spelt print the columns of a table and the order of a description.
func namesOf(t Table) (out []string) {
	for _, c := range t.Columns {
		out = append(out, c.Name)
	}
	return out
}

func spelt(d *Database) (out string) {
	for _, t := range d.Tables {
		out += t.Name + " " + strings.Join(namesOf(t), ",") + "; "
	}
	return out
}
