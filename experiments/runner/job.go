package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/experiments/axes"
	"assay/experiments/dataset"
	"assay/experiments/judge"
	"assay/experiments/record"
	"assay/metrics"
	"assay/prompting"
	"assay/prompting/sql/engine"
)

// outcome is what one job produced.
type outcome struct {
	example  dataset.Example
	answer   prompting.Answer
	unread   string              // why the item's database cannot be read, so that no answer counts; empty: it can
	queries  []string            // the SQL to score, each text once
	verdicts map[string]*verdict // by query

	item     record.Item // without its scores, which rows fills in
	calls    []record.Call
	steps    []record.Step
	gold     *record.Result // nil where the gold query returned none
	literals string         // record.Question.Literals
}

// verdict is the scores and the result of one query.
type verdict struct {
	scores []metrics.Score // one per metric of the manifest
	result *record.Result  // nil where the query returned none
}

// do answers one question under one cell and seed, and scores every candidate. Where no run is written it scores the chosen
// candidate alone, since nothing would read the rest.
func (x *execution) do(ctx context.Context, j job) (*outcome, error) {
	o := &outcome{example: x.plan.Set.Examples[j.item], verdicts: map[string]*verdict{}}
	ex := &o.example
	var err error
	if o.unread = ex.Fault; x.plan.Imported != nil {
		o.unread = "" // what is there can be scored
	}
	if o.unread == "" { // else no answer could be scored, so that none is paid for
		o.answer, err = x.methods[[2]int{j.cell, j.seed}].Answer(ctx, ex.Question)
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Kind == engine.Unavailable && ctx.Err() == nil {
			o.unread, o.answer, err = e.Err.Error(), prompting.Answer{}, nil
		}
		if err != nil {
			return nil, err
		}
		bound(&o.answer)
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
	if o.steps, err = x.steps(ctx, o); err != nil {
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

// chosen returns the chosen candidate, empty for an imported answer without one.
func (o *outcome) chosen() prompting.Candidate {
	if len(o.answer.Candidates) == 0 {
		return prompting.Candidate{}
	}
	return o.answer.Candidates[o.answer.Chosen]
}

// judged lists the SQL to score: the chosen candidate's, or with all that of every candidate, of the dropped ones, and each
// query as it was before the fixer changed it. Each text is listed once, as candidates of a pool often agree word for word.
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

// of returns the verdict on a candidate; one without a completion has a model-error under every metric.
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

// judge scores the SQL of an outcome by the advisory metrics, or by the others. Advisory metrics time statements, and run
// apart from everything else.
func (x *execution) judge(ctx context.Context, o *outcome, advisory bool) error {
	c := o.example.Case()
	for _, sql := range o.queries {
		v := o.verdicts[sql]
		if v == nil {
			v = &verdict{scores: make([]metrics.Score, len(x.plan.Manifest.Metrics))}
			o.verdicts[sql] = v
		}
		if o.unread != "" {
			for i := range v.scores {
				v.scores[i] = metrics.Score{Status: metrics.GoldError, Why: fmt.Sprintf("the database %s cannot be read: %s", c.Database.Label(), o.unread)}
			}
			continue
		}
		c.Predicted = sql
		if err := x.plan.Overrides.Score(ctx, x.plan.Metrics, c, advisory, v.scores); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the rows that a run stores of an outcome. A result is listed once per query that returned it; keep drops the
// repetitions.
func (x *execution) rows(o *outcome) record.Rows {
	it := o.item
	chosen := x.of(o, o.chosen())
	it.Status, it.SQL, it.Values = chosen.scores[0].Status, o.chosen().SQL, valuesOf(chosen.scores)
	out := record.Rows{Items: []record.Item{it}, Votes: votes(it, o.answer.Votes), Calls: o.calls, Links: links(it, o.answer.Linked), Shown: shown(it, o.answer.Shown), Steps: o.steps, Components: x.components(o), Columns: x.columns(it)}
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

// candidate returns the row of a candidate, whose status is that under the first metric.
func (x *execution) candidate(o *outcome, c prompting.Candidate) record.Candidate {
	v := x.of(o, c)
	row := record.Candidate{Item: o.item.Item, Arm: o.item.Arm, Point: o.item.Point, Seed: o.item.Seed,
		Sample: c.Sample, Generator: c.Generator, Status: v.scores[0].Status, SQL: c.SQL, Values: valuesOf(v.scores),
		Rule: c.Rule, Why: cmp.Or(c.Failure, oneLine(cmp.Or(c.Silence, x.whyOf(v.scores)))), Trigger: c.Trigger, Tries: c.Tries, Original: c.Original}
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

// whyOf is the headline's reason, and those of metrics by programs beside it: only their authors know what they mean.
func (x *execution) whyOf(scores []metrics.Score) string {
	all := []string{scores[0].Why}
	for i, m := range x.plan.Metrics {
		if _, program := m.(*judge.Metric); program && i > 0 && scores[i].Why != "" && scores[i].Why != scores[0].Why {
			all = append(all, m.ID()+": "+scores[i].Why)
		}
	}
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
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

// votes returns the rows of an answer's comparisons.
func votes(it record.Item, votes []prompting.Vote) (out []record.Vote) {
	for _, v := range votes {
		out = append(out, record.Vote{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, A: v.A, B: v.B,
			Order: v.Order, Winner: v.Winner, DecidedBy: v.DecidedBy, Key: v.Key})
	}
	return out
}

// addCalls adds the rows of the answer's calls, and their totals to the item's row.
func (x *execution) addCalls(o *outcome) {
	it := &o.item
	if x.plan.Imported != nil {
		x.addStated(o)
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
			CachedTokens: record.CountOf(c.Usage.CachedTokens), ReasoningTokens: record.CountOf(c.Usage.ReasoningTokens),
			CacheWriteTokens: record.CountOf(c.Usage.CacheWriteTokens), Tier: c.Tier, Finish: c.Finish,
			Note: c.Note, Failure: c.Failure, Observation: c.Observation})
	}
}

// addStated adds the tokens and the price that an imported file states for its answer. What it does not state stays unknown:
// a 0 would enter sums as a measurement.
func (x *execution) addStated(o *outcome) {
	it := &o.item
	total, calls, stated := x.plan.Imported.Took(it.Item)
	it.PromptTokens, it.CompletionTokens, it.USD = total.PromptTokens, total.CompletionTokens, total.USD
	if stated {
		it.Calls = record.CountOf(len(calls))
	}
	for _, c := range calls {
		o.calls = append(o.calls, record.Call{Item: it.Item, Arm: it.Arm, Seed: it.Seed, Sample: c.Sample, Stage: c.Stage,
			Key: c.Key, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens, CachedTokens: c.CachedTokens,
			ReasoningTokens: c.ReasoningTokens, Finish: c.Finish, Note: c.Note, Failure: c.Failure, USD: c.USD})
	}
}

// result returns the beginning of a query's result, nil where it fails or there is nothing to run. The cache of the plan has
// the result of a scored query already.
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

// keep writes an outcome's rows. Outcomes arrive in the order of their jobs, so all outcomes of an item follow one another,
// and one set of digests is enough to write each result of an item once.
func (x *execution) keep(w *record.Writer, o *outcome) error {
	k := &x.kept
	if k.item != o.item.Item {
		k.item, k.results = o.item.Item, map[string]bool{}
	}
	if o.gold != nil {
		k.goldDigests[o.item.Item] = o.gold.Digest
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
	x.pass(o)
	return x.checkpoint(w)
}

// firstWhy returns the first reason that a candidate gives; empty where none does.
func firstWhy(candidates []record.Candidate) string {
	for _, c := range candidates {
		if c.Why != "" {
			return c.Why
		}
	}
	return ""
}

// doubts returns the warnings on the chosen candidate's scores.
func (x *execution) doubts(o *outcome) (out []metrics.Doubt) {
	for i, s := range x.of(o, o.chosen()).scores {
		for _, w := range s.Warnings {
			out = append(out, metrics.DoubtOf(x.plan.Manifest.Metrics[i].ID, w))
		}
	}
	return out
}

// checkpoint writes the finished rows into the run's folder, where the last checkpoint is long enough ago. It waits at least
// 20 times as long as the last one took, so that a long run does not spend its time copying files.
func (x *execution) checkpoint(w *record.Writer) error {
	k := &x.kept
	if every := x.opts.Checkpoint; every == 0 || time.Since(k.shown) < max(every, 20*k.took) {
		return nil
	}
	start := time.Now()
	w.SetVectors(x.vectors.rows(x.plan.Cells))
	err := w.Checkpoint(x.manifest(false), x.plan.Config, x.questions())
	k.shown = time.Now()
	k.took = k.shown.Sub(start)
	return err
}

// kept is what later rows, and the files written last, need of the rows written so far.
type kept struct {
	item        string            // the item of the last row
	results     map[string]bool   // digests written for that item
	goldDigests map[string]string // item -> digest of its gold result

	literals map[string]string // item -> record.Question.Literals
	dbs      map[string]bool   // databases whose columns have been written
	failure  string            // the reason of the first model-error

	mu     sync.Mutex // guards the next two fields, which are read while rows are written
	doubts map[metrics.Doubt]int
	last   map[metrics.Doubt]string // the item counted last

	shown time.Time     // when the last checkpoint was written
	took  time.Duration // how long that took
}

// doubt counts items per warning. Outcomes of an item follow one another, so the last item is enough to count each once.
func (k *kept) doubt(item string, doubts []metrics.Doubt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range doubts {
		if k.last[d] != item {
			k.last[d] = item
			k.doubts[d]++
		}
	}
}

// counted lists the warnings so far.
func (k *kept) counted() []metrics.Doubt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return metrics.Doubts(k.doubts)
}

// questions returns the rows of questions.csv, with the gold queries, in the dataset's order.
func (x *execution) questions() []record.Question {
	out := make([]record.Question, 0, len(x.plan.Set.Examples))
	for _, ex := range x.plan.Set.Examples {
		q := ex.Question
		over := x.plan.Overrides.Of(q.ID)
		row := record.Question{Item: q.ID, DB: q.DB, Question: q.Text, Evidence: q.Evidence, Gold: over.Gold(ex.Gold),
			Hardness: ex.Hardness, Difficulty: ex.Difficulty, GoldDigest: x.kept.goldDigests[q.ID], Literals: x.kept.literals[q.ID]}
		row.Features = axes.Features(row.Gold)
		row.SetOverride(over, ex.Gold)
		out = append(out, row)
	}
	return out
}
