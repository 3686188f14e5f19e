// Package recall measures retrieval against gold queries: at which place the columns, descriptions and values that a gold query
// uses are found when the question is looked up.
//
// [Measure] goes through a dataset by database. It reads what each gold query uses, asks each of the [Kinds] of retrieval with
// the question as a run's method would, and keeps a [Look] per thing that the gold query uses: its place in what was found.
// [Recall.At] then is the mean share found among the first k. No model answers here; vectors are asked for where an embedder is
// given. A gold query must never reach what is asked.
package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/metrics/linking"
	"assay/metrics/stats"
	"assay/prompting/llm"
	"assay/prompting/sql/sandbox"
	"assay/prompting/tools"
	"assay/prompting/values"

	"golang.org/x/sync/errgroup"
)

// Kind is a kind of retrieval.
type Kind struct {
	Name  string
	Shows string
	look  func(w *work, ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error)
}

// Kinds lists the kinds of retrieval.
func Kinds() []Kind {
	return []Kind{
		{"columns", "SearchColumn asked with the question: columns of the gold query", (*work).byQuestion},
		{"phrases", "SearchColumn asked with the question's phrases, the first column of each, then the second: columns of the gold query", (*work).byPhrases},
		{"descriptions", "descriptions retrieved for the question (schema.descriptions): columns of the gold query that have one", (*work).described},
		{"values", "value retrieval for the question: texts of the gold query that one of its columns holds", (*work).stored},
	}
}

// Look is one thing that a gold query uses, and where retrieval found it.
type Look struct {
	Kind string
	Gold string // "table.column", or a text
	Rank int    // from 1; 0: not among the first Options.Deepest
}

// Item is a question with its looks.
type Item struct {
	ID     string
	Labels axes.Labels
	Looks  []Look
}

// Options says what is measured. The zero value measures the offline retrieval, ten deep.
type Options struct {
	Embedder llm.Embedder   // computes the vectors; nil: offline
	Kinds    []string       // names of Kinds; nil: all
	Without  []string       // parts of the offline ranking of columns left out, see relevance.Parts
	Bare     bool           // questions are asked without their evidence
	Deepest  int            // places that count; 0: 10
	Values   values.Options // of the values' index
	Workers  int            // questions at once; 0: 1
	Timeout  time.Duration  // of the query that looks whether a column holds a text; 0: the sandbox's own
}

// Recall is what was measured of a dataset.
type Recall struct {
	Name   string // of the dataset
	Items  []Item // in its order; those whose gold query parses and whose database is described
	Unread int    // items without
}

// Measure looks up every question of a dataset.
func Measure(ctx context.Context, set *dataset.Set, o Options) (*Recall, error) {
	if o.Deepest <= 0 {
		o.Deepest = 10
	}
	kinds, err := chosen(o.Kinds)
	if err != nil {
		return nil, err
	}
	byDB, order := map[string][]int{}, []string{}
	for i, x := range set.Examples {
		if byDB[x.Question.DB] == nil {
			order = append(order, x.Question.DB)
		}
		byDB[x.Question.DB] = append(byDB[x.Question.DB], i)
	}
	items := make([]*Item, len(set.Examples))
	box := sandbox.New(sandbox.Options{Timeout: o.Timeout, AtOnce: max(o.Workers, 1)})
	for _, db := range order {
		w := &work{o: o, kinds: kinds, box: box, cache: tools.NewCache(1)}
		err := w.database(ctx, set.Examples, byDB[db], items)
		if err = errors.Join(err, w.close()); err != nil {
			return nil, fmt.Errorf("recall: measure %q: database %q: %w", set.Name, db, err)
		}
	}
	r := &Recall{Name: set.Name}
	for _, it := range items {
		if it == nil {
			r.Unread++
		} else {
			r.Items = append(r.Items, *it)
		}
	}
	return r, nil
}

// chosen returns the kinds of those names.
func chosen(names []string) (out []Kind, err error) {
	for _, name := range names {
		i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("recall: measure %q: there is no such kind of retrieval; there are columns, phrases, descriptions and values", name)
		}
		out = append(out, Kinds()[i])
	}
	if names == nil {
		out = Kinds()
	}
	return out, nil
}

// work is the measuring over one database.
type work struct {
	o     Options
	kinds []Kind
	box   *sandbox.Box
	cache *tools.Cache

	mu    sync.Mutex // held while the index is opened
	index *values.Index
}

func (w *work) close() error {
	if w.index != nil {
		return errors.Join(w.cache.Close(), w.index.Close())
	}
	return w.cache.Close()
}

// database looks up the questions over one database, several at once.
func (w *work) database(ctx context.Context, all []dataset.Example, which []int, to []*Item) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(w.o.Workers, 1))
	for _, i := range which {
		g.Go(func() (err error) {
			to[i], err = w.item(ctx, all[i])
			return err
		})
	}
	return g.Wait()
}

// item looks one question up; nil where the gold query cannot be read, or nothing is known of the database.
func (w *work) item(ctx context.Context, x dataset.Example) (*Item, error) {
	if x.Question.Schema == nil || len(x.Question.Schema.Tables) == 0 {
		return nil, nil
	}
	g, err := linking.Of(x.Gold, x.Question.Schema)
	if err != nil {
		return nil, nil // a gold query that does not parse uses nothing that is known
	}
	if w.o.Bare {
		x.Question.Evidence = ""
	}
	it := &Item{ID: x.Question.ID, Labels: axes.Labels{DB: x.Question.DB, Hardness: x.Hardness, Difficulty: x.Difficulty, Features: axes.Features(x.Gold)}}
	for _, k := range w.kinds {
		looks, err := k.look(w, ctx, x, g)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", k.Name, it.ID, err)
		}
		for _, l := range looks {
			l.Kind = k.Name
			it.Looks = append(it.Looks, l)
		}
	}
	return it, nil
}

// Score is a mean over items.
type Score struct {
	stats.Interval     // of 95 %, by bootstrap over items; no width where there is nothing to resample
	Items, Gold    int // items with something to find; things to find
}

// Shares returns, per item that has something of a kind to find, the share found among the first k, with their number.
func (r *Recall) Shares(kind string, k int, of func(axes.Labels) bool) (shares []float64, gold int) {
	for _, it := range r.Items {
		if of != nil && !of(it.Labels) {
			continue
		}
		hit, n := 0, 0
		for _, l := range it.Looks {
			if l.Kind == kind {
				n++
				if l.Rank > 0 && l.Rank <= k {
					hit++
				}
			}
		}
		if n > 0 {
			shares, gold = append(shares, float64(hit)/float64(n)), gold+n
		}
	}
	return shares, gold
}

// At returns the recall of a kind among the first k, of the items of which of holds; nil: all.
func (r *Recall) At(kind string, k int, of func(axes.Labels) bool) Score {
	shares, gold := r.Shares(kind, k, of)
	return Score{interval(make([]float64, len(shares)), shares), len(shares), gold}
}

// Gain returns the difference of recall to another measurement of the same items, with the interval of paired items.
func (r *Recall) Gain(from *Recall, kind string, k int, of func(axes.Labels) bool) Score {
	before, _ := from.Shares(kind, k, of)
	after, gold := r.Shares(kind, k, of)
	if len(before) != len(after) {
		nan := math.NaN()
		return Score{Interval: stats.Interval{Estimate: nan, Low: nan, High: nan}}
	}
	return Score{interval(before, after), len(after), gold}
}

// interval is the mean of b minus that of a.
func interval(a, b []float64) stats.Interval {
	pairs := make([]stats.Pair, len(a))
	for i := range a {
		pairs[i] = stats.Pair{A: a[i], B: b[i]}
	}
	return stats.Bootstrap(pairs, 0.95, 2000, 1)
}
