package dataset

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"
)

//go:embed sample
var sample embed.FS

// sampleQuestions reads the embedded questions, database by database in the order of their names.
func sampleQuestions(l *loader) ([]item, error) {
	if l.cfg.Split != "" && l.cfg.Split != "dev" {
		return nil, fmt.Errorf("the sample has one split, dev: there is no %q", l.cfg.Split)
	}
	files, err := fs.Glob(sample, "sample/questions/*.json")
	if err != nil {
		return nil, err
	}
	var out []item
	for _, f := range files {
		b, err := sample.ReadFile(f)
		if err != nil {
			return nil, err
		}
		items, bad, err := parseQuestions(b, form{id: []string{"id"}, question: []string{"question"}, gold: []string{"query"}})
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", f, err)
		}
		if len(bad) > 0 {
			return nil, fmt.Errorf("read %q: %s: %s", f, bad[0].Item, bad[0].Text)
		}
		out = append(out, items...)
	}
	return out, nil
}

func openSample(l *loader) error {
	l.bases.find = l.sampleFile
	l.bases.hashOf = func(path string) (string, error) { // the script's, which is the same whatever SQLite built the file
		script, err := sampleScript(strings.TrimSuffix(filepath.Base(path), ".sqlite"))
		return digest(script), err
	}
	return nil
}

func sampleScript(db string) ([]byte, error) {
	return sample.ReadFile("sample/databases/" + db + ".sql")
}

func digest(b []byte) string { sum := sha256.Sum256(b); return hex.EncodeToString(sum[:]) }

// sampleFile is the built database of an embedded script; "" where there is no such script.
//
// It lies at <cache>/sample/<db>-<hash of the script>/<db>.sqlite, in a folder of its own, since the databases beside an
// item's own are its test suite. A file beside the folder's database holds the database's hash: when the two differ,
// or either is missing, it is built again. Building happens in another folder that is then renamed, so that another
// process sees a whole database or none.
func (l *loader) sampleFile(db string) (string, error) {
	script, err := sampleScript(db)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(l.cache, "sample", db+"-"+digest(script)[:12])
	path := filepath.Join(dir, db+".sqlite")
	if sound(path) {
		return path, nil
	}
	if err := buildSample(l.ctx, dir, db, string(script)); err != nil {
		return "", fmt.Errorf("build the sample database %q in %q: %w", db, l.cache, err)
	}
	if !sound(path) {
		return "", fmt.Errorf("build the sample database %q in %q: it does not stay as written", db, l.cache)
	}
	return path, nil
}

// sound reports whether a built database is what it was when it was built.
func sound(path string) bool {
	want, err := os.ReadFile(path + ".sha256")
	if err != nil {
		return false
	}
	got, err := readHash(path)
	return err == nil && got == string(want)
}

// buildSample makes the folder dir with the database in it, in place of a damaged one where there is one.
func buildSample(ctx context.Context, dir, db, script string) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, ".build-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	part := filepath.Join(tmp, "new")
	if err := os.Mkdir(part, 0o755); err != nil {
		return err
	}
	path := filepath.Join(part, db+".sqlite")
	if err := runScript(ctx, path, script); err != nil {
		return err
	}
	hash, err := readHash(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".sha256", []byte(hash), 0o644); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err == nil {
		return nil
	}
	if sound(filepath.Join(dir, db+".sqlite")) { // another process was faster
		return nil
	}
	if err := os.Rename(dir, filepath.Join(tmp, "damaged")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(part, dir); err != nil && !sound(filepath.Join(dir, db+".sqlite")) {
		return err
	}
	return nil
}

// runScript runs an SQL script on a new database file, all of it in one transaction.
func runScript(ctx context.Context, path, script string) (err error) {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=rwc&_journal_mode=OFF&_synchronous=OFF"}
	c, err := (&sqlite3.SQLiteDriver{}).Open(u.String())
	if err != nil {
		return err
	}
	defer func() {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}()
	for _, s := range []string{"BEGIN", script, "COMMIT"} {
		if _, err := c.(driver.ExecerContext).ExecContext(ctx, s, nil); err != nil {
			return err
		}
	}
	return nil
}
