package baseline

import "strings"

var orderVerbs = set("sorted ordered sort order ranked arranged ranking sorting ordering listed rank")

// orderAt parses "sorted by X in descending order", "in alphabetical order of X", "from the oldest to the youngest".
func (p *parser) orderAt(i int, d draft) []draft {
	w := p.low(i)
	if len(d.q.order) > 0 {
		return nil
	}
	ranged := (p.low(i-1) == "from" || p.low(i-2) == "from") && p.word(i+1) == "to"
	if spec, ok := superlatives[w]; ok && ranged && !strings.HasPrefix(spec, ":") {
		return p.superlativeKey(i, i, spec, d, 0)
	}
	if !p.beginsOrder(i) {
		return nil
	}
	desc := p.descends(i)
	start := i + 1
	base := d.with(0.5)
	var out []draft
	for j := start; j < len(p.us) && j < start+9; j++ {
		if p.us[j].isValue || p.low(j) == "." {
			break
		}
		if count := p.countWord(j); count > 0 && p.nextRef(count) > 0 {
			n := base.with(0.8, p.nextRef(count))
			n.q.order = []sortKey{{expr{agg: "count", col: star}, desc}}
			p.wantTable(&n, p.nextRef(count))
			out = append(out, p.grouped(n)...)
			if !p.us[j].isRef() {
				break
			}
		}
		if !p.us[j].isRef() || d.has(j) {
			continue
		}
		agg := aggregates[p.low(p.skip(j-1, -1, set("of the")))]
		for _, o := range p.refColumns(j) {
			n := base.with(o.score, j)
			n.q.order = []sortKey{{expr{agg: agg, col: o.id}, desc}}
			out = append(out, n)
			out = append(out, p.secondKey(j, n, desc)...)
		}
		break
	}
	if len(out) == 0 { // no key is mentioned: sort by what is selected
		n := base.with(0)
		n.q.order = []sortKey{{expr{col: star - 1}, desc}}
		out = append(out, n)
	}
	return out
}

// beginsOrder reports whether the word at i introduces the key of an ordering.
func (p *parser) beginsOrder(i int) bool {
	w := p.low(i)
	alphabetical := strings.HasPrefix(w, "alphabetic") || strings.HasPrefix(w, "lexicographic")
	byAfterSort := w == "by" && (p.low(0) == "sort" || p.low(0) == "order" || p.low(0) == "rank")
	if !orderVerbs[w] && !alphabetical && !byAfterSort || p.us[i].isRef() && !stop[w] {
		return false
	}
	switch w {
	case "order":
		return p.low(i+1) == "by" || p.low(i+1) == "of" || p.directed(i)
	case "listed", "rank":
		return p.low(i+1) == "by" || p.directed(i)
	}
	if (w == "sort" || w == "order" || w == "rank") && (i == 0 || p.word(i-1) == ".") {
		return false // the key comes later: "by X", "in order of X"
	}
	return true
}

// nextRef returns the first mention at unit i or within three units after it, 0 if there is none.
func (p *parser) nextRef(i int) int {
	for j := i; j < i+4 && j < len(p.us); j++ {
		if p.ref(j) {
			return j
		}
	}
	return 0
}

// secondKey parses "by X and then Y".
func (p *parser) secondKey(j int, d draft, desc bool) []draft {
	k := p.skip(j+1, 1, set("and , then by the"))
	if k == j+1 || !p.ref(k) || d.has(k) || len(p.us[k].cols) == 0 {
		return nil
	}
	n := d.with(0.3, k)
	n.q.order = append(n.q.order, sortKey{expr{col: p.us[k].cols[0].id}, desc})
	return []draft{n}
}

// directed reports whether "order" at i is part of a direction: "in ascending order".
func (p *parser) directed(i int) bool {
	w := p.low(i - 1)
	for _, start := range []string{"ascending", "descending", "alphabetic", "lexicographic"} {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	return w == "increasing" || w == "decreasing" || w == "reverse" || w == "chronological"
}

// descends reports whether an ordering near unit i is descending.
func (p *parser) descends(i int) bool {
	for j := max(0, i-4); j < len(p.us); j++ {
		switch p.low(j) {
		case "descending", "decreasing", "reverse", "desc", "descendingly":
			return true
		case "high", "highest", "most", "largest", "oldest", "biggest", "longest", "greatest":
			if p.low(j-1) == "from" || p.low(j-2) == "from" || p.low(j+1) == "to" || p.low(j+1) == "first" {
				return true
			}
		}
	}
	return false
}

// refColumns returns the columns that the mention at i may refer to; a table refers to the columns that name its rows.
func (p *parser) refColumns(i int) []option {
	var out []option
	out = append(out, p.us[i].cols...)
	for _, o := range p.us[i].tabs {
		for k, cols := range p.nameColumns(o.id) {
			if k < 2 {
				out = append(out, option{cols[0], o.score - 0.15 - 0.3*float64(k)})
			}
		}
	}
	out = keep(out, -9)
	return out[:min(len(out), 4)]
}

// wantTable makes the query join a table that unit i mentions.
func (p *parser) wantTable(d *draft, i int) {
	u := &p.us[i]
	switch {
	case u.isTable():
		d.q.tables = append(d.q.tables, u.tabs[0].id)
	case len(u.cols) > 0:
		d.q.tables = append(d.q.tables, p.b.cols[u.cols[0].id].table)
	}
}

// countWord returns the unit after "how many", "number of" or "count of" at i, 0 if there is none.
func (p *parser) countWord(i int) int {
	switch w := p.low(i); {
	case w == "how" && p.low(i+1) == "many":
		return i + 2
	case p.ref(i), p.ref(i-1) && i+2 < len(p.us) && w == "number":
		return 0
	case (w == "number" || w == "numbers" || w == "count" || w == "amount" || w == "quantity") && p.low(i+1) == "of":
		return i + 2
	case w == "count" && (p.low(i+1) == "the" || i == 0) && !numberAfter[p.low(i+2)] && !numberAfter[p.low(i+1)]:
		return i + 1
	}
	return 0
}

var numberAfter = set("number numbers total amount")

// grouped offers the groups that a count per something needs: by the subject of the question.
func (p *parser) grouped(d draft) []draft {
	if len(d.q.group) > 0 {
		return []draft{d}
	}
	var out []draft
	for k, o := range p.subject(d) {
		if k == 4 {
			break
		}
		n := d.with(o.score - 0.4)
		n.q.group = []int{o.id}
		out = append(out, n)
	}
	if len(out) == 0 {
		out = append(out, d.with(-1))
	}
	return out
}

// subject returns the columns that identify what the question asks for: the key of the table asked for, or the
// column itself ("which country has the most ...").
func (p *parser) subject(d draft) []option {
	var out []option
	for i := range p.us {
		u := &p.us[i]
		if !u.isRef() || d.has(i) {
			continue
		}
		for _, o := range u.tabs {
			if k := p.b.keyOf(o.id); k >= 0 && !contains(d.q.tables, o.id) {
				out = append(out, option{k, 0.55 + 0.4*o.score})
			}
		}
		for k, o := range u.cols {
			if k > 3 {
				break
			}
			col := &p.b.cols[o.id]
			if col.isNumeric() {
				continue
			}
			s := 0.3 + 0.4*o.score
			if contains(d.q.tables, col.table) {
				s += 0.1
			} else if last(col.words) == "name" || col.isID() {
				if key := p.b.keyOf(col.table); key >= 0 {
					out = append(out, option{key, s + 0.15})
				}
			}
			out = append(out, option{o.id, s})
		}
		break
	}
	return keep(out, 0)
}

// havingAt parses "more than 3 concerts" at the number i as a condition on the size of a group.
func (p *parser) havingAt(i int, u unit, c comparison, d draft) []draft {
	j := p.skip(i+1, 1, set("or more different distinct fewer less and of the kinds types at"))
	times := p.low(i+1) == "times" || p.word(i) == "once" || p.word(i) == "twice"
	if !times && !p.ref(j) || len(d.q.group) > 0 {
		return nil
	}
	size := cond{left: expr{agg: "count", col: star}, op: c.op, right: u.value}
	if times {
		n := d.with(0.35, i)
		n.last = i
		n.q.having = append(n.q.having, size)
		return p.grouped(n)
	}
	if d.has(j) || p.unitsOfMeasure(j) {
		return nil
	}
	var out []draft
	for _, t := range p.mentioned(j) {
		n := d.with(0.35, i, j)
		n.q.tables = append(n.q.tables, t.id)
		if p.us[j].isTable() {
			n.score += 0.75 * t.score
		}
		if c.op == "=" {
			n.score -= 0.3
		}
		n.last = i
		n.q.having = append(n.q.having, size)
		out = append(out, p.grouped(n)...)
	}
	return out
}

// unitsOfMeasure reports whether the column mentioned after a number only says what the number measures.
func (p *parser) unitsOfMeasure(j int) bool {
	w := p.low(j)
	return w == "years" || w == "year" || w == "dollars" || w == "days" || w == "minutes" || w == "hours"
}

// groupAt parses "for each X", "per X", "in each X", "grouped by X".
func (p *parser) groupAt(i int, d draft) []draft {
	w := p.low(i)
	if len(d.q.group) > 0 || !p.asksAggregate() || !p.beginsGroup(i) {
		return nil
	}
	j := p.skip(i+1, 1, articles)
	if !p.ref(j) || d.has(j) {
		return nil
	}
	weight := 0.7
	if w == "each" && p.low(i-1) == "of" || w == "every" {
		weight = 0.4
	}
	var out []draft
	for _, o := range p.us[j].cols {
		fit := weight + o.score*0.6
		if len(p.us[j].tabs) > 0 && p.us[j].tabs[0].score > 0.9 && p.b.cols[o.id].isID() {
			fit -= 0.35
		}
		n := d.with(fit, j)
		n.q.group = []int{o.id}
		n.lead = []expr{{col: o.id}}
		out = append(out, n)
	}
	return append(out, p.groupByTable(j, weight, d)...)
}

// groupByTable groups by the key of the table that unit j mentions, and shows its name.
func (p *parser) groupByTable(j int, weight float64, d draft) []draft {
	var out []draft
	for _, o := range p.us[j].tabs {
		key := p.b.keyOf(o.id)
		if key < 0 {
			continue
		}
		for k, cols := range p.nameColumns(o.id) {
			if k == 2 {
				break
			}
			n := d.with(weight+o.score*0.6-0.3*float64(k), j)
			n.q.group = []int{key}
			n.q.tables = append(n.q.tables, o.id)
			for _, c := range cols {
				n.lead = append(n.lead, expr{col: c})
			}
			out = append(out, n)
		}
	}
	return out
}

// beginsGroup reports whether the word at i means "for each of what follows".
func (p *parser) beginsGroup(i int) bool {
	before := p.low(i - 1)
	switch p.low(i) {
	case "each", "every", "per":
		return true
	case "different":
		return before == "for" || before == "in" || before == "by"
	case "by":
		grouped := before == "grouped" || before == "group"
		return grouped || i > 3 && p.ref(i+1) && p.us[i+1].hasCol() && !orderVerbs[before] && before != "order"
	}
	return false
}

var extremes = set("most highest lowest oldest youngest")

// asksAggregate reports whether the question asks for a number computed over rows.
func (p *parser) asksAggregate() bool {
	for i := range p.us {
		if p.countWord(i) > 0 || aggregates[p.low(i)] != "" || extremes[p.low(i)] {
			return true
		}
	}
	return false
}
