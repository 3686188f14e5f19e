package queryplan

import "strings"

// test is a conditional jump: where c holds, the program continues at target.
type test struct {
	addr, target int
	c            *cond
	fail         bool // the target skips the row
}

// choice is a CASE whose end is not reached yet: at end, the register into has the first arm whose condition holds.
type choice struct {
	end, into int
	arms      []string
	bare      bool // COALESCE or IFNULL: the arms have no conditions
}

var comparisons = map[string][2]string{
	"Eq": {"=", "<>"}, "Ne": {"<>", "="}, "Lt": {"<", ">="}, "Le": {"<=", ">"}, "Gt": {">", "<="}, "Ge": {">=", "<"},
}

// comparison returns the condition under which a comparing instruction jumps, or nil where o is no such instruction.
func (r *reader) comparison(o op) *cond {
	sign, ok := comparisons[o.code]
	if !ok {
		return nil
	}
	const nullEqual = 0x80
	if o.p5&nullEqual != 0 {
		sign = map[string][2]string{"=": {"IS", "IS NOT"}, "<>": {"IS NOT", "IS"}}[sign[0]]
	}
	a, b := r.regs[o.p3], r.regs[o.p1]
	return atom(compose(a.inner(), " ", sign[0], " ", b.inner()), compose(a.inner(), " ", sign[1], " ", b.inner()))
}

// test follows a conditional jump, and reports whether o is one.
func (r *reader) test(o op) bool {
	c, isTest := r.jump(o)
	if c == nil || r.inMerge(o.addr) {
		return isTest
	}
	if next := r.at(o.addr + 1); next.code == "ZeroOrNull" {
		return true
	}
	target := r.chase(o.p2)
	top := len(r.tests) - 1
	r.tests[top] = append(r.tests[top], test{o.addr, target, c, r.fails(o.addr, target)})
	return true
}

// jump returns the condition under which o jumps; nil and true for a jump that says nothing about the query.
func (r *reader) jump(o op) (c *cond, isTest bool) {
	if c := r.comparison(o); c != nil {
		return c, true
	}
	v := r.regs[o.p1]
	switch o.code {
	case "If", "IfNot":
		return r.truth(o, v), true
	case "IsNull", "NotNull":
		return r.nullTest(o, v), true
	case "IsTrue":
		return nil, true
	case "Found", "NotFound", "NoConflict":
		return r.membership(o), true
	case "IfPos", "IfNotZero", "IfSmaller", "Once", "ElseEq", "IsType", "Filter", "IfNullRow", "Goto":
		r.leave(o)
		return nil, true
	}
	return nil, false
}

func (r *reader) truth(o op, v value) *cond {
	if v.flag || v.literal || v.text == "" {
		return nil
	}
	c := v.cond
	if c == nil {
		c = atom(compose(v.inner(), " is true"), compose(v.inner(), " is not true"))
	}
	if o.code == "IfNot" {
		return not(c)
	}
	return c
}

// nullTest returns the condition of IS NULL or IS NOT NULL, unless the test only guards a search or ends a COALESCE.
func (r *reader) nullTest(o op, v value) *cond {
	if v.flag || v.text == "" || r.guards(o) {
		return nil
	}
	if o.code == "NotNull" && r.coalesces(o, v) {
		return nil
	}
	c := atom(compose(v.inner(), " is NULL"), compose(v.inner(), " is not NULL"))
	if o.code == "NotNull" {
		return not(c)
	}
	return c
}

// guards reports whether the register that a null test reads is next used as a key of a search, or compared. Such a test
// only saves work, since a NULL neither finds nor equals anything, so it gets no step.
func (r *reader) guards(o op) bool {
	for a := o.addr + 1; a < r.begin && a < o.addr+64; a++ {
		n := r.ops[a]
		switch {
		case strings.HasPrefix(n.code, "Seek") && n.code != "SeekScan":
			if n.code == "SeekRowid" {
				return n.p3 == o.p1
			}
			return o.p1 >= n.p3 && o.p1 < n.p3+max(1, int(num(n.text)))
		case n.code == "Found", n.code == "NotFound":
			return o.p1 >= n.p3 && o.p1 < n.p3+max(1, num(n.text))
		case n.code == "NotExists":
			return n.p3 == o.p1
		case comparisons[n.code] != [2]string{}:
			return o.code == "IsNull" && (n.p3 == o.p1 || n.p1 == o.p1) && r.chase(n.p2) == r.chase(o.p2)
		case n.code == "BeginSubrtn": // over the sub-query, to its use
			a = r.routineEnd(a)
		case pass[n.code], isConstant[n.code]:
		default:
			return false
		}
	}
	return false
}

// pass has the instructions that may occur between a guard and its search.
var pass = map[string]bool{"Affinity": true, "IsNull": true, "Column": true, "Copy": true, "SCopy": true, "Rowid": true,
	"Cast": true, "MustBeInt": true, "Once": true, "Function": true, "Add": true, "Subtract": true, "Multiply": true,
	"Divide": true, "Filter": true, "SeekScan": true, "NullRow": true, "RealAffinity": true}

// routineEnd returns the address at which the sub-query that begins at addr returns.
func (r *reader) routineEnd(addr int) int {
	for a := addr + 1; a < r.begin; a++ {
		if r.ops[a].code == "Return" && r.ops[a].p1 == r.ops[addr].p2 {
			return a
		}
	}
	return addr
}

// coalesces notes that the register holds v or, where that is NULL, what is set before the jump's target.
func (r *reader) coalesces(o op, v value) bool {
	last := r.at(o.p2 - 1)
	into, ok := target(last)
	if o.p2 <= o.addr+1 || !ok || into != o.p1 {
		return false
	}
	for i := range r.cases {
		if c := &r.cases[i]; c.end == o.p2 && c.into == into {
			c.arms = append(c.arms, v.String())
			return true
		}
	}
	r.cases = append(r.cases, choice{end: o.p2, into: into, arms: []string{v.String()}, bare: true})
	return true
}

// target returns the register that an instruction sets, for instructions that can be the last of an expression.
func target(o op) (int, bool) {
	switch o.code {
	case "Column", "Function", "PureFunc":
		return o.p3, true
	case "Copy", "SCopy", "Rowid", "ZeroOrNull", "Not":
		return o.p2, true
	case "Cast", "RealAffinity":
		return o.p1, true
	}
	if isConstant[o.code] {
		return o.p2, true
	}
	_, ok := operators[o.code]
	return o.p3, ok || o.code == "And" || o.code == "Or"
}

// leave follows a Goto that ends an arm of a CASE: the pending tests are the condition of the arm.
func (r *reader) leave(o op) {
	if o.code != "Goto" || o.p2 <= o.addr {
		return
	}
	into, ok := target(r.at(o.addr - 1))
	if !ok || !r.writes(into, o.addr+1, o.p2) {
		return
	}
	arm := r.regs[into].String()
	if c := r.settle(o.addr, true); c != always {
		arm = compose("WHEN ", c.text(), " THEN ", arm)
	}
	for i := range r.cases {
		if c := &r.cases[i]; c.end == o.p2 && c.into == into {
			c.arms = append(c.arms, arm)
			return
		}
	}
	r.cases = append(r.cases, choice{end: o.p2, into: into, arms: []string{arm}})
}

// writes reports whether register n is set between two addresses.
func (r *reader) writes(n, from, to int) bool {
	for a := from; a < to && a < len(r.ops); a++ {
		if into, ok := target(r.ops[a]); ok && into == n {
			return true
		}
	}
	return false
}

// chase follows jumps to unconditional jumps and returns the final address.
func (r *reader) chase(addr int) int {
	for range 16 {
		o := r.at(addr)
		if o.code != "Goto" {
			break
		}
		addr = o.p2
	}
	return addr
}

// fails reports whether a jump from addr to target skips the present row.
func (r *reader) fails(addr, target int) bool {
	if l, ok := around(r.loops, addr); ok {
		return target >= l.end || target <= l.start
	}
	switch r.at(target).code {
	case "Return", "Halt", "EndCoroutine":
		return true
	}
	return target <= addr
}

// arrive closes what ends before o: a CASE whose end is o, and tests that all lead to o or skip the row.
func (r *reader) arrive(o op) {
	kept := r.cases[:0]
	for _, c := range r.cases {
		if c.end > o.addr {
			kept = append(kept, c)
			continue
		}
		r.regs[c.into] = value{text: c.text(r.regs[c.into].String())}
	}
	r.cases = kept
	top := r.tests[len(r.tests)-1]
	if len(top) == 0 {
		return
	}
	for _, t := range top {
		if !t.fail && t.target > o.addr {
			return
		}
	}
	r.tell(r.settle(o.addr, false), o)
}

func (c choice) text(last string) string {
	if c.bare {
		return compose("the first not NULL of ", strings.Join(append(c.arms, last), ", "))
	}
	return compose("CASE ", strings.Join(c.arms, " "), " ELSE ", last, " END")
}

// tell adds the step that keeps a row only where c holds.
func (r *reader) tell(c *cond, o op) {
	if c == always {
		return
	}
	conds := []*cond{c}
	if c.op == "AND" {
		conds = c.kids
	}
	for _, k := range conds {
		r.say("Check that ", k.text(), "; otherwise ", r.giveUp(o), ".")
	}
}

func (r *reader) giveUp(o op) string {
	if _, ok := around(r.loops, o.addr); ok {
		return "skip this row"
	}
	if r.either {
		return "skip this row"
	}
	if r.grouped {
		return "leave this group out"
	}
	return "there is no row"
}

// settle returns the condition under which the pending tests lead to addr, and removes them. Every jump past addr leaves
// the arm of a CASE.
func (r *reader) settle(addr int, arm bool) *cond {
	top := len(r.tests) - 1
	ts := r.tests[top]
	r.tests[top] = nil
	memo := make([]*cond, len(ts)+1)
	memo[len(ts)] = always
	for i := len(ts) - 1; i >= 0; i-- {
		memo[i] = choose(ts[i].c, r.after(ts, memo, i, addr, arm), memo[i+1])
	}
	return memo[0]
}

// after returns the condition under which the target of the i-th test leads to addr.
func (r *reader) after(ts []test, memo []*cond, i, addr int, arm bool) *cond {
	if ts[i].fail || arm && ts[i].target > addr {
		return never
	}
	for j := i + 1; j < len(ts); j++ {
		if ts[j].addr >= ts[i].target {
			return memo[j]
		}
	}
	return always
}

// drop removes the test at addr.
func (r *reader) drop(addr int) {
	top := len(r.tests) - 1
	if n := len(r.tests[top]); n > 0 && r.tests[top][n-1].addr == addr {
		r.tests[top] = r.tests[top][:n-1]
	}
}
