package queryplan

import (
	"strings"

	"assay/prompting/sql/schema"
)

// search adds the step of a look-up by key: SeekRowid and NotExists use the row id, the other instructions the columns of
// an index or a range of row ids.
func (r *reader) search(o op) {
	c := r.cursors[o.p1]
	if c == nil {
		return
	}
	a := r.seek
	r.seek = nil
	if a == nil {
		a = &access{}
	}
	r.name(c, a)
	if o.code == "SeekRowid" || o.code == "NotExists" {
		r.say("Find the row of ", c.String(), " with ", r.rowid(c).String(), " = ", r.regs[o.p3].inner(), r.noneFound(a, "if", o), ".", a.outer(c))
		return
	}
	r.link(c, o)
	where := strings.Join(r.keys(o, c, a), " and ")
	if where == "" { // for the least or greatest value alone
		r.say("Go to one end of ", c.String(), ", in the order of its index by ", r.orderOf(c), ".")
		return
	}
	where = "with " + where
	by := ""
	if c.tree == nil {
		by = ", by the temporary index"
	}
	r.say("Find the rows of ", c.String(), " ", where, by, r.noneFound(a, "where", o), ".", a.outer(c))
}

// noneFound says what happens to the row for which nothing is found. A LEFT JOIN has a sentence of its own for that.
func (r *reader) noneFound(a *access, word string, o op) string {
	if a.left {
		return ""
	}
	return "; " + word + " there is none, " + r.giveUp(o)
}

// link finds the table of an index that is searched, so that its columns can be named before DeferredSeek is reached. It
// looks at most 40 instructions ahead.
func (r *reader) link(c *cursor, o op) {
	for a := o.addr + 1; a < r.begin && a < o.addr+40; a++ {
		if n := r.ops[a]; n.code == "DeferredSeek" && n.p1 == o.p1 {
			r.together(c, r.cursors[n.p3])
			return
		}
	}
}

// keys replaces the question marks of the note by the values searched for. Equal values and the start of a range are in
// the search's own key; the end of a range is in the test that ends the loop.
func (r *reader) keys(o op, c *cursor, a *access) []string {
	terms := a.terms
	if len(terms) == 0 {
		return nil
	}
	size := num(o.text)
	if size == 0 {
		size = 1 // a range of row ids has its key in P3 alone
	}
	equal := 0
	for equal < len(terms) && terms[equal].sign == "=" {
		equal++
	}
	var out []string
	for i, t := range terms[:equal] {
		out = append(out, r.pair(c, t, "=", r.regs[o.p3+i]))
	}
	rest := terms[equal:]
	if size > equal && len(rest) > 0 {
		t := rest[0]
		out = append(out, r.pair(c, t, t.sign+orEqual(o.code), r.regs[o.p3+equal]))
		rest = rest[1:]
	}
	for _, t := range rest {
		if end, ok := r.end(o, equal); ok {
			out = append(out, r.pair(c, t, t.sign+end.sign, end.value))
		} else {
			out = append(out, r.pair(c, t, t.sign, value{}))
		}
	}
	return out
}

// orEqual returns the second character of a range's comparison sign: SeekGE and SeekLE include their bound.
func orEqual(code string) string {
	if strings.HasSuffix(code, "E") {
		return "="
	}
	return ""
}

// rangeEnd is the bound of a range's end; sign is "=" where the range includes it.
type rangeEnd struct {
	sign  string
	value value
}

// end finds the test that ends the range that o begins, at most 24 instructions ahead.
func (r *reader) end(o op, equal int) (rangeEnd, bool) {
	regs := map[int]value{}
	for a := o.addr + 1; a < r.begin && a < o.addr+24; a++ {
		n := r.ops[a]
		if v, into, ok := r.peek(n); ok {
			regs[into] = v
		}
		reg, sign := -1, ""
		switch {
		case strings.HasPrefix(n.code, "Idx") && n.p1 == o.p1 && num(n.text) > equal:
			reg, sign = n.p3+equal, map[string]string{"IdxGT": "=", "IdxLT": "="}[n.code]
		case comparisons[n.code][0] != "" && r.at(a-1).code == "Rowid" && r.at(a-1).p1 == o.p1 && n.p3 == r.at(a-1).p2:
			reg, sign = n.p1, map[string]string{"Gt": "=", "Lt": "="}[n.code]
		}
		if reg < 0 {
			continue
		}
		if v, ok := regs[reg]; ok {
			return rangeEnd{sign, v}, true
		}
		return rangeEnd{sign, r.regs[reg]}, true
	}
	return rangeEnd{}, false
}

// peek returns the value that a later instruction will set, if that depends on a cursor or a constant alone.
func (r *reader) peek(o op) (value, int, bool) {
	switch o.code {
	case "Column":
		return r.column(r.cursors[o.p1], o.p2), o.p3, true
	case "Copy", "SCopy":
		return r.regs[o.p1], o.p2, true
	}
	v, ok := r.constant(o)
	return v, o.p2, ok && o.code != "Null"
}

func (r *reader) pair(c *cursor, t term, sign string, v value) string {
	name := c.short() + "." + schema.Quote(t.column)
	switch {
	case t.column == "rowid":
		name = r.rowid(c).String()
	case c.tree != nil && !strings.HasPrefix(t.column, "<"):
		name = c.named(t.column).text
	}
	return name + " " + sign + " " + v.inner()
}
