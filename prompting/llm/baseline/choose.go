package baseline

import (
	"math"
	"math/rand/v2"
	"sort"
	"strings"

	"assay/prompting/llm"
)

// candidate is one complete query with its score.
type candidate struct {
	q     query
	sql   string
	score float64
}

// maxCandidates bounds the candidates that are printed, compared and drawn from.
const maxCandidates = 60

// sharpness converts scores to log odds at temperature 1. It is set by hand.
const sharpness = 2.5

// chooser draws among candidates as the request's parameters demand.
type chooser struct {
	params llm.Params
	rng    *rand.Rand
}

// knowledge is what a request says besides the question. The zero value is nothing.
type knowledge struct {
	bias    []float64 // by column, in favour of those that evidence or earlier answers name; nil if there is none
	facts   []fact    // conditions that the evidence states
	aliases []alias   // names that the evidence gives to columns
	advice  *advice   // from the demonstrations; nil if there are none
}

// candidates parses a question and scores its parses by what is known.
func candidates(b *base, question string, k *knowledge) []candidate {
	var out []candidate
	seen := map[string]bool{}
	for _, d := range read(b, question, k) {
		sql := d.q.print(b)
		if seen[sql] {
			continue
		}
		seen[sql] = true
		score := d.score
		if k.advice != nil {
			score += k.advice.score(skeletonOf(sql))
		}
		out = append(out, candidate{d.q, sql, score})
		if len(out) == maxCandidates {
			break
		}
	}
	return rank(out)
}

// guesses returns answers to a question that no rule can parse, because a language model, too, says something then.
// Each table gives one: its first column that is not an identifier.
func guesses(b *base) []candidate {
	var out []candidate
	for t, tab := range b.tables {
		if tab.n == 0 {
			continue
		}
		col := tab.first
		for _, c := range b.columnsOf(t) {
			if !b.cols[c].isID() {
				col = c
				break
			}
		}
		q := query{tables: []int{t}, sel: []expr{{col: col}}}
		out = append(out, candidate{q: q, sql: q.print(b), score: -float64(t)})
	}
	return rank(out)
}

// rank sorts candidates, best first, and equal scores by text, so that the order of computation has no effect.
func rank(cs []candidate) []candidate {
	sort.SliceStable(cs, func(i, j int) bool {
		if cs[i].score != cs[j].score {
			return cs[i].score > cs[j].score
		}
		return cs[i].sql < cs[j].sql
	})
	return cs
}

// pick draws one of the candidates: the best at temperature 0, else by the softmax of the scores, truncated to top-k
// and top-p if the request sets them.
func (ch *chooser) pick(cs []candidate) candidate {
	weights := make([]float64, len(cs))
	for i, c := range cs {
		weights[i] = c.score * sharpness
	}
	return cs[ch.draw(weights)]
}

// draw returns an index drawn by the softmax of log odds at the request's temperature.
func (ch *chooser) draw(logits []float64) int {
	best := 0
	for i, x := range logits {
		if x > logits[best] {
			best = i
		}
	}
	t := ch.params.Temperature
	if !(t > 0) || len(logits) < 2 {
		return best
	}
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return logits[order[i]] > logits[order[j]] })
	if k := ch.params.TopK; k != nil && *k > 0 && *k < len(order) {
		order = order[:*k]
	}
	ps := make([]float64, len(order))
	total := 0.0
	for i, o := range order {
		ps[i] = math.Exp((logits[o] - logits[best]) / t)
		total += ps[i]
	}
	if p := ch.params.TopP; p != nil && *p > 0 && *p < 1 {
		mass := 0.0
		for i := range ps {
			mass += ps[i]
			if mass >= *p*total {
				ps, total = ps[:i+1], mass
				break
			}
		}
	}
	x := ch.rng.Float64() * total
	for i, p := range ps {
		if x -= p; x < 0 {
			return order[i]
		}
	}
	return order[0]
}

// stage draws one value of a property, with the probability of all candidates that share it, and keeps those
// candidates. This is how the parser works step by step: each step is decided before the next is considered.
func (ch *chooser) stage(cs []candidate, property func(*candidate) string) []candidate {
	groups := map[string][]candidate{}
	var names []string
	for i := range cs {
		k := property(&cs[i])
		if groups[k] == nil {
			names = append(names, k)
		}
		groups[k] = append(groups[k], cs[i])
	}
	logits := make([]float64, len(names))
	for i, k := range names {
		sum := 0.0
		for _, c := range groups[k] {
			sum += math.Exp((c.score - cs[0].score) * sharpness)
		}
		logits[i] = math.Log(sum + 1e-300)
	}
	return groups[names[ch.draw(logits)]]
}

// fromOf, whereOf and columnsOf are the properties that stages decide.
func fromOf(b *base) func(*candidate) string {
	return func(c *candidate) string {
		var names []string
		for _, t := range c.q.from(b) {
			names = append(names, b.tables[t].name)
		}
		sort.Strings(names)
		return strings.Join(names, ",")
	}
}

func whereOf(b *base) func(*candidate) string {
	return func(c *candidate) string {
		p := printer{b: b, alias: map[int]string{}}
		for t := range b.tables {
			p.alias[t] = b.tables[t].name
		}
		return p.conds(c.q.where)
	}
}

func columnsOf(b *base) func(*candidate) string {
	return func(c *candidate) string {
		var names []string
		for _, s := range usage(b, &c.q, nil) {
			names = append(names, s.print(b))
		}
		sort.Strings(names)
		return strings.Join(names, ",")
	}
}
