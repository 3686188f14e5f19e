package baseline_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/render"
	"assay/prompting/sandbox"
	"assay/prompting/schema"
)

var (
	dump        = flag.String("dump", "", "write every item with its verdict to this file")
	split       = flag.String("split", "dev", "dev or train")
	stride      = flag.Int("stride", 1, "measure every n-th item")
	temperature = flag.Float64("temperature", 0, "sampling temperature")
	format      = flag.String("format", "apidocs", "schema format")
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
	d, err := schema.Load(context.Background(), path(db), schema.Options{})
	if err != nil {
		d = nil
	}
	b.dbs[db] = d
	return d
}

// demos returns the text of k training questions over other databases, with their queries.
func (b *bench) demos(t *testing.T, db string, k int, cfg configs.Schema) string {
	r := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	for n := 0; n < k; {
		it := b.train[r.IntN(len(b.train))]
		d := b.database(t, it.DB)
		if it.DB == db || d == nil {
			continue
		}
		in, err := render.Input(render.Ask{DB: d, Question: it.Question}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.WriteString(in + "\n" + it.Query + "\n")
		n++
	}
	return s.String()
}

// measure answers the items with k demonstrations and returns the share that is right.
func (b *bench) measure(t *testing.T, items []item, k int, out *os.File) float64 {
	t.Helper()
	cfg := configs.Schema{Format: *format, Rows: 3}
	right, all := map[string]int{}, map[string]int{}
	model := baseline.New()
	for i, it := range items {
		d := b.database(t, it.DB)
		if i%*stride != 0 || d == nil {
			continue
		}
		in, err := render.Input(render.Ask{DB: d, Question: it.Question}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		r, err := model.Generate(context.Background(), llm.Request{Model: "rules", Params: llm.Params{Temperature: *temperature},
			Messages: []llm.Message{{Role: llm.User, Text: b.demos(t, it.DB, k, cfg) + in}}})
		if err != nil {
			r.Text = "" // counted as wrong
		}
		score, err := b.ex.Score(context.Background(), metrics.Case{Item: fmt.Sprint(i), DB: it.DB, Path: path(it.DB), Gold: it.Query, Predicted: r.Text})
		if err != nil {
			t.Fatal(err)
		}
		level, _ := exact.Hardness(it.Query, shape(d))
		all[level]++
		all["all"]++
		if score.Status == metrics.Correct {
			right[level]++
			right["all"]++
		}
		if out != nil {
			fmt.Fprintf(out, "%s %d %s | %s | %s\n  Q %s\n  G %s\n  P %s\n", score.Status, i, it.DB, level, score.Why, it.Question, it.Query, r.Text)
		}
	}
	for _, level := range []string{"easy", "medium", "hard", "extra", "all"} {
		t.Logf("k=%d %-6s %5.1f %% of %d", k, level, 100*float64(right[level])/float64(max(1, all[level])), all[level])
	}
	return float64(right["all"]) / float64(max(1, all["all"]))
}

func shape(d *schema.Database) *metrics.Schema {
	s := &metrics.Schema{}
	for _, t := range d.Tables {
		m := metrics.Table{Name: t.Name}
		for _, c := range t.Columns {
			m.Columns = append(m.Columns, c.Name)
		}
		s.Tables = append(s.Tables, m)
	}
	return s
}

// TestSpider holds the parser to the share of Spider dev that makes its experiments worth looking at.
func TestSpider(t *testing.T) {
	items := readItems(t, map[string]string{"dev": "dev.json", "train": "train_spider.min.json"}[*split])
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
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
