package annotate

import (
	"errors"

	"assay/experiments/decompose"
	"assay/prompting/exemplar"
	"assay/prompting/sql/schema"
)

// Refusal says why the rules give no steps or no division for a query.
type Refusal = decompose.Refusal

// Derive adds steps and a division by rule to a demonstration that has none, and what [Fill] adds. It returns a refusal for
// each of the two that the rules cannot give; the rest is added all the same. Its error is Fill's.
func Derive(d *exemplar.Demo) (refused []*Refusal, err error) {
	next := *d
	add := func(err error) {
		if r, ok := errors.AsType[*Refusal](err); ok {
			refused = append(refused, r)
		}
	}
	if len(d.Steps) == 0 {
		steps, err := Decompose(d.Question, d.SQL, d.Schema)
		if next.Steps = steps; err == nil {
			next.By.Steps = exemplar.Rule
		}
		add(err)
	}
	if d.Division == nil {
		division, err := Divide(d.Question, d.SQL, d.Schema)
		if next.Division = division; err == nil {
			next.By.Division = exemplar.Rule
		}
		add(err)
	}
	if err := Fill(&next); err != nil {
		return nil, err
	}
	*d = next
	return refused, nil
}

// Decompose returns the steps that lead to a query: each is a question in plain words with SQL that runs and the columns
// that it newly needs, and the last is the question and the query themselves. Its error is a *[Refusal].
func Decompose(question, sql string, db *schema.Database) ([]exemplar.Step, error) {
	steps, refused := decompose.Steps(question, sql, db)
	if refused != nil {
		return nil, refused
	}
	d := exemplar.Demo{SQL: sql, Schema: db}
	for i, s := range steps {
		if i < len(steps)-1 { // the last is a person's
			s.Question = unbroken(s.Question)
		}
		d.Steps = append(d.Steps, exemplar.Step{Question: s.Question, SQL: s.SQL})
	}
	if _, err := fillColumns(&d); err != nil {
		return nil, &Refusal{Reason: decompose.Unreadable, Detail: err.Error()}
	}
	return d.Steps, nil
}

// Divide returns the question divided into the parts that its query consists of. Its error is a *[Refusal].
func Divide(question, sql string, db *schema.Database) (*exemplar.Division, error) {
	parts, simplify, refused := decompose.Divide(question, sql, db)
	if refused != nil {
		return nil, refused
	}
	out := &exemplar.Division{Simplify: simplify}
	for _, p := range parts {
		p.Analysis, p.Pseudo = unbroken(p.Analysis), unbroken(p.Pseudo)
		if p.Number != "" { // the first is a person's
			p.Question = unbroken(p.Question)
		}
		out.Parts = append(out.Parts, exemplar.Part(p))
	}
	return out, nil
}
