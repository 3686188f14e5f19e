package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

func TestSkeleton(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		if got := tree.Skeleton(sql); got != want {
			t.Errorf("%s:\n got %s\nwant %s", sql, got, want)
		}
	}
	check("SELECT count(*) FROM singer", "select count ( _ ) from _")
	check("SELECT name , country FROM singer ORDER BY age DESC", "select _ from _ order by _ desc")
	check("SELECT name FROM singer ORDER BY age, name LIMIT 1", "select _ from _ order by _ asc , _ asc limit _")
	check("SELECT T1.name FROM a AS T1 JOIN b AS T2 ON T1.id = T2.id AND T1.x = T2.y LEFT JOIN c ON c.i = T2.i WHERE T2.z = 'x'", "select _ from _ where _")
	check("SELECT x.name FROM a x, b y WHERE x.i = y.i AND y.n <> 3 OR x.m >= -1.5", "select _ from _ where _")
	check("SELECT `a b` FROM [t u] GROUP BY 1 HAVING count(*) > 2 ORDER BY count(*) DESC;", "select _ from _ group by _ having count ( _ ) > _ order by _ desc")
	check("SELECT n FROM t WHERE a NOT IN (SELECT b FROM u WHERE c LIKE \"%x%\") EXCEPT SELECT n FROM t", "select _ from _ where _ not in ( select _ from _ where _ like _ ) except select _ from _")
	check("SELECT avg(a * 2), t.* FROM t", "select avg ( _ * _ ) , _ from _")
	check("SELECT DISTINCT * FROM t WHERE a BETWEEN 1 AND 2", "select distinct _ from _ where _ between _ and _")
	check("SELECT a FROM t ORDER BY sum(x, (y", "select _ from _ order by _ asc")
	check("SELECT T1.ties FROM match AS T1 JOIN range ON T1.id = range.id", "select _ from _")
	check("SELECT FROM WHERE (", "select from where (")
	check("", "")
	check("\x00\xff", "")
	check(strings.Repeat("a ", tree.MaxTokens+1), "")
}

func TestPartsOf(t *testing.T) {
	db := schema.New("x", []schema.Table{
		{Name: "Ship", PrimaryKey: []string{"Id"}, Columns: []schema.Column{{Name: "Id"}, {Name: "Name"}, {Name: "Flag"}}},
		{Name: "Trip", Columns: []schema.Column{{Name: "Ship"}, {Name: "Guests"}}}}, nil)
	check := func(sql string, want ...string) {
		t.Helper()
		s, err := tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		p := tree.PartsOf(s, db)
		got := fmt.Sprint(p.Tables, p.Asked, p.Joins, p.Values, p.Nested)
		if got != want[0] || p.Unjoined != want[1] {
			t.Errorf("%s:\n got %s | %s\nwant %s | %s", sql, got, p.Unjoined, want[0], want[1])
		}
	}
	check("SELECT name FROM ship", "[Ship] [{Ship Name}] [] [] false", "SELECT Ship.Name")
	check("SELECT T1.name, count(*) FROM ship AS T1 JOIN trip AS T2 ON T1.id = T2.ship WHERE guests > 100 AND flag = \"N\" GROUP BY T1.id ORDER BY count(*) LIMIT 3",
		"[Ship Trip] [{Ship Name} {Trip Guests} {Ship Flag}] [[{Ship Id} {Trip Ship}]] [100 'N'] false",
		"SELECT Ship.Name, count(*) WHERE Trip.Guests > 100 AND Ship.Flag = \"N\" GROUP BY Ship.Id ORDER BY count(*) LIMIT 3")
	check("SELECT a.name FROM ship a, trip b WHERE a.id = b.ship", "[Ship Trip] [{Ship Name}] [[{Ship Id} {Trip Ship}]] [] false", "SELECT Ship.Name WHERE Ship.Id = Trip.Ship")
	check("SELECT name FROM ship WHERE id IN (SELECT ship FROM trip)", "[Ship Trip] [{Ship Name} {Ship Id} {Trip Ship}] [] [] true", "SELECT Ship.Name WHERE Ship.Id IN (SELECT Trip.Ship)")
	check("SELECT name FROM (SELECT name FROM ship)", "[Ship] [{Ship Name}] [] [] true", "SELECT name FROM (SELECT Ship.Name)")
	check("SELECT flag FROM ship UNION SELECT 'x' FROM ship", "[Ship] [{Ship Flag}] [] ['x'] true", "SELECT Ship.Flag UNION SELECT 'x'")
	check("SELECT 1", "[] [] [] [1] false", "SELECT 1")
	check("DELETE FROM ship", "[] [] [] [] false", "")
}
