package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/values"
)

// largest are the databases that the latencies are measured on.
var largest = []string{"bird/stand_in/database/formula_1", "spider/database/wta_1", "spider/database/bike_1", "spider/database/sakila_1", "spider/database/flight_4"}

// actions has for each tool what is asked of any database.
var actions = map[string]string{
	SearchColumn:     `SearchColumn("name of the person")`,
	SearchValue:      `SearchValue("San Jose international")`,
	FindShortestPath: "",
	ExecuteSQL:       `ExecuteSQL("SELECT count(*) FROM sqlite_master")`,
}

func BenchmarkTools(b *testing.B) {
	for _, dir := range largest {
		file := filepath.Join("../../../shared/data", dir, filepath.Base(dir)+".sqlite")
		if _, err := os.Stat(file); err != nil {
			b.Skip("no shared data")
		}
		db, err := sqlite.Engine{}.Describe(context.Background(), file, engine.Detail{Rows: -1, Values: -1})
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{SearchColumn, SearchValue, FindShortestPath, ExecuteSQL} {
			text := actions[name]
			if name == FindShortestPath {
				text = Action{Name: name, Args: []Arg{{Text: db.Tables[0].Name}, {Text: db.Tables[len(db.Tables)-1].Name}}}.String()
			}
			b.Run(db.Name+"/"+name, func(b *testing.B) { benchmarkWarm(b, db, file, text) })
			b.Run(db.Name+"/"+name+"/first", func(b *testing.B) { benchmarkFirst(b, db, file, text) })
		}
	}
}

// benchmarkWarm is a call after others on the same database.
func benchmarkWarm(b *testing.B, db *schema.Database, file, text string) {
	box := sandbox.New(sandbox.Options{})
	cache := NewCache(0)
	defer cache.Close()
	o := Options{Cache: cache, Index: values.Options{Dir: b.TempDir()}}
	first, err := New(db, sqlite.DB(file), box, o)
	if err != nil {
		b.Fatal(err)
	}
	call(b, first, text)
	for b.Loop() {
		s, err := New(db, sqlite.DB(file), box, o) // as for each question
		if err != nil {
			b.Fatal(err)
		}
		call(b, s, text)
	}
}

// benchmarkFirst is the first call ever on a database: indexes are built, statistics read.
func benchmarkFirst(b *testing.B, db *schema.Database, file, text string) {
	for b.Loop() {
		box := sandbox.New(sandbox.Options{})
		s, err := New(db, sqlite.DB(file), box, Options{Index: values.Options{Dir: b.TempDir()}})
		if err != nil {
			b.Fatal(err)
		}
		call(b, s, text)
		s.Close()
	}
}

// BenchmarkJoin is FindShortestPath over 100 tables of 100 columns, joined in a ring with a chord from every tenth.
func BenchmarkJoin(b *testing.B) {
	var tables []schema.Table
	var keys []schema.ForeignKey
	for i := range 100 {
		t := schema.Table{Name: fmt.Sprintf("table%02d", i)}
		for j := range 100 {
			t.Columns = append(t.Columns, schema.Column{Name: fmt.Sprintf("column%02d", j), Type: "TEXT"})
		}
		keys = append(keys, schema.ForeignKey{Table: t.Name, Column: "column01", RefTable: fmt.Sprintf("table%02d", (i+1)%100), RefColumn: "column00"})
		if i%10 == 0 {
			keys = append(keys, schema.ForeignKey{Table: t.Name, Column: "column02", RefTable: fmt.Sprintf("table%02d", (i+50)%100), RefColumn: "column00"})
		}
		tables = append(tables, t)
	}
	db := schema.New("wide", tables, keys)
	box := sandbox.New(sandbox.Options{})
	const action = `FindShortestPath("table03.column77", "table58.column99")`
	run := func(b *testing.B, o func() Options) {
		for b.Loop() {
			s, err := New(db, engine.DB{}, box, o())
			if err != nil {
				b.Fatal(err)
			}
			call(b, s, action)
		}
	}
	cache := NewCache(0)
	b.Run("warm", func(b *testing.B) { run(b, func() Options { return Options{Cache: cache} }) })
	b.Run("first", func(b *testing.B) { run(b, func() Options { return Options{} }) })
	b.Run("layers", func(b *testing.B) {
		db = layers(20, 5)
		cache := NewCache(0)
		for b.Loop() {
			s, err := New(db, engine.DB{}, box, Options{Cache: cache})
			if err != nil {
				b.Fatal(err)
			}
			call(b, s, `FindShortestPath("t0_0", "t19_4")`)
		}
	})
}
