package methods_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/methodtest"
	"assay/prompting/script"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

// chooser returns a rule of selection, which says how many calls it made.
func chooser(b *testing.B, d prompting.Deps, arm configs.Arm) func(prompting.Question, []prompting.Candidate) int {
	p, err := part(script.Choose, arm.Selection.Rule, d, arm, 1)
	if err != nil {
		b.Fatal(err)
	}
	return func(q prompting.Question, cs []prompting.Candidate) int {
		got, err := p.Choose(b.Context(), q, cs)
		if err != nil {
			b.Fatal(err)
		}
		return len(got.Calls)
	}
}

// sampled is a question of the sample dataset, its pool of demonstrations, and a sandbox.
func sampled(b *testing.B) (prompting.Question, *exemplar.Pool, *sandbox.Box) {
	b.Helper()
	dir := b.TempDir()
	described := map[string]*schema.Database{}
	database := func(name string) *schema.Database {
		if described[name] == nil {
			described[name] = built(b, filepath.Join(dir, name+".sqlite"), name)
		}
		return described[name]
	}
	demos, err := exemplar.Shipped(exemplar.OfSample)
	if err != nil {
		b.Fatal(err)
	}
	for i := range demos {
		demos[i].Schema = database(demos[i].DB)
		demos[i].Hardness = exemplar.Levels[i%len(exemplar.Levels)]
	}
	pool, err := exemplar.NewPool(demos)
	if err != nil {
		b.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{})
	const db = "harbor_logistics"
	return prompting.Question{ID: "sample/dev/harbor-1", DB: db, Text: "Which ports have more than three piers?", Schema: database(db),
		Database: sqlite.DB(filepath.Join(dir, db+".sqlite"))}, pool, box
}

// built builds a database of the sample from its script.
func built(b *testing.B, path, name string) *schema.Database {
	b.Helper()
	text, err := os.ReadFile(filepath.Join("../../experiments/dataset/sample/databases", name+".sql"))
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite3", path)
	if err == nil {
		_, err = db.Exec(string(text))
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	d, err := sqlite.Engine{}.Describe(b.Context(), path, engine.Detail{Name: name})
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkAnswer answers one question by whole methods, with demonstrations of the sample in format bird.
func BenchmarkAnswer(b *testing.B) {
	q, pool, box := sampled(b)
	model := &answering{"1.  Which ports have piers?\nSELECT name FROM port WHERE piers > 3"}
	for _, c := range []struct {
		name    string
		samples int
		shuffle bool
	}{{"qdecomp", 1, false}, {"qdecomp", 10, false}, {"dc-cot", 1, false}, {"dc-cot", 5, true}} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.samples), func(b *testing.B) {
			arm := methodtest.Arm(c.name, "bird", 8)
			if c.name == "dc-cot" {
				arm.Exemplars.K = 3
			}
			arm.Model.Samples, arm.Schema.Shuffle = c.samples, c.shuffle
			m, err := generator(prompting.Deps{Model: model, Author: scripted, Pool: pool, Box: box}, arm, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Answer(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPairwise selects among ten candidates that return different rows: 90 comparisons.
func BenchmarkPairwise(b *testing.B) {
	q, _, box := sampled(b)
	arm := methodtest.Arm("standard", "bird", 0)
	arm.Selection.Rule = "pairwise"
	var cs []prompting.Candidate
	for i := range 10 {
		cs = append(cs, prompting.Candidate{Sample: i, SQL: fmt.Sprintf("SELECT %d FROM %s", i, q.Schema.Tables[i%2].Name), Rule: "statement"})
	}
	choose := chooser(b, prompting.Deps{Model: &answering{"A"}, Author: scripted, Box: box}, arm)
	for b.Loop() {
		if calls := choose(q, cs); calls != 90 {
			b.Fatalf("%d calls", calls)
		}
	}
}

// BenchmarkNew makes a method of an arm.
func BenchmarkNew(b *testing.B) {
	_, pool, box := sampled(b)
	arm := methodtest.Arm("dc-cot", "bird", 3)
	for b.Loop() {
		if _, err := generator(prompting.Deps{Model: &answering{}, Author: scripted, Pool: pool, Box: box}, arm, 1); err != nil {
			b.Fatal(err)
		}
	}
}
