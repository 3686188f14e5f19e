package plan

import (
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/cost"
)

// notes returns the notes under a forecast: what its numbers are based on, each stated once.
func (f *forecaster) notes(lines []cost.Line) (out []string) {
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, note := range []func(configs.Model, rates) string{tokensNote, priceNote} {
		for i, c := range f.plan.Cells {
			for _, m := range cost.ModelsOf(c.Arm) {
				add(note(m, f.cells[i].all[modelKey(m)]))
			}
		}
	}
	for _, c := range f.plan.Cells {
		if c.Arm.Model.MaxTokens == 0 {
			add(fmt.Sprintf("Output: model.max_tokens is not set, so at most %d tokens per completion are assumed; a model that reasons before it answers may take more.", f.opts.Output))
		}
		if c.Arm.Model.Samples > 1 && !c.Arm.Model.Local {
			add("Samples of one prompt may share a call, which pays for the prompt once: the low end.")
		}
	}
	for _, l := range lines {
		if l.Why != "" {
			add(fmt.Sprintf("Stage %s: %s.", l.Stage, l.Why))
		}
		if l.Ask.Low != l.Ask.High {
			add("The low end of a range counts the prompts that are certain and no output; the high end counts every possible call, each completion at its greatest length.")
		}
	}
	return out
}

// tokensNote says how the tokens of a model are counted.
func tokensNote(m configs.Model, r rates) string {
	how := r.counter.How()
	if r.count != nil {
		how = "the provider's own count for known prompts, the rest by " + how
	}
	return fmt.Sprintf("Tokens of %s: %s.", cost.ModelName(m), how)
}

// priceNote says which price a model has.
func priceNote(m configs.Model, r rates) string {
	switch {
	case m.Local:
		return "Price of baseline: none, it runs here and is no language model."
	case !r.priced && m.BaseURL != "":
		return fmt.Sprintf("Price of %s: unknown, as the experiment gives it an address; --prices FILE can set it.", cost.ModelName(m))
	case !r.priced:
		return fmt.Sprintf("Price of %s: unknown; --prices FILE can set it.", cost.ModelName(m))
	}
	return fmt.Sprintf("Price of %s, USD per million tokens: %s.", cost.ModelName(m), r.price)
}
