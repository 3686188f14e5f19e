package goldcheck

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-sqlite3"

	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
)

const shop = `
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER, code TEXT, "shelf no" TEXT);
INSERT INTO item VALUES (1,'pen',2.5,10,'9','a'), (2,'ink',2.5,20,'10','b'), (3,'pad',7.0,NULL,'200','c'),
 (4,'cup',9.0,40,'30','d'), (5,'pen',9.5,50,'4','e');
CREATE TABLE sale (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item(id), day DATE, qty INTEGER);
INSERT INTO sale VALUES (1,1,'2024-01-01',3), (2,1,'2024-01-02',3), (3,2,'2024-01-02',1), (4,4,'2024-01-03',5);`

// file makes a database and gives its path.
func file(t testing.TB, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	c, err := (&sqlite3.SQLiteDriver{}).Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.(*sqlite3.SQLiteConn).ExecContext(context.Background(), script, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheck(t *testing.T) {
	path := file(t, "shop.sqlite", shop)
	box := sandbox.New(sandbox.Options{})
	check := func(gold string, want ...string) {
		t.Helper()
		found, err := Check(t.Context(), box, []metrics.Case{{Item: "x/y/1", Database: sqlite.DB(path), Gold: gold}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Rule)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s%v", gold, diff, found)
		}
	}
	check("SELECT name, price FROM item WHERE id = 1")
	check("SELECT nowhere FROM item", "error")
	check("DROP TABLE item", "error")
	check("SELECT FROM item", "error", "unread")
	check("SELECT id FROM item WHERE id > 9", "empty")
	check("SELECT name FROM item", "duplicates")
	check("SELECT DISTINCT name FROM item")
	check("SELECT name FROM item ORDER BY price LIMIT 1", "limit-tie")
	check("SELECT name FROM item ORDER BY price DESC LIMIT 1")
	check("SELECT price FROM item ORDER BY price LIMIT 1")
	check("SELECT name FROM item ORDER BY price LIMIT 2", "order-tie")
	check("SELECT id FROM item LIMIT 2", "limit-without-order")
	check("SELECT id FROM item LIMIT 5")
	check("SELECT id, name FROM item ORDER BY name", "order-tie", "selected-key")
	check("SELECT id FROM item ORDER BY name DESC, id")
	check("SELECT DISTINCT price FROM item ORDER BY price")
	check("SELECT id FROM item WHERE price = (SELECT price FROM item WHERE id < 3 ORDER BY name LIMIT 1)")
	check("SELECT id FROM item WHERE id = (SELECT id FROM item ORDER BY price LIMIT 1)", "limit-tie")
	check("SELECT item_id, count(*) FROM sale GROUP BY item_id ORDER BY count(*) DESC LIMIT 1", "selected-key")
	check("SELECT item_id, count(*) FROM sale GROUP BY item_id ORDER BY count(*) LIMIT 1", "limit-tie", "selected-key")
	check("SELECT item_id, qty FROM sale GROUP BY 1 ORDER BY count(*), 2 DESC LIMIT 2", "selected-key")
	check("SELECT item_id FROM sale GROUP BY 1 ORDER BY count(*) LIMIT 1", "limit-tie")
	check("SELECT name FROM item UNION SELECT day FROM sale ORDER BY name LIMIT 2")
	check("SELECT T2.name, count(*) FROM sale AS T1 JOIN item AS T2 ON T1.item_id = T2.id GROUP BY T1.item_id")
	check("SELECT day, count(*) FROM sale GROUP BY item_id", "bare-column")
	check("SELECT id, max(price) FROM item")
	check("SELECT name, min(price) FROM item", "bare-column")
	check("SELECT id, sum(price) FROM item", "bare-column")
	check("SELECT abs(random()) > -1 FROM item WHERE id = 1", "volatile")
	check("SELECT id FROM sale WHERE day < date('now') AND id = 1", "volatile")
	check("SELECT id FROM sale WHERE day < CURRENT_DATE AND id = 1", "volatile")
	check("SELECT date('2024-01-01')")
	check("SELECT name FROM item ORDER BY stock LIMIT 1", "nulls-first")
	check("SELECT name FROM item WHERE stock > 0 ORDER BY stock LIMIT 1")
	check("SELECT name FROM item WHERE code = 9", "text-with-number")
	check("SELECT name FROM item WHERE stock > 'many'", "empty", "number-with-text")
	check("SELECT name FROM item WHERE stock = '10'")
	check("SELECT id FROM sale WHERE day = '2024-01-01'")
	check("SELECT id FROM item ORDER BY code", "numbers-as-text")
	check("SELECT max(code) FROM item", "numbers-as-text")
	check("SELECT id FROM item WHERE code > '5'", "numbers-as-text")
	check("SELECT id FROM item WHERE `shelf no` > 'd'")
	check("SELECT id, name FROM item WHERE name = 'ink'", "selected-constant")
	check("SELECT b.id, b.name FROM item AS a JOIN item AS b ON a.id < b.id WHERE a.name = 'ink'")
	check("SELECT a.id, a.name FROM item AS a JOIN item AS b ON a.id < b.id WHERE A.name = 'ink'", "duplicates", "selected-constant")
}

func TestCheckTooLarge(t *testing.T) {
	box := sandbox.New(sandbox.Options{MaxRows: 3})
	found, err := Check(t.Context(), box, []metrics.Case{{Item: "a", Database: sqlite.DB(file(t, "shop.sqlite", shop)), Gold: "SELECT id FROM item"}})
	if err != nil || len(found) != 1 || found[0].Rule != "timeout" || found[0].Severity != Fatal {
		t.Errorf("%v, %v", found, err)
	}
}

func TestCheckSuite(t *testing.T) {
	first := file(t, "shop.sqlite", shop)
	second := file(t, "shop_fuzz_01.sqlite", "CREATE TABLE item (id, name)")
	box := sandbox.New(sandbox.Options{})
	check := func(gold string, want ...string) {
		t.Helper()
		c := metrics.Case{Item: "a", Database: sqlite.DB(first), Suite: []engine.DB{sqlite.DB(first), sqlite.DB(second)}, Gold: gold}
		again := c
		again.Item = "b"
		found, err := Check(t.Context(), box, []metrics.Case{c, again})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Item+" "+f.Rule+" "+f.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", gold, diff)
		}
	}
	check("SELECT id FROM item")
	check("SELECT id FROM item WHERE name = 'x'", "a empty no rows on 2 databases", "b empty no rows on 2 databases")
	check("SELECT id FROM sale", "a error shop_fuzz_01.sqlite: no such table: sale", "b error shop_fuzz_01.sqlite: no such table: sale")
}

func TestCheckFails(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	found, err := Check(t.Context(), box, []metrics.Case{{Item: "a", Database: sqlite.DB("/nowhere"), Gold: "SELECT 1"}})
	if err != nil || len(found) != 1 || found[0].Rule != "no-database" || found[0].Text != "database nowhere cannot be read: no such file or directory" {
		t.Errorf("a missing database: %+v %v", found, err)
	}
	found, err = Check(t.Context(), box, []metrics.Case{{Item: "a", DB: "shop", Gold: "SELECT 1"}})
	if err != nil || len(found) != 1 || found[0].Rule != "no-database" || found[0].Text != "no database shop" {
		t.Errorf("without a database: %+v %v", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Check(ctx, box, []metrics.Case{{Item: "a", Database: sqlite.DB(file(t, "s.sqlite", shop)), Gold: "SELECT 1"}}); err == nil {
		t.Error("a cancelled context is no error")
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.ID] || r.Doc == "" || !slices.Contains([]Severity{Fatal, Risk, Note}, r.Severity) {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
}

func TestOverrides(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		o, err := parseOverrides(strings.NewReader(text), "f.csv")
		got := ""
		for _, v := range o.List {
			if v.Exclude {
				v.SQL = "-"
			}
			got += v.Item + "|" + v.Reason + "|" + v.SQL + ";"
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	const head = "item,reason,sql\n"
	check(head+"a/b/1,wrong table,SELECT 1\na/b/2,\"no, never\",exclude\n", "a/b/1|wrong table|SELECT 1;a/b/2|no, never|-;")
	check("\ufeff"+head, "")
	check(head+"a,why,\"SELECT 1,\n 2\"\nb,,exclude\n", "f.csv:4: reason is empty")
	check("", "f.csv:1: the header item,reason,sql is missing")
	check("id,reason,sql\n", `f.csv:1: the header is "id,reason,sql", not item,reason,sql`)
	check(head+"a,why\n", "f.csv:2: 2 fields, want 3")
	check(head+"a,why,x\n\na,why,y\n", `f.csv:4: item "a" is on line 2 already`)
	check(head+"a,why,\"x\n", "f.csv:2: extraneous or missing \" in quoted-field")
}

func TestReadOverrides(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.csv")
	if err := os.WriteFile(path, []byte("item,reason,sql\na/b/1,tie,exclude\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o, err := ReadOverrides(path)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := o.Find("a/b/1"); !ok || !v.Exclude || v.Reason != "tie" {
		t.Errorf("found %+v, %t", v, ok)
	}
	if _, ok := o.Find("a/b/2"); ok {
		t.Error("found what is not there")
	}
	if _, err := ReadOverrides(path + ".not"); err == nil {
		t.Error("a missing file is no error")
	}
}

func FuzzOverrides(f *testing.F) {
	f.Add("item,reason,sql\na,b,exclude\n")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseOverrides(strings.NewReader(text), "f.csv")
		if err == nil {
			for _, v := range o.List {
				if v.Item == "" || (v.SQL == "") != v.Exclude {
					t.Errorf("%+v", v)
				}
			}
		}
	})
}

func FuzzInstabilities(f *testing.F) {
	f.Add("SELECT id FROM item ORDER BY price, (SELECT 1) LIMIT 2")
	f.Add("SELECT name, max(price) FROM item GROUP BY (code) HAVING count(*) > 0")
	path := file(f, "shop.sqlite", shop)
	box := sandbox.New(sandbox.Options{MaxRows: 100, Timeout: 1e8})
	f.Fuzz(func(t *testing.T, sql string) {
		stmt, err := tree.Parse(sql)
		if err != nil {
			return
		}
		if _, err := Instabilities(t.Context(), box, sqlite.DB(path), stmt); err != nil {
			t.Error(err)
		}
	})
}

func TestByRule(t *testing.T) {
	counts := ByRule([]Finding{{Item: "a", Rule: "empty"}, {Item: "b", Rule: "empty"}, {Item: "b", Rule: "empty"}})
	for _, c := range counts {
		if c.ID == "empty" && (c.Findings != 3 || c.Items != 2 || c.First.Item != "a") {
			t.Errorf("%+v", c)
		}
	}
	if len(counts) != len(rules) {
		t.Errorf("%d rules", len(counts))
	}
}
