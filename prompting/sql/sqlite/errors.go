package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// refused names the codes of forbidden actions for messages; see https://www.sqlite.org/c3ref/c_alter_table.html.
var refused = map[int]string{
	sqlite3.SQLITE_INSERT: "INSERT", sqlite3.SQLITE_DELETE: "DELETE", sqlite3.SQLITE_UPDATE: "UPDATE",
	sqlite3.SQLITE_ATTACH: "ATTACH", sqlite3.SQLITE_DETACH: "DETACH", sqlite3.SQLITE_PRAGMA: "PRAGMA",
	sqlite3.SQLITE_TRANSACTION: "a transaction", sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
	sqlite3.SQLITE_ALTER_TABLE: "ALTER TABLE", sqlite3.SQLITE_REINDEX: "REINDEX", sqlite3.SQLITE_ANALYZE: "ANALYZE",
	sqlite3.SQLITE_FUNCTION: "the function",
}

// describe names a refused action, such as "ATTACH" or "the function readfile". Codes without a name of their own are the
// many CREATE and DROP actions.
func describe(op int, arg string) string {
	name, ok := refused[op]
	if !ok {
		name = "a change of the schema"
	}
	if arg == "" {
		return name
	}
	return name + " " + arg
}

// errWrites refuses a statement that SQLite itself does not call read-only, or whose first word does not only read.
var errWrites = &engine.Error{Kind: engine.Rejected, Err: errors.New("the statement does more than read")}

// errChanged says that an answer may mix what a database held before and after a change.
var errChanged = errors.New("the database was changed while it was read: try again when nothing writes to it")

// verdict returns how the answer ended: nil, an *engine.Error, or another error where this machine is to blame.
func (r *wire) verdict() error {
	e := r.ending
	switch e.outcome {
	case done, stopped:
		return nil
	case denied:
		return &engine.Error{Kind: engine.Rejected, Err: fmt.Errorf("%s is not allowed", describe(int(e.code), e.message))}
	case writes:
		return errWrites
	case changed:
		return &engine.Error{Kind: engine.Unavailable, Err: errChanged}
	case unbound:
		return &engine.Error{Kind: engine.SQL, Err: fmt.Errorf("the statement has %d unbound parameters", e.extra)}
	}
	err := error(sqliteError{e})
	if number := syscall.Errno(e.extra); number == syscall.EMFILE || number == syscall.ENFILE || number == syscall.ENOMEM {
		return fmt.Errorf("sqlite: open a database: %w", err)
	}
	kind, limit := engine.Unavailable, engine.Limit("")
	if e.outcome == failed {
		kind, limit = classify(int(e.code))
	}
	return &engine.Error{Kind: kind, Limit: limit, Err: err}
}

// sqliteError is an error that SQLite reported.
type sqliteError struct{ ending }

func (e sqliteError) Error() string {
	switch e.code {
	case codeHotJournal:
		return "a rollback journal lies beside it that was not rolled back: open the database once with a program that may write"
	}
	if e.outcome == notOpened && e.extra != 0 {
		return syscall.Errno(e.extra).Error()
	}
	if e.extra != 0 {
		return e.message + ": " + syscall.Errno(e.extra).Error()
	}
	return e.message
}

// codeHotJournal is SQLITE_READONLY_ROLLBACK: a reader cannot undo what a writer left behind.
const codeHotJournal = 8 | 3<<8

// classify returns the kind and the limit of an error that SQLite reported. Only read-only statements get this far, so a
// failed write to disk concerns a temporary file.
func classify(code int) (engine.ErrorKind, engine.Limit) {
	switch sqlite3.ErrNoExtended(code) {
	case sqlite3.ErrIoErrNoMem:
		return engine.Timeout, engine.MemoryCap
	case sqlite3.ErrIoErrWrite:
		return engine.Timeout, engine.DiskCap
	case sqlite3.ErrCorruptVTab:
		return engine.SQL, ""
	case sqlite3.ErrReadonlyRecovery, sqlite3.ErrNoExtended(codeHotJournal):
		return engine.Unavailable, ""
	}
	switch sqlite3.ErrNo(code & 0xff) {
	case sqlite3.ErrNomem:
		return engine.Timeout, engine.MemoryCap
	case sqlite3.ErrTooBig:
		return engine.Timeout, engine.ValueCap
	case sqlite3.ErrFull:
		return engine.Timeout, engine.DiskCap
	case sqlite3.ErrAuth, sqlite3.ErrReadonly:
		return engine.Rejected, ""
	case sqlite3.ErrNotADB, sqlite3.ErrCorrupt, sqlite3.ErrCantOpen, sqlite3.ErrPerm, sqlite3.ErrIoErr,
		sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol, sqlite3.ErrFormat:
		return engine.Unavailable, ""
	}
	return engine.SQL, ""
}
