package queryplan

import (
	"slices"
	"strings"
)

// row follows an instruction that stores, groups, counts or returns rows, and reports whether o is one.
func (r *reader) row(o op) bool {
	switch o.code {
	case "MakeRecord":
		r.records[o.p3] = r.get(o.p1, o.p2)
	case "SorterInsert", "IdxInsert", "Insert":
		r.insert(o)
	case "IdxDelete":
		r.say("Take the row (", join2(texts(r.get(o.p2, o.p3))), ") out again: it is in both parts.")
	case "SorterData":
		if c := r.cursors[o.p1]; c != nil {
			r.cursors[o.p3] = c
		}
	case "Compare":
		r.compare(o)
	case "AggStep", "AggStep1":
		r.aggregate(o)
	case "ResultRow":
		r.output(o)
	case "Yield":
		r.yield(o)
	case "EndCoroutine":
		r.endSub(o)
	case "BeginSubrtn":
		r.push(&sub{routine: o.p2, result: -1})
	case "Return":
		r.either = false
		r.endSub(o)
	case "OffsetLimit":
		r.limits[o.p1] = limit{r.regs[o.p1].text, r.regs[o.p3].text}
		r.limits[o.p2] = r.limits[o.p1]
		r.limits[o.p3] = r.limits[o.p1]
	case "DecrJumpZero":
		r.stop(o)
	default:
		return false
	}
	return true
}

func join2(parts []string) string { return compose(strings.Join(parts, ", ")) }

// insert adds the step that fills a temporary b-tree, by the purpose of the b-tree.
func (r *reader) insert(o op) {
	c := r.cursors[o.p1]
	if c == nil || c.tree != nil {
		return
	}
	values := r.records[o.p2]
	r.force(o)
	c.values = values
	switch {
	case c.purpose == "sorting":
		r.keepLimit(o, c)
		r.say("Keep ", fields(values, c), " for sorting.")
	case c.purpose == "grouping":
		r.say("Keep ", fields(values, c), " for grouping.")
	case c.purpose == "telling repeated rows apart", c.purpose == "a temporary index":
	case len(values) == 1 && values[0].literal:
		c.listed = append(c.listed, values[0].text)
		r.want(values[0])
	default:
		r.fill(c, values)
	}
}

// fill adds the step with which a sub-query, or a part of a compound, stores a row.
func (r *reader) fill(c *cursor, values []value) {
	if s := r.currentSub(); s != nil && c.filled == "" {
		c.filled = s.name
	}
	if s := r.currentSub(); s != nil && c.filled == s.name {
		s.held = values
		r.say("Add (", join2(texts(values)), ") to the rows of ", s.name, ".")
		return
	}
	if c.filled == "" {
		c.filled = "the rows put by"
	}
	r.say("Put (", join2(texts(values)), ") by.")
}

// fields lists the stored values of a row, each once, without a key that is only a sequence number.
func fields(values []value, c *cursor) string {
	var out []string
	for _, v := range values {
		if v.text != "" && !slices.Contains(out, v.text) {
			out = append(out, v.text)
		}
	}
	if len(out) == 0 {
		return "the row"
	}
	return "(" + join2(out) + ")"
}

// keepLimit notes how many rows a sorter keeps. With a LIMIT, SQLite counts them down by IfNotZero before the insertion, at
// most 24 instructions earlier.
func (r *reader) keepLimit(o op, c *cursor) {
	for a := o.addr - 1; a > 0 && a > o.addr-24; a-- {
		n := r.ops[a]
		if n.code != "IfNotZero" {
			continue
		}
		if l, ok := r.limits[n.p1]; ok {
			c.limit = rowsOf(l)
		} else if v := r.regs[n.p1]; v.literal {
			c.limit = rowsOf(limit{most: v.text})
		}
		return
	}
}

// rowsOf describes a LIMIT: "the first 3 rows after leaving out 2". SQLite returns all rows for a negative LIMIT.
func rowsOf(l limit) string {
	s := "the first row"
	if l.most != "1" {
		s = "the first " + l.most + " rows"
	}
	if strings.HasPrefix(l.most, "-") {
		s = "all rows"
	}
	if l.skip != "" && l.skip != "0" {
		s += " after leaving out " + l.skip
	}
	return s
}

// sorted adds the step that sorts the stored rows, at the start of the loop that reads them.
func (r *reader) sorted(o op, c *cursor) {
	r.force(o)
	by := sortKeys(c)
	switch {
	case by == "":
		r.say("Sort what was kept.")
	case c.purpose == "grouping":
		r.say("Sort what was kept by ", by, ", so that equal ones stand together.")
	case c.limit != "":
		r.say("Sort what was kept by ", by, ", and take ", c.limit, ".")
	default:
		r.say("Sort what was kept by ", by, ".")
	}
	if c.purpose == "sorting" && r.returns(o) {
		r.orders = append(r.orders, by)
		if c.limit != "" {
			r.bounds = append(r.bounds, c.limit)
		}
	}
}

// returns reports whether the loop that begins at o returns rows.
func (r *reader) returns(o op) bool {
	for a := o.addr + 1; a < r.begin && a < o.p2; a++ {
		switch r.ops[a].code {
		case "ResultRow":
			return true
		case "SorterNext", "Next":
			return false
		}
	}
	return false
}

// sortKeys names the key columns of a sorter, with their directions unless it groups: groups have no order of their own.
func sortKeys(c *cursor) string {
	if c.keys == "" {
		return ""
	}
	var out []string
	for i, k := range strings.Split(c.keys, ",") {
		if i >= len(c.values) || k == "" {
			break
		}
		key := c.values[i].String()
		if c.purpose == "grouping" {
		} else if strings.HasPrefix(k, "-") {
			key += " from highest to lowest"
		} else {
			key += " from lowest to highest"
		}
		out = append(out, key)
	}
	return compose(strings.Join(out, ", then "))
}

// compare follows the comparison of a row with the one before it: a change of the grouping columns ends a group, and
// DISTINCT skips an equal row.
func (r *reader) compare(o op) {
	jump := r.at(o.addr + 1)
	if jump.code != "Jump" || r.inMerge(o.addr) {
		return
	}
	keys := join2(texts(r.get(o.p2, o.p3)))
	if r.at(jump.p1).code != "Gosub" {
		r.say("Skip the row where (", keys, ") is the same as in the row before.")
		return
	}
	r.grouped = true
	r.say("Rows with the same ", keys, " make one group.")
}

// aggregate adds the step that includes the present row in an aggregate.
func (r *reader) aggregate(o op) {
	c := r.settleOpen(o)
	name, n := callee(o.text)
	if n < 0 {
		n = o.p5
	}
	args := texts(r.get(o.p2, n))
	if n == 0 {
		args = []string{"*"}
	}
	word := ""
	if r.unique {
		word, r.unique = "DISTINCT ", false
	}
	v := value{text: compose(name, "(", word, join2(args), ")")}
	where := ""
	if c != always {
		where = " where " + c.text()
		v.text = compose(v.text, " FILTER (WHERE ", c.text(), ")")
	}
	r.regs[o.p3] = v
	switch {
	case n == 0:
		r.say("Count the row", where, ": add 1 to ", v.text, ".")
	case word != "":
		r.say("Take ", args[0], where, " into ", v.text, ", unless it is there already.")
	default:
		r.say("Take ", join2(args), where, " into ", v.text, ".")
	}
}

// settleOpen returns the condition of the pending tests that jump past o. It holds for o alone, not for the row.
func (r *reader) settleOpen(o op) *cond {
	if len(r.tests[len(r.tests)-1]) == 0 {
		return always
	}
	return r.settle(o.addr, true)
}

// force adds the step of the tests that jump past o.
func (r *reader) force(o op) {
	if c := r.settleOpen(o); c != always && c != never {
		r.say("Only where ", c.text(), ":")
	}
}

// membership follows Found and NotFound, which look a row up among earlier rows or in a list.
func (r *reader) membership(o op) *cond {
	c := r.cursors[o.p1]
	if c == nil { // opened at the beginning of a group, which comes at a later address
		c = &cursor{}
		r.open(o.p1, c)
	}
	n := max(1, num(o.text))
	what := join2(texts(r.get(o.p3, n)))
	if rec, ins := r.at(o.addr+1), r.at(o.addr+2); o.code == "Found" && rec.code == "MakeRecord" && ins.code == "IdxInsert" && ins.p1 == o.p1 {
		c.purpose = "telling repeated rows apart"
		if strings.HasPrefix(r.at(o.addr+3).code, "AggStep") {
			r.unique = true
		} else {
			r.say("Skip the row where (", what, ") was met before: each is wanted once.")
		}
		return nil
	}
	if num(o.text) == 0 && c.tree == nil && len(r.records[o.p3]) > 0 {
		what = join2(texts(r.records[o.p3]))
	}
	if n > 1 {
		what = "(" + what + ")"
	}
	in, out := compose(what, " is in ", c.set()), compose(what, " is not in ", c.set())
	if o.code == "Found" {
		return atom(in, out)
	}
	return atom(out, in)
}

// set names the content of a temporary b-tree.
func (c *cursor) set() string {
	switch {
	case len(c.listed) > 0:
		return compose("(", strings.Join(c.listed, ", "), ")")
	case c.filled != "":
		return c.filled
	}
	return c.String()
}

// stop adds the step of a LIMIT that ends a loop. The limit that ends a scalar sub-query after its one row gets no step.
func (r *reader) stop(o op) {
	l, ok := r.limits[o.p1]
	if !ok {
		v := r.regs[o.p1]
		if !v.literal {
			return
		}
		l = limit{most: v.text}
	}
	switch r.at(o.addr - 1).code {
	case "ResultRow":
		r.bounds = append(r.bounds, rowsOf(l))
	case "Yield", "IdxInsert", "Insert":
		r.say("Stop after ", rowsOf(l), ".")
	}
}

// output adds the step that returns a row. Two ways to the same row give one step.
func (r *reader) output(o op) {
	r.force(o)
	out := texts(r.get(o.p1, o.p2))
	for i, s := range out {
		if (s == unknown || s == long) && i < len(r.names) {
			out[i] = r.names[i]
		}
	}
	line := sentence(r.each(o), strings.Join(out, ", "), ".")
	if !slices.Contains(r.outputs, line) {
		r.outputs = append(r.outputs, line)
	}
}

// each says for what a row is returned: each row, each group, or once.
func (r *reader) each(o op) string {
	_, looped := around(r.loops, o.addr)
	switch {
	case r.inMerge(o.addr):
		return "For each row wanted, return "
	case r.grouped:
		return "For each group that is left, return "
	case looped, r.either:
		return "For each row that is left, return "
	}
	return "Return one row: "
}
