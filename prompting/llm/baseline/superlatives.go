package baseline

import (
	"strconv"
	"strings"
)

var common = set("common popular frequent frequently often commonly popularly used")

// superlativeAt parses "the oldest", "the highest X", "the most Y", "most common X".
func (p *parser) superlativeAt(i int, d draft) []draft {
	w := p.low(i)
	spec, ok := superlatives[w]
	if !ok || len(d.q.order) > 0 || p.us[i].isRef() && !stop[w] || p.low(i-1) == "at" {
		return nil
	}
	if p.namesOrSelects(i) {
		return nil
	}
	limit := p.limitAt(i)
	if w == "most" || w == "least" {
		if s, ok := superlatives[p.low(i+1)]; ok && s != "" && !strings.HasPrefix(s, ":") {
			if w == "least" {
				s = flip(s)
			}
			return p.superlativeKey(i, i+1, s, d, limit)
		}
		if common[p.low(i+1)] {
			return p.mostCommon(i, w == "most", d, limit)
		}
	}
	var out []draft
	j := p.skip(i+1, 1, set("number amount of the total different distinct numbers quantity number_of average"))
	counted := j > i+1 && p.countWord(i+1) > 0
	if p.ref(j) && (counted || w == "most" || w == "fewest" || w == "least" || w == "top") {
		out = append(out, p.mostRows(i, j, strings.HasSuffix(spec, "desc"), d, limit, counted)...)
	}
	if strings.HasPrefix(spec, ":") {
		if !counted || p.ref(i+1) {
			out = append(out, p.mostValue(i, spec == ":desc", d, limit)...)
		}
	} else {
		if p.ref(j) {
			out = append(out, p.mostValue(i, strings.HasSuffix(strings.Fields(spec)[0], "desc"), d, limit)...)
		}
		out = append(out, p.superlativeKey(i, i, spec, d, limit)...)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// namesOrSelects reports whether the superlative at i is part of a name ("first name") or an aggregate that is asked
// for ("the highest and lowest X").
func (p *parser) namesOrSelects(i int) bool {
	w := p.low(i)
	if (w == "first" || w == "last") && (p.us[i].isRef() || strings.HasPrefix(p.low(i+1), "name")) {
		return true
	}
	paired := func(and, other int) bool {
		return p.low(and) == "and" && superlatives[p.low(other)]+aggregates[p.low(other)] != ""
	}
	if p.region[i] && (paired(i+1, i+2) || paired(i-1, i-2)) {
		return true // "the highest and lowest X": selected, not ordered by
	}
	if w == "minimum" || w == "maximum" {
		if p.region[i] {
			return true
		}
	}
	return false
}

func flip(spec string) string {
	return strings.NewReplacer(":desc", ":asc", ":asc", ":desc").Replace(spec)
}

// limitAt returns the number of rows that the superlative at i keeps: "top 3", "3 oldest", else 1.
func (p *parser) limitAt(i int) int {
	near := []int{i - 1, i + 1}
	for j := range p.us {
		if p.isLimit(j) {
			near = append(near, j)
		}
	}
	for _, j := range near {
		if j >= 0 && j < len(p.us) && p.us[j].isValue && p.us[j].number {
			if n, err := strconv.Atoi(p.us[j].value); err == nil && n > 0 && n < 1000 {
				return n
			}
		}
	}
	return 1
}

// superlativeKey orders by the columns that a word such as "oldest" implies.
func (p *parser) superlativeKey(i, at int, spec string, d draft, limit int) []draft {
	var out []draft
	for k, s := range strings.Fields(spec) {
		w, dir, _ := strings.Cut(s, ":")
		for c := range p.b.cols {
			col := &p.b.cols[c]
			if w == "" || !col.has(w) || col.isID() || last(col.words) == "name" && len(col.words) > 1 {
				continue
			}
			n := d.with(0.9-0.15*float64(k)+p.closeness(col.table)-0.05*float64(len(col.words)), i, at)
			n.q.order = []sortKey{{expr{col: c}, dir == "desc"}}
			n.q.limit = limit
			out = append(out, n)
			if p.region[i] && limit == 1 && p.isAggregateQuestion(at, d) {
				m := d.with(n.score-d.score+0.2, i, at)
				m.q.sel = append(m.q.sel, expr{agg: extreme(dir == "desc"), col: c})
				out = append(out, m)
			}
		}
	}
	sortDrafts(out)
	return out[:min(len(out), 6)]
}

func extreme(desc bool) string {
	if desc {
		return "max"
	}
	return "min"
}

// isAggregateQuestion reports whether only the extreme value itself is asked for: there is no mention before it.
func (p *parser) isAggregateQuestion(i int, d draft) bool {
	for j := 0; j < i; j++ {
		if p.us[j].isRef() && !d.has(j) && aggregates[p.low(j-1)] == "" && superlatives[p.low(j-1)] == "" {
			return false
		}
	}
	return true
}

// mostValue orders by the column mentioned after the superlative, or takes its maximum.
func (p *parser) mostValue(i int, desc bool, d draft, limit int) []draft {
	j := p.skip(i+1, 1, set("the of average total number amount mean"))
	if p.us[min(i+1, len(p.us)-1)].isValue {
		j = p.skip(i+2, 1, set("the of average total number amount mean"))
	}
	if !p.ref(j) {
		j = p.skip(i-1, -1, set("is was are were the of has have"))
	}
	if !p.ref(j) || d.has(j) {
		return nil
	}
	agg := ""
	if j < i && j > 0 {
		agg = aggregates[p.low(j-1)]
	}
	for k := i + 1; k < j; k++ {
		if a := aggregates[p.low(k)]; a == "avg" || a == "sum" {
			agg = a
		}
	}
	var out []draft
	for _, o := range p.us[j].cols {
		col := &p.b.cols[o.id]
		s := 0.5 + o.score
		if !col.isNumeric() && !col.anyWord(dated) {
			s -= 0.7
		}
		n := d.with(s, i, j)
		n.q.order = []sortKey{{expr{agg: agg, col: o.id}, desc}}
		n.q.limit = limit
		if agg != "" {
			out = append(out, p.grouped(n)...)
		} else {
			out = append(out, n)
		}
		if p.region[i] && limit == 1 && agg == "" && p.isAggregateQuestion(i, d) {
			m := d.with(s+0.35, i, j)
			m.q.sel = append(m.q.sel, expr{agg: extreme(desc), col: o.id})
			sorted := n.with(0)
			sorted.q.sel = append(sorted.q.sel, expr{col: o.id})
			out = append(out, m, sorted)
		}
	}
	return out
}

// mostRows parses "the most concerts" and "the largest number of concerts": groups ordered by their size.
func (p *parser) mostRows(i, j int, desc bool, d draft, limit int, counted bool) []draft {
	var out []draft
	for _, t := range p.mentioned(j) {
		n := d.with(0.8, i, j)
		if p.us[j].isTable() {
			n.score += 0.6 * t.score
		} else if p.b.cols[p.us[j].cols[0].id].isNumeric() && !counted {
			n.score -= 0.6
		}
		n.q.tables = append(n.q.tables, t.id)
		n.q.order = []sortKey{{expr{agg: "count", col: star}, desc}}
		n.q.limit = limit
		out = append(out, p.grouped(n)...)
	}
	return out
}

// mentioned returns the tables that the mention at j may refer to: up to three by name, or a column's own table.
func (p *parser) mentioned(j int) []option {
	u := &p.us[j]
	if u.isTable() {
		return u.tabs[:min(len(u.tabs), 3)]
	}
	return []option{{p.b.cols[u.cols[0].id].table, u.cols[0].score}}
}

// mostCommon parses "the most common X": the value of X with the most rows.
func (p *parser) mostCommon(i int, desc bool, d draft, limit int) []draft {
	j := p.skip(i+2, 1, set("used the of"))
	if !p.ref(j) {
		j = -1
	}
	n := d.with(0.9, i)
	n.q.order = []sortKey{{expr{agg: "count", col: star}, desc}}
	n.q.limit = limit
	if j < 0 {
		return p.grouped(n)
	}
	var out []draft
	for _, o := range p.refColumns(j) {
		m := n.with(0.7 * o.score)
		m.q.group = []int{o.id}
		if !p.us[j].hasCol() {
			if k := p.b.keyOf(p.b.cols[o.id].table); k >= 0 {
				m.q.group = []int{k}
			}
		}
		if p.region[j] && p.nothingElse(j, d) {
			m.use(j)
			m.q.sel = append(m.q.sel, expr{col: o.id})
		}
		out = append(out, m)
	}
	return out
}

// nothingElse reports whether no other column is mentioned where the question says what to select.
func (p *parser) nothingElse(j int, d draft) bool {
	for k := range p.us {
		if k != j && p.region[k] && p.us[k].hasCol() && !d.has(k) {
			return false
		}
	}
	return true
}

// averageAt parses "above the average X" and "X higher than the average".
func (p *parser) averageAt(i int, d draft) []draft {
	agg := aggregates[p.low(i)]
	if agg == "" || agg == "sum" || d.has(i) {
		return nil
	}
	k := p.skip(i-1, -1, set("than the of all or equal to"))
	op, _, _ := strings.Cut(comparatives[p.low(k)], " ")
	if k < 0 || op == "" || k == i-1 && p.low(k) == "most" {
		return nil
	}
	if p.low(k) == "minimum" || p.low(k) == "maximum" || p.low(k) == "least" || p.low(k) == "most" {
		return nil
	}
	var out []draft
	add := func(j int, fit float64) {
		for _, o := range p.us[j].cols {
			n := d.with(fit+o.score, i, j)
			sub := &query{sel: []expr{{agg: agg, col: o.id}}}
			n.q.where = append(n.q.where, cond{left: expr{col: o.id}, op: op, sub: sub})
			out = append(out, n)
		}
	}
	if j := p.skip(i+1, 1, set("of the")); p.ref(j) {
		add(j, 1)
	}
	for j := k - 1; j >= max(0, k-5); j-- {
		if p.ref(j) && !p.us[j].isTable() {
			add(j, 0.9)
			break
		}
	}
	_, speaks, _ := strings.Cut(comparatives[p.low(k)], " ")
	p.byComparative(comparison{speaks: speaks}, func(c int, s float64, _ int) {
		n := d.with(s, i)
		n.q.where = append(n.q.where, cond{left: expr{col: c}, op: op, sub: &query{sel: []expr{{agg: agg, col: c}}}})
		out = append(out, n)
	})
	return out
}

var refusals = set("not no without never don't doesn't didn't haven't hasn't aren't isn't except cannot nor excluding")

// withoutAt parses "do not have any X", "without X": a NOT IN over the rows of X.
func (p *parser) withoutAt(i int, d draft) []draft {
	w := p.low(i)
	if !refusals[strings.ReplaceAll(w, "’", "'")] || w == "no" && comparatives[p.low(i+1)] != "" || w == "not" && p.low(i+1) == "only" {
		return nil
	}
	for j := i + 1; j < len(p.us) && j < i+8; j++ {
		if p.us[j].isValue || p.low(j) == "," {
			return nil
		}
		if !p.ref(j) || d.has(j) {
			continue
		}
		var out []draft
		for _, o := range p.us[j].tabs {
			if p.main < 0 || o.id == p.main {
				continue
			}
			if key, ref, ok := p.bridge(p.main, o.id); ok {
				n := d.with(0.9+0.5*o.score, i, j)
				sub := &query{sel: []expr{{col: ref}}}
				if p.b.cols[ref].table != o.id {
					sub.tables = []int{o.id}
				}
				n.q.where = append(n.q.where, cond{left: expr{col: key}, op: "NOT IN", sub: sub})
				n.q.tables = append(n.q.tables, p.main)
				out = append(out, n)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
