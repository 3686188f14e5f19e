package plan

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
)

// paid reports whether a model of a cell is a provider's.
func (c cell) paid() bool {
	return slices.ContainsFunc(cost.ModelsOf(c.Arm), func(m configs.Model) bool { return !m.Local })
}

// answering returns the models whose completions an arm may ask for, those of vectors left out.
func answering(arm configs.Arm) []configs.Model {
	arm.Embeddings = configs.Embeddings{}
	return cost.ModelsOf(arm)
}

// wayNotes says what the calls likely cost in each of the three ways, which is cheapest and why, and what the figures rest on.
func (f *forecaster) wayNotes(out *Forecast) (notes []string) {
	t := out.Total
	notes = append(notes, fmt.Sprintf("Three prices of what is likely, USD: live %s; live with prompt caching %s; in batches %s.",
		cost.Money(t.Likely.USD, t.Unknown), t.Cached.Range(t.Cold), t.Batch))
	if why := cheapest(t); why != "" {
		notes = append(notes, why)
	}
	for _, note := range []func(configs.Model, rates) string{cacheNote, batchNote} {
		for _, c := range f.cells {
			for _, m := range answering(c.Arm) {
				if s := note(m, c.all[modelKey(m)]); s != "" && !slices.Contains(notes, s) {
					notes = append(notes, s)
				}
			}
		}
	}
	if slices.ContainsFunc(f.cells, func(c cell) bool { return c.Arm.Embeddings.On() }) {
		notes = append(notes, "Vectors are asked for live whichever way the completions are.")
	}
	if t.Cached.Known {
		notes = append(notes, fmt.Sprintf("Prompt caching rests on: the requests in the order of the run, %d questions' answers under way together; the lower figure where the provider has every beginning that was sent before, the higher where it has none of requests under way together. No provider promises that it has one: without, the live price holds.",
			f.plan.Experiment.Limits.InFlight()))
	}
	if t.Batch.Known {
		notes = append(notes, "Batches rest on: no cached prompt tokens, as batches have been seen with none, and no samples that share a prompt. "+roundNote(out.Rounds))
	}
	return notes
}

// cheapest says which of the three ways is likely the cheapest, and why; empty where their prices are not all known.
func cheapest(t cost.Line) string {
	if t.Unknown || !t.Cached.Known || !t.Batch.Known {
		return ""
	}
	share := func(w cost.Way) string {
		return fmt.Sprintf("%.0f %% of the prompt tokens", 100*float64(w.Tokens)/float64(max(t.Likely.Prompt, 1)))
	}
	live := min(t.Likely.USD, t.Cold.USD)
	switch {
	case t.Batch.USD >= t.Likely.USD && t.Likely.USD <= t.Cached.USD:
		return "Cheapest: live. A batch pays for the prompt of every sample, which outweighs its discount, and no beginnings are shared that a cache would hold."
	case t.Batch.USD < t.Cached.USD:
		return fmt.Sprintf("Cheapest: in batches. Even a perfect cache gives no more than %s, and its discount is on these alone.", share(t.Cached))
	case t.Batch.USD > live:
		return fmt.Sprintf("Cheapest: live with prompt caching. The cache gives %s at least, in all likelihood, and none in batches.", share(t.Cold))
	}
	return fmt.Sprintf("Cheapest: it depends on the cache. Batches cost less than a cold one, which gives %s, and more than a perfect one, which gives %s.", share(t.Cold), share(t.Cached))
}

// cacheNote says which beginnings of prompts a model's provider caches.
func cacheNote(m configs.Model, r rates) string {
	name := cost.ModelName(m)
	switch {
	case m.Local || !r.priced:
		return ""
	case r.sent == nil:
		return fmt.Sprintf("Prompt cache of %s: the price list says nothing of it; --prices FILE can.", name)
	case r.sent.rule.Whole:
		return fmt.Sprintf("Prompt cache of %s: only where model.extra.cache_control asks for it, whole prompts of %d tokens or more, found by requests that go on with further messages%s.", name, r.sent.rule.Least, kept(r))
	case r.sent.rule.Step == 0:
		return fmt.Sprintf("Prompt cache of %s: beginnings of %d tokens or more, counted in steps of %d as the provider states none%s.", name, r.sent.rule.Least, cost.Grain, kept(r))
	}
	return fmt.Sprintf("Prompt cache of %s: beginnings of %d tokens or more, in steps of %d%s.", name, r.sent.rule.Least, r.sent.rule.Step, kept(r))
}

// kept says how soon a beginning must be used again.
func kept(r rates) string {
	if r.price.CacheKept == 0 {
		return "; how long it is kept is not stated, and taken to be long enough"
	}
	return fmt.Sprintf("; taken to be used again within the %d minutes that it is kept", r.price.CacheKept)
}

// batchNote says what a model's batches cost.
func batchNote(m configs.Model, r rates) string {
	switch {
	case m.Local || !r.priced:
		return ""
	case r.price.Batch == nil:
		return fmt.Sprintf("Batches of %s: the price list has no price for them; --prices FILE can.", cost.ModelName(m))
	}
	written := ""
	if r.price.CacheMarked {
		written = ", also of what model.extra.cache_control has written to the cache"
	}
	return fmt.Sprintf("Batches of %s: %g of the live prices%s.", cost.ModelName(m), *r.price.Batch, written)
}

// roundNote says how often batches must be waited for.
func roundNote(all []Rounds) string {
	byRounds := map[int][]string{}
	var order []int
	for _, r := range all {
		if _, ok := byRounds[r.Rounds]; !ok {
			order = append(order, r.Rounds)
		}
		if !slices.Contains(byRounds[r.Rounds], r.Label) {
			byRounds[r.Rounds] = append(byRounds[r.Rounds], r.Label)
		}
	}
	slices.Sort(order)
	var parts []string
	for _, n := range order {
		more := ""
		if n == mostRounds {
			more = " or more"
		}
		parts = append(parts, fmt.Sprintf("%d%s (%s)", n, more, strings.Join(byRounds[n], ", ")))
	}
	if len(parts) == 0 {
		return "How many rounds they take was not counted."
	}
	return fmt.Sprintf("They take rounds, each of which is waited for, a day at most by the providers' documents: %s, on %d questions with the baseline answering.", strings.Join(parts, "; "), roundQuestions)
}
