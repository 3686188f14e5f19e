// Package sqlite is the engine that asks SQLite files.
//
// A statement is first read for where it ends: more than one is refused. SQLite then compiles it under an authorizer
// that lets it select, read columns, call functions and recurse, and nothing else, on a connection that is itself
// read-only. It runs until it is done, its context is, or it meets a limit on rows, bytes, the size of one value, or
// SQLite's memory. The same package describes a file, reads columns for the program itself, and makes new files; it never
// writes to one that it is asked about.
//
// Large sorts spill to temporary files of the process, up to about 70 MB a second until the deadline: where that
// matters, the process sets SQLITE_TMPDIR to a bounded place before its first query.
package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/prompting/sql/engine"

	"github.com/sqlc-dev/meyer/lexer"
	"github.com/sqlc-dev/meyer/token"
)

// Engine is the SQLite in this binary. A source is the path of a file.
type Engine struct{}

var _ engine.Engine = Engine{}

// DB is the handle of the SQLite file at path; of an empty path, no database.
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

// Quote is a name in double quotes, whatever it is.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal prints a value that SQLite reads back as the same one; a text that has a NUL byte it would end there.
func Literal(v engine.Value) string {
	switch v.Kind() {
	case engine.Text:
		return "'" + strings.ReplaceAll(v.Bytes(), "'", "''") + "'"
	case engine.Blob:
		return "x'" + hex.EncodeToString([]byte(v.Bytes())) + "'"
	case engine.Real:
		if f := v.Float64(); math.IsInf(f, 0) {
			return strconv.FormatFloat(math.Copysign(9, f), 'f', 1, 64) + "e999" // beyond the largest: it is read as Inf
		}
	}
	return v.String()
}

// verbs has the words that a statement which only reads begins with.
var verbs = map[token.Kind]engine.Verb{
	token.SELECT: engine.Query, token.WITH: engine.Query, token.VALUES: engine.Query, token.EXPLAIN: engine.Explain,
}

// Statement implements engine.Engine: the driver would go on to what follows the first statement, and return its empty
// result.
func (Engine) Statement(sql string) (engine.Statement, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return engine.Statement{}, &engine.Error{Kind: engine.SQL, Err: errors.New("the statement has a NUL byte")}
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

// fromDriver is the Value of what the driver returns for a column without a declared type.
func fromDriver(v driver.Value) (engine.Value, error) {
	switch v := v.(type) {
	case nil:
		return engine.Value{}, nil
	case int64:
		return engine.OfInt(v), nil
	case float64:
		return engine.OfReal(v), nil
	case string:
		return engine.OfText(v), nil
	case []byte:
		return engine.OfBlob(v), nil
	}
	return engine.Value{}, fmt.Errorf("unexpected %T from the driver", v)
}

// toDriver is the driver's form of a value.
func toDriver(v engine.Value) driver.Value {
	switch v.Kind() {
	case engine.Int:
		return v.Int64()
	case engine.Real:
		return v.Float64()
	case engine.Text:
		return v.Bytes()
	case engine.Blob:
		return []byte(v.Bytes())
	}
	return nil
}
