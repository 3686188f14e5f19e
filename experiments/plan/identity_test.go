package plan_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"

	_ "github.com/mattn/go-sqlite3"
)

// files are an experiment with everything that it can name by a path.
var files = map[string]string{
	"x.toml": `name = "x"
shows = "One thing."
metrics = ["ts"]
[dataset]
kind = "spider"
path = "data"
suite = "suite"
overrides = "overrides.csv"
databases = ["more"]
[budget]
prices = "prices.toml"
[exemplars]
k = 1
file = "demos.toml"
[[arm]]
name = "standard"
label = "Standard"
method = "standard"
[[arm]]
name = "other"
method = "standard"
exemplars.file = "others.toml"
`,
	"data/dev.json":                  `[{"db_id": "pets", "question": "How many pets are there?", "query": "SELECT count(*) FROM pet"}, {"db_id": "gone", "question": "No gold?"}]`,
	"data/tables.json":               `[{"db_id": "gone", "table_names_original": ["t"], "table_names": ["t"], "column_names_original": [[0, "c"]], "column_names": [[0, "c"]], "column_types": ["text"], "primary_keys": [], "foreign_keys": []}]`,
	"overrides.csv":                  "item,reason,sql\nspider/dev/pets-80fa2f5f,none such,SELECT 1\nspider/dev/pets-5f3d3b7b,wrong,SELECT 3\n",
	"prices.toml":                    "[[price]]\nmodels = [\"m\"]\ninput = 1\noutput = 1\n",
	"demos.toml":                     "[[demo]]\nid = \"d-1\"\ndb = \"pets\"\nquestion = \"Which names?\"\nsql = \"SELECT name FROM pet\"\n",
	"others.toml":                    "[[demo]]\nid = \"d-2\"\ndb = \"pets\"\nquestion = \"Which weights?\"\nsql = \"SELECT weight FROM pet\"\n[[demo]]\nid = \"d-3\"\ndb = \"lost\"\nquestion = \"Lost?\"\nsql = \"SELECT 1\"\n",
	"data/database/pets/pets.sqlite": "CREATE TABLE pet (name TEXT, weight REAL); INSERT INTO pet VALUES ('Rex', 20), ('Tom', 4), ('Ida', 3)",
	"suite/pets/more.sqlite":         "CREATE TABLE pet (name TEXT, weight REAL); INSERT INTO pet VALUES ('Rex', 20)",
	"more/lone/lone.sqlite":          "CREATE TABLE t (c TEXT)",
}

// lay writes the files into a folder, those that end in .sqlite as databases.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && filepath.Ext(name) == ".sqlite" {
			err = makeDatabase(path, text)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func makeDatabase(path, script string) error {
	_ = os.Remove(path) // it may be there, to be replaced
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(script)
	return err
}

// made is the plan of the experiment in a folder.
func made(t *testing.T, path string, set ...string) *plan.Plan {
	t.Helper()
	e, err := configs.Load(path, catalog.Known, configs.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestEqualContentIsOneRun: the id is of what the files hold, wherever they lie and however they are reached.
func TestEqualContentIsOneRun(t *testing.T) {
	root := t.TempDir()
	first, second, link := filepath.Join(root, "first"), filepath.Join(root, "some", "where", "else"), filepath.Join(root, "link")
	lay(t, first, files)
	if err := os.CopyFS(second, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	want := made(t, filepath.Join(first, "x.toml")).Manifest
	check := func(path string, set ...string) {
		t.Helper()
		got := made(t, path, set...).Manifest
		if got.ID != want.ID || strings.Join(got.Warnings, "\n") != strings.Join(want.Warnings, "\n") {
			t.Errorf("%s %q: %s, want %s; warnings %q, want %q", path, set, got.ID, want.ID, got.Warnings, want.Warnings)
		}
		if b, err := json.Marshal(got); err != nil || strings.Contains(string(b), root) || len(got.Warnings) < 3 {
			t.Errorf("a path of this machine, or no doubts: %s %v", b, err)
		}
	}
	check(filepath.Join(first, "x.toml"))
	check(filepath.Join(second, "x.toml"))
	check(filepath.Join(link, "x.toml"))
	t.Chdir(second)
	check("x.toml")
	check("../else/x.toml", "dataset.path="+link+"/data", "exemplars.file="+filepath.Join(first, "demos.toml"))
	check("x.toml", "dataset.questions="+filepath.Join(first, "data", "dev.json"))
	check("x.toml", "shows=Another thing.", "arm.standard.label=Plain", "arm.standard.published=cot", "workers=3", "model.key_env=MINE", "budget.prices="+filepath.Join(first, "prices.toml"))
}

// TestOtherContentIsAnotherRun: each file that a number depends on is in the id, and so is which arm has which.
func TestOtherContentIsAnotherRun(t *testing.T) {
	ids := map[string]string{}
	check := func(what string, changed map[string]string, set ...string) {
		t.Helper()
		dir := t.TempDir()
		lay(t, dir, files)
		lay(t, dir, changed)
		id := made(t, filepath.Join(dir, "x.toml"), set...).Manifest.ID
		if other, known := ids[id]; known {
			t.Errorf("%s and %s are both %s", what, other, id)
		}
		ids[id] = what
	}
	change := func(name, old, with string) map[string]string {
		if !strings.Contains(files[name], old) {
			t.Fatalf("no %q in %s", old, name)
		}
		return map[string]string{name: strings.ReplaceAll(files[name], old, with)}
	}
	check("the files", nil)
	check("another gold query", change("data/dev.json", "count(*)", "count(name)"))
	check("another database", change("data/database/pets/pets.sqlite", "'Rex', 20", "'Rex', 21"))
	check("another suite", change("suite/pets/more.sqlite", "'Rex', 20", "'Rex', 21"))
	check("no suite", nil, "dataset.suite=")
	check("other overrides", change("overrides.csv", "SELECT 3", "SELECT 4"))
	check("other demonstrations", change("demos.toml", "Which names?", "What names?"))
	check("other demonstrations of the other arm", change("others.toml", "Which weights?", "What weights?"))
	check("demonstrations exchanged", map[string]string{"demos.toml": files["others.toml"], "others.toml": files["demos.toml"]})
	check("another timeout", nil, "timeout=7s")
	check("another name", nil, "name=y")
}
