package relevance

import (
	"math"
	"slices"
)

// Rank returns the numbers of the k best columns for a text, in the order of the database's columns (all tables' in turn), the
// best first; of equal ones the lower number first. among says which columns count; nil: all. A text without a word that says
// anything ranks by spelling and by how often columns of a name are used.
func (r *Ranker) Rank(text string, k int, among func(column int) bool) []int {
	s := r.score(clip(text))
	var left []int
	for i := range r.columns {
		if among == nil || among(i) {
			left = append(left, i)
		}
	}
	var out []int
	for range min(k, len(left)) {
		at := 0
		for i := range left {
			if s.of(left[i]) > s.of(left[at]) {
				at = i
			}
		}
		best := left[at]
		if !r.off[spread] {
			s.use(best)
		}
		out, left = append(out, best), slices.Delete(left, at, at+1)
	}
	return out
}

// scores has the score of each column for one text.
type scores struct {
	fixed []float64   // what does not change
	words [][]float64 // per column and word of the text, what the word adds
	most  []float64   // per word, the most that it adds
	left  []float64   // per word, the share that still counts
	sum   []float64   // per column, what the words add now
}

// of returns a column's score, to nine decimals, so that ties are ties on every machine.
func (s *scores) of(column int) float64 {
	return math.Round((s.fixed[column]+s.sum[column])*1e9) / 1e9
}

// use makes the words count less that a column has: not at all where it has them in its name.
func (s *scores) use(column int) {
	for j, w := range s.words[column] {
		if s.most[j] > 0 {
			s.left[j] *= 1 - w/s.most[j]
		}
	}
	for i := range s.sum {
		s.add(i)
	}
}

// add adds up what the words of the text give a column.
func (s *scores) add(column int) {
	s.sum[column] = 0
	for j, w := range s.words[column] {
		s.sum[column] += w * s.left[j]
	}
}

// score compares a text with every column.
func (r *Ranker) score(text string) *scores {
	words := distinct(wordsOf(text))
	s := &scores{fixed: make([]float64, len(r.columns)), sum: make([]float64, len(r.columns)), words: make([][]float64, len(r.columns)),
		most: make([]float64, len(words)), left: make([]float64, len(words))}
	best := map[int]float64{} // per term, the most that a word of the text stands for it
	for i := range s.words {
		s.words[i] = make([]float64, len(words))
	}
	for j, w := range words {
		s.left[j] = 1
		r.compare(s, j, r.like(w), best)
	}
	s.scale()
	r.fields(s, best)
	if !r.off[spelling] {
		for i, c := range r.spelled.Cosines(r.model.Vector(Spelt(text))) {
			s.fixed[i] += ofSpelling * math.Round(float64(c)*1e6) / 1e6 // what float32 is sure of
		}
	}
	for i := range s.sum {
		s.add(i)
	}
	return s
}

// compare adds what the j-th word of the text gives each column: the best of the fields that it is found in.
func (r *Ranker) compare(s *scores, j int, like []near, best map[int]float64) {
	for _, n := range like {
		t := &r.terms[n.term]
		s.most[j] = max(s.most[j], n.by*t.rarity)
		best[n.term] = max(best[n.term], n.by)
		for _, p := range t.in {
			if p.field != inTable || !r.off[tables] {
				s.words[p.column][j] = max(s.words[p.column][j], ofWord[p.field]*n.by)
			}
		}
	}
}

// scale makes the most that all words of the text add together 1, a rarer one adding more.
func (s *scores) scale() {
	sum := 0.0
	for _, m := range s.most {
		sum += m
	}
	if sum == 0 {
		return
	}
	for j, m := range s.most {
		s.most[j] = m / sum
		for i := range s.words {
			s.words[i][j] *= s.most[j]
		}
	}
}

// fields adds how much of each field the text has, and how often columns of that name are used.
func (r *Ranker) fields(s *scores, best map[int]float64) {
	has := make([][fields]float64, len(r.columns))
	for i := range r.terms { // in one order, so that sums are the same
		for _, p := range r.terms[i].in {
			has[p.column][p.field] += r.terms[i].rarity * best[i]
		}
	}
	for i, c := range r.columns {
		for f, all := range c.words {
			if all > 0 {
				has[i][f] /= all
			}
			if field(f) != inTable || !r.off[tables] {
				s.fixed[i] += ofField[f] * has[i][f]
			}
		}
		if !r.off[priors] {
			s.fixed[i] += c.prior * (ofPrior + ofTable*has[i][inTable])
		}
	}
}

// near is a word of the database that a word of the text may stand for, and how surely, 0 to 1.
type near struct {
	term int
	by   float64
}

// like lists the words of the database that a word of the text may stand for.
func (r *Ranker) like(w word) (out []near) {
	add := func(term int, by float64) {
		i := slices.IndexFunc(out, func(n near) bool { return n.term == term })
		if i < 0 {
			out = append(out, near{term, by})
		} else {
			out[i].by = max(out[i].by, by)
		}
	}
	if i, known := r.byText[w.text]; known {
		add(i, 1)
	}
	if !r.off[stemming] {
		for _, i := range r.byStem[w.stem] {
			add(i, 1)
		}
	}
	if len(out) == 0 && !r.off[shortForms] {
		for _, i := range r.byFirst[w.text[0]] {
			if abbreviates(r.terms[i].text, w.text) {
				add(i, ofShort)
			}
		}
	}
	if !r.off[associations] {
		for _, a := range learned().standsFor[w.stem] {
			for _, i := range r.byStem[a.stem] {
				add(i, ofStandsFor*a.strength)
			}
		}
	}
	return out
}

// distinct keeps the first of equal words, and the first mostWords of them.
func distinct(words []word) []word {
	var out []word
	for _, w := range words {
		if len(out) < mostWords && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
