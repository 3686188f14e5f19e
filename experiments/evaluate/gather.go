package evaluate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/experiments/plan"
	"assay/experiments/predictions"
)

// gather loads the items and lays golds and predictions beside them.
func (e *Evaluation) gather(ctx context.Context, o Options) error {
	pred, err := predictions.Read(o.Pred)
	if err != nil {
		return err
	}
	if o.All {
		if err := e.seedOf(pred); err != nil {
			return err
		}
	}
	if err := e.load(ctx, o); err != nil {
		return err
	}
	entries, err := pred.Fit(itemsOf(e.Set))
	kept := e.Set
	if cfg := o.Experiment.Dataset; !reflect.DeepEqual(cfg.Filter, configs.Filter{}) || cfg.Limit > 0 {
		var lerr error
		if kept, lerr = e.narrow(ctx, o); lerr != nil {
			return lerr
		}
		if err != nil { // predictions of the items kept alone
			var err2 error
			if entries, err2 = pred.Fit(itemsOf(kept)); err2 != nil {
				return fmt.Errorf("%w; and of the %d items kept: %w", err, len(kept.Examples), err2)
			}
			e.Set, err = kept, nil
		}
	}
	if err != nil {
		return err
	}
	e.join(entries, kept)
	e.Notes = append(e.Notes, pred.Doubts()...)
	e.Notes = append(e.Notes, dataset.Describe(e.Set.Warnings)...)
	e.Notes = append(e.Notes, plan.SuiteNotes(o.Experiment.Metrics, e.Set.Examples)...)
	return nil
}

// seedOf makes the seed of the predictions that of the experiment.
func (e *Evaluation) seedOf(pred *predictions.File) error {
	seed, err := pred.Seed()
	if err == nil && seed != nil {
		e.Experiment.Seeds = []int64{*seed}
	}
	return err
}

// join makes a row of each item of the set that is kept.
func (e *Evaluation) join(entries []predictions.Entry, kept *dataset.Set) {
	have := make(map[string]bool, len(kept.Examples))
	for _, x := range kept.Examples {
		have[x.Question.ID] = true
	}
	for i, x := range e.Set.Examples {
		if have[x.Question.ID] {
			e.Rows = append(e.Rows, Row{Example: x, Entry: entries[i]})
		}
	}
	whole := *kept
	whole.Examples = make([]dataset.Example, len(e.Rows))
	for i := range e.Rows {
		whole.Examples[i] = e.Rows[i].Example
	}
	e.Set = &whole
}

func itemsOf(set *dataset.Set) []predictions.Item {
	out := make([]predictions.Item, len(set.Examples))
	for i, x := range set.Examples {
		out[i] = predictions.Item{ID: x.Question.ID, DB: x.Question.DB}
	}
	return out
}

// options are those of a load of the whole dataset.
func (o Options) options() dataset.Options { return dataset.Options{Cache: o.Cache, Names: !o.All} }

// load loads every item of the dataset, with the golds of the gold file where there is one.
func (e *Evaluation) load(ctx context.Context, o Options) error {
	cfg := o.Experiment.Dataset
	cfg.Filter, cfg.Limit = configs.Filter{}, 0
	var err error
	if o.Gold == "" {
		e.Set, err = dataset.Load(ctx, cfg, o.options())
		return err
	}
	gold, err := predictions.Read(o.Gold)
	if err != nil {
		return err
	}
	e.Set, err = dataset.Load(ctx, cfg, o.options())
	if err != nil && !errors.Is(err, dataset.ErrNoQuestions) {
		return err
	}
	if e.Set != nil && !o.All { // hashes and hardness are not there yet
		if entries, err := gold.Fit(itemsOf(e.Set)); err == nil {
			for i := range entries {
				e.Set.Examples[i].Gold = entries[i].First()
			}
			return nil
		}
	}
	rows, err := e.golds(gold)
	if err != nil {
		return err
	}
	e.Set, err = dataset.Load(ctx, cfg, dataset.Options{Cache: o.Cache, Names: !o.All, Rows: rows})
	return err
}

// golds are the items of a gold file. Where it fits the dataset, they are the dataset's with other golds. Otherwise every
// line must name its database, as the reference evaluators' gold files do, and the file says what the items are: those
// of the dataset where each line is one of its golds, and nameless ones elsewhere.
func (e *Evaluation) golds(gold *predictions.File) ([]dataset.Row, error) {
	err := errors.New("no questions")
	if e.Set != nil {
		var entries []predictions.Entry
		if entries, err = gold.Fit(itemsOf(e.Set)); err == nil {
			rows := make([]dataset.Row, len(entries))
			for i, x := range e.Set.Examples {
				rows[i] = rowOf(x, entries[i].First())
			}
			return rows, nil
		}
	}
	var rows []dataset.Row
	known := byGold(e.Set)
	all := true
	for _, g := range gold.Entries {
		if g.DB == "" {
			if g.First() == "" {
				continue // the end of a session
			}
			return nil, fmt.Errorf("%w (line %d names no database, so the file cannot stand alone)", err, g.Line)
		}
		row := dataset.Row{ID: g.ID, DB: g.DB, Gold: g.First()}
		key := goldKey(g.DB, g.First())
		if same := known[key]; len(same) > 0 {
			row = rowOf(same[0], g.First())
			known[key] = same[1:]
		} else {
			all = false
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, err
	}
	for i := range rows {
		if !all {
			rows[i] = dataset.Row{DB: rows[i].DB, Gold: rows[i].Gold}
		}
		if rows[i].Question == "" {
			rows[i].Question = "(of the gold file)"
		}
	}
	return rows, nil
}

func rowOf(x dataset.Example, gold string) dataset.Row {
	id := x.Question.ID[strings.LastIndexByte(x.Question.ID, '/')+1:]
	return dataset.Row{ID: id, DB: x.Question.DB, Question: x.Question.Text, Evidence: x.Question.Evidence, Gold: gold, Difficulty: x.Difficulty}
}

func byGold(set *dataset.Set) map[string][]dataset.Example {
	known := map[string][]dataset.Example{}
	if set != nil {
		for _, x := range set.Examples {
			key := goldKey(x.Question.DB, x.Gold)
			known[key] = append(known[key], x)
		}
	}
	return known
}

func goldKey(db, gold string) string { return db + "\x00" + strings.Join(strings.Fields(gold), " ") }

// narrow loads the items that the filter and the limit keep.
func (e *Evaluation) narrow(ctx context.Context, o Options) (*dataset.Set, error) {
	rows := make([]dataset.Row, len(e.Set.Examples))
	for i, x := range e.Set.Examples {
		rows[i] = rowOf(x, x.Gold)
	}
	opts := o.options()
	opts.Rows = rows
	return dataset.Load(ctx, o.Experiment.Dataset, opts)
}
