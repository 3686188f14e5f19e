// Package enginetest holds an engine to what package engine promises of every one.
//
// A test of an engine makes the database that Shelf describes, in the engine's own way, and calls Conform with its handle.
// Nothing here may depend on one engine's SQL beyond SELECT, names and literals as the engine's dialect writes them.
package enginetest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// Shelf is the table that the database must have: a name that has to be quoted, a key, a text and no more rows than
// these.
var Shelf = struct {
	Table, Key, Text string
	Titles           []string // of the rows with the keys 1, 2, 3
}{"book shelf", "id", "title", []string{"Kelp", "O'Mere", "日本"}}

// limits are wide enough for every statement here but those that are to meet one.
var limits = engine.Limits{Time: time.Minute, MaxRows: 100, MaxBytes: 1 << 20, MaxValue: 1 << 16}

// Conform checks the engine of a database that holds Shelf and nothing else.
func Conform(t *testing.T, db engine.DB) {
	t.Run("dialect", func(t *testing.T) { dialect(t, db) })
	t.Run("statements", func(t *testing.T) { statements(t, db) })
	t.Run("limits", func(t *testing.T) { caps(t, db) })
	t.Run("read-only", func(t *testing.T) { readOnly(t, db) })
	t.Run("describe", func(t *testing.T) { describe(t, db) })
	t.Run("missing", func(t *testing.T) { missing(t, db.Engine) })
}

// run runs one text.
func run(ctx context.Context, db engine.DB, l engine.Limits, sql string) (*engine.Result, error) {
	s, err := db.Engine.Statement(sql)
	if err != nil {
		return nil, err
	}
	return db.Engine.Run(ctx, db.Source, s, l)
}

// selecting is a query of Shelf's text column, in the order of its key.
func selecting(db engine.DB) string {
	q := db.Engine.Dialect().Quote
	return "SELECT " + q(Shelf.Text) + " FROM " + q(Shelf.Table) + " ORDER BY " + q(Shelf.Key)
}

// dialect: what is printed is read back as the same thing.
func dialect(t *testing.T, db engine.DB) {
	d := db.Engine.Dialect()
	if d.Name == "" || d.Version == "" {
		t.Errorf("an engine has a name and a version: %+v", d)
	}
	names, err := d.Functions()
	if err != nil || len(names) == 0 {
		t.Errorf("%d functions, %v", len(names), err)
	}
	for _, v := range []engine.Value{engine.OfInt(-7), engine.OfInt(math.MaxInt64), engine.OfReal(0.1), engine.OfReal(-1e300),
		engine.OfText(""), engine.OfText(`it's "so" \ 日本`), engine.OfBlob([]byte{0, 255}), {}} {
		res, err := run(t.Context(), db, limits, "SELECT "+d.Literal(v))
		if err != nil || len(res.Rows) != 1 || res.Rows[0][0] != v {
			t.Errorf("%s reads back as %+v, %v", d.Literal(v), res, err)
		}
	}
	for _, name := range []string{"select", "two words", `a"b`, "it's"} {
		res, err := run(t.Context(), db, limits, "SELECT 1 AS "+d.Quote(name))
		if err != nil || res.Columns[0] != name {
			t.Errorf("%s names %+v, %v", d.Quote(name), res, err)
		}
	}
}

// kind is the kind of an error; "" for none, and for one that is no *engine.Error.
func kind(err error) engine.ErrorKind {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e.Kind
	}
	return ""
}

func statements(t *testing.T, db engine.DB) {
	res, err := run(t.Context(), db, limits, " "+selecting(db)+" ; -- all of them\n")
	if err != nil || len(res.Rows) != len(Shelf.Titles) || res.Columns[0] != Shelf.Text {
		t.Fatalf("%+v, %v", res, err)
	}
	for i, want := range Shelf.Titles {
		if got := res.Rows[i][0]; got != engine.OfText(want) {
			t.Errorf("row %d: %v, want %s", i, got, want)
		}
	}
	for sql, want := range map[string]engine.ErrorKind{"": engine.SQL, "SELEC 1": engine.SQL, "SELECT nothing_of_that_name": engine.SQL,
		"SELECT 1; SELECT 2": engine.Rejected, "SELECT ';'": ""} {
		if _, err := run(t.Context(), db, limits, sql); kind(err) != want || (err != nil) != (want != "") {
			t.Errorf("%q: %v, want kind %q", sql, err, want)
		}
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := run(gone, db, limits, selecting(db)); err == nil {
		t.Error("a statement ran although its context was done")
	}
	s, err := db.Engine.Statement(selecting(db))
	if err != nil {
		t.Fatal(err)
	}
	read, err := db.Engine.Reads(t.Context(), db.Source, s, limits)
	if want := (schema.ColumnName{Table: Shelf.Table, Column: Shelf.Text}); err != nil || len(read) == 0 || read[len(read)-1] != want {
		t.Errorf("reads %v, %v, want %v last", read, err, want)
	}
	if x, err := db.Engine.Explain(t.Context(), db.Source, s, limits); err != nil || len(x.Columns) != 1 || len(x.Plan.Rows) == 0 {
		t.Errorf("explained as %+v, %v", x, err)
	}
}

// caps: a result that grows past a limit is a Timeout that names it, or the rows so far.
func caps(t *testing.T, db engine.DB) {
	check := func(l engine.Limits, want engine.Limit) {
		t.Helper()
		_, err := run(t.Context(), db, l, selecting(db))
		if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != engine.Timeout || e.Limit != want {
			t.Errorf("%+v: %v, want limit %q", l, err, want)
		}
	}
	few, small := limits, limits
	few.MaxRows, small.MaxBytes = 2, 1
	check(few, engine.RowCap)
	check(small, engine.ByteCap)
	few.Truncate = true
	if res, err := run(t.Context(), db, few, selecting(db)); err != nil || len(res.Rows) != 2 || !res.Truncated {
		t.Errorf("the rows so far: %+v, %v", res, err)
	}
}

// readOnly: what would change the database is refused, and leaves it as it was.
func readOnly(t *testing.T, db engine.DB) {
	q := db.Engine.Dialect().Quote
	before, err := db.Engine.Digest(t.Context(), db.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DELETE FROM " + q(Shelf.Table), "UPDATE " + q(Shelf.Table) + " SET " + q(Shelf.Text) + " = 'x'",
		"DROP TABLE " + q(Shelf.Table), "CREATE TABLE t (a INTEGER)", "INSERT INTO " + q(Shelf.Table) + " VALUES (4, 'x')"} {
		if _, err := run(t.Context(), db, limits, sql); kind(err) != engine.Rejected {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if after, err := db.Engine.Digest(t.Context(), db.Source); err != nil || after != before {
		t.Errorf("the database changed: %v", err)
	}
}

func describe(t *testing.T, db engine.DB) {
	for _, read := range []func() (*schema.Database, error){
		func() (*schema.Database, error) { return db.Engine.Describe(t.Context(), db.Source, engine.Detail{}) },
		func() (*schema.Database, error) { return db.Engine.Outline(t.Context(), db.Source) }} {
		d, err := read()
		if err != nil || len(d.Tables) != 1 || d.Tables[0].Name != Shelf.Table || len(d.Tables[0].Columns) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	cells, err := db.Engine.Cells(db.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer cells.Close()
	var texts []string
	err = cells.Texts(t.Context(), Shelf.Table, Shelf.Text, 100, func(s string) error { texts = append(texts, s); return nil })
	if err != nil || strings.Join(texts, "|") != strings.Join(Shelf.Titles, "|") {
		t.Errorf("texts %q, %v", texts, err)
	}
}

// missing: a database that is not there is nobody's SQL.
func missing(t *testing.T, e engine.Engine) {
	const nowhere = "/no such folder/nothing"
	if _, err := e.Stamp(nowhere); err == nil {
		t.Error("a stamp of nothing")
	}
	if _, err := e.Describe(t.Context(), nowhere, engine.Detail{}); err == nil || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("described: %v", err)
	}
}
