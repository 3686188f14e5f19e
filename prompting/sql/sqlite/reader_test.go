package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
)

func TestReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file?#%.sqlite")
	db, err := sql.Open("sqlite3", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE "o""dd" (day DATE, yes BOOLEAN, n); INSERT INTO "o""dd" VALUES ('1999-01-01', 'maybe', 1.5), ('soon', 1, x'00ff'), (NULL, '', 7)`); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	check := func(want string, fails string, ctx context.Context, query string, stop error, args ...any) {
		t.Helper()
		var got []string
		err := r.Each(ctx, query, func(row []engine.Value) error {
			for _, v := range row {
				got = append(got, v.Kind().String()+" "+v.String())
			}
			return stop
		}, args...)
		if s := strings.Join(got, ", "); s != want || (err == nil) != (fails == "") || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: got %q, %v", query, s, err)
		}
	}
	all := "SELECT * FROM " + Quote(`o"dd`) + " WHERE n > ?"
	check("text 1999-01-01, text maybe, real 1.5, text soon, integer 1, blob \x00\xff, null NULL, text , integer 7", "", t.Context(), all, nil, int64(1))
	check("text 1999-01-01, text maybe, real 1.5", "", t.Context(), all, io.EOF, int64(1))
	check("text 1999-01-01, text maybe, real 1.5", "enough", t.Context(), all, errors.New("enough"), int64(1))
	check("", "", t.Context(), all, nil, []byte{255, 255})
	check("", "no such table", t.Context(), "SELECT * FROM nowhere", nil)
	check("", "readonly", t.Context(), "DELETE FROM "+Quote(`o"dd`), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check("", "context canceled", ctx, all, nil, int64(1))
	if _, err := OpenReader(filepath.Join(t.TempDir(), "none.sqlite")); err == nil {
		t.Error("a file that is not there was opened")
	}
	if v, err := fromDriver(true); err == nil || v != (engine.Value{}) {
		t.Error("a bool has a value")
	}
}
