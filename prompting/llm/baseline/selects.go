package baseline

// countAt parses "how many X" and "number of X" in what is asked for.
func (p *parser) countAt(i int, d draft) []draft {
	after := p.countWord(i)
	if after == 0 || d.has(i) || !p.region[i] && p.low(i) != "how" {
		return nil
	}
	j := p.skip(after, 1, articles)
	distinct := false
	for k := after; k < j; k++ {
		distinct = distinct || distinctWords[p.low(k)]
	}
	var out []draft
	if !p.ref(j) {
		n := d.with(-0.2, i)
		n.q.sel = append(n.q.sel, expr{agg: "count", col: star})
		return []draft{n}
	}
	for _, o := range p.us[j].tabs {
		n := d.with(0.6+0.8*o.score, i, j)
		n.q.sel = append(n.q.sel, expr{agg: "count", col: star})
		n.q.tables = append(n.q.tables, o.id)
		out = append(out, n)
	}
	for _, o := range p.us[j].cols {
		col := &p.b.cols[o.id]
		if p.us[i].isRef() || col.isNumeric() && col.typ != "" || oneOf("number", col.words) {
			n := d.with(0.2+0.6*o.score, i, j)
			n.q.sel = append(n.q.sel, expr{col: o.id})
			out = append(out, n)
			m := n.with(-0.2)
			m.q.sel[len(m.q.sel)-1].agg = "sum"
			out = append(out, m)
		}
		n := d.with(0.3+0.6*o.score, i, j)
		e := expr{agg: "count", col: o.id, distinct: distinct || !col.key}
		if !distinct {
			n.score -= 0.1
		}
		n.q.sel = append(n.q.sel, e)
		out = append(out, n)
	}
	return out
}

// selectAt takes the mention at i as something to select.
func (p *parser) selectAt(i int, d draft) []draft {
	u := &p.us[i]
	if !u.isRef() || d.has(i) || !p.region[i] {
		return nil
	}
	aggs := p.aggregatesBefore(i)
	var out []draft
	aside := p.aside(i, d)
	for _, o := range u.cols {
		n := d.with(0.4+o.score+aside, i)
		col := &p.b.cols[o.id]
		for _, a := range aggs {
			n.q.sel = append(n.q.sel, expr{agg: a, col: o.id})
			if (a == "avg" || a == "sum") && !col.isNumeric() {
				n.score -= 0.3
			}
		}
		if len(aggs) == 0 {
			n.q.sel = append(n.q.sel, expr{col: o.id})
			for _, c := range u.also {
				n.q.sel = append(n.q.sel, expr{col: c})
			}
		}
		out = append(out, n)
		if full := p.fullName(i, o.id); len(full) > 0 && len(aggs) == 0 {
			m := d.with(0.75+o.score, i)
			if p.low(i-1) == "full" {
				m.score += 0.4
			}
			for _, c := range full {
				m.q.sel = append(m.q.sel, expr{col: c})
			}
			out = append(out, m)
		}
	}
	for _, o := range u.tabs {
		out = append(out, p.selectTable(i, o, d)...)
	}
	return append(out, p.besideColumn(i, d, aggs)...)
}

// aside returns a penalty for the columns of a mention that is really a table's, named to say what is asked for.
func (p *parser) aside(i int, d draft) float64 {
	u := &p.us[i]
	near := p.governor(i)
	switch {
	case near == 0 || !u.isTable() && (len(u.tabs) == 0 || u.tabs[0].score < 0.9):
		return 0
	case len(d.q.sel) > 0 && p.low(near) == "of":
		return -1.3
	}
	return -0.7
}

// besideColumn parses the mention at i by the column before it: as the owner of that column, or as sharing its
// aggregates.
func (p *parser) besideColumn(i int, d draft, aggs []string) []draft {
	u := &p.us[i]
	var out []draft
	if near := p.skip(i-1, -1, articles); len(u.tabs) == 0 && p.low(near) == "of" && p.ref(near-1) && len(d.q.sel) > 0 {
		out = append(out, d.with(0.8, i)) // the owner of the column before
	}
	if shared := p.sharedAggregates(i); len(aggs) == 0 && shared != nil {
		for _, o := range u.cols {
			n := d.with(0.7+o.score, i)
			for _, a := range shared {
				n.q.sel = append(n.q.sel, expr{agg: a, col: o.id})
			}
			if p.b.cols[o.id].isNumeric() {
				out = append(out, n)
			}
		}
	}
	return out
}

// sharedAggregates returns the functions applied to the mention before, as in "the average height and weight".
func (p *parser) sharedAggregates(i int) []string {
	if p.word(i-1) == "and" && p.ref(i-2) && p.us[i-2].hasCol() {
		return p.aggregatesBefore(i - 2)
	}
	return nil
}

// fullName returns first and last name for a bare "name" if the table has no column for the whole name.
func (p *parser) fullName(i, c int) []int {
	w := p.low(p.us[i].to - p.us[i].from + i - 1)
	if p.us[i].to-p.us[i].from > 2 || (p.toks[p.us[i].to-1].stem != "name") || p.low(i) == "first" || p.low(i) == "last" || w == "first" {
		return nil
	}
	col := &p.b.cols[c]
	if p.low(i-1) == "full" {
		if names := p.nameColumns(col.table); len(names) > 0 && len(names[0]) == 2 {
			return names[0]
		}
	}
	if last(col.words) != "name" || !oneOf("first", col.words) && !oneOf("last", col.words) {
		return nil
	}
	if names := p.nameColumns(col.table); len(names) > 0 && len(names[0]) == 2 {
		return names[0]
	}
	return nil
}

// aggregatesBefore returns the aggregate functions that the words before unit i ask for.
func (p *parser) aggregatesBefore(i int) []string {
	var out []string
	for j := i - 1; j >= 0; j-- {
		w := p.low(j)
		a := aggregates[w]
		if a == "" {
			a = map[string]string{"highest": "max", "largest": "max", "greatest": "max", "lowest": "min", "smallest": "min", "biggest": "max"}[w]
			if p.low(j-1) == "with" {
				a = ""
			}
		}
		if a != "" && !p.us[j].isRef() {
			out = append([]string{a}, out...)
			continue
		}
		if w != "and" && w != "of" && w != "the" && w != "," && w != "value" && w != "all" && w != "both" {
			break
		}
		if len(out) == 0 && (w == "and" || w == ",") {
			break
		}
	}
	return out
}

// governs holds the words after which a table says what something belongs to, and not what is asked for.
var governs = set("of for from in among across by over on at between within to under with")

// governor returns the word of governs within four before unit i, 0 if there is none.
func (p *parser) governor(i int) int {
	for j := i - 1; j > 0 && j >= i-4; j-- {
		w := p.low(j)
		switch {
		case p.us[j].isRef(), w == "," || w == "and" || w == "or":
			return 0
		case governs[w]:
			return j
		}
	}
	return 0
}

// selectTable parses a table's mention: as the owner of the columns, or as its rows, shown by name.
func (p *parser) selectTable(i int, o option, d draft) []draft {
	near := p.governor(i)
	governed := near > 0
	entity := d.with(0.5*o.score, i)
	entity.q.tables = append(entity.q.tables, o.id)
	if governed || p.ref(i+1) && p.us[i+1].hasCol() {
		return []draft{entity.with(0.4), d.with(0.5*o.score+0.1, i)}
	}
	out := []draft{entity.with(-0.2)}
	if len(d.q.sel) > 0 && d.q.sel[0].agg != "" {
		out[0].score += 0.3
	}
	for k, cols := range p.nameColumns(o.id) {
		if k == 2 {
			break
		}
		n := d.with(0.45+0.5*o.score-0.25*float64(k), i)
		for _, c := range cols {
			n.q.sel = append(n.q.sel, expr{col: c})
		}
		out = append(out, n)
	}
	return out
}

// restAt parses mentions outside the selected part: tables are joined, and columns may be.
func (p *parser) restAt(i int, d draft) []draft {
	u := &p.us[i]
	if d.has(i) || !u.isRef() {
		return nil
	}
	if !u.isTable() {
		return []draft{d.with(-0.25, i)}
	}
	n := d.with(0.25*u.tabs[0].score, i)
	n.q.tables = append(n.q.tables, u.tabs[0].id)
	return []draft{n, d.with(-0.1, i)}
}
