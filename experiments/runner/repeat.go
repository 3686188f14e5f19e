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

// Repeat counts how often a model answered the same request differently. Temperature 0 does not guarantee equal answers:
// batching and hardware change the last digits of a probability, and with them a word.
type Repeat struct {
	Arm     string
	Asked   int         // requests made a second time and answered
	Text    int         // answered with another text, or another tool call
	SQL     int         // answered with another SQL
	Failed  int         // requests without a second completion; not in Asked
	Example string      // the key of the first request that was answered differently
	Spent   cost.Charge // the cost of these calls, which counts against the run's budget
}

// RepeatCheck makes some of a run's requests again, bypassing the ledger, which would return the stored completion. It draws
// n completions per arm by the run's first seed, and asks each of the model that gave it, the arm's own or its selector. It
// stores no completion; the cost of its calls is added to the run's, within the run's budget. With an error it returns the
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
	if c.account, err = newAccount(ctx, p, res.Dir, l); err != nil {
		return nil, err
	}
	c.account.again = true
	var out []Repeat
	for _, arm := range p.Experiment.Arms {
		r, err := c.arm(ctx, arm.Name, n)
		if r.Asked+r.Failed > 0 || err == nil {
			out = append(out, r)
		}
		if err != nil {
			return out, errors.Join(fmt.Errorf("runner: repeat check of arm %q: %w", arm.Name, err), c.account.save())
		}
	}
	return out, c.account.save()
}

// checker is a repeat check under way.
type checker struct {
	plan    *plan.Plan
	opts    Options
	ledger  *ledger.Ledger
	run     *record.Run
	account *account
	models  map[string]llm.Model
}

// arm checks n completions of one arm.
func (c *checker) arm(ctx context.Context, name string, n int) (Repeat, error) {
	r := Repeat{Arm: name}
	before := c.account.meter.Spent()
	err := c.again(ctx, &r, n)
	r.Spent = c.account.meter.Spent().Minus(before)
	return r, err
}

// again makes the arm's requests again and counts the differences in r.
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
		// A named author may have had another address or model when the ledger stored the completion. The call goes to the
		// author as the experiment names it now.
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

// model returns the model that a call was made to, opened once.
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
	c.models[key] = c.account.wrap(inner, m)
	return m, c.models[key], nil
}

// armOf returns the arm that made a call, with the sweep applied.
func armOf(p *plan.Plan, call record.Call) (configs.Arm, bool) {
	for _, cell := range p.Cells {
		if record.CellOf(cell.Arm.Name, cell.Values()) == record.CellOf(call.Arm, call.Point) {
			return cell.Arm, true
		}
	}
	return configs.Arm{}, false
}

// sampleCalls draws n of the arm's calls, no two of the same completion. It sorts the keys first, as the draw must not depend
// on the order of the rows.
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

// count compares two completions of one request.
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

// sameCalls compares tools and arguments, but not ids, which providers make anew for each completion.
func sameCalls(a, b []llm.ToolCall) bool {
	return slices.EqualFunc(a, b, func(x, y llm.ToolCall) bool { return x.Name == y.Name && x.Arguments == y.Arguments })
}
