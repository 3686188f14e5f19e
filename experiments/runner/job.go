package runner

import (
	"context"
	"strings"

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
}

// verdict is the scores of one SQL, one a metric.
type verdict struct {
	status metrics.Status // under the headline metric
	values []record.Value
	digest string
	why    string
}

// do answers one question under one cell and seed, and scores every candidate.
func (x *execution) do(ctx context.Context, j job) (*outcome, error) {
	ex := x.plan.Set.Examples[j.item]
	ans, err := x.methods[[2]int{j.cell, j.seed}].Answer(ctx, ex.Question)
	if err != nil {
		return nil, err
	}
	out := &outcome{item: x.itemRow(j, ex)}
	x.addCalls(out, ans.Trace)
	seen := map[string]verdict{} // candidates of a pool often agree word for word
	for i, c := range ans.Candidates {
		v, ok := seen[c.SQL]
		if !ok || c.Failure != "" {
			if v, err = x.judge(ctx, ex, c); err != nil {
				return nil, err
			}
			if c.Failure == "" {
				seen[c.SQL] = v
			}
		}
		row := record.Candidate{Item: out.item.Item, Arm: out.item.Arm, Point: out.item.Point, Seed: out.item.Seed,
			Sample: c.Sample, Generator: c.Generator, Status: v.status, SQL: c.SQL, Digest: v.digest, Values: v.values,
			Rule: c.Rule, Why: v.why}
		if i == ans.Chosen {
			row.Chosen = 1
			out.item.Status, out.item.SQL, out.item.Values = v.status, c.SQL, v.values
		}
		out.candidates = append(out.candidates, row)
	}
	if out.item.Status == metrics.ModelError {
		x.failed.Add(1)
	}
	return out, nil
}

func (x *execution) itemRow(j job, ex dataset.Example) record.Item {
	cell := x.plan.Cells[j.cell]
	it := record.Item{Item: ex.Question.ID, DB: ex.Question.DB, Arm: cell.Arm.Name, Seed: x.plan.Experiment.Seeds[j.seed],
		Hardness: ex.Hardness, Difficulty: ex.Difficulty}
	for _, s := range cell.Point {
		it.Point = append(it.Point, s.Value)
	}
	return it
}

func (x *execution) addCalls(out *outcome, trace []prompting.Call) {
	it := &out.item
	for _, c := range trace {
		it.Calls++
		if c.Cached {
			it.Cached++
		}
		it.PromptTokens += c.Usage.PromptTokens
		it.CompletionTokens += c.Usage.CompletionTokens
		out.calls = append(out.calls, record.Call{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Sample: c.Sample,
			Stage: c.Stage, Key: c.Key, PromptTokens: c.Usage.PromptTokens, CompletionTokens: c.Usage.CompletionTokens,
			Note: c.Note, Failure: c.Failure})
	}
}

// judge scores one candidate under every metric. The first metric's status is the candidate's.
func (x *execution) judge(ctx context.Context, ex dataset.Example, c prompting.Candidate) (verdict, error) {
	v := verdict{values: make([]record.Value, len(x.plan.Metrics))}
	if c.Failure != "" {
		v.status, v.why = metrics.ModelError, c.Failure
		return v, nil
	}
	q := ex.Question
	for i, m := range x.plan.Metrics {
		s, err := m.Score(ctx, metrics.Case{Item: q.ID, DB: q.DB, Path: q.Path, Suite: ex.Suite, Gold: ex.Gold,
			Predicted: c.SQL, Schema: ex.Schema})
		if err != nil {
			return v, err
		}
		v.values[i] = record.ValueOf(s)
		if i == 0 {
			v.status, v.why = s.Status, oneLine(s.Why)
		}
	}
	if c.SQL == "" || q.Path == "" {
		return v, nil
	}
	if res, err := x.plan.Results.Run(ctx, x.plan.Box, q.Path, c.SQL); err == nil {
		v.digest = res.MultisetDigest()[:16]
	} else if ctx.Err() != nil {
		return v, ctx.Err()
	}
	return v, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// questions are the run's questions with their golds, in the dataset's order.
func (x *execution) questions() []record.Question {
	out := make([]record.Question, 0, len(x.plan.Set.Examples))
	for _, ex := range x.plan.Set.Examples {
		q := ex.Question
		out = append(out, record.Question{Item: q.ID, DB: q.DB, Question: q.Text, Evidence: q.Evidence,
			Gold: ex.Gold, Hardness: ex.Hardness, Difficulty: ex.Difficulty, Features: axes.Features(ex.Gold)})
	}
	return out
}
