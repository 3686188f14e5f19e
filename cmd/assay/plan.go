package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/cost"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/plots/table"
	"assay/prompting/llm"

	"github.com/spf13/cobra"
)

// budget holds the flags that limit spending.
type budget struct {
	usd    float64
	tokens int64
	prices string
	cmd    *cobra.Command
}

func (b *budget) register(c *cobra.Command) {
	b.cmd = c
	f := c.Flags()
	f.Float64Var(&b.usd, "budget", 0, "US dollars the run may spend in all; at the limit it stops with everything kept")
	f.Int64Var(&b.tokens, "token-budget", 0, "prompt and completion tokens the run may spend in all")
	f.StringVar(&b.prices, "prices", "", "`FILE` of prices that take precedence over the shipped ones")
}

// apply turns the given flags into settings of the experiment. They come before those of --set, so that --set wins.
func (b *budget) apply(o *overrides) error {
	given := b.cmd.Flags().Changed
	if given("budget") && !(b.usd > 0) || given("token-budget") && b.tokens <= 0 {
		return usageError{errors.New("a budget is above 0 (--offline makes no call at all)")}
	}
	var set []string
	if given("budget") {
		set = append(set, "budget.usd="+strconv.FormatFloat(b.usd, 'f', -1, 64))
	}
	if given("token-budget") {
		set = append(set, fmt.Sprintf("budget.tokens=%d", b.tokens))
	}
	if given("prices") {
		set = append(set, "budget.prices="+b.prices)
	}
	o.set = append(set, o.set...)
	return nil
}

func (a *app) planCmd() *cobra.Command {
	var o overrides
	var b budget
	var count bool
	var output int
	c := &cobra.Command{
		Use:   "plan EXPERIMENT",
		Short: "Forecast calls, tokens and cost of a run by arm and stage, before any call",
		Long: `Run an experiment's methods over what the ledger holds, and forecast the calls, tokens and cost of a run. Calls that
are certain are counted; those that depend on answers not yet given are an estimate, counted on some of the questions with the
baseline answering in the model's place, and marked "~". What is likely is priced three ways: live, live with the provider's
prompt cache, for which the beginnings that requests share are counted, and in batches. No model is called; --count asks providers
for token counts, which are free of charge.`,
		Example: "  assay plan quickstart\n  assay plan my.toml --set model.name=gpt-4o-mini --budget 5\n  assay plan my.toml --prices my-prices.toml",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := b.apply(&o); err != nil {
				return err
			}
			e, err := o.load(given[0])
			if err != nil {
				return err
			}
			return a.planExperiment(cmd.Context(), e, output, count)
		},
	}
	o.register(c)
	b.register(c)
	a.allows(c)
	c.Flags().BoolVar(&count, "count", false, "let the provider count the prompts' tokens where it can (needs its key)")
	c.Flags().IntVar(&output, "output-tokens", plan.DefaultOutput, "longest completion assumed where model.max_tokens is not set")
	return c
}

// planExperiment forecasts an experiment and prints the forecast. output is the longest completion assumed, in tokens,
// where model.max_tokens is not set; count has the provider count the prompts.
func (a *app) planExperiment(ctx context.Context, e configs.Experiment, output int, count bool) error {
	prices, err := cost.LoadPrices(e.Budget.Prices)
	if err != nil {
		return err
	}
	if output < 1 {
		return usageError{errors.New("--output-tokens is at least 1")}
	}
	p, err := plan.Make(ctx, e, a.planned())
	if err != nil {
		return err
	}
	defer p.Close()
	for _, w := range p.Manifest.Warnings {
		a.note("warning: %s", w)
	}
	o := plan.ForecastOptions{Prices: prices, Output: output, Progress: a.slowly(time.Now())}
	if a.store().HasLedger() {
		l, err := a.store().Ledger()
		if err != nil {
			return err
		}
		defer l.Close()
		o.Held = l.Get
		if o.Lengths, err = a.lengths(); err != nil {
			return err
		}
	}
	if count {
		o.Count = func(ctx context.Context, m configs.Model) (llm.Model, bool, error) {
			return catalog.Counting(ctx, m, e.Limits)
		}
	}
	f, err := p.Forecast(ctx, o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, budgetNotes(e.Budget, f.Total)...)
	if a.json {
		return json.NewEncoder(a.out).Encode(f)
	}
	return a.text(planTable(p, f))
}

// lengths returns the lengths of the completions in the store's runs, in tokens, on which likely lengths are based. A run
// that cannot be read is skipped with a warning, because the plan is right without it.
func (a *app) lengths() (plan.Lengths, error) {
	infos, err := a.store().List()
	if err != nil {
		return nil, err
	}
	out := plan.Lengths{}
	seen := map[string]bool{} // runs share calls, and a call counts once
	for _, info := range infos {
		run, err := record.ReadCalls(info.Dir, catalog.Known)
		if err != nil {
			a.note("warning: the lengths of %s's completions are not used: %v", info.Name, err)
			continue
		}
		arms := map[string]configs.Arm{}
		for _, arm := range run.Resolved.Arms {
			arms[arm.Name] = arm
		}
		for _, c := range run.Calls {
			if arm, ok := arms[c.Arm]; ok && c.Failure == "" && c.CompletionTokens.OK && !seen[c.Key] {
				seen[c.Key] = true
				out.Add(plan.LengthOf(arm, c.Stage), int64(c.CompletionTokens.N))
			}
		}
	}
	return out, nil
}

// slowly returns a callback that reports the progress of a forecast every five seconds; a short one stays silent.
func (a *app) slowly(start time.Time) func(done, total int) {
	last := start
	return func(done, total int) {
		if time.Since(last) >= 5*time.Second {
			last = time.Now()
			a.note("%d of %d answers counted", done, total)
		}
	}
}

// budgetNotes says of each budget that is set whether the forecast stays within it.
func budgetNotes(b configs.Budget, t cost.Line) (out []string) {
	say := func(what, budget string, certain, likely, most, limit float64) {
		switch {
		case limit == 0:
		case certain > limit:
			out = append(out, fmt.Sprintf("The %s budget of %s does not suffice: the run will stop at it.", what, budget))
		case max(likely, most) > limit:
			out = append(out, fmt.Sprintf("The %s budget of %s may not suffice: the run would stop at it.", what, budget))
		default:
			out = append(out, fmt.Sprintf("The %s budget of %s suffices for these calls.", what, budget))
		}
	}
	if b.USD > 0 && t.Unknown {
		out = append(out, "The USD budget cannot be held: a price is unknown, so that the run will not start.")
	} else {
		say("USD", cost.Dollars(b.USD), t.Certain.USD, t.Likely.USD, t.Most.USD, b.USD)
	}
	tokens := func(b cost.Bill) float64 { return float64(b.Prompt + b.Output) }
	say("token", fmt.Sprint(b.Tokens), tokens(t.Certain), tokens(t.Likely), tokens(t.Most), float64(b.Tokens))
	return out
}

// planTable has one row per arm, sweep point and stage, and a last one for the total.
func planTable(p *plan.Plan, f *plan.Forecast) *table.Table {
	t := &table.Table{ID: "plan", Title: "Forecast of the run: " + p.Experiment.Name, Notes: f.Notes}
	t.Columns = []table.Column{{Name: "arm", Key: true}}
	for _, a := range p.Manifest.Axes {
		t.Columns = append(t.Columns, table.Column{Name: a, Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "stage", Key: true})
	extra := []string{"items", "in ledger", "output by", "output at most", "with prompt caching", "in batches"} // the notes have their prices
	for _, name := range []string{"items", "calls", "in ledger", "to ask", "prompt tokens", "likely output", "output by", "output at most", "likely USD",
		"with prompt caching", "in batches", "USD at most"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Align: table.Right, Extra: slices.Contains(extra, name)})
	}
	for _, l := range f.Lines {
		t.Rows = append(t.Rows, planRow(l, l.Label, l.Point, l.Stage, strconv.Itoa(l.Items)))
	}
	t.Rows = append(t.Rows, planRow(f.Total, "total", make([]string, len(p.Manifest.Axes)), "", ""))
	return t
}

// planRow prints one line of a forecast. "~" marks what is not certain: numbers that depend on completions not known yet, and
// tokens that are not counted by the model's tokenizer.
func planRow(l cost.Line, name string, point []string, stage, items string) []table.Cell {
	about := func(n int64, certain bool) string {
		if certain || n == 0 {
			return strconv.FormatInt(n, 10)
		}
		return "~" + strconv.FormatInt(n, 10)
	}
	sure := l.Estimated == 0
	texts := append([]string{name}, point...)
	texts = append(texts, stage, items, about(l.Calls, sure), about(l.Ledger, sure), about(l.Likely.Ask, sure), about(l.Likely.Prompt, sure && l.Exact),
		about(l.Likely.Output, sure), l.Source, about(l.Most.Output, sure), cost.Money(l.Likely.USD, l.Unknown),
		l.Cached.Range(l.Cold), l.Batch.String(), cost.Money(l.Most.USD, l.Unknown))
	cells := make([]table.Cell, len(texts))
	for i, s := range texts {
		cells[i] = table.Text(s)
	}
	return cells
}
