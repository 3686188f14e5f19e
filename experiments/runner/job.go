package runner

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting"
)

// outcome is what one job left behind.
type outcome struct {
	item       record.Item
	candidates []record.Candidate
	calls      []record.Call
	dropped    []record.Candidate
	votes      []record.Vote
	results    []record.Result // of the gold, first, and of the candidates; the same may stand twice
	goldDigest string
	links      []record.Link
	literals   string          // record.Question.Literals
	doubts     []metrics.Doubt // of the chosen candidate's scores
}

// why is the reason of the first candidate that has one; empty where none has.
func (o *outcome) why() string {
	for _, c := range o.candidates {
		if c.Why != "" {
			return c.Why
		}
	}
	return ""
}

// verdict is the scores of one SQL, one a column.
type verdict struct {
	status metrics.Status // under the headline metric
	values []record.Value
	digest string
	result *record.Result // nil where it has none
	why    string
	doubts []metrics.Doubt
}

// do answers one question under one cell and seed, and scores every candidate.
func (x *execution) do(ctx context.Context, j job) (*outcome, error) {
	ex := x.plan.Set.Examples[j.item]
	ans, err := x.methods[[2]int{j.cell, j.seed}].Answer(ctx, ex.Question)
	if err != nil {
		return nil, err
	}
	out := &outcome{item: x.itemRow(j, ex)}
	out.item.Choice = oneLine(ans.Why)
	x.addCalls(out, ans.Trace)
	x.addVotes(out, ans.Votes)
	addLinks(out, ans.Linked)
	gold, err := x.result(ctx, ex.Question, x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold))
	if err != nil {
		return nil, err
	}
	if gold != nil {
		out.goldDigest = gold.Digest
		out.results = append(out.results, *gold)
	}
	if out.literals, err = x.literals(ctx, j, ex); err != nil {
		return nil, err
	}
	seen := map[string]verdict{} // candidates of a pool often agree word for word
	for i, c := range ans.Candidates {
		row, err := x.candidate(ctx, ex, c, out, seen)
		if err != nil {
			return nil, err
		}
		if i == ans.Chosen {
			row.Chosen = 1
			out.item.Status, out.item.SQL, out.item.Values = row.Status, c.SQL, row.Values
			out.doubts = seen[c.SQL].doubts
		}
		out.candidates = append(out.candidates, row)
	}
	for _, c := range ans.Dropped {
		row, err := x.candidate(ctx, ex, c, out, seen)
		if err != nil {
			return nil, err
		}
		out.dropped = append(out.dropped, row)
	}
	if out.item.Status == metrics.ModelError {
		x.failed.Add(1)
	}
	return out, nil
}

// candidate scores one candidate, and what it was before it was mended.
func (x *execution) candidate(ctx context.Context, ex dataset.Example, c prompting.Candidate, out *outcome, seen map[string]verdict) (record.Candidate, error) {
	v, err := x.verdictOf(ctx, ex, c, seen)
	if err != nil {
		return record.Candidate{}, err
	}
	row := record.Candidate{Item: out.item.Item, Arm: out.item.Arm, Point: out.item.Point, Seed: out.item.Seed,
		Sample: c.Sample, Generator: c.Generator, Status: v.status, SQL: c.SQL, Digest: v.digest, Values: v.values,
		Rule: c.Rule, Why: v.why, Trigger: c.Trigger, Tries: c.Tries, Original: c.Original}
	if c.Fixed {
		row.Fixed = 1
	}
	if v.result != nil {
		out.results = append(out.results, *v.result)
	}
	if c.Original != "" {
		before, err := x.verdictOf(ctx, ex, prompting.Candidate{SQL: c.Original}, seen)
		if err != nil {
			return row, err
		}
		row.OriginalStatus = before.status
	}
	return row, nil
}

// verdictOf is judge, once for each SQL of an item.
func (x *execution) verdictOf(ctx context.Context, ex dataset.Example, c prompting.Candidate, seen map[string]verdict) (v verdict, err error) {
	if c.Failure != "" {
		return x.judge(ctx, ex, c)
	}
	v, ok := seen[c.SQL]
	if !ok || c.Silence != "" {
		if v, err = x.judge(ctx, ex, c); err == nil {
			seen[c.SQL] = v
		}
	}
	return v, err
}

func (x *execution) itemRow(j job, ex dataset.Example) record.Item {
	cell := x.plan.Cells[j.cell]
	it := record.Item{Item: ex.Question.ID, DB: ex.Question.DB, Arm: cell.Arm.Name, Seed: x.plan.Experiment.Seeds[j.seed],
		Hardness: ex.Hardness, Difficulty: ex.Difficulty,
		PromptTokens: record.CountOf(0), CompletionTokens: record.CountOf(0), Calls: record.CountOf(0), Cached: record.CountOf(0)}
	for _, s := range cell.Point {
		it.Point = append(it.Point, s.Value)
	}
	return it
}

func (x *execution) addVotes(out *outcome, votes []prompting.Vote) {
	it := &out.item
	for _, v := range votes {
		out.votes = append(out.votes, record.Vote{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, A: v.A, B: v.B,
			Order: v.Order, Winner: v.Winner, By: v.By, Key: v.Key})
	}
}

func (x *execution) addCalls(out *outcome, trace []prompting.Call) {
	it := &out.item
	for _, c := range trace {
		prompt, completion := record.CountOf(c.Usage.PromptTokens), record.CountOf(c.Usage.CompletionTokens)
		it.Calls.N++
		if c.Cached {
			it.Cached.N++
		}
		it.PromptTokens, it.CompletionTokens = it.PromptTokens.Plus(prompt), it.CompletionTokens.Plus(completion)
		out.calls = append(out.calls, record.Call{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Sample: c.Sample,
			Stage: c.Stage, Key: c.Key, PromptTokens: prompt, CompletionTokens: completion,
			CachedTokens: record.CountOf(c.Usage.CachedTokens), ReasoningTokens: record.CountOf(c.Usage.ReasoningTokens), Finish: c.Finish,
			Note: c.Note, Failure: c.Failure, Observation: c.Observation})
	}
}

// judge scores one candidate under every metric. The first metric's status is the candidate's.
func (x *execution) judge(ctx context.Context, ex dataset.Example, c prompting.Candidate) (verdict, error) {
	if c.Failure != "" {
		columns := len(x.plan.Manifest.Metrics)
		return verdict{status: metrics.ModelError, why: c.Failure, values: make([]record.Value, columns)}, nil
	}
	q := ex.Question
	scores, err := x.plan.Overrides.Score(ctx, x.plan.Metrics, metrics.Case{Item: q.ID, DB: q.DB, Database: q.Database, Suite: ex.Suite,
		Gold: ex.Gold, Predicted: c.SQL, Schema: ex.Schema})
	if err != nil {
		return verdict{}, err
	}
	v := verdict{status: scores[0].Status, why: oneLine(cmp.Or(c.Silence, scores[0].Why))}
	for i, s := range scores {
		v.values = append(v.values, record.ValueOf(s))
		for _, w := range s.Warnings {
			v.doubts = append(v.doubts, metrics.DoubtOf(x.plan.Manifest.Metrics[i].ID, w))
		}
	}
	if v.result, err = x.result(ctx, q, c.SQL); err != nil {
		return v, err
	}
	if v.result != nil {
		v.digest = v.result.Digest
	}
	return v, nil
}

// result is what a query returns, nil where it fails or there is nothing to run.
func (x *execution) result(ctx context.Context, q prompting.Question, sql string) (*record.Result, error) {
	if sql == "" || q.Database.None() {
		return nil, nil
	}
	res, err := x.plan.Results.Run(ctx, x.plan.Box, q.Database, sql)
	if err != nil {
		return nil, ctx.Err()
	}
	r := record.ResultOf(q.ID, res)
	return &r, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// keep writes an outcome's rows. Outcomes come in the order of their jobs, an item's one after the other; each result
// of an item is kept once.
func (x *execution) keep(w *record.Writer, o *outcome) error {
	if x.keeping.item != o.item.Item {
		x.keeping.item, x.keeping.results = o.item.Item, map[string]bool{}
	}
	x.keeping.golds[o.item.Item] = o.goldDigest
	if o.item.Status == metrics.ModelError {
		x.keeping.failure = cmp.Or(x.keeping.failure, o.why())
	}
	var fresh []record.Result
	for _, r := range o.results {
		if !x.keeping.results[r.Digest] {
			x.keeping.results[r.Digest] = true
			fresh = append(fresh, r)
		}
	}
	x.keeping.doubt(o)
	if o.literals != "" {
		x.keeping.literals[o.item.Item] = o.literals
	}
	err := w.Add(record.Rows{Items: []record.Item{o.item}, Candidates: o.candidates, Dropped: o.dropped, Votes: o.votes,
		Results: fresh, Calls: o.calls, Links: o.links, Columns: x.columns(o.item)})
	if err != nil {
		return err
	}
	return x.checkpoint(w)
}

// checkpoint shows in the run's folder what is done, where it is time to.
func (x *execution) checkpoint(w *record.Writer) error {
	k := &x.keeping
	if every := x.opts.Checkpoint; every == 0 || time.Since(k.shown) < max(every, 20*k.took) {
		return nil
	}
	start := time.Now()
	err := w.Checkpoint(x.manifest(false), x.plan.Config, x.questions())
	k.shown = time.Now()
	k.took = k.shown.Sub(start)
	return err
}

// keeping is what of the rows written is remembered.
type keeping struct {
	item    string            // the last one
	results map[string]bool   // its digests
	golds   map[string]string // item -> digest of its gold's result

	literals map[string]string // item -> record.Question.Literals
	dbs      map[string]bool   // databases whose columns are written
	failure  string            // why the first model-error is one

	mu     sync.Mutex // of what follows, which is read while rows are written
	doubts map[metrics.Doubt]int
	last   map[metrics.Doubt]string // the item that was counted last

	shown time.Time     // when the folder last showed what is done
	took  time.Duration // how long that took
}

// doubt counts the items of each doubt; an item's outcomes come one after the other.
func (k *keeping) doubt(o *outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range o.doubts {
		if k.last[d] != o.item.Item {
			k.last[d] = o.item.Item
			k.doubts[d]++
		}
	}
}

// counted lists the doubts so far.
func (k *keeping) counted() []metrics.Doubt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return metrics.Doubts(k.doubts)
}

// questions are the run's questions with their golds, in the dataset's order.
func (x *execution) questions() []record.Question {
	out := make([]record.Question, 0, len(x.plan.Set.Examples))
	for _, ex := range x.plan.Set.Examples {
		q := ex.Question
		over := x.plan.Overrides.Of(q.ID)
		row := record.Question{Item: q.ID, DB: q.DB, Question: q.Text, Evidence: q.Evidence, Gold: over.Gold(ex.Gold),
			Hardness: ex.Hardness, Difficulty: ex.Difficulty, GoldDigest: x.keeping.golds[q.ID], Literals: x.keeping.literals[q.ID]}
		row.Features = axes.Features(row.Gold)
		row.SetOverride(over, ex.Gold)
		out = append(out, row)
	}
	return out
}
