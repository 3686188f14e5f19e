package jinja

import (
	"slices"
	"strings"
)

// forLoop is a loop; other is what is printed when there is nothing to walk.
type forLoop struct {
	pos
	names       []string
	over        expr
	cond        *expr // nil without
	body, other []node
}

func (p *parser) forTag(pc *piece, n *node) {
	f, leave := &forLoop{pos: pc.pos}, p.scope()
	p.forHead(f)
	body, end := p.body(pc, "else", "endfor")
	f.body = body
	leave()
	if end.toks[0].text == "else" {
		f.other = p.inner(pc, "endfor")
	} else {
		p.close()
	}
	n.exec = f.exec
}

// forHead reads "x, y in xs if cond".
func (p *parser) forHead(f *forLoop) {
	for more := true; more; more = p.op(",") {
		name := p.target()
		if name.text == "loop" || slices.Contains(f.names, name.text) {
			name.stop("a loop's name must be another than %q", name.text)
		}
		f.names = append(f.names, name.text)
	}
	if !p.word("in") {
		p.peek().stop("write {%% for x in xs %%}")
	}
	f.over = p.orExpr()
	p.names.own["loop"] = ""
	for _, name := range f.names {
		p.names.own[name] = ""
	}
	if of := f.over.path.text(); of != "" && len(f.names) == 1 {
		p.names.own[f.names[0]] = of + "[]"
	}
	if p.word("if") {
		cond := p.condition()
		f.cond = &cond
	}
	p.close()
}

func (f *forLoop) exec(r *run, s *scope) {
	v := r.raw(f.over, s)
	r.at.pos = f.over.pos
	items := r.items(v)
	if f.cond != nil {
		var kept []any
		for _, x := range items {
			sub := &scope{parent: s}
			f.bind(r, sub, x)
			if r.test(*f.cond, sub) {
				kept = append(kept, x)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		r.exec(f.other, &scope{parent: s})
	}
	for i, x := range items {
		sub := &scope{parent: s, own: make([]binding, 0, 4)}
		sub.set(r, "loop", loop{i, len(items)})
		f.bind(r, sub, x)
		r.exec(f.body, sub)
	}
}

// bind gives the loop's names their values.
func (f *forLoop) bind(r *run, s *scope, x any) {
	r.charge(4 * nodeCost)
	parts := []any{r.norm(x)}
	if len(f.names) > 1 {
		r.at = place{f.pos, "for " + strings.Join(f.names, ", ") + ": "}
		if parts = r.items(parts[0]); len(parts) != len(f.names) {
			r.stop("%d names for %d values", len(f.names), len(parts))
		}
	}
	for i, name := range f.names {
		s.set(r, name, r.norm(parts[i]))
	}
}

// loop is the variable of that name within a loop.
type loop struct{ i, n int }

// loopAttrs are the attributes that Attr knows.
var loopAttrs = []string{"index", "index0", "first", "last", "length"}

// Attr is an attribute of the loop.
func (l loop) Attr(name string) (any, bool) {
	switch name {
	case "index":
		return l.i + 1, true
	case "index0":
		return l.i, true
	case "first":
		return l.i == 0, true
	case "last":
		return l.i == l.n-1, true
	case "length":
		return l.n, true
	}
	return nil, false
}
