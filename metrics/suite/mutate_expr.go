package suite

import (
	"strconv"
	"strings"
	"unicode"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
)

// otherComparisons lists the operators that replace a comparison.
var otherComparisons = map[string][]string{
	"=": {"!="}, "<>": {"="}, "<": {"<=", ">"}, "<=": {"<", ">="}, ">": {">=", "<"}, ">=": {">", "<="},
}

// expr makes the mutants of one expression; its arguments are visited too.
func (m *mutator) expr(e *tree.Expr) {
	if m.bytes > maxText {
		return
	}
	switch e.Kind {
	case tree.Binary:
		m.binary(e)
	case tree.Unary:
		if e.Op == "NOT" {
			m.replace(ruleNegation, e.Span, "("+m.text(e.Args[0].Span)+")")
		}
	case tree.Exists:
		m.add(ruleNegation, edit{e.Start, e.Start, "NOT "})
	case tree.Like, tree.In, tree.Between, tree.Is:
		m.test(e)
	case tree.Call:
		m.call(e)
	case tree.Name:
		m.column(e)
	}
}

func (m *mutator) binary(e *tree.Expr) {
	left, right := e.Args[0], e.Args[1]
	op, ok := m.operator(left, right)
	if !ok {
		return
	}
	switch e.Op {
	case "AND", "OR":
		other := map[string]string{"AND": "OR", "OR": "AND"}[e.Op]
		m.add(ruleConnective, edit{e.Start, op.Start, "(" + m.stmt.SQL[e.Start:op.Start] + other}, edit{op.Start, op.End, ""},
			edit{e.End, e.End, ")"})
		m.replace(ruleCondition, e.Span, "("+m.text(left.Span)+")")
		m.replace(ruleCondition, e.Span, "("+m.text(right.Span)+")")
	case "=", "<>", "<", "<=", ">", ">=":
		if !m.joins(left, right) {
			for _, other := range otherComparisons[e.Op] {
				m.replace(ruleComparison, op, " "+other+" ")
			}
		}
		m.constant(left, right)
		m.constant(right, left)
	case "+", "-", "*", "/":
		other := map[string]string{"+": "-", "-": "+", "*": "/", "/": "*"}[e.Op]
		m.replace(ruleComparison, op, other)
	}
}

// operator returns the span of the operator between two operands.
func (m *mutator) operator(left, right *tree.Expr) (tree.Span, bool) {
	for _, t := range m.between(left.End, right.Start) {
		if t.Text != "(" && t.Text != ")" {
			return t.Span, true
		}
	}
	return tree.Span{}, false
}

// joins reports whether a comparison is one of columns of two tables.
func (m *mutator) joins(left, right *tree.Expr) bool {
	return left.Kind == tree.Name && right.Kind == tree.Name &&
		m.refs[left].Meaning == tree.BaseColumn && m.refs[right].Meaning == tree.BaseColumn
}

// test makes the mutants of LIKE, IN, BETWEEN and IS: negated, and with other constants.
func (m *mutator) test(e *tree.Expr) {
	m.negate(e)
	for _, a := range e.Args[min(1, len(e.Args)):] {
		if e.Kind == tree.Like {
			m.pattern(a)
		} else {
			m.constant(e.Args[0], a)
		}
	}
	if e.Kind == tree.Like && !e.Not {
		if op, ok := m.operator(e.Args[0], e.Args[1]); ok {
			m.replace(ruleComparison, op, "=")
		}
	}
	if e.Kind == tree.Between && !e.Not { // without one of the bounds
		x := m.text(e.Args[0].Span)
		m.replace(ruleCondition, e.Span, "("+x+" >= "+m.text(e.Args[1].Span)+")")
		m.replace(ruleCondition, e.Span, "("+x+" <= "+m.text(e.Args[2].Span)+")")
		m.replace(ruleComparison, e.Span, "("+x+" > "+m.text(e.Args[1].Span)+" AND "+x+" < "+m.text(e.Args[2].Span)+")")
	}
}

// negate puts a NOT in, or takes it out.
func (m *mutator) negate(e *tree.Expr) {
	if len(e.Args) == 0 {
		return
	}
	for i := m.at(e.Args[0].End); i < len(m.toks) && m.token(i).Start < e.End; i++ {
		switch {
		case m.is(i, ")"):
			continue
		case m.is(i, "NOT"):
			m.replace(ruleNegation, m.token(i).Span, "")
		case m.is(i, "IS") && m.is(i+1, "NOT"):
			m.replace(ruleNegation, m.token(i+1).Span, "")
		case m.is(i, "IS"):
			m.add(ruleNegation, edit{m.token(i).End, m.token(i).End, " NOT"})
		case m.is(i, "LIKE", "GLOB", "IN", "BETWEEN"):
			m.add(ruleNegation, edit{m.token(i).Start, m.token(i).Start, "NOT "})
		}
		return
	}
}

// literal reads a literal: a number with its sign, or a text in whatever quotes.
func (m *mutator) literal(e *tree.Expr) (engine.Value, bool) {
	sign := 1.0
	if e.Kind == tree.Unary && e.Op == "-" {
		e, sign = e.Args[0], -1
	}
	switch {
	case m.fixed[e]:
	case e.Kind == tree.Literal && e.Lit == tree.Integer:
		if n, err := strconv.ParseInt(e.Name, 10, 53); err == nil {
			return engine.OfInt(int64(sign) * n), true
		}
	case e.Kind == tree.Literal && e.Lit == tree.Float:
		if f, err := strconv.ParseFloat(e.Name, 64); err == nil {
			return engine.OfReal(sign * f), true
		}
	case e.Kind == tree.Literal && e.Lit == tree.String, e.Kind == tree.Name && m.refs[e].Meaning == tree.TextLiteral:
		return engine.OfText(e.Name), true
	}
	return engine.Value{}, false
}

// constant exchanges a literal that something is compared with.
func (m *mutator) constant(with, e *tree.Expr) {
	v, ok := m.literal(e)
	if !ok {
		return
	}
	switch v.Kind() {
	case engine.Int:
		m.replace(ruleConstant, e.Span, strconv.FormatInt(v.Int64()+1, 10))
		m.replace(ruleConstant, e.Span, strconv.FormatInt(v.Int64()-1, 10))
	case engine.Real:
		for _, d := range []float64{0.1, -0.1} {
			m.replace(ruleConstant, e.Span, strconv.FormatFloat(v.Float64()+d, 'f', -1, 64))
		}
	case engine.Text:
		if other := swapCase(v.Bytes()); other != v.Bytes() {
			m.replace(ruleConstant, e.Span, sqlite.Literal(engine.OfText(other)))
		}
		if n, err := strconv.Atoi(v.Bytes()); err == nil {
			m.replace(ruleConstant, e.Span, sqlite.Literal(engine.OfText(strconv.Itoa(n+1))))
		} else if other, ok := m.otherValue(with, v); ok {
			m.replace(ruleConstant, e.Span, sqlite.Literal(engine.OfText(other)))
		}
	}
}

// otherValue is another text of the column that a literal is compared with.
func (m *mutator) otherValue(with *tree.Expr, v engine.Value) (string, bool) {
	ref, ok := m.refs[with]
	if !ok {
		return "", false
	}
	c := m.cat.column(ref.Table, ref.Column)
	if c == nil {
		return "", false
	}
	for _, o := range c.pool {
		if o.Kind() == engine.Text && !strings.EqualFold(o.Bytes(), v.Bytes()) {
			return o.Bytes(), true
		}
	}
	return "", false
}

// pattern exchanges the pattern of a LIKE.
func (m *mutator) pattern(e *tree.Expr) {
	v, ok := m.literal(e)
	if !ok || v.Kind() != engine.Text {
		return
	}
	p := v.Bytes()
	core := strings.Trim(p, "%")
	for _, other := range []string{core, "%" + core, core + "%", "%" + core + "%"} {
		if other != p {
			m.replace(ruleConstant, e.Span, sqlite.Literal(engine.OfText(other)))
		}
	}
}

// swapCase makes the first letter, and that alone, lower or upper case.
func swapCase(s string) string {
	for i, r := range s {
		if o := unicode.SimpleFold(r); unicode.IsLetter(r) && o != r {
			if unicode.IsUpper(r) {
				o = unicode.ToLower(r)
			} else {
				o = unicode.ToUpper(r)
			}
			return s[:i] + string(o) + s[i+len(string(r)):]
		}
	}
	return s
}

var otherAggregates = map[string][]string{
	"min": {"max"}, "max": {"min"}, "sum": {"avg", "max"}, "avg": {"sum", "max"}, "total": {"avg"},
}

// call makes the mutants of an aggregate.
func (m *mutator) call(e *tree.Expr) {
	if !tree.Aggregate(e) {
		return
	}
	name := m.at(e.Start)
	for _, other := range otherAggregates[e.Name] {
		m.replace(ruleAggregate, m.token(name).Span, other)
	}
	inside := m.token(name + 2)
	switch {
	case e.Distinct:
		m.add(ruleDistinct, edit{inside.Start, m.token(name + 3).Start, ""})
	case len(e.Args) == 1 && !e.StarArg && e.Name != "min" && e.Name != "max":
		m.add(ruleDistinct, edit{inside.Start, inside.Start, "DISTINCT "})
	}
	if e.Name == "count" && len(e.Args) == 1 {
		m.add(ruleAggregate, edit{inside.Start, e.End, "*)"})
		m.replace(ruleAggregate, m.token(name).Span, "sum")
	}
	if (e.Name == "min" || e.Name == "max") && len(e.Args) == 1 {
		m.replace(ruleAggregate, e.Span, m.text(e.Args[0].Span))
	}
}

// column exchanges a column for another of its table: the next of the same type, and the next of any.
func (m *mutator) column(e *tree.Expr) {
	ref := m.refs[e]
	if ref.Meaning != tree.BaseColumn {
		return
	}
	t := m.cat.find(ref.Table)
	if t == nil {
		return
	}
	own := -1
	for i := range t.columns {
		if strings.EqualFold(t.columns[i].name, ref.Column) {
			own = i
		}
	}
	if own < 0 {
		return
	}
	at := m.at(e.End) - 1 // the last part of the name
	for _, alike := range []bool{true, false} {
		for d := 1; d < len(t.columns); d++ {
			c := &t.columns[(own+d)%len(t.columns)]
			if !alike || c.affinity == t.columns[own].affinity {
				m.replace(ruleColumn, m.token(at).Span, quoteName(c.name))
				break
			}
		}
	}
}
