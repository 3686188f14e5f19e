package plan

import (
	"fmt"
	"slices"

	"assay/configs"
	"assay/experiments/cost"
	"assay/prompting"
)

// notes returns the notes under a forecast: what its numbers are based on, each stated once. failed is why the baseline
// could not run in the model's place; nil where it could.
func (f *forecaster) notes(out *Forecast, failed error) (notes []string) {
	add := func(s string) {
		if s != "" && !slices.Contains(notes, s) {
			notes = append(notes, s)
		}
	}
	for _, note := range []func(configs.Model, rates) string{tokensNote, priceNote} {
		for _, c := range f.cells {
			for _, m := range cost.ModelsOf(c.Arm) {
				add(note(m, c.all[modelKey(m)]))
			}
		}
	}
	for _, c := range f.cells {
		if beside := prompting.Params(c.Arm.Model).Beside(); beside != "" && !c.Arm.Model.Local {
			add(fmt.Sprintf("Sent with the requests of arm %s: %s.", c.Arm.Name, beside))
		}
		add(outputNote(c, f.opts.Output))
		if c.Arm.Model.Samples > 1 && c.own.sharesPrompt() {
			add("Samples of one prompt may share a call, which pays for the prompt once; at most each pays for its own.")
		}
	}
	for _, a := range f.plan.ProgramArms() {
		if why := f.plan.Programs.Refusal(a); why != nil {
			add(fmt.Sprintf("The calls of arm %q are not known and not counted: %v.", a.Name, why))
		}
	}
	for _, s := range estimateNotes(out, failed) {
		add(s)
	}
	if out.Total.Likely.Ask > 0 && slices.ContainsFunc(f.cells, cell.paid) {
		return append(notes, f.wayNotes(out)...)
	}
	return notes
}

// outputNote says how long a completion may be where the experiment does not; and what its likely length lacks.
func outputNote(c cell, assumed int) string {
	m := c.Arm.Model
	if m.MaxTokens > 0 || m.Local {
		return ""
	}
	n := Longest(c.own.by, prompting.Params(m), assumed)
	if c.own.by.Answer > 0 {
		return fmt.Sprintf("Output: model.max_tokens is not set, and %s is told that a completion may have %d tokens.", cost.ModelName(m), n)
	}
	return fmt.Sprintf("Output: model.max_tokens is not set, so at most %d tokens per completion of %s are assumed; a model that reasons before it answers may take more.", n, cost.ModelName(m))
}

// estimateNotes says what is certain, what is estimated, and on what.
func estimateNotes(out *Forecast, failed error) (notes []string) {
	switch {
	case failed != nil:
		notes = append(notes, fmt.Sprintf("Only calls that are certain are counted, as the baseline cannot run in the model's place: %v.", failed))
	case out.Total.Estimated > 0:
		notes = append(notes, fmt.Sprintf("\"~\" before calls: those beyond the certain ones depend on completions that the ledger lacks, for %d of %d questions. They are an estimate, counted on %d of these with the baseline (rules, no language model) answering in the model's place, and scaled. A model that fails more often than the baseline takes more calls.",
			out.Open, out.Questions, out.Simulated))
	}
	if out.Total.Likely.Ask > 0 {
		notes = append(notes, "Likely output is an estimate: each completion has the mean length of those of the same model, method and stage in the ledger or, where it has none, of the baseline's, which does not reason: a model that does takes more.")
		notes = append(notes, "At most: every completion has its greatest length. It holds for the number of calls to ask, which is no bound where it is an estimate.")
	}
	return notes
}

// tokensNote says how the tokens of a model are counted.
func tokensNote(m configs.Model, r rates) string {
	how := r.counter.How()
	if r.count != nil {
		how = "the provider's own count for the prompts that are certain, the rest by " + how
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
