package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each fact: a query, what returns its keys, and where they are among so many columns; empty where there is none.
func TestWithKeys(t *testing.T) {
	check := func(sql string, limit bool, want string, columns int, places ...int) {
		t.Helper()
		s, err := Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		k, ok := WithKeys(s, s.Query, limit)
		if ok != (want != "") {
			t.Fatalf("%s: ok is %v", sql, ok)
		}
		if ok && k.SQL != want {
			t.Errorf("%s:\ngot  %s\nwant %s", sql, k.SQL, want)
		}
		if diff := cmp.Diff(places, k.Keys(columns)); ok && diff != "" {
			t.Errorf("%s: (-want +got)\n%s", sql, diff)
		}
	}
	same := func(sql string, columns int, places ...int) {
		t.Helper()
		check(sql, true, sql, columns, places...)
	}
	same("SELECT a, b FROM t ORDER BY b DESC, a", 2, 1, 0)
	same("SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n", 2, 1)
	same("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*)", 2, 1)
	same("SELECT * FROM t ORDER BY 2", 3, 1)
	same("SELECT DISTINCT a FROM t ORDER BY a", 1, 0)
	same("SELECT a FROM t UNION SELECT b FROM u ORDER BY a", 1, 0)
	check("SELECT a FROM t ORDER BY b", true, "SELECT a , b FROM t ORDER BY b", 2, 1)
	check("SELECT t.* FROM t ORDER BY b", true, "SELECT t.* , b FROM t ORDER BY b", 4, 3)
	check("SELECT a, b FROM t GROUP BY 1 ORDER BY count(*), 2", true, "SELECT a, b , count(*) FROM t GROUP BY 1 ORDER BY count(*), 2", 3, 2, 1)
	check("SELECT (SELECT x FROM u), a FROM t ORDER BY b LIMIT 3", true, "SELECT (SELECT x FROM u), a , b FROM t ORDER BY b LIMIT 3", 3, 2)
	check("SELECT a FROM t ORDER BY b, c LIMIT 3 OFFSET 1", false, "SELECT a , b, c FROM t ORDER BY b, c ", 3, 1, 2)
	check("SELECT a FROM t LIMIT 1, 3", false, "SELECT a FROM t ", 1, []int{}...)
	check("WITH w AS (SELECT 1 AS a LIMIT 1) SELECT a FROM w ORDER BY -a", true, "WITH w AS (SELECT 1 AS a LIMIT 1) SELECT a , -a FROM w ORDER BY -a", 2, 1)
	check("SELECT DISTINCT a FROM t ORDER BY b", true, "", 0)
	check("SELECT a FROM t UNION SELECT b FROM u ORDER BY a + 1", true, "", 0)
	check("SELECT 1 ORDER BY 1 + 1", true, "", 0)
}
