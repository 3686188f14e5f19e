// Package recall measures retrieval against gold queries: at which place the columns, descriptions and values that a gold query
// uses are found when the question is looked up.
//
// [Measure] goes through a dataset by database. It reads what each gold query uses, asks each of the [Kinds] of retrieval with
// the question as a run's method would, and keeps a [Look] per thing that the gold query uses: its place in what was found.
// [Recall.At] then is the mean share found among the first k. [Parts] of retrieval can be left out, to see what each is worth. No
// model answers here; vectors are asked for where an embedder is given. A gold query must never reach what is asked, but for
// misspelt values, whose mentions in the question are found by it.
package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/metrics/linking"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/sandbox"
	"assay/prompting/tools"
	"assay/prompting/values"

	"golang.org/x/sync/errgroup"
)

// Look is one thing that a gold query uses, and where retrieval found it.
type Look struct {
	Kind string
	Gold string // "table.column", a text, or a skeleton
	Rank int    // from 1; 0: not among the first Options.Deepest

	Among int // values found in all; 0 for other kinds, of which as many are found as are asked for
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
	Kinds    []string       // names of Kinds; nil: those that are not Apart
	Without  []string       // names of Parts left out
	Bare     bool           // questions are asked without their evidence
	Deepest  int            // places that count; 0: 10
	Values   values.Options // of the values' index
	Workers  int            // questions at once; 0: 1
	Timeout  time.Duration  // of the query that looks whether a column holds a text; 0: the sandbox's own

	Pool      *exemplar.Pool    // the demonstrations; nil where no kind looks for them
	Exemplars configs.Exemplars // which of them a question may have; strategy and k do not count
	Cluster   bool              // databases are the units of the intervals, in place of items

	unranked []string // parts of the offline ranking of columns left out
}

// Recall is what was measured of a dataset.
type Recall struct {
	Name   string // of the dataset
	Items  []Item // in its order; those whose gold query parses and whose database is described
	Unread int    // items without

	Cluster bool // databases are the units of the intervals, in place of items
}

// Measure looks up every question of a dataset.
func Measure(ctx context.Context, set *dataset.Set, o Options) (*Recall, error) {
	o, kinds, err := o.filled()
	if err != nil {
		return nil, fmt.Errorf("recall: measure %q: %w", set.Name, err)
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
	shown := newDemos(o)
	for _, db := range order {
		w := &work{o: o, kinds: kinds, box: box, cache: tools.NewCache(1), shown: shown}
		err := w.database(ctx, set.Examples, byDB[db], items)
		if err = errors.Join(err, w.close()); err != nil {
			return nil, fmt.Errorf("recall: measure %q: database %q: %w", set.Name, db, err)
		}
	}
	r := &Recall{Name: set.Name, Cluster: o.Cluster}
	for _, it := range items {
		if it == nil {
			r.Unread++
		} else {
			r.Items = append(r.Items, *it)
		}
	}
	return r, nil
}

// filled returns the options with their defaults and without the parts left out, and the kinds that they name.
func (o Options) filled() (Options, []Kind, error) {
	if o.Deepest <= 0 {
		o.Deepest = 10
	}
	for _, name := range o.Without {
		i := slices.IndexFunc(Parts(), func(p Part) bool { return p.Name == name })
		if i < 0 {
			return o, nil, fmt.Errorf("leave out %q: there is no such part; there are %s", name, names(Parts(), func(p Part) string { return p.Name }))
		}
		Parts()[i].leave(&o)
	}
	kinds, err := chosen(o.Kinds)
	if err == nil && o.Pool == nil && slices.ContainsFunc(kinds, func(k Kind) bool { return k.Demos }) {
		err = errors.New("no demonstrations to look among")
	}
	return o, kinds, err
}

// work is the measuring over one database.
type work struct {
	o     Options
	kinds []Kind
	box   *sandbox.Box
	cache *tools.Cache
	shown *demos

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
	if err := ctx.Err(); err != nil { // not every kind of retrieval asks
		return nil, err
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
