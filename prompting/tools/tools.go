// Package tools implements what an agent may do with a database.
//
// [Parse] reads an [Action] from a model's text by a grammar of literals, [Set.Call] performs the action, and returns
// an [Observation] for the next prompt. The tools are those of Interactive-T2S (Xiong et al. 2024, arXiv 2408.11062):
// SearchColumn ranks columns, SearchValue looks values up, FindShortestPath joins tables, ExecuteSQL runs a query, Done
// ends the dialogue. Where the authors' paper and code differ, the comments say which one a tool follows.
//
// Nothing that a model writes may be evaluated, cause a panic, or write to the database: every mistake becomes an
// observation in words.
package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

// The names of the tools.
const (
	SearchColumn     = "SearchColumn"
	SearchValue      = "SearchValue"
	FindShortestPath = "FindShortestPath"
	ExecuteSQL       = "ExecuteSQL"
	Done             = "Done"
)

// Tool is a tool as its caller sees it.
type Tool struct {
	Name   string
	Params []Param
	Does   string // one sentence
}

// Param is one parameter of a tool. It takes a text.
type Param struct {
	Name     string
	Optional bool // None where it is not given
	List     bool // takes a list of texts too
	Is       string
}

// Signature returns the tool's name and parameters, as in SearchValue(value, table=None, column=None).
func (t Tool) Signature() string {
	parts := make([]string, len(t.Params))
	for i, p := range t.Params {
		if parts[i] = p.Name; p.Optional {
			parts[i] += "=None"
		}
	}
	return t.Name + "(" + strings.Join(parts, ", ") + ")"
}

// All returns the tools, in the order in which they are shown. They are the caller's.
func All() []Tool {
	out := slices.Clone(known)
	for i := range out {
		out[i].Params = slices.Clone(out[i].Params)
	}
	return out
}

var known = []Tool{
	{SearchColumn, []Param{{Name: "semantic", List: true, Is: "what the column is about; a list looks for several"}},
		"ranks the columns of the database by how near their name, table and description are to a description."},
	{SearchValue, []Param{{Name: "value", Is: "the text to look for"}, {Name: "table", Optional: true, Is: "only in this table"},
		{Name: "column", Optional: true, Is: "only in this column"}},
		"looks a text up among the text cells of the database, misspelt or in part too."},
	{FindShortestPath, []Param{{Name: "start", List: true, Is: "a column as table.column, or a table; a list joins each"},
		{Name: "end", List: true, Is: "a column as table.column, or a table; a list joins each"}},
		"tells the shortest chain of foreign keys that joins two columns or tables."},
	{ExecuteSQL, []Param{{Name: "sql", Is: "one SQLite query"}}, "runs a query on the database."},
	{Done, nil, "ends the work: the last query is the answer."},
}

// find returns the tool of that name; nil where there is none.
func find(name string) *Tool {
	for i := range known {
		if known[i].Name == name {
			return &known[i]
		}
	}
	return nil
}

// Describe returns a line for each of the tools named: its signature and what it does.
func Describe(names []string) string {
	var b strings.Builder
	for _, n := range names {
		if t := find(n); t != nil {
			fmt.Fprintf(&b, "%s %s\n", t.Signature(), t.Does)
		}
	}
	return b.String()
}

// Embedder turns texts into vectors; see [llm.Embedder].
type Embedder = llm.Embedder

// Opener opens the index of a database file's values.
type Opener = func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error)

// Options of the tools. The zero value is ready.
type Options struct {
	Off         []string // names of tools switched off; Done cannot be
	TopK        int      // columns and values returned; 0: 5
	Observation int      // characters of a result shown; 0: 200
	// Spider refuses what the authors' code refuses on Spider: LEFT JOIN and IN, and the first time an alias.
	Spider bool
	// DoubleCheck advises, once, to see whether all columns of a result were asked for, as the authors' code does.
	DoubleCheck bool
	Vectors     Embedder // compares descriptions with columns; nil: package relevance ranks them
	Without     []string // parts of that ranking left out, of relevance.Parts
	// Values opens the index that SearchValue reads; nil: one that values.Open keeps in the user's cache folder. The
	// Set asks for Index, whose zero Columns means values.All: every text cell counts.
	Values Opener
	Index  values.Options
	// Cache keeps what is worked out once a database; nil: one of the Set's own. Sets that share one must have the same
	// Vectors, Without, Values and Index.
	Cache *Cache
}

// Set is the tools over one question's database. It is safe for concurrent use.
type Set struct {
	db    *schema.Database
	base  engine.DB
	box   sandbox.Runner
	o     Options
	own   *Cache // to close; nil where the options gave one
	names []string
	desk  *desk
	state *state

	columns func() columnTexts
}

// state is what a dialogue has met once.
type state struct{ alias, columns atomic.Bool }

// New makes the tools over a database, which db describes; box runs what they ask of it. It reads
// nothing yet.
func New(db *schema.Database, base engine.DB, box sandbox.Runner, o Options) (*Set, error) {
	if db == nil || box == nil {
		return nil, fmt.Errorf("tools: new set %q: no description or no sandbox", base.Source)
	}
	if o.TopK <= 0 {
		o.TopK = 5
	}
	if o.Observation <= 0 {
		o.Observation = 200
	}
	if o.Index.Columns == "" {
		o.Index.Columns = values.All
	}
	s := &Set{db: db, base: base, box: box, o: o, state: &state{}}
	s.columns = sync.OnceValue(func() columnTexts { return newColumnTexts(db) })
	for _, n := range o.Off {
		if find(n) == nil || n == Done {
			return nil, fmt.Errorf("tools: new set %q: no tool %q can be switched off", base.Source, n)
		}
	}
	for _, t := range known {
		if !slices.Contains(o.Off, t.Name) {
			s.names = append(s.names, t.Name)
		}
	}
	if s.o.Cache == nil {
		s.own = NewCache(1)
		s.o.Cache = s.own
	}
	s.desk = s.o.Cache.desk(base, db)
	return s, nil
}

// Fresh returns the same tools for another dialogue: what they show or refuse only the first time happens again.
func (s *Set) Fresh() *Set {
	out := *s
	out.state, out.own = &state{}, nil
	return &out
}

// Close closes what the Set opened itself; the cache of its options stays open.
func (s *Set) Close() error {
	if s.own == nil {
		return nil
	}
	return s.own.Close()
}

// Observation is what came of an action.
type Observation struct {
	Text string `json:"text"`
	// Bad says that the action was not performed, or failed: Text says why.
	Bad bool `json:"bad,omitempty"`
	// SQL is the statement that was run, whether or not it failed; Failure is then the sandbox's kind of error.
	SQL     string           `json:"sql,omitempty"`
	Failure engine.ErrorKind `json:"failure,omitempty"`
	Rows    int              `json:"rows,omitempty"`    // of its result
	Columns int              `json:"columns,omitempty"` // of its result
	Empty   bool             `json:"empty,omitempty"`   // the result has no rows
	// Void says that the result is one of those for which the authors' code does the whole dialogue again: no rows, or
	// one row of a zero, of an empty text, or of one or two NULLs.
	Void bool          `json:"void,omitempty"`
	Took time.Duration `json:"-"` // by the clock: for latencies, no part of any output
}

func bad(format string, args ...any) Observation {
	return Observation{Text: "Error: " + visible(fmt.Sprintf(format, args...)), Bad: true}
}

// visible returns a text with what cannot be printed escaped, on one line.
func visible(s string) string {
	shown := repr(s)
	shown = shown[1 : len(shown)-1]
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`).Replace(shown)
}

// Misread returns the observation of a text that [Parse] or [Cut] could not read.
func Misread(err error) Observation { return bad("this is no action: %s.", cause(err)) }

// Call performs an action. What the model did wrong is an Observation with Bad set. An error ends the run: the
// context's, a database or index that cannot be read, or an embedder's.
func (s *Set) Call(ctx context.Context, a Action) (Observation, error) {
	begin := time.Now()
	o, err := s.call(ctx, a)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Observation{}, fmt.Errorf("tools: call %q: %w", clip(a.Name, 60), err)
	}
	o.Took = time.Since(begin)
	return o, nil
}

func (s *Set) call(ctx context.Context, a Action) (Observation, error) {
	if err := ctx.Err(); err != nil {
		return Observation{}, err
	}
	t := find(a.Name)
	if t == nil || !slices.Contains(s.names, t.Name) {
		return bad("there is no tool named %s. The tools are %s.", clip(a.Name, 40), strings.Join(s.names, ", ")), nil
	}
	bound, err := t.bind(a)
	if err == nil {
		err = t.check(bound)
	}
	if err != nil {
		return bad("%s. The tool is %s.", err, t.Signature()), nil
	}
	switch t.Name {
	case SearchColumn:
		return s.searchColumn(ctx, bound[0].texts())
	case SearchValue:
		return s.searchValue(ctx, bound[0].Text, optional(bound[1]), optional(bound[2]))
	case FindShortestPath:
		return s.findShortestPath(ctx, bound[0].texts(), bound[1].texts())
	case ExecuteSQL:
		return s.executeSQL(ctx, bound[0].Text)
	}
	return Observation{Text: "Done."}, nil
}

// check returns an argument of the wrong kind, in words for the model.
func (t *Tool) check(bound []*Arg) error {
	for i, p := range t.Params {
		a := bound[i]
		switch {
		case a == nil || a.none() && p.Optional:
		case a.none():
			return fmt.Errorf("the argument %s must not be None", p.Name)
		case a.IsList && !p.List:
			return fmt.Errorf("the argument %s is one text, not a list", p.Name)
		case a.Bare && t.Name == ExecuteSQL:
			return errors.New("the argument sql is a text in quotes")
		case len(a.texts()) == 0 || slices.ContainsFunc(a.texts(), func(s string) bool { return strings.TrimSpace(s) == "" }):
			return fmt.Errorf("the argument %s is empty", p.Name)
		case len(a.List) > maxList:
			return fmt.Errorf("the argument %s has more than %d elements", p.Name, maxList)
		}
	}
	return nil
}

// texts returns the argument's texts, one where it is no list.
func (a *Arg) texts() []string {
	if a.IsList {
		return a.List
	}
	return []string{a.Text}
}

// optional returns the text of an argument; empty where it is not given.
func optional(a *Arg) string {
	if a == nil || a.none() {
		return ""
	}
	return a.Text
}

// clip returns the first n characters of s, on one line, marked where there were more.
func clip(s string, n int) string {
	return cut(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "), n)
}
