package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/table"
)

func whyNoCost(v *view) string {
	imported := func(r row) bool { return r.Config.Row.Imported }
	switch {
	case len(v.run.Calls) > 0:
		return ""
	case slices.ContainsFunc(v.rows, imported):
		return "what its answers took is not known"
	}
	return "it has no calls"
}

// costs reports whether the model of some arm is a paid one.
func costs(v *view) bool {
	return slices.ContainsFunc(v.rows, func(r row) bool {
		return slices.ContainsFunc(cost.ModelsOf(r.Config), func(m configs.Model) bool { return !m.Local })
	})
}

// bill adds up the calls of a stage, or of an arm.
type bill struct {
	stage string
	spend
}

// spendOfCall is what one call took.
func spendOfCall(c record.Call, usd record.Value) spend {
	return spend{calls: c.Count(), prompt: c.PromptTokens, completion: c.CompletionTokens, cached: c.CachedTokens, reasoning: c.ReasoningTokens, usd: usd}
}

// split are the parts of prompt and completion tokens that a provider may count apart.
type split struct {
	name string
	of   func(spend) record.Count
}

var splits = []split{
	{"cached tokens", func(s spend) record.Count { return s.cached }},
	{"reasoning tokens", func(s spend) record.Count { return s.reasoning }},
}

// splits lists the parts that some call of the rows has, since a column of zeros would say nothing of most models.
func (v *view) splits() (out []split) {
	for _, x := range splits {
		if slices.ContainsFunc(v.rows, func(r row) bool { return x.in(r) }) {
			out = append(out, x)
		}
	}
	return out
}

// in reports whether some call of the row has the part.
func (x split) in(r row) bool {
	return slices.ContainsFunc(r.Answers, func(a *record.Answer) bool {
		return slices.ContainsFunc(a.Calls, func(c record.Call) bool { return x.of(spendOfCall(c, record.Value{})).N > 0 })
	})
}

// bills adds up a row's calls by stage, in the order in which stages first occur, and all of them together. A call is
// priced as the model that its stage asks.
func bills(r row, prices cost.Prices) (stages []bill, all bill) {
	series := cost.Series{Prices: prices}
	for _, a := range r.Answers {
		for _, c := range a.Calls {
			stage := cost.StageOf(c.Stage)
			i := slices.IndexFunc(stages, func(b bill) bool { return b.stage == stage })
			if i < 0 {
				i = len(stages)
				stages = append(stages, bill{stage, nothing()})
			}
			stages[i].add(spendOfCall(c, series.Of(cost.ModelOf(r.Config, stage), c)))
		}
	}
	all = bill{"all", nothing()}
	for _, s := range usageOf(r, prices) {
		all.add(s)
	}
	return stages, all
}

// usdDecimals show a single call of a cheap model as more than zero.
const usdDecimals = 4

func dollars(usd record.Value) table.Cell {
	if !usd.OK {
		return unknown()
	}
	return table.Measured(table.Number{Value: usd.V, Decimals: usdDecimals})
}

func counted(c record.Count) table.Cell {
	if !c.OK {
		return unknown()
	}
	return table.Count(c.N)
}

// worth is the number of correct answers per dollar; blank where nothing was paid.
func worth(r row, usd record.Value) table.Cell {
	switch {
	case !usd.OK:
		return unknown()
	case usd.V <= 0:
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: float64(withStatus(r.items, metrics.Correct)) / usd.V, Decimals: 1})
}

// costShort are the column names of narrow tables.
var costShort = map[string]string{"prompt tokens": "prompt", "completion tokens": "compl.", "cached tokens": "cached", "reasoning tokens": "reasoning",
	"correct per USD": "correct/USD"}

// prices returns the prices of the run, with a note where these are not those that the experiment names.
func (v *view) prices() (prices cost.Prices, notes []string, err error) {
	prices, warning, err := cost.PricesOf(v.run)
	if warning != nil {
		notes = append(notes, fmt.Sprintf("Warning: %v; the shipped prices are used instead.", warning))
	}
	return prices, notes, err
}

// costTable has one row per arm, sweep point and stage, and one for all stages of an arm that has several.
func costTable(v *view) (Output, error) {
	prices, notes, err := v.prices()
	if err != nil {
		return Output{}, err
	}
	columns := []table.Column{{Name: "stage", Key: true}}
	apart, names := v.splits(), []string{"calls", "prompt tokens", "completion tokens"}
	for _, x := range apart {
		names = append(names, x.name)
	}
	for _, name := range append(names, "USD", "answers", "correct", "correct per USD") {
		columns = append(columns, table.Column{Name: name, Short: costShort[name], Align: table.Right})
	}
	t := v.lines("cost", "Tokens and money by arm and stage", columns, func(_ int, r row) (rows [][]table.Cell) {
		stages, all := bills(r, prices)
		if b, ok := v.vectorBill(r, prices); ok {
			stages = append([]bill{b}, stages...)
			all.add(b.spend)
			notes = append(notes, vectorNote)
		}
		for _, b := range stages {
			if len(stages) > 1 {
				rows = append(rows, append(b.cells(apart), table.Cell{}, table.Cell{}, table.Cell{}))
			}
		}
		if len(stages) == 1 {
			all.stage = stages[0].stage
		}
		notes = append(notes, priceNotes(r, prices)...)
		return append(rows, append(all.cells(apart), table.Count(len(r.items)), table.Count(withStatus(r.items, metrics.Correct)), worth(r, all.usd)))
	})
	v.markBest(t, len(t.Columns)-1)
	t.Notes = v.notes(append(append(costNotes(v), splitNotes(apart)...), unique(notes)...)...)
	return Output{Table: t}, nil
}

func costNotes(v *view) []string {
	return []string{"Every answer's calls are counted in full, also those that the ledger answered and those that several answers share: it is what the answers take, not what this run paid.",
		"Tokens are as the providers counted them. Correct: the answers with that status under " + v.ids[0] + "; blank: nothing was paid."}
}

// splitNotes says what the columns of parts are part of; none where there are none.
func splitNotes(apart []split) []string {
	if len(apart) == 0 {
		return nil
	}
	return []string{"Cached tokens are those of the prompts that the provider read from its own cache; reasoning tokens those of the completions that came before the answer. Both are in the other columns too, and are 0 where a provider does not count them."}
}

// cells returns the bill's stage, counts and money.
func (b bill) cells(apart []split) []table.Cell {
	out := []table.Cell{table.Text(b.stage), counted(b.calls), counted(b.prompt), counted(b.completion)}
	for _, x := range apart {
		out = append(out, counted(x.of(b.spend)))
	}
	return append(out, dollars(b.usd))
}

// priceNotes names the prices behind a row's money.
func priceNotes(r row, prices cost.Prices) (notes []string) {
	if r.Config.Row.Imported {
		return []string{"Of imported answers, calls are unknown, and tokens and money are what their file says."}
	}
	for _, m := range cost.ModelsOf(r.Config) {
		notes = append(notes, priceNote(m, prices))
	}
	return append(notes, discountNotes(r)...)
}

// discountNotes says which of a row's calls had another price than the others: those of batches, and those of which the
// provider's prompt cache gave a part.
func discountNotes(r row) (notes []string) {
	name := strings.Join(append([]string{r.label}, r.Point...), " ")
	calls, batch, cached, tokens := 0, 0, 0, 0
	for _, a := range r.Answers {
		for _, c := range a.Calls {
			calls++
			if cost.CallUsage(c).Batch {
				batch++
			}
			if c.CachedTokens.N > 0 {
				cached, tokens = cached+1, tokens+c.CachedTokens.N
			}
		}
	}
	if batch > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d calls were answered in batches, at their price.", name, batch, calls))
	}
	if cached > 0 {
		notes = append(notes, fmt.Sprintf("%s: the provider's prompt cache gave %d prompt tokens of %d of %d calls, at their price.", name, tokens, cached, calls))
	}
	return notes
}

func priceNote(m configs.Model, prices cost.Prices) string {
	name := cost.ModelName(m)
	p, ok := prices.Find(m)
	switch {
	case m.Local:
		return "Price of baseline: none, it runs here and is no language model; its tokens are estimated."
	case !ok:
		return fmt.Sprintf("Price of %s: unknown.", name)
	}
	return fmt.Sprintf("Price of %s, USD per million tokens: %s.", name, p)
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
