package baseline

import (
	"sort"
	"strings"
)

// valueColumns returns the columns to which the value at i may belong, best first.
func (p *parser) valueColumns(i int, u unit, c comparison) []choice {
	best := map[int]choice{}
	add := func(col int, score float64, unit int) {
		if p.bias != nil {
			score += p.bias[col]
		}
		if old, ok := best[col]; !ok || score > old.score {
			best[col] = choice{col, score, unit, 0}
		}
	}
	p.namedBeside(i, u, c, add)
	p.bySample(i, u, add)
	p.byComparative(c, add)
	p.byKind(i, u, c, add)
	out := p.fullNames(u, c)
	for _, o := range best {
		o.score += p.suits(u, c, o.col)
		out = append(out, o)
	}
	sort.Slice(out, func(a, b int) bool {
		if out[a].score != out[b].score {
			return out[a].score > out[b].score
		}
		if out[a].col != out[b].col {
			return out[a].col < out[b].col
		}
		return out[a].also < out[b].also
	})
	for k := range out {
		if out[k].score < out[0].score-1.2 || k == 6 {
			return out[:k]
		}
	}
	return out
}

// fullNames offers first and last name together for a value of two capitalised words.
func (p *parser) fullNames(u unit, c comparison) []choice {
	out := []choice{}
	words := strings.Fields(u.value)
	if len(words) != 2 || c.op != "=" || u.number || words[1] == strings.ToLower(words[1]) {
		return out
	}
	for t := range p.b.tables {
		if names := p.nameColumns(t); len(names) > 0 && len(names[0]) == 2 && names[0][1] > 0 {
			out = append(out, choice{names[0][0], 1.1 + p.closeness(t), -1, names[0][1]})
		}
	}
	return out
}

// suits scores how well the value's kind agrees with the column's.
func (p *parser) suits(u unit, c comparison, col int) float64 {
	k := &p.b.cols[col]
	number := k.isNumeric() || k.anyWord(dated)
	switch {
	case u.number && (number || k.isID()):
		return 0.25
	case u.number && c.op != "=" && c.op != "LIKE":
		return -0.3
	case !u.number && k.isNumeric() && last(k.words) != "name":
		return -0.6
	case !u.number && k.isID() && !mixed(u.value):
		return -0.35
	}
	return 0
}

var leftStops = set(", who that whose where and or but . ; which")

// namedBeside offers the columns that are mentioned next to the value.
func (p *parser) namedBeside(i int, u unit, c comparison, add func(int, float64, int)) {
	p.namedWithin(c, add)
	for j := c.start - 1; j >= 0 && j >= c.start-7; j-- {
		v := &p.us[j]
		if v.isRef() {
			near := 1.3 - 0.07*float64(c.start-1-j)
			if p.region[j] && !p.adjacent(j, c.start) {
				near -= 0.8
			}
			if w := p.low(c.start - 1); j < c.start-1 && !u.number && (w == "in" || w == "from" || w == "at" || w == "on") {
				near -= 0.9
			}
			for _, o := range v.cols {
				add(o.id, near+0.5*o.score, j)
			}
			if j < c.start-1 && !p.naming(j, c.start) {
				near -= 0.6
			}
			for _, o := range v.tabs {
				p.addNames(o.id, near-0.35+0.5*o.score, j, add)
			}
			break
		}
		if v.isValue || leftStops[v.word] && j < c.start-1 {
			break
		}
	}
	p.namedAfter(i, u, add)
}

// namedWithin offers the column between comparison and value ("after season 3"), and before a LIKE the nearest column
// at any distance.
func (p *parser) namedWithin(c comparison, add func(int, float64, int)) {
	if c.inner >= 0 {
		for _, o := range p.us[c.inner].cols {
			add(o.id, 1.4+0.5*o.score, c.inner)
		}
	}
	for j := c.start - 1; j >= 0 && strings.HasPrefix(c.op, "LIKE"); j-- {
		if p.us[j].hasCol() {
			for _, o := range p.us[j].cols {
				add(o.id, 0.9+0.5*o.score, -1)
			}
			break
		}
	}
}

// namedAfter offers the column that is mentioned right after the value: "20 points", "the 'Oak' branch".
func (p *parser) namedAfter(i int, u unit, add func(int, float64, int)) {
	for j := i + 1; j < len(p.us) && j <= i+2; j++ {
		v := &p.us[j]
		if v.isRef() {
			for _, o := range v.cols {
				add(o.id, 0.7+0.5*o.score-0.3*float64(j-i-1), j)
			}
			for _, o := range v.tabs {
				p.addNames(o.id, 0.45+0.4*o.score-0.3*float64(j-i-1), -1, add)
			}
			break
		}
		if v.isValue || stop[v.word] && !u.number {
			break
		}
	}
}

// naming reports whether the words between units j and i say that what follows is a name.
func (p *parser) naming(j, i int) bool {
	for k := j + 1; k < i; k++ {
		if w := p.low(k); w != "named" && w != "called" && w != "is" && w != "are" && w != "name" && w != "titled" && w != "the" {
			return false
		}
	}
	return true
}

// adjacent reports whether there are only linking words between units j and i.
func (p *parser) adjacent(j, i int) bool {
	for k := j + 1; k < i; k++ {
		if !comparisonFiller[p.low(k)] && p.low(k) != "named" && p.low(k) != "called" {
			return false
		}
	}
	return true
}

// addNames offers the columns that name a row of table t.
func (p *parser) addNames(t int, score float64, unit int, add func(int, float64, int)) {
	for k, cols := range p.nameColumns(t) {
		if k == 3 {
			return
		}
		if p.us[max(unit, 0)].isTable() {
			unit = -1
		}
		add(cols[len(cols)-1], score-0.2*float64(k), unit)
		if len(cols) > 1 {
			add(cols[0], score-0.05-0.2*float64(k), unit)
		}
	}
}

// bySample offers the columns whose example values in the prompt contain the value.
func (p *parser) bySample(i int, u unit, add func(int, float64, int)) {
	if u.number && len(u.value) < 4 {
		return
	}
	low := strings.ToLower(u.value)
	for c := range p.b.cols {
		for _, s := range p.b.cols[c].samples {
			if strings.ToLower(s) == low || stem(strings.ToLower(s)) == stem(low) {
				add(c, 1.5, -1)
				break
			}
		}
	}
}

// byComparative offers the columns that a comparative such as "older" or "heavier" implies.
func (p *parser) byComparative(c comparison, add func(int, float64, int)) {
	for k, w := range strings.Fields(c.speaks) {
		for col := range p.b.cols {
			if p.b.cols[col].has(w) && !p.b.cols[col].isID() {
				add(col, 1.2-0.15*float64(k)+p.closeness(p.b.cols[col].table), -1)
			}
		}
	}
}

// closeness scores a table: the main table first, then the tables that the question names.
func (p *parser) closeness(t int) float64 {
	if t == p.main {
		return 0.3
	}
	for i := range p.us {
		for _, o := range p.us[i].tabs {
			if o.id == t {
				return 0.15 * min(1, o.score)
			}
		}
	}
	return 0
}

// byKind offers columns by the preposition and the form of the value: places after "in", years, names, languages.
func (p *parser) byKind(i int, u unit, c comparison, add func(int, float64, int)) {
	prep := p.low(c.start - 1)
	if prep == "the" || prep == "year" || prep == "a" {
		prep = p.low(c.start - 2)
	}
	year := u.number && len(u.value) == 4 && (u.value[0] == '1' || u.value[0] == '2')
	for col := range p.b.cols {
		k := &p.b.cols[col]
		near := p.closeness(k.table)
		switch {
		case year && k.anyWord(dated):
			add(col, 0.75+near, -1)
		case u.demonym && (k.has("country") || k.has("nationality") || oneOf("language", k.words)):
			add(col, 1.0+near, -1)
		case !u.number && !u.demonym && (prep == "in" || prep == "from" || prep == "at" || prep == "to") && k.anyWord(placed) && !k.isID():
			add(col, 0.75+near, -1)
		case !u.number && (prep == "named" || prep == "called" || prep == "name") && last(k.words) == "name":
			add(col, 0.7+near, -1)
		case !u.number && last(k.words) == "name" && near > 0:
			add(col, 0.3+near, -1)
		case !u.number && near > 0 && !k.isNumeric() && !k.isID():
			add(col, 0.05+near, -1)
		case u.number && near > 0 && k.isNumeric():
			add(col, 0.05+near, -1)
		}
	}
}
