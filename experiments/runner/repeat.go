package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/prompting/draw"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
)

// Repeat is how often a model answered the same request differently. Temperature 0 promises nothing: batching and
// hardware change the last digits, and with them a word.
type Repeat struct {
	Arm     string
	Asked   int         // requests asked a second time
	Text    int         // answered with another text, or another tool call
	SQL     int         // answered with another SQL
	Failed  int         // no second completion came; not among Asked
	Example string      // the key of the first request that was answered differently
	Spent   cost.Charge // by these calls; it counts against the run's budget
}

// RepeatCheck asks some of a run's requests again, around the ledger: for each arm n of its completions, drawn by the
// run's first seed, each of the model that gave it, be that the arm's own or its selector. Nothing of it is stored, and
// every call is paid for within the run's budget: what it took is added to what the run took. With an error come the
// arms checked before; the error is a [*cost.BudgetError] where the budget did not allow a call.
func RepeatCheck(ctx context.Context, p *plan.Plan, res Result, o Options, n int) ([]Repeat, error) {
	o = o.withModel()
	l, err := o.Store.Ledger()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	run, err := record.Read(res.Dir, catalog.Known)
	if err != nil {
		return nil, err
	}
	c := &checker{plan: p, opts: o, ledger: l, run: run, models: map[string]llm.Model{}}
	if c.purse, err = newPurse(ctx, p, res.Dir, l); err != nil {
		return nil, err
	}
	c.purse.again = true
	var out []Repeat
	for _, arm := range p.Experiment.Arms {
		r, err := c.arm(ctx, arm.Name, n)
		if r.Asked+r.Failed > 0 || err == nil {
			out = append(out, r)
		}
		if err != nil {
			return out, errors.Join(fmt.Errorf("runner: repeat check of arm %q: %w", arm.Name, err), c.purse.save())
		}
	}
	return out, c.purse.save()
}

// checker is a repeat check under way.
type checker struct {
	plan   *plan.Plan
	opts   Options
	ledger *ledger.Ledger
	run    *record.Run
	purse  *purse
	models map[string]llm.Model
}

func (c *checker) arm(ctx context.Context, name string, n int) (Repeat, error) {
	r := Repeat{Arm: name}
	before := c.purse.meter.Spent()
	err := c.again(ctx, &r, n)
	r.Spent = c.purse.meter.Spent().Minus(before)
	return r, err
}

func (c *checker) again(ctx context.Context, r *Repeat, n int) error {
	for _, call := range sampleCalls(c.plan, c.run, r.Arm, n) {
		e, ok, err := c.ledger.Entry(ctx, call.Key)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		m, model, err := c.model(ctx, call)
		if err != nil {
			return err
		}
		// Another address or name may have given what the ledger has of a named author; asked is who is the author here.
		if e.Request.Author, err = catalog.Author(m); err != nil {
			return err
		}
		again, err := model.Generate(ctx, e.Request)
		var f *llm.Failure
		if errors.As(err, &f) {
			r.Failed++
			continue
		}
		if err != nil {
			return err
		}
		r.count(e.Response, again, call.Key)
	}
	return nil
}

// model opens the model that a call was made of, once.
func (c *checker) model(ctx context.Context, call record.Call) (m configs.Model, _ llm.Model, err error) {
	arm, ok := armOf(c.plan, call)
	if !ok {
		return m, nil, fmt.Errorf("the run's call %s has no arm %q at %q in the plan", call.Key, call.Arm, call.Point)
	}
	m = cost.ModelOf(arm, call.Stage)
	key, err := clientOf(m)
	if err != nil {
		return m, nil, err
	}
	if got, ok := c.models[key]; ok {
		return m, got, nil
	}
	inner, err := c.opts.Model(ctx, m, c.plan.Experiment.Limits)
	if err != nil {
		return m, nil, err
	}
	c.models[key] = c.purse.wrap(inner, m)
	return m, c.models[key], nil
}

// armOf is the arm that made a call, the sweep applied.
func armOf(p *plan.Plan, call record.Call) (configs.Arm, bool) {
	for _, cell := range p.Cells {
		if record.CellOf(cell.Arm.Name, cell.Values()) == record.CellOf(call.Arm, call.Point) {
			return cell.Arm, true
		}
	}
	return configs.Arm{}, false
}

// sampleCalls draws n of the arm's calls, no two of one completion.
func sampleCalls(p *plan.Plan, run *record.Run, arm string, n int) []record.Call {
	calls := map[string]record.Call{}
	var keys []string
	for _, c := range run.Calls {
		if _, ok := calls[c.Key]; !ok && c.Arm == arm && c.Failure == "" {
			calls[c.Key] = c
			keys = append(keys, c.Key)
		}
	}
	slices.Sort(keys)
	rng := draw.Rand(p.Experiment.Seeds[0], "repeat check", arm)
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	out := make([]record.Call, min(n, len(keys)))
	for i := range out {
		out[i] = calls[keys[i]]
	}
	return out
}

func (r *Repeat) count(first, again llm.Response, key string) {
	r.Asked++
	if first.Text == again.Text && sameCalls(first.ToolCalls, again.ToolCalls) {
		return
	}
	r.Text++
	if r.Example == "" {
		r.Example = key
	}
	if extract.SQL(first.Text, extract.Options{}).SQL != extract.SQL(again.Text, extract.Options{}).SQL {
		r.SQL++
	}
}

// sameCalls compares what was called; the ids are new each time.
func sameCalls(a, b []llm.ToolCall) bool {
	return slices.EqualFunc(a, b, func(x, y llm.ToolCall) bool { return x.Name == y.Name && x.Arguments == y.Arguments })
}
