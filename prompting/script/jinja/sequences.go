package jinja

import (
	"fmt"
	"slices"
	"strings"
)

// keyed is the attribute of a list's item that a filter names, or the item itself.
func (r *run) keyed(x, attr any) any {
	r.charge(nodeCost)
	x = r.norm(x)
	if isUndefined(attr) || attr == nil {
		return x
	}
	for name := range strings.SplitSeq(r.text(attr), ".") {
		v, ok := r.item(x, name)
		if !ok {
			return undefined{text: fmt.Sprintf("%s has no attribute %s", kindOf(x), name)}
		}
		x = v
	}
	return x
}

// keys are what a filter orders or compares by, an item each; letters are small unless case counts.
func (r *run) keys(list []any, sensitive, attr any) []any {
	r.charge(len(list) * nodeCost)
	exact := r.isSet(sensitive)
	keys := make([]any, len(list))
	for i, x := range list {
		switch k := r.keyed(x, attr).(type) {
		case undefined:
			r.stop("%s", k.text)
		case string:
			if keys[i] = k; !exact {
				keys[i] = r.lower(k)
			}
		default:
			keys[i] = k
		}
	}
	return keys
}

// sortFilter sorts; equal items stay as they stood.
func sortFilter(r *run, v any, args []any) any {
	list, reverse := r.items(v), r.isSet(args[0])
	keys := r.keys(list, args[1], args[2])
	at := make([]int, len(keys))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		if reverse {
			i, j = j, i
		}
		return r.compare(keys[i], keys[j])
	})
	out := make([]any, len(list))
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}

func uniqueFilter(r *run, v any, args []any) any {
	list := r.items(v)
	var out stream
	var seen []any
	for i, k := range r.keys(list, args[0], args[1]) {
		_, isMap := mapOf(k)
		if _, isList := k.([]any); isMap || isList {
			r.stop("%s cannot be a key", kindOf(k))
		}
		if !r.contains(k, seen) {
			seen = append(seen, k)
			out = append(out, list[i])
		}
	}
	return out
}

// mapFilter is map(attribute=...).
func mapFilter(r *run, v any, args []any) any {
	if !isUndefined(args[0]) || isUndefined(args[1]) {
		r.stop(`write map(attribute="name"); to apply a filter, write a loop`)
	}
	var out stream
	for _, x := range r.items(v) {
		x = r.keyed(x, args[1])
		if u, ok := x.(undefined); ok {
			r.stop("%s", u.text)
		}
		out = append(out, x)
	}
	return out
}

// keeping is select, reject, selectattr and rejectattr.
func keeping(want, byAttr bool) func(*run, any, []any) any {
	return func(r *run, v any, args []any) any {
		var attr any
		if byAttr {
			attr, args = args[0], args[1:]
		}
		passes := r.tester(args)
		var out stream
		for _, x := range r.items(v) {
			r.charge(nodeCost)
			if passes(r.keyed(x, attr)) == want {
				out = append(out, x)
			}
		}
		return out
	}
}

// tester is a test by its name, with the one argument that it may have.
func (r *run) tester(args []any) func(any) bool {
	if isUndefined(args[0]) {
		return r.truth
	}
	name, _ := args[0].(string)
	c, ok := checks[name]
	if !ok {
		r.stop("the test %s is not offered: %s", name, hint(name, "there are "+known(checks)))
	}
	rest := args[1:]
	if isUndefined(rest[0]) {
		rest = nil
	}
	if len(rest) != c.args {
		r.stop("test %s: %d arguments do not fit", name, len(rest))
	}
	return func(x any) bool { return c.run(r, name, x, rest) }
}
