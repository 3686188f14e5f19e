package methods_test

import (
	"context"
	"database/sql/driver"
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

// stock is the sample's databases, built where they are asked for.
type stock struct {
	dir string
	box *sandbox.Box

	mu   sync.Mutex
	open map[string]*schema.Database
}

func newStock(t testing.TB) *stock {
	t.Helper()
	w := &stock{dir: t.TempDir(), box: sandbox.New(sandbox.Options{}), open: map[string]*schema.Database{}}
	return w
}

// database builds a database of the sample from its script.
func (w *stock) database(t testing.TB, name string) (*schema.Database, string) {
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
func (w *stock) values(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error) {
	o.Dir = w.dir
	return values.Open(ctx, db, o)
}

// question is one about a database of the sample.
func (w *stock) question(t testing.TB, db, text string) prompting.Question {
	t.Helper()
	d, path := w.database(t, db)
	return prompting.Question{ID: "sample/dev/" + db + "-1", DB: db, Text: text, Schema: d, Database: sqlite.DB(path)}
}

func (w *stock) deps(m llm.Model) prompting.Deps {
	return prompting.Deps{Model: m, Author: scripted, Box: w.box, Values: w.values}
}

// agentArm is an interactive arm with one completion a turn.
func agentArm(change func(*configs.Agent)) configs.Arm {
	a := methodtest.Arm("interactive", "apidocs", 0)
	a.Agent = &configs.Agent{Votes: 1}
	if change != nil {
		change(a.Agent)
	}
	return a
}
