package baseline

// finish completes a draft into queries: it adds a selection if there is none, the group that plain columns next to
// aggregates need, and the penalty for joins.
func (p *parser) finish(d draft) []draft {
	var out []draft
	for _, n := range p.fillSelect(d) {
		p.fillGroup(&n)
		p.fillOrder(&n)
		p.fillSets(&n)
		n.q.distinct = p.wantsDistinct(&n)
		n.score += p.price(&n.q)
		if len(n.q.from(p.b)) > 0 && len(n.q.sel) > 0 {
			out = append(out, n)
		}
	}
	return out
}

// fillSelect adds the group's name, or the column that names the rows if nothing is selected.
func (p *parser) fillSelect(d draft) []draft {
	if len(d.lead) > 0 {
		return p.withLead(d)
	}
	if len(d.q.sel) > 0 {
		return []draft{d}
	}
	t := p.main
	if len(d.q.group) > 0 {
		t = p.b.cols[d.q.group[0]].table
		if !p.b.cols[d.q.group[0]].key {
			n := d.with(-0.1)
			n.q.sel = []expr{{col: d.q.group[0]}}
			return []draft{n}
		}
	}
	if t < 0 && len(d.q.where) > 0 {
		t = p.b.cols[d.q.where[0].left.col].table
	}
	if t < 0 {
		return nil
	}
	var out []draft
	for k, cols := range p.nameColumns(t) {
		if k == 3 {
			break
		}
		n := d.with(-0.4 - 0.3*float64(k))
		for _, c := range cols {
			n.q.sel = append(n.q.sel, expr{col: c})
		}
		out = append(out, n)
	}
	return out
}

// withLead shows the group next to its numbers, unless its columns are already asked for.
func (p *parser) withLead(d draft) []draft {
	plain := false
	for _, e := range d.q.sel {
		plain = plain || e.agg == ""
	}
	if plain {
		return []draft{d}
	}
	if len(d.q.sel) == 0 && len(d.q.order) == 0 {
		d = d.with(-0.3)
		d.q.sel = []expr{{agg: "count", col: star}}
	}
	shown := d.with(0.15)
	shown.q.sel = append(append([]expr(nil), d.lead...), shown.q.sel...)
	return []draft{shown, d.with(-0.25)}
}

// fillGroup groups by the plain columns if there are aggregates next to them, as SQL requires.
func (p *parser) fillGroup(d *draft) {
	aggregate := false
	var plain []int
	for _, e := range d.q.sel {
		if e.agg != "" {
			aggregate = true
		} else {
			plain = append(plain, e.col)
		}
	}
	if !aggregate || len(plain) == 0 || len(d.q.group) > 0 || d.q.limit > 0 {
		return
	}
	d.q.group = plain
	d.score -= 0.15
}

// fillOrder sorts by the first plain column selected if an ordering has no key.
func (p *parser) fillOrder(d *draft) {
	for k := range d.q.order {
		if d.q.order[k].e.col == star-1 {
			d.q.order[k].e = d.q.sel[0]
		}
	}
}

// fillSets gives the right operand of a set operation the left operand's columns.
func (p *parser) fillSets(d *draft) {
	if d.q.right == nil {
		return
	}
	r := *d.q.right
	r.sel, r.tables = d.q.sel, d.q.tables
	d.q.right = &r
	d.q.order, d.q.limit = nil, 0                       // an ordering would apply to the compound, in which the operands' aliases are unknown
	if len(d.q.sel) == 1 && d.q.sel[0].agg == "count" { // a count over the compound needs a sub-query, which the grammar lacks
		d.score -= 1
	}
}

// wantsDistinct selects distinct values if the question has a word for it.
func (p *parser) wantsDistinct(d *draft) bool {
	if len(d.q.group) > 0 || d.q.right != nil {
		return false
	}
	for _, e := range d.q.sel {
		if e.agg != "" {
			return false
		}
	}
	for i := range p.us {
		if distinctWords[p.low(i)] && p.region[i] && p.countWord(i-1) == 0 {
			return true
		}
	}
	return false
}

// price returns the penalty of a query: for joins, most of all guessed ones, repeated columns, and unusual lengths.
func (p *parser) price(q *query) float64 {
	tables := q.from(p.b)
	_, _, cost, ok := p.b.tree(tables)
	s := -0.28 * cost
	if !ok {
		s -= 3
	}
	seen := map[expr]bool{}
	for _, e := range q.sel {
		if seen[e] {
			s -= 0.8
		}
		seen[e] = true
	}
	if q.right != nil {
		s -= 0.1
	}
	for _, c := range q.where {
		if c.sub != nil && c.op == "NOT IN" {
			s += p.price(c.sub) - 0.3
		}
	}
	for _, o := range q.order {
		if o.e.agg != "" && len(q.group) == 0 {
			s -= 1.5
		}
	}
	return s
}
