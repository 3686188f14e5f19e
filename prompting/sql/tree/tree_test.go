package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

var school = new(schema.Database).Add("Student", "Id", "Name", "Age", "Home Town").Add("Course", "Cid", "Title", "Id")

func TestParse(t *testing.T) {
	check := func(sql string, offset int) {
		t.Helper()
		s, err := Parse(sql)
		var refused *Error
		switch {
		case offset < 0 && err != nil:
			t.Errorf("%q: %v", sql, err)
		case offset < 0 && s.Query == nil:
			t.Errorf("%q: no tree", sql)
		case offset >= 0 && err == nil:
			t.Errorf("%q: accepted", sql)
		case offset >= 0 && (!errors.As(err, &refused) || refused.Offset != offset):
			t.Errorf("%q: %v, want byte %d", sql, err, offset)
		}
	}
	const fine = -1
	check("SELECT 1", fine)
	check("select 1 ; ", fine)
	check("SELECT a FROM t -- remark", fine)
	check("WITH c AS (SELECT 1) SELECT * FROM c", fine)
	check("VALUES (1), (2)", fine)
	check("SELECT sum(a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d) FROM t", fine)
	check("SELECT "+strings.Repeat("(", 50)+"1"+strings.Repeat(")", 50), fine)
	check("", 0)
	check("SELECT 1; SELECT 2", 10)
	check("SELECT FROM t", 7)
	check("SELECT a FROM t WHERE", 21)
	check("```sql", 0)
}

func TestParseRefusesDeepTrees(t *testing.T) {
	check := func(name, sql string) {
		t.Helper()
		if _, err := Parse(sql); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	check("chain", "SELECT 1"+strings.Repeat("+1", 10000))
	check("parentheses", "SELECT "+strings.Repeat("(", 20000)+"1"+strings.Repeat(")", 20000))
	check("length", "SELECT '"+strings.Repeat("x", 1_000_001)+"'")
}

func TestPrint(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		s, err := Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Print(); got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
	check("select  a,b from t where x=1 /* why */", "SELECT a, b FROM t WHERE x = 1")
	check("SELECT count( * ) FROM t LIMIT 2,1;", "SELECT count(*) FROM t LIMIT 2, 1")
}

func TestColumns(t *testing.T) {
	check := func(sql string, want string) {
		t.Helper()
		s, err := Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range Columns(s, school) {
			got = append(got, c.Table+"."+c.Column)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", sql, diff)
		}
	}
	check("SELECT NAME FROM student", "Student.Name")
	check("SELECT T1.name FROM Student AS T1 WHERE t1.AGE > 3", "Student.Name Student.Age")
	check("SELECT Title FROM Student AS a JOIN Course AS b ON a.Id = b.Id", "Course.Title Student.Id Course.Id")
	check("SELECT count(*) FROM Student", "")
	check("SELECT * FROM Course", "Course.Cid Course.Title Course.Id")
	check("SELECT b.* FROM Student a, Course b", "Course.Cid Course.Title Course.Id")
	check(`SELECT Name FROM Student WHERE Name = "Age"`, "Student.Name Student.Age")
	check(`SELECT Name FROM Student WHERE Name = "Bob"`, "Student.Name")
	check("SELECT `Home Town` FROM Student", "Student.Home Town")
	check("SELECT Nowhere FROM Student", ".Nowhere")
	check("SELECT Name AS n FROM Student ORDER BY n", "Student.Name")
	check("SELECT s.n FROM (SELECT Name AS n FROM Student) AS s", "Student.Name")
	check("WITH c AS (SELECT Age AS a FROM Student) SELECT a FROM c", "Student.Age")
	check("SELECT Title FROM Course WHERE EXISTS (SELECT 1 FROM Student WHERE Student.Id = Cid)",
		"Course.Title Student.Id Course.Cid")
	check("SELECT Title FROM Course JOIN Student USING (Id)", "Course.Title Course.Id Student.Id")
	check("SELECT Name FROM Student WHERE Id IN (SELECT Id FROM Course)", "Student.Name Student.Id Course.Id")
	check("SELECT rowid FROM Student", "Student.rowid")
}

func TestColumnsWithoutSchema(t *testing.T) {
	s, err := Parse(`SELECT a, u.b FROM t AS u WHERE c = "x"`)
	if err != nil {
		t.Fatal(err)
	}
	want := []schema.ColumnName{{Table: "t", Column: "a"}, {Table: "t", Column: "b"}, {Table: "t", Column: "c"}}
	if diff := cmp.Diff(want, Columns(s, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestTables(t *testing.T) {
	check := func(sql string, want ...string) {
		t.Helper()
		s, err := Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, Tables(s, school)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", sql, diff)
		}
	}
	check("SELECT 1")
	check("SELECT * FROM student, COURSE, student AS x", "Student", "Course")
	check("WITH c AS (SELECT * FROM Course) SELECT * FROM c, other", "Course", "other")
	check("SELECT (SELECT max(Age) FROM Student)", "Student")
}

func TestCount(t *testing.T) {
	check := func(sql string, want Features) {
		t.Helper()
		s, err := Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, Count(s)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", sql, diff)
		}
	}
	check("SELECT a FROM t", Features{})
	check("SELECT count(DISTINCT a), upper(b) FROM t JOIN u ON t.x = u.x, v",
		Features{Joins: 2, Predicates: 1, Aggregates: 1, Scalars: 1, Distincts: 1})
	check("SELECT a FROM t WHERE a LIKE 'x' AND NOT b > -1 OR c IN (SELECT d FROM u)",
		Features{Predicates: 3, Subqueries: 1, Connectives: 3, Likes: 1})
	check("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 3", Features{SetOps: 1, OrderBys: 1, Limits: 1})
	check("WITH c AS (SELECT 1) SELECT DISTINCT CASE WHEN a THEN b * 2 END, rank() OVER (ORDER BY a) FROM c",
		Features{Maths: 1, Distincts: 1, Cases: 1, Windows: 1, CTEs: 1})
	check("SELECT a FROM t GROUP BY a HAVING max(b) > min(c, d)",
		Features{Predicates: 1, Aggregates: 1, Scalars: 1, GroupBys: 1, Havings: 1})
}

func TestTokensAndLiterals(t *testing.T) {
	const sql = `SELECT "a" FROM t WHERE b >= 1.5 AND c = 'x''y' -- end`
	want := []string{"SELECT", `"a"`, "FROM", "t", "WHERE", "b", ">=", "1.5", "AND", "c", "=", "'x''y'"}
	var got []string
	for _, tok := range Tokens(sql) {
		got = append(got, tok.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s, err := Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	var lits []string
	for _, e := range Literals(s) {
		lits = append(lits, e.Name)
	}
	if diff := cmp.Diff([]string{"1.5", "x'y"}, lits); diff != "" {
		t.Error(diff)
	}
}

// golds reads the gold queries of a data set's file; the key of the query differs from set to set.
func golds(t *testing.T, file string) []string {
	t.Helper()
	raw, err := os.ReadFile("../../../../shared/data/" + file)
	if err != nil {
		t.Skipf("no real data here: %v", err)
	}
	var items []map[string]any
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range items {
		for _, key := range []string{"query", "sql", "SQL"} {
			if q, ok := item[key].(string); ok {
				out = append(out, q)
				break
			}
		}
	}
	return out
}

func TestGoldsParse(t *testing.T) {
	check := func(file string, n int) {
		t.Run(strings.ReplaceAll(file, "/", "_"), func(t *testing.T) {
			list := golds(t, file)
			if len(list) != n {
				t.Errorf("%d queries, want %d", len(list), n)
			}
			read := 0
			for _, sql := range list {
				if err := readsBack(sql); err != nil {
					t.Log(err)
					continue
				}
				read++
			}
			t.Logf("%d of %d parse and print back", read, len(list))
			if float64(read) < 0.99*float64(len(list)) {
				t.Errorf("only %d of %d parse", read, len(list))
			}
		})
	}
	check("spider/dev.json", 1034)
	check("spider/train_spider.min.json", 7000)
	check("spider/train_others.json", 1659)
	check("bird/dev/dev.json", 1534)
	check("bird/mini_dev/mini_dev_sqlite.json", 500)
}

// readsBack parses a query, and its printed form, which must print alike.
func readsBack(sql string) error {
	s, err := Parse(sql)
	if err != nil {
		return err
	}
	again, err := Parse(s.Print())
	if err != nil {
		return err
	}
	if again.Print() != s.Print() {
		return fmt.Errorf("%q prints as %q, then as %q", sql, s.Print(), again.Print())
	}
	return nil
}

func FuzzParse(f *testing.F) {
	f.Add("SELECT a FROM t WHERE b = 1")
	f.Add("WITH c(x) AS (VALUES (1)) SELECT * FROM c NATURAL LEFT JOIN (t, u) ORDER BY 1 LIMIT 2, 3")
	f.Add("SELECT CASE WHEN a THEN b END, count(*) OVER w FROM t WINDOW w AS (ORDER BY x)")
	f.Add("DELETE FROM t")
	f.Fuzz(func(t *testing.T, sql string) {
		Tokens(sql)
		s, err := Parse(sql)
		if err != nil {
			return
		}
		Count(s)
		Literals(s)
		Tables(s, school)
		Columns(s, nil)
		for _, r := range Resolve(s, school) {
			if r.Expr != nil && s.Text(r.Expr.Span) == "" {
				t.Errorf("%q: a name without text", sql)
			}
		}
		if _, err := Parse(s.Print()); err != nil {
			t.Errorf("%q prints as %q: %v", sql, s.Print(), err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("SELECT T1.a, count(*) FROM t AS T1 JOIN u AS T2 ON T1.x = T2.x WHERE T2.b > 3 GROUP BY T1.a"); err != nil {
			b.Fatal(err)
		}
	}
}
