package script

import (
	"context"
	"fmt"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/columns"
	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/outcome"
	"assay/prompting/script/star"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
	"assay/prompting/tools"
	"assay/prompting/values"

	"go.starlark.net/starlark"
)

// function is a host function for a session.
type function func(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error)

// builtin is a function as Starlark calls it.
type builtin = func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error)

// in makes a function of Starlark out of one for a session.
func in(name string, f function) builtin {
	return func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		s, err := host(t, b)
		if err != nil {
			return nil, err
		}
		return f(s, name, args, named)
	}
}

// host returns the session of a thread.
func host(t *starlark.Thread, b *starlark.Builtin) (*session, error) {
	if s, ok := t.Local(star.HostKey).(*session); ok {
		return s, nil
	}
	return nil, fmt.Errorf("%s: it has no question while the file is loaded: call it within a function", b.Name())
}

// What calls are charged in steps of Starlark, of which a call of a part has 50 M. They keep a method that calls in a loop
// from going on for hours, and lie far below what one needs.
const (
	lightSteps = 200     // any function
	queryWork  = 5_000   // one that works on the database
	partWork   = 50_000  // one of another part
	slowWork   = 200_000 // a query that met a limit of the sandbox
)

// heavy are the functions that are charged more than any, whether of the host or of its objects.
var heavy = map[string]int{
	"parsed": queryWork, "run": queryWork, "explain": queryWork, "values": queryWork, "search_value": queryWork, "search_column": queryWork,
	"join_path": queryWork, "database_tools": queryWork, "call": queryWork, Link: partWork, Fix: partWork, Choose: partWork,
}

// mostScanned bounds the text that a function of one text looks through, in bytes.
const mostScanned = 1 << 20

// guarded is a function of the host that bounds what it is given and charges for what it does and makes.
func guarded(name string, f builtin) *starlark.Builtin {
	steps := max(lightSteps, heavy[name])
	return starlark.NewBuiltin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		err := star.Work(t, steps)
		for i := 0; i < len(args) && err == nil; i++ {
			err = star.Walk(t, args[i])
		}
		for i := 0; i < len(named) && err == nil; i++ {
			err = star.Walk(t, named[i][1])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v, err := f(t, b, args, named)
		if err != nil {
			return nil, err
		}
		if r, ok := v.(*result); ok && r.o.Err != nil && r.o.Err.Kind == engine.Timeout {
			err = star.Work(t, slowWork)
		}
		if err == nil {
			v, err = star.Built(t, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return v, nil
	})
}

// hostFunctions returns what method.star can call besides the language and package star's helpers.
func hostFunctions() starlark.StringDict {
	all := starlark.StringDict{}
	for name, f := range functions() {
		all[name] = guarded(name, f)
	}
	return all
}

// functions are those of the host, by name.
func functions() map[string]builtin {
	return map[string]builtin{
		"ask": askFunc, "call": callFunc, "ask_all": askAll,
		"prompt": promptFunc, "text": textFunc,
		"system": turn(llm.System), "user": turn(llm.User), "assistant": assistant,
		"tool_result": toolResult, "tool": newTool,
		"candidate": newCandidate, "replace": replace,
		"drop": drop, "choice": newChoice, "vote": vote,

		"demos": in("demos", demosFunc), "pool": in("pool", poolFunc), "input": in("input", inputFunc), "render": in("render", renderFunc),
		"run": in("run", runFunc), "explain": in("explain", explainFunc), "values": in("values", valuesFunc),
		"keywords": in("keywords", keywordsFunc), "columns_in": in("columns_in", columnsIn), "columns_named": in("columns_named", columnsNamed),
		"column_of": columnFunc, "columns_text": in("columns_text", columnsText), "schema_used": in("schema_used", schemaUsed),
		"similar": similarFunc, "phrases": phrasesFunc, "parsed": in("parsed", parsedFunc),
		"database_tools": in("database_tools", databaseTools), "join_path": in("join_path", joinPath),
		"search_column": in("search_column", searchColumn), "search_value": in("search_value", searchValue),
		"rand": in("rand", randFunc), "part": in("part", partFunc), "file": in("file", fileFunc), "timer": in("timer", timerFunc), "model": in("model", modelFunc),

		"sql_of":           ofText("sql_of", func(s string) starlark.Value { return starlark.String(extract.SQL(s, extract.Options{}).SQL) }),
		"list_of":          ofText("list_of", func(s string) starlark.Value { return list(values.ParseKeywords(s), textOf) }),
		"answer_of":        ofText("answer_of", func(s string) starlark.Value { return starlark.String(extract.Answer(s, len(s))) }),
		"examples_in":      ofText("examples_in", func(s string) starlark.Value { return list(extract.Examples(s), exampleOf) }),
		"is_relevant":      ofText("is_relevant", isRelevant),
		"flat":             ofText("flat", func(s string) starlark.Value { return starlark.String(outcome.Flat(s)) }),
		"quoted":           ofText("quoted", func(s string) starlark.Value { return starlark.String(schema.Quote(s)) }),
		"without_distinct": ofText("without_distinct", func(s string) starlark.Value { return starlark.String(tree.WithoutDistinct(s)) }),
		"skeleton":         ofText("skeleton", func(s string) starlark.Value { return starlark.String(tree.Skeleton(s)) }),
		"cut_action":       ofText("cut_action", cutAction), "action_of": actionOf,
	}
}

func textOf(s string) starlark.Value { return starlark.String(s) }

func exampleOf(e extract.Example) starlark.Value {
	return record("example", "question", e.Question, "sql", e.SQL)
}

// ofText makes a function of one text.
func ofText(name string, of func(string) starlark.Value) builtin {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		var text string
		if err := starlark.UnpackArgs(name, args, named, "text", &text); err != nil {
			return nil, err
		}
		if len(text) > mostScanned {
			return nil, fmt.Errorf("%s: the text has %d bytes: %d are the most", name, len(text), mostScanned)
		}
		if err := star.Work(t, len(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return of(text), nil
	}
}

// isRelevant is is_relevant(text): what an answer about one column says: True, False, or None where it cannot be read.
func isRelevant(text string) starlark.Value {
	yes, ok := columns.Relevant(text)
	if !ok {
		return starlark.None
	}
	return starlark.Bool(yes)
}

// turn makes system(text) or user(text).
func turn(role llm.Role) builtin {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		m := &message{m: llm.Message{Role: role}}
		return m, starlark.UnpackArgs(b.Name(), args, named, "text", &m.m.Text)
	}
}

// assistant is assistant(completion_or_text): what the model said, with the tools that it called.
func assistant(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, named, "said", &v); err != nil {
		return nil, err
	}
	if c, ok := v.(*completion); ok {
		return &message{m: c.response.Answered()}, nil
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return nil, fmt.Errorf("%s: want a completion or a text, not a %s", b.Name(), v.Type())
	}
	return &message{m: llm.Message{Role: llm.Assistant, Text: text}}, nil
}

// toolResult is tool_result(call, text): what a tool that the model called gave.
func toolResult(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c *toolCall
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, named, "call", &c, "text", &text); err != nil {
		return nil, err
	}
	return &message{m: c.call.Answered(text)}, nil
}

// newTool is tool(name, description): one of the database's tools as a function that the model may call.
func newTool(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var name, about string
	if err := starlark.UnpackArgs(b.Name(), args, named, "name", &name, "description", &about); err != nil {
		return nil, err
	}
	made := tools.Native([]string{name})
	if len(made) == 0 {
		return nil, fmt.Errorf("%s: there is no tool %q", b.Name(), name)
	}
	made[0].Description = about
	return &tool{t: made[0]}, nil
}

// demosFunc is demos(q, strategy = , k = ): the arm's demonstrations for the question.
func demosFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var q *question
	x := s.part.kit.arm.Exemplars
	strategy, k := "", -1
	if err := starlark.UnpackArgs(name, args, named, "q", &q, "strategy?", &strategy, "k?", &k); err != nil {
		return nil, err
	}
	if strategy != "" {
		x = x.WithStrategy(strategy)
	}
	if k >= 0 {
		x.K = k
	}
	return s.demos(q.q, x)
}

// demos returns demonstrations for a question.
func (s *session) demos(q prompting.Question, x configs.Exemplars) (starlark.Value, error) {
	all, err := s.part.kit.choose(s.ctx, q, x)
	if err != nil {
		return nil, err
	}
	s.shows.give(all)
	// A format of the user's own may fail in d.input, which to a template is an attribute that is not there.
	if _, own := s.part.kit.print.(custom); own && len(all) > 0 {
		if _, err := s.part.kit.demo(all[0]).Attr("input"); err != nil {
			return nil, err
		}
	}
	return list(all, s.demo), nil
}

func (s *session) demo(d exemplar.Demo) starlark.Value { return s.part.kit.demo(d) }

// poolFunc is pool(): all demonstrations that the arm can draw on, without those that no strategy takes for the question
// either, such as those of its own database: one of them may be the question itself with its gold query.
func poolFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(name, args, named); err != nil {
		return nil, err
	}
	k := s.part.kit
	s.shows.pool = true
	return list(k.deps.Pool.Open(queryOf(s.q), k.arm.Exemplars), s.demo), nil
}

// inputFunc is input(x, cue = False): a question or a demonstration with its schema, as the arm's format prints it.
func inputFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	cue := false
	if err := starlark.UnpackArgs(name, args, named, "x", &x, "cue?", &cue); err != nil {
		return nil, err
	}
	text, err := s.input(x, cue)
	return starlark.String(text), err
}

// renderFunc is render(schema): a schema as the arm's format prints it.
func renderFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var d *database
	if err := starlark.UnpackArgs(name, args, named, "schema", &d); err != nil {
		return nil, err
	}
	text, err := s.part.kit.schema(d.db)
	return starlark.String(text), err
}

// keywordsFunc is keywords(q): what the question may quote from the database, by rules.
func keywordsFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var q *question
	if err := starlark.UnpackArgs(name, args, named, "q", &q); err != nil {
		return nil, err
	}
	return list(values.Keywords(q.q.Text, q.q.Evidence), textOf), nil
}

// valuesFunc is values(q, columns = "content", k = 10, keywords = None): values of the database that the question seems
// to mention, the likeliest first; those of the rules' keywords where none are given. None without a database file.
func valuesFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var q *question
	rule, k := values.Content, 10
	var words starlark.Value
	if err := starlark.UnpackArgs(name, args, named, "q", &q, "columns?", &rule, "k?", &k, "keywords?", &words); err != nil {
		return nil, err
	}
	query := values.Query{Question: q.q.Text, Evidence: q.q.Evidence, K: k}
	if words != nil && words != starlark.None {
		var err error
		if query.Keywords, err = texts(words); err != nil {
			return nil, fmt.Errorf("%s: keywords: %w", name, err)
		}
	}
	if q.q.Database.None() {
		return starlark.NewList(nil), nil
	}
	found, err := s.lookUp(q.q, rule, query)
	return list(found, func(m values.Match) starlark.Value { return &value{at: m.ColumnName, text: m.Value} }), err
}

func (s *session) lookUp(q prompting.Question, rule string, query values.Query) ([]values.Match, error) {
	open, own := s.part.kit.deps.Values, false
	if open == nil {
		open, own = values.Open, true
	}
	index, err := open(s.ctx, q.Database, values.Options{Columns: rule})
	if err != nil {
		return nil, err
	}
	if own {
		defer index.Close()
	}
	found, err := index.Find(s.ctx, query, s.part.kit.deps.Embedder)
	return found, withheld(err)
}

// columnsIn is columns_in(text, schema): the columns that an answer names, in the schema's order.
func columnsIn(_ *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var text string
	var d *database
	if err := starlark.UnpackArgs(name, args, named, "text", &text, "schema", &d); err != nil {
		return nil, err
	}
	return list(columns.Parse(text, d.db), columnOf), nil
}

func columnOf(c schema.ColumnName) starlark.Value { return &columnRef{at: c} }

// columnFunc is column_of(table, column): a column by its name.
func columnFunc(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c columnRef
	if err := starlark.UnpackArgs(b.Name(), args, named, "table", &c.at.Table, "column", &c.at.Column); err != nil {
		return nil, err
	}
	return &c, nil
}

// columnsNamed is columns_named(q): the columns whose names a keyword of the question matches.
func columnsNamed(_ *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var q *question
	if err := starlark.UnpackArgs(name, args, named, "q", &q); err != nil {
		return nil, err
	}
	return list(columns.Named(q.q.Schema, values.Keywords(q.q.Text, q.q.Evidence)), columnOf), nil
}

// columnsText is columns_text(columns): columns as a JSON object of lists by table, on one line; empty for none.
func columnsText(_ *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var of *starlark.List
	if err := starlark.UnpackArgs(name, args, named, "columns", &of); err != nil {
		return nil, err
	}
	all, err := columnNames(of)
	return starlark.String(columns.Format(all)), err
}

// schemaUsed is schema_used(q, sqls): the question's schema cut down to what any of the queries uses.
func schemaUsed(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var q *question
	var sqls *starlark.List
	if err := starlark.UnpackArgs(name, args, named, "q", &q, "sqls", &sqls); err != nil {
		return nil, err
	}
	all, err := texts(sqls)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.reads == nil {
		box, err := s.box()
		if err != nil {
			return nil, err
		}
		s.reads = &reader{box, map[string][]schema.ColumnName{}}
	}
	used, err := outcome.Used(s.ctx, s.reads, q.q.Database, q.q.Schema, all)
	if err != nil {
		return nil, err
	}
	return s.database(used), nil
}

// reader is a sandbox that remembers which columns the queries of a session read: selection asks about each many times.
type reader struct {
	sandbox.Runner
	known map[string][]schema.ColumnName
}

// Reads implements sandbox.Runner.
func (r *reader) Reads(ctx context.Context, db engine.DB, sql string) ([]schema.ColumnName, error) {
	if read, ok := r.known[sql]; ok {
		return read, nil
	}
	read, err := r.Runner.Reads(ctx, db, sql)
	if err == nil {
		r.known[sql] = read
	}
	return read, err
}

// fileFunc is file(name): a text of the folder, or one that the experiment supplies.
func fileFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var path string
	if err := starlark.UnpackArgs(name, args, named, "name", &path); err != nil {
		return nil, err
	}
	text, err := s.part.file(path)
	return starlark.String(text), err
}

// modelFunc is model(settings = ""): the parameters of the part's calls under a table of [stages].
func modelFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	settings := ""
	if err := starlark.UnpackArgs(name, args, named, "settings?", &settings); err != nil {
		return nil, err
	}
	m, err := s.part.kit.stage(settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return modelOf(m.Temperature, m.MaxTokens, max(m.Samples, 1)), nil
}

func modelOf(temperature float64, maxTokens, samples int) starlark.Value {
	return record("model", "temperature", temperature, "max_tokens", maxTokens, "samples", samples)
}
