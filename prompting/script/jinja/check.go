package jinja

import "slices"

// check is what stands behind "is".
type check struct {
	args      int  // 0 or 1
	undefined bool // takes what is undefined
	f         func(r *run, v any, args []any) bool
}

// checks do what jinja2's tests do, but that an undefined value is an error for all but two.
var checks = map[string]check{
	"defined":   {undefined: true, f: func(_ *run, v any, _ []any) bool { return !isUndefined(v) }},
	"undefined": {undefined: true, f: func(_ *run, v any, _ []any) bool { return isUndefined(v) }},
	"none":      {f: func(_ *run, v any, _ []any) bool { return v == nil }},
	"string":    {f: func(_ *run, v any, _ []any) bool { _, ok := v.(string); return ok }},
	"number":    {f: func(_ *run, v any, _ []any) bool { _, ok := number(v); return ok }},
	"mapping":   {f: func(_ *run, v any, _ []any) bool { _, ok := mapOf(v); return ok }},
	"sequence":  {f: func(_ *run, v any, _ []any) bool { _, ok := length(v); return ok }},
	"odd":       {f: func(r *run, v any, _ []any) bool { return r.leaves(v, 1) }},
	"even":      {f: func(r *run, v any, _ []any) bool { return r.leaves(v, 0) }},
	"in":        {args: 1, f: func(r *run, v any, a []any) bool { return r.contains(v, a[0]) }},
	"==":        {args: 1, f: func(r *run, v any, a []any) bool { return r.equal(v, a[0], 0) }},
	"eq":        {args: 1, f: func(r *run, v any, a []any) bool { return r.equal(v, a[0], 0) }},
	"equalto":   {args: 1, f: func(r *run, v any, a []any) bool { return r.equal(v, a[0], 0) }},
}

func isUndefined(v any) bool {
	_, ok := v.(undefined)
	return ok
}

// leaves says whether a whole number leaves this rest when it is divided by two.
func (r *run) leaves(v any, rest int64) bool {
	n, ok := whole(v)
	if !ok {
		r.stop("a whole number is needed, not %s", kindOf(v))
	}
	return n&1 == rest
}

// run applies the test of this name to one value.
func (c check) run(r *run, name string, v any, args []any) bool {
	switch v := v.(type) {
	case undefined:
		if !c.undefined {
			r.stop("%s", v.text)
		}
	case stream:
		r.stop("an iterator cannot be tested: write |list behind it")
	}
	return c.f(r, v, args)
}

// test reads what stands behind "is".
func (p *parser) test(x expr) expr {
	not := p.word("not")
	name := p.name("the name of a test")
	c, ok := checks[name.text]
	if !ok {
		name.stop("the test %s is not offered: %s", name.text, hint(name.text, "there are "+known(checks)))
	}
	var args given[expr]
	t := p.peek()
	word := t.kind == nameToken && !slices.Contains([]string{"and", "or", "else", "is"}, t.text)
	switch {
	case p.op("("):
		args = p.arguments()
	case t.kind == nameToken && t.text == "is":
		t.stop("tests are not chained: write and between them")
	case word, t.kind == numberToken, t.kind == stringToken, t.is("["), t.is("{"):
		t.stop("Jinja takes %s for the test's argument: write brackets around the test, or around its argument", t.shown())
	}
	if len(args.list) != c.args || len(args.names) > 0 {
		name.stop("test %s: %d arguments do not fit", name.text, len(args.list)+len(args.names))
	}
	if c.undefined {
		x.path.test()
	}
	e := expr{pos: name.pos, what: "test " + name.text + ": ", eval: func(r *run, s *scope) any {
		v := r.raw(x, s)
		return c.run(r, name.text, v, r.values(args.list, s, r.value))
	}}
	if not {
		return negated(name.pos, e)
	}
	return e
}
