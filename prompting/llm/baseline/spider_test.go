package baseline_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/pipeline"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
)

var (
	dump        = flag.String("dump", "", "write every item with its verdict to this file")
	split       = flag.String("split", "dev", "dev or train")
	stride      = flag.Int("stride", 4, "measure every n-th item")
	temperature = flag.Float64("temperature", 0, "sampling temperature")
	format      = flag.String("format", "apidocs", "schema format")
	methodName  = flag.String("method", "standard", "prompting method")
	strategy    = flag.String("strategy", "random", "how demonstrations are chosen")
	seed        = flag.Int64("seed", 1, "seed of choices and draws")
	shots       = flag.Int("shots", -1, "demonstrations; -1 measures 0 and 8")
)

const spiderDir = "../../../../shared/data/spider"

// item is one question of the data set.
type item struct {
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Query    string `json:"query"`
}

func readItems(t *testing.T, file string) []item {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(spiderDir, file))
	if err != nil {
		t.Skipf("no Spider data beside the repository: %v", err)
	}
	var out []item
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// bench holds what measuring needs.
type bench struct {
	dbs   map[string]*schema.Database
	train []item
	ex    metrics.Metric
}

func path(db string) string { return filepath.Join(spiderDir, "database", db, db+".sqlite") }

func (b *bench) database(t *testing.T, db string) *schema.Database {
	t.Helper()
	if d, ok := b.dbs[db]; ok {
		return d
	}
	d, err := sqlite.Engine{}.Describe(context.Background(), path(db), engine.Detail{})
	if err != nil {
		d = nil
	}
	b.dbs[db] = d
	return d
}

// pool returns the demonstrations annotated for the training split, with their schemas.
func (b *bench) pool(t *testing.T) *exemplar.Pool {
	t.Helper()
	shipped, err := exemplar.Shipped("spider-train")
	if err != nil {
		t.Fatal(err)
	}
	demos, _ := exemplar.Resolve(shipped, func(db, sha string) (exemplar.Original, bool) {
		for _, it := range b.train {
			if it.DB == db && exemplar.QuestionHash(it.Question) == sha {
				return exemplar.Original{Question: it.Question, SQL: it.Query}, true
			}
		}
		return exemplar.Original{}, false
	})
	var out []exemplar.Demo
	for _, d := range demos {
		if d.Schema = b.database(t, d.DB); d.Schema != nil {
			d.Hardness, _ = exact.Hardness(d.SQL, d.Schema)
			out = append(out, d)
		}
	}
	p, err := exemplar.NewPool(out)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// method makes the prompting method to measure, with k demonstrations.
func (b *bench) method(t *testing.T, k int) prompting.Method {
	t.Helper()
	arm := configs.Arm{Method: *methodName, Schema: configs.Schema{Format: *format, Rows: 3},
		Model:     configs.Model{Provider: "baseline", Temperature: *temperature, Samples: 1},
		Exemplars: configs.Exemplars{Strategy: *strategy, K: k, Separator: "\n"}}
	if k == 0 {
		arm.Exemplars.Strategy = "none"
	}
	deps := prompting.Deps{Model: baseline.New(), Author: llm.Author{Provider: "baseline", Model: "rules"}, Pool: b.pool(t)}
	m, err := pipeline.New(deps, arm, *seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// measure answers the items with k demonstrations and returns the share that is right.
func (b *bench) measure(t *testing.T, items []item, k int, out *os.File) float64 {
	t.Helper()
	right, all := map[string]int{}, map[string]int{}
	method := b.method(t, k)
	for i, it := range items {
		d := b.database(t, it.DB)
		if i%*stride != 0 || d == nil {
			continue
		}
		a, err := method.Answer(context.Background(), prompting.Question{ID: fmt.Sprint(i), DB: it.DB, Text: it.Question, Schema: d, Database: sqlite.DB(path(it.DB))})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Candidates[a.Chosen].SQL
		score, err := b.ex.Score(context.Background(), metrics.Case{Item: fmt.Sprint(i), DB: it.DB, Database: sqlite.DB(path(it.DB)), Gold: it.Query, Predicted: got})
		if err != nil {
			t.Fatal(err)
		}
		level, _ := exact.Hardness(it.Query, d)
		all[level]++
		all["all"]++
		if score.Status == metrics.Correct {
			right[level]++
			right["all"]++
		}
		if out != nil {
			fmt.Fprintf(out, "%s %d %s | %s | %s\n  Q %s\n  G %s\n  P %s\n", score.Status, i, it.DB, level, score.Why, it.Question, it.Query, got)
		}
	}
	for _, level := range []string{"easy", "medium", "hard", "extra", "all"} {
		t.Logf("k=%d %-6s %5.1f %% of %d", k, level, 100*float64(right[level])/float64(max(1, all[level])), all[level])
	}
	return float64(right["all"]) / float64(max(1, all["all"]))
}

// TestSpider holds the parser to the share of Spider dev that makes its experiments worth looking at.
func TestSpider(t *testing.T) {
	items := readItems(t, map[string]string{"dev": "dev.json", "train": "train_spider.min.json"}[*split])
	box := sandbox.New(sandbox.Options{})
	ex, err := execution.New("ex", execution.Options{}, box)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dbs: map[string]*schema.Database{}, train: readItems(t, "train_spider.min.json"), ex: ex}
	var out *os.File
	if *dump != "" {
		if out, err = os.Create(*dump); err != nil {
			t.Fatal(err)
		}
		defer out.Close()
	}
	counts := []int{0, 8}
	if *shots >= 0 {
		counts = []int{*shots}
	}
	for _, k := range counts {
		if got := b.measure(t, items, k, out); got < 0.2 && *temperature == 0 {
			t.Errorf("with %d demonstrations %.1f %% are right, want at least 20 %%", k, 100*got)
		}
	}
}
