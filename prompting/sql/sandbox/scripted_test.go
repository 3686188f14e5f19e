package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
)

// TestAnyEngine holds what a Box does itself, whatever engine it asks.
func TestAnyEngine(t *testing.T) {
	var fails []error // what the statements to come meet, in order
	s := &engine.Scripted{Plan: &engine.Explanation{Columns: []string{"n"}}, Columns: []schema.ColumnName{{Table: "t"}}}
	s.Answer = func(ctx context.Context, sql string) (*engine.Result, error) {
		if sql == "SELECT wait" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if len(fails) == 0 {
			return &engine.Result{Columns: []string{sql}}, nil
		}
		err := fails[0]
		fails = fails[1:]
		return nil, err
	}
	box := New(Options{Timeout: 50 * time.Millisecond})
	check := func(what, sql string, kind engine.ErrorKind, limit engine.Limit) {
		t.Helper()
		_, err := box.Run(t.Context(), s.DB(), sql)
		e, _ := errors.AsType[*engine.Error](err)
		if e == nil {
			e = &engine.Error{}
		}
		if e.Kind != kind || e.Limit != limit || e.SQL != sql && err != nil || len(fails) > 0 {
			t.Errorf("%s: %v; %d errors left", what, err, len(fails))
		}
	}
	check("a statement", "SELECT 1;", "", "")
	check("several statements reach no engine", "SELECT 1; SELECT 2", engine.Rejected, "")
	check("no more than a query", "DROP t", engine.Rejected, "")
	check("the deadline is the box's", "SELECT wait", engine.Timeout, engine.Deadline)
	told := &engine.Error{Kind: engine.SQL, Err: errors.New("told")}
	fails = []error{told}
	check("an error names the statement", "SELECT", engine.SQL, "")
	fails = []error{told}
	check("each its own", "SELECT 2", engine.SQL, "")
	if told.SQL != "" {
		t.Error("the engine's own error was changed")
	}
	fails = []error{errors.New("no process")}
	if _, err := box.Run(t.Context(), s.DB(), "SELECT"); err == nil || errors.As(err, new(*engine.Error)) {
		t.Errorf("this machine's trouble is %v", err)
	}
	if _, err := box.Run(t.Context(), engine.DB{}, "SELECT"); err == nil {
		t.Error("a statement ran on no database")
	}
	if x, err := box.Explain(t.Context(), s.DB(), "SELECT"); err != nil || x != s.Plan {
		t.Error(x, err)
	}
	if refs, err := box.Reads(t.Context(), s.DB(), "SELECT"); err != nil || len(refs) != 1 {
		t.Error(refs, err)
	}
	if _, err := box.Explain(t.Context(), s.DB(), "EXPLAIN"); err == nil {
		t.Error("an explanation was explained")
	}
}
