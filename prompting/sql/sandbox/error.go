package sandbox

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

// ErrorKind says whose fault it is.
type ErrorKind string

// The kinds of Error.
const (
	SQL         ErrorKind = "sql"         // SQLite refused the statement, or it failed while it ran
	Timeout     ErrorKind = "timeout"     // stopped at the deadline or at a cap: see Error.Limit
	Rejected    ErrorKind = "rejected"    // it would write, attach, or otherwise do more than read; or it is several statements
	Unavailable ErrorKind = "unavailable" // the database file is missing, unreadable or no database: not the statement's fault
)

// Limit is which bound stopped a statement.
type Limit string

// The bounds.
const (
	Deadline  Limit = "deadline"
	RowCap    Limit = "rows"
	ByteCap   Limit = "bytes"
	ValueCap  Limit = "value size"
	MemoryCap Limit = "memory"
	DiskCap   Limit = "temporary disk"
)

// Error is a statement that gave no result.
type Error struct {
	Kind  ErrorKind
	Limit Limit  // set when Kind is Timeout
	Path  string // the database file
	SQL   string // the statement as given
	Err   error  // SQLite's own words, or ours
}

// Error is `sandbox: query "SQL": cause`; a long statement is cut.
func (e *Error) Error() string {
	const most = 80
	shown := e.SQL
	if len(shown) > most {
		shown = shown[:most] + "..."
	}
	if e.Kind == Unavailable {
		return fmt.Sprintf("sandbox: open %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("sandbox: query %q: %v", shown, e.Err)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// classify tells the kind of what SQLite reported. Only a read-only statement gets this far, so a failed write
// to disk is a temporary file's.
func classify(err error) (ErrorKind, Limit) {
	var lite sqlite3.Error
	if !errors.As(err, &lite) {
		return SQL, ""
	}
	switch lite.ExtendedCode {
	case sqlite3.ErrIoErrNoMem:
		return Timeout, MemoryCap
	case sqlite3.ErrIoErrWrite:
		return Timeout, DiskCap
	case sqlite3.ErrCorruptVTab:
		return SQL, ""
	}
	switch lite.Code {
	case sqlite3.ErrNomem:
		return Timeout, MemoryCap
	case sqlite3.ErrTooBig:
		return Timeout, ValueCap
	case sqlite3.ErrFull:
		return Timeout, DiskCap
	case sqlite3.ErrAuth, sqlite3.ErrReadonly:
		return Rejected, ""
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrIoErr,
		sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol, sqlite3.ErrFormat:
		return Unavailable, ""
	}
	return SQL, ""
}
