package dataset

import (
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
)

func TestFinC(t *testing.T) {
	dir := unpack(t, "finc.txtar")
	check := func(path, split, question, gold string) {
		t.Helper()
		set := mustLoad(t, configs.Dataset{Kind: "bird-finc", Path: path, Split: split})
		equal(t, "ids", ids(set), []string{"bird-finc/" + split + "/89", "bird-finc/" + split + "/90"})
		x := set.Examples[0]
		equal(t, split, []string{x.Question.Text, x.Gold, x.Question.Evidence, x.Difficulty}, []string{question, gold, "loans are credits", "simple"})
	}
	check(dir, "original", "How many loans of client Novak are there?", "SELECT count(*) FROM loan WHERE client = 'novak'")
	check(dir, "sql", "How many loans of client Novak are there?", "SELECT count(*) FROM loan WHERE client = 'Novak'")
	check(dir, "data", "How many loans does the client Novak have?", "SELECT count(*) FROM loan WHERE client = 'Novak'")
	check(filepath.Join(dir, "datasets"), "data", "How many loans does the client Novak have?", "SELECT count(*) FROM loan WHERE client = 'Novak'")

	x := mustLoad(t, configs.Dataset{Kind: "bird-finc", Path: dir, Split: "original"}).Examples[0]
	equal(t, "path", x.Question.Database.Source, filepath.Join(dir, "datasets/financial.sqlite"))
	equal(t, "suite", x.Suite, handles(x.Question.Database.Source))
	amount := x.Question.Schema.Table("loan").Column("amount")
	equal(t, "description", []string{amount.Description, amount.Values}, []string{"what was lent", "in crowns"})
	wantError(t, configs.Dataset{Kind: "bird-finc", Path: dir, Split: "dev"}, `unknown split "dev"`, "original, sql, data")
}

// TestFinCBesideBIRD: the three files alone, with BIRD's own folder of databases.
func TestFinCBesideBIRD(t *testing.T) {
	dir := unpack(t, "finc.txtar")
	own := filepath.Join(dir, "bird/dev_databases/financial")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "datasets/financial.sqlite"), filepath.Join(own, "financial.sqlite")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "datasets/database_description"), filepath.Join(own, "database_description")); err != nil {
		t.Fatal(err)
	}
	cfg := configs.Dataset{Kind: "bird-finc", Path: dir, Split: "sql"}
	wantError(t, cfg, "no database of any item found", "dataset.databases")
	bare, err := Load(t.Context(), cfg, Options{Cache: t.TempDir(), Bare: true})
	if err != nil || len(bare.Examples) != 2 || bare.Examples[0].Question.Schema != nil {
		t.Errorf("bare: %+v, %v", bare, err)
	}
	cfg.Databases = []string{filepath.Dir(own)}
	x := mustLoad(t, cfg).Examples[1]
	equal(t, "path", x.Question.Database.Source, filepath.Join(own, "financial.sqlite"))
	equal(t, "description", x.Question.Schema.Table("loan").Column("amount").Description, "what was lent")
}
