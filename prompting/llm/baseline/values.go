package baseline

import "strings"

// valueAt parses the value at unit i as a condition.
func (p *parser) valueAt(i int, d draft) []draft {
	u := p.us[i]
	if !u.isValue {
		n, ok := p.smallNumber(i)
		if !ok {
			return nil
		}
		u.value, u.number, u.isValue = n, true, true
	}
	if d.has(i) || p.isLimit(i) {
		return nil
	}
	c := p.compare(i)
	out := []draft{d.with(-1.2, i)} // the value is not a condition at all
	if c.high >= 0 && d.has(c.high) {
		c.high = -1
	}
	if u.number && c.high < 0 {
		out = append(out, p.havingAt(i, u, c, d)...)
	}
	if again, ok := p.sameColumn(i, u, c, d); ok {
		return append(out, again...)
	}
	for _, o := range p.valueColumns(i, u, c) {
		out = append(out, p.condition(i, u, c, o, d)...)
	}
	return out
}

// smallNumber parses "one" and "once" after a comparison.
func (p *parser) smallNumber(i int) (string, bool) {
	switch w := p.word(i); w {
	case "one", "once", "twice", "a", "1":
		before := p.low(i - 1)
		if before == "than" || w != "a" && (before == "least" || before == "only" || before == "exactly" || before == "just") {
			return map[string]string{"one": "1", "once": "1", "twice": "2", "a": "1"}[w], true
		}
	}
	return "", false
}

// isLimit reports whether the number at i says how many rows to keep: "top 3", "3 most recent", "5 oldest".
func (p *parser) isLimit(i int) bool {
	if !p.us[i].isValue || !p.us[i].number {
		return false
	}
	prev, next := p.low(i-1), p.low(i+1)
	if (next == "most" || next == "least" || next == "fewest" || superlatives[next] != "") && prev != "than" {
		return true
	}
	if j := p.skip(i+1, 1, articles); p.ref(j) && j <= i+2 && p.region[i] && comparatives[prev] == "" && prev != "than" && !p.ref(i-1) {
		for k := j + 1; k < len(p.us); k++ {
			if superlatives[p.low(k)] != "" && comparatives[p.low(k+1)] == "" {
				return true
			}
		}
	}
	return prev == "top" || prev == "first" || prev == "last"
}

// comparison is how a value is compared: the operator, the column words that the comparative implies, the unit at which
// the comparison begins, and the upper bound of a range.
type comparison struct {
	op     string
	speaks string
	start  int
	high   int
	negate bool
	inner  int // a mention between the comparison and the value: "after season 3"; -1 for none
}

var comparisonFiller = set(`than or equal to the a an of is are was were be = as
	year years date in value at on no not number amount total with by`)

// compare parses the words around the value at i.
func (p *parser) compare(i int) comparison {
	c := comparison{op: "=", start: i, high: -1, inner: -1}
	for j := i - 1; j >= 0 && j >= i-6 && !p.us[j].isValue; j-- {
		w := p.low(j)
		if p.us[j].isRef() && comparatives[w] == "" {
			if k := p.skip(j-1, -1, set("the")); j == i-1 && comparatives[p.low(k)] != "" && p.low(k) != "most" && p.low(k) != "least" {
				c.inner = j
				continue
			}
			break
		}
		if w == "between" || w == "from" && p.low(i+1) == "to" {
			if p.low(i+1) == "and" || p.low(i+1) == "to" {
				if i+2 < len(p.us) && p.us[i+2].number {
					c.op, c.start, c.high = "BETWEEN", j, i+2
					return c
				}
			}
		}
		if spec := comparatives[w]; spec != "" {
			c.op, c.speaks, _ = strings.Cut(spec, " ")
			c.start = j
			p.adjust(&c, j, i)
			break
		}
		if w == "not" || w == "except" || w == "excluding" || w == "besides" || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			c.negate = true
			break
		}
		if !comparisonFiller[w] {
			break
		}
	}
	if c.op == "=" {
		p.like(&c, i)
	}
	if c.op == "=" && !c.negate {
		c.negate = p.negated(i)
	}
	p.orMore(&c, i)
	if p.low(i+1) == "years" && (p.low(i+2) == "old" || p.low(i+2) == "of" && p.low(i+3) == "age") {
		c.speaks = "age"
	}
	return c
}

// adjust parses "at least", "at most", "no more than", "greater than or equal to" around the comparative at j.
func (p *parser) adjust(c *comparison, j, i int) {
	before := p.low(j - 1)
	switch w := p.low(j); {
	case (w == "most" || w == "least" || w == "minimum" || w == "maximum") && before != "at" && p.low(j+1) != "of":
		c.op, c.speaks, c.start = "=", "", i
		return
	case before == "no" || before == "not":
		c.op = map[string]string{">": "<=", "<": ">="}[c.op]
		if c.op == "" {
			c.op = "="
		}
		c.start = j - 1
	}
	for k := j + 1; k < i; k++ {
		if p.low(k) == "equal" && len(c.op) == 1 {
			c.op += "="
		}
	}
}

// orMore parses "or more", "or older", "or less" after the value at i.
func (p *parser) orMore(c *comparison, i int) {
	j := i + 1
	if p.low(j) == "years" || p.low(j) == "%" {
		j++
	}
	if p.low(j) != "or" && p.low(j) != "and" {
		return
	}
	switch spec := comparatives[p.low(j+1)]; {
	case p.low(j+2) == "than":
	case strings.HasPrefix(spec, ">"):
		c.op = ">="
	case strings.HasPrefix(spec, "<"):
		c.op = "<="
	}
}

var partWords = set("substring like includes word phrase letter string")

// like parses "contains", "starts with", "ends with" before the value at i.
func (p *parser) like(c *comparison, i int) {
	for j := i - 1; j >= 0 && j >= i-6; j-- {
		switch w := p.low(j); {
		case strings.HasPrefix(w, "contain"), partWords[w]:
			c.op, c.start = "LIKE", j
		case (strings.HasPrefix(w, "start") || strings.HasPrefix(w, "begin")) && (p.low(j+1) == "with" || p.low(j+1) == "by"):
			c.op, c.start = "LIKE^", j
			return
		case (w == "end" || w == "ends" || w == "ending") && p.low(j+1) == "with":
			c.op, c.start = "LIKE$", j
			return
		case p.us[j].isValue:
			return
		}
	}
}

// negated reports whether there is a "not" in the clause before the value at i.
func (p *parser) negated(i int) bool {
	for j := i - 1; j >= 0 && j >= i-8; j-- {
		switch w := p.low(j); {
		case w == "other" && p.low(j+1) == "than", w == "no" && p.low(j+1) != "more" && p.low(j+1) != "less":
			return true
		case w == "not" || w == "never" || w == "without" || w == "except" || w == "excluding" || hasAnySuffix(w, "n't", "n’t"):
			return true
		case w == "," || w == "who" || w == "that" || w == "whose" || w == "but" || w == "." || p.us[j].isValue:
			return false
		}
	}
	return false
}

// choice is a column to which a value may belong, with the unit that named it (-1 if none).
type choice struct {
	col   int
	score float64
	unit  int
	also  int // the column of the surname, if the value is a person's full name; else 0
}

// sameColumn parses "A or B" and "both A and B": the value at i shares the column of the value before it.
func (p *parser) sameColumn(i int, u unit, c comparison, d draft) ([]draft, bool) {
	if d.last < 0 || len(d.q.where) == 0 || c.op != "=" {
		return nil, false
	}
	link := ""
	for j := d.last + 1; j < i; j++ {
		switch w := p.low(j); w {
		case "or", "and":
			link = w
		case ",", "either", "in", "the", "a", "from", "to", "for", "of", "&", "also":
		default:
			return nil, false
		}
	}
	if link == "" && p.low(d.last+1) != "," {
		return nil, false
	}
	prev := d.q.where[len(d.q.where)-1]
	if prev.sub != nil || prev.op != "=" && prev.op != "!=" && prev.op != "LIKE" || p.us[d.last].number != u.number {
		return nil, false
	}
	next := prev
	next.right = p.literalFor(u, next.left.col, strings.Trim(prev.op, "!"))
	var out []draft
	or := d.with(0.6, i)
	next.or = prev.op != "!="
	or.q.where = append(or.q.where, next)
	or.last = i
	if link == "and" && prev.op == "=" {
		both := d.with(0.3, i)
		next.or = false
		p.intersect(&both, next)
		both.last = i
		if p.says("both") || p.says("also") || p.says("shared") {
			both.score += 0.8
			or.score -= 0.4
		} else if !p.region[i] {
			both.score += 0.1
		}
		out = append(out, both)
	}
	return append(out, or), true
}

// intersect makes d's query the left operand, and a copy with the last condition replaced by c the right operand.
func (p *parser) intersect(d *draft, c cond) {
	arm := d.q.copy()
	arm.where[len(arm.where)-1] = c
	d.q.setOp, d.q.right = "INTERSECT", &query{where: arm.where}
}

// says reports whether the question has the word.
func (p *parser) says(w string) bool {
	for i := range p.us {
		if p.low(i) == w {
			return true
		}
	}
	return false
}

// condition adds the value at i as a condition on the chosen column.
func (p *parser) condition(i int, u unit, c comparison, o choice, d draft) []draft {
	next := d.with(o.score, i, o.unit, c.high)
	next.last = i
	col := &p.b.cols[o.col]
	op := c.op
	if op == "=" && u.number && col.has("date") && len(u.value) == 4 && p.us[i].word == u.value {
		op = "LIKE"
	}
	k := cond{left: expr{col: o.col}, op: strings.TrimRight(op, "^$")}
	if c.high >= 0 {
		k.right = p.literalFor(u, o.col, "=") + " AND " + p.literalFor(p.us[c.high], o.col, "=")
	} else {
		k.right = p.literalFor(u, o.col, op)
	}
	k.or = d.last >= 0 && len(d.q.where) > 0 && p.orBetween(d.last, i)
	if first, surname, ok := strings.Cut(u.value, " "); ok && o.also > 0 && !c.negate {
		k.right = literal(first, false)
		next.q.where = append(next.q.where, k, cond{left: expr{col: o.also}, op: "=", right: literal(surname, false)})
		return []draft{next}
	}
	if !c.negate {
		next.q.where = append(next.q.where, k)
		return append(p.alsoIntersect(d, next, k), next)
	}
	var out []draft
	if p.main >= 0 && col.table != p.main && k.op == "=" {
		if key, ref, ok := p.bridge(p.main, col.table); ok {
			sub := &query{sel: []expr{{col: ref}}, where: []cond{k}}
			far := next.with(0.1)
			far.q.where = append(far.q.where, cond{left: expr{col: key}, op: "NOT IN", sub: sub})
			out = append(out, far)
		}
	}
	switch k.op {
	case "=":
		k.op = "!="
	case "LIKE":
		k.op = "NOT LIKE"
	}
	next.q.where = append(next.q.where, k)
	return append(out, next)
}

// alsoIntersect offers INTERSECT if two conditions on one column cannot both hold for one row.
func (p *parser) alsoIntersect(d, next draft, k cond) []draft {
	n := len(d.q.where)
	if n == 0 || k.or || d.q.right != nil {
		return nil
	}
	prev := d.q.where[n-1]
	if prev.left != k.left || prev.sub != nil || prev.op == k.op && k.op != "=" {
		return nil
	}
	both := next.with(0.4)
	both.q.where = both.q.where[:n]
	p.intersect(&both, k)
	return []draft{both}
}

// orBetween reports whether an "or" between units i and j joins values. The "or" of "5 or more" does not.
func (p *parser) orBetween(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if p.low(k) == "or" && (comparatives[p.low(k+1)] == "" || p.low(k+2) == "than" || k+2 == j) {
			return true
		}
	}
	return false
}

// bridge returns the column of table t, and the column of the next table on the way to far, that a NOT IN compares.
func (p *parser) bridge(t, far int) (key, ref int, ok bool) {
	_, edges, _, ok := p.b.tree([]int{t, far})
	if !ok || len(edges) < 2 {
		return 0, 0, false
	}
	return edges[1].a, edges[1].b, true
}

// literalFor returns a value as SQL for a column: in the spelling of a sample value, or the usual form of sexes and
// countries.
func (p *parser) literalFor(u unit, c int, op string) string {
	col := &p.b.cols[c]
	v := u.value
	for _, s := range col.samples {
		if strings.EqualFold(s, v) || strings.EqualFold(s, stem(strings.ToLower(v))) {
			v = s
			break
		}
	}
	if n, ok := demonyms[strings.ToLower(v)]; ok && u.demonym && !oneOf("nationality", col.words) && col.anyWord(placed) {
		v = n
	}
	switch op {
	case "LIKE":
		return literal("%"+v+"%", false)
	case "LIKE^":
		return literal(v+"%", false)
	case "LIKE$":
		return literal("%"+v, false)
	}
	return literal(v, u.number && !strings.Contains(strings.ToLower(col.typ), "char"))
}
