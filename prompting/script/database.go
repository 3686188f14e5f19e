package script

import (
	"context"
	"errors"
	"fmt"

	"assay/prompting/outcome"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/queryplan"
	"assay/prompting/sql/sandbox"
	"assay/prompting/tools"

	"go.starlark.net/starlark"
)

// box returns the sandbox.
func (s *session) box() (sandbox.Runner, error) {
	if box := s.part.kit.deps.Box; box != nil {
		return box, nil
	}
	return nil, errors.New("there is no sandbox to run SQL in")
}

// result is what run() returns.
type result struct {
	base
	o    outcome.Outcome
	sql  string
	list shared // of rows
}

// mostKept bounds the bytes of a result that a method can keep. Of a larger one it has the first rows, and the text and digests
// of the whole.
const mostKept = 1 << 20

// Size implements star.Sized.
func (r *result) Size() int {
	if !r.o.OK() {
		return 0
	}
	return int(r.o.Result.Bytes())
}

func (r *result) String() string { return r.o.Text() }
func (r *result) Type() string   { return "result" }
func (r *result) AttrNames() []string {
	return []string{"columns", "digest", "empty", "error", "id", "ok", "preview", "rows", "stopped", "text", "unknown"}
}

// Attr returns an attribute.
func (r *result) Attr(name string) (starlark.Value, error) {
	switch name {
	case "ok":
		return starlark.Bool(r.o.OK()), nil
	case "empty":
		return starlark.Bool(r.o.Empty()), nil
	case "unknown":
		return starlark.Bool(r.o.Unknown()), nil
	case "stopped":
		return starlark.Bool(r.o.Err != nil && r.o.Err.Kind == engine.Timeout), nil
	case "error":
		if r.o.Err == nil {
			return starlark.String(""), nil
		}
		return starlark.String(r.o.Err.Err.Error()), nil
	case "text":
		return starlark.String(r.o.Text()), nil
	case "id":
		return starlark.String(r.id()), nil
	case "columns":
		if !r.o.OK() {
			return starlark.NewList(nil), nil
		}
		return list(r.o.Result.Columns, textOf), nil
	case "rows":
		return r.list.get(r.rows), nil
	case "digest":
		return method(r.digest).named(name), nil
	case "preview":
		return method(r.preview).named(name), nil
	}
	return nil, nil
}

// id identifies what running the query gave: its rows in whatever order, what the engine says against it, or, where
// nothing is known, the query itself.
func (r *result) id() string {
	switch {
	case r.o.OK():
		return "rows " + r.o.MultisetDigest()
	case r.o.Unknown():
		return "unknown " + outcome.Flat(r.sql)
	}
	return "error " + r.o.Err.Err.Error()
}

// mostCells bounds the cells that rows gives: a method looks at results, and does not compute on them.
const mostCells = 100_000

// rows lists the rows as lists of values.
func (r *result) rows() starlark.Value {
	if !r.o.OK() {
		return starlark.NewList(nil)
	}
	rows := r.o.Result.Rows
	if n := len(r.o.Result.Columns); n > 0 {
		rows = rows[:min(len(rows), mostCells/n)]
	}
	return list(rows, func(row []engine.Value) starlark.Value { return list(row, cellOf) })
}

// cellOf returns a value: NULL is None, a blob its length in words.
func cellOf(v engine.Value) starlark.Value {
	switch v.Kind() {
	case engine.Null:
		return starlark.None
	case engine.Int:
		return starlark.MakeInt64(v.Int64())
	case engine.Real:
		return starlark.Float(v.Float64())
	}
	return starlark.String(outcome.Cell(v))
}

// digest is r.digest("set", "multiset" or "permuted"): equal digests are equal rows; empty where the query did not run.
func (r *result) digest(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	form := "multiset"
	if err := starlark.UnpackArgs("digest", args, named, "form?", &form); err != nil {
		return nil, err
	}
	of, ok := map[string]func() string{"set": r.o.SetDigest, "multiset": r.o.MultisetDigest, "permuted": r.o.PermutedDigest}[form]
	if !ok {
		return nil, fmt.Errorf("digest: form = %q: want set, multiset or permuted", form)
	}
	if !r.o.OK() {
		return starlark.String(""), nil
	}
	return starlark.String(of()), nil
}

// preview is r.preview(n): the column names and the first n rows, or the error.
func (r *result) preview(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	n := outcome.MaxRows
	if err := starlark.UnpackArgs("preview", args, named, "n?", &n); err != nil {
		return nil, err
	}
	return starlark.String(r.o.Preview(n)), nil
}

// runFunc is run(sql): what the query gives on the question's database, in the sandbox.
func runFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var sql string
	if err := starlark.UnpackArgs(name, args, named, "sql", &sql); err != nil {
		return nil, err
	}
	box, err := s.box()
	if err != nil {
		return nil, err
	}
	o, err := outcome.Run(s.ctx, box, s.q.Database, sql)
	return &result{o: o.Head(mostKept, mostCells), sql: sql}, err
}

// explainer is a sandbox that explains plans.
type explainer interface {
	Explain(ctx context.Context, db engine.DB, sql string) (*engine.Explanation, error)
}

// explainFunc is explain(sql): the steps of the query's plan as text; empty where it cannot be explained.
func explainFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var sql string
	if err := starlark.UnpackArgs(name, args, named, "sql", &sql); err != nil {
		return nil, err
	}
	box, err := s.box()
	if err != nil {
		return nil, err
	}
	x, ok := box.(explainer)
	if !ok || s.q.Database.None() {
		return starlark.String(""), nil
	}
	plan, err := x.Explain(s.ctx, s.q.Database, sql)
	if err != nil {
		if _, wrong := errors.AsType[*engine.Error](err); wrong {
			return starlark.String(""), nil
		}
		return nil, err
	}
	return starlark.String(queryplan.Read(plan).Text()), nil
}

// mostSets bounds the databases of which columns and statistics are kept.
const mostSets = 64

// action is a call of a tool as a model wrote it, or why it cannot be read.
type action struct {
	base
	a    tools.Action
	rest string // the text after it
	err  error
}

func (a *action) String() string { return a.a.String() }
func (a *action) Type() string   { return "action" }
func (a *action) AttrNames() []string {
	return []string{"error", "name", "plain", "rest", "text"}
}

// Attr returns an attribute: text is the action in canonical form; plain is the one text that it is called with, or None.
func (a *action) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(a.a.Name), nil
	case "text":
		if a.err != nil {
			return starlark.String(""), nil
		}
		return starlark.String(a.a.String()), nil
	case "rest":
		return starlark.String(a.rest), nil
	case "plain":
		if len(a.a.Args) == 1 && !a.a.Args[0].IsList && !a.a.Args[0].Bare {
			return starlark.String(a.a.Args[0].Text), nil
		}
		return starlark.None, nil
	case "error":
		if a.err == nil {
			return starlark.None, nil
		}
		return starlark.String(a.err.Error()), nil
	}
	return nil, nil
}

// cutAction is cut_action(text): the action that a text begins with, and what follows it.
func cutAction(text string) starlark.Value {
	a, rest, err := tools.Cut(text)
	return &action{a: a, rest: rest, err: err}
}

// actionOf is action_of(call): the action that the model asked for by function calling.
func actionOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c *toolCall
	if err := starlark.UnpackArgs(b.Name(), args, named, "call", &c); err != nil {
		return nil, err
	}
	a, err := tools.FromCall(c.call)
	return &action{a: a, err: err}, nil
}

// toolset is the tools over the question's database, for one dialogue.
type toolset struct {
	base
	s   *session
	set *tools.Set
	by  *clock
}

func (t *toolset) String() string      { return "database_tools" }
func (t *toolset) Type() string        { return "database_tools" }
func (t *toolset) AttrNames() []string { return []string{"call"} }

// Attr returns call(action).
func (t *toolset) Attr(name string) (starlark.Value, error) {
	if name != "call" {
		return nil, nil
	}
	return method(t.call).named(name), nil
}

// databaseTools is database_tools(off = [], top_k = 5, chars = 200, spider = False, until = None): what an agent may do
// with the question's database, within the time of a timer.
func databaseTools(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var off, until starlark.Value
	var o tools.Options
	err := starlark.UnpackArgs(name, args, named, "off?", &off, "top_k?", &o.TopK, "chars?", &o.Observation, "spider?", &o.Spider, "until?", &until)
	if err != nil {
		return nil, err
	}
	if off != nil && off != starlark.None {
		if o.Off, err = texts(off); err != nil {
			return nil, fmt.Errorf("%s: off: %w", name, err)
		}
		for _, id := range o.Off {
			if id != tools.SearchColumn && id != tools.SearchValue && id != tools.FindShortestPath {
				return nil, fmt.Errorf("%s: no tool %q can be switched off", name, id)
			}
		}
	}
	set, err := s.toolset(o)
	if err != nil {
		return nil, err
	}
	by, _ := until.(*clock)
	return &toolset{s: s, set: set, by: by}, nil
}

func (s *session) toolset(o tools.Options) (*tools.Set, error) {
	box, err := s.box()
	if err != nil {
		return nil, err
	}
	o.Values, o.Vectors, o.Cache = s.part.kit.deps.Values, s.part.kit.deps.Embedder, s.part.tools
	return tools.New(s.q.Schema, s.q.Database, box, o)
}

// call is tools.call(action): what came of it. late says that the time ran out.
func (t *toolset) call(_ *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var a *action
	if err := starlark.UnpackArgs("call", args, named, "action", &a); err != nil {
		return nil, err
	}
	if a.err != nil {
		return seen(tools.Misread(a.err), false), nil
	}
	within, cancel := t.s.ctx, context.CancelFunc(func() {})
	if t.by != nil && !t.by.end.IsZero() {
		within, cancel = context.WithTimeout(t.s.ctx, t.by.end.Sub(t.by.now()))
	}
	defer cancel()
	o, err := t.set.Call(within, a.a)
	if err != nil && within.Err() != nil && t.s.ctx.Err() == nil {
		return seen(tools.Observation{Bad: true}, true), nil
	}
	return seen(o, false), withheld(err)
}

// seen is an observation: its text, whether it complains, the query that was run, whether that failed, whether it
// returned next to nothing, and whether the time was over.
func seen(o tools.Observation, late bool) starlark.Value {
	return record("observation", "text", o.Text, "bad", starlark.Bool(o.Bad), "sql", o.SQL, "failed", starlark.Bool(o.Failure != ""),
		"void", starlark.Bool(o.Void), "late", starlark.Bool(late))
}

// callTool calls one tool with texts, for methods that use it by themselves.
func (s *session) callTool(name string, given ...string) (starlark.Value, error) {
	set, err := s.toolset(tools.Options{})
	if err != nil {
		return nil, err
	}
	a := tools.Action{Name: name}
	for _, text := range given {
		if text != "" {
			a.Args = append(a.Args, tools.Arg{Text: text})
		}
	}
	o, err := set.Call(s.ctx, a)
	return starlark.String(o.Text), withheld(err)
}

// searchColumn is search_column(description): the columns of the database that fit it, as SearchColumn tells an agent.
func searchColumn(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var about string
	if err := starlark.UnpackArgs(name, args, named, "description", &about); err != nil {
		return nil, err
	}
	return s.callTool(tools.SearchColumn, about)
}

// searchValue is search_value(text, table = "", column = ""): the cells that hold a text or one like it, as SearchValue
// tells an agent.
func searchValue(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var text, table, column string
	if err := starlark.UnpackArgs(name, args, named, "text", &text, "table?", &table, "column?", &column); err != nil {
		return nil, err
	}
	return s.callTool(tools.SearchValue, text, table, column)
}

// joinPath is join_path(a, b): how two tables are joined, as FindShortestPath tells an agent.
func joinPath(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var a, b string
	if err := starlark.UnpackArgs(name, args, named, "start", &a, "end", &b); err != nil {
		return nil, err
	}
	return s.callTool(tools.FindShortestPath, a, b)
}
