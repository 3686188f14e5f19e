package recall

import (
	"cmp"
	"context"
	"hash/crc32"
	"math"
	"slices"

	"assay/experiments/dataset"
	"assay/metrics/linking"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/tree"
	"assay/prompting/vectors"
)

// draws is how many random draws of demonstrations there are.
const draws = 20

// demos are the demonstrations to look among. It is safe for concurrent use.
type demos struct {
	skeletons map[string]string // of their queries, by id
	ids       []string          // in the order of the pool
	questions []string          // in this order
	spaces    vectors.Spaces
	offline   llm.Embedder
}

func newDemos(o Options) *demos {
	d := &demos{skeletons: map[string]string{}, offline: vectors.New(vectors.Options{})}
	for _, x := range o.Pool.Demos() {
		d.skeletons[x.ID] = tree.Skeleton(x.SQL)
		d.ids, d.questions = append(d.ids, x.ID), append(d.questions, x.Question)
	}
	return d
}

// seen is where the first demonstration stands whose query has the gold query's skeleton. A question for which no demonstration
// that it may have has one is left out.
func (w *work) seen(x dataset.Example, open, found []exemplar.Demo) []Look {
	wanted := tree.Skeleton(x.Gold)
	is := func(d exemplar.Demo) bool { return w.shown.skeletons[d.ID] == wanted }
	if wanted == "" || !slices.ContainsFunc(open, is) { // an oversize query has none
		return nil
	}
	return []Look{{Gold: wanted, Rank: w.rank(slices.IndexFunc(found, is))}}
}

func query(x dataset.Example) exemplar.Query {
	q := x.Question
	return exemplar.Query{Text: q.Text, DB: q.DB, Schema: q.Schema, Apart: q.Apart}
}

// chosen returns the demonstrations that a strategy chooses, as many as there are, in its order.
func (w *work) chosen(ctx context.Context, q exemplar.Query, strategy string, seed int64) (open, found []exemplar.Demo, err error) {
	cfg := w.o.Exemplars.WithStrategy(strategy)
	cfg.Draw, cfg.Order, cfg.PoolSize = nil, nil, 0
	open = w.o.Pool.Open(q, cfg)
	cfg.K = min(w.o.Deepest, len(open))
	found, err = w.o.Pool.Select(ctx, q, seed, cfg)
	return open, found, err
}

// masked looks among the demonstrations that strategy similarity chooses, the nearest first.
func (w *work) masked(ctx context.Context, x dataset.Example, _ linking.Gold) ([]Look, error) {
	q := query(x)
	if by := w.o.Embedder; by != nil {
		q.Nearness = func(ctx context.Context, text string, list []string) ([]float32, error) {
			return w.shown.spaces.Cosines(ctx, by, text, list)
		}
	}
	open, found, err := w.chosen(ctx, q, exemplar.Nearest, 0)
	slices.Reverse(found) // a prompt has the nearest last
	return w.seen(x, open, found), err
}

// random looks among those that strategy random chooses. The draw depends on the question alone.
func (w *work) random(ctx context.Context, x dataset.Example, _ linking.Gold) ([]Look, error) {
	seed := int64(crc32.ChecksumIEEE([]byte(x.Question.ID)) % draws)
	open, found, err := w.chosen(ctx, query(x), "random", seed)
	return w.seen(x, open, found), err
}

// whole looks among the demonstrations whose whole questions are nearest.
func (w *work) whole(ctx context.Context, x dataset.Example, _ linking.Gold) ([]Look, error) {
	by := w.o.Embedder
	if by == nil {
		by = w.shown.offline
	}
	near, err := w.shown.spaces.Cosines(ctx, by, x.Question.Text, w.shown.questions)
	if err != nil {
		return nil, err
	}
	open := w.o.Pool.Open(query(x), w.o.Exemplars)
	may := map[string]exemplar.Demo{}
	for _, d := range open {
		may[d.ID] = d
	}
	order := make([]int, len(near))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sure(near[b]), sure(near[a])) })
	var found []exemplar.Demo
	for _, i := range order {
		if d, ok := may[w.shown.ids[i]]; ok && len(found) < w.o.Deepest {
			found = append(found, d)
		}
	}
	return w.seen(x, open, found), nil
}

// sure rounds a cosine to what float32 is sure of, whatever order a machine adds in.
func sure(cosine float32) float64 { return math.Round(float64(cosine)*1e6) / 1e6 }
