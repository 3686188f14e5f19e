package sandbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
)

// library makes a small database: two tables, a view, and columns of the declared types the driver rewrites.
func library(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odd name %41?#.sqlite")
	plain := filepath.Join(filepath.Dir(path), "plain.sqlite")
	db, err := sql.Open("sqlite3", plain)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`
		CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, price REAL);
		INSERT INTO book VALUES (1, 'Reeds', 4.5), (2, 'Tides', NULL), (3, 'Sails', 7);
		CREATE TABLE loan (book_id INTEGER, due DATE, at TIMESTAMP, back BOOLEAN);
		INSERT INTO loan VALUES (1, 'next week', 20240102, 5), (2, '2024-05-06', '2024-05-06 07:08:09', 0);
		CREATE VIEW cheap AS SELECT * FROM book WHERE price < 5;`)
	if err := errors.Join(err, db.Close(), os.Rename(plain, path)); err != nil {
		t.Fatal(err)
	}
	return path
}

func show(r *engine.Result) string {
	var lines []string
	for _, row := range r.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, v.Kind().String()+":"+v.String())
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, "\n")
}

func TestRunReturnsStoredValues(t *testing.T) {
	box := New(Options{})
	path := library(t)
	check := func(query, want string) {
		t.Helper()
		res, err := box.Run(t.Context(), sqlite.DB(path), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			return
		}
		if diff := cmp.Diff(want, show(res)); diff != "" {
			t.Errorf("%s:\n%s", query, diff)
		}
	}
	check("SELECT title FROM book ORDER BY id", "text:Reeds\ntext:Tides\ntext:Sails")
	check("SELECT price FROM book ORDER BY id", "real:4.5\nnull:NULL\nreal:7.0")
	// The driver, left to itself, makes these times and bools, and "next week" the year 1.
	check("SELECT due, at, back FROM loan ORDER BY book_id",
		"text:next week integer:20240102 integer:5\ntext:2024-05-06 text:2024-05-06 07:08:09 integer:0")
	check("SELECT due FROM (SELECT due FROM loan) WHERE due LIKE 'next%'", "text:next week")
	check("SELECT x'00ff', 1e999, -1e999, '', x''", "blob:\x00\xff real:Inf real:-Inf text: blob:")
	check("SELECT CAST(x'6180ff62' AS TEXT)", "text:a\x80\xffb")
	check("SELECT 9223372036854775807, -9223372036854775808", "integer:9223372036854775807 integer:-9223372036854775808")
	check("SELECT count(*) FROM cheap", "integer:1")
	check("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT i FROM n",
		"integer:1\ninteger:2\ninteger:3")
	check("SELECT value FROM json_each('[1,2]')", "integer:1\ninteger:2")
	check("VALUES (1),(2)", "integer:1\ninteger:2")
	check("SELECT \"not a column\"", "text:not a column")
	check("SELECT 1;", "integer:1")
	check("SELECT 1; -- and no more", "integer:1")
	check("SELECT 1 -- ; SELECT 2", "integer:1")
	check("/* ; */ ; SELECT ';' ;; /* ; ", "text:;")
	check("SELECT 1 AS [a;b] WHERE 0", "")
	check("SELECT sqrt(16.0), pow(2, 3)", "real:4.0 real:8.0")
}

// TestRunSearches queries tables whose modules ask SQLite about the file while they read it.
func TestRunSearches(t *testing.T) {
	box := New(Options{})
	check := func(ddl, query, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "f.sqlite")
		db, err := sql.Open("sqlite3", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(ddl); errors.Join(err, db.Close()) != nil {
			t.Fatal(err)
		}
		res, err := box.Run(t.Context(), sqlite.DB(path), query)
		if err != nil || len(res.Rows) != 1 || res.Rows[0][0].String() != want {
			t.Errorf("%s: %v, %v, want %s", query, res, err, want)
		}
	}
	check("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('hello world'), ('goodbye')", "SELECT count(*) FROM f", "2")
	check("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('hello world'), ('goodbye')", "SELECT a FROM f WHERE f MATCH 'world' ORDER BY rank", "hello world")
	check("CREATE VIRTUAL TABLE f USING fts4(a); INSERT INTO f VALUES ('hello world'), ('goodbye')", "SELECT a FROM f WHERE f MATCH 'world'", "hello world")
}

func TestRunRefuses(t *testing.T) {
	box := New(Options{MaxRows: 1000, MaxBytes: 1 << 20})
	short := New(Options{Timeout: 100 * time.Millisecond})
	path := library(t)
	before := snapshot(t, filepath.Dir(path))
	inside := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	check := func(kind engine.ErrorKind, limit engine.Limit, query string) {
		t.Helper()
		b := box
		if limit == engine.Deadline {
			b = short
		}
		_, err := b.Run(t.Context(), sqlite.DB(path), query)
		e, ok := errors.AsType[*engine.Error](err)
		if !ok {
			t.Errorf("%s: error is %v, want an *Error", query, err)
			return
		}
		if e.Kind != kind || e.Limit != limit || e.SQL != query || e.DB.Source != path {
			t.Errorf("%s: kind %q limit %q (%v), want %q %q", query, e.Kind, e.Limit, err, kind, limit)
		}
	}
	check(engine.Rejected, "", "DROP TABLE book")
	check(engine.Rejected, "", "INSERT INTO book VALUES (9, 'x', 1)")
	check(engine.Rejected, "", "DELETE FROM book")
	check(engine.Rejected, "", "UPDATE book SET price = 0 RETURNING id")
	check(engine.Rejected, "", "REPLACE INTO book VALUES (1, 'x', 1)")
	check(engine.Rejected, "", "WITH x AS (SELECT 1) INSERT INTO book SELECT 7, 'x', 1")
	check(engine.Rejected, "", "WITH x AS (SELECT 1) DELETE FROM book")
	check(engine.Rejected, "", "CREATE TABLE t (a)")
	check(engine.Rejected, "", "CREATE TEMP TABLE t AS SELECT 1")
	check(engine.Rejected, "", "CREATE VIRTUAL TABLE t USING fts5(a)")
	check(engine.Rejected, "", "CREATE TEMP TRIGGER g AFTER INSERT ON book BEGIN SELECT 1; END")
	check(engine.Rejected, "", "ALTER TABLE book RENAME TO tome")
	check(engine.Rejected, "", "ATTACH '"+inside("other.db")+"' AS o")
	check(engine.Rejected, "", "DETACH main")
	check(engine.Rejected, "", "VACUUM")
	check(engine.Rejected, "", "VACUUM INTO '"+inside("copy.db")+"'")
	check(engine.Rejected, "", "PRAGMA query_only = 0")
	check(engine.Rejected, "", "PRAGMA journal_mode = WAL")
	check(engine.Rejected, "", "PRAGMA data_version")
	check(engine.Rejected, "", "PRAGMA page_size = 512")
	check(engine.Rejected, "", "PRAGMA table_info(book)")
	check(engine.Rejected, "", "SELECT * FROM pragma_table_info('book')")
	check(engine.Rejected, "", "BEGIN")
	check(engine.Rejected, "", "BEGIN IMMEDIATE")
	check(engine.Rejected, "", "SAVEPOINT s")
	check(engine.Rejected, "", "REINDEX")
	check(engine.Rejected, "", "ANALYZE")
	check(engine.Rejected, "", "EXPLAIN DROP TABLE book")
	check(engine.Rejected, "", "SELECT fts3_tokenizer('simple')")
	check(engine.Rejected, "", "SELECT 1; SELECT 2")
	check(engine.Rejected, "", "SELECT 1; /* quiet */ DELETE FROM book")
	check(engine.Rejected, "", "SELECT ';' ; DELETE FROM book; --")
	check(engine.Rejected, "", ";DELETE FROM book")
	check(engine.SQL, "", "SELECT load_extension('"+inside("x.so")+"')") // no such function in this build
	check(engine.SQL, "", "SELECT writefile('"+inside("x")+"', 'x')")
	check(engine.SQL, "", "SELECT readfile('/etc/hostname')")
	check(engine.SQL, "", "SELEC 1")
	check(engine.SQL, "", "SELECT nothing FROM book")
	check(engine.SQL, "", "SELECT 1 UNION SELECT 1, 2")
	check(engine.SQL, "", "SELECT ?")
	check(engine.SQL, "", "")
	check(engine.SQL, "", " ; -- nothing\n /* at all")
	check(engine.SQL, "", "SELECT 1 \x00; DROP TABLE book")
	check(engine.SQL, "", "SELECT abs(-9223372036854775808)")
	check(engine.Timeout, engine.Deadline, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n")
	check(engine.Timeout, engine.RowCap, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n")
	check(engine.Timeout, engine.ByteCap, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT zeroblob(9000) FROM n")
	check(engine.Timeout, engine.ValueCap, "SELECT zeroblob(2000000000)")
	check(engine.Timeout, engine.ValueCap, "SELECT length(replace(hex(zeroblob(400000)), '0', '0123456789'))")
	check(engine.Timeout, engine.ValueCap, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 200000) SELECT group_concat('0123456789') FROM n")
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	if res, err := box.Run(t.Context(), sqlite.DB(path), "SELECT count(*) FROM book"); err != nil || show(res) != "integer:3" {
		t.Errorf("after all that: %v, %v", res, err)
	}
}

// snapshot is the hash of every file in dir, by name.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sums[f.Name()] = fmt.Sprintf("%x", sha256.Sum256(b))
	}
	return sums
}

// Queries that would fill memory or disk end, and leave the box in working order.
func TestRunSurvivesMemory(t *testing.T) {
	box, short := New(Options{}), New(Options{Timeout: time.Second})
	path := library(t)
	check := func(limit engine.Limit, query string) {
		t.Helper()
		b := box
		if limit == engine.Deadline {
			b = short
		}
		_, err := b.Run(t.Context(), sqlite.DB(path), query)
		if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != engine.Timeout || e.Limit != limit {
			t.Errorf("%.60s: %v, want %s", query, err, limit)
		}
		if res, err := box.Run(t.Context(), sqlite.DB(path), "SELECT count(*) FROM book"); err != nil || show(res) != "integer:3" {
			t.Errorf("afterwards: %v, %v", res, err)
		}
	}
	check(engine.MemoryCap, "SELECT 1"+strings.Repeat(", hex(zeroblob(499999))", 1999))
	check(engine.Deadline, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)
		SELECT count(*) FROM (SELECT hex(zeroblob(i % 7)) AS h FROM n ORDER BY h, i DESC)`)
	check(engine.Deadline, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT group_concat(i) FROM n")
}

func TestRunUnavailable(t *testing.T) {
	box := New(Options{})
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(library(t))
	if err != nil {
		t.Fatal(err)
	}
	broken := append([]byte{}, good...)
	for i := 100; i < len(broken); i++ {
		broken[i] = 0xa5
	}
	check := func(path string) {
		t.Helper()
		_, err := box.Run(t.Context(), sqlite.DB(path), "SELECT * FROM book")
		if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != engine.Unavailable {
			t.Errorf("%s: %v, want unavailable", filepath.Base(path), err)
		}
	}
	check(filepath.Join(dir, "missing.sqlite"))
	check(dir)
	check(write("text.sqlite", strings.Repeat("not a database ", 100)))
	check(write("broken.sqlite", string(broken)))
	check(write("cut.sqlite", string(good[:5000])))
	if _, err := os.Stat(filepath.Join(dir, "missing.sqlite")); err == nil {
		t.Error("a missing file was created")
	}
}

func TestRunContext(t *testing.T) {
	box := New(Options{})
	path := library(t)
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := box.Run(ctx, sqlite.DB(path), endless); err != context.DeadlineExceeded {
		t.Errorf("caller's deadline: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := box.Run(gone, sqlite.DB(path), "SELECT 1"); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRunTruncates(t *testing.T) {
	box := New(Options{MaxRows: 2, Truncate: true})
	path := library(t)
	check := func(query string, rows int, truncated bool) {
		t.Helper()
		res, err := box.Run(t.Context(), sqlite.DB(path), query)
		if err != nil || len(res.Rows) != rows || res.Truncated != truncated {
			t.Errorf("%s: %+v, %v", query, res, err)
		}
	}
	check("SELECT * FROM book", 2, true)
	check("SELECT * FROM book LIMIT 2", 2, false)
}

// A file replaced between two queries is seen; more files than MaxFiles, many goroutines and a closed box work.
// Statements at once share processes and files, and one that has changed is opened anew.
func TestChangedFile(t *testing.T) {
	box := New(Options{})
	path := library(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i := range 4 {
		p := filepath.Join(t.TempDir(), fmt.Sprint(i, ".sqlite"))
		if err := os.WriteFile(p, data, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if _, err := box.Run(t.Context(), sqlite.DB(paths[(g+i)%len(paths)]), "SELECT * FROM book"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	db, err := sql.Open("sqlite3", paths[0])
	if err != nil {
		t.Fatal(err)
	}
	box.Run(t.Context(), sqlite.DB(paths[0]), "SELECT 1")
	_, err = db.Exec("INSERT INTO book SELECT id + 10, title, price FROM book; CREATE TABLE grow AS SELECT zeroblob(9000)")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	res, err := box.Run(t.Context(), sqlite.DB(paths[0]), "SELECT count(*) FROM grow")
	if err != nil || show(res) != "integer:1" {
		t.Errorf("changed file: %v, %v", res, err)
	}
}

// A database with a live write-ahead log is read with the log's content.
func TestWriteAheadLog(t *testing.T) {
	box, dir := New(Options{}), t.TempDir()
	path := filepath.Join(dir, "wal.sqlite")
	db, err := sql.Open("sqlite3", path+"?_journal_mode=WAL")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func(sql string) {
		t.Helper()
		if _, err := db.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, dir, query, want string) {
		t.Helper()
		before := snapshot(t, dir)
		res, err := box.Run(t.Context(), sqlite.DB(filepath.Join(dir, "wal.sqlite")), query)
		if err != nil || show(res) != want {
			t.Errorf("%s: %v, %v, want %s", what, res, err, want)
		}
		if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
			t.Errorf("%s: files beside the database changed:\n%s", what, diff)
		}
	}
	write("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
	check("with its writer", dir, "SELECT count(*) FROM t", "integer:2")
	write("INSERT INTO t VALUES (3)")
	check("after a write", dir, "SELECT count(*) FROM t", "integer:3")
	left := t.TempDir() // as a process leaves it that is killed, and as it is copied without its index
	for _, suffix := range []string{"", "-wal", "-shm"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(filepath.Join(left, "wal.sqlite"+suffix), data, 0o444)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check("left by its writer", left, "SELECT sum(a) FROM t", "integer:6")
	if err := os.Remove(filepath.Join(left, "wal.sqlite-shm")); err != nil {
		t.Fatal(err)
	}
	check("without its index", left, "SELECT max(a) FROM t", "integer:3")
	check("which is asked again", left, "SELECT min(a) FROM t", "integer:1")
	for what, to := range map[string]string{"a link to it": path, "a link to one without an index": filepath.Join(left, "wal.sqlite")} {
		links := t.TempDir()
		if err := os.Symlink(to, filepath.Join(links, "wal.sqlite")); err != nil {
			t.Fatal(err)
		}
		check(what, links, "SELECT count(*) FROM t", "integer:3")
		check(what+", again", links, "SELECT count(*) FROM t", "integer:3")
		if stamp, err := (sqlite.Engine{}).Stamp(filepath.Join(links, "wal.sqlite")); err != nil || !stamp.Pending {
			t.Errorf("%s: %+v, %v", what, stamp, err)
		}
		of, err := (sqlite.Engine{}).Digest(t.Context(), to)
		if digest, e := (sqlite.Engine{}).Digest(t.Context(), filepath.Join(links, "wal.sqlite")); err != nil || e != nil || digest != of {
			t.Errorf("%s: digest %s, want %s: %v, %v", what, digest, of, err, e)
		}
	}
	for _, suffixes := range [][]string{{"-wal"}, {"-wal", "-shm"}} { // SQLite itself removes the log of a file without content
		lost := t.TempDir()
		os.WriteFile(filepath.Join(lost, "wal.sqlite"), nil, 0o644)
		for _, suffix := range suffixes {
			if data, err := os.ReadFile(path + suffix); err != nil || os.WriteFile(filepath.Join(lost, "wal.sqlite"+suffix), data, 0o644) != nil {
				t.Fatal(err)
			}
		}
		check("a log alone", lost, "SELECT count(*) FROM sqlite_schema", "integer:0")
	}
}

// A file that takes the place of a database is another database, also of the same size and time.
func TestReplaced(t *testing.T) {
	box, dir := New(Options{}), t.TempDir()
	path, next := filepath.Join(dir, "a.sqlite"), filepath.Join(dir, "b.sqlite")
	when := time.Now().Add(-time.Hour)
	for p, sql := range map[string]string{path: "CREATE TABLE t AS SELECT 1 AS a", next: "CREATE TABLE t AS SELECT 2 AS a"} {
		if err := errors.Join(sqlite.Create(t.Context(), p, sql), os.Chtimes(p, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"integer:1", "integer:2"} {
		if res, err := box.Run(t.Context(), sqlite.DB(path), "SELECT a FROM t"); err != nil || show(res) != want {
			t.Errorf("%v, %v, want %s", res, err, want)
		}
		if err := os.Rename(next, path); i == 0 && err != nil {
			t.Fatal(err)
		}
	}
}

// A statement sees a database as it was before a transaction of somebody else, or after it, and never in between.
func TestLiveWriter(t *testing.T) {
	box, path := New(Options{}), filepath.Join(t.TempDir(), "a.sqlite")
	err := sqlite.Create(t.Context(), path, `CREATE TABLE t (id INTEGER PRIMARY KEY, a, pad);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000) INSERT INTO t SELECT i, 1, hex(zeroblob(200)) FROM n`)
	past := time.Now().Add(-time.Hour)
	db, e := sql.Open("sqlite3", path+"?_busy_timeout=10000&_synchronous=OFF")
	if err := errors.Join(err, e, os.Chtimes(path, past, past)); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done := make(chan error)
	go func() {
		var err error
		for i := 0; i < 60 && err == nil; i++ {
			_, err = db.Exec("BEGIN IMMEDIATE; UPDATE t SET a = a + 1 WHERE id <= 400; UPDATE t SET a = a - 1 WHERE id > 3600; COMMIT")
		}
		done <- err
	}()
	for writing := true; writing; {
		select {
		case err = <-done:
			writing = false
		default:
		}
		res, err := box.Run(t.Context(), sqlite.DB(path), "SELECT sum(a) FROM t")
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Kind == engine.Unavailable {
			continue // it was told of, which is rare
		}
		if err != nil || show(res) != "integer:4000" {
			t.Fatalf("%v, %v", show(res), err)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// String agrees with SQLite's own cast to text, but for digits that make no difference.
func TestStringIsSQLites(t *testing.T) {
	box := New(Options{})
	path := library(t)
	cast := func(f float64) (engine.Value, string) {
		t.Helper()
		res, err := box.Run(t.Context(), sqlite.DB(path), fmt.Sprintf("SELECT v, CAST(v AS TEXT) FROM (SELECT %.17e AS v)", f))
		if err != nil {
			t.Fatal(err)
		}
		return res.Rows[0][0], res.Rows[0][1].String()
	}
	r := rand.New(rand.NewPCG(1, 2))
	short := []float64{0, 1, -1, 0.1, 0.5, 1e15, 1e16, 1e17, 123456789012345, 1e-4, 1e-5, 1e100, 1e-300, 100, 1e21, 49.47}
	for range 500 {
		short = append(short, float64(r.IntN(1e6))/100)
	}
	for _, f := range short {
		if v, want := cast(f); v.String() != want {
			t.Errorf("%v: %s, SQLite says %s", f, v, want)
		}
	}
	for range 500 {
		v, want := cast((r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(40)-20)))
		back, err := strconv.ParseFloat(v.String(), 64)
		if err != nil || back != v.Float64() || len(v.String()) > len(want) {
			t.Errorf("%s, SQLite says %s", v, want)
		}
	}
}

func FuzzRun(f *testing.F) {
	for _, s := range []string{"SELECT 1", "SELECT 1;;", "SELECT '", "/*", "--", ";", "SELECT 1 /* */ ; DROP TABLE book", "\x00", "EXPLAIN SELECT 1"} {
		f.Add(s)
	}
	box := New(Options{Timeout: 100 * time.Millisecond, MaxRows: 1000, MaxBytes: 1 << 20})
	path := library(f)
	before, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		_, err := box.Run(t.Context(), sqlite.DB(path), query)
		if e, ok := errors.AsType[*engine.Error](err); err != nil && (!ok || e.Kind == engine.Unavailable) {
			t.Errorf("%q: %v", query, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%q changed the database", query)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	box := New(Options{})
	path := library(b)
	query := "SELECT b.title, l.due FROM book AS b JOIN loan AS l ON l.book_id = b.id ORDER BY b.title"
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			if _, err := box.Run(b.Context(), sqlite.DB(path), query); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := box.Run(b.Context(), sqlite.DB(path), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// A journal that a killed writer left is no reader's to roll back: the database is to blame, not the statement.
func TestHotJournal(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "a.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, sql := range []string{"CREATE TABLE t (a)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT hex(zeroblob(500)) FROM n",
		"PRAGMA cache_size = 1", "BEGIN", "UPDATE t SET a = 'y' || a"} {
		if _, err := db.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	left := t.TempDir()
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(filepath.Join(dir, "a.sqlite"+suffix))
		if err == nil {
			err = os.WriteFile(filepath.Join(left, "a.sqlite"+suffix), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, left)
	_, err = New(Options{}).Run(t.Context(), sqlite.DB(filepath.Join(left, "a.sqlite")), "SELECT count(*) FROM t")
	if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != engine.Unavailable || !strings.Contains(err.Error(), "rollback journal") {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, left)); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
}

// What lies beside a database under the name of a log or a journal, and is none, keeps nobody from reading it.
func TestGarbageBeside(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE"} {
		for _, suffix := range []string{"-wal", "-journal", "-shm"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.sqlite")
			db, err := sql.Open("sqlite3", path+"?_journal_mode="+mode)
			if err == nil {
				_, err = db.Exec("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
			}
			if err := errors.Join(err, db.Close(), os.WriteFile(path+suffix, []byte(strings.Repeat("no log at all ", 5000)), 0o644)); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			res, err := New(Options{}).Run(t.Context(), sqlite.DB(path), "SELECT count(*) FROM t")
			if err != nil || show(res) != "integer:2" {
				t.Errorf("%s %s: %v", mode, suffix, err)
			}
			if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
				t.Errorf("%s %s: files changed:\n%s", mode, suffix, diff)
			}
		}
	}
}
