// Package sqlite implements the engine interface for SQLite files.
//
// [Engine.Statement] finds the end of the one statement in a text and refuses several. A worker, a process that the
// parent can kill, compiles the statement on a read-only connection, under an authorizer that permits to select, read
// columns, call functions and recurse, and nothing else. The statement then runs until it ends, its deadline passes, or it
// exceeds a limit on rows, bytes, the size of one value or SQLite's memory. SQLite can interrupt neither the compiling of a
// statement nor a single call of a function, of which some take hours on a short text: at its deadline a statement's
// process is killed. Descriptions of a file, which may have views made to hang ([Each]), and the making of files from a
// user's schema ([Make]) run in workers too. [Create] makes files from the program's own.
//
// The package must never write to a file that it queries or describes, and no statement that is not a constant of the
// program may run in its own process.
//
// Large sorts spill to temporary files of the worker, at up to about 70 MB per second until the deadline, and at most
// 1 GiB each. Where that matters, set SQLITE_TMPDIR to a file system of limited size.
//
// Limits of address space, and the end of a worker with its parent, are those of Linux. Other Unix systems have the
// deadline and SQLite's own limit on memory; elsewhere the package does not compile.
package sqlite

import (
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/tree"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
)

// Engine is the SQLite library linked into this binary. A source is the path of a file.
type Engine struct{}

var _ engine.Engine = Engine{}

// DB returns the handle of the SQLite file at path. An empty path gives the handle of no database.
func DB(path string) engine.DB {
	if path == "" {
		return engine.DB{}
	}
	return engine.DB{Engine: Engine{}, Source: path}
}

// Dialect implements engine.Engine.
func (Engine) Dialect() engine.Dialect {
	return engine.Dialect{Name: "SQLite", Version: Version(), Quote: Quote, Literal: Literal, Functions: functions}
}

// Quote returns a name in double quotes, whether or not it needs them.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal returns a value as an SQL literal that SQLite evaluates to the same value. A text with a NUL byte is the
// exception: SQLite would end the statement there.
func Literal(v engine.Value) string {
	switch v.Kind() {
	case engine.Text:
		return "'" + strings.ReplaceAll(v.Bytes(), "'", "''") + "'"
	case engine.Blob:
		return "x'" + hex.EncodeToString([]byte(v.Bytes())) + "'"
	case engine.Real:
		if f := v.Float64(); math.IsInf(f, 0) {
			return strconv.FormatFloat(math.Copysign(9, f), 'f', 1, 64) + "e999" // above the largest real: SQLite parses Inf
		}
	}
	return v.String()
}

// verbs maps the first word of each statement that only reads to its verb; all other words are engine.Other.
var verbs = map[token.Kind]engine.Verb{
	token.SELECT: engine.Query, token.WITH: engine.Query, token.VALUES: engine.Query, token.EXPLAIN: engine.Explain,
}

// Statement implements engine.Engine. It refuses several statements because the driver would continue with the text after
// the first one and return an empty result.
func (Engine) Statement(sql string) (engine.Statement, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return engine.Statement{}, &engine.Error{Kind: engine.SQL, Err: errors.New("the statement has a NUL byte")}
	}
	if over := tree.Oversize(sql); over != nil {
		return engine.Statement{}, &engine.Error{Kind: engine.SQL, Err: over}
	}
	first, start, end := token.EOF, -1, len(sql)
	for _, t := range lexer.Lex(sql) {
		switch {
		case t.Kind == token.EOF:
		case t.Kind == token.SEMI:
			if start >= 0 && end == len(sql) {
				end = t.Pos
			}
		case end < len(sql):
			return engine.Statement{}, &engine.Error{Kind: engine.Rejected, Err: errors.New("more than one statement")}
		case start < 0:
			start, first = t.Pos, t.Kind
		}
	}
	if start < 0 {
		return engine.Statement{}, &engine.Error{Kind: engine.SQL, Err: errors.New("no statement")}
	}
	return engine.Statement{Text: sql[start:end], Verb: verbs[first]}, nil
}
