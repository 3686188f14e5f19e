package plan

import (
	"context"
	"fmt"

	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

// Rounds says how often the calls of an arm must be waited for at one sweep point, where all that can be asked is asked in one
// batch: once more than calls depend on one another.
type Rounds struct {
	Arm    string   `json:"arm"`
	Label  string   `json:"label"`           // how tables print the arm
	Point  []string `json:"point,omitempty"` // one value per sweep axis
	Rounds int      `json:"rounds"`          // the most of the questions tried
	More   bool     `json:"more"`            // that was not all
}

// Bounds on counting rounds, which runs a method once for each: the questions under each cell, and the rounds of one.
const (
	roundQuestions = 3
	mostRounds     = 12
)

// rounds counts the rounds of every cell on a few of these questions, under the first seed, with the baseline answering.
func (f *forecaster) rounds(ctx context.Context, questions []int) (out []Rounds, err error) {
	for i, c := range f.cells {
		r := Rounds{Arm: c.Arm.Name, Label: c.Arm.Label, Point: c.Values()}
		for _, q := range spread(questions, roundQuestions) {
			if ex := f.plan.Set.Examples[q]; ex.Fault == "" {
				n, err := f.roundsOf(ctx, i, q)
				if err != nil {
					return nil, fmt.Errorf("rounds of arm %q: %w", c.Arm.Name, err)
				}
				r.Rounds, r.More = max(r.Rounds, n), r.More || n == mostRounds
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// roundsOf counts the rounds of one question under one cell: what is asked with the answers of all rounds before, until
// nothing more is asked.
func (f *forecaster) roundsOf(ctx context.Context, cell, question int) (n int, err error) {
	known, model := map[string]llm.Response{}, baseline.New()
	held := func(ctx context.Context, key string) (llm.Response, bool, error) {
		if r, ok := known[key]; ok || f.opts.Held == nil {
			return r, ok, nil
		}
		return f.opts.Held(ctx, key)
	}
	m := Rehearsal{f.methods[cell*len(f.plan.Experiment.Seeds)]}
	for ; n < mostRounds; n++ {
		a, err := m.run(ctx, f.plan.Set.Examples[question].Question, held, nil)
		if err != nil {
			return 0, err
		}
		asked := false
		for _, x := range a.calls {
			if x.held {
				continue
			}
			asked = true
			if known[x.key], err = model.Generate(ctx, x.request); err != nil {
				return 0, err
			}
		}
		if !asked {
			return n, nil
		}
	}
	return n, nil
}
