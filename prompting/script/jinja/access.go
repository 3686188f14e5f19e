package jinja

import (
	"fmt"
	"slices"
	"strings"
)

// postfix reads .name, [index] and (arguments).
func (p *parser) postfix(x expr, from token) expr {
	for {
		text := p.text(from)
		switch {
		case p.op("."):
			x = p.attr(x, from)
		case p.op("["):
			x = p.index(x, from)
		case p.op("("):
			p.fills(x)
			f, args := x, p.arguments()
			x = expr{pos: from.pos, what: text + ": ", eval: func(r *run, s *scope) any { return r.call(r.value(f, s), args, s) }}
		default:
			return x
		}
	}
}

// text is the source from a token to the next one.
func (p *parser) text(from token) string {
	return strings.TrimSpace(p.src.text[from.off:p.peek().off])
}

// attr reads the name behind a point, and the arguments if it is called.
func (p *parser) attr(x expr, from token) expr {
	loops := from.kind == nameToken && from.text == "loop" && p.toks[p.t-2].off == from.off
	t := p.name("a name")
	if strings.HasPrefix(t.text, "__") {
		t.stop("%s is not offered", t.text)
	}
	if loops && !slices.Contains(loopAttrs, t.text) {
		t.stop("loop.%s is not offered: there are %s", t.text, strings.Join(loopAttrs, ", "))
	}
	text := p.text(from)
	what := text + ": "
	if !p.op("(") {
		get := func(r *run, s *scope) any { return r.attribute(r.value(x, s), t.text) }
		return expr{t.pos, what, x.path.step("." + t.text), get}
	}
	args := p.arguments()
	return expr{pos: from.pos, what: what, eval: func(r *run, s *scope) any {
		v := r.value(x, s)
		if isMethod(v, t.text) {
			return r.method(v, t.text, args, s)
		}
		get := expr{pos: t.pos, what: what, eval: func(*run, *scope) any { return r.attribute(v, t.text) }}
		return r.call(r.value(get, s), args, s)
	}}
}

// attribute is x.name.
func (r *run) attribute(x any, name string) any {
	var v any
	ok := false
	if o, object := x.(Object); object {
		v, ok = r.attr(o, name)
	} else if _, text := x.(string); text && textMethods[name].f != nil {
		r.stop("that is a function: write %s() to call it", name)
	} else if !text && isMethod(x, name) {
		r.stop("that is a function of maps: write [%q] for the key", name)
	} else if d, is := mapOf(x); is {
		v, ok = d.vals[name]
	} else if x != nil {
		r.stop("%s has no attribute %q", kindOf(x), name)
	}
	if !ok {
		return undefined{text: fmt.Sprintf("%s is undefined: %s has no attribute %q", strings.TrimSuffix(r.at.what, ": "), kindOf(x), name)}
	}
	return r.norm(v)
}

// attr asks an object, and charges for a list or map, which it makes anew whenever it is asked.
func (r *run) attr(o Object, name string) (any, bool) {
	v, ok := o.Attr(name)
	r.charge(nodeCost * parts(v))
	return v, ok
}

// parts counts what a list or map holds on all levels; 0 of anything else.
func parts(v any) (n int) {
	switch v := v.(type) {
	case []any:
		n = len(v)
		for _, x := range v {
			n += parts(x)
		}
	case map[string]any:
		n = len(v)
		for _, x := range v {
			n += parts(x)
		}
	}
	return n
}

// index reads what stands in square brackets.
func (p *parser) index(x expr, from token) expr {
	at, step := p.peek(), "[]"
	if key, ok := p.literal(); ok {
		step = "." + key
	}
	i := p.expression()
	if t := p.peek(); t.is(":") {
		t.stop("slices are not offered: pass the part that is wanted, or write clip(text, 100)")
	} else if !p.op("]") {
		t.stop("] is needed here, not %s", t.shown())
	}
	text := p.text(from)
	return expr{at.pos, text + ": ", x.path.step(step), func(r *run, s *scope) any {
		v := r.value(x, s)
		w, ok := r.item(v, r.value(i, s))
		if !ok {
			return undefined{text: fmt.Sprintf("%s is undefined: %s has no such item", text, kindOf(v))}
		}
		return w
	}}
}

// item is x[index]; ok says whether it is there.
func (r *run) item(x, index any) (v any, ok bool) {
	i, isWhole := whole(index)
	key, text := index.(string)
	o, object := x.(Object)
	d, isMap := mapOf(x)
	list, isList := x.([]any)
	switch {
	case text && object:
		v, ok = r.attr(o, key)
	case text && isMap:
		v, ok = d.vals[key]
	case text:
		r.stop("%s has no keys", kindOf(x))
	case !isWhole:
		r.stop("%s cannot be an index", kindOf(index))
	case !isList:
		r.stop("%s has no items by number", kindOf(x))
	case i >= 0 && i < int64(len(list)):
		v, ok = list[i], true
	case i < 0 && i >= -int64(len(list)):
		v, ok = list[int64(len(list))+i], true
	}
	return r.norm(v), ok
}
