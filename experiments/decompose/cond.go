package decompose

import (
	"slices"
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/sql/tree"
)

// mod is what a condition says of rows, in two forms: "whose age is above 20", and "have an age above 20" for a verb.
type mod struct {
	whose string // "age is above 20"; empty where only the verb has a form
	have  string // "an age above 20"
	verb  string // a predicate of its own: "named X", "a gymnast"; empty where there is none
	verbs string // verb for several things, where it differs: "gymnasts"
	has   bool   // the form with a verb is shorter: "that have the highest age of the singers"
	any   bool   // one of several conditions, which an "and" after it must not join
}

// predicate returns the form with a verb, for one thing or for several.
func (m mod) predicate(several bool) string {
	switch {
	case m.verbs != "" && several:
		return "are " + m.verbs
	case m.verb != "" && several:
		return "are " + m.verb
	case m.verb != "":
		return "is " + m.verb
	case several:
		return "have " + m.have
	}
	return "has " + m.have
}

// relative returns conditions as one clause after a noun: "whose age is above 20 and that have an order".
func relative(mods []mod, several bool) string {
	parts := make([]string, len(mods))
	for i, m := range last(mods) {
		switch {
		case m.whose != "" && !m.has:
			parts[i] = "whose " + m.whose
		default:
			parts[i] = "that " + m.predicate(several)
		}
	}
	return listed(parts, last(mods))
}

// last puts conditions of which one has to hold behind those that all have to.
func last(mods []mod) []mod {
	out := slices.Clone(mods)
	slices.SortStableFunc(out, func(a, b mod) int {
		switch {
		case a.any == b.any:
			return 0
		case b.any:
			return -1
		}
		return 1
	})
	return out
}

// listed joins conditions. A comma before the "and" tells that it joins more than what is on both sides of an "or".
func listed(parts []string, mods []mod) string {
	n := len(parts)
	if n < 2 || !mods[n-1].any {
		return english.List(parts, "and")
	}
	for i, m := range mods {
		if m.any {
			parts[i] = "either " + parts[i]
		}
	}
	return strings.Join(parts[:n-1], ", ") + ", and " + parts[n-1]
}

// after puts a space before a text that is not empty.
func after(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// mods words what restricts a table: its own conditions, and what is joined to it but for the table from.
func (t *teller) mods(e, from *entity) []mod {
	var out []mod
	for _, cond := range e.conds {
		out = append(out, t.cond(e, cond))
	}
	for _, l := range e.links {
		if l.to != from {
			out = append(out, t.joined(e, l)...)
		}
	}
	return out
}

// cond words one condition about a table.
func (t *teller) cond(e *entity, x *tree.Expr) mod {
	switch {
	case x.Kind == tree.Binary && x.Op == "OR":
		return t.either(e, operands(x, "OR"))
	case x.Kind == tree.Binary && compared[x.Op] != "":
		return t.compare(e, x)
	case x.Kind == tree.In && x.Args != nil && x.Args[0].Kind == tree.Name && x.Table == "":
		return t.in(e, x)
	case x.Kind == tree.Between && !x.Not:
		return t.between(e, x)
	case x.Kind == tree.Like && x.Op == "LIKE" && len(x.Args) == 2 && x.Args[0].Kind == tree.Name:
		return t.like(e, x)
	case x.Kind == tree.Is && x.Args[0].Kind == tree.Name && x.Args[1].Kind == tree.Literal && x.Args[1].Lit == tree.Null:
		words := t.column(e, x.Args[0])
		if x.Not == (x.Op == "IS") {
			return mod{have: english.A(words)}
		}
		return mod{have: "no " + words}
	}
	t.refuse(Expression, x.Span)
	return mod{}
}

// between words a range, both ends in it.
func (t *teller) between(e *entity, x *tree.Expr) mod {
	low, high := t.value(e, x.Args[1]), t.value(e, x.Args[2])
	if date, unit := t.period(x.Args[0]); unit == "year" {
		return say(t.column(e, date), "in the years "+low+" to "+high)
	}
	column, ok := t.formula(e, x.Args[0])
	if !ok {
		t.refuse(Expression, x.Span)
	}
	return say(column, "between "+low+" and "+high)
}

// say words what a column is: both forms have the same text after it.
func say(column, is string) mod {
	return mod{whose: column + " " + be(column) + " " + is, have: english.A(column) + " " + is}
}

// be returns the verb for a noun phrase.
func be(phrase string) string {
	if english.Many(phrase) {
		return "are"
	}
	return "is"
}

// either words conditions of which one has to hold.
func (t *teller) either(e *entity, list []*tree.Expr) mod {
	var whose, have []string
	column, values := "", []string{}
	for _, x := range list {
		m := t.cond(e, x)
		if m.whose == "" {
			t.refuse(Expression, x.Span)
			return mod{}
		}
		whose, have = append(whose, m.whose), append(have, m.have)
		if x.Kind == tree.Binary && x.Op == "=" && x.Args[0].Kind == tree.Name && x.Args[1].Kind != tree.Subquery {
			column = t.column(e, x.Args[0])
			if rest, ok := strings.CutPrefix(m.whose, column+" "+be(column)+" "); ok {
				values = append(values, rest)
			}
		}
	}
	if len(values) == len(list) && same(whose, column) {
		return among(column, values)
	}
	return mod{whose: strings.Join(whose, " or whose "), have: strings.Join(have, " or "), any: true}
}

func same(whose []string, column string) bool {
	for _, w := range whose {
		if !strings.HasPrefix(w, column+" "+be(column)+" ") {
			return false
		}
	}
	return true
}

// among words that a column has one of several values.
func among(column string, values []string) mod {
	list := english.List(values, "or")
	return mod{whose: column + " " + be(column) + " " + list, have: list + " as their " + column}
}

var compared = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compare words a comparison of a column with a value.
func (t *teller) compare(e *entity, x *tree.Expr) mod {
	left, right, op := x.Args[0], x.Args[1], x.Op
	if t.isValue(left) && !t.isValue(right) {
		left, right, op = right, left, compared[op]
	}
	column, ok := t.formula(e, left)
	if !ok {
		t.refuse(Expression, x.Span)
		return mod{}
	}
	value, constant := t.value(e, right), t.isValue(right)
	if date, unit := t.period(left); unit == "year" && constant {
		return t.inYear(e, date, op, value)
	}
	if right.Kind == tree.Subquery && left.Kind == tree.Name {
		column = t.columnOrThing(e, left)
	}
	switch {
	case op == "=" && constant && column == "name":
		return mod{whose: "name is " + value, verb: "named " + value, have: "the name " + value}
	case constant && english.Many(column) && right.Kind == tree.Literal && right.Lit == tree.Integer:
		m := mod{whose: column + " are " + value, have: quantity(op, value) + " " + column}
		switch op {
		case "=":
			m.have = value + " " + column
		case "<>":
			m.whose = column + " are not " + value
		default:
			m.whose = column + " are " + than(op, column, value)
		}
		return m
	case op == "=" && constant:
		return mod{whose: column + " " + be(column) + " " + value, have: value + " as their " + column}
	case op == "=" && strings.HasPrefix(value, "the ") && strings.HasSuffix(firstWords(value, column), " "+column):
		return mod{whose: column + " " + be(column) + " " + value, have: value, has: strings.HasSuffix(value, column+" of the "+e.many())}
	case op == "=":
		return mod{whose: column + " " + be(column) + " " + value, have: english.A(column) + " equal to " + value}
	case op == "<>":
		return mod{whose: column + " " + be(column) + " not " + value, have: english.A(column) + " other than " + value}
	}
	return say(column, than(op, column, value))
}

// firstWords returns a noun phrase up to its "of": "the highest age" of "the highest age of the singers".
func firstWords(phrase, column string) string {
	if i := strings.Index(phrase, column+" of "); i >= 0 {
		return phrase[:i+len(column)]
	}
	return phrase
}

// than words an inequality.
func than(op, column, value string) string {
	time := timely(column)
	switch op {
	case ">":
		if time {
			return "after " + value
		}
		return "above " + value
	case "<":
		if time {
			return "before " + value
		}
		return "below " + value
	case ">=":
		if time {
			return value + " or later"
		}
		return "at least " + value
	}
	if time {
		return value + " or earlier"
	}
	return "at most " + value
}

// isValue reports whether an expression is a constant.
func (t *teller) isValue(e *tree.Expr) bool {
	return e.Kind == tree.Literal || e.Kind == tree.Name && t.refs[e].Meaning == tree.TextLiteral ||
		e.Kind == tree.Unary && e.Op == "-" && e.Args[0].Kind == tree.Literal
}

// value words what a column is compared with.
func (t *teller) value(e *entity, x *tree.Expr) string {
	switch {
	case x.Kind == tree.Literal && x.Lit != tree.Null && x.Lit != tree.Blob && x.Lit != tree.Clock:
		return literal(x)
	case x.Kind == tree.Unary && x.Op == "-" && x.Args[0].Kind == tree.Literal:
		return "-" + literal(x.Args[0])
	case x.Kind == tree.Name && t.refs[x].Meaning == tree.TextLiteral:
		return quoted(x.Name)
	case x.Kind == tree.Name:
		return "the " + t.column(e, x)
	case x.Kind == tree.Subquery:
		return t.inner(x.Query)
	}
	return t.refuse(Expression, x.Span)
}

// like words a pattern of which only the ends are open.
func (t *teller) like(e *entity, x *tree.Expr) mod {
	if !t.isValue(x.Args[1]) {
		t.refuse(Expression, x.Span)
		return mod{}
	}
	pattern := x.Args[1].Name
	text := strings.Trim(pattern, "%")
	if strings.ContainsAny(text, "%_") || text == "" {
		t.refuse(Expression, x.Span)
		return mod{}
	}
	verb, base := "is", "be"
	switch open, close := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%"); {
	case open && close:
		verb, base = "contains", "contain"
	case close:
		verb, base = "starts with", "start with"
	case open:
		verb, base = "ends with", "end with"
	}
	column, value := t.column(e, x.Args[0]), quoted(text)
	if x.Not && verb == "is" {
		return mod{whose: column + " is not " + value, have: english.A(column) + " other than " + value}
	}
	if x.Not {
		return mod{whose: column + " does not " + base + " " + value, have: english.A(column) + " that does not " + base + " " + value}
	}
	return mod{whose: column + " " + verb + " " + value, have: english.A(column) + " that " + verb + " " + value}
}

// in words membership of a list or of the result of a sub-query.
func (t *teller) in(e *entity, x *tree.Expr) mod {
	column := t.column(e, x.Args[0])
	if x.Query != nil {
		return t.inQuery(e, x)
	}
	var values []string
	for _, a := range x.Args[1:] {
		values = append(values, t.value(e, a))
	}
	m := among(column, values)
	if x.Not {
		list := english.List(values, "or")
		m = mod{whose: column + " " + be(column) + " neither " + english.List(values, "nor"), have: english.A(column) + " other than " + list}
	}
	if len(values) == 0 {
		t.refuse(Expression, x.Span)
	}
	return m
}

// inQuery words membership of a sub-query's result: along a key, that there is such a row; else among its values.
func (t *teller) inQuery(e *entity, x *tree.Expr) mod {
	if m, ok := t.along(e, x); ok {
		return m
	}
	list := t.inner(x.Query)
	column := t.columnOrThing(e, x.Args[0])
	if x.Not {
		return mod{whose: column + " is not among " + list, have: english.A(column) + " that is not among " + list}
	}
	return mod{whose: column + " is among " + list, have: english.A(column) + " among " + list}
}

// along words a sub-query of one column that a key connects with the table outside: "that have no order".
func (t *teller) along(e *entity, x *tree.Expr) (mod, bool) {
	q := x.Query
	if len(q.Arms) != 1 || len(q.OrderBy) > 0 || q.Limit != nil || len(q.Arms[0].GroupBy) > 0 || q.Arms[0].Having != nil ||
		len(q.Arms[0].Columns) != 1 || q.Arms[0].Columns[0].Expr.Kind != tree.Name {
		return mod{}, false
	}
	earlier := t.refused
	c := t.clause(q, q.Arms[0])
	if t.refused != nil {
		t.refused = earlier
		return mod{}, false
	}
	far := q.Arms[0].Columns[0].Expr
	to := t.entityOf(c, far)
	if to == nil || to.table == e.table {
		return mod{}, false
	}
	back := t.declared(to, far, e, x.Args[0])
	if t.roles(to, e) > 1 || t.roles(e, to) > 1 {
		return mod{}, false
	}
	if !back && !t.declared(e, x.Args[0], to, far) {
		return mod{}, false
	}
	to.shown = false // its column is only the connection
	noun, mods := to.one(), []mod(nil)
	if back {
		noun, mods = t.through(to, e)
	} else {
		mods = t.mods(to, nil)
	}
	inner := after(relative(mods, false))
	switch isA := back && t.isA(to, far, e); {
	case isA && x.Not:
		return mod{have: "not", verb: "not " + english.A(noun) + inner, verbs: "not " + english.Plural(noun) + after(relative(mods, true))}, true
	case isA:
		return mod{have: noun, verb: english.A(noun) + inner, verbs: english.Plural(noun) + after(relative(mods, true))}, true
	case back && t.special(to, far, e) != "":
		is := "the " + t.special(to, far, e) + " of "
		if x.Not {
			return mod{have: "no " + noun + inner, verb: is + "no " + noun + inner}, true
		}
		return mod{have: english.A(noun) + inner, verb: is + english.A(noun) + inner}, true
	case x.Not:
		return mod{have: "no " + noun + inner}, true
	}
	return mod{have: english.A(noun) + inner}, true
}
