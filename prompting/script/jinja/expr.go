package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expr is a compiled expression; what is what its errors begin with, path what it reads.
type expr struct {
	pos
	what string
	path *Path // nil where it stands for no path
	eval func(r *run, s *scope) any
}

// words have a meaning of their own in expressions.
var words = []string{"and", "or", "not", "in", "is", "if", "else", "elif", "scoped"}

// constants are the names of values.
var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

// expression reads a whole expression, an inline if included. The levels below follow jinja2's
// own parser, from the loosest to the tightest.
func (p *parser) expression() expr {
	defer p.enter(p.peek().pos)()
	x := p.orExpr()
	for p.word("if") {
		then, cond, other := x, p.condition(), constant(x.pos, undefined{text: "the inline if is false and has no else", silent: true})
		if p.word("else") {
			other = p.expression()
		}
		x = expr{pos: x.pos, what: x.what, eval: func(r *run, s *scope) any {
			if r.test(cond, s) {
				return r.raw(then, s)
			}
			return r.raw(other, s)
		}}
	}
	return x
}

func (p *parser) orExpr() expr { return p.logic("or", p.andExpr) }

func (p *parser) andExpr() expr { return p.logic("and", p.notExpr) }

func (p *parser) logic(op string, below func() expr) expr {
	x := below()
	for p.word(op) {
		a, b := x, below()
		x = expr{pos: a.pos, eval: func(r *run, s *scope) any {
			v := r.maybe(a, s)
			if r.truth(v) == (op == "or") {
				return v
			}
			return r.maybe(b, s)
		}}
	}
	return x
}

func (p *parser) notExpr() expr {
	t := p.peek()
	if !p.word("not") {
		return p.chain()
	}
	defer p.enter(t.pos)()
	return negated(t.pos, p.notExpr())
}

func negated(at pos, x expr) expr {
	return expr{pos: at, eval: func(r *run, s *scope) any { return !r.test(x, s) }}
}

// relation takes a comparison's sign or words, or gives nil.
func (p *parser) relation() func(r *run, a, b any) bool {
	t := p.peek()
	if next := p.toks[min(p.t+1, len(p.toks)-1)]; t.kind == nameToken && t.text == "not" && next.kind == nameToken && next.text == "in" {
		p.t++
		t.text = "not in"
	}
	f := relations[t.text]
	if t.kind == stringToken || f == nil {
		return nil
	}
	p.t++
	return f
}

// chain reads a < b <= c, where each comparison takes the value before it.
func (p *parser) chain() expr {
	first := p.sum()
	var xs []expr
	var ops []func(r *run, a, b any) bool
	at := p.peek().pos
	for op := p.relation(); op != nil; op = p.relation() {
		xs, ops = append(xs, p.sum()), append(ops, op)
	}
	if len(xs) == 0 {
		return first
	}
	return expr{pos: at, eval: func(r *run, s *scope) any {
		a := r.value(first, s)
		for i, x := range xs {
			b := r.value(x, s)
			if !ops[i](r, a, b) {
				return false
			}
			a = b
		}
		return true
	}}
}

func (p *parser) sum() expr { return p.binary(p.concat, "+", "-") }

func (p *parser) product() expr {
	return p.binary(func() expr { return p.unary(true) }, "*", "/", "//", "%")
}

func (p *parser) binary(below func() expr, ops ...string) expr {
	x := below()
	for t := p.peek(); t.kind == opToken && slices.Contains(ops, t.text); t = p.peek() {
		p.t++
		a, b := x, below()
		x = expr{pos: t.pos, eval: func(r *run, s *scope) any {
			v := r.value(a, s)
			return r.arith(t.text, v, r.value(b, s))
		}}
	}
	return x
}

// concat reads a ~ b ~ c.
func (p *parser) concat() expr {
	x := p.product()
	if !p.peek().is("~") {
		return x
	}
	xs := []expr{x}
	for p.op("~") {
		xs = append(xs, p.product())
	}
	return expr{pos: x.pos, eval: func(r *run, s *scope) any {
		parts := make([]string, len(xs))
		for i, x := range xs {
			v := r.maybe(x, s)
			r.at.pos = x.pos
			parts[i] = r.str(v)
		}
		return r.joined(parts, "")
	}}
}

// unary reads a sign, or a value with what stands behind it.
func (p *parser) unary(filters bool) expr {
	t := p.peek()
	var x expr
	if p.op("-") || p.op("+") {
		leave := p.enter(t.pos)
		x = signed(t, p.unary(false))
		leave()
	} else {
		x = p.primary()
	}
	x = p.postfix(x, t)
	for filters {
		switch {
		case p.op("|"):
			x = p.filter(x)
		case p.word("is"):
			x = p.test(x)
		default:
			return x
		}
	}
	return x
}

// signed is a value with a sign before it.
func signed(sign token, x expr) expr {
	factor := int64(1)
	if sign.text == "-" {
		factor = -1
	}
	return expr{pos: sign.pos, eval: func(r *run, s *scope) any {
		v := r.value(x, s)
		if _, ok := number(v); !ok {
			r.stop("%s has no sign", kindOf(v))
		}
		return r.arith("*", factor, v)
	}}
}

func constant(at pos, v any) expr {
	return expr{pos: at, eval: func(*run, *scope) any { return v }}
}

// primary reads a name, a literal or what stands in brackets.
func (p *parser) primary() expr {
	t := p.peek()
	switch t.kind {
	case nameToken:
		return p.nameOrConstant(t)
	case stringToken:
		p.t++
		return constant(t.pos, t.text)
	case numberToken:
		p.t++
		return t.number()
	}
	defer p.enter(t.pos)()
	switch {
	case p.op("("):
		x := p.expression()
		if next := p.peek(); !p.op(")") {
			next.stop(") is needed here, not %s: a list is written [1, 2]", next.shown())
		}
		return x
	case p.op("["):
		return p.list(t)
	case p.op("{"):
		return p.dict(t)
	}
	t.stop("a value is needed here, not %s", t.shown())
	return expr{}
}

// number is the literal's value.
func (t token) number() expr {
	if strings.ContainsAny(t.text, ".eE") {
		f, _ := strconv.ParseFloat(t.text, 64) // out of range, it is infinite as in Python
		return constant(t.pos, f)
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		t.stop("the number %s does not fit into 64 bits", t.text)
	}
	return constant(t.pos, n)
}

func (p *parser) nameOrConstant(t token) expr {
	if slices.Contains(words, t.text) {
		t.stop("a value is needed here, not %s", t.shown())
	}
	if text, ok := refusedNames[t.text]; ok {
		t.stop("%s is not offered: %s", t.text, text)
	}
	p.t++
	if v, ok := constants[t.text]; ok {
		return constant(t.pos, v)
	}
	return expr{t.pos, t.text + ": ", p.reads(t), func(r *run, s *scope) any {
		v, ok := s.get(r, t.text)
		switch {
		case ok:
			return r.norm(v)
		case s.withheld(r, t.text):
			return undefined{text: fmt.Sprintf("%q is undefined in this block: write {%% block ... scoped %%} to see the names around it", t.text)}
		}
		return undefined{text: fmt.Sprintf("%q is undefined", t.text)}
	}}
}

func (p *parser) list(t token) expr {
	var xs []expr
	for !p.op("]") {
		xs = append(xs, p.expression())
		p.separated("]")
	}
	return expr{pos: t.pos, eval: func(r *run, s *scope) any { return r.values(xs, s, r.value) }}
}

// values evaluates expressions in their order.
func (r *run) values(xs []expr, s *scope, value func(expr, *scope) any) []any {
	out := make([]any, len(xs))
	for i, x := range xs {
		out[i] = value(x, s)
	}
	return out
}

func (p *parser) dict(t token) expr {
	var keys, vals []expr
	for !p.op("}") {
		keys = append(keys, p.expression())
		if !p.op(":") {
			p.peek().stop("a colon is needed behind a key, not %s", p.peek().shown())
		}
		vals = append(vals, p.expression())
		p.separated("}")
	}
	return expr{pos: t.pos, eval: func(r *run, s *scope) any {
		d := dict{vals: make(map[string]any, len(keys))}
		for i, k := range keys {
			key := r.value(k, s)
			name, ok := key.(string)
			if !ok {
				r.stopAt(k.pos, "a key is a string, not %s", kindOf(key))
			}
			if _, has := d.vals[name]; !has {
				d.keys = append(d.keys, name)
			}
			d.vals[name] = r.value(vals[i], s)
		}
		return d
	}}
}
