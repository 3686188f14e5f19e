package runner

import (
	"context"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/process"
	"assay/prompting"
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
	rows, slow := make([]record.Step, len(noted)), 0
	for i, n := range noted {
		it := o.item
		rows[i] = record.Step{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, Sample: n.Sample, Generator: n.Generator,
			Step: n.Number, Label: n.Label, Question: oneLine(n.Question), Columns: oneLine(n.Columns), SQL: n.SQL, Final: bit(n.Final)}
		if n.Generator == "" {
			rows[i].Generator = sole(o.answer.Candidates)
		}
		if err := x.try(ctx, o, &rows[i], n.Solved, slow >= mostSlow); err != nil {
			return nil, err
		}
		if rows[i].Status == metrics.SQLTimeout {
			slow++
		}
	}
	ex := &o.example
	x.mark(rows, x.plan.Overrides.Of(ex.Question.ID).Gold(ex.Gold), ex.Schema)
	return rows, nil
}

// try runs a step's SQL.
func (x *execution) try(ctx context.Context, o *outcome, row *record.Step, asked, late bool) error {
	switch {
	case row.SQL == "" && !asked:
		row.Status = process.Unasked
		return nil
	case late:
		row.Status, row.Why = process.NotRun, "too many steps before it met the deadline"
		return nil
	}
	res, verdict, err := x.plan.Results.Try(ctx, x.plan.Box, o.example.Question.Database, row.SQL)
	switch {
	case err != nil:
		return err
	case verdict != nil && verdict.Status == metrics.GoldError:
		row.Status, row.Why = process.NotRun, oneLine(verdict.Why)
	case verdict != nil:
		row.Status, row.Why = verdict.Status, oneLine(verdict.Why)
	case len(res.Rows) == 0:
		row.Status, row.Rows = process.Empty, record.CountOf(0)
	default:
		row.Status, row.Rows = process.Ran, record.CountOf(len(res.Rows))
	}
	return nil
}

// mark judges the rows of each candidate's steps.
func (x *execution) mark(rows []record.Step, gold string, db *schema.Database) {
	for from, to := 0, 0; from < len(rows); from = to {
		var all []process.Step
		for to = from; to < len(rows) && rows[to].Sample == rows[from].Sample && rows[to].Generator == rows[from].Generator; to++ {
			r := rows[to]
			all = append(all, process.Step{Columns: r.Columns, SQL: r.SQL, Status: r.Status, Final: r.Final == 1})
		}
		for i, m := range process.Judge(all, gold, db) {
			setMark(&rows[from+i], m)
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
