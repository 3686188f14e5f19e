package runner

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting"
)

// outcome is what one job left behind.
type outcome struct {
	example  dataset.Example
	answer   prompting.Answer
	queries  []string            // its SQL that is judged, each text once
	verdicts map[string]*verdict // by those

	item     record.Item // but for what the verdicts say
	calls    []record.Call
	gold     *record.Result // nil where the gold query has none
	literals string         // record.Question.Literals
}

// verdict is what became of one SQL.
type verdict struct {
	scores []metrics.Score // one for each of the manifest's metrics
	result *record.Result  // nil where it has none
}

// do answers one question under one cell and seed, and scores every candidate; where nothing is kept, the chosen one.
func (x *execution) do(ctx context.Context, j job) (*outcome, error) {
	o := &outcome{example: x.plan.Set.Examples[j.item], verdicts: map[string]*verdict{}}
	ex := &o.example
	var err error
	if o.answer, err = x.methods[[2]int{j.cell, j.seed}].Answer(ctx, ex.Question); err != nil {
		return nil, err
	}
	if o.queries = o.judged(x.keeps); !x.keeps {
		x.label(ex)
		return o, x.judge(ctx, o, false)
	}
	o.item = x.itemRow(j, *ex)
	o.item.Choice = oneLine(o.answer.Why)
	x.addCalls(o)
	if o.gold, err = x.result(ctx, ex.Question, x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold)); err != nil {
		return nil, err
	}
	if o.literals, err = x.literals(ctx, j, *ex); err != nil {
		return nil, err
	}
	if err := x.judge(ctx, o, false); err != nil {
		return nil, err
	}
	for _, sql := range o.queries {
		if o.verdicts[sql].result, err = x.result(ctx, ex.Question, sql); err != nil {
			return nil, err
		}
	}
	if o.chosen().Failure != "" {
		x.failed.Add(1)
	}
	return o, nil
}

// chosen is the candidate that was chosen; of predictions that have none it is empty.
func (o *outcome) chosen() prompting.Candidate {
	if len(o.answer.Candidates) == 0 {
		return prompting.Candidate{}
	}
	return o.answer.Candidates[o.answer.Chosen]
}

// judged is the SQL to judge: the chosen candidate's, or that of all, of those dropped, and of what was mended.
// Candidates of a pool often agree word for word.
func (o *outcome) judged(all bool) (out []string) {
	add := func(sql string) {
		if !slices.Contains(out, sql) {
			out = append(out, sql)
		}
	}
	candidates := []prompting.Candidate{o.chosen()}
	if all {
		candidates = slices.Concat(candidates, o.answer.Candidates, o.answer.Dropped)
	}
	for _, c := range candidates {
		if c.Failure == "" {
			add(c.SQL)
		}
		if c.Original != "" {
			add(c.Original)
		}
	}
	return out
}

// of is the verdict on a candidate.
func (x *execution) of(o *outcome, c prompting.Candidate) *verdict {
	if c.Failure == "" {
		return o.verdicts[c.SQL]
	}
	v := &verdict{scores: make([]metrics.Score, len(x.plan.Manifest.Metrics))}
	for i := range v.scores {
		v.scores[i] = metrics.Score{Status: metrics.ModelError, Why: c.Failure}
	}
	return v
}

// judge scores the SQL of an outcome by the metrics that are advisory, or by those that are not.
func (x *execution) judge(ctx context.Context, o *outcome, advisory bool) error {
	c := o.example.Case()
	for _, sql := range o.queries {
		v := o.verdicts[sql]
		if v == nil {
			v = &verdict{scores: make([]metrics.Score, len(x.plan.Manifest.Metrics))}
			o.verdicts[sql] = v
		}
		c.Predicted = sql
		if err := x.plan.Overrides.Score(ctx, x.plan.Metrics, c, advisory, v.scores); err != nil {
			return err
		}
	}
	return nil
}

// rows are what a run keeps of an outcome. A result stands as often as it was given.
func (x *execution) rows(o *outcome) record.Rows {
	it := o.item
	chosen := x.of(o, o.chosen())
	it.Status, it.SQL, it.Values = chosen.scores[0].Status, o.chosen().SQL, valuesOf(chosen.scores)
	out := record.Rows{Items: []record.Item{it}, Votes: votes(it, o.answer.Votes), Calls: o.calls, Links: links(it, o.answer.Linked), Columns: x.columns(it)}
	if o.gold != nil {
		out.Results = append(out.Results, *o.gold)
	}
	add := func(rows *[]record.Candidate, c prompting.Candidate) {
		*rows = append(*rows, x.candidate(o, c))
		if r := x.of(o, c).result; r != nil {
			out.Results = append(out.Results, *r)
		}
	}
	for _, c := range o.answer.Candidates {
		add(&out.Candidates, c)
	}
	if len(out.Candidates) > 0 {
		out.Candidates[o.answer.Chosen].Chosen = 1
	}
	for _, c := range o.answer.Dropped {
		add(&out.Dropped, c)
	}
	return out
}

// candidate is the row of a candidate. The first metric's status is the candidate's.
func (x *execution) candidate(o *outcome, c prompting.Candidate) record.Candidate {
	v := x.of(o, c)
	row := record.Candidate{Item: o.item.Item, Arm: o.item.Arm, Point: o.item.Point, Seed: o.item.Seed,
		Sample: c.Sample, Generator: c.Generator, Status: v.scores[0].Status, SQL: c.SQL, Values: valuesOf(v.scores),
		Rule: c.Rule, Why: cmp.Or(c.Failure, oneLine(cmp.Or(c.Silence, v.scores[0].Why))), Trigger: c.Trigger, Tries: c.Tries, Original: c.Original}
	if v.result != nil {
		row.Digest = v.result.Digest
	}
	if c.Fixed {
		row.Fixed = 1
	}
	if c.Original != "" {
		row.OriginalStatus = o.verdicts[c.Original].scores[0].Status
	}
	return row
}

func valuesOf(scores []metrics.Score) []record.Value {
	out := make([]record.Value, len(scores))
	for i, s := range scores {
		out[i] = record.ValueOf(s)
	}
	return out
}

func (x *execution) itemRow(j job, ex dataset.Example) record.Item {
	cell := x.plan.Cells[j.cell]
	return record.Item{Item: ex.Question.ID, DB: ex.Question.DB, Arm: cell.Arm.Name, Seed: x.plan.Experiment.Seeds[j.seed],
		Hardness: ex.Hardness, Difficulty: ex.Difficulty, Point: cell.Values()}
}

func votes(it record.Item, votes []prompting.Vote) (out []record.Vote) {
	for _, v := range votes {
		out = append(out, record.Vote{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, A: v.A, B: v.B,
			Order: v.Order, Winner: v.Winner, DecidedBy: v.DecidedBy, Key: v.Key})
	}
	return out
}

// addCalls adds the calls of the answer, and what they took together.
func (x *execution) addCalls(o *outcome) {
	it := &o.item
	if x.plan.Imported != nil {
		x.addTold(o)
		return
	}
	it.PromptTokens, it.CompletionTokens, it.Calls, it.Cached = record.CountOf(0), record.CountOf(0), record.CountOf(0), record.CountOf(0)
	for _, c := range o.answer.Trace {
		prompt, completion := record.CountOf(c.Usage.PromptTokens), record.CountOf(c.Usage.CompletionTokens)
		it.Calls.N++
		if c.Cached {
			it.Cached.N++
		}
		it.PromptTokens, it.CompletionTokens = it.PromptTokens.Plus(prompt), it.CompletionTokens.Plus(completion)
		o.calls = append(o.calls, record.Call{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Sample: c.Sample,
			Stage: c.Stage, Key: c.Key, PromptTokens: prompt, CompletionTokens: completion,
			CachedTokens: record.CountOf(c.Usage.CachedTokens), ReasoningTokens: record.CountOf(c.Usage.ReasoningTokens), Finish: c.Finish,
			Note: c.Note, Failure: c.Failure, Observation: c.Observation})
	}
}

// addTold adds what others say that their answer took; what they do not say is unknown.
func (x *execution) addTold(o *outcome) {
	it := &o.item
	total, calls := x.plan.Imported.Took(it.Item)
	it.PromptTokens, it.CompletionTokens, it.USD = total.PromptTokens, total.CompletionTokens, total.USD
	for n, c := range calls {
		o.calls = append(o.calls, record.Call{Item: it.Item, Arm: it.Arm, Seed: it.Seed, Sample: n, Stage: configs.Imported,
			Key: c.Key, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens, USD: c.USD})
	}
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
	k := &x.keeping
	if k.item != o.item.Item {
		k.item, k.results = o.item.Item, map[string]bool{}
	}
	if o.gold != nil {
		k.golds[o.item.Item] = o.gold.Digest
	}
	if o.literals != "" {
		k.literals[o.item.Item] = o.literals
	}
	rows := x.rows(o)
	if rows.Items[0].Status == metrics.ModelError && k.failure == "" {
		k.failure = firstWhy(rows.Candidates)
	}
	rows.Results = slices.DeleteFunc(rows.Results, func(r record.Result) bool {
		known := k.results[r.Digest]
		k.results[r.Digest] = true
		return known
	})
	k.doubt(o.item.Item, x.doubts(o))
	if err := w.Add(rows); err != nil {
		return err
	}
	x.tell(o)
	return x.checkpoint(w)
}

// firstWhy is the reason of the first candidate that has one; empty where none has.
func firstWhy(candidates []record.Candidate) string {
	for _, c := range candidates {
		if c.Why != "" {
			return c.Why
		}
	}
	return ""
}

// doubts are those of the chosen candidate's scores.
func (x *execution) doubts(o *outcome) (out []metrics.Doubt) {
	for i, s := range x.of(o, o.chosen()).scores {
		for _, w := range s.Warnings {
			out = append(out, metrics.DoubtOf(x.plan.Manifest.Metrics[i].ID, w))
		}
	}
	return out
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
func (k *keeping) doubt(item string, doubts []metrics.Doubt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range doubts {
		if k.last[d] != item {
			k.last[d] = item
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
