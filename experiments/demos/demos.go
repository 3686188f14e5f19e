// Package demos makes annotated demonstrations of the questions of a training set.
//
// [Make] takes questions with their gold queries ([assay/experiments/dataset.Questions]), chooses among them by hardness, annotates
// each by rule (packages annotate and queryplan, and the tools of agents on the gold query's path) or by a model's draft, and
// holds every annotation against the database ([Checker]). How natural the steps are is said by a rule or a model ([Scorer]). What fails is left out and said. [Rows] is the review: a person
// reads it, and [Apply] takes their verdicts and words back. The package must never keep an annotation that was not checked,
// and never hide one that failed.
package demos

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/annotate"
	"assay/experiments/dataset"
	"assay/prompting/exemplar"
	"assay/prompting/sql/queryplan"

	"golang.org/x/sync/errgroup"
)

// The kinds of annotations.
const (
	Steps    = "steps"
	CoT      = "cot"
	Division = "division"
	Plan     = "plan"
	Dialogue = "dialogue"
)

// Kinds lists the kinds of annotations, in the order in which they are made.
var Kinds = configs.Choices{
	{ID: Steps, Shows: "sub-questions with their SQL and the columns that each newly needs"},
	{ID: CoT, Shows: "the query told clause by clause"},
	{ID: Division, Shows: "the question divided into parts, and put together again"},
	{ID: Plan, Shows: "the query plan in numbered steps"},
	{ID: Dialogue, Shows: "an agent's way to the query with the database's tools"},
}

// Score is the kind of a failure that costs no annotation: a model was asked for a score, and gave none.
const Score = "score"

// wanted are the kinds without which a demonstration is not kept, where they are asked for: methods show them of every one.
var wanted = []string{Steps, CoT}

// Failure is an annotation that was not made, or that failed its check.
type Failure struct {
	Kind   string `json:"kind"`   // of Kinds, or Score; empty: the demonstration as a whole
	Reason string `json:"reason"` // one of few, for counting
	Detail string `json:"detail,omitempty"`
}

// String returns the failure as the review has it.
func (f Failure) String() string {
	text := f.Reason
	if f.Kind != "" {
		text = f.Kind + ": " + text
	}
	if f.Detail != "" {
		text += ": " + oneLine(f.Detail)
	}
	return text
}

// Made is a demonstration with what failed of it. Its annotations are those that passed.
type Made struct {
	dataset.Sourced
	Failures []Failure
	Why      []string // what the score takes off, and why
	Kept     bool
}

// Options says what is made, and of which questions. Checker is needed; the zero value of the rest makes nothing but choices.
type Options struct {
	What     []string // of Kinds
	Hardness string   // see Choose
	Limit    int      // demonstrations that are kept at most; 0: all
	Seed     int64    // of the choice
	Complete bool     // keep those alone that have all of What
	Workers  int      // questions at once; 0: one
	Checker  *Checker
	Draft    *Drafter // writes steps and chains of thought; nil: rules do
	Score    *Scorer  // says how natural the steps of what is kept are; nil: a rule does
	Progress func(done, kept int)

	usage *annotate.Usage // of the questions that there are
}

// mostInVain is the number of drafts after which a model of which none passed is asked no more: each may cost.
const mostInVain = 30

// Make makes demonstrations until as many are kept as Limit allows of each hardness, or no question is left. The result is in the
// order of the questions, and has those that were not kept, too. An error is the context's, a database's or the drafting
// model's (a budget that is spent); what was made so far is returned with it.
func Make(ctx context.Context, questions []dataset.Sourced, o Options) ([]Made, error) {
	choice, err := newChoice(questions, o)
	if err != nil {
		return nil, fmt.Errorf("demos: make: %w", err)
	}
	at := map[string]int{}
	texts := make([]string, len(questions))
	for i, q := range questions {
		at[q.ID], texts[i] = i, q.Question
	}
	o.usage = annotate.NewUsage(texts)
	var out []Made
	for wave := choice.next(); len(wave) > 0 && err == nil; wave = choice.next() {
		var made []Made
		made, err = o.wave(ctx, wave, len(out), choice)
		out = append(out, made...)
		if o.Draft != nil && err == nil && choice.kept == 0 && len(out) >= mostInVain {
			err = fmt.Errorf("none of the first %d drafts passed: try another model, or leave it to the rules", len(out))
		}
	}
	slices.SortFunc(out, func(a, b Made) int { return at[a.ID] - at[b.ID] })
	if err != nil {
		return out, fmt.Errorf("demos: make: %w", err)
	}
	return out, nil
}

// wave makes demonstrations of some questions at once. With an error it returns those that are done.
func (o Options) wave(ctx context.Context, questions []dataset.Sourced, before int, c *choice) ([]Made, error) {
	made, done, order := make([]Made, len(questions)), make([]bool, len(questions)), make([]int, len(questions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(questions[a].DB, questions[b].DB) }) // few databases at once
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Workers, 1))
	for _, i := range order {
		g.Go(func() (err error) {
			if made[i], err = o.one(within, questions[i]); err == nil {
				done[i] = true
			}
			return err
		})
	}
	err := g.Wait()
	var out []Made
	for i, m := range made {
		if done[i] {
			c.tell(m)
			out = append(out, m)
		}
	}
	if o.Progress != nil {
		o.Progress(before+len(out), c.kept)
	}
	return out, err
}

// one makes and checks the annotations of a question. A gold query that does not run ends it, before a model is paid.
func (o Options) one(ctx context.Context, q dataset.Sourced) (Made, error) {
	m := Made{Sourced: q}
	gold, bad, err := o.Checker.gold(ctx, q)
	if err != nil || bad != nil {
		m.Failures = bad
		return m, err
	}
	if err := o.annotate(ctx, &m); err != nil {
		return m, err
	}
	failed, err := o.Checker.annotations(ctx, m.Sourced, gold)
	if err != nil {
		return m, err
	}
	for _, f := range failed {
		m.Demo = Without(m.Demo, f.Kind)
	}
	m.Failures = append(m.Failures, failed...)
	m.Kept = o.keeps(m)
	return m, o.score(ctx, &m)
}

// score rates how natural the steps are: by rule or, of what is kept, by a model. Where that gives no score, the rule's stands.
func (o Options) score(ctx context.Context, m *Made) error {
	if len(m.Steps) == 0 {
		return nil
	}
	m.Naturalness, m.Why = annotate.Naturalness(m.Steps, o.usage)
	m.By.Naturalness = exemplar.Rule
	if o.Score == nil || !m.Kept {
		return nil
	}
	return o.Score.score(ctx, m)
}

// keeps reports whether a demonstration has what it must have.
func (o Options) keeps(m Made) bool {
	some := false
	for _, kind := range o.What {
		has := Has(m.Demo, kind)
		some = some || has
		if !has && (o.Complete || slices.Contains(wanted, kind)) {
			return false
		}
	}
	return some && !slices.ContainsFunc(m.Failures, func(f Failure) bool { return f.Kind == "" })
}

// annotate makes the annotations that are asked for; what cannot be made is a failure.
func (o Options) annotate(ctx context.Context, m *Made) error {
	d := &m.Demo
	asks := func(kind string) bool { return slices.Contains(o.What, kind) }
	if o.Draft != nil && (asks(Steps) || asks(CoT)) {
		failed, err := o.Draft.draft(ctx, d, asks(Steps), asks(CoT))
		if err != nil {
			return err
		}
		m.Failures = append(m.Failures, failed...)
	}
	if asks(Steps) && o.Draft == nil {
		steps, err := annotate.Decompose(d.Question, d.SQL, d.Schema)
		if m.refused(Steps, err); err == nil {
			d.Steps, d.By.Steps = steps, exemplar.Rule
		}
	}
	if asks(Division) {
		division, err := annotate.Divide(d.Question, d.SQL, d.Schema)
		if m.refused(Division, err); err == nil {
			d.Division, d.By.Division = division, exemplar.Rule
		}
	}
	m.fill(asks(CoT) && o.Draft == nil)
	if asks(Plan) {
		if err := o.Checker.plan(ctx, m); err != nil {
			return err
		}
	}
	if asks(Dialogue) {
		return o.Checker.replay(ctx, m)
	}
	return nil
}

// fill adds the columns of steps, and the chain of thought where it is asked for.
func (m *Made) fill(cot bool) {
	told := m.Demo
	if !cot && told.CoT == "" {
		told.CoT = "-" // so that none is made
	}
	if err := annotate.Fill(&told); err != nil {
		f := Failure{Kind: CoT, Reason: "no rule tells the query", Detail: err.Error()}
		if !cot { // the query itself is told by nobody, so it is a step that cannot be read
			f.Kind, f.Reason = Steps, notRead
			m.Demo = Without(m.Demo, Steps)
		}
		m.Failures = append(m.Failures, f)
		return
	}
	if !cot {
		told.CoT, told.By.CoT = m.CoT, m.By.CoT
	}
	if len(told.Steps) > 0 {
		told.By.Columns = exemplar.Rule
	}
	m.Demo = told
}

// refused adds the failure of a rule.
func (m *Made) refused(kind string, err error) {
	switch r, ok := err.(*annotate.Refusal); {
	case err == nil:
	case ok:
		m.Failures = append(m.Failures, Failure{kind, string(r.Reason), r.Detail})
	default:
		m.Failures = append(m.Failures, Failure{kind, "no rule", err.Error()})
	}
}

// plan adds the query plan.
func (c *Checker) plan(ctx context.Context, m *Made) error {
	p, err := queryplan.Steps(ctx, c.Box, m.Database, m.SQL)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		m.Failures = append(m.Failures, Failure{Plan, "the query is not explained", err.Error()})
	default:
		m.Plan, m.By.Plan = p.Text(), exemplar.Rule
	}
	return nil
}

// Has reports whether a demonstration has an annotation of a kind.
func Has(d exemplar.Demo, kind string) bool {
	f, err := exemplar.FeatureOf(kind)
	return err == nil && f.Has(d)
}

// Without returns a demonstration without its annotation of a kind.
func Without(d exemplar.Demo, kind string) exemplar.Demo {
	switch kind {
	case Steps:
		d.Steps, d.Naturalness = nil, 0
		d.By = d.By.ByHand(Steps).ByHand("columns").ByHand("naturalness")
	case CoT:
		d.CoT = ""
	case Division:
		d.Division = nil
	case Plan:
		d.Plan = ""
	case Dialogue:
		d.Dialogue = nil
	}
	d.By = d.By.ByHand(kind)
	return d
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
