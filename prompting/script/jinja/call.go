package jinja

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// given are the arguments of a call: as they are written (expr), or their values (any).
type given[T any] struct {
	list  []T
	names []string // of the named ones, which follow the others
	named []T
}

// order brings arguments into the order of parameters; what is not given is nil.
func (g given[T]) order(params []string) ([]*T, error) {
	if len(g.list) > len(params) {
		return nil, fmt.Errorf("it takes %d arguments and is given %d", len(params), len(g.list))
	}
	out := make([]*T, len(params))
	for i := range g.list {
		out[i] = &g.list[i]
	}
	for i, name := range g.names {
		at := slices.Index(params, name)
		if at < 0 {
			return nil, fmt.Errorf("it has no argument %q (it has: %s)", name, strings.Join(params, ", "))
		}
		if out[at] != nil {
			return nil, fmt.Errorf("argument %q is given twice", name)
		}
		out[at] = &g.named[i]
	}
	return out, nil
}

// arguments reads those of a call up to its bracket.
func (p *parser) arguments() given[expr] {
	var a given[expr]
	for !p.op(")") {
		t := p.peek()
		named := t.kind == nameToken && p.toks[p.t+1].is("=")
		switch {
		case t.is("*") || t.is("**"):
			t.stop("arguments are written out: %s is not offered", t.text)
		case named && slices.Contains(a.names, t.text):
			t.stop("argument %q is given twice", t.text)
		case named:
			p.t += 2
			a.names = append(a.names, t.text)
			a.named = append(a.named, p.expression())
		case len(a.names) > 0:
			t.stop("arguments with a name come last")
		default:
			a.list = append(a.list, p.expression())
		}
		p.separated(")")
	}
	return a
}

// call calls a macro, or a function of the caller's.
func (r *run) call(f any, args given[expr], s *scope) any {
	switch f := f.(type) {
	case *closure:
		return f.call(r, given[any]{r.values(args.list, s, r.maybe), args.names, r.values(args.named, s, r.maybe)})
	case Func:
		list := r.values(args.list, s, r.passed)
		var named map[string]any
		for i, v := range r.values(args.named, s, r.passed) {
			if named == nil {
				named = map[string]any{}
			}
			named[args.names[i]] = v
		}
		v, err := f(list, named)
		if err != nil {
			e := r.at.fail("%s%v", r.at.what, err)
			e.Err = err
			panic(e)
		}
		return r.norm(v)
	}
	r.stop("%s is not a function", kindOf(f))
	return nil
}

// passed is an argument of a function of the caller's.
func (r *run) passed(x expr, s *scope) any {
	v, outer := r.value(x, s), r.at
	r.at = place{pos: x.pos}
	v = r.plain(v, 0)
	r.at = outer
	return v
}

// mapNames are the functions of Python's maps, which an attribute of the same name would be.
var mapNames = []string{"clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"}

// isMethod says whether x.name is a function of all such values in Python.
func isMethod(x any, name string) bool {
	_, text := x.(string)
	_, ok := mapOf(x)
	return text || ok && slices.Contains(mapNames, name)
}

// method calls x.name(...) of a string or map.
func (r *run) method(x any, name string, args given[expr], s *scope) any {
	if len(args.named) > 0 {
		r.stop("it takes no named arguments here")
	}
	values := r.values(args.list, s, r.value)
	d, table := dict{}, textMethods
	text, ok := x.(string)
	if !ok {
		d, _ = mapOf(x)
		table = mapMethods
	}
	m, ok := table[name]
	if !ok {
		r.stop("%s has no function %q here: there are %s; do it in method.star, and pass what it makes", kindOf(x), name, known(table))
	}
	if len(values) < m.least || len(values) > m.most {
		r.stop("%d arguments do not fit", len(values))
	}
	r.charge((len(text) + len(d.vals)) * nodeCost)
	return m.f(r, text, d, values)
}

// method is a function of strings or of maps, with how many arguments it takes.
type method struct {
	least, most int
	f           func(r *run, s string, d dict, args []any) any
}

// textMethods are the functions of strings; they do what Python's do.
var textMethods = map[string]method{
	"endswith":   {1, 1, func(r *run, s string, _ dict, a []any) any { return strings.HasSuffix(s, r.text(a[0])) }},
	"lower":      {0, 0, func(r *run, s string, _ dict, _ []any) any { return r.lower(s) }},
	"lstrip":     {0, 1, func(r *run, s string, _ dict, a []any) any { return r.strip(strings.TrimLeftFunc, s, a) }},
	"replace":    {2, 2, func(r *run, s string, _ dict, a []any) any { return r.replace(s, r.text(a[0]), r.text(a[1])) }},
	"rstrip":     {0, 1, func(r *run, s string, _ dict, a []any) any { return r.strip(strings.TrimRightFunc, s, a) }},
	"split":      {0, 1, func(r *run, s string, _ dict, a []any) any { return r.split(s, a) }},
	"startswith": {1, 1, func(r *run, s string, _ dict, a []any) any { return strings.HasPrefix(s, r.text(a[0])) }},
	"strip":      {0, 1, func(r *run, s string, _ dict, a []any) any { return r.strip(strings.TrimFunc, s, a) }},
	"upper":      {0, 0, func(r *run, s string, _ dict, _ []any) any { return r.upper(s) }},
}

// mapMethods are the functions of maps; what is made of the keys is in their order.
var mapMethods = map[string]method{
	"get":    {1, 2, mapGet},
	"items":  {0, 0, walked(func(k string, v any) any { return stream{k, v} })},
	"keys":   {0, 0, walked(func(k string, _ any) any { return k })},
	"values": {0, 0, walked(func(_ string, v any) any { return v })},
}

func mapGet(r *run, _ string, d dict, args []any) any {
	if v, ok := d.vals[r.text(args[0])]; ok {
		return r.norm(v)
	}
	return append(args, nil)[1]
}

func walked(one func(k string, v any) any) func(*run, string, dict, []any) any {
	return func(_ *run, _ string, d dict, _ []any) any {
		var out stream
		for _, k := range d.names() {
			out = append(out, one(k, d.vals[k]))
		}
		return out
	}
}

// text is a value that must be a string.
func (r *run) text(v any) string {
	s, ok := v.(string)
	if !ok {
		r.stop("a string is needed, not %s", kindOf(v))
	}
	return s
}

// lower and upper do what Python does with every letter: "ß" becomes "SS".
func (r *run) lower(s string) string { return r.cased(cases.Lower(language.Und), s) }

func (r *run) upper(s string) string { return r.cased(cases.Upper(language.Und), s) }

func (r *run) cased(c cases.Caser, s string) string {
	r.room((nodeCost + 3) * len(s)) // it takes long, and a letter may become three
	return c.String(s)
}

// strip cuts whitespace, or the characters of the argument.
func (r *run) strip(trim func(string, func(rune) bool) string, s string, args []any) string {
	if len(args) == 0 || args[0] == nil {
		return trim(s, isSpace)
	}
	chars := r.text(args[0])
	if len(chars) > 1000 {
		r.stop("what is cut is up to 1000 characters")
	}
	r.charge(len(s) * (nodeCost + len(chars)))
	return trim(s, func(c rune) bool { return strings.ContainsRune(chars, c) })
}

func (r *run) replace(s, old, by string) string {
	r.room(len(s) + strings.Count(s, old)*max(0, len(by)-len(old)))
	return strings.ReplaceAll(s, old, by)
}

// split cuts a text at whitespace, or at a separator.
func (r *run) split(s string, args []any) any {
	if len(args) == 0 || args[0] == nil {
		return r.texts(strings.FieldsFunc(s, isSpace))
	}
	sep := r.text(args[0])
	if sep == "" {
		r.stop("a separator is not empty")
	}
	return r.texts(strings.Split(s, sep))
}

// joined joins strings.
func (r *run) joined(parts []string, sep string) string {
	size := max(0, len(parts)-1) * len(sep)
	for _, s := range parts {
		size += len(s)
	}
	r.room(size)
	return strings.Join(parts, sep)
}

// known are the names of a table, for errors.
func known[V any](table map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(table)), ", ")
}
