package values

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"assay/configs/input"

	_ "github.com/mattn/go-sqlite3" // the driver, and FTS5 in it
)

// wordsFormat is the user_version of a word index; a change of what is in it must raise it.
const wordsFormat = 1

// words is the word index of an [Index]: SQLite's FTS5 over the same values under the same numbers, without the texts
// themselves. It is a file next to the index's own, made at the first search.
type words struct {
	mu sync.Mutex // held while it is opened
	db *sql.DB
}

// wordsPath returns where the word index of an index file is.
func wordsPath(index string) string { return strings.TrimSuffix(index, ".values") + ".words" }

// openWords returns the word index, opened or built at the first call.
func (x *Index) openWords(ctx context.Context) (*sql.DB, error) {
	x.words.mu.Lock()
	defer x.words.mu.Unlock()
	if x.words.db != nil {
		return x.words.db, nil
	}
	path := wordsPath(x.file.path)
	leave, err := enter(ctx, path)
	if err != nil {
		return nil, err
	}
	defer leave()
	db, err := x.readWords(ctx, path)
	if err != nil && ctx.Err() == nil {
		if err = x.buildWords(ctx, path); err == nil {
			db, err = x.readWords(ctx, path)
		}
	}
	x.words.db = db
	return db, err
}

// stamp ties a word index to the content of its index file.
func (x *Index) stamp() string { return fmt.Sprintf("%d %08x %d", wordsFormat, x.file.CRC, x.file.n) }

// readWords opens the file at path, if it is the word index of this index.
func (x *Index) readWords(ctx context.Context, path string) (*sql.DB, error) {
	if err := input.Regular(path); err != nil {
		return nil, input.Cause(err)
	}
	db, err := openSQL(path, "mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	var stamp string
	if err = db.QueryRowContext(ctx, "SELECT stamp FROM about").Scan(&stamp); err == nil && stamp != x.stamp() {
		err = errors.New("the word index is of another index")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func openSQL(path, options string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: options}
	return sql.Open("sqlite3", u.String())
}

// buildWords writes the word index under a temporary name and renames it, as build does.
func (x *Index) buildWords(ctx context.Context, path string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".words-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := tmp.Close(); err != nil {
		return err
	}
	db, err := openSQL(tmp.Name(), "_journal_mode=OFF&_synchronous=OFF")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := errors.Join(x.fillWords(ctx, db), db.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// fillWords writes the values in one transaction. The table has no content of its own: a value's number finds its text.
func (x *Index) fillWords(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	for _, q := range []string{
		"CREATE VIRTUAL TABLE cells USING fts5(text, content='', tokenize=\"unicode61 remove_diacritics 2\")",
		"CREATE VIRTUAL TABLE terms USING fts5vocab(cells, row)",
		"CREATE TABLE about (stamp TEXT)",
		"INSERT INTO about VALUES ('" + x.stamp() + "')",
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO cells (rowid, text) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for id := range x.file.n {
		if _, err := insert.ExecContext(ctx, id, string(x.file.text(uint32(id)))); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO cells (cells) VALUES ('optimize')"); err != nil {
		return err
	}
	return tx.Commit()
}

// close closes the word index where it is open.
func (w *words) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return nil
	}
	return w.db.Close()
}
