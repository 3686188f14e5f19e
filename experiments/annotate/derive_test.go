package annotate

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"assay/experiments/decompose"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
)

// keyed is school with its keys.
func keyed() *schema.Database {
	db := &schema.Database{Name: "school", Tables: append([]schema.Table(nil), school.Tables...)}
	db.Table("Student").PrimaryKey = []string{"StuID"}
	db.Table("Pet").PrimaryKey = []string{"PetID"}
	db.ForeignKeys = []schema.ForeignKey{{Table: "Has_Pet", Column: "StuID", RefTable: "Student", RefColumn: "StuID"},
		{Table: "Has_Pet", Column: "PetID", RefTable: "Pet", RefColumn: "PetID"}}
	return db
}

func TestDerive(t *testing.T) {
	const sql = "SELECT Name FROM Student WHERE StuID NOT IN (SELECT StuID FROM Has_Pet) AND Sex = 'F'"
	d := exemplar.Demo{Question: "Who?", SQL: sql, CoT: "told", Schema: keyed()}
	refused, err := Derive(&d)
	if err != nil || len(refused) > 0 || d.By.Steps != exemplar.Rule || d.By.Division != exemplar.Rule {
		t.Fatal(refused, err)
	}
	want := []exemplar.Step{
		{Question: "Which students have a pet?", SQL: "SELECT StuID FROM Has_Pet", Columns: "Has_Pet (StuID)"},
		{Question: "What are the names of the students that have no pet?",
			SQL:     "SELECT Name FROM Student WHERE StuID NOT IN (SELECT StuID FROM Has_Pet)",
			Columns: "Student (Name, StuID)"},
		{Question: "Who?", SQL: sql, Columns: "Student (Sex)"},
	}
	if diff := cmp.Diff(want, d.Steps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.Division == nil || len(d.Division.Parts) != 2 || d.Division.Parts[0].Question != "Who?" {
		t.Errorf("%+v", d.Division)
	}

	// What a person wrote stays.
	steps := []exemplar.Step{{Question: "a", Columns: "pet (kind)"}}
	own := exemplar.Demo{SQL: sql, CoT: "told", Steps: steps, Division: &exemplar.Division{}, Schema: keyed()}
	before := own
	if refused, err := Derive(&own); err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	if diff := cmp.Diff(before, own); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	// What the rules cannot give is said, and the rest is there.
	poor := exemplar.Demo{SQL: "SELECT a.Name FROM Student a JOIN Student b ON a.Age < b.Age", Schema: keyed()}
	refused, err = Derive(&poor)
	if err != nil || len(refused) != 2 || refused[0].Reason != decompose.SelfJoin || poor.Steps != nil || poor.CoT == "" {
		t.Errorf("%v, %v, %+v", refused, err, poor)
	}
	bad := exemplar.Demo{SQL: "SELECT FROM"}
	if _, err := Derive(&bad); err == nil {
		t.Error("no error")
	}
}

func TestNaturalness(t *testing.T) {
	check := func(step, question string, want float64, why ...string) {
		t.Helper()
		got, reasons := Naturalness([]exemplar.Step{{Question: step}, {Question: question}}, nil)
		if math.Abs(got-want) > 1e-9 || !cmp.Equal(reasons, why) {
			t.Errorf("%s: %.3f %q, and not %.3f %q", step, got, reasons, want, why)
		}
	}
	check("Which students have a pet?", "List the students with a pet.", 1)
	check("What is the crs_code of the classes?", "List the codes of classes.", 0.85, `step 1: "crs_code" is no word (-0.15)`)
	check("What are the grapes of the grapes?", "Which grape is red?", 0.9, `step 1: "grape" again and again (-0.10)`)
	check("What are the first names and last names of all students?", "First and last names of students?", 1)
	check("Which colors are named red?", "Name them.", 0.7, "step 1: 0% of its words are the question's (-0.30)")
	check("What is the customer's order's date?", "What is the date of the customer's order?", 0.9, "step 1: a possessive on a possessive (-0.10)")
	check("How many takes records are there?", "How often is a course taken?", 0.5, `step 1: "records" stands for what has no noun (-0.20)`,
		"step 1: 0% of its words are the question's (-0.30)")
	if score, why := Naturalness([]exemplar.Step{{Question: "x_1 of of of"}}, nil); score != 1 || why != nil {
		t.Error(score, why)
	}
	if score, _ := Naturalness(nil, nil); score != 1 {
		t.Error(score)
	}
	worst := strings.Repeat("x_1 whose of ", 50)
	if score, _ := Naturalness([]exemplar.Step{{Question: worst}, {Question: "Who?"}}, nil); score != 0 {
		t.Error(score)
	}
}

func FuzzDerive(f *testing.F) {
	f.Add("SELECT Name FROM Student WHERE StuID NOT IN (SELECT StuID FROM Has_Pet) AND Sex = 'F\n'", "Who?")
	f.Add("SELECT Kind FROM Pet GROUP BY Kind HAVING count(*) > 2 UNION SELECT Name FROM Student", "x_1")
	f.Fuzz(func(t *testing.T, sql, question string) {
		d := exemplar.Demo{Question: question, SQL: sql, Schema: keyed()}
		if _, err := Derive(&d); err != nil {
			return
		}
		for i, s := range d.Steps {
			if i < len(d.Steps)-1 && strings.ContainsFunc(s.Question, unicode.IsControl) {
				t.Errorf("%q: %q", sql, s.Question)
			}
		}
		if score, _ := Naturalness(d.Steps, nil); score < 0 || score > 1 {
			t.Errorf("%q: %f", sql, score)
		}
	})
}

// TestUsage: a word that no question has, and two that none has next to each other, count only where there are questions
// enough to tell.
func TestUsage(t *testing.T) {
	questions := []string{"How many photos does each camera lens have?", "Which customers have a card?"}
	for len(questions) < fewest {
		questions = append(questions, "Which students have a pet?")
	}
	check := func(step, question string, want float64, why ...string) {
		t.Helper()
		got, reasons := Naturalness([]exemplar.Step{{Question: step}, {Question: question}}, NewUsage(questions))
		if math.Abs(got-want) > 1e-9 || !cmp.Equal(reasons, why) {
			t.Errorf("%s: %.3f %q, and not %.3f %q", step, got, reasons, want, why)
		}
	}
	check("Which students have a pet named Rex-2?", "Which students have Rex-2?", 1)
	check("Which pets are there?", "Which students have a pet?", 0.85, `step 1: no question has "pets"`+" (-0.15)")
	check("Which pets are there?", "Which pets?", 1)
	check("Which customers card are there?", "Which customers have it?", 0.9, `step 1: no question has "customers card" (-0.10)`)
	check("Which customers card are there?", "Which card do customers have?", 1)
	check("Which camera lens is \"zig zag\"?", "Which camera lens is it?", 1)
	if NewUsage(questions[1:]) != nil {
		t.Error("too few questions give a usage")
	}
}
