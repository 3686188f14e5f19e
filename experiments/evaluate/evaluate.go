// Package evaluate scores stored SQL against a dataset's golds, without models, prompts or calls.
//
// Where an item has several candidates the first is its answer and is scored; the others count once the predictions are
// stored as a run, whose candidates.csv has the score of each.
package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/metrics/goldcheck"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// Options say what is scored, and how.
type Options struct {
	Experiment configs.Experiment // its dataset, metrics, timeout and workers; see Experiment
	Pred       string             // file of predictions; see package predictions
	Gold       string             // file of golds in place of the dataset's; empty: the dataset's
	Overrides  string             // file of corrected golds (goldcheck.ReadOverrides); empty: none
	Cache      string             // folder of built databases; empty: the user's cache folder
	// All scores every candidate and not the first alone, and hashes the dataset: what Record needs.
	All bool
	// MaxBytes is the most memory of one result, as sandbox.Options has it; 0 means its default. A run to be compared
	// with others keeps the default, which its metrics' fingerprints name.
	MaxBytes int64
}

// Row is one item with its verdicts.
type Row struct {
	Example  dataset.Example
	Entry    predictions.Entry
	Override *goldcheck.Override // nil where the gold stands as it is
	Scores   []metrics.Score     // of the first candidate, a metric each, under the override where there is one
	Before   []metrics.Score     // the same without the override; Scores itself where there is none
	Others   [][]metrics.Score   // of the candidates after the first; nil unless Options.All
	// OthersBefore is as Others, without the override; Others itself where there is none.
	OthersBefore [][]metrics.Score
	Results      []*record.Result // of the candidates, nil for one that has none; nil unless Options.All
	GoldResult   *record.Result   // of the gold that stands; nil where it has none, and unless Options.All
}

// Status is that of the first metric.
func (r *Row) Status() metrics.Status { return r.Scores[0].Status }

// gold is the SQL that stands for the item: the override's where there is one.
func (r *Row) gold() string {
	return r.Override.Gold(r.Example.Gold)
}

// Evaluation is everything that was scored.
type Evaluation struct {
	Set        *dataset.Set // its examples are those of Rows
	Experiment configs.Experiment
	Metrics    []metrics.Metric
	Rows       []Row         // in the dataset's order
	Overridden int           // items with an override
	Notes      []string      // doubts about the files, each once
	Loading    time.Duration // until the first item was scored
	Scoring    time.Duration

	overrides plan.Overrides
}

// MemoryOfResults bounds the results kept for golds and predictions that recur.
const MemoryOfResults = 48 << 20

// Run loads, lays predictions beside items, and scores them. The error is for files that cannot be read or do not fit,
// and for databases that cannot be opened; what is wrong with a gold or a prediction is a status.
func Run(ctx context.Context, o Options) (*Evaluation, error) {
	e, err := run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	return e, nil
}

func run(ctx context.Context, o Options) (*Evaluation, error) {
	begin := time.Now()
	e := &Evaluation{Experiment: o.Experiment}
	if err := e.gather(ctx, o); err != nil {
		return nil, err
	}
	if err := e.override(o.Overrides); err != nil {
		return nil, err
	}
	box := sandbox.New(sandbox.Options{Timeout: time.Duration(o.Experiment.Timeout), MaxBytes: o.MaxBytes})
	defer box.Close()
	s := scorer{e: e, box: box, results: execution.NewCache(MemoryOfResults), all: o.All}
	var err error
	if e.Metrics, err = catalog.Metrics(o.Experiment.Metrics, box, s.results); err != nil {
		return nil, err
	}
	s.useHardness()
	e.Loading = time.Since(begin)
	err = s.work(ctx, o.Experiment.Workers)
	e.Scoring = time.Since(begin) - e.Loading
	return e, err
}

// override reads the file of overrides and lays it beside the items.
func (e *Evaluation) override(path string) error {
	examples := make([]dataset.Example, len(e.Rows))
	for i := range e.Rows {
		examples[i] = e.Rows[i].Example
	}
	all, err := plan.NewOverrides(cmp.Or(path, e.Experiment.Dataset.Overrides), examples)
	if err != nil {
		return err
	}
	for i := range e.Rows {
		e.Rows[i].Override = all.Of(e.Rows[i].Example.Question.ID)
	}
	e.Overridden, e.Notes, e.overrides = all.Len(), append(e.Notes, all.Notes()...), all
	return nil
}

// hardness labels a gold.
type hardness func(sql string, s *schema.Database) (string, error)

// useHardness takes the exact-match metric's, where there is one: it reads the golds anyway.
func (s *scorer) useHardness() {
	s.hardness = exact.New(exact.Options{}).Hardness
	for _, m := range s.e.Metrics {
		if em, ok := m.(*exact.Metric); ok {
			s.hardness = em.Hardness
		}
	}
}
