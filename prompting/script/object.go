package script

import (
	"fmt"
	"sync"

	"assay/prompting/script/jinja"

	"go.starlark.net/starlark"
)

// object is a value of the host: a name for its kind, and attributes. The kinds embed base for the rest of what Starlark
// wants of a value; two objects are equal where they are one.
type object interface {
	starlark.HasAttrs
	attr(name string) (starlark.Value, error) // nil, nil where there is none
}

// base is the part of a Starlark value in which the host's objects do not differ.
type base struct{}

func (base) Freeze()               {}
func (base) Truth() starlark.Bool  { return true }
func (base) Hash() (uint32, error) { return 0, fmt.Errorf("it cannot be a key of a dict") }

// shared is a list that an object makes once, and frozen: whatever asks for it has the same one, so that asking in a loop
// takes no memory, and samples that share the object can read it at once.
type shared struct {
	once sync.Once
	v    starlark.Value
}

func (c *shared) get(of func() starlark.Value) starlark.Value {
	c.once.Do(func() { c.v = of(); c.v.Freeze() })
	return c.v
}

// method is a function of an object, such as c.note(...).
type method func(thread *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error)

func (m method) named(name string) starlark.Value {
	return guarded(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		return m(t, args, named)
	})
}

// view is a Starlark value with attributes as a template reads it.
type view struct{ v starlark.HasAttrs }

var _ jinja.Object = view{}

// Attr implements jinja.Object.
func (o view) Attr(name string) (any, bool) {
	v, err := o.v.Attr(name)
	if err != nil || v == nil {
		return nil, false
	}
	return toJinja(v), true
}

// toJinja returns a Starlark value as a template sees it. What has no form there becomes its text.
func toJinja(v starlark.Value) any {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n
		}
		return v.String()
	case starlark.Float:
		return float64(v)
	case starlark.String:
		return string(v)
	case starlark.HasAttrs:
		if d, ok := v.(*starlark.Dict); ok {
			return mapOf(d)
		}
		if list, ok := v.(starlark.Sequence); ok {
			return listOf(list)
		}
		return view{v}
	case starlark.Sequence:
		return listOf(v)
	}
	return v.String()
}

func mapOf(d *starlark.Dict) map[string]any {
	out := make(map[string]any, d.Len())
	for _, kv := range d.Items() {
		key, ok := starlark.AsString(kv[0])
		if !ok {
			key = kv[0].String()
		}
		out[key] = toJinja(kv[1])
	}
	return out
}

func listOf(s starlark.Sequence) []any {
	out := make([]any, 0, s.Len())
	it := s.Iterate()
	defer it.Done()
	for v := starlark.Value(nil); it.Next(&v); {
		out = append(out, toJinja(v))
	}
	return out
}

// plain returns a value of texts, numbers, lists and dicts as Go holds it: string, int64, float64, bool, []any and
// map[string]any.
func plain(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
	case starlark.Float:
		return float64(v), nil
	case starlark.String:
		return string(v), nil
	case *starlark.List:
		out := []any{}
		for i := range v.Len() {
			one, err := plain(v.Index(i))
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	case *starlark.Dict:
		out := map[string]any{}
		for _, kv := range v.Items() {
			name, ok := starlark.AsString(kv[0])
			one, err := plain(kv[1])
			if err != nil || !ok {
				return nil, fmt.Errorf("a dict here has texts as keys, and texts, numbers and lists as values")
			}
			out[name] = one
		}
		return out, nil
	}
	return nil, fmt.Errorf("a %s is no text, number, True, False or list", v.Type())
}

// toStarlark is the reverse of plain.
func toStarlark(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case int:
		return starlark.MakeInt(v), nil
	case int64:
		return starlark.MakeInt64(v), nil
	case float64:
		return starlark.Float(v), nil
	case string:
		return starlark.String(v), nil
	case []string:
		return list(v, func(s string) starlark.Value { return starlark.String(s) }), nil
	case []any:
		out := make([]starlark.Value, len(v))
		for i, x := range v {
			var err error
			if out[i], err = toStarlark(x); err != nil {
				return nil, err
			}
		}
		return starlark.NewList(out), nil
	}
	return nil, fmt.Errorf("a %T has no form in Starlark", v)
}

// list returns a list of what of makes of each.
func list[T any](in []T, of func(T) starlark.Value) *starlark.List {
	out := make([]starlark.Value, len(in))
	for i, x := range in {
		out[i] = of(x)
	}
	return starlark.NewList(out)
}

// texts returns a list, or a tuple, of texts.
func texts(v starlark.Value) ([]string, error) {
	seq, ok := v.(starlark.Sequence)
	if !ok {
		return nil, fmt.Errorf("want a list of texts, not a %s", v.Type())
	}
	out := []string{}
	it := seq.Iterate()
	defer it.Done()
	for x := starlark.Value(nil); it.Next(&x); {
		s, ok := starlark.AsString(x)
		if !ok {
			return nil, fmt.Errorf("want a list of texts, not one with a %s", x.Type())
		}
		out = append(out, s)
	}
	return out, nil
}
