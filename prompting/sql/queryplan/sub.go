package queryplan

import (
	"strconv"
	"strings"
)

// sub is a sub-query whose end is not reached yet.
type sub struct {
	name    string
	routine int // the register of its return address, or the coroutine's register
	result  int // the register of a scalar sub-query's answer; -1 while unknown
	scalar  bool
	exists  bool
	from    bool // it is in a FROM clause
	list    bool // its rows form the list of an IN
	held    []value
	// The state outside the sub-query, which pop restores.
	seek    *access
	grouped bool
}

// push enters a sub-query.
func (r *reader) push(s *sub) {
	s.seek, s.grouped = r.seek, r.grouped
	r.seek, r.grouped = nil, false
	r.subs, r.tests = append(r.subs, s), append(r.tests, nil)
}

// pop removes the innermost sub-query and restores the state outside it.
func (r *reader) pop() *sub {
	n := len(r.subs) - 1
	s := r.subs[n]
	r.subs, r.tests = r.subs[:n], r.tests[:len(r.tests)-1]
	r.seek, r.grouped = s.seek, s.grouped
	return s
}

// set notes the result register of a scalar sub-query, which is the first one that it sets: to NULL, or to 0 for EXISTS.
func (s *sub) set(into int, o op) {
	if !s.scalar || s.result >= 0 {
		return
	}
	if o.code == "Null" || o.code == "Integer" && o.p1 == 0 {
		s.result, s.exists = into, o.code == "Integer"
	}
}

func (r *reader) currentSub() *sub {
	for i := len(r.subs) - 1; i >= 0; i-- {
		if r.subs[i].name != "" {
			return r.subs[i]
		}
	}
	return nil
}

// note follows a note of the query plan that comes before o.
func (r *reader) note(text string, o op) {
	if a, ok := readAccess(text); ok {
		if r.used[o.addr] {
			return
		}
		if a.name != "CONSTANT ROW" && a.kind != "BLOOM" {
			r.force(o)
			r.seek = &a
		}
		return
	}
	text, correlated := strings.CutPrefix(text, "CORRELATED ")
	first, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "SCALAR SUBQUERY"), strings.HasPrefix(text, "LIST SUBQUERY"):
		r.enter(o, first == "SCALAR", correlated)
	case first == "CO-ROUTINE", first == "MATERIALIZE":
		r.count++
		if strings.HasPrefix(rest, "(") { // SQLite's own name, as "(subquery-2)"
			rest = strconv.Itoa(r.count)
		}
		r.push(&sub{name: "sub-query " + rest, routine: r.routine(o), result: -1, from: true})
		r.say("Work out the rows of sub-query ", rest, ", as follows.")
	case first == "MULTI-INDEX":
		r.say("Find the rows of each alternative in turn, and take each row once:")
	case first == "INDEX":
		r.say("Alternative ", rest, ":")
		r.alternative(o)
	default:
		r.compound(text, o)
	}
}

// alternative finds the search of an alternative of OR, whose note comes after it.
func (r *reader) alternative(o op) {
	r.either = true
	for _, n := range r.ops[min(o.addr+1, len(r.ops)):] {
		for _, text := range n.notes {
			if a, ok := readAccess(text); ok {
				r.seek, r.used[n.addr] = &a, true
				return
			}
		}
	}
}

// routine returns the register with which the coroutine or subroutine around o returns.
func (r *reader) routine(o op) int {
	for a := o.addr; a >= 0 && a > o.addr-4; a-- {
		if c := r.at(a).code; c == "InitCoroutine" || c == "BeginSubrtn" && a < o.addr {
			if c == "BeginSubrtn" && len(r.subs) > 0 { // pushed when it began
				r.pop()
			}
			if c == "InitCoroutine" {
				return r.at(a).p1
			}
			return r.at(a).p2
		}
	}
	if o.code == "InitCoroutine" {
		return o.p1
	}
	return o.p2
}

// enter begins a sub-query of an expression.
func (r *reader) enter(o op, scalar, correlated bool) {
	if len(r.subs) == 0 || r.subs[len(r.subs)-1].name != "" {
		r.push(&sub{routine: -1, result: -1})
	}
	r.count++
	s := r.subs[len(r.subs)-1]
	s.name, s.scalar, s.list = "sub-query "+strconv.Itoa(r.count), scalar, !scalar
	when := ", once"
	if correlated {
		when = ", for the present row"
	}
	r.say("Work out ", s.name, when, ":")
	if correlated && scalar {
		for _, back := range []int{o.addr - 1, o.addr - 2} {
			if b := r.at(back); s.result < 0 && b.addr > 0 && (b.code == "Null" || b.code == "Integer" && b.p1 == 0) {
				s.set(b.p2, b)
			}
		}
	}
}

// endSub ends the sub-query whose return o is.
func (r *reader) endSub(o op) {
	n := len(r.subs) - 1
	if n < 0 || r.subs[n].routine != o.p1 {
		return
	}
	s := r.pop()
	switch {
	case s.list, s.from:
		rows := ""
		if len(s.held) > 0 {
			rows = ": its rows are (" + join2(texts(s.held)) + ")"
		}
		r.say("This ends ", s.name, rows, ".")
	case !s.scalar || s.result < 0:
	case s.exists:
		r.say("This ends ", s.name, ": known is whether it has a row.")
		r.regs[s.result] = ofCond(atom(s.name+" has a row", s.name+" has no row"))
	default:
		r.say("This ends ", s.name, ": its result is ", r.regs[s.result].String(), ".")
		r.regs[s.result] = value{text: "the result of " + s.name}
	}
}

// yield follows a coroutine that produces a row, or the query that consumes one.
func (r *reader) yield(o op) {
	if o.p2 == 0 {
		r.force(o)
		if s := r.currentSub(); s != nil && s.from && s.routine == o.p1 {
			s.held = r.yielded(o)
		}
	}
	if o.p2 == 0 || r.inMerge(o.addr) {
		return
	}
	if a := r.seek; a != nil {
		r.seek = nil
		name := a.name
		if strings.HasPrefix(name, "(") {
			name = "the sub-query"
		}
		r.say("Go through the rows of ", name, " one by one.")
	}
}

// yielded returns the row that a coroutine produces: the consecutive registers set just before.
func (r *reader) yielded(o op) []value {
	var out []value
	next := -1
	for a := o.addr - 1; a > 0; a-- {
		into, ok := target(r.ops[a])
		if !ok || next >= 0 && into != next {
			break
		}
		for i := r.more(r.ops[a]); i >= 0; i-- {
			out = append([]value{r.regs[into+i]}, out...)
		}
		next = into - 1
	}
	return out
}

// compound follows the notes of UNION, INTERSECT and EXCEPT, and of recursion.
func (r *reader) compound(text string, o op) {
	first, _, _ := strings.Cut(text, " ")
	switch {
	case text == "LEFT-MOST SUBQUERY", text == "LEFT":
		r.say("First part:")
	case text == "RIGHT":
		r.mergeAfter(o)
		r.grouped = false
		r.say("Second part:")
	case text == "UNION ALL":
		r.say("Next part, whose rows are added to those before:")
	case strings.HasPrefix(text, "UNION USING"):
		r.say("Next part, whose rows are added where they are not there yet:")
	case strings.HasPrefix(text, "EXCEPT USING"):
		r.say("Next part, whose rows are taken out of those before:")
	case strings.HasPrefix(text, "INTERSECT USING"):
		r.say("Next part; only rows that are in both stay:")
	case first == "MERGE":
		r.mergeKind(strings.Trim(strings.TrimPrefix(text, "MERGE"), " ()"))
	case text == "SETUP":
		r.say("Recursion, first rows:")
	case text == "RECURSIVE STEP":
		r.say("Recursion, for each row found so far:")
	}
}

// mergeAfter finds where the rows of two sorted parts are merged: from the end of the second one's coroutine to the
// comparison that its beginning leads to.
func (r *reader) mergeAfter(o op) {
	init := r.at(o.addr - 1)
	if init.code != "InitCoroutine" {
		return
	}
	from, to := 0, 0
	for a := o.addr; a < r.begin; a++ {
		switch c := r.ops[a]; {
		case from == 0 && c.code == "EndCoroutine" && c.p1 == init.p1:
			from = a
		case c.code == "Jump" && a >= init.p2 && to == 0:
			to = a
		}
	}
	r.merges = append(r.merges, loop{start: from, end: to})
}

func (r *reader) inMerge(addr int) bool {
	_, ok := around(r.merges, addr)
	return ok
}

// mergeKind returns the set operation that merges two sorted parts.
func (r *reader) mergeKind(kind string) {
	says := map[string]string{
		"UNION ALL": "the rows of both",
		"UNION":     "the rows of both, each once",
		"INTERSECT": "the rows that are in both, each once",
		"EXCEPT":    "the rows of the first that are not in the second, each once",
	}[kind]
	if says != "" {
		r.say("Two parts are worked out and sorted, and compared side by side (", kind, "): wanted are ", says, ".")
	}
}
