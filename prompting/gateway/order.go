package gateway

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/prompting"
	"assay/prompting/llm"
)

// ordered returns the trace: see [Record]. A call that failed and was made again with success is one call, as it is where the
// model's own repetition succeeds, and as it is when the ledger answers.
func ordered(all []*asking, threaded bool) (out []prompting.Call) {
	if threaded {
		all = steady(all)
	}
	begun := map[string]int{} // where the first of the numbered stages of a base is
	type place struct{ at, part, i int }
	places := make([]place, len(all))
	for i, a := range all {
		places[i] = place{i, 0, i}
		if a.part < 0 {
			continue
		}
		if _, ok := begun[a.base]; !ok {
			begun[a.base] = i
		}
		places[i] = place{begun[a.base], a.part, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.part, b.part), cmp.Compare(a.i, b.i))
	})
	answered := map[string]bool{}
	for _, a := range all {
		for _, c := range a.calls {
			answered[c.Key] = answered[c.Key] || c.Failure == ""
		}
	}
	unnamed := 0
	for _, p := range places {
		a := all[p.i]
		calls := slices.DeleteFunc(slices.Clone(a.calls), func(c prompting.Call) bool { return c.Failure != "" && answered[c.Key] })
		stage := a.stage
		if stage == "" && len(calls) > 0 {
			unnamed++
			stage = fmt.Sprintf("%s %d", usualStage, unnamed)
		}
		for _, c := range calls {
			c.Stage = stage
			out = append(out, c)
		}
	}
	return out
}

// steady returns the orders of threads in an order that the ledger decides: they may be sent in another one whenever they are
// replayed. First comes what was stored first; within a second the shorter conversation, and what the prompt of another
// quotes; then it is the key. What failed is last. Where no ledger stored the answers they stay as they arrived.
func steady(arrived []*asking) []*asking {
	for _, a := range arrived {
		if a.stored == 0 && a.answers() {
			return arrived
		}
	}
	all := slices.Clone(arrived)
	slices.SortStableFunc(all, func(a, b *asking) int {
		return cmp.Or(cmp.Compare(a.second(), b.second()), cmp.Compare(a.turns, b.turns), cmp.Compare(a.key(), b.key()))
	})
	if len(all) > mostQuoted {
		return all
	}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].second() == all[from].second() {
			to++
		}
		causal(all[from:to])
		from = to
	}
	return all
}

// mostQuoted bounds the orders of an exchange whose prompts are searched for each other's answers.
const mostQuoted = 64

// causal moves orders behind those whose answers they quote. Where orders quote each other in a circle the first stays first.
func causal(all []*asking) {
	for i := range all {
		next := i + max(slices.IndexFunc(all[i:], func(a *asking) bool {
			return !slices.ContainsFunc(all[i:], func(b *asking) bool { return a != b && a.quotes(b) })
		}), 0)
		a := all[next]
		copy(all[i+1:next+1], all[i:next])
		all[i] = a
	}
}

// quotes reports whether the prompt of an order has the longest line of another's answer.
func (a *asking) quotes(b *asking) bool {
	return slices.ContainsFunc(b.lines, func(line string) bool {
		return slices.ContainsFunc(a.messages, func(m llm.Message) bool { return strings.Contains(m.Text, line) })
	})
}

// leastQuoted is the length of a line in bytes from which on it is not in a prompt by chance.
const leastQuoted = 8

// longest returns the longest line of a text; empty where all are short.
func longest(text string) (out string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= max(leastQuoted, len(out)+1) {
			out = line
		}
	}
	return out
}

// answers reports whether an order got a completion.
func (a *asking) answers() bool {
	return slices.ContainsFunc(a.calls, func(c prompting.Call) bool { return c.Failure == "" })
}

// second is when the first of an order's completions was stored; those that got none are last.
func (a *asking) second() int64 {
	if a.stored == 0 {
		return math.MaxInt64
	}
	return a.stored
}

// key is that of an order's first call; empty where it has none.
func (a *asking) key() string {
	if len(a.calls) == 0 {
		return ""
	}
	return a.calls[0].Key
}
