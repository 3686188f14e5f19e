package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"assay/prompting/sql/schema"
)

// Scripted is the test double of an engine with one database. A test sets the answers; a method without an answer returns
// an empty value.
type Scripted struct {
	Answer  func(ctx context.Context, sql string) (*Result, error) // what Run returns; errors as Conn documents them
	Plan    *Explanation                                           // what Explain returns for every statement
	Columns []schema.ColumnName                                    // what Reads returns for every statement
	Schema  *schema.Database                                       // what Describe returns; nil means a missing source

	Version atomic.Int64 // changing it simulates a replaced database: Stamp and Digest change
}

var _ Engine = (*Scripted)(nil)

// DB returns the handle of the scripted database.
func (s *Scripted) DB() DB { return DB{Engine: s, Source: "scripted"} }

// Dialect implements Engine with the quotes of standard SQL.
func (s *Scripted) Dialect() Dialect {
	double := func(text, quote string) string { return quote + strings.ReplaceAll(text, quote, quote+quote) + quote }
	return Dialect{Name: "scripted", Version: "1", Functions: func() ([]string, error) { return nil, nil },
		Quote: func(name string) string { return double(name, `"`) },
		Literal: func(v Value) string {
			if v.Kind() == Text {
				return double(v.Bytes(), "'")
			}
			return v.String()
		}}
}

// Statement implements Engine. It knows no quotes: every semicolon ends a statement, and only a SELECT is a query.
func (s *Scripted) Statement(sql string) (Statement, error) {
	text, rest, _ := strings.Cut(strings.TrimSpace(sql), ";")
	word, _, _ := strings.Cut(text, " ")
	switch {
	case strings.TrimSpace(rest) != "":
		return Statement{}, &Error{Kind: Rejected, Err: errors.New("more than one statement")}
	case text == "":
		return Statement{}, &Error{Kind: SQL, Err: errors.New("no statement")}
	}
	return Statement{text, map[string]Verb{"SELECT": Query, "EXPLAIN": Explain}[word]}, nil
}

// Stamp implements Engine.
func (s *Scripted) Stamp(string) (Stamp, error) { return Stamp{Size: s.Version.Load()}, nil }

// Describe implements Describer.
func (s *Scripted) Describe(context.Context, string, Detail) (*schema.Database, error) {
	if s.Schema == nil {
		return nil, errors.New("no such database")
	}
	return s.Schema, nil
}

// Outline implements Describer.
func (s *Scripted) Outline(ctx context.Context, source string) (*schema.Database, error) {
	return s.Describe(ctx, source, Detail{})
}

// Digest implements Describer.
func (s *Scripted) Digest(context.Context, string) (string, error) {
	return fmt.Sprintf("%064x", s.Version.Load()), nil
}

// Cells implements Describer: every column is empty.
func (s *Scripted) Cells(string) (Cells, error) { return noCells{}, nil }

// Run implements Querier: the deadline ends ctx, as a test's Answer sees it.
func (s *Scripted) Run(ctx context.Context, _ string, stmt Statement, l Limits) (*Result, error) {
	if stmt.Verb == Other {
		return nil, &Error{Kind: Rejected, Err: errors.New("the statement does more than read")}
	}
	if s.Answer == nil {
		return &Result{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	res, err := s.Answer(limited, stmt.Text)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = &Error{Kind: Timeout, Limit: Deadline, Err: fmt.Errorf("stopped after %s", l.Time)}
	}
	return res, err
}

// RunMany implements Querier.
func (s *Scripted) RunMany(ctx context.Context, queries []Execution, l Limits, f func(i int, res *Result, err error)) {
	for i, q := range queries {
		res, err := s.Run(ctx, q.Source, q.Statement, l)
		f(i, res, err)
	}
}

// Explain implements Querier.
func (s *Scripted) Explain(context.Context, string, Statement, Limits) (*Explanation, error) {
	return s.Plan, nil
}

// Reads implements Querier.
func (s *Scripted) Reads(context.Context, string, Statement, Limits) ([]schema.ColumnName, error) {
	return s.Columns, nil
}

type noCells struct{}

func (noCells) Texts(context.Context, string, string, int, func(string) error) error { return nil }

func (noCells) First(context.Context, string, string, int, int, func(string, bool) error) error {
	return nil
}

func (noCells) HasText(context.Context, string, string) (bool, error) { return false, nil }

func (noCells) Lengths(context.Context, string, string) (float64, int64, error) { return 0, 0, nil }

func (noCells) Close() error { return nil }
