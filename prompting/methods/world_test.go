package methods_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	_ "github.com/mattn/go-sqlite3"
)

// scripted says who answers in these tests.
var scripted = llm.Author{Provider: "scripted", Model: "one"}

// generator makes a method by its name, without the parts around it.
func generator(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	p, err := part(script.Answer, arm.Method, d, arm, seed)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// part makes one of assay's parts.
func part(kind, id string, d prompting.Deps, arm configs.Arm, seed int64) (*script.Part, error) {
	f, err := methods.Open(id)
	if err != nil {
		return nil, err
	}
	return script.New(f, kind, script.Setup{Deps: d, Arm: arm, Seed: seed, Open: methods.Open})
}

// ask answers a question by an arm's method, and returns what was asked in the trace's order.
func ask(t *testing.T, d prompting.Deps, arm configs.Arm, seed int64, q prompting.Question, reply func(llm.Request) (string, error)) (prompting.Answer, []llm.Request) {
	t.Helper()
	model := &llm.Scripted{Reply: reply}
	d.Model, d.Author = model, scripted
	m, err := generator(d, arm, seed)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a, ordered(t, model.Asked(), a.Trace)
}

// ordered returns requests in the order of a trace: those made at once arrive in any.
func ordered(t testing.TB, asked []llm.Request, trace []prompting.Call) (out []llm.Request) {
	t.Helper()
	by := map[string]llm.Request{}
	for _, r := range asked {
		by[r.Key()] = r
	}
	for _, c := range trace {
		r, ok := by[c.Key]
		if !ok {
			t.Fatalf("the trace's call %+v was never made", c)
		}
		out = append(out, r)
	}
	if len(asked) != len(trace) {
		t.Fatalf("%d calls, %d in the trace", len(asked), len(trace))
	}
	return out
}

// conversations prints requests as golden files hold them, each under its stage.
func conversations(asked []llm.Request, trace []prompting.Call) string {
	var all strings.Builder
	for i, r := range asked {
		fmt.Fprintf(&all, "======== %s\n%s", trace[i].Stage, methodtest.Text(r.Messages))
	}
	return all.String()
}

// always answers every request the same.
func always(text string) func(llm.Request) (string, error) {
	return func(llm.Request) (string, error) { return text, nil }
}

// ferries is a question about a database file of ferries, and a sandbox to run queries in.
func ferries(t testing.TB) (prompting.Question, *sandbox.Box) {
	return ferriesOf(t, `
		CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, "Home Port" TEXT);
		INSERT INTO Route VALUES (1, 'Sund'), (2, 'Nordby');
		CREATE TABLE Trip (Route INT REFERENCES Route(RouteID), Guests INT);
		INSERT INTO Trip VALUES (1, 90), (2, 140);`)
}

// ferriesOf is ferries with tables of the caller's.
func ferriesOf(t testing.TB, tables string) (prompting.Question, *sandbox.Box) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ferry.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(tables)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	q := methodtest.Question()
	q.Database = sqlite.DB(path)
	if q.Schema, err = (sqlite.Engine{}).Describe(t.Context(), path, engine.Detail{}); err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	return q, box
}
