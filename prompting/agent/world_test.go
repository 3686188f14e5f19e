package agent

import (
	"context"
	"database/sql/driver"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/values"

	"github.com/mattn/go-sqlite3"
)

var update = flag.Bool("update", false, "rewrite the golden files and the observations of the demonstrations")

// world is the sample's databases, built where they are asked for.
type world struct {
	dir string
	box *sandbox.Box

	mu   sync.Mutex
	open map[string]*schema.Database
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), box: sandbox.New(sandbox.Options{}), open: map[string]*schema.Database{}}
	t.Cleanup(func() { w.box.Close() })
	return w
}

// database builds a database of the sample from its script.
func (w *world) database(t testing.TB, name string) (*schema.Database, string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	path := filepath.Join(w.dir, name+".sqlite")
	if db, ok := w.open[name]; ok {
		return db, path
	}
	script, err := os.ReadFile(filepath.Join("../../experiments/dataset/sample/databases", name+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&sqlite3.SQLiteDriver{}).Open(path)
	if err == nil {
		_, err = c.(driver.ExecerContext).ExecContext(context.Background(), string(script), nil)
		c.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Engine{}.Describe(t.Context(), path, engine.Detail{})
	if err != nil {
		t.Fatal(err)
	}
	w.open[name] = db
	return db, path
}

// values opens indexes within the test's folder.
func (w *world) values(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
	o.Dir = w.dir
	return values.Open(ctx, db, o)
}

// question is one about a database of the sample.
func (w *world) question(t testing.TB, db, text string) prompting.Question {
	t.Helper()
	d, path := w.database(t, db)
	return prompting.Question{ID: "sample/dev/" + db + "-1", DB: db, Text: text, Schema: d, Database: sqlite.DB(path)}
}

func (w *world) deps(m llm.Model) prompting.Deps {
	return prompting.Deps{Model: m, Author: llm.Author{Provider: "scripted", Model: "one"}, Box: w.box, Values: w.values}
}

// arm is an interactive arm with one completion a turn.
func arm(change func(*configs.Agent)) configs.Arm {
	a := methodtest.Arm(Methods[0].ID, "apidocs", 0)
	a.Agent = &configs.Agent{Votes: 1}
	if change != nil {
		change(a.Agent)
	}
	return a
}
