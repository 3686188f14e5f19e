package sandbox

import (
	"context"
	"errors"
	"testing"

	"assay/prompting/sql/sqlite"
)

// A statement waits for its turn, and no longer than its context.
func TestStatementsTakeTurns(t *testing.T) {
	box := New(Options{AtOnce: 1})
	path := library(t)
	run := func(ctx context.Context) error {
		_, err := box.Run(ctx, sqlite.DB(path), "SELECT 1")
		return err
	}
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	check("alone", run(t.Context()), nil)
	check("after another", run(t.Context()), nil)
	box.turns <- struct{}{} // a statement runs
	stopped, stop := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() { waiting <- run(stopped) }()
	stop()
	check("stopped while it waits", <-waiting, context.Canceled)
	go func() { waiting <- run(t.Context()) }()
	<-box.turns
	check("its turn came", <-waiting, nil)
}
