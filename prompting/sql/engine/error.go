package engine

import "fmt"

// ErrorKind says why a statement gave no result, and so whether the statement is to blame: the first three count against
// a prediction, Unavailable costs the items of the database.
type ErrorKind string

// The kinds of Error.
const (
	SQL         ErrorKind = "sql"         // the engine refused the statement, or the statement failed while it ran
	Timeout     ErrorKind = "timeout"     // the statement met the deadline or another limit: see Error.Limit
	Rejected    ErrorKind = "rejected"    // the statement would do more than read, or there are several statements
	Unavailable ErrorKind = "unavailable" // there is no database, or it is missing or damaged
)

// Limit names the bound that stopped a statement.
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

// Error reports a statement that gave no result. Engines leave DB and SQL empty; the sandbox fills them in.
type Error struct {
	Kind  ErrorKind
	Limit Limit  // set when Kind is Timeout
	DB    DB     // the database as the caller gave it
	SQL   string // the text as the caller gave it
	Err   error  // the cause in the engine's words, or in this program's
}

// Error returns `sandbox: query "SQL": cause`, with a long statement cut, or `sandbox: open "SOURCE": cause`.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
