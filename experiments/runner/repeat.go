package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/prompting/draw"
	"assay/prompting/extract"
	"assay/prompting/llm"
)

// Repeat is how often a model answered the same request differently. Temperature 0 promises nothing: batching and
// hardware change the last digits, and with them a word.
type Repeat struct {
	Arm     string
	Asked   int // requests asked a second time
	Text    int // answered with another text
	SQL     int // answered with another SQL
	Failed  int // no second completion came; not among Asked
	Example string
}

// RepeatCheck asks some of a run's requests again, around the ledger: for each arm n of its completions, drawn by the
// run's first seed. Nothing of it is stored, and every one is a call that is paid for.
func RepeatCheck(ctx context.Context, p *plan.Plan, res Result, o Options, n int) ([]Repeat, error) {
	if o.Model == nil {
		o.Model = catalog.Model
	}
	l, err := o.Store.Ledger()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	run, err := record.Read(res.Dir)
	if err != nil {
		return nil, err
	}
	var out []Repeat
	for _, arm := range p.Experiment.Arms {
		model, err := o.Model(ctx, arm.Model, p.Experiment.Limits)
		if err != nil {
			return nil, fmt.Errorf("runner: repeat check of arm %q: %w", arm.Name, err)
		}
		r := Repeat{Arm: arm.Name}
		for _, key := range sampleKeys(p, run, arm, n) {
			e, ok, err := l.Entry(ctx, key)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			again, err := model.Generate(ctx, e.Request)
			var f *llm.Failure
			if errors.As(err, &f) {
				r.Failed++
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("runner: repeat check of arm %q: %w", arm.Name, err)
			}
			r.count(e.Response.Text, again.Text, key)
		}
		out = append(out, r)
	}
	return out, nil
}

// sampleKeys draws n of the arm's completions.
func sampleKeys(p *plan.Plan, run *record.Run, arm configs.Arm, n int) []string {
	var keys []string
	for _, c := range run.Calls {
		if c.Arm == arm.Name && c.Failure == "" {
			keys = append(keys, c.Key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	rng := draw.Rand(p.Experiment.Seeds[0], "repeat check", arm.Name)
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys[:min(n, len(keys))]
}

func (r *Repeat) count(first, again, key string) {
	r.Asked++
	if first == again {
		return
	}
	r.Text++
	if r.Example == "" {
		r.Example = key
	}
	if extract.SQL(first, extract.Options{}).SQL != extract.SQL(again, extract.Options{}).SQL {
		r.SQL++
	}
}
