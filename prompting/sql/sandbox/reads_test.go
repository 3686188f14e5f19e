package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
)

func TestReads(t *testing.T) {
	box := New(Options{})
	path := library(t)
	check := func(query, want string) {
		t.Helper()
		refs, err := box.Reads(t.Context(), sqlite.DB(path), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		var got []string
		for _, r := range refs {
			got = append(got, r.Table+"."+r.Column)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %s, want %s", query, s, want)
		}
	}
	check("SELECT title FROM book", "book.title")
	check("SELECT TITLE, T.Title FROM BOOK AS T;", "book.title")
	check("SELECT * FROM book", "book.id book.price book.title")
	check("SELECT count(*) FROM book", "book.")
	check("SELECT count(*) FROM book AS a, book AS b WHERE b.id = 1", "book.id")
	check("SELECT title FROM book JOIN loan ON book.id = loan.book_id WHERE back = 1 ORDER BY due",
		"book.id book.title loan.back loan.book_id loan.due")
	check("SELECT x.n FROM (SELECT count(*) AS n, book_id FROM loan GROUP BY book_id) AS x", "loan.book_id")
	check("WITH c AS (SELECT id FROM book WHERE price > 1) SELECT count(*) FROM c", "book.id book.price")
	check("WITH c AS (SELECT 1 AS one) SELECT one FROM c, book", "book.")
	check("SELECT title FROM book WHERE id IN (SELECT book_id FROM loan)", "book.id book.title loan.book_id")
	check("SELECT title FROM cheap", "book.id book.price book.title cheap.title")
	check("SELECT rowid FROM loan", "loan.ROWID")
	check("SELECT rowid FROM book", "book.id")
	check("SELECT 1", "")
	check("SELECT \"no column\"", "")
	check("VALUES (1)", "")
}

func TestReadsRefuses(t *testing.T) {
	box := New(Options{})
	path := library(t)
	check := func(query string, kind engine.ErrorKind) {
		t.Helper()
		refs, err := box.Reads(t.Context(), sqlite.DB(path), query)
		if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != kind || e.SQL != query || refs != nil {
			t.Errorf("%s: %v, %v", query, refs, err)
		}
	}
	check("DELETE FROM book", engine.Rejected)
	check("WITH x AS (SELECT 1) DELETE FROM book", engine.Rejected)
	check("EXPLAIN SELECT 1", engine.Rejected)
	check("SELECT 1; SELECT title FROM book", engine.Rejected)
	check("SELECT title, nothing FROM book", engine.SQL)
	check("", engine.SQL)
	if _, err := box.Reads(t.Context(), sqlite.DB(path+".none"), "SELECT 1"); err == nil {
		t.Error("a missing file was read")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.Reads(gone, sqlite.DB(path), "SELECT 1"); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
