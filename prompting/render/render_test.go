package render

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/goldentest"
	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
)

// ferry is a small database with what rendering has to mind: names with spaces and key words, cells that could break
// out of a comment, columns with and without descriptions, an empty table.
func ferry() *schema.Database {
	return &schema.Database{
		Name: "ferry",
		Tables: []schema.Table{{
			Name: "Route", PrimaryKey: []string{"RouteID"}, Rows: 2, Description: "Lines that run\nall year",
			DDL: "CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, \"Home Port\" VARCHAR(20), order INT);",
			Columns: []schema.Column{
				{Name: "RouteID", Type: "INTEGER", Samples: []string{"1", "2"}, Meaning: "route number"},
				{Name: "Home Port", Type: "VARCHAR(20)", Samples: []string{"Sund", "Nord\n*/ DROP"}, Description: "where the\r\nship sleeps", Values: "a town"},
				{Name: "order"}},
			Samples: [][]string{{"1", "Sund", "NULL"}, {"2", "Nord\n*/ DROP", strings.Repeat("é", 80)}},
		}, {
			Name: "trip", Rows: 0, DDL: "CREATE TABLE trip (route INT REFERENCES Route, day DATE)",
			Columns: []schema.Column{{Name: "route", Type: "INT"}, {Name: "day", Type: "DATE"}},
		}},
		ForeignKeys: []schema.ForeignKey{{Table: "trip", Column: "route", RefTable: "Route", RefColumn: "RouteID"}},
	}
}

func TestInput(t *testing.T) {
	for _, name := range Formats().IDs() {
		cfg := configs.Schema{Format: name, Rows: 3}
		got, err := Input(Ask{DB: ferry(), Question: "Which routes\nleave Sund?", Evidence: "Sund is a home port", Cue: true}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, name+".golden", got)
		bare, err := Input(Ask{DB: ferry(), Question: "Q?"}, configs.Schema{Format: name})
		if err != nil || strings.Contains(bare, "Evidence") || strings.Contains(bare, "xample") || strings.HasSuffix(bare, "SELECT") {
			t.Errorf("%s: no rows, no evidence, no cue wanted, got %v:\n%s", name, err, bare)
		}
		if !strings.HasSuffix(bare, "Q?") {
			t.Errorf("%s: does not end with the question:\n%s", name, bare)
		}
		if Cued(cfg) != strings.HasSuffix(got, "\nSELECT") {
			t.Errorf("%s: Cued says %v of\n%s", name, Cued(cfg), got)
		}
	}
}

// TestFound: values that the question mentions stand in every format, whatever the number of example rows.
func TestFound(t *testing.T) {
	db := ferry()
	db.Tables[0].Columns[1].Found = []string{"Nord\n*/ DROP", "Old Sund"}
	db.Tables[1].Columns[1].Found = []string{"1999-01-01"}
	for _, name := range Formats().IDs() {
		for _, rows := range []int{0, 3} {
			got, err := Schema(db, configs.Schema{Format: name, Rows: rows})
			if err != nil {
				t.Fatal(err)
			}
			if rows == 3 {
				goldentest.Compare(t, name+"-found.golden", got)
			}
			for _, v := range []string{"`Old Sund`", "`Nord * / DROP`", "`1999-01-01`"} {
				if strings.Count(got, v) != 1 {
					t.Errorf("%s, %d rows: %s stands %d times in\n%s", name, rows, v, strings.Count(got, v), got)
				}
			}
		}
	}
}

// TestExamples: which examples stand beside the values found.
func TestExamples(t *testing.T) {
	check := func(rule schema.Examples, format string, ids, ports, rows bool) {
		t.Helper()
		db := ferry()
		db.Examples = rule
		db.Tables[0].Columns[1].Found = []string{"Old Sund"}
		got, err := Schema(db, configs.Schema{Format: format, Rows: 3})
		if err != nil {
			t.Fatal(err)
		}
		has := []bool{strings.Contains(got, "`1`, `2`"), strings.Contains(got, "`Sund`"), strings.Contains(got, "example rows"), strings.Contains(got, "`Old Sund`")}
		if diff := cmp.Diff([]bool{ids, ports, rows, true}, has); diff != "" {
			t.Errorf("%s, %d: %s\n%s", format, rule, diff, got)
		}
	}
	check(schema.EveryExample, "bird", true, true, false)
	check(schema.OfUnfound, "bird", true, false, false)
	check(schema.NoExample, "bird", false, false, false)
	check(schema.EveryExample, "createtable", false, false, true)
	check(schema.OfUnfound, "createtable", false, false, true)
	check(schema.NoExample, "createtable", false, false, false)
	check(schema.NoExample, "apidocs", false, false, false)
}

func TestUnknownFormat(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), `format "xml": unknown format (there are apidocs, createtable, bird)`) {
			t.Errorf("got %v", err)
		}
	}
	_, err := Schema(ferry(), configs.Schema{Format: "xml"})
	check(err)
	_, err = Input(Ask{DB: ferry()}, configs.Schema{Format: "xml"})
	check(err)
	check(Check(configs.Schema{Format: "xml"}))
}

// TestNoFile prints a description that was made without a database file: no rows are promised.
func TestNoFile(t *testing.T) {
	d := schema.New("x", []schema.Table{{Name: "t", Columns: []schema.Column{{Name: "a"}}}}, nil)
	got, err := Schema(d, configs.Schema{Format: "createtable", Rows: 3})
	if err != nil || got != "CREATE TABLE t (\n  a\n)\n\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHash(t *testing.T) {
	if h := Hash(); len(h) != 64 || h != Hash() {
		t.Errorf("got %q", h)
	}
}
