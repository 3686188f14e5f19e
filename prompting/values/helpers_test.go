package values

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"assay/prompting/sql/sqlite"
)

// makeDatabase makes a database from a script, named for the test.
func makeDatabase(t testing.TB, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "harbour.sqlite")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

// openIndex opens the index of a database in a folder of the test's own.
func openIndex(t testing.TB, path string, o Options) *Index {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	x, err := Open(context.Background(), sqlite.DB(path), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// harbour has names, towns with accents, short codes, numbers as text, and columns that are no words.
const harbour = `
CREATE TABLE ship (id INTEGER PRIMARY KEY, name VARCHAR(40), class, flag CHAR(2), mail TEXT, built TEXT, hull TEXT, remark TEXT, vacant TEXT, blank TEXT);
CREATE TABLE town (code TEXT PRIMARY KEY, "Home Port" TEXT, phone TEXT, area_name TEXT);
INSERT INTO ship VALUES
 (1, 'Northern Star', 'Container Carrier', 'NO', 'a@b.example', '1999-04-01', 'a7f29bc04d11', NULL, NULL, ''),
 (2, 'Queen of the Fjords', 'Ferry', 'NO', 'c@d.example', '2003-11-30', 'b8e30ca15e22', '  ', NULL, ' '),
 (3, 'Area 51', 'Ferry', 'SE', 'e@f.example', '2010-01-15', 'c9f41db26f33', 'x', NULL, ''),
 (4, 'Boeing 747-400', 'Tug', 'DK', 'g@h.example', '2011-02-16', 'd0052ec37044', NULL, NULL, ''),
 (5, 'O''Brien', 'Tug', 'DK', 'i@j.example', '2012-03-17', 'e1163fd48155', NULL, NULL, '');
INSERT INTO town VALUES
 ('OSL', 'São Sebastião', '+47 22 33 44 55', 'Southern Alameda'),
 ('BGO', 'Ålesund', '+47 55 66 77 88', 'Alameda County'),
 ('TRD', 'Besançon', '+47 73 00 00 00', 'Alameda High'),
 ('SVG', 'Gdańsk', '+47 51 00 00 00', 'Preschool');
`
