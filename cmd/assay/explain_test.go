package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"assay/plots/terminal"

	_ "github.com/mattn/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestExplain runs the scripts of the verb in this process, on a small database.
func TestExplain(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/explain",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			db, err := sql.Open("sqlite3", filepath.Join(e.WorkDir, "shop.sqlite"))
			if err != nil {
				return err
			}
			_, err = db.Exec("CREATE TABLE customers (name TEXT, city TEXT, born INTEGER)")
			return errors.Join(err, db.Close())
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"explain": inProcess},
	})
}

// inProcess runs "assay explain" in this process; the path is relative to the script's folder.
func inProcess(ts *testscript.TestScript, neg bool, given []string) {
	for i, g := range given {
		if i > 0 && given[i-1] == "--db" {
			given[i] = ts.MkAbs(g)
		}
	}
	a := &app{out: terminal.New(ts.Stdout()), err: terminal.New(ts.Stderr())}
	root := a.root()
	if c, _, err := root.Find([]string{"explain"}); err != nil || c == root {
		root.AddCommand(a.explainCmd())
	}
	root.SetArgs(append([]string{"explain"}, given...))
	code := a.exit(root.ExecuteContext(context.Background()))
	if neg == (code == exitDone) {
		ts.Fatalf("exit code %d", code)
	}
}
