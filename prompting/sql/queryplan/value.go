package queryplan

import "strings"

// value is the content of a register, as far as it is known.
type value struct {
	text    string
	loose   bool  // text has an operator, so it needs parentheses inside another expression
	flag    bool  // a number that the program uses internally, which says nothing about the data
	literal bool  // a constant
	nullish bool  // the flag with which NOT IN notes that its list contains a NULL
	cond    *cond // a truth value
}

// unknown replaces a value of which the reader does not know the origin.
const unknown = "a computed value"

func (v value) String() string {
	if v.text == "" {
		return unknown
	}
	return v.text
}

// inner returns the value as an operand, in parentheses where it needs them.
func (v value) inner() string {
	if v.loose {
		return "(" + v.text + ")"
	}
	return v.String()
}

// mostText bounds the bytes of an expression, which could grow exponentially because each use of a value copies it.
// mostStep bounds the bytes of a step.
const mostText, mostStep = 500, 2000

// long replaces an expression above mostText.
const long = "a long expression"

func compose(parts ...string) string {
	s := strings.Join(parts, "")
	if len(s) > mostText {
		return long
	}
	return s
}

// sentence joins parts to a step with single blanks, and cuts it at mostStep.
func sentence(parts ...string) string {
	s := strings.Join(strings.Fields(strings.Join(parts, "")), " ")
	if len(s) > mostStep {
		return strings.ToValidUTF8(s[:mostStep], "") + "..."
	}
	return s
}

// cond is a condition: an atom, with its positive and its negated text, or a list of conditions under AND or OR. Jumps
// often test the negation of what the query says, hence both texts.
type cond struct {
	op       string // "true", "false", "AND", "OR"; empty for an atom
	pos, neg string
	kids     []*cond
	size     int // atoms
}

// mostAtoms bounds a condition: a larger one is replaced by "a long condition".
const mostAtoms = 48

var always, never = &cond{op: "true"}, &cond{op: "false"}

func atom(pos, neg string) *cond { return &cond{pos: pos, neg: neg, size: 1} }

// list combines conditions under op.
func list(op string, kids []*cond) *cond {
	if len(kids) == 1 {
		return kids[0]
	}
	c := &cond{op: op, kids: kids}
	for _, k := range kids {
		c.size += k.size
	}
	if c.size > mostAtoms {
		return atom("a long condition holds", "a long condition does not hold")
	}
	return c
}

func not(c *cond) *cond {
	switch c.op {
	case "true":
		return never
	case "false":
		return always
	case "":
		return atom(c.neg, c.pos)
	}
	other := map[string]string{"AND": "OR", "OR": "AND"}[c.op]
	kids := make([]*cond, len(c.kids))
	for i, k := range c.kids {
		kids[i] = not(k)
	}
	return list(other, kids)
}

// join returns a op b, without constants and with lists of the same operator flattened.
func join(op string, a, b *cond) *cond {
	neutral, absorbing := always, never
	if op == "OR" {
		neutral, absorbing = never, always
	}
	switch {
	case a == absorbing || b == absorbing:
		return absorbing
	case a == neutral:
		return b
	case b == neutral:
		return a
	case a.text() == b.text():
		return a
	}
	var kids []*cond
	for _, c := range []*cond{a, b} {
		if c.op == op {
			kids = append(kids, c.kids...)
		} else {
			kids = append(kids, c)
		}
	}
	return list(op, kids)
}

// choose returns "if c then yes else no" as AND and OR. The cases are the shapes that SQLite's short-circuit code has;
// the last one is right for any shape, but longer.
func choose(c, yes, no *cond) *cond {
	if yes == always || no == never {
		if yes == always {
			return join("OR", c, no)
		}
		return join("AND", c, yes)
	}
	if yes == never {
		return join("AND", not(c), no)
	}
	if no == always {
		return join("OR", not(c), yes)
	}
	if rest, ok := without(no, yes, "OR"); ok { // c ? v : w OR v  =  (not c AND w) OR v
		return join("OR", join("AND", not(c), rest), yes)
	}
	if rest, ok := without(yes, no, "OR"); ok {
		return join("OR", join("AND", c, rest), no)
	}
	if rest, ok := without(no, yes, "AND"); ok { // c ? v : w AND v  =  (c OR w) AND v
		return join("AND", join("OR", c, rest), yes)
	}
	if rest, ok := without(yes, no, "AND"); ok {
		return join("AND", join("OR", not(c), rest), no)
	}
	return join("OR", join("AND", c, yes), join("AND", not(c), no))
}

// without returns whole with part removed from its end, if whole is a list under op that ends with part.
func without(whole, part *cond, op string) (*cond, bool) {
	if whole.op != op {
		return nil, false
	}
	tail := []*cond{part}
	if part.op == op {
		tail = part.kids
	}
	n := len(whole.kids) - len(tail)
	if n < 1 {
		return nil, false
	}
	for i, k := range tail {
		if whole.kids[n+i].text() != k.text() {
			return nil, false
		}
	}
	return list(op, whole.kids[:n]), true
}

func (c *cond) text() string {
	switch c.op {
	case "":
		return c.pos
	case "true", "false":
		return c.op
	}
	parts := make([]string, len(c.kids))
	for i, k := range c.kids {
		parts[i] = k.text()
		if k.op != "" {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return compose(strings.Join(parts, " "+c.op+" "))
}
