package queryplan

import (
	"slices"
	"strings"
)

// row follows an instruction that keeps, groups, counts or returns rows, and reports whether o is one.
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

// insert records what goes into a temporary b-tree, and why.
func (r *reader) insert(o op) {
	c := r.cursors[o.p1]
	if c == nil || c.tree != nil {
		return
	}
	values := r.records[o.p2]
	r.force(o)
	c.values = values
	switch {
	case c.room == "sorting":
		r.keepLimit(o, c)
		r.say("Keep ", fields(values, c), " for sorting.")
	case c.room == "grouping":
		r.say("Keep ", fields(values, c), " for grouping.")
	case c.room == "telling repeated rows apart", c.room == "a temporary index":
	case len(values) == 1 && values[0].literal:
		c.listed = append(c.listed, values[0].text)
		r.want(values[0])
	default:
		r.fill(c, values)
	}
}

// fill records a row that a sub-query or a part of a compound puts by.
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

// fields tells what is kept of a row; a key that is only a number of sequence is left out.
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

// keepLimit notes how many rows a sorter keeps: IfNotZero counts them before the insertion.
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

// rowsOf tells a LIMIT: "3 rows after the first 2".
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

// sorted begins to read what was kept for sorting or grouping.
func (r *reader) sorted(o op, c *cursor) {
	r.force(o)
	by := sortKeys(c)
	switch {
	case by == "":
		r.say("Sort what was kept.")
	case c.room == "grouping":
		r.say("Sort what was kept by ", by, ", so that equal ones stand together.")
	case c.limit != "":
		r.say("Sort what was kept by ", by, ", and take ", c.limit, ".")
	default:
		r.say("Sort what was kept by ", by, ".")
	}
	if c.room == "sorting" && r.returns(o) {
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

// sortKeys names a sorter's key columns with their directions.
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
		if c.room == "grouping" {
		} else if strings.HasPrefix(k, "-") {
			key += " from highest to lowest"
		} else {
			key += " from lowest to highest"
		}
		out = append(out, key)
	}
	return compose(strings.Join(out, ", then "))
}

// compare tells neighbours apart: a change of the grouping columns ends a group, and a row like the one before it is
// left out of a DISTINCT.
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

// aggregate takes the present row into an aggregate.
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

// settleOpen is the condition of tests that lead past o, which therefore holds for o alone.
func (r *reader) settleOpen(o op) *cond {
	if len(r.tests[len(r.tests)-1]) == 0 {
		return always
	}
	return r.settle(o.addr, true)
}

// force tells tests that lead past o.
func (r *reader) force(o op) {
	if c := r.settleOpen(o); c != always && c != never {
		r.say("Only where ", c.text(), ":")
	}
}

// membership tells Found and NotFound: rows met before, or a list.
func (r *reader) membership(o op) *cond {
	c := r.cursors[o.p1]
	if c == nil { // opened where a group begins, which is written further down
		c = &cursor{}
		r.open(o.p1, c)
	}
	n := max(1, num(o.text))
	what := join2(texts(r.get(o.p3, n)))
	if rec, ins := r.at(o.addr+1), r.at(o.addr+2); o.code == "Found" && rec.code == "MakeRecord" && ins.code == "IdxInsert" && ins.p1 == o.p1 {
		c.room = "telling repeated rows apart"
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

// set names what a temporary b-tree holds.
func (c *cursor) set() string {
	switch {
	case len(c.listed) > 0:
		return compose("(", strings.Join(c.listed, ", "), ")")
	case c.filled != "":
		return c.filled
	}
	return c.String()
}

// stop tells a LIMIT that ends a loop. One that only ends a scalar sub-query after its row says nothing new.
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

// output returns a row.
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

// each says of what a row is returned.
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
