package predictions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
)

// fitted prints what items get: "sql@line" each, sources and databases where there are any.
func fitted(t *testing.T, text string, dbs ...string) (string, error) {
	t.Helper()
	f, err := Parse("file", []byte(text))
	if err != nil {
		return "", err
	}
	items := make([]Item, len(dbs))
	for i, db := range dbs {
		items[i] = Item{ID: fmt.Sprintf("set/dev/q%d", i), DB: db}
	}
	es, err := f.Fit(items, "set/dev")
	if err != nil {
		return "", err
	}
	parts := make([]string, len(es))
	for i, e := range es {
		var all []string
		for _, c := range e.Candidates {
			if c.Source != "" {
				c.SQL += "<" + c.Source
			}
			all = append(all, c.SQL)
		}
		parts[i] = fmt.Sprintf("%s@%d", strings.Join(all, "+"), e.Line)
	}
	return strings.Join(parts, " | "), nil
}

func TestFit(t *testing.T) {
	check := func(text, want string, dbs ...string) {
		t.Helper()
		if got, err := fitted(t, text, dbs...); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	// Lines.
	check("SELECT 1\nSELECT 2\n", "SELECT 1@1 | SELECT 2@2", "a", "b")
	check("SELECT 1\r\nSELECT 2", "SELECT 1@1 | SELECT 2@2", "a", "b")
	check("\ufeffSELECT 1\ta\n SELECT 2 \tb \n", "SELECT 1@1 | SELECT 2@2", "a", "b")
	check("SELECT 1\tFROM t\n", "SELECT 1\tFROM t@1", "a")
	check("SELECT\t1\ta\n", "SELECT\t1@1", "a")
	check("{SELECT 1}\n", "{SELECT 1}@1", "a")
	// A blank line predicts nothing where the lines are as many as the items, at the end too.
	check("SELECT 1\n\nSELECT 3\n", "SELECT 1@1 | @2 | SELECT 3@3", "a", "a", "a")
	check("SELECT 1\n\n", "SELECT 1@1 | @2", "a", "a")
	check("SELECT 1\n\nSELECT 3\n\n\n", "SELECT 1@1 | @2 | SELECT 3@3", "a", "a", "a")
	// Otherwise it ends a session.
	check("SELECT 1\nSELECT 2\n\nSELECT 3\n", "SELECT 1@1 | SELECT 2@2 | SELECT 3@4", "a", "a", "a")
	check("", "")
	// BIRD's.
	check(`{"0": "SELECT 1\t----- bird -----\ta", "1": "SELECT 2"}`, "SELECT 1@1 | SELECT 2@1", "a", "b")
	check("{\n\"1\": \"SELECT 2\",\n\"0\": 0\n}", "@3 | SELECT 2@2", "a", "b")
	check(`{"q1": "SELECT 2", "set/dev/q0": "SELECT 1"}`, "SELECT 1@1 | SELECT 2@1", "a", "b")
	check(`{}`, "")
	// JSONL.
	check("{\"id\": \"q1\", \"candidates\": [{\"sql\": \"SELECT 2\", \"source\": \"x\"}, {\"sql\": \"SELECT 3\"}]}\n\n{\"id\": \"set/dev/q0\", \"candidates\": []}",
		"@3 | SELECT 2<x+SELECT 3@1", "a", "b")
	check("{\"id\": 1, \"sql\": \"SELECT 2\"}\n{\"id\": 0, \"candidates\": [null, \"SELECT 1\"]}\n", "+SELECT 1@2 | SELECT 2@1", "a", "b")
	check("{\"sql\": \"SELECT 1\", \"db_id\": \"a\"}\n{\"sql\": \"SELECT 2\"}\n", "SELECT 1@1 | SELECT 2@2", "a", "b")
}

func TestMisfitsAreNamed(t *testing.T) {
	check := func(text, want string, dbs ...string) {
		t.Helper()
		got, err := fitted(t, text, dbs...)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"file"`) {
			t.Errorf("%q: %s, %v, want an error with %q", text, got, err, want)
		}
	}
	check("SELECT 1\n", "too few: 1 lines for the 2 items of set/dev; the last is on line 1: the file may be cut off", "a", "b")
	check("SELECT 1\n\nSELECT 2\n\nSELECT 3\n", "too many: 5 lines (3 without the blank ones) for the 2 items of set/dev; the last is on line 5: the file may be of other items", "a", "a")
	check("", "too few: 0 lines for the 1 items", "a")
	check("SELECT 1\nFROM t\nSELECT 2", "too many: 3 lines for the 2 items of set/dev; line 2 begins with FROM: put a query that takes several lines on one", "a", "b")
	check("SELECT 1\ta\nSELECT 2\ta\n", `line 2 names database "a", but item 2 of 2 (set/dev/q1) is of "b"`, "a", "b")
	check(`{"0": "SELECT 1"}`, "too few: 1 predictions for 2 items: none for set/dev/q1", "a", "a")
	check("{\"0\": \"SELECT 1\",\n\"7\": \"SELECT 1\"}", `"0" is no item: 0 of 2 ids are`, "a", "a")
	check("{\"0\": \"SELECT 1\",\n\"0\": \"SELECT 1\"}", `line 2: key "0" is on line 1 too`, "a", "a")
	check("{\"0\": \"SELECT 1\"}\n{}", "something follows", "a")
	check("{\"0\": \"SELECT 1", "line 1: the file ends within a JSON value", "a")
	check("{\"0\": 1,\n x}", "line 2", "a")
	check("{\"id\": \"q0\", \"sql\": \"SELECT 1\"}\n{\"id\": \"q0\", \"sql\": \"SELECT 1\"}", `line 2: id "q0" is on line 1 too`, "a")
	check("{\"id\": \"q0\", \"sql\": \"SELECT 1\"}\n{\"id\": \"set/dev/q0\", \"sql\": \"SELECT 1\"}", "has an entry on line 1 too", "a")
	check("{\"id\": \"q0\", \"sql\": \"SELECT 1\"}\n{\"sql\": \"SELECT 1\"}", "1 of 2 entries have an id", "a", "b")
	check("{\"id\": \"q0\"}", `line 1: neither "candidates" nor "sql"`, "a")
	check("{\"id\": [], \"sql\": \"\"}", "neither text nor a number", "a")
	check("{\"id\": \"q0\", \"candidates\": [{\"source\": \"x\"}]}", `candidate 1: no "sql"`, "a")
	check("{\"id\": \"q0\", \"candidates\": [{\"sql\": 5}]}", "candidate 1: sql", "a")
	one := func(more string) string { return "{\"id\": \"q0\", \"sql\": \"SELECT 1\", " + more + "}" }
	check(one(`"prompt_tokens": -1`), "line 1: prompt_tokens is -1: want a number from 0 on", "a")
	check(one(`"prompt_tokens": 1.5`), "prompt_tokens is 1.5: want a whole number", "a")
	check(one(`"completion_tokens": "many"`), `completion_tokens is "many"`, "a")
	check(one(`"completion_tokens": 1e300`), "completion_tokens is 1e300", "a")
	check(one(`"cost_usd": 1e999`), "cost_usd is 1e999", "a")
	check(one(`"cost_usd": {}`), "cost_usd is {}", "a")
	check(one(`"seed": 0.5`), "seed is 0.5", "a")
	check(one(`"prompt": 5`), "line 1: ", "a")
	check(`{"id": "q0", "cost_usd": 1, "candidates": [{"sql": "SELECT 1", "cost_usd": 1}]}`, "candidate 1 says what it took, and the entry too", "a")
}

// TestWhatAnswersTook: what a file says of an answer is taken, what it does not say is unknown, what is not taken is named.
func TestWhatAnswersTook(t *testing.T) {
	n := record.CountOf
	usd := func(v float64) record.Value { return record.Value{V: v, OK: true} }
	check := func(text string, total Taken, calls ...Taken) *File {
		t.Helper()
		f, err := Parse("file", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e := f.Entries[0]
		var took []Taken
		for _, c := range e.Calls() {
			took = append(took, c.Taken)
		}
		if got := e.Total(); got != total || !slices.Equal(took, calls) {
			t.Errorf("%s\ntook %+v in %+v\nwant %+v in %+v", text, got, e.Calls(), total, calls)
		}
		return f
	}
	check("SELECT 1", Taken{})
	check(`{"0": "SELECT 1"}`, Taken{})
	check(`{"id": 0, "sql": "SELECT 1"}`, Taken{})
	check(`{"id": 0, "sql": "SELECT 1", "prompt_tokens": null, "cost_usd": null, "prompt": null, "seed": null}`, Taken{})
	zero := Taken{PromptTokens: n(0), USD: usd(0)}
	check(`{"id": 0, "sql": "SELECT 1", "prompt_tokens": 0, "cost_usd": 0}`, zero, zero)
	whole := Taken{PromptTokens: n(12), CompletionTokens: n(3), USD: usd(0.25)}
	said := whole
	said.Prompt = "P"
	check(`{"id": 0, "sql": "SELECT 1", "prompt_tokens": 12.0, "completion_tokens": 3, "cost_usd": 2.5e-1, "prompt": "P"}`, whole, said)
	check(`{"id": 0, "prompt": "P", "candidates": [{"sql": "a", "prompt_tokens": 5}, {"sql": "b", "prompt_tokens": 7, "prompt": "Q"}]}`,
		Taken{PromptTokens: n(12)}, Taken{PromptTokens: n(5), Prompt: "P"}, Taken{PromptTokens: n(7), Prompt: "Q"})
	check(`{"id": 0, "candidates": [{"sql": "a", "prompt_tokens": 5}, "b"]}`, Taken{}, Taken{PromptTokens: n(5)}, Taken{})

	f := check(`{"id": 0, "SQL": "a", "Seed": 4, "latency": 1, "candidates": [{"sql": "b", "score": 1}]}`+"\n"+`{"id": 1, "sql": "a", "latency": 2, "seed": 4}`, Taken{})
	if want := []Field{{"candidates.score", 1}, {"latency", 2}}; !slices.Equal(f.Untaken, want) || !strings.Contains(f.Doubts()[0], `"candidates.score" (1), "latency" (2)`) {
		t.Errorf("%v, want %v: %q", f.Untaken, want, f.Doubts())
	}
	if s, err := f.Seed(); err != nil || s == nil || *s != 4 {
		t.Errorf("seed %v, %v", s, err)
	}
	refused := func(text, want string) {
		t.Helper()
		f, err := Parse("file", []byte(text))
		if err == nil {
			_, err = f.Seed()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	refused(`{"id": 0, "sql": "a", "seed": 1}`+"\n"+`{"id": 1, "sql": "a", "seed": 2}`, "line 1 has seed 1, and line 2 seed 2")
	refused(`{"id": 0, "sql": "a", "seed": 1}`+"\n"+`{"id": 1, "sql": "a"}`, "line 1 and line 2 only one has a seed")
	refused(`{"id": 0, "sql": "a", "seed": 1}`+"\n"+`{"id": 0, "sql": "a", "seed": 2}`, `id "0" is on line 1 too (with several seeds`)
}

func TestRead(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), `predictions: read "`) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "p.txt")
	if err := os.WriteFile(path, []byte("SELECT 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := Read(path); err != nil || f.Form != Lines || f.Path != path || f.Entries[0].First() != "SELECT 1" {
		t.Errorf("%+v, %v", f, err)
	}
}

// The predictions of the field, where they are.
func TestPublishedFiles(t *testing.T) {
	root := "../../../shared/data/predictions/"
	check := func(glob string, n int) {
		t.Helper()
		files, err := filepath.Glob(root + glob)
		if err != nil || len(files) == 0 {
			t.Skipf("no files like %s", root+glob)
		}
		for _, path := range files {
			f, err := Read(path)
			if err == nil {
				_, err = f.Fit(make([]Item, n), "set/dev")
			}
			if err != nil && !strings.Contains(err.Error(), "names database") { // the items here are of none
				t.Error(err)
			}
		}
	}
	check("spider_dev/*.txt", 1034)
	check("spider_realistic/*.txt", 508)
	check("bird_subset/dev_*.txt", 303)
	check("bird_subset/mini_*.txt", 118)
	check("bird_subset/dev_gold.sql", 303)
}

// FuzzFit holds that no text stops the reader, and that what fits has an entry for every item.
func FuzzFit(f *testing.F) {
	for _, seed := range []string{"SELECT 1\ta\n\nSELECT 2\n", `{"0": "SELECT 1\t----- bird -----\ta", "1": 0}`,
		"{\"id\": \"q0\", \"candidates\": [{\"sql\": \"SELECT 1\"}]}\n{\"id\": 1, \"sql\": null}", "{", "{\"", "\ufeff{}", "{\"a\":{}}{"} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		items := make([]Item, min(max(n, 0), 50))
		for i := range items {
			items[i] = Item{ID: fmt.Sprintf("set/dev/q%d", i), DB: "a"}
		}
		p, err := Parse("file", []byte(text))
		if err != nil {
			return
		}
		for i, e := range p.Entries {
			if i > 0 && e.Line < p.Entries[i-1].Line {
				t.Fatalf("entry %d is on line %d, behind line %d", i, e.Line, p.Entries[i-1].Line)
			}
		}
		if es, err := p.Fit(items, "set/dev"); err == nil && len(es) != len(items) {
			t.Fatalf("%d entries for %d items", len(es), len(items))
		}
	})
}
