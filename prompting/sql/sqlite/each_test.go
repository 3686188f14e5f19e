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

func TestEach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file?#%.sqlite")
	db, err := sql.Open("sqlite3", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE "o""dd" (day DATE, yes BOOLEAN, n); INSERT INTO "o""dd" VALUES ('1999-01-01', 'maybe', 1.5), ('soon', 1, x'00ff'), (NULL, '', 7)`); err != nil {
		t.Fatal(err)
	}
	check := func(want string, fails string, ctx context.Context, query string, stop error) {
		t.Helper()
		var got []string
		err := Each(ctx, path, query, func(row []engine.Value) error {
			for _, v := range row {
				got = append(got, v.Kind().String()+" "+v.String())
			}
			return stop
		})
		if s := strings.Join(got, ", "); s != want || (err == nil) != (fails == "") || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: got %q, %v", query, s, err)
		}
	}
	all := "SELECT * FROM " + Quote(`o"dd`) + " WHERE n > 1"
	check("text 1999-01-01, text maybe, real 1.5, text soon, integer 1, blob \x00\xff, null NULL, text , integer 7", "", t.Context(), all, nil)
	check("text 1999-01-01, text maybe, real 1.5", "", t.Context(), all, io.EOF)
	check("text 1999-01-01, text maybe, real 1.5", "enough", t.Context(), all, errors.New("enough"))
	check("", "no such table", t.Context(), "SELECT * FROM nowhere", nil)
	check("", "readonly", t.Context(), "DELETE FROM "+Quote(`o"dd`), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check("", "context canceled", ctx, all, nil)
	none := filepath.Join(t.TempDir(), "none.sqlite")
	if err := Each(t.Context(), none, all, func([]engine.Value) error { return nil }); err == nil {
		t.Error("a file that is not there was opened")
	}
}
