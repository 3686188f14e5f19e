package engine

import "fmt"

// ErrorKind says whose fault it is.
type ErrorKind string

// The kinds of Error.
const (
	SQL         ErrorKind = "sql"         // the engine refused the statement, or it failed while it ran
	Timeout     ErrorKind = "timeout"     // stopped at the deadline or at a cap: see Error.Limit
	Rejected    ErrorKind = "rejected"    // it would write, attach, or otherwise do more than read; or it is several statements
	Unavailable ErrorKind = "unavailable" // the database is missing, unreadable or none: not the statement's fault
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

// Error is a statement that gave no result. A sandbox fills in DB and SQL.
type Error struct {
	Kind  ErrorKind
	Limit Limit  // set when Kind is Timeout
	DB    DB     // as given
	SQL   string // the statement as given
	Err   error  // the engine's own words, or ours
}

// Error is `sandbox: query "SQL": cause`; a long statement is cut.
func (e *Error) Error() string {
	const most = 80
	shown := e.SQL
	if len(shown) > most {
		shown = shown[:most] + "..."
	}
	if e.Kind == Unavailable {
		return fmt.Sprintf("sandbox: open %q: %v", e.DB.Source, e.Err)
	}
	return fmt.Sprintf("sandbox: query %q: %v", shown, e.Err)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
