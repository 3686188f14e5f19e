package linking

import (
	"fmt"
	"strings"
	"testing"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

var ferry = new(schema.Database).Add("Route", "RouteID", "Home Port", "Length").Add("Trip", "Route", "Guests", "Day")

func TestOf(t *testing.T) {
	check := func(sql, tables, columns, texts string) {
		t.Helper()
		g, err := Of(sql, ferry)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range g.Columns {
			names = append(names, c.Table+"."+c.Column)
		}
		got := []string{strings.Join(g.Tables, " "), strings.Join(names, " "), strings.Join(g.Texts, " ")}
		if d := cmp.Diff([]string{tables, columns, texts}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", sql, d)
		}
	}
	check("SELECT guests FROM trip WHERE day = 'Mon' OR Day = 'Mon'", "Trip", "Trip.Guests Trip.Day", "Mon")
	check("SELECT count(*) FROM Trip", "Trip", "", "")
	check("SELECT * FROM Trip AS t", "Trip", "Trip.Route Trip.Guests Trip.Day", "")
	check(`SELECT "Home Port" FROM Route AS r JOIN Trip AS t ON r.RouteID = t.Route WHERE t.Day LIKE '%Mon%' AND "Home Port" = "Sund"`,
		"Route Trip", "Route.Home Port Route.RouteID Trip.Route Trip.Day", "Mon Sund")
	check("WITH x AS (SELECT Day FROM Trip) SELECT Day FROM x WHERE Day <> '%'", "Trip", "Trip.Day", "")
	check("SELECT rowid, Mast FROM Route, Elsewhere WHERE Length > 3", "Route", "Route.Length", "")
	for _, bad := range []string{"", "SELEC", "DELETE FROM Trip", "SELECT 1; SELECT 2"} {
		if _, err := Of(bad, ferry); err == nil || !strings.HasPrefix(err.Error(), "linking: read gold: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if g, err := Of("SELECT Day FROM Trip", nil); err != nil || g.Tables != nil || g.Columns != nil {
		t.Errorf("without a schema: %+v, %v", g, err)
	}
}

func TestCover(t *testing.T) {
	gold := Gold{Tables: []string{"Route", "Trip"}, Columns: []schema.ColumnName{{Table: "Route", Column: "Length"}, {Table: "Trip", Column: "Day"}}}
	check := func(g Gold, want string, kept ...schema.ColumnName) {
		t.Helper()
		c := g.Cover(kept, ferry)
		got := fmt.Sprintf("%.2f %.2f %.2f %.0f %.2f", c.Recall(), c.Precision(), c.TableRecall(), c.Strict(), c.KeptShare())
		if got != want {
			t.Errorf("%v: got %s, want %s", kept, got, want)
		}
	}
	length, day, guests := schema.ColumnName{Table: "route", Column: "LENGTH"}, schema.ColumnName{Table: "Trip", Column: "Day"}, schema.ColumnName{Table: "Trip", Column: "Guests"}
	check(gold, "1.00 1.00 1.00 1 0.33", length, day)         // 2 of 2; 2 of the 6 columns
	check(gold, "0.50 0.50 1.00 0 0.33", length, guests)      // the table is there, its column is not
	check(gold, "0.50 0.50 0.50 0 0.33", day, guests)         // nothing of Route
	check(gold, "1.00 0.67 1.00 1 0.50", length, guests, day) // 2 of the 3 kept
	check(gold, "0.00 1.00 0.00 0 0.00")
	check(Gold{Tables: []string{"Trip"}}, "1.00 0.00 0.00 0 0.17", length) // count(*) of a table that is not kept
	check(Gold{Tables: []string{"Trip"}}, "1.00 0.00 1.00 1 0.17", day)
	check(gold, "1.00 1.00 1.00 1 0.33", length, day, day) // twice is once
}

func TestRank(t *testing.T) {
	check := func(want int, text string, values ...string) {
		t.Helper()
		if got := Rank(text, values); got != want {
			t.Errorf("%q in %q: %d, want %d", text, values, got, want)
		}
	}
	check(1, "Sund", "sund", "Sund")
	check(2, "Sund", "Old Sund", "SUND")
	check(0, "Sund", "Sunde")
	check(0, "Sund")
}

func TestStored(t *testing.T) {
	g := Gold{Columns: []schema.ColumnName{{Table: "Route", Column: "Home Port"}, {Table: `o"dd`, Column: "x"}}}
	want := `SELECT EXISTS (SELECT 1 FROM "Route" WHERE "Home Port" = 'it''s' COLLATE NOCASE) OR EXISTS (SELECT 1 FROM "o""dd" WHERE "x" = 'it''s' COLLATE NOCASE)`
	if got := g.Stored(sqlite.Engine{}.Dialect(), "it's"); got != want {
		t.Errorf("got %s", got)
	}
	if got := (Gold{}).Stored(sqlite.Engine{}.Dialect(), "x"); got != "" {
		t.Errorf("got %s", got)
	}
}
