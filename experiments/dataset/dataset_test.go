package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// unpack writes a testdata archive into a new folder; NAME.sqlite.sql becomes the database NAME.sqlite.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if db, isScript := strings.CutSuffix(path, ".sql"); isScript {
			err = sqlite.Create(context.Background(), db, string(f.Data))
		} else {
			err = os.WriteFile(path, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustLoad(t *testing.T, cfg configs.Dataset) *Set {
	t.Helper()
	set, err := Load(context.Background(), cfg, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// wantError checks that a dataset does not load, and what the error says.
func wantError(t *testing.T, cfg configs.Dataset, parts ...string) {
	t.Helper()
	_, err := Load(context.Background(), cfg, Options{Cache: t.TempDir()})
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%+v: got %v, want %q", cfg, err, p)
		}
	}
}

func ids(set *Set) (out []string) {
	for _, x := range set.Examples {
		out = append(out, x.Question.ID)
	}
	return out
}

// warnings prints what was warned of, without folders.
func warnings(all []Warning) (out []string) {
	for _, w := range all {
		out = append(out, strings.TrimPrefix(strings.TrimSpace(w.File+" "+w.Item)+": "+w.Text, ": "))
	}
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

// handles are the databases in these files.
func handles(files ...string) (out []engine.DB) {
	for _, f := range files {
		out = append(out, sqlite.DB(f))
	}
	return out
}

func TestSpider(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	set := mustLoad(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev"})
	equal(t, "ids", ids(set), []string{
		"spider/dev/pets-5f3d3b7b", "spider/dev/pets-80fa2f5f", "spider/dev/pets-5f3d3b7b-2", "spider/dev/gone-46ffc947",
		"spider/dev/nowhere-a42b2f0d", "spider/dev/pets-11c49bdf", "spider/dev/pets-506fb2ca",
	})
	var hardness []string
	for _, x := range set.Examples {
		hardness = append(hardness, x.Hardness)
	}
	equal(t, "hardness", hardness, []string{"easy", "medium", "easy", "easy", "", "", ""})
	equal(t, "warnings", warnings(set.Warnings), []string{
		"tables.json: entry 2 (bad) left out: column 0 is of table 3 of 1",
		"tables.json: entry 3 (worse) left out: primary key 9 names no column",
		"tables.json: entry 4 () left out: no db_id",
		"dev.json record 8: left out: no question, or not text",
		"dev.json record 9: left out: no question, or not text",
		"dev.json record 10: left out: no db_id, or not text",
		"dev.json record 11: left out: no question, or not text",
		"dev.json record 12: left out: not an object",
		"dev.json record 13: left out: not an object",
		"spider/dev/pets-11c49bdf: has no gold query: asked, but not scored",
		`spider/dev/pets-506fb2ca: its gold query has no hardness: exact: hardness: tree: parse "SELEC name FROM pet": at byte 0: near "SELEC": syntax error`,
		`database "gone" has no file: its 1 items are asked from the schema's description and cannot be executed`,
		`database "nowhere" cannot be read: there is neither a file nor a schema of it: its 1 items are not asked, and count as gold-error: replace the file, or leave them out with dataset.filter.db`,
	})
	x := set.Examples[0]
	equal(t, "suite", x.Suite, handles(filepath.Join(dir, "database/pets/pets.sqlite")))
	equal(t, "path", x.Question.Database, x.Suite[0])
	equal(t, "foreign keys", x.Question.Schema.ForeignKeys, []schema.ForeignKey{{Table: "pet", Column: "owner_id", RefTable: "owner", RefColumn: "owner_id"}})
	equal(t, "meaning", x.Question.Schema.Table("pet").Column("weight").Meaning, "weight in kg")
	equal(t, "no new meaning", x.Question.Schema.Table("pet").Column("pet_id").Meaning, "")
	named := new(schema.Database)
	for _, s := range x.Schema.Tables {
		named.Add(s.Name, s.Names()...).Table(s.Name).PrimaryKey = s.PrimaryKey
	}
	equal(t, "names", named.Tables, []schema.Table{
		{Name: "owner", Columns: []schema.Column{{Name: "Owner_ID"}, {Name: "name"}}, PrimaryKey: []string{"Owner_ID"}},
		{Name: "pet", Columns: []schema.Column{{Name: "pet_id"}, {Name: "name"}, {Name: "weight"}, {Name: "owner_id"}}, PrimaryKey: []string{"pet_id"}},
	})
	equal(t, "their keys", x.Schema.ForeignKeys, []schema.ForeignKey{{Table: "pet", Column: "owner_id", RefTable: "owner", RefColumn: "Owner_ID"}})
	gone := set.Examples[3].Question
	equal(t, "schema without a file", gone.Schema.Tables[0].Columns, []schema.Column{{Name: "thing_id", Type: "REAL"}, {Name: "part", Type: "TEXT", Meaning: "piece"}})
	equal(t, "its key", gone.Schema.Tables[0].PrimaryKey, []string{"thing_id", "part"})
	equal(t, "its path", gone.Database, engine.DB{})
}

func TestSpiderVariants(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	extra := []string{filepath.Join(dir, "database")}
	check := func(cfg configs.Dataset, want ...string) {
		t.Helper()
		cfg.Kind = "spider"
		set := mustLoad(t, cfg)
		var got []string
		for _, x := range set.Examples {
			got = append(got, strings.TrimPrefix(x.Question.ID, "spider/")+" "+x.Question.Text)
		}
		equal(t, cfg.Split, got, want)
	}
	check(configs.Dataset{Path: dir, Split: "realistic"}, "realistic/a1 Count them.", "realistic/a1-2 Count the owners.", "realistic/12 Owners?", "realistic/x_y_z Owners' names?")
	check(configs.Dataset{Path: filepath.Join(dir, "syn"), Split: "syn", Databases: extra}, "syn/pets-c8193289 How many animals are there?")
	check(configs.Dataset{Path: dir, Split: "mine", Questions: "more.json", Databases: []string{filepath.Join(dir, "extra")}}, "mine/more-4d7bc29a All?")
	check(configs.Dataset{Path: "/nowhere", Split: "mine", Questions: filepath.Join(dir, "more.json"), Databases: []string{filepath.Join(dir, "extra")}}, "mine/more-4d7bc29a All?")
}

func TestSuite(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	cfg := configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Suite: filepath.Join(dir, "suite"), Limit: 1}
	set := mustLoad(t, cfg)
	equal(t, "suite without the copy", set.Examples[0].Suite, handles(filepath.Join(dir, "database/pets/pets.sqlite"), filepath.Join(dir, "suite/pets/a1.sqlite")))
	other := mustLoad(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Limit: 1})
	if other.Hash == set.Hash {
		t.Error("the suite does not reach the hash")
	}
	cfg.Suite = filepath.Join(dir, "none")
	wantError(t, cfg, "none", "dataset.suite")
	cfg.Suite = filepath.Join(dir, "extra") // a folder, of other databases
	set = mustLoad(t, cfg)
	equal(t, "a suite that has nothing of the database", set.Examples[0].Suite, handles(filepath.Join(dir, "database/pets/pets.sqlite")))
}

func TestSpiderFaults(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	cfg := func(questions string) configs.Dataset {
		return configs.Dataset{Kind: "spider", Path: dir, Split: "x", Questions: questions}
	}
	wantError(t, cfg("object.json"), `dataset: load "spider": read`, "object.json", "want a JSON array of questions")
	wantError(t, cfg("empty.json"), "no usable question: it is empty")
	wantError(t, cfg("cut.json"), "want a JSON array of questions: invalid character")
	wantError(t, cfg("missing.json"), "missing.json", "no such file")
	wantError(t, cfg("corrupt.json"), "corrupt.sqlite", "file is not a database", "dataset.filter.db")
	wantError(t, cfg("more.json"), "no database of any item", "dataset.databases")
	wantError(t, configs.Dataset{Kind: "spider", Path: dir, Split: "deb"}, `unknown split "deb": there are dev, train,`)
	wantError(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dk"}, "no Spider-DK.json in", "--data")
	wantError(t, configs.Dataset{Kind: "spider", Path: dir, Split: "syn"}, "no usable question: record 1: left out: no SpiderSynQuestion")
	wantError(t, configs.Dataset{Kind: "spyder"}, `dataset: load "spyder": no such kind`)
	set := mustLoad(t, cfg("climb.json"))
	equal(t, "a name that leads out of the folder finds nothing", set.Examples[0].Fault, "there is neither a file nor a schema of it")
	set = mustLoad(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Filter: configs.Filter{DB: []string{"pets"}}})
	equal(t, "a filtered item", set.Examples[0].Question.DB, "pets")
}

func TestFilters(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	check := func(f configs.Filter, limit int, want ...string) {
		t.Helper()
		set := mustLoad(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Filter: f, Limit: limit})
		var got []string
		for _, id := range ids(set) {
			got = append(got, strings.TrimPrefix(id, "spider/dev/"))
		}
		equal(t, fmt.Sprint(f, limit), got, want)
	}
	check(configs.Filter{DB: []string{"pets"}}, 2, "pets-5f3d3b7b", "pets-80fa2f5f")
	check(configs.Filter{Hardness: []string{"medium"}}, 0, "pets-80fa2f5f")
	check(configs.Filter{Hardness: []string{"easy"}}, 2, "pets-5f3d3b7b", "pets-5f3d3b7b-2")
	check(configs.Filter{IDs: []string{"pets-80fa2f5f", "spider/dev/gone-46ffc947"}}, 0, "pets-80fa2f5f", "gone-46ffc947")
	// The gold queries count(*), ORDER BY with LIMIT, count(*) again, and *; two more items have none, or one that does not parse.
	check(configs.Filter{Features: []string{"joins=0"}}, 0, "pets-5f3d3b7b", "pets-80fa2f5f", "pets-5f3d3b7b-2", "gone-46ffc947", "nowhere-a42b2f0d")
	check(configs.Filter{Features: []string{"aggregates>=1"}}, 0, "pets-5f3d3b7b", "pets-5f3d3b7b-2")
	check(configs.Filter{Features: []string{"aggregates<1", "limit=1"}}, 0, "pets-80fa2f5f")
	check(configs.Filter{Features: []string{"aggregates=0"}, DB: []string{"pets"}}, 0, "pets-80fa2f5f")
	check(configs.Filter{Features: []string{"order-by=0"}, Hardness: []string{"easy"}}, 1, "pets-5f3d3b7b")
	check(configs.Filter{Features: []string{"aggregates=0"}}, 1, "pets-80fa2f5f")
	left := mustLoad(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Filter: configs.Filter{Features: []string{"joins=0"}}})
	if text := strings.Join(warnings(left.Warnings), "\n"); !strings.Contains(text, "pets-506fb2ca: left out by dataset.filter.features") {
		t.Errorf("a gold query that does not parse is left out in silence:\n%s", text)
	}
	fail := func(f configs.Filter, want string) {
		t.Helper()
		wantError(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev", Filter: f}, want)
	}
	fail(configs.Filter{Features: []string{"predicates>=0", "ctes>3"}}, `dataset.filter.features matches no item: "ctes>3"`)
	fail(configs.Filter{Features: []string{"joyns>0"}}, `did you mean "joins"?`)
	fail(configs.Filter{DB: []string{"pets", "cars", "boats"}}, `dataset.filter.db matches no item: "cars", "boats"`)
	fail(configs.Filter{DB: []string{"gone"}}, "no database of any item")
	fail(configs.Filter{Hardness: []string{"extra"}}, `dataset.filter.hardness matches no item: "extra"`)
	fail(configs.Filter{Difficulty: []string{"simple"}}, `dataset.filter.difficulty matches no item: "simple"`)
	fail(configs.Filter{IDs: []string{"spider/train/pets-80fa2f5f"}}, "dataset.filter.ids matches no item")
}

// The folder of a release holds a folder a split.
func TestBIRDFolderOfSplit(t *testing.T) {
	dir, release := unpack(t, "bird.txtar"), t.TempDir()
	want := mustLoad(t, configs.Dataset{Kind: "bird", Path: dir, Split: "dev"})
	if err := os.Rename(dir, filepath.Join(release, "dev")); err != nil {
		t.Fatal(err)
	}
	set := mustLoad(t, configs.Dataset{Kind: "bird", Path: release, Split: "dev"})
	equal(t, "ids", ids(set), ids(want))
	equal(t, "hash", set.Hash, want.Hash)
	wantError(t, configs.Dataset{Kind: "bird", Path: release, Split: "mini_dev"}, "no mini_dev_sqlite.json or mini_dev.json in", release+`"`)
}

func TestBIRD(t *testing.T) {
	dir := unpack(t, "bird.txtar")
	latin := filepath.Join(dir, "dev_databases/shop/database_description/bill.csv")
	if err := os.Rename(filepath.Join(dir, "dev_databases/shop/database_description/Bill.csv"), latin); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(latin)
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.Replace("\ufeff"+string(b), "in euro", "in \x80 \x96 or caf\xe9 money", 1))
	if err := os.WriteFile(latin, b, 0o644); err != nil {
		t.Fatal(err)
	}
	set := mustLoad(t, configs.Dataset{Kind: "bird", Path: dir, Split: "dev"})
	equal(t, "ids", ids(set), []string{"bird/dev/7", "bird/dev/7-2", "bird/dev/9"})
	equal(t, "evidence", set.Examples[0].Question.Evidence, "bills are invoices")
	equal(t, "gold under the other name", set.Examples[1].Gold, "SELECT max(total) FROM bill")
	equal(t, "difficulty", set.Examples[2].Difficulty, "challenging")
	equal(t, "key", set.Examples[0].Schema.Tables[0].PrimaryKey, []string{"no", "year"})
	bill := set.Examples[0].Question.Schema.Table("bill")
	equal(t, "meaning", bill.Column("no").Meaning, "running number")
	equal(t, "description", bill.Column("no").Description, "the bill's number")
	equal(t, "quotes", bill.Column("total").Description, `the sum "due"`)
	equal(t, "Windows-1252", bill.Column("total").Values, "in € – or café money\n0 means free")
	equal(t, "warnings", warnings(set.Warnings), []string{
		"dev_databases/shop/database_description/bill.csv colour: describes a column that its table does not have",
		"dev_databases/shop/database_description/bill.csv short: describes a column that its table does not have",
		"dev_databases/shop/database_description/other.csv: describes no table of its database",
	})
	filtered := mustLoad(t, configs.Dataset{Kind: "bird", Path: dir, Split: "dev", Filter: configs.Filter{Difficulty: []string{"simple"}}})
	equal(t, "by difficulty", ids(filtered), []string{"bird/dev/7"})
	if err := os.Rename(filepath.Join(dir, "by_table.json"), filepath.Join(dir, "dev_tables.json")); err != nil {
		t.Fatal(err)
	}
	set = mustLoad(t, configs.Dataset{Kind: "bird", Path: dir, Split: "dev", Limit: 1})
	equal(t, "the form with an entry a table", set.Examples[0].Question.Schema.Table("bill").Column("total").Meaning, "total sum")
}

func TestText2SQL(t *testing.T) {
	dir := unpack(t, "text2sql.txtar")
	check := func(cfg configs.Dataset, want ...string) *Set {
		t.Helper()
		cfg.Kind, cfg.Path = "text2sql", dir
		set := mustLoad(t, cfg)
		var got []string
		for _, x := range set.Examples {
			got = append(got, x.Question.DB+": "+x.Question.Text+" | "+x.Gold)
		}
		equal(t, fmt.Sprint(cfg.Name, cfg.Sets, cfg.Split, cfg.SplitBy), got, want)
		return set
	}
	iowa := `rivers: rivers in iowa | SELECT R.NAME FROM RIVER AS R WHERE R.STATE = "iowa" ;`
	long := `rivers: rivers above 500 | SELECT R.NAME FROM RIVER AS R WHERE R.LENGTH > 500 AND R.LENGTH < 99`
	ran := `films: year of Ran | SELECT FILM.YEAR FROM FILM WHERE FILM.TITLE = "Ran"`
	when := `films: when was Ran | SELECT FILM.YEAR FROM FILM WHERE FILM.TITLE = "Ran"`
	set := check(configs.Dataset{Name: "rivers", Split: "test", SplitBy: "question"}, iowa)
	equal(t, "warnings", warnings(set.Warnings), []string{
		"rivers.json entry 1, sentence 6: left out: no text",
		"rivers.json entry 3: left out: json: cannot unmarshal string into Go struct field entry.sql of type []string",
	})
	check(configs.Dataset{Name: "rivers", Split: "dev"},
		`rivers: what are the rivers there | SELECT R.NAME FROM RIVER AS R WHERE R.STATE = "utah" ;`,
		`rivers: rivers of the "big" one | SELECT R.NAME FROM RIVER AS R WHERE R.STATE = "the ""big"" one" ;`)
	set = check(configs.Dataset{Name: "rivers", Split: "test", SplitBy: "query"}, long, "rivers: no answer | ")
	equal(t, "the database beside the set is its suite alone", set.Examples[0].Suite, handles(filepath.Join(dir, "rivers-db.sqlite")))
	set = check(configs.Dataset{Sets: []string{"rivers", "films"}, Split: "test"}, iowa, ran, when)
	equal(t, "ids", ids(set), []string{"text2sql/test/rivers-26fc02b0", "text2sql/test/films-4e1a8a71", "text2sql/test/films-8a0ccc7a"})
	equal(t, "no database", set.Examples[1].Question.Database, engine.DB{})
	equal(t, "schema of names alone", set.Examples[1].Question.Schema.Tables[0].DDL, "CREATE TABLE FILM (\n  TITLE,\n  YEAR\n)")
	check(configs.Dataset{Name: "films", Split: "1"}, ran)
	check(configs.Dataset{Name: "films", Split: "all"}, ran, when)
	set = check(configs.Dataset{Name: "bare", Split: "all"}, "bare: one | SELECT 1")
	equal(t, "neither database nor schema", len(set.Warnings), 1)
	check(configs.Dataset{Name: "films", Split: "train"}, ran, when) // every fold
	wantError(t, configs.Dataset{Kind: "text2sql", Path: dir, Name: "films", Split: "dev"}, `set "films" has no split "dev": there are all, 0, 1`)
	wantError(t, configs.Dataset{Kind: "text2sql", Path: dir, Name: "lakes", Split: "all"}, "lakes.json", "dataset.path must be the folder")
}

// TestFoldsOfAnAnnotationFile: a question of a fold sees none of its own fold, also where a file has the annotations.
func TestFoldsOfAnAnnotationFile(t *testing.T) {
	cfg := configs.Dataset{Kind: "text2sql", Path: unpack(t, "text2sql.txtar"), Name: "films", Split: "all"}
	set := mustLoad(t, cfg)
	x := set.Examples[0]
	file := filepath.Join(t.TempDir(), "made.toml")
	text := exemplar.Write([]exemplar.Demo{{ID: "a", DB: x.Question.DB, Question: x.Question.Text, SQL: x.Gold}}, exemplar.WriteOptions{})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	demos, _, err := Exemplars(t.Context(), cfg, configs.Exemplars{File: file, SameDatabase: true}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(demos[0].Apart)
	want := slices.Sorted(slices.Values(x.Question.Apart))
	equal(t, "labels", demos[0].Apart, want)
	equal(t, "a fold is among them", slices.ContainsFunc(want, func(l string) bool { return strings.HasPrefix(l, "films fold ") }), true)
}

func TestHash(t *testing.T) {
	one, two := unpack(t, "spider.txtar"), unpack(t, "spider.txtar")
	cfg := configs.Dataset{Kind: "spider", Path: one, Split: "dev"}
	first := mustLoad(t, cfg)
	cfg.Path = two
	if again := mustLoad(t, cfg); again.Hash != first.Hash {
		t.Error("the same files elsewhere have another hash")
	}
	cfg.Limit = 2
	if fewer := mustLoad(t, cfg); fewer.Hash == first.Hash {
		t.Error("fewer items have the same hash")
	}
	cfg.Limit = 0
	tables := filepath.Join(two, "tables.json")
	before, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tables, []byte(strings.Replace(string(before), "weight in kg", "weight", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if described := mustLoad(t, cfg); described.Hash == first.Hash {
		t.Error("another description has the same hash")
	}
	if err := os.WriteFile(tables, before, 0o644); err != nil {
		t.Fatal(err)
	}
	if again := mustLoad(t, cfg); again.Hash != first.Hash {
		t.Error("the old description has another hash")
	}
	path := filepath.Join(two, "database/pets/pets.sqlite")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Create(context.Background(), path, "CREATE TABLE owner (owner_id); CREATE TABLE pet (name, weight)"); err != nil {
		t.Fatal(err)
	}
	if changed := mustLoad(t, cfg); changed.Hash == first.Hash {
		t.Error("another database has the same hash")
	}
}

// TestHashOfLabels: scores are shown by difficulty, so an edited label is other data.
func TestHashOfLabels(t *testing.T) {
	dir := unpack(t, "bird.txtar")
	cfg := configs.Dataset{Kind: "bird", Path: dir, Split: "dev"}
	first := mustLoad(t, cfg)
	path := filepath.Join(dir, "dev.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "challenging", "moderate", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if relabelled := mustLoad(t, cfg); relabelled.Hash == first.Hash {
		t.Error("another difficulty has the same hash")
	}
}

func TestLargeFileHashIsRemembered(t *testing.T) {
	cache, path := t.TempDir(), filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, cacheFrom), 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(what string) string {
		t.Helper()
		h, err := fileHash(t.Context(), cache, path)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if want, _ := readHash(t.Context(), path); h != want {
			t.Errorf("%s: wrong hash", what)
		}
		return h
	}
	old := check("first")
	check("second")
	notes, _ := filepath.Glob(filepath.Join(cache, "hashes", "*"))
	equal(t, "notes", len(notes), 1)
	if err := os.WriteFile(path, make([]byte, cacheFrom+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if check("changed") == old {
		t.Error("a changed file has the old hash")
	}
	if err := os.WriteFile(notes[0], []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("damaged note")
}

func TestDescriptionFaults(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := parseDescription([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	check("", "empty")
	check("a,b\n1,2\n", "no column original_column_name")
	rows, err := parseDescription([]byte("Original_Column_Name ,column_name\n"))
	if err != nil || len(rows) != 0 {
		t.Errorf("a header alone: %v, %v", rows, err)
	}
}
