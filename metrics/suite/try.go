package suite

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"

	"golang.org/x/sync/errgroup"
)

// trial is one database, and what was seen on it.
type trial struct {
	base    engine.DB
	image   []byte
	content content
	fails   string         // a gold query that fails on it, and how; all below is then of no use
	shaky   map[int]string // gold queries that depend on a choice of SQLite's there
	answers []bool         // by gold: it returns rows
	kills   []bool         // by goal; nil where the neighbour cannot be kept
	stopped []bool         // by goal: the mutant met its deadline
}

// fit reports whether a neighbour may be kept: every gold query runs on it, and none has become shaky.
func (b *builder) fit(t *trial) bool { return t.fails == "" && b.harm(t) == 0 }

// harm returns how many gold queries are shaky on a database that are not on the original.
func (b *builder) harm(t *trial) int { return len(b.harmed(t)) }

// harmed returns the gold queries of harm, in order.
func (b *builder) harmed(t *trial) (queries []int) {
	for at := range t.shaky {
		if b.queries[at].shaky == "" {
			queries = append(queries, at)
		}
	}
	slices.Sort(queries)
	return queries
}

// try makes the neighbours, some at once, and runs gold queries and mutants on each.
func (b *builder) try(ctx context.Context) ([]*trial, error) {
	out := make([]*trial, b.Tries)
	done := make(chan struct{})
	all := make(chan struct{}, b.Tries)
	go func() {
		n := 0
		for range all {
			n++
			b.Progress(n, b.Tries)
		}
		close(done)
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.Workers)
	for i := range b.Tries {
		g.Go(func() error {
			t, err := b.attempt(ctx, i)
			out[i] = t
			all <- struct{}{}
			return err
		})
	}
	err := g.Wait()
	close(all)
	<-done
	return out, err
}

// profile returns the manner of the i-th neighbour. The first have no rows at all, or none in one table.
func (b *builder) profile(i int, rng *rand.Rand) profile {
	p := newProfile(rng, b.MaxRows)
	switch tables := len(b.cat.tables); {
	case i == 0:
		p.rows = 0
	case i <= tables && i <= b.Tries/4:
		p.rows, p.mutate, p.same, p.keep, p.empty = b.MaxRows, 0.03, 0, 1, b.cat.tables[i-1]
	}
	return p
}

// repairs is how often a neighbour that makes gold queries shaky is changed in the hope that it no longer does.
const repairs = 30

// attempt makes the i-th neighbour. What it is depends on the seed and i alone.
func (b *builder) attempt(ctx context.Context, i int) (*trial, error) {
	rng := newRand(b.Seed, uint64(i))
	p := b.profile(i, rng)
	t, err := b.examine(ctx, i, 0, b.cat.neighbour(rng, p), &trial{})
	if err != nil {
		return nil, err
	}
	tables := slices.DeleteFunc(slices.Clone(b.cat.tables), func(t *table) bool { return t.opaque || len(t.rows) == 0 })
	for step := 1; step <= repairs && t.fails == "" && b.harm(t) > 0 && len(tables) > 0; step++ {
		better, err := b.examine(ctx, i, step, b.cat.perturb(rng, p, t.content, tables), t)
		if err != nil {
			return nil, err
		}
		if better.fails == "" && b.harm(better) < b.harm(t) {
			t, better = better, t
		}
		os.Remove(better.base.Source)
	}
	if b.fit(t) {
		err = b.kill(ctx, t)
	}
	os.Remove(t.base.Source)
	t.content = nil
	return t, err
}

// examine writes a neighbour and runs the gold queries on it. From the first repair on it need be better than the one
// before.
func (b *builder) examine(ctx context.Context, try, step int, rows content, before *trial) (*trial, error) {
	t := &trial{base: sqlite.DB(b.file(try, step)), content: rows}
	image, err := b.cat.image(ctx, rows)
	switch {
	case errors.Is(err, errDangling):
		t.fails = err.Error()
	case err != nil:
		return nil, err
	case len(image) > b.MaxBytes:
		t.fails = "too large"
	}
	if t.fails != "" {
		return t, nil
	}
	t.image = image
	if err := os.WriteFile(t.base.Source, image, 0o644); err != nil {
		return nil, err
	}
	if step == 0 {
		return t, b.settle(ctx, t, nil, len(b.queries))
	}
	return t, b.settle(ctx, t, b.harmed(before), b.harm(before)-1)
}

// choose keeps neighbours by greedy cover: each time the one that kills the most goals not killed yet, and of equals
// the one on which more gold queries return rows for the first time, then the smaller. One that no longer adds anything
// is left out in the end.
func (b *builder) choose(original *trial, trials []*trial) []*trial {
	var kept []*trial
	for len(kept) < b.MaxDatabases {
		covered := append([]*trial{original}, kept...)
		best, most := (*trial)(nil), [3]int{}
		for _, t := range trials {
			if !b.fit(t) || t.kills == nil || slices.Contains(kept, t) {
				continue
			}
			kills, answers := b.gain(t, covered)
			score := [3]int{kills, answers, -len(t.image)}
			if kills+answers > 0 && (best == nil || slices.Compare(score[:], most[:]) > 0) {
				best, most = t, score
			}
		}
		if best == nil {
			break
		}
		kept = append(kept, best)
	}
	for i := 0; i < len(kept); {
		others := append([]*trial{original}, slices.Delete(slices.Clone(kept), i, i+1)...)
		if kills, answers := b.gain(kept[i], others); kills+answers == 0 {
			kept = slices.Delete(kept, i, i+1)
			continue
		}
		i++
	}
	return kept
}

// gain returns what a database adds to others: goals killed, and gold queries that return rows.
func (b *builder) gain(t *trial, others []*trial) (kills, answers int) {
	for i, yes := range t.kills {
		if yes && !slices.ContainsFunc(others, func(o *trial) bool { return o.kills[i] }) {
			kills++
		}
	}
	for at, yes := range t.answers {
		if yes && !slices.ContainsFunc(others, func(o *trial) bool { return o.answers[at] }) {
			answers++
		}
	}
	return kills, answers
}
