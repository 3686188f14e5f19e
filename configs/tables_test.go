package configs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tabled = `name = "t"
[dataset]
kind = "sample"
[[arm]]
name = "a"
method = "standard"
[sweep]
temperature = [0, 1]
`

func TestTables(t *testing.T) {
	e, err := Parse("t.toml", []byte(tabled+`
[[table]]
name = "mine"
rows = ["arm", "temperature"]
columns = ["hardness"]
cells = ["ts", "items"]
interval = true
`), known)
	if err != nil {
		t.Fatal(err)
	}
	want := []Table{{Name: "mine", Rows: []string{"arm", "temperature"}, Columns: []string{"hardness"}, Cells: []string{"ts", "items"}, Interval: true}}
	if d := cmp.Diff(want, e.Tables); d != "" {
		t.Error(d)
	}
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.toml", text, known)
	if d := cmp.Diff(e, again, besidesKnown); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestTablesThatLeadNowhere(t *testing.T) {
	check := func(table string, want ...string) {
		t.Helper()
		_, err := Parse("t.toml", []byte(tabled+table), known)
		if err == nil {
			t.Fatalf("%s: no error", table)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v\nwant %q", table, err, w)
			}
		}
	}
	check("[[table]]\nname = \"x\"", "t.toml:9: table 1: rows is missing", "cells is missing")
	check("[[table]]\nname = \"x\"\nrows = [\"amr\"]\ncells = [\"ts\"]", `t.toml:11: table: rows: unknown "amr"; did you mean "arm"?`)
	check("[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncells = [\"em\"]", `the metric "em" is none of the experiment's: ts, ex`)
	check("[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncells = [\"tss\"]", `did you mean "ts"?`)
	check("[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncolumns = [\"arm\"]\ncells = [\"ts\"]", `"arm" is in rows and in columns`)
	check("[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncells = [\"ts\"]\narms = [\"b\"]", `there is no arm "b"`)
	check("[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncells = [\"ts\"]\n[[table]]\nname = \"x\"\nrows = [\"arm\"]\ncells = [\"ts\"]",
		`t.toml:14: table "x" is defined twice, first on line 9`)
	check("[table]\nname = \"x\"", "table must be a list of tables: write [[table]]")
}
