package queryplan

import (
	"math/bits"
	"strconv"
	"strings"
)

// isConstant lists the instructions that set a constant.
var isConstant = map[string]bool{"Integer": true, "Int64": true, "Real": true, "String8": true, "String": true, "Blob": true, "Null": true}

// operators lists the instructions on two registers. The left operand is P2, not P1.
var operators = map[string]string{
	"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Remainder": "%", "Concat": "||",
	"BitAnd": "&", "BitOr": "|", "ShiftLeft": "<<", "ShiftRight": ">>",
}

// affinities names the types by the codes that Cast uses for them.
var affinities = map[int]string{'A': "BLOB", 'B': "TEXT", 'C': "NUMERIC", 'D': "INTEGER", 'E': "REAL"}

// evaluate follows an instruction that sets a register, and reports whether o is one.
func (r *reader) evaluate(o op) bool {
	v, into, ok := r.result(o)
	if !ok {
		return false
	}
	r.regs[into] = v
	if len(r.subs) > 0 {
		r.subs[len(r.subs)-1].set(into, o)
	}
	return true
}

// result returns the value that o computes and the register that receives it.
func (r *reader) result(o op) (v value, into int, ok bool) {
	if v, ok := r.constant(o); ok {
		return v, o.p2, true
	}
	if sign, ok := operators[o.code]; ok {
		return r.binary(r.regs[o.p2], sign, r.regs[o.p1]), o.p3, true
	}
	switch o.code {
	case "Column":
		return r.read(o), o.p3, true
	case "Rowid", "IdxRowid":
		return r.rowid(r.cursors[o.p1]), o.p2, true
	case "Copy", "SCopy", "IntCopy", "Move":
		r.copyRest(o)
		return r.regs[o.p1], o.p2, true
	case "And", "Or":
		return r.logic(r.regs[o.p1], strings.ToUpper(o.code), r.regs[o.p2]), o.p3, true
	case "Not":
		return negated(r.regs[o.p1]), o.p2, true
	case "BitNot":
		return value{text: "~" + r.regs[o.p1].inner()}, o.p2, true
	case "Cast":
		return value{text: compose("CAST(", r.regs[o.p1].String(), " AS ", affinities[o.p2], ")")}, o.p1, true
	case "Function", "PureFunc":
		return r.call(o), o.p3, true
	case "Count":
		if c := r.cursors[o.p1]; c != nil && r.seek != nil {
			r.name(c, r.seek)
			r.seek = nil
		}
		r.say("Count all rows of ", r.cursorName(o.p1), " at once.")
		return value{text: "count(*)"}, o.p2, true
	case "ZeroOrNull":
		return r.compared(o), o.p2, true
	case "AggFinal", "AggValue":
		return r.regs[o.p1], max(o.p1, o.p3), true
	}
	return value{}, 0, false
}

func (r *reader) constant(o op) (value, bool) {
	if !isConstant[o.code] {
		return value{}, false
	}
	inside := o.addr < r.begin
	switch o.code {
	case "Integer":
		return value{text: strconv.Itoa(o.p1), literal: true, flag: inside}, true
	case "Int64", "Real":
		return value{text: o.text, literal: true}, true
	case "String8", "String":
		return value{text: "'" + strings.ReplaceAll(strings.ToValidUTF8(o.text, "\uFFFD"), "'", "''") + "'", literal: true}, true
	case "Blob":
		return value{text: "a blob", literal: true, flag: inside}, true
	}
	for i := o.p2 + 1; i <= o.p3 && i < o.p2+len(r.ops)+8; i++ {
		r.regs[i] = value{text: "NULL", literal: true, flag: inside}
	}
	return value{text: "NULL", literal: true, flag: inside}, true
}

// read follows Column. With flag 0x80 on a list, NOT IN asks whether the list contains a NULL.
func (r *reader) read(o op) value {
	c := r.cursors[o.p1]
	v := r.column(c, o.p2)
	if c != nil && c.tree == nil && o.p5&0x80 != 0 && c.filled+strings.Join(c.listed, "") != "" {
		v.nullish = true
	}
	return v
}

// copyRest follows the registers after the first that one copying instruction moves.
func (r *reader) copyRest(o op) {
	for i := 1; i <= r.more(o); i++ {
		r.regs[o.p2+i] = r.regs[o.p1+i]
	}
}

// more returns how many registers an instruction copies after the first.
func (r *reader) more(o op) int {
	more := 0
	switch o.code {
	case "Copy":
		more = o.p3
	case "Move":
		more = o.p3 - 1
	}
	return max(0, min(more, len(r.ops)+8))
}

func (r *reader) binary(a value, sign string, b value) value {
	return value{text: compose(a.inner(), " ", sign, " ", b.inner()), loose: true}
}

func (r *reader) logic(a value, op string, b value) value {
	if a.cond != nil && b.cond != nil {
		return ofCond(join(op, a.cond, b.cond))
	}
	return r.binary(a, op, b)
}

func ofCond(c *cond) value { return value{text: c.text(), loose: true, cond: c} }

func negated(v value) value {
	if v.cond != nil {
		return ofCond(not(v.cond))
	}
	return value{text: compose("NOT ", v.inner()), loose: true}
}

// call returns a function call on the registers from P2. P4 has the name and the number of arguments, as in "like(2)".
func (r *reader) call(o op) value {
	name, n := callee(o.text)
	if n < 0 {
		n = r.arguments(o)
	}
	in := r.get(o.p2, n)
	args := texts(in)
	infix := map[string]string{"like": "LIKE", "glob": "GLOB", "regexp": "REGEXP"}[name]
	if infix != "" && n >= 2 {
		return ofCond(atom(compose(in[1].inner(), " ", infix, " ", in[0].inner()), compose(in[1].inner(), " NOT ", infix, " ", in[0].inner())))
	}
	return value{text: compose(name, "(", strings.Join(args, ", "), ")")}
}

func callee(text string) (name string, n int) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return name, 0
	}
	n, _ = strconv.Atoi(strings.TrimSuffix(rest, ")"))
	return name, n
}

// arguments returns the number of arguments of a variadic function. P1 has a bit for each constant argument; if the last
// argument is not constant, the instruction before the call sets it.
func (r *reader) arguments(o op) int {
	n := bits.Len32(uint32(o.p1))
	last := r.at(o.addr - 1)
	if last.code == "CollSeq" {
		last = r.at(o.addr - 2)
	}
	if into, ok := target(last); ok && into >= o.p2 && into < o.p2+32 {
		n = max(n, into-o.p2+1)
	}
	return n
}

// compared returns a comparison used as a value: ZeroOrNull comes after the jump that compares.
func (r *reader) compared(o op) value {
	before := r.at(o.addr - 1)
	if c := r.comparison(before); c != nil {
		r.drop(before.addr)
		return ofCond(c)
	}
	return value{}
}

func (r *reader) cursorName(n int) string {
	if c := r.cursors[n]; c != nil {
		return c.String()
	}
	return "the rows kept"
}
