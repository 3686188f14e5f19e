// Package tree reads SQLite's SQL as a tree: parse, walk, print.
//
// The tree is our own and small, so that the parser underneath can be exchanged. Parentheses are dropped (the tree has
// the structure), the ORDER BY and LIMIT of a compound belong to the whole Query, and every node knows its bytes.
package tree

import (
	"errors"
	"fmt"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/parser"
)

// maxDepth bounds the nesting of expressions and sub-queries. SQLite's own default is 1000.
const maxDepth = 3000

// maxBytes bounds the text that Parse reads: SQLite's own default limit is a million.
const maxBytes = 1_000_000

// Span is a half-open range of bytes of the parsed text.
type Span struct{ Start, End int }

// Stmt is one statement.
type Stmt struct {
	SQL   string // the text as given
	Verb  string // SELECT, INSERT, UPDATE, DELETE, or OTHER
	Query *Query // the tree of a SELECT (VALUES and WITH included); nil for every other statement

	tree ast.Stmt
}

// Query is a SELECT with everything round it: one arm, or several joined by set operations.
type Query struct {
	Span
	CTEs    []CTE
	Arms    []*Select
	Ops     []string // between the arms: UNION, UNION ALL, INTERSECT, EXCEPT
	OrderBy []Term
	Limit   *Expr // nil where absent
	Offset  *Expr // nil where absent
}

// CTE is one common table expression.
type CTE struct {
	Name    string
	Columns []string
	Query   *Query
}

// Select is one arm of a query. A VALUES arm has Values and nothing else.
type Select struct {
	Span
	Distinct bool
	Columns  []Result
	From     []*Source
	Where    *Expr
	GroupBy  []*Expr
	Having   *Expr
	Windows  []*Expr // the expressions of a WINDOW clause
	Values   [][]*Expr
}

// Result is one result column.
type Result struct {
	Expr  *Expr
	Alias string // empty where none is given
}

// Source is one item of a FROM clause: a table, a table function, a sub-query, or a parenthesised join.
type Source struct {
	Span
	Join   string // empty for the first item; else ",", "JOIN", "LEFT JOIN", "NATURAL JOIN", ...
	Table  string // table, view, CTE or function name
	Schema string // as in main.t
	Args   []*Expr
	Query  *Query
	List   []*Source
	Alias  string
	On     *Expr
	Using  []string
}

// Term is one ORDER BY term.
type Term struct {
	Expr *Expr
	Desc bool
}

// Error is a refusal of the text.
type Error struct {
	Offset  int // in bytes; -1 where unknown
	Message string
}

// Error gives the message with its place.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Message
	}
	return fmt.Sprintf("at byte %d: %s", e.Offset, e.Message)
}

// Parse reads exactly one statement; a semicolon may follow it. The error wraps an *Error with the byte offset; its
// message is the one SQLite would give where SQLite refuses the text too.
func Parse(sql string) (stmt *Stmt, err error) {
	defer func() {
		if r := recover(); r != nil {
			stmt, err = nil, wrap(sql, fault(r))
		}
	}()
	only, refused := one(sql)
	if refused != nil {
		return nil, wrap(sql, refused)
	}
	stmt = &Stmt{SQL: sql, Verb: verb(only), tree: only}
	if sel, ok := only.(*ast.SelectStmt); ok {
		c := &converter{}
		stmt.Query = c.query(sel)
		if c.err != nil {
			return nil, wrap(sql, c.err)
		}
	}
	return stmt, nil
}

// Print gives the statement in one normal form: upper-case keywords, single spaces, no comments.
func (s *Stmt) Print() string { return ast.String(s.tree) }

// Text gives the bytes of a node as they stand in the statement, comments included.
func (s *Stmt) Text(at Span) string {
	if at.Start < 0 || at.End > len(s.SQL) || at.Start > at.End {
		return ""
	}
	return s.SQL[at.Start:at.End]
}

// Refusal tells why a text is not exactly one statement to SQLite's grammar; nil where it is. It makes no tree.
func Refusal(sql string) *Error {
	_, refused := one(sql)
	return refused
}

// one reads a text that is one statement.
func one(sql string) (ast.Stmt, *Error) {
	list, refused := read(sql)
	switch {
	case refused != nil:
		return nil, refused
	case len(list) == 0:
		return nil, &Error{Offset: 0, Message: "no statement"}
	case len(list) > 1:
		return nil, &Error{Offset: list[1].Pos(), Message: "more than one statement"}
	}
	return list[0], nil
}

// read reads the statements of a text.
func read(sql string) (list []ast.Stmt, refused *Error) {
	defer func() {
		if r := recover(); r != nil {
			list, refused = nil, fault(r)
		}
	}()
	if len(sql) > maxBytes {
		return nil, &Error{Offset: maxBytes, Message: "statement too long"}
	}
	list, err := parser.ParseString(sql)
	if err == nil {
		return list, nil
	}
	if e, ok := errors.AsType[*parser.Error](err); ok {
		return nil, &Error{Offset: e.Offset, Message: e.Message}
	}
	return nil, &Error{Offset: -1, Message: err.Error()}
}

// fault is a panic of the parser's, or of what turns its tree into ours.
func fault(r any) *Error { return &Error{Offset: -1, Message: fmt.Sprint("parser fault: ", r)} }

func wrap(sql string, err error) error {
	return fmt.Errorf("tree: parse %q: %w", short(sql), err)
}

func short(sql string) string {
	const most = 80
	if r := []rune(sql); len(r) > most {
		return string(r[:most]) + "..."
	}
	return sql
}

func verb(s ast.Stmt) string {
	switch s.(type) {
	case *ast.SelectStmt:
		return "SELECT"
	case *ast.InsertStmt:
		return "INSERT"
	case *ast.UpdateStmt:
		return "UPDATE"
	case *ast.DeleteStmt:
		return "DELETE"
	}
	return "OTHER"
}
