package baseline

import (
	"sort"
	"strings"
)

// option is a column or a table with a score for how well it fits, about 0 to 1.5.
type option struct {
	id    int
	score float64
}

// unit is a span of the question: a mention of columns or tables, a value, or one plain word.
type unit struct {
	from, to int // tokens
	word     string
	cols     []option // best first
	tabs     []option
	value    string
	isValue  bool
	also     []int // further columns that the evidence combines with the first: "full name refers to ..."
	number   bool
	demonym  bool // an adjective of nationality
}

func (u *unit) isRef() bool { return len(u.cols) > 0 || len(u.tabs) > 0 }

// isTable reports whether the unit is a table's mention rather than a column's.
func (u *unit) isTable() bool {
	return len(u.tabs) > 0 && (len(u.cols) == 0 || u.tabs[0].score >= u.cols[0].score)
}

// maxTokens bounds the work on one question; tokens beyond it are ignored.
const maxTokens = 160

// linker finds the mentions in a question.
type linker struct {
	b       *base
	text    string
	toks    []token
	aliases []alias
}

// link divides a question into units.
func link(b *base, text string, aliases []alias) ([]token, []unit) {
	l := linker{b: b, text: text, toks: tokenize(text), aliases: aliases}
	if len(l.toks) > maxTokens {
		l.toks = l.toks[:maxTokens]
	}
	var out []unit
	for i := 0; i < len(l.toks); {
		u := l.unitAt(i)
		out = append(out, u)
		i = u.to
	}
	l.attach(out)
	return l.toks, out
}

// unitAt returns the best unit that starts at token i.
func (l *linker) unitAt(i int) unit {
	t := l.toks[i]
	if u, ok := l.aliasAt(i); ok {
		return u
	}
	switch {
	case t.quoted:
		return unit{from: i, to: i + 1, value: t.text, isValue: true, number: t.number}
	case t.number:
		return unit{from: i, to: i + 1, value: t.text, isValue: true, number: true, word: t.low}
	case t.punct:
		return unit{from: i, to: i + 1, word: t.low}
	}
	ref, sure := l.mention(i)
	if end := l.properName(i); end > i && !(sure >= 0.8 && (ref.to >= end || !l.inName(i))) {
		u := unit{from: i, to: end, isValue: true, value: l.text[l.toks[i].at:l.toks[end-1].to]}
		u.value = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(u.value, " ,"), "'s"), "'")
		u.demonym = end == i+1 && demonyms[t.low] != ""
		return u
	}
	if v, ok := l.sampleValue(i); ok && sure < 0.9 {
		return v
	}
	if ref.to > i {
		return ref
	}
	if demonyms[t.low] != "" {
		return unit{from: i, to: i + 1, isValue: true, value: t.text, demonym: true}
	}
	return unit{from: i, to: i + 1, word: t.low}
}

// sampleValue takes a word as a value if the prompt shows it among a column's example values.
func (l *linker) sampleValue(i int) (unit, bool) {
	t := l.toks[i]
	if stop[t.low] || len(t.low) < 3 {
		return unit{}, false
	}
	for c := range l.b.cols {
		for _, s := range l.b.cols[c].samples {
			if low := strings.ToLower(s); low == t.low || low == t.stem {
				return unit{from: i, to: i + 1, isValue: true, value: s}, true
			}
		}
	}
	return unit{}, false
}

// inName reports whether the capitalised word at i is followed by another.
func (l *linker) inName(i int) bool {
	return i+1 < len(l.toks) && l.toks[i+1].upper && !l.toks[i+1].quoted
}

// properName returns the end of the run of capitalised words at i, or i. The first word of a sentence does not count.
func (l *linker) properName(i int) int {
	t := l.toks[i]
	if !t.upper || i == 0 || l.toks[i-1].low == "." || l.toks[i-1].low == "?" || stop[t.low] && !l.inName(i) {
		if !strings.ContainsAny(t.text, "@/:") && !mixed(t.text) {
			return i
		}
	}
	end := i + 1
	for end < len(l.toks) {
		n := l.toks[end]
		small := n.low == "of" || n.low == "de" || n.low == "the" || n.low == "&"
		joined := small && end+1 < len(l.toks) && l.toks[end+1].upper && !l.toks[end+1].quoted
		if (!n.upper || n.quoted) && !joined {
			break
		}
		if joined {
			end++
		}
		end++
	}
	return end
}

// mixed reports whether a word mixes letters and digits, as codes do; "19th" and "1990s" do not count.
func mixed(s string) bool {
	letters := strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz")
	return letters && strings.ContainsAny(s, "0123456789") && !hasAnySuffix(s, "th", "s")
}

// mention returns the longest mention at token i and its score.
func (l *linker) mention(i int) (unit, float64) {
	for n := min(4, len(l.toks)-i); n >= 1; n-- {
		words, ok := l.span(i, i+n)
		if !ok {
			continue
		}
		u := unit{from: i, to: i + n, cols: l.columns(words, n > 1, len(words) < n)}
		if len(words) == n {
			u.tabs = l.tables(words)
		}
		if n == 1 && l.counts(i) {
			return unit{}, 0
		}
		if l.counts(i) {
			u.cols = l.counting(u.cols)
		}
		if u.isRef() {
			best := 0.0
			for _, o := range append(u.cols[:len(u.cols):len(u.cols)], u.tabs...) {
				best = max(best, o.score)
			}
			return u, best
		}
	}
	return unit{}, 0
}

// counts reports whether the word at i is the "number" of "number of", which names nothing by itself.
func (l *linker) counts(i int) bool {
	return l.toks[i].stem == "number" && i+1 < len(l.toks) && l.toks[i+1].low == "of"
}

// counting keeps the columns that hold a number of something: number_of_x, x_count, but not x_number.
func (l *linker) counting(os []option) []option {
	var out []option
	for _, o := range os {
		words := l.b.cols[o.id].words
		first := words[0]
		if long := abbreviations[first]; long != "" {
			first = long
		}
		if first == "number" || first == "total" || last(words) == "count" {
			out = append(out, o)
		}
	}
	return out
}

// span returns the words of tokens i to j that could name something; "of" and "the" are allowed between them.
func (l *linker) span(i, j int) ([]string, bool) {
	var words []string
	for k := i; k < j; k++ {
		t := l.toks[k]
		if t.punct || t.quoted || t.number && k == i {
			return nil, false
		}
		if t.low == "of" || t.low == "the" {
			if k == i || k == j-1 {
				return nil, false
			}
			continue
		}
		if stop[t.low] && !(aggregates[t.low] != "" || countable[t.low]) {
			return nil, false
		}
		words = append(words, t.stem)
	}
	if len(words) == 1 && stop[words[0]] {
		return nil, false
	}
	if len(words) < j-i && len(words) < 2 {
		return nil, false
	}
	return words, true
}

// countable stop words may be part of a column's name.
var countable = set("count highest lowest largest top up return end start last average total maximum minimum mean using used report")

// keep sorts options and drops those that score far below the best.
func keep(os []option, floor float64) []option {
	sort.SliceStable(os, func(i, j int) bool { return os[i].score > os[j].score })
	for i := range os {
		if os[i].score < floor || os[i].score < os[0].score-0.45 || i == 10 {
			return os[:i]
		}
	}
	return os
}

// columns returns the columns that a span may mean. whole demands a close fit; alone demands that the column's own name
// contain every word: "date of birth" is one mention, "name of the student" is not.
func (l *linker) columns(words []string, whole, alone bool) []option {
	var out []option
	for c := range l.b.cols {
		if s := l.columnScore(words, c, alone); s > 0 {
			out = append(out, option{c, s})
		}
	}
	if whole {
		return keep(out, 0.7)
	}
	return keep(out, 0.45)
}

// columnScore returns the weighted share of the column's words that the span covers; 0 if a word of the span refers to
// neither the column nor its table.
func (l *linker) columnScore(words []string, c int, alone bool) float64 {
	col := &l.b.cols[c]
	own := l.b.tables[col.table].words
	matched := make([]float64, len(col.words))
	byTable, byColumn := false, false
	for _, s := range words {
		best, at := 0.0, -1
		for k, w := range col.words {
			if a := alike(s, w); a > best && matched[k] < a {
				best, at = a, k
			}
		}
		inTable := 0.0
		for _, w := range own {
			inTable = max(inTable, alike(s, w))
		}
		switch {
		case best >= 0.5 && best >= inTable:
			matched[at] = best
			ofTable := oneOf(col.words[at], own) && len(col.words) > 1
			byColumn, byTable = byColumn || !ofTable, byTable || alone && ofTable
		case inTable >= 0.75:
			byTable = true
			if at >= 0 {
				matched[at] = best
			}
		default:
			return 0
		}
	}
	if !byColumn || alone && byTable {
		return 0
	}
	score := covered(col.words, matched, own)
	if byTable {
		score += 0.2
	}
	return score
}

// covered returns the weighted share of a column's words that are matched. Noise, measures and the table's own words
// have low weight.
func covered(words []string, matched []float64, own []string) float64 {
	got, all := 0.0, 0.0
	for k, w := range words {
		weight := 1.0
		switch {
		case noise[w], k > 0 && measures[w]:
			weight = 0.25
		case len(words) > 1 && shortOf(w, own):
			weight = 0.35
		}
		got += weight * matched[k]
		all += weight
	}
	return got / all
}

// shortOf reports whether w is one of the words or an abbreviation of one.
func shortOf(w string, words []string) bool {
	for _, x := range words {
		if x == w || abbreviations[w] == x || len(w) > 2 && strings.HasPrefix(x, w) {
			return true
		}
	}
	return false
}

func oneOf(w string, words []string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

// tables returns the tables that a span may mean.
func (l *linker) tables(words []string) []option {
	var out []option
	for t := range l.b.tables {
		if s := tableScore(words, l.b.tables[t].words); s > 0 {
			out = append(out, option{t, s})
		}
	}
	return keep(out, 0.3)
}

// tableScore returns the weighted share of a table's words that the span covers.
func tableScore(words, names []string) float64 {
	got, all := 0.0, 0.0
	used := 0
	for _, w := range names {
		weight := 1.0
		if noise[w] {
			weight = 0.2
		}
		best := 0.0
		for _, s := range words {
			best = max(best, alike(s, w))
		}
		if best >= 0.5 {
			got += weight * best
			used++
		}
		all += weight
	}
	for _, s := range words {
		found := false
		for _, w := range names {
			found = found || alike(s, w) >= 0.5
		}
		if !found {
			return 0
		}
	}
	return got / all
}

// demonyms: adjective -> country.
var demonyms = pairs(`american=USA french=France german=Germany british=UK english=England spanish=Spain italian=Italy
	dutch=Netherlands japanese=Japan chinese=China indian=India russian=Russia canadian=Canada australian=Australia
	mexican=Mexico brazilian=Brazil swedish=Sweden norwegian=Norway danish=Denmark finnish=Finland polish=Poland
	irish=Ireland scottish=Scotland welsh=Wales swiss=Switzerland austrian=Austria belgian=Belgium portuguese=Portugal
	greek=Greece turkish=Turkey korean=Korea egyptian=Egypt`)
