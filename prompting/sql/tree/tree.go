// Package tree parses SQLite's SQL into a syntax tree, and answers questions about it.
//
// [Parse] turns the text of one statement into a [Stmt]; the parser library's tree is converted to a smaller one of this
// package, so that the library can be replaced. [Walk] visits the tree, [Resolve] and [Columns] determine what its names
// mean, [Count] and [Literals] collect its parts, and [WithKeys] rewrites a query. [Tokens] splits any text into tokens,
// also one that does not parse.
//
// The tree has no parentheses, since its structure expresses them; ORDER BY and LIMIT of a compound belong to the whole
// [Query]; every node knows its bytes in the text. The package reads text alone: it must never open a database, it must
// not panic on any text, and it must not begin on one that is [Oversize].
package tree

import (
	"errors"
	"fmt"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/parser"
)

// maxNesting bounds the nesting of expressions and sub-queries in the tree, which operators add to without a
// parenthesis: the recursion here must not exhaust the stack. SQLite's own default is 1000, so no statement that SQLite
// accepts is refused.
const maxNesting = 3000

// Span is a half-open range of bytes of the parsed text.
type Span struct{ Start, End int }

// Stmt is one statement.
type Stmt struct {
	SQL   string // the text as given
	Verb  string // SELECT, INSERT, UPDATE, DELETE, or OTHER
	Query *Query // the tree of a SELECT (VALUES and WITH included); nil for every other statement

	tree ast.Stmt
}

// Query is a complete SELECT: one arm, or several arms connected by set operations, with its WITH, ORDER BY and LIMIT.
type Query struct {
	Span
	CTEs    []CTE
	Arms    []*Select
	Ops     []string // one fewer than Arms: UNION, UNION ALL, INTERSECT, EXCEPT
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

// Error says why a text cannot be parsed.
type Error struct {
	Offset  int // in bytes; -1 where unknown
	Message string
}

// Error returns the message with its position.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Message
	}
	return fmt.Sprintf("at byte %d: %s", e.Offset, e.Message)
}

// Parse parses exactly one statement, which a semicolon may follow. Its error wraps an *Error with the byte offset. Where
// SQLite refuses the text too, the message is SQLite's.
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

// Print returns the statement in one normal form: upper-case keywords, single spaces, no comments.
func (s *Stmt) Print() string { return ast.String(s.tree) }

// Text returns the bytes of a node as written in the statement, with comments.
func (s *Stmt) Text(at Span) string {
	if at.Start < 0 || at.End > len(s.SQL) || at.Start > at.End {
		return ""
	}
	return s.SQL[at.Start:at.End]
}

// Refusal returns the reason why a text is not exactly one statement in SQLite's grammar, or nil where it is one. It is
// cheaper than Parse, because it does not convert the tree.
func Refusal(sql string) *Error {
	_, refused := one(sql)
	return refused
}

// one parses a text and fails unless it is one statement.
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

// read parses the statements of a text. It recovers from panics of the parser, since models write any text at all.
func read(sql string) (list []ast.Stmt, refused *Error) {
	defer func() {
		if r := recover(); r != nil {
			list, refused = nil, fault(r)
		}
	}()
	if over := Oversize(sql); over != nil {
		return nil, over
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

// fault converts a panic of the parser, or of the converter, to an Error.
func fault(r any) *Error { return &Error{Offset: -1, Message: fmt.Sprint("parser fault: ", r)} }

func wrap(sql string, err error) error {
	return fmt.Errorf("tree: parse %q: %w", short(sql), err)
}

func short(sql string) string {
	const most = 80
	if r := []rune(sql[:min(len(sql), 4*most)]); len(r) > most {
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
