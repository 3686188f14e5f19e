package jinja

import (
	"fmt"
	"slices"
)

// macro is a text with parameters; a default is nil for a parameter without.
type macro struct {
	name   string
	params []string
	defs   []*expr
	body   []node
}

func (p *parser) macroTag(pc *piece, n *node) {
	name := p.target()
	m := &macro{name: name.text}
	p.names.own[m.name] = ""
	defer p.scope()()
	if !p.op("(") {
		p.peek().stop("write {%% macro %s(x, y = 1) %%}", name.text)
	}
	for !p.op(")") {
		p.param(m)
	}
	m.body = p.inner(pc, "endmacro")
	n.prints = false
	n.exec = func(r *run, s *scope) { s.set(r, m.name, &closure{m, s}) }
}

// param reads one parameter of a macro, and the comma behind it.
func (p *parser) param(m *macro) {
	name := p.target()
	if slices.Contains(m.params, name.text) {
		name.stop("parameter %q is named twice", name.text)
	}
	var def *expr
	if p.op("=") {
		x := p.expression()
		def = &x
	} else if n := len(m.defs); n > 0 && m.defs[n-1] != nil {
		name.stop("parameter %q needs a default, because the one before it has one", name.text)
	}
	p.names.own[name.text] = ""
	m.params, m.defs = append(m.params, name.text), append(m.defs, def)
	p.separated(")")
}

// closure is a macro with the scope it stands in.
type closure struct {
	*macro
	scope *scope
}

// call fills the macro's text.
func (c *closure) call(r *run, args given[any]) string {
	r.at.what = fmt.Sprintf("macro %q: ", c.name)
	if r.depth++; r.depth > maxDepth {
		r.stop("macros within macros more than %d deep", maxDepth)
	}
	r.charge(8 * nodeCost)
	values, err := args.order(c.params)
	if err != nil {
		r.stop("%v", err)
	}
	if r.depth == 1 {
		r.macro = place{r.at.pos, c.name}
	}
	s := &scope{parent: c.scope}
	for i, name := range c.params {
		var v any = undefined{text: fmt.Sprintf("argument %q is not given", name)}
		if values[i] != nil {
			v = *values[i]
		} else if c.defs[i] != nil {
			v = r.maybe(*c.defs[i], s)
		}
		s.set(r, name, v)
	}
	text := r.capture(c.body, s)
	if r.depth--; r.depth == 0 {
		r.macro = place{}
	}
	return text
}
