package runner

import (
	"context"
	"slices"

	"assay/experiments/decompose"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/process"
	"assay/prompting"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/steps"
)

// mostSlow bounds the queries of an answer's steps that may meet the deadline: after them no further step is run.
const mostSlow = 3

// steps returns the rows of the steps that an answer's completions state. It runs their SQL, where there is a database, and
// compares what they name with the gold query.
func (x *execution) steps(ctx context.Context, o *outcome) ([]record.Step, error) {
	if x.plan.Imported != nil || o.unread != "" {
		return nil, nil
	}
	noted := steps.Of(o.answer.Trace)
	rows, like, slow := make([]record.Step, len(noted)), make([][]int, len(noted)), 0
	ref, err := x.reference(ctx, o, noted)
	if err != nil {
		return nil, err
	}
	for i, n := range noted {
		it := o.item
		rows[i] = record.Step{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Sample: n.Sample, Generator: n.Generator,
			Step: n.Number, Label: n.Label, Question: oneLine(n.Question), Columns: oneLine(n.Columns), SQL: n.SQL, Final: bit(n.Final)}
		if n.Generator == "" {
			rows[i].Generator = sole(o.answer.Candidates)
		}
		res, err := x.try(ctx, o, &rows[i], n.Solved, slow >= mostSlow)
		if err != nil {
			return nil, err
		}
		if !n.Final { // the others' rows are not kept: they may be many
			like[i] = ref.Like(res)
		}
		if ref != nil {
			rows[i].RuleSteps = record.CountOf(len(ref))
		}
		if rows[i].Status == metrics.SQLTimeout {
			slow++
		}
	}
	ex := &o.example
	x.mark(rows, like, x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold), ex.Schema)
	return rows, nil
}

// reference runs the steps that rules make of the gold query; none where no step before the answer has SQL to compare with.
func (x *execution) reference(ctx context.Context, o *outcome, noted []steps.Noted) (process.Reference, error) {
	ex := &o.example
	if ex.Schema == nil || !slices.ContainsFunc(noted, func(n steps.Noted) bool { return n.SQL != "" && !n.Final }) {
		return nil, nil
	}
	made, refused := decompose.Steps(ex.Question.Text, x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold), ex.Schema)
	if refused != nil {
		return nil, nil
	}
	results := make([]*engine.Result, len(made))
	for i, s := range made {
		res, verdict, err := x.plan.Results.Try(ctx, x.plan.Box, ex.Question.Database, s.SQL)
		if err != nil {
			return nil, err
		}
		if verdict != nil {
			return nil, nil
		}
		results[i] = res
	}
	return process.ReferenceOf(results), nil
}

// try runs a step's SQL; without a result it returns nil.
func (x *execution) try(ctx context.Context, o *outcome, row *record.Step, asked, late bool) (*engine.Result, error) {
	switch {
	case row.SQL == "" && !asked:
		row.Status = process.Unasked
		return nil, nil
	case late:
		row.Status, row.Why = process.NotRun, "too many steps before it met the deadline"
		return nil, nil
	}
	res, verdict, err := x.plan.Results.Try(ctx, x.plan.Box, o.example.Question.Database, row.SQL)
	switch {
	case err != nil:
		return nil, err
	case verdict != nil && verdict.Status == metrics.GoldError:
		row.Status, row.Why = process.NotRun, oneLine(verdict.Why)
	case verdict != nil:
		row.Status, row.Why = verdict.Status, oneLine(verdict.Why)
	case len(res.Rows) == 0:
		row.Status, row.Rows = process.Empty, record.CountOf(0)
	default:
		row.Status, row.Rows = process.Ran, record.CountOf(len(res.Rows))
	}
	return res, nil
}

// mark judges the rows of each candidate's steps.
func (x *execution) mark(rows []record.Step, like [][]int, gold string, db *schema.Database) {
	for from, to := 0, 0; from < len(rows); from = to {
		var all []process.Step
		for to = from; to < len(rows) && rows[to].Sample == rows[from].Sample && rows[to].Generator == rows[from].Generator; to++ {
			r := rows[to]
			all = append(all, process.Step{Columns: r.Columns, SQL: r.SQL, Status: r.Status, Final: r.Final == 1})
		}
		for i, m := range process.Judge(all, gold, db) {
			setMark(&rows[from+i], m)
		}
		for i, m := range process.Matches(like[from:to]) {
			if rows[from+i].RuleMade = string(m.Found); m.Step > 0 {
				rows[from+i].RuleStep = record.CountOf(m.Step)
			}
		}
	}
}

func setMark(r *record.Step, m process.Mark) {
	r.Error, r.Listed = m.Error, bit(m.Listed)
	if !m.Judged {
		return
	}
	r.Named, r.Hit, r.Gold = record.CountOf(m.Named), record.CountOf(m.Hit), record.CountOf(m.Gold)
	r.Seen, r.SeenHit = record.CountOf(m.AllNamed), record.CountOf(m.AllHit)
	if len(m.Outside) > 0 {
		r.Outside = record.Listing(nameList(m.Outside))
	}
	if len(m.Missing) > 0 {
		r.Missing = record.Listing(nameList(m.Missing))
	}
	if len(m.UnknownNames) > 0 {
		unknown := [][]string{}
		for _, n := range m.UnknownNames {
			unknown = append(unknown, []string{n})
		}
		r.Unknown = record.Listing(unknown)
	}
}

// sole returns the generator of the candidates, empty where there are several.
func sole(cs []prompting.Candidate) string {
	for _, c := range cs {
		if c.Generator != cs[0].Generator {
			return ""
		}
	}
	if len(cs) == 0 {
		return ""
	}
	return cs[0].Generator
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
