package paper

import (
	"assay/experiments/cost"
	"assay/experiments/record"
)

// vectorNote says how the vectors of texts count.
const vectorNote = "Stage embed: each text whose vector an arm uses counts once, as the ledger keeps it; it is in no answer's tokens and is no call."

// vectorBill adds up the texts whose vectors a row used; ok is false where it used none of a provider's.
func (v *view) vectorBill(r row, prices cost.Prices) (b bill, ok bool) {
	b = bill{cost.EmbedStage, nothing()}
	m := cost.ModelOf(r.Config, cost.EmbedStage)
	none, series := record.CountOf(0), cost.Series{Prices: prices}
	for _, x := range v.run.Vectors {
		if record.CellOf(x.Arm, x.Point) == r.Cell && x.Failure == "" {
			ok = true
			b.add(spend{calls: none, prompt: x.PromptTokens, completion: none, cached: none, reasoning: none,
				usd: series.Of(m, record.Call{PromptTokens: x.PromptTokens, CompletionTokens: none})})
		}
	}
	return b, ok
}
