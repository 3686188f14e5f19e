package predictions

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"assay/configs"
	"assay/experiments/dataset"
)

// LoadWith loads a dataset, with the gold queries of a file in place of its own where gold is not nil, and matches the
// predictions with the items that its filter and limit keep; the file may cover these or all items. It returns one entry
// per example.
func LoadWith(ctx context.Context, cfg configs.Dataset, pred, gold *File, o dataset.Options) (*dataset.Set, []Entry, error) {
	whole, err := load(ctx, cfg, gold, o)
	if err != nil {
		return nil, nil, err
	}
	entries, misfit := pred.Fit(itemsOf(whole), from(whole, gold))
	if !narrows(cfg) {
		return whole, entries, misfit
	}
	kept, err := narrow(ctx, cfg, whole, o)
	if err != nil {
		return nil, nil, err
	}
	if misfit != nil { // predictions of the items kept alone
		if entries, err = pred.Fit(itemsOf(kept), kept.Name); err != nil {
			err = fmt.Errorf("%w; and of the %d items kept: %w", misfit, len(kept.Examples), err)
		}
		return kept, entries, err
	}
	have := make(map[string]bool, len(kept.Examples))
	for _, x := range kept.Examples {
		have[x.Question.ID] = true
	}
	kept.Examples = nil
	var of []Entry
	for i, x := range whole.Examples {
		if have[x.Question.ID] {
			kept.Examples, of = append(kept.Examples, x), append(of, entries[i])
		}
	}
	return kept, of, nil
}

// LoadGold loads a dataset with the gold queries of a file in place of its own, and keeps what its filter and limit keep;
// gold is nil for the dataset's own.
func LoadGold(ctx context.Context, cfg configs.Dataset, gold *File, o dataset.Options) (*dataset.Set, error) {
	whole, err := load(ctx, cfg, gold, o)
	if err != nil || !narrows(cfg) {
		return whole, err
	}
	return narrow(ctx, cfg, whole, o)
}

// from names where items are from, for errors: the dataset, or the gold file that may define them.
func from(set *dataset.Set, gold *File) string {
	if gold == nil {
		return set.Name
	}
	return gold.named()
}

// itemsOf returns the items that entries are matched with.
func itemsOf(set *dataset.Set) []Item {
	out := make([]Item, len(set.Examples))
	for i, x := range set.Examples {
		out[i] = Item{ID: x.Question.ID, DB: x.Question.DB}
	}
	return out
}

// narrows reports whether a dataset's settings leave out some of its items.
func narrows(cfg configs.Dataset) bool {
	return cfg.Limit > 0 || !reflect.DeepEqual(cfg.Filter, configs.Filter{})
}

// narrow loads the items that the filter and the limit keep.
func narrow(ctx context.Context, cfg configs.Dataset, whole *dataset.Set, o dataset.Options) (*dataset.Set, error) {
	for _, x := range whole.Examples {
		o.Rows = append(o.Rows, rowOf(x, x.Gold))
	}
	return dataset.Load(ctx, cfg, o)
}

// load loads every item of the dataset, with the gold queries of the file where there is one.
func load(ctx context.Context, cfg configs.Dataset, gold *File, o dataset.Options) (*dataset.Set, error) {
	cfg.Filter, cfg.Limit = configs.Filter{}, 0
	set, err := dataset.Load(ctx, cfg, o)
	if gold == nil || err != nil && !errors.Is(err, dataset.ErrNoQuestions) {
		return set, err
	}
	if set != nil && o.Names { // with Names no hash or hardness depends on the gold queries yet
		if entries, err := gold.Fit(itemsOf(set), set.Name); err == nil {
			for i := range entries {
				set.Examples[i].Gold = entries[i].First()
			}
			return set, nil
		}
	}
	if o.Rows, err = goldRows(set, gold); err != nil {
		return nil, err
	}
	return dataset.Load(ctx, cfg, o)
}

// goldRows returns the items of a gold file. Where it fits the dataset, they are the dataset's items with other gold queries.
// Otherwise every line must name its database, as the reference evaluators' gold files do, and the file defines the items:
// those of the dataset where each line is one of its gold queries, and items without a question elsewhere.
func goldRows(set *dataset.Set, gold *File) ([]dataset.Row, error) {
	if set == nil {
		return aloneRows(nil, gold, fmt.Errorf("predictions: fit %s: the dataset has no questions", gold.named()))
	}
	entries, err := gold.Fit(itemsOf(set), set.Name)
	if err != nil {
		return aloneRows(set, gold, err)
	}
	rows := make([]dataset.Row, len(entries))
	for i, x := range set.Examples {
		rows[i] = rowOf(x, entries[i].First())
	}
	return rows, nil
}

// aloneRows returns the items that a gold file defines by itself; misfit says why it does not fit the dataset.
func aloneRows(set *dataset.Set, gold *File, misfit error) (rows []dataset.Row, err error) {
	known := byGold(set)
	all := true
	for _, g := range gold.Entries {
		if g.DB == "" {
			if g.First() == "" {
				continue // the end of a session
			}
			return nil, fmt.Errorf("%w; and line %d names no database, after a tab, so the file cannot define the items itself", misfit, g.Line)
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
		return nil, misfit
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

// rowOf returns an example's row with another gold query.
func rowOf(x dataset.Example, gold string) dataset.Row {
	id := x.Question.ID[strings.LastIndexByte(x.Question.ID, '/')+1:]
	return dataset.Row{ID: id, DB: x.Question.DB, Question: x.Question.Text, Evidence: x.Question.Evidence, Gold: gold, Difficulty: x.Difficulty}
}

// byGold groups the examples by database and gold query.
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
