package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

const shop = `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'pen'); CREATE TABLE "a ""b""" (x INTEGER);`

// base makes a database and describes it by its tables.
func base(t *testing.T, path string) Base {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Create(t.Context(), path, shop); err != nil {
		t.Fatal(err)
	}
	return Base{path, schema.New("shop", []schema.Table{{Name: "item"}, {Name: `a "b"`}}, nil)}
}

func file(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is written loads, wherever the folder and the databases are.
func TestWhatIsWrittenLoads(t *testing.T) {
	dir := t.TempDir()
	check := func(folder string, items int, o Options) {
		t.Helper()
		f, err := Write(filepath.Join(dir, folder), o)
		if err != nil {
			t.Fatal(err)
		}
		e, err := configs.Load(f.Experiment, catalog.Known, configs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := dataset.Load(t.Context(), e.Dataset, dataset.Options{Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Examples) != items || len(set.Warnings) > 0 {
			t.Errorf("%s: %d items, %v", folder, len(set.Examples), set.Warnings)
		}
		readme, err := os.ReadFile(f.Readme)
		if err != nil || strings.Contains(string(readme), "FOLDER") || strings.Count(string(readme), "\n") > 12 {
			t.Errorf("%s: %v\n%s", folder, err, readme)
		}
		if _, err := Write(filepath.Join(dir, folder), o); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("%s: written over: %v", folder, err)
		}
	}
	one, two := base(t, filepath.Join(dir, "shop.sqlite")), base(t, filepath.Join(dir, "my data", "bank's.db"))
	check("one", 2, Options{Bases: []Base{one}})
	check("two words", 4, Options{Bases: []Base{one, two}})
	check("deep/er", 2, Options{Bases: []Base{two}})
	inside := base(t, filepath.Join(dir, "inside", "shop.sqlite"))
	check("inside", 2, Options{Bases: []Base{inside}})
	mine := file(t, filepath.Join(dir, "mine.csv"), "\ufeffquestion;sql\r\nHow many?;SELECT count(*) FROM item\r\n;\r\n")
	check("copied", 1, Options{Bases: []Base{one}, Questions: mine})
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	one := base(t, filepath.Join(dir, "shop.sqlite"))
	check := func(folder, want string, o Options) {
		t.Helper()
		if _, err := Write(filepath.Join(dir, folder), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", folder, err, want)
		}
		if entries, err := os.ReadDir(filepath.Join(dir, folder)); err == nil && len(entries) > 0 {
			t.Errorf("%s: wrote %d files", folder, len(entries))
		}
	}
	check("---", "neither letters nor digits", Options{Bases: []Base{one}})
	check("a", `two databases are named "shop"`, Options{Bases: []Base{one, base(t, filepath.Join(dir, "other", "shop.db"))}})
	check("a", "no such file", Options{Bases: []Base{one}, Questions: filepath.Join(dir, "none.csv")})
	bad := file(t, filepath.Join(dir, "bad.csv"), "question,db\nWho?,bank\n,shop\n")
	check("a", bad+`:2: unknown database "bank"`, Options{Bases: []Base{one}, Questions: bad})
	check("a", "2 faults", Options{Bases: []Base{one}, Questions: bad})
}

func TestShell(t *testing.T) {
	check := func(path, want string) {
		t.Helper()
		if got := Shell(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	check("a/b-c_1.toml", "a/b-c_1.toml")
	check("my shop", "'my shop'")
	check("bob's", `'bob'\''s'`)
}

// The path by way of a link is written in full: a step up from where the link leads is no step up from the link.
func TestALinkIsNotSteppedOver(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one := base(t, filepath.Join(dir, "shop.sqlite"))
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "far", "real"), 0o777), os.Symlink(filepath.Join("far", "real"), filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	check := func(folder, want string) {
		t.Helper()
		f, err := Write(filepath.Join(dir, folder), Options{Bases: []Base{one}})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(f.Experiment); err != nil || !strings.Contains(string(text), "\ndatabases = [\""+want+"\"]") {
			t.Errorf("%s: %v\n%s", folder, err, text)
		}
	}
	check("mine", "../shop.sqlite")
	check("far/mine", "../../shop.sqlite")
	check("link/mine", one.Path)
}
