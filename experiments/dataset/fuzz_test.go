package dataset

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/prompting/sql/schema"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// seedFrom adds the archive's files with one of the endings.
func seedFrom(f *testing.F, archive string, endings ...string) {
	f.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		for _, e := range endings {
			if strings.HasSuffix(file.Name, e) {
				f.Add(file.Data)
			}
		}
	}
}

// FuzzQuestions: an item that is kept can be asked, and ids are unique.
func FuzzQuestions(f *testing.F) {
	seedFrom(f, "spider.txtar", ".json")
	seedFrom(f, "bird.txtar", ".json")
	f.Fuzz(func(t *testing.T, b []byte) {
		items, bad, err := parseQuestions(b, birdForm)
		if err != nil && (items != nil || bad != nil) {
			t.Error("items beside an error")
		}
		identify(items)
		seen := map[string]bool{}
		for _, it := range items {
			if it.question == "" || it.db == "" || seen[it.id] || strings.ContainsAny(it.id[len(it.id)-1:], "/ \n") {
				t.Errorf("kept %+v", it)
			}
			seen[it.id] = true
		}
	})
}

// FuzzTables: whatever is kept makes a schema.
func FuzzTables(f *testing.F) {
	seedFrom(f, "spider.txtar", "tables.json")
	seedFrom(f, "bird.txtar", "dev_tables.json", "by_table.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		tables, _, err := parseTables(b, nil)
		if err != nil {
			return
		}
		for db, e := range tables {
			n := len(e.Tables)
			d := schema.New(db, e.Tables, e.ForeignKeys)
			tables.apply(db, d)
			if len(d.Tables) != n {
				t.Errorf("%q: %d tables and %d", db, n, len(d.Tables))
			}
		}
	})
}

func FuzzText2SQL(f *testing.F) {
	seedFrom(f, "text2sql.txtar", ".json")
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, split := range []string{"all", "test", "0"} {
			items, _, err := parseText2SQL(b, "set", split, "query")
			for _, it := range items {
				if it.question == "" || err != nil {
					t.Errorf("kept %+v, %v", it, err)
				}
			}
		}
	})
}

func FuzzDescriptions(f *testing.F) {
	seedFrom(f, "bird.txtar", ".csv")
	seedFrom(f, "text2sql.txtar", ".csv")
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parseDescription(b)
		if e, err := parseSchemaCSV(b); err == nil {
			tableFile{"x": e}.apply("x", &schema.Database{})
			schema.New("x", e.Tables, e.ForeignKeys)
		}
	})
}

// FuzzSkim: what the skimmer takes from well-formed JSON is what encoding/json takes.
func FuzzSkim(f *testing.F) {
	seedFrom(f, "spider.txtar", ".json")
	for _, s := range []string{`[{"a": "x\\\"", "b": [1, {"c": "]"}]}, null, -1.5e3, "é\u0041"]`, `[]`, `[{}]`, `[1,]`, `{"a":1,"a":2}`, `["a" "b"]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var list []json.RawMessage
		valid := json.Unmarshal(b, &list) == nil && list != nil
		got, ok := elements(b)
		if !valid {
			return
		}
		if !ok || len(got) != len(list) {
			t.Fatalf("%d elements of %d in %q", len(got), len(list), b)
		}
		for i, raw := range list {
			if string(raw) != string(got[i]) {
				t.Fatalf("element %d: %q, want %q", i, got[i], raw)
			}
			var want map[string]json.RawMessage
			have := map[string]json.RawMessage{}
			if json.Unmarshal(raw, &want) == nil && want != nil && members(raw, func(name, value []byte) { have[string(name)] = value }) {
				if d := cmp.Diff(want, have); d != "" && utf8.Valid(raw) {
					t.Fatal(d)
				}
			}
			var s string
			isText := raw[0] == '"' && json.Unmarshal(raw, &s) == nil
			if u, ok := unquote(raw); ok != isText || u != s {
				t.Fatalf("%q read as %q %v, want %q %v", raw, u, ok, s, isText)
			}
		}
	})
}
