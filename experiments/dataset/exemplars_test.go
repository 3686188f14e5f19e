package dataset

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/exemplar"
)

func demos(t *testing.T, cfg configs.Dataset, file string) ([]exemplar.Demo, []Warning) {
	t.Helper()
	d, w, err := Exemplars(context.Background(), cfg, configs.Exemplars{File: file}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range d {
		if one.Schema == nil || one.Hardness == "" || one.SQL == "" || one.Question == "" || one.CoT == "" {
			t.Errorf("%s is not complete: %+v", one.ID, one)
		}
	}
	return d, w
}

func TestSampleExemplars(t *testing.T) {
	asked := map[string]bool{}
	for _, x := range sampleSet(t).Examples {
		asked[x.Question.DB] = true
	}
	all, warned := demos(t, configs.Dataset{Kind: "sample", Split: "dev"}, "")
	hardness, dbs := map[string]int{}, map[string]bool{}
	for _, d := range all {
		hardness[d.Hardness]++
		dbs[d.DB] = true
		if asked[d.DB] {
			t.Errorf("%s is over %s, which is asked about", d.ID, d.DB)
		}
	}
	t.Logf("%d demonstrations, %v, %d databases", len(all), hardness, len(dbs))
	if len(all) < 40 || len(dbs) < 4 || len(hardness) != 4 {
		t.Errorf("%d demonstrations over %d databases of %d levels", len(all), len(dbs), len(hardness))
	}
	equal(t, "warnings", warned, []Warning(nil))
	train, _ := demos(t, configs.Dataset{Kind: "sample"}, configs.TrainFile)
	equal(t, "the sample's training split", len(train), len(all))
}

func TestExemplarsOfATrainingSplit(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	got, warned := demos(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev"}, configs.TrainFile)
	equal(t, "demonstrations", len(got), 2)
	equal(t, "derived", got[0].By.Of("cot"), exemplar.Rule)
	equal(t, "steps, which no training split has", len(got[0].Steps), 0)
	equal(t, "hardness", got[0].Hardness, "medium")
	if len(warned) != 3 {
		t.Errorf("three demonstrations cannot be used: %v", warned)
	}
	rivers := unpack(t, "text2sql.txtar")
	got, _ = demos(t, configs.Dataset{Kind: "text2sql", Path: rivers, Name: "rivers", Split: "test"}, configs.TrainFile)
	equal(t, "text2sql", len(got), 2)
}

func TestExemplarsOfAFile(t *testing.T) {
	dir := unpack(t, "spider.txtar")
	file := filepath.Join(dir, "mine.toml")
	text := `
[[demo]]
id = "by-hash"
db = "pets"
question_sha256 = "` + exemplar.QuestionHash("Who owns Rex?") + `"
cot = "It joins."
[[demo.step]]
question = "Which pets are called Rex?"
columns = "pet (name)"
sql = "SELECT * FROM pet WHERE name = 'Rex'"
[[demo.step]]
columns = "owner (name)"
[[demo]]
id = "unknown-hash"
db = "pets"
question_sha256 = "` + exemplar.QuestionHash("Who?") + `"
cot = "It guesses."
[[demo]]
id = "of-the-sample"
db = "bakery_orders"
question = "How many products are there?"
sql = "SELECT count(*) FROM products"
[[demo]]
id = "of-nowhere"
db = "nowhere"
question = "How many?"
sql = "SELECT count(*) FROM x"
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, warned := demos(t, configs.Dataset{Kind: "spider", Path: dir, Split: "dev"}, file)
	equal(t, "demonstrations", len(got), 2)
	equal(t, "question as the dataset has it", got[0].Question, "Who   owns Rex?")
	equal(t, "last step", got[0].Steps[1].SQL, got[0].SQL)
	equal(t, "warnings", warnings(warned), []string{
		"mine.toml unknown-hash: left out: the training split has no such question",
		`mine.toml of-nowhere: left out: database "nowhere" is not there`,
	})
	fail := func(cfg configs.Dataset, file, want string) {
		t.Helper()
		_, _, err := Exemplars(context.Background(), cfg, configs.Exemplars{File: file}, Options{Cache: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
	fail(configs.Dataset{Kind: "sample"}, "spider-train", `exemplars.file = "sample" needs none`)
	fail(configs.Dataset{Kind: "spider", Path: dir, Split: "dev"}, "", "none of its")
	fail(configs.Dataset{Kind: "spider", Path: filepath.Join(dir, "syn"), Split: "syn", Databases: []string{filepath.Join(dir, "database")}}, "", "train_spider.json")
	fail(configs.Dataset{Kind: "sample"}, filepath.Join(dir, "none.toml"), "none.toml")
}

// poolsSuffice checks every cell of an experiment against the demonstrations it names.
func poolsSuffice(t *testing.T, e configs.Experiment) {
	t.Helper()
	pools := map[string]*exemplar.Pool{}
	for _, c := range e.Cells() {
		x := c.Arm.Exemplars
		if pools[x.File] == nil {
			all, _ := demos(t, e.Dataset, x.File)
			var err error
			if pools[x.File], err = exemplar.NewPool(all); err != nil {
				t.Fatal(err)
			}
		}
		if err := pools[x.File].Check(x); err != nil {
			t.Errorf("%s: arm %s at %v: %v", e.Name, c.Arm.Name, c.Point, err)
		}
	}
}

func TestEmbeddedExperimentsHaveEnoughDemonstrations(t *testing.T) {
	for _, n := range configs.Names() {
		e, err := configs.Load(n.Name, known, configs.Options{Set: []string{"dataset.kind=sample"}})
		if err != nil {
			t.Fatal(err)
		}
		poolsSuffice(t, e)
	}
}

func TestEmbeddedExperimentsOnRealData(t *testing.T) {
	t.Setenv("SPIDER", real(t, "spider"))
	t.Setenv("TEXT2SQL", real(t, "classical"))
	for _, elsewhere := range []string{"BIRD", "FINC", "MINI_DEV"} {
		t.Setenv(elsewhere, "/nowhere")
	}
	limit, tried := 3, 0
	for _, n := range configs.Names() {
		e, err := configs.Load(n.Name, known, configs.Options{Limit: &limit})
		if err != nil {
			t.Fatal(err)
		}
		if d := e.Dataset; d.Path == "/nowhere" || d.Split == "test" { // data that is not here
			continue
		}
		tried++
		poolsSuffice(t, e)
		if set := mustLoad(t, e.Dataset); len(set.Examples) < limit {
			t.Errorf("%s: %d items", n.Name, len(set.Examples))
		}
	}
	if tried < 6 {
		t.Errorf("%d experiments were tried", tried)
	}
}

// TestKinds: what a kind ships with, and the metrics of its evaluator, can be named by an experiment.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		if !known.Choices("annotations").Has(k.shipped) {
			t.Errorf("%s ships %q, which an experiment cannot name", k.ID, k.shipped)
		}
		for _, id := range k.Judges {
			if !known.Choices("metrics").Has(id) {
				t.Errorf("%s is judged by %q, which is no metric", k.ID, id)
			}
		}
		if k.ID == "" || k.Shows == "" || len(k.Judges) == 0 || (k.train == nil) != (k.Embedded || k.ID == Own) {
			t.Errorf("%+v", k.Kind)
		}
	}
}
