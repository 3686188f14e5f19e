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
	defer box.Close()
	check := func(what, sql string, kind engine.ErrorKind, limit engine.Limit, opened, closed int64) {
		t.Helper()
		_, err := box.Run(t.Context(), s.DB(), sql)
		e, _ := errors.AsType[*engine.Error](err)
		if e == nil {
			e = &engine.Error{}
		}
		if e.Kind != kind || e.Limit != limit || e.SQL != sql && err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if o, c := s.Opened.Load(), s.Closed.Load(); o != opened || c != closed || len(fails) > 0 {
			t.Errorf("%s: %d connections opened, %d closed; %d errors left", what, o, c, len(fails))
		}
	}
	meets := func(kind engine.ErrorKind, limit engine.Limit) error {
		return &engine.Error{Kind: kind, Limit: limit, Err: errors.New("told")}
	}
	check("a statement", "SELECT 1;", "", "", 1, 0)
	check("the connection is used again", "SELECT 2", "", "", 1, 0)
	check("several statements reach no connection", "SELECT 1; SELECT 2", engine.Rejected, "", 1, 0)
	check("no more than a query", "DROP t", engine.Rejected, "", 1, 0)
	check("the deadline is the box's", "SELECT wait", engine.Timeout, engine.Deadline, 1, 0)
	fails = []error{meets(engine.SQL, "")}
	check("an error leaves the connection", "SELECT", engine.SQL, "", 1, 0)
	fails = []error{meets(engine.Unavailable, "")}
	check("but not one of the database", "SELECT", engine.Unavailable, "", 1, 1)
	check("which is opened anew", "SELECT", "", "", 2, 1)
	fails = []error{meets(engine.Timeout, engine.MemoryCap)}
	check("a statement out of memory runs again alone", "SELECT", "", "", 3, 2)
	fails = []error{meets(engine.Timeout, engine.MemoryCap), meets(engine.Timeout, engine.MemoryCap)}
	check("once", "SELECT", engine.Timeout, engine.MemoryCap, 4, 4)
	check("and the next has a connection", "SELECT", "", "", 5, 4)
	s.Version.Add(1)
	check("a database that was replaced is opened anew", "SELECT", "", "", 6, 5)
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
