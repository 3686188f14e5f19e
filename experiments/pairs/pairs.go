// Package pairs makes training data for a tuned selector from the pools of stored runs.
//
// It is the data of CHASE-SQL (Pourreza et al., ICLR 2025, section 2.5): an item's candidates are grouped by
// result; a right and a wrong group give a pair of one candidate each, shown with the question, the union of the schemas that
// both use, and both results, in a random order, with the label A or B. The prompt is the one that the selection rule
// pairwise sends (package choose), so that the model is tuned on the prompts that it will answer; for that the queries are
// run again on the run's databases. A pair must never come from items that the tuned selector is evaluated on: Make refuses
// runs that are not on a training split.
//
// Where no candidate of an item is right, the paper generates new candidates with the gold query as a hint. Here the item
// gives no pair; with Options.NoneRight the gold query itself is the right candidate.
package pairs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/llm"
	"assay/prompting/pipeline"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// Options says which pairs are made. The zero value makes all pairs of a training split.
type Options struct {
	Seed      int64  // of the order in pairs, and of the draw where PerItem bounds them
	PerItem   int    // the most pairs per item; 0: every right group with every wrong one
	NoneRight bool   // use the gold query as the right candidate where an item has none
	Force     bool   // accept runs on other splits than a training split, and on a dataset that has changed since
	Cache     string // where built databases are kept; empty: the user's cache folder
	// Embedder returns what computed the vectors of an arm that states [embeddings]; nil: such arms are an error where their
	// prompts depend on vectors.
	Embedder func(configs.Embeddings) (llm.Embedder, error)
}

// Pair is a right and a wrong query for a question.
type Pair struct {
	Run, Item, DB, Arm string
	Point              []string // the sweep's values
	Seed               int64    // of the run
	Question, Evidence string
	A, B               string // the queries, in the order shown
	Label              string // "A" or "B": the right one
	Gold               bool   // the right one is the gold query, as no candidate was right
	Messages           []llm.Message
}

// Set is the pairs of some runs, in the order of the runs and their items.
type Set struct {
	Pairs []Pair

	Pools   int // answers with a candidate
	Mixed   int // pools with a right and a wrong candidate
	None    int // pools without a right candidate
	All     int // pools with right candidates alone
	Skipped int // pools without a verdict: the gold query fails, or there is no candidate
	Same    int // pairs with equal results that only the metric distinguishes, left out: selection never compares them
	Twice   int // repetitions of pairs of an earlier run, arm, sweep point or seed, left out

	seen map[string]bool // texts of the pairs, the right query first
}

// Make makes the pairs. An error names the run.
func Make(ctx context.Context, runs []*record.Run, o Options) (*Set, error) {
	s := &Set{seen: map[string]bool{}}
	for _, r := range runs {
		if err := s.add(ctx, r, o); err != nil {
			return nil, fmt.Errorf("pairs: run %q: %w", r.Manifest.Experiment+"-"+r.Manifest.ID, err)
		}
	}
	return s, nil
}

// Training reports whether a run is on a training split.
func Training(r *record.Run) bool { return strings.HasPrefix(r.Resolved.Dataset.Split, "train") }

// maker makes the pairs of one run.
type maker struct {
	opts     Options
	index    *record.Index
	box      *sandbox.Box
	examples map[string]prompting.Question
}

func (s *Set) add(ctx context.Context, r *record.Run, o Options) error {
	if err := proper(r, o); err != nil {
		return err
	}
	set, err := dataset.Load(ctx, r.Resolved.Dataset, dataset.Options{Cache: o.Cache})
	if err == nil {
		err = unchanged(r, set.Hash, o)
	}
	if err != nil {
		return err
	}
	m := &maker{opts: o, index: r.Index(), box: sandbox.New(sandbox.Options{Timeout: time.Duration(r.Resolved.Timeout)}), examples: map[string]prompting.Question{}}
	for _, x := range set.Examples {
		m.examples[x.Question.ID] = x.Question
	}
	drafts, err := m.drafts(ctx, s)
	if err != nil {
		return err
	}
	return m.finish(ctx, s, drafts)
}

// proper refuses a run on another split than a training split.
func proper(r *record.Run, o Options) error {
	if o.Force || Training(r) {
		return nil
	}
	return fmt.Errorf("it is on %s: a selector trained on what it is tested on proves nothing, so pairs are made of training splits alone unless forced (--force)", r.Manifest.Dataset)
}

// unchanged refuses a dataset that is not the run's.
func unchanged(r *record.Run, hash string, o Options) error {
	if o.Force || hash == r.Manifest.DatasetHash {
		return nil
	}
	return fmt.Errorf("dataset %s has changed since the run: run it again, or force it", r.Manifest.Dataset)
}

// draft is a pair before its order is drawn.
type draft struct {
	pair         Pair
	right, wrong string
	compare      *pipeline.Comparison
	question     prompting.Question
}

// drafts returns the run's pairs, each text once, at most Options.PerItem per item.
func (m *maker) drafts(ctx context.Context, s *Set) (out []draft, err error) {
	byQuestion := map[*record.Question][]draft{}
	for i := range m.index.Answers {
		a := &m.index.Answers[i]
		more, err := m.pool(ctx, s, a)
		if err != nil {
			return nil, fmt.Errorf("item %s, arm %q: %w", a.Item.Item, a.Item.Arm, err)
		}
		for _, d := range more {
			text := d.pair.Messages[len(d.pair.Messages)-1].Text
			if s.seen[text] {
				s.Twice++
				continue
			}
			s.seen[text] = true
			byQuestion[a.Question] = append(byQuestion[a.Question], d)
		}
	}
	for _, q := range m.index.Questions {
		out = append(out, m.some(q.Item, byQuestion[q])...)
	}
	return out, nil
}

// some draws at most Options.PerItem of an item's pairs, in their order.
func (m *maker) some(item string, all []draft) []draft {
	n := m.opts.PerItem
	if n == 0 || len(all) <= n {
		return all
	}
	places := draw.Rand(m.opts.Seed, "pairs", item).Perm(len(all))[:n]
	slices.Sort(places)
	out := make([]draft, n)
	for i, p := range places {
		out[i] = all[p]
	}
	return out
}

// finish draws the orders and fills in the prompts. Over all runs both labels are equally frequent, up to one, as a selector
// could otherwise learn to prefer a position.
func (m *maker) finish(ctx context.Context, s *Set, drafts []draft) error {
	order := draw.Rand(m.opts.Seed, "pairs", "order", m.index.Run.Manifest.ID).Perm(len(drafts))
	a, b := s.Labels()
	for i, d := range drafts {
		p := d.pair
		p.A, p.B, p.Label = d.right, d.wrong, "A"
		if order[i]%2 == 1 != (a > b) {
			p.A, p.B, p.Label = d.wrong, d.right, "B"
			var err error
			if p.Messages, err = d.compare.Prompt(ctx, d.question, p.A, p.B); err != nil {
				return err
			}
			if p.Messages == nil {
				return errors.New("a query returned something else when it was run again: its result is not stable")
			}
		}
		s.Pairs = append(s.Pairs, p)
	}
	return nil
}

// pool makes the pairs of one answer.
func (m *maker) pool(ctx context.Context, s *Set, a *record.Answer) ([]draft, error) {
	right, wrong, ok := groups(a.Candidates)
	if !ok {
		s.Skipped++
		return nil, nil
	}
	s.Pools++
	gold := false
	switch {
	case len(right) == 0:
		s.None++
		if gold = m.opts.NoneRight && a.Question.GoldDigest != ""; !gold {
			return nil, nil
		}
		right = []string{a.Question.Gold}
	case len(wrong) == 0:
		s.All++
	default:
		s.Mixed++
	}
	return m.cross(ctx, s, a, right, wrong, gold)
}

// cross pairs each right query with each wrong one, the right one first.
func (m *maker) cross(ctx context.Context, s *Set, a *record.Answer, right, wrong []string, gold bool) (out []draft, err error) {
	if len(wrong) == 0 {
		return nil, nil
	}
	if !a.Series.Known {
		return nil, errors.New("the run's experiment has no such arm")
	}
	compare, err := pipeline.NewComparison(m.box, a.Series.Config)
	if err != nil {
		return nil, err
	}
	it := a.Item
	q, err := m.question(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, r := range right {
		for _, w := range wrong {
			messages, err := compare.Prompt(ctx, q, r, w)
			if err != nil {
				return nil, err
			}
			if messages == nil {
				s.Same++
				continue
			}
			out = append(out, draft{right: r, wrong: w, compare: compare, question: q, pair: Pair{Run: m.index.Run.Manifest.ID, Item: it.Item, DB: it.DB,
				Arm: it.Arm, Point: it.Point, Seed: it.Seed, Question: q.Text, Evidence: q.Evidence, Gold: gold, Messages: messages}})
		}
	}
	return out, nil
}

// groups groups the candidates by result, and returns one query per group: the first right candidate of each right group, and
// the first of each wrong group. Failed queries are one group where their errors are equal. ok is false where the pool has no
// verdict.
func groups(cs []record.Candidate) (right, wrong []string, ok bool) {
	type group struct {
		first, right string
	}
	var all []*group
	of := map[string]*group{}
	for _, c := range cs {
		if c.Status == metrics.GoldError {
			return nil, nil, false
		}
		if c.SQL == "" || !c.Status.Scored() {
			continue
		}
		k := c.Digest
		if k == "" {
			k = string(c.Status) + " " + c.Why
		}
		g := of[k]
		if g == nil {
			g = &group{first: c.SQL}
			of[k] = g
			all = append(all, g)
		}
		if c.Status == metrics.Correct && g.right == "" {
			g.right = c.SQL
		}
	}
	for _, g := range all {
		if g.right != "" {
			right = append(right, g.right)
		} else {
			wrong = append(wrong, g.first)
		}
	}
	return right, wrong, len(all) > 0
}

// question returns the question as the selector saw it, with the values found for it.
func (m *maker) question(ctx context.Context, a *record.Answer) (prompting.Question, error) {
	q, ok := m.examples[a.Item.Item]
	if !ok {
		return q, errors.New("the dataset does not have it")
	}
	var found []prompting.LinkedValue
	looked := false
	for _, l := range a.Links {
		if l.Stage != "values" {
			continue
		}
		looked = true
		for _, v := range record.Listed(l.Values) {
			if len(v) == 3 {
				found = append(found, prompting.LinkedValue{ColumnName: schema.ColumnName{Table: v[0], Column: v[1]}, Value: v[2]})
			}
		}
	}
	if a.Series.Config.Values.Use && !looked && !q.Database.None() {
		return q, fmt.Errorf("the run does not say which values were found (%s came with a later version): run it again", record.LinksFile)
	}
	var emb llm.Embedder
	if e := a.Series.Config.Embeddings; e.On() && a.Series.Config.Schema.Descriptions > 0 {
		if m.opts.Embedder == nil {
			return q, errors.New("the prompt's descriptions depend on [embeddings]: the vectors are needed")
		}
		var err error
		if emb, err = m.opts.Embedder(e); err != nil {
			return q, err
		}
	}
	return pipeline.As(ctx, q, a.Series.Config, found, emb)
}
