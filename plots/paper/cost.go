package paper

import (
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/table"
)

func whyNoCost(v *view) string {
	if len(v.run.Calls) == 0 {
		return "it has no calls"
	}
	return ""
}

// costs reports whether an arm's model is one that is paid for.
func costs(v *view) bool {
	return slices.ContainsFunc(v.rows, func(r row) bool {
		return slices.ContainsFunc(cost.ModelsOf(r.arm), func(m configs.Model) bool { return m.Provider != "baseline" })
	})
}

// bill is what the calls of a stage, or of an arm, took.
type bill struct {
	stage              string
	calls              int
	prompt, completion int64
	usd                float64
	unpriced           bool // the price of a call is not known
}

func (b *bill) add(c record.Call, p cost.Price, known bool) {
	b.unpriced = b.unpriced || !known
	b.calls++
	b.prompt += int64(c.PromptTokens)
	b.completion += int64(c.CompletionTokens)
	b.usd += p.USD(int64(c.PromptTokens), int64(c.CompletionTokens))
}

// bills adds up a row's calls by stage, in the order in which stages first occur, and all of them together. A call is
// priced as the model that its stage asks.
func bills(v *view, r row, prices cost.Prices) (stages []bill, all bill) {
	for _, c := range v.run.Calls {
		if c.Arm != r.arm.Name || !slices.Equal(c.Point, r.point) {
			continue
		}
		stage := cost.StageOf(c.Stage)
		i := slices.IndexFunc(stages, func(b bill) bool { return b.stage == stage })
		if i < 0 {
			i = len(stages)
			stages = append(stages, bill{stage: stage})
		}
		p, known := prices.Find(cost.ModelOf(r.arm, stage))
		stages[i].add(c, p, known)
		all.add(c, p, known)
	}
	return stages, all
}

// usdDecimals are enough for single calls of cheap models.
const usdDecimals = 4

func dollars(usd float64, priced bool) table.Cell {
	if !priced {
		return table.Text("unknown")
	}
	return table.Measured(table.Number{Value: usd, Decimals: usdDecimals})
}

// worth is correct answers a dollar; blank where nothing was paid, or nobody knows what.
func worth(r row, usd float64, priced bool) table.Cell {
	if !priced || usd <= 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: count(metrics.Correct)(r).Num.Value / usd, Decimals: 1})
}

// costShort are the names of its columns where room is scarce.
var costShort = map[string]string{"prompt tokens": "prompt", "completion tokens": "completion", "correct a USD": "a USD"}

// costTable has a row an arm, sweep point and stage, and one for all stages of an arm that has several.
func costTable(v *view) (Output, error) {
	prices, err := cost.LoadPrices(v.run.Resolved.Budget.Prices)
	notes := []string{}
	if err != nil {
		notes = append(notes, fmt.Sprintf("Warning: %v; the shipped prices stand in.", err))
		if prices, err = cost.LoadPrices(""); err != nil {
			return Output{}, err
		}
	}
	t := &table.Table{ID: "cost", Title: "Tokens and money by arm and stage: " + v.run.Manifest.Experiment,
		Columns: []table.Column{{Name: "arm", Key: true}}}
	for _, a := range v.run.Manifest.Axes {
		t.Columns = append(t.Columns, table.Column{Name: a, Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "stage", Key: true})
	for _, name := range []string{"calls", "prompt tokens", "completion tokens", "USD", "answers", "correct", "correct a USD"} {
		t.Columns = append(t.Columns, table.Column{Name: name, Short: costShort[name], Align: table.Right})
	}
	for _, r := range v.rows {
		stages, all := bills(v, r, prices)
		for _, b := range stages {
			if len(stages) > 1 {
				t.Rows = append(t.Rows, append(v.billed(r, b), table.Cell{}, table.Cell{}, table.Cell{}))
			}
		}
		all.stage = "all"
		if len(stages) == 1 {
			all.stage = stages[0].stage
		}
		t.Rows = append(t.Rows, append(v.billed(r, all), answers(r), count(metrics.Correct)(r), worth(r, all.usd, !all.unpriced)))
		for _, m := range cost.ModelsOf(r.arm) {
			notes = append(notes, priceNote(m, prices))
		}
	}
	t.MarkBest(len(t.Columns) - 1)
	t.Notes = v.notes(append(costNotes(v), unique(notes)...)...)
	return Output{Table: t}, nil
}

func costNotes(v *view) []string {
	return []string{"Every answer's calls are counted in full, those too that the ledger answered or that several answers share: it is what the answers take, not what this run paid.",
		"Tokens are those that the providers counted. Correct are the answers with that status under " + v.ids[0] + "; a blank says that nothing was paid, or that the price is not known."}
}

// billed is the cells of a bill, up to its money.
func (v *view) billed(r row, b bill) []table.Cell {
	cells := []table.Cell{table.Text(r.label)}
	for _, p := range r.point {
		cells = append(cells, table.Text(p))
	}
	return append(cells, table.Text(b.stage), table.Count(b.calls), table.Count(int(b.prompt)), table.Count(int(b.completion)), dollars(b.usd, !b.unpriced))
}

func priceNote(m configs.Model, prices cost.Prices) string {
	name := cost.ModelName(m)
	p, ok := prices.Find(m)
	switch {
	case m.Provider == "baseline":
		return "Price of baseline: none, it runs here and is no language model; its tokens are estimated."
	case !ok:
		return fmt.Sprintf("Price of %s: unknown.", name)
	}
	return fmt.Sprintf("Price of %s, USD a million tokens: %s.", name, p)
}

// unique keeps the first of equal texts.
func unique(texts []string) (out []string) {
	for _, s := range texts {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
