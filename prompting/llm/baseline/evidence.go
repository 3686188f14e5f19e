package baseline

import (
	"regexp"
	"strings"
)

// fact is one condition that the evidence states: "tall refers to height_cm > 190".
type fact struct {
	phrase string // the phrase that the condition explains; may be empty
	cols   []int  // the columns with the stated name
	op     string
	value  string // SQL literal
}

var (
	condition = regexp.MustCompile("([\\w.`\"' ]+?)\\s*(>=|<=|!=|=|>|<|\\bLIKE\\b)\\s*('[^']*'|\"[^\"]*\"|-?\\d+(?:\\.\\d+)?)")
	explains  = regexp.MustCompile(`(?i)\s+(?:refers? to|means?|stands? for|indicates?|is|are|when)\s+`)
)

// readFacts returns the conditions in the evidence whose left side names a column.
func readFacts(b *base, evidence string) []fact {
	var out []fact
	for _, clause := range strings.FieldsFunc(evidence, func(r rune) bool { return r == ';' || r == '\n' }) {
		phrase := ""
		if at := explains.FindStringIndex(clause); at != nil {
			phrase = strings.TrimSpace(clause[:at[0]])
			clause = clause[at[1]:]
		}
		for _, m := range condition.FindAllStringSubmatch(clause, 8) {
			cols := columnsCalled(b, m[1])
			if len(cols) == 0 {
				continue
			}
			value := m[3]
			if value[0] == '"' || value[0] == '\'' {
				value = literal(value[1:len(value)-1], false)
			}
			out = append(out, fact{phrase, cols, m[2], value})
		}
	}
	return out
}

// columnsCalled returns the columns that the end of a text names, by the longest matching name.
func columnsCalled(b *base, text string) []int {
	words := strings.Fields(strings.NewReplacer("`", " ", `"`, " ", "'", " ", ".", " ").Replace(text))
	for n := min(4, len(words)); n >= 1; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		var out []int
		for c := range b.cols {
			if strings.EqualFold(b.cols[c].name, name) {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// informed returns the beam's start: one draft with the facts that the question's words call for, and one without.
func (p *parser) informed(facts []fact) []draft {
	plain := draft{last: -1}
	full := plain.with(0)
	for _, f := range facts {
		units, asked := p.askedFor(f)
		if !asked {
			continue
		}
		best := f.cols[0]
		for _, c := range f.cols {
			if p.closeness(p.b.cols[c].table) > p.closeness(p.b.cols[best].table) {
				best = c
			}
		}
		full = full.with(1.2, units...)
		full.q.where = append(full.q.where, cond{left: expr{col: best}, op: f.op, right: f.value})
	}
	if len(full.q.where) == 0 {
		return []draft{plain}
	}
	return []draft{full, plain}
}

// askedFor reports whether the question has at least half of the words that a fact explains, and returns their units.
// Words of aggregates and their columns are left to the other rules.
func (p *parser) askedFor(f fact) ([]int, bool) {
	want := map[string]bool{}
	for _, t := range tokenize(f.phrase + " " + strings.Trim(f.value, "'")) {
		if !t.punct && !stop[t.low] {
			want[t.stem] = true
		}
	}
	found := map[string]bool{}
	var units []int
	for i := range p.us {
		hit := false
		for k := p.us[i].from; k < p.us[i].to; k++ {
			for _, t := range tokenize(p.toks[k].text) {
				if want[t.stem] {
					found[t.stem], hit = true, true
				}
			}
		}
		if hit && !p.us[i].isTable() {
			units = append(units, i)
		}
	}
	return units, len(want) > 0 && 2*len(found) >= len(want)
}

// alias is a name that the evidence gives to columns: "birthday refers to dob".
type alias struct {
	stems []string
	cols  []int
}

// readAliases returns the clauses whose right side consists only of column names.
func readAliases(b *base, evidence string) []alias {
	var out []alias
	for _, clause := range strings.FieldsFunc(evidence, func(r rune) bool { return r == ';' || r == '\n' }) {
		at := explains.FindStringIndex(clause)
		if at == nil {
			continue
		}
		a := alias{}
		for _, t := range tokenize(clause[:at[0]]) {
			if t.low != "the" && !t.punct {
				a.stems = append(a.stems, t.stem)
			}
		}
		names := strings.NewReplacer(" and ", ",", "+", ",", "(", "", ")", "").Replace(strings.TrimSuffix(strings.TrimSpace(clause[at[1]:]), "."))
		for _, name := range strings.Split(names, ",") {
			cols := columnsCalled(b, name)
			if len(cols) == 0 || len(strings.Fields(name)) > 3 {
				a.cols = nil
				break
			}
			a.cols = append(a.cols, tableOf(b, name, cols))
		}
		if len(a.stems) > 0 && len(a.stems) < 6 && len(a.cols) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// tableOf returns the column whose table the name contains, or else the first.
func tableOf(b *base, name string, cols []int) int {
	for _, c := range cols {
		if hasPrefixFold(strings.TrimSpace(name), b.tables[b.cols[c].table].name+".") {
			return c
		}
	}
	return cols[0]
}

// aliasAt returns the mention at word i that an alias from the evidence makes.
func (l *linker) aliasAt(i int) (unit, bool) {
	for _, a := range l.aliases {
		k := i
		for _, s := range a.stems {
			if k < len(l.toks) && k > i && l.toks[k].low == "the" {
				k++
			}
			if k >= len(l.toks) || l.toks[k].stem != s {
				k = -1
				break
			}
			k++
		}
		if k > 0 {
			return unit{from: i, to: k, cols: []option{{a.cols[0], 1.6}}, also: a.cols[1:]}, true
		}
	}
	return unit{}, false
}
