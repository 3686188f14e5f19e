package annotate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
)

func table(name string, columns ...string) schema.Table {
	t := schema.Table{Name: name}
	for _, c := range columns {
		t.Columns = append(t.Columns, schema.Column{Name: c})
	}
	return t
}

var school = &schema.Database{Name: "school", Tables: []schema.Table{
	table("Student", "StuID", "Name", "Age", "Sex"),
	table("Has_Pet", "StuID", "PetID"),
	table("Pet", "PetID", "Kind", "Weight"),
}}

func TestDescribe(t *testing.T) {
	db := school
	check := func(sql, want string) {
		t.Helper()
		got, err := describe(sql, db)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", sql, diff)
		}
	}
	check(`SELECT name, age FROM student WHERE sex = "F"`,
		`This query chooses the records from the Student table, followed by a WHERE clause that keeps the records where `+
			`the Sex column is equal to "F". It then selects the Name and Age columns.`)
	check("SELECT count(*) FROM Pet",
		"This query chooses the records from the Pet table. It then selects the number of records.")
	check("SELECT T1.Name, count(*) FROM Student AS T1 JOIN Has_Pet AS T2 ON T1.StuID = T2.StuID "+
		"GROUP BY T1.Name HAVING count(*) > 1 ORDER BY count(*) DESC LIMIT 1",
		"This query chooses the records from the Student table, joined with the Has_Pet table where the Student.StuID column "+
			"is equal to the Has_Pet.StuID column. It groups the records by the Student.Name column and keeps the groups where "+
			"the number of records is greater than 1. It sorts the records by the number of records in descending order and "+
			"keeps only the first record. It then selects the Student.Name column and the number of records.")
	check("SELECT DISTINCT Name FROM Student WHERE Age BETWEEN 18 AND 20 AND (Sex = 'F' OR Name LIKE 'A%') LIMIT 3",
		`This query chooses the records from the Student table, followed by a WHERE clause that keeps the records where `+
			`the Age column is between 18 and 20 and (the Sex column is equal to "F" or the Name column matches the pattern "A%"). `+
			`It keeps only the first 3 records. It then selects the different values of the Name column.`)
	check("SELECT Name FROM Student WHERE StuID NOT IN (SELECT StuID FROM Has_Pet)",
		"This query chooses the records from the Student table, followed by a WHERE clause that keeps the records where "+
			"the StuID column is not in the result of a sub-query that (chooses the records from the Has_Pet table, selects the "+
			"StuID column). It then selects the Name column.")
	check("SELECT Name FROM Student EXCEPT SELECT Kind FROM Pet ORDER BY Name",
		"The first part of this query chooses the records from the Student table. It then selects the Name column. "+
			"The second part of this query chooses the records from the Pet table. It then selects the Kind column. "+
			"The query then keeps the rows that are in the result so far but not in this one. "+
			"It sorts the result by the Name column in ascending order.")
	check("SELECT a.Name FROM Student AS a JOIN Student AS b ON a.Age < b.Age",
		"This query chooses the records from the Student table as a, joined with the Student table as b where the a.Age column "+
			"is less than the b.Age column. It then selects the a.Name column.")
	check("SELECT max(Weight) - min(Weight), CAST(avg(Weight) AS INT) FROM Pet LEFT JOIN Has_Pet USING (PetID)",
		"This query chooses the records from the Pet table, joined with the Has_Pet table where their PetID column is equal, "+
			"keeping the records on the left that have no match. It then selects the largest value of the Pet.Weight column minus "+
			"the smallest value of the Pet.Weight column and the average of the Pet.Weight column as INT.")
	check("SELECT CASE WHEN Age IS NULL THEN 'x' ELSE upper(Name) END FROM Student",
		`This query chooses the records from the Student table. It then selects a value by cases (when the Age column is null `+
			`then "x", otherwise the result of the upper function on the Name column).`)
	check("WITH p AS (SELECT Kind AS k FROM Pet) SELECT k FROM p",
		"First, the table p is made by a sub-query that (chooses the records from the Pet table, selects the Kind column). "+
			"This query chooses the records from the p table. It then selects the k column.")
	check("SELECT 1", "This query selects 1.")
	check("SELECT Age FROM Student WHERE Age & 1 AND Age IN (1, 3) OR NOT -Age",
		"This query chooses the records from the Student table, followed by a WHERE clause that keeps the records where "+
			"the value of Age & 1 is true and the Age column is one of 1 or 3 or it is not true that (the value of -Age is true). "+
			"It then selects the Age column.")
}

func TestFill(t *testing.T) {
	check := func(name string, in, want exemplar.Demo) {
		t.Helper()
		in.Schema, want.Schema = school, school
		if err := Fill(&in); err != nil {
			t.Fatal(err)
		}
		if want.CoT == "*" { // the text is TestDescribe's matter
			want.CoT = in.CoT
		}
		if diff := cmp.Diff(want, in); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	const sql = "SELECT T1.Name FROM Student AS T1 JOIN Has_Pet AS T2 ON T1.StuID = T2.StuID"
	check("nothing there: the SQL tells no decomposition",
		exemplar.Demo{Question: "Who?", SQL: sql},
		exemplar.Demo{Question: "Who?", SQL: sql, CoT: "*", By: exemplar.Provenance{CoT: exemplar.Rule}})
	check("one step, written by a person",
		exemplar.Demo{Question: "Who?", SQL: sql, CoT: "told", Steps: []exemplar.Step{{Question: "Who?", SQL: sql}}},
		exemplar.Demo{Question: "Who?", SQL: sql, CoT: "told", By: exemplar.Provenance{Columns: exemplar.Rule},
			Steps: []exemplar.Step{{Question: "Who?", SQL: sql, Columns: "Student (Name, StuID), Has_Pet (StuID)"}}})
	check("steps without columns",
		exemplar.Demo{SQL: sql, CoT: "told", Steps: []exemplar.Step{{Question: "a", SQL: "SELECT name FROM student"}, {Question: "b"}}},
		exemplar.Demo{SQL: sql, CoT: "told", By: exemplar.Provenance{Columns: exemplar.Rule}, Steps: []exemplar.Step{
			{Question: "a", SQL: "SELECT name FROM student", Columns: "Student (Name)"},
			{Question: "b", Columns: "Student (StuID), Has_Pet (StuID)"}}})
	check("columns written by a person count",
		exemplar.Demo{SQL: sql, CoT: "told", Steps: []exemplar.Step{{Question: "a", Columns: "student (name, stuid)"}, {Question: "b"}}},
		exemplar.Demo{SQL: sql, CoT: "told", By: exemplar.Provenance{Columns: exemplar.Rule}, Steps: []exemplar.Step{
			{Question: "a", Columns: "student (name, stuid)"}, {Question: "b", Columns: "Has_Pet (StuID)"}}})
	check("all there",
		exemplar.Demo{SQL: sql, CoT: "told", Steps: []exemplar.Step{{Question: "a", Columns: "pet (kind)"}}},
		exemplar.Demo{SQL: sql, CoT: "told", Steps: []exemplar.Step{{Question: "a", Columns: "pet (kind)"}}})
	check("a table as a whole",
		exemplar.Demo{SQL: "SELECT count(*) FROM Pet", CoT: "told", Steps: []exemplar.Step{{SQL: "SELECT count(*) FROM Pet"}}},
		exemplar.Demo{SQL: "SELECT count(*) FROM Pet", CoT: "told", By: exemplar.Provenance{Columns: exemplar.Rule},
			Steps: []exemplar.Step{{SQL: "SELECT count(*) FROM Pet", Columns: "Pet (*)"}}})
}

func TestFillLeavesABadDemonstrationAlone(t *testing.T) {
	for _, sql := range []string{"", "SELECT FROM", "DELETE FROM Pet", "SELECT 1; SELECT 2"} {
		d := exemplar.Demo{ID: "x", SQL: sql}
		if err := Fill(&d); err == nil {
			t.Errorf("%q: no error", sql)
		}
		if diff := cmp.Diff(exemplar.Demo{ID: "x", SQL: sql}, d); diff != "" {
			t.Errorf("%q: %s", sql, diff)
		}
	}
}

// databases reads the schemas of Spider's tables.json.
func databases(t *testing.T) map[string]*schema.Database {
	t.Helper()
	raw, err := os.ReadFile("../../../shared/data/spider/tables.json")
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	var list []struct {
		DB      string   `json:"db_id"`
		Tables  []string `json:"table_names_original"`
		Columns [][2]any `json:"column_names_original"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]*schema.Database{}
	for _, e := range list {
		db := &schema.Database{Name: e.DB}
		for _, name := range e.Tables {
			db.Tables = append(db.Tables, table(name))
		}
		for _, c := range e.Columns {
			if at := int(c[0].(float64)); at >= 0 {
				db.Tables[at].Columns = append(db.Tables[at].Columns, schema.Column{Name: c[1].(string)})
			}
		}
		out[e.DB] = db
	}
	return out
}

func TestFillsSpider(t *testing.T) {
	dbs := databases(t)
	check := func(file string) {
		t.Helper()
		raw, err := os.ReadFile("../../../shared/data/spider/" + file)
		if err != nil {
			t.Skipf("no real data here: %v", err)
		}
		var list []struct {
			DB       string `json:"db_id"`
			Question string `json:"question"`
			Query    string `json:"query"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		filled, bytes := 0, 0
		for _, item := range list {
			d := exemplar.Demo{ID: item.Query, Question: item.Question, SQL: item.Query, Schema: dbs[item.DB]}
			if err := Fill(&d); err != nil {
				t.Log(err)
				continue
			}
			if fault := faulty(d); fault != "" {
				t.Errorf("%s: %s: %+v", item.Query, fault, d)
			}
			filled++
			bytes += len(d.CoT)
		}
		t.Logf("%s: %d of %d filled, %d bytes of description on average", file, filled, len(list), bytes/max(1, filled))
		if filled != len(list) {
			t.Errorf("%s: %d of %d filled", file, filled, len(list))
		}
	}
	check("train_spider.min.json")
	check("train_others.json")
	check("dev.json")
}

// faulty says what is wrong with a filled demonstration, if anything is.
func faulty(d exemplar.Demo) string {
	switch {
	case d.By.CoT != exemplar.Rule:
		return "not marked as derived"
	case len(d.Steps) > 0:
		return "steps that nobody wrote"
	case d.CoT == "":
		return "no text"
	case strings.ContainsFunc(d.CoT, func(r rune) bool { return unicode.IsControl(r) }):
		return "more than one line"
	}
	return ""
}

func TestDescribeDeepSubqueries(t *testing.T) {
	deep := strings.Repeat("SELECT Name FROM Student ORDER BY (", 50) + "SELECT 1" + strings.Repeat(")", 50)
	text, err := describe(deep, school)
	if err != nil || strings.Count(text, "Student") != 50 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func FuzzFill(f *testing.F) {
	f.Add("SELECT a, b FROM t JOIN u ON t.x = u.x WHERE c IN (1, 2) GROUP BY a HAVING max(b) > 1 ORDER BY a LIMIT 1, 2")
	f.Add("WITH c AS (VALUES (1)) SELECT CASE a WHEN 1 THEN 2 END, sum(b) OVER (ORDER BY c) FROM c UNION SELECT -x FROM (t, u)")
	f.Add("SELECT * FROM t WHERE a IS NOT DISTINCT FROM b AND EXISTS (SELECT 1) OR x LIKE y ESCAPE 'z'")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, db := range []*schema.Database{school, nil} {
			d := exemplar.Demo{SQL: sql, Schema: db, Steps: []exemplar.Step{{SQL: sql}}}
			if Fill(&d) == nil && (len(d.Steps) != 1 || d.CoT == "" || strings.ContainsAny(d.CoT+d.Steps[0].Columns, "\n\r")) {
				t.Errorf("%q: %+v", sql, d)
			}
		}
		if _, err := Columns(sql, &schema.Database{}); err != nil {
			return
		}
	})
}
