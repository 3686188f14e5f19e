package plan

import "assay/experiments/cost"

// read returns what the provider's cache has of a prompt to ask, and adds the prompt to it. A prompt that is free is part of a
// call that paid for it.
func (r rates) read(x call, by sender, free bool) tokens {
	if r.sent == nil || free {
		return tokens{}
	}
	return r.sent.read(x, by)
}

// written returns how much of a prompt the provider writes to its cache, which has so many tokens of it. Where writing has no
// price of its own that is nothing.
func (r rates) written(x call, has int64) int64 {
	if n := len(x.beginnings); n > 0 && r.price.CacheWrite != nil {
		return x.beginnings[n-1].Tokens - has
	}
	return 0
}

// prompt returns the dollars of a prompt of which the cache has so many tokens.
func (r rates) prompt(x call, has int64) float64 {
	return r.price.USD(cost.Usage{Prompt: x.prompt, Cached: has, Written: r.written(x, has)})
}

// caches adds, so many times, what the provider's cache gives to a call.
func (a *amount) caches(r rates, x call, free bool, has tokens, times float64) {
	if free {
		return
	}
	a.best, a.cold = a.best+times*float64(has.best), a.cold+times*float64(has.cold)
	a.bestUSD, a.coldUSD = a.bestUSD+times*r.prompt(x, has.best), a.coldUSD+times*r.prompt(x, has.cold)
}

// waiting is a call of the sample whose share in the cache is counted once all of the sample are known.
type waiting struct {
	line     *line
	call     call
	by       sender
	question int
}

// later notes a call of the sample, see sampled.
func (t *tally) later(l *line, x call, by sender, question int, free bool) {
	if free {
		return
	}
	t.waiting = append(t.waiting, waiting{l, x, by, question})
	if s := l.rates.sent; s != nil {
		s.twin(x, question)
	}
}

// sampled counts what the provider's cache gives to the calls of the sample, which stand for scale times as many. Of these the
// first to send a beginning do not find it, and the others do: how many are first does not grow with the number of questions.
// So each finds what it shares with another question's call of the sample, and what the first miss is subtracted once; in the
// cold case once for each question that is under way with the first.
func (t *tally) sampled(scale float64) {
	each := t.seeds * len(t.cells)
	for _, w := range t.waiting {
		r := w.line.rates
		has := r.read(w.call, w.by, false)
		all := has
		together := 1.0
		if s := r.sent; s != nil {
			shared := s.shared(w.call, w.question)
			all = tokens{max(has.best, shared), max(has.cold, shared)}
			together = min(scale, float64((s.apart+each-1)/each))
		}
		w.line.rest.caches(r, w.call, false, all, 1)
		miss := &w.line.once
		miss.best += float64(has.best - all.best)
		miss.cold += float64(has.cold-all.cold) * together
		miss.bestUSD += r.prompt(w.call, has.best) - r.prompt(w.call, all.best)
		miss.coldUSD += (r.prompt(w.call, has.cold) - r.prompt(w.call, all.cold)) * together
	}
}
