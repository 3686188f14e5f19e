package exact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

func mustTree(t testing.TB, sql string) counts {
	t.Helper()
	s, err := tree.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	return treeCounts(s.Query)
}

func TestCut(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		got, err := cut(sql)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", sql, diff)
		}
	}
	check("SELECT Name FROM t;", "select name from t ;")
	check("a>= 1 AND b != 2", "a >= 1 and b != 2")
	check("a >=1", "a > =1")
	check("cannot", "can not")
	check("a=1", "a=1")
	check("a <> 1", "a < > 1")
	check("x IN (1,2, 3)", "x in ( 1,2 , 3 )")
	check("T1.a,T2.b", "t1.a , t2.b")
	check("x ='Ann B'", `x = "Ann B"`)
	check("x='Ann'", "x=__val_1__")
	check("x = 'it' 's'", `x = "it" "s"`)
	check("count(*)", "count ( * )")
	check("a = 3.5", "a = 3.5")
	check("name -- note", "name -- note")
	check("`a`", "` a `")
	if _, err := cut("x = 'it''s' OR y = \""); err == nil {
		t.Error("an odd quote is accepted")
	}
}

var singers = new(schema.Database).Add("singer", "Singer_ID", "Name", "Age").Add("concert", "Concert_ID", "Name", "Singer_ID")

// What the official reader takes and what it refuses.
func TestRead(t *testing.T) {
	check := func(sql string, taken bool) {
		t.Helper()
		_, err := parse(sql, namesOf(singers))
		if (err == nil) != taken {
			t.Errorf("%q: taken %t, want %t (%v)", sql, err == nil, taken, err)
		}
	}
	check("SELECT name FROM singer", true)
	check("SELECT DISTINCT T1.name, max(T1.age) FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id", true)
	check("SELECT name FROM singer, concert", false)
	check("SELECT T1.name FROM singer T1", false)
	check("SELECT T1.name FROM singer AS T1 LEFT JOIN concert AS T2 ON T1.singer_id = T2.singer_id", false)
	check("SELECT name AS n FROM singer", false)
	check("SELECT nothing FROM singer", false)
	check("SELECT name FROM nowhere", false)
	check("SELECT name FROM singer AS concert", false)
	check("SELECT name FROM singer WHERE age BETWEEN 1 AND 2 OR NOT age = 3", false)
	check("SELECT name FROM singer WHERE age NOT BETWEEN 1 AND 2 OR name LIKE '%a%'", true)
	check("SELECT name FROM singer WHERE age IS NULL", false)
	check("SELECT name FROM singer WHERE age IN (1, 2)", false)
	check("SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)", true)
	check("SELECT name FROM singer WHERE EXISTS (SELECT * FROM concert)", false)
	check("SELECT (SELECT max(age) FROM singer) FROM singer", false)
	check("SELECT count(*) FROM (SELECT name FROM singer)", true)
	check("SELECT count(*) FROM (SELECT name FROM singer) AS s", false)
	check("SELECT name FROM singer GROUP BY name HAVING count(*) > 1 ORDER BY count(*) DESC LIMIT 3", true)
	check("SELECT name FROM singer UNION SELECT name FROM concert EXCEPT SELECT name FROM concert", true)
	check("SELECT name FROM singer UNION ALL SELECT name FROM concert", false)
	check("SELECT age + singer_id FROM singer", true)
	check("SELECT age * 2 FROM singer", false)
	check("SELECT lower(name) FROM singer", false)
	check("SELECT name FROM singer LIMIT", false)
	check("SELECT 1", false)
	check("", false)
	check("SELECT name FROM singer what follows is not read", false)
	check("SELECT name FROM singer LIMIT 3 what follows is not read", true)
}

func TestReadSurvivesNesting(t *testing.T) {
	deep := strings.Repeat("SELECT name FROM singer WHERE age = (", 5000)
	if _, err := parse(deep, namesOf(singers)); err == nil {
		t.Error("accepted")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("SELECT DISTINCT T1.name, max(T1.age) FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id")
	f.Add("SELECT count(*) FROM (SELECT name FROM singer WHERE age NOT BETWEEN 1 AND 2 OR name LIKE '%a%') LIMIT 1")
	f.Add("SELECT name FROM singer GROUP BY name HAVING count(*) > 1 ORDER BY age DESC UNION SELECT name FROM concert")
	n := namesOf(singers)
	f.Fuzz(func(t *testing.T, sql string) {
		for _, with := range []*names{n, {}} {
			if q, err := parse(sql, with); err == nil {
				level(q)
				if q.key() == "" {
					t.Error("no key")
				}
			}
		}
	})
}
