package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/prompting/llm"

	sqlite "github.com/mattn/go-sqlite3"
)

// explain adds to an SQLite error what it means for a ledger and what to do.
func explain(err error) error {
	var e sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	advice := ""
	switch e.Code {
	case sqlite.ErrFull:
		advice = "the disk is full: make room and run the same command again"
	case sqlite.ErrReadonly, sqlite.ErrPerm, sqlite.ErrCantOpen:
		advice = "the file or its folder cannot be written: check its permissions, or use another --store"
	case sqlite.ErrCorrupt:
		advice = "the file is damaged: save what can be with `sqlite3 LEDGER .recover | sqlite3 NEW`, put NEW in its place without the old -wal and -shm, and check it with `assay ledger verify`"
	case sqlite.ErrNotADB:
		advice = "the file is not a ledger, or its start is damaged: use another --store, or save what can be with `sqlite3 LEDGER .recover | sqlite3 NEW`"
	case sqlite.ErrIoErr:
		advice = "the disk refuses: check that it has room, and its health, and run the same command again"
	case sqlite.ErrBusy:
		advice = "another process writes to it: wait for that, or use another --store"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// unwritable reports whether err comes from writing, so that opening for reading may still succeed.
func unwritable(err error) bool {
	var e sqlite.Error
	if errors.As(err, &e) {
		return e.Code == sqlite.ErrReadonly || e.Code == sqlite.ErrPerm || e.Code == sqlite.ErrCantOpen
	}
	return errors.Is(err, fs.ErrPermission)
}

// busy reports whether another process's transaction caused err.
func busy(err error) bool {
	var e sqlite.Error
	return errors.As(err, &e) && (e.Code == sqlite.ErrBusy || e.Code == sqlite.ErrLocked)
}

// readOnlyError is a write to a ledger that is open for reading only, or a call whose answer would have to be stored
// there.
type readOnlyError struct {
	Path string
	Why  error
}

// Error says why the file cannot be written, and the remedies.
func (e *readOnlyError) Error() string {
	return fmt.Sprintf("ledger: %q is open for reading only, so nothing can be stored and no call is made: %v: make the file and its folder writable, or use another --store", e.Path, e.Why)
}

// Unwrap returns the reason.
func (e *readOnlyError) Unwrap() error { return e.Why }

// notStoredError is a completion that arrived and could not be stored.
type notStoredError struct {
	Path     string // the ledger's file
	Request  llm.Request
	Response llm.Response
	Rescue   string // the file that holds the completion instead; empty if none could be written
	Err      error  // why it could not be stored
}

// Error names the cause and where the completion is.
func (e *notStoredError) Error() string {
	where := "no other file could be written either, so it is lost when this process ends"
	if e.Rescue != "" {
		where = fmt.Sprintf("it is kept in %q: when there is room, `assay ledger import %s`", e.Rescue, e.Rescue)
	}
	return fmt.Sprintf("ledger: put %q into %q: %v; the completion is not stored; %s", e.Request.Key(), e.Path, e.Err, where)
}

// Unwrap returns the cause.
func (e *notStoredError) Unwrap() error { return e.Err }

// notStored writes a completion to a rescue file and returns the error that names the file.
func (l *Ledger) notStored(p *pending, cause error) error {
	e := &notStoredError{Path: l.path, Request: p.request, Response: p.response, Err: explain(cause)}
	l.rescue.Lock()
	defer l.rescue.Unlock()
	text, err := encodeLine(p)
	if err != nil {
		return errors.Join(e, err)
	}
	for _, open := range []func() (*os.File, error){l.rescueInUse, l.rescueBeside, l.rescueElsewhere} {
		f, err := open()
		if err != nil {
			continue
		}
		if appendWhole(f, text) == nil {
			e.Rescue, l.rescue.path = f.Name(), f.Name()
			break
		}
	}
	return e
}

const appending = os.O_APPEND | os.O_CREATE | os.O_WRONLY

// rescueInUse opens the rescue file of this process's earlier completions, so that one file holds them all.
func (l *Ledger) rescueInUse() (*os.File, error) {
	if l.rescue.path == "" {
		return nil, fs.ErrNotExist
	}
	return os.OpenFile(l.rescue.path, appending, 0o666)
}

// rescueBeside opens the rescue file next to the ledger, which is where a user will look.
func (l *Ledger) rescueBeside() (*os.File, error) {
	return os.OpenFile(strings.TrimSuffix(l.path, filepath.Ext(l.path))+".rescue.jsonl", appending, 0o666)
}

// rescueElsewhere makes a rescue file in the temporary folder, which is often on another disk.
func (l *Ledger) rescueElsewhere() (*os.File, error) {
	return os.CreateTemp("", "ledger.rescue-*.jsonl")
}

// appendWhole appends a line, after a header if the file is empty, and closes the file. If the write fails it truncates
// the file to its old size, and removes it if it was empty, so that no rescue file has half a line.
func appendWhole(f *os.File, text []byte) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil && size == 0 {
		_, err = f.Write(encodeHeader(nil))
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(size))
	}
	err = errors.Join(err, f.Close())
	if err != nil && size == 0 {
		os.Remove(f.Name())
	}
	return err
}

// decodeJSON parses one JSON value; numbers keep their digits if their type is not fixed.
func decodeJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
