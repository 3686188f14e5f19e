package wire

import (
	"fmt"
	"slices"

	"assay/prompting/llm"
)

// Thoughts notes whether models reason as requests say, as far as their answers show it. It is safe for concurrent use, and
// its zero value is empty.
type Thoughts struct {
	silent Set // warnings about models of which no reasoning was seen though it was asked for
	seen   Set // those of them that hold no longer
	told   Set // all other warnings
}

// Note takes the answers of one call. provider begins the warnings.
func (t *Thoughts) Note(provider string, r llm.Request, got []llm.Response) {
	if slices.ContainsFunc(got, func(g llm.Response) bool { return g.Reasoning != "" && g.Usage.ReasoningTokens == 0 }) {
		t.told.Add(fmt.Sprintf("%s: %q sends its reasoning and does not count it apart: its tokens are among those of the completion, and counts of reasoning lack them", provider, r.Model))
	}
	asked := r.Params.Reasoning
	if asked == "" {
		return
	}
	reasons, most := false, 0
	for _, g := range got {
		reasons = reasons || g.Reasoning != "" || g.Usage.ReasoningTokens > 0
		most = max(most, thoughtOf(g))
	}
	budget, isBudget := r.Params.Budget()
	none := asked == "none" || isBudget && budget == 0
	silent := fmt.Sprintf("%s: no answer of %q has or counts any reasoning, though reasoning %q was asked for: it may be ignored", provider, r.Model, asked)
	switch {
	case none && reasons:
		t.told.Add(fmt.Sprintf("%s: %q reasons, though reasoning %q was asked for: it is ignored", provider, r.Model, asked))
	case none:
	case reasons:
		t.seen.Add(silent)
		if isBudget && most > budget+budget/4+slack {
			t.told.Add(fmt.Sprintf("%s: %q reasoned for more than the %d tokens that it was given: the budget is not kept", provider, r.Model, budget))
		}
	default: // an answer may need no reasoning, so that only Warnings can say that none had any
		t.silent.Add(silent)
	}
}

// Warnings returns the warnings so far, each once.
func (t *Thoughts) Warnings() []string {
	return append(t.told.Sorted(), slices.DeleteFunc(t.silent.Sorted(), t.seen.Has)...)
}

// slack is how many tokens more than a budget, beside a quarter of it, show nothing: models end a sentence, and what is not
// counted apart is estimated.
const slack = 16

// thoughtOf returns the tokens of an answer's reasoning, by its share of the text where the server does not count them.
func thoughtOf(r llm.Response) int {
	if r.Usage.ReasoningTokens > 0 || r.Reasoning == "" {
		return r.Usage.ReasoningTokens
	}
	return r.Usage.CompletionTokens * len(r.Reasoning) / (len(r.Reasoning) + len(r.Text))
}
