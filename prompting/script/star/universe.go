package star

import (
	"errors"
	"fmt"
	"maps"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// predeclared are the names that every file finds: the helpers, checked functions in place of the language's, and the
// functions that rewrite calls, whose names no file can write.
var predeclared = func() starlark.StringDict {
	names := starlark.StringDict{}
	for name, before := range guards {
		names[name] = guarded(name, before)
	}
	names["sorted"] = starlark.NewBuiltin("sorted", sorted)
	names["min"] = starlark.NewBuiltin("min", extreme(syntax.LT))
	names["max"] = starlark.NewBuiltin("max", extreme(syntax.GT))
	names["getattr"] = starlark.NewBuiltin("getattr", getattr)
	maps.Copy(names, helpers)
	for name := range methodNames {
		names[methodPrefix+name] = method(name)
	}
	maps.Copy(names, hidden)
	return names
}()

// guard bounds and charges a call, and returns the arguments to make it with.
type guard func(t *thread, args tuple, kw []tuple) (tuple, error)

// guards are the language's functions whose cost depends on what they are given.
var guards = map[string]guard{
	"abs":       weighed,
	"all":       listed,
	"any":       listed,
	"bytes":     listed,
	"dir":       weighed,
	"dict":      keyed(new(starlark.Dict)),
	"enumerate": paired,
	"fail":      weighed,
	"float":     weighed,
	"hash":      weighed,
	"int":       digits,
	"list":      listed,
	"ord":       weighed,
	"repr":      weighed,
	"reversed":  listed,
	"set":       keyed(new(starlark.Set)),
	"str":       weighed,
	"tuple":     listed,
	"zip":       paired,
}

// guarded is the language's function of that name behind a guard.
func guarded(name string, before guard) *builtin {
	own := starlark.Universe[name].(*builtin)
	return starlark.NewBuiltin(name, func(t *thread, _ *builtin, args tuple, kw []tuple) (value, error) {
		args, err := before(t, args, kw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v, err := own.CallInternal(t, args, kw)
		if err != nil {
			return nil, err
		}
		return built(t, v)
	})
}

// weighed guards a function that walks or prints its arguments.
func weighed(t *thread, args tuple, kw []tuple) (tuple, error) { return args, weighAll(t, args, kw) }

// listed guards a function that goes through its arguments once.
func listed(t *thread, args tuple, _ []tuple) (tuple, error) {
	for _, v := range args {
		if b, ok := v.(starlark.Bytes); ok {
			return args, work(t, len(b)/64)
		}
	}
	return finite(t, args)
}

// keyed guards a function that makes keys of its argument's items, as of a table that is empty.
func keyed(empty value) guard {
	empty.Freeze() // all threads go through it
	return func(t *thread, args tuple, _ []tuple) (tuple, error) { return merge(t, empty, args) }
}

// paired guards a function that makes tuples of its arguments' items.
func paired(t *thread, args tuple, _ []tuple) (tuple, error) {
	args, err := finite(t, args)
	if err != nil {
		return nil, err
	}
	rows := maxItems
	for _, v := range args {
		rows = min(rows, max(starlark.Len(v), 0))
	}
	if rows*len(args) > maxItems {
		return nil, errItems
	}
	return args, build(t, rows*(len(args)*sizeItem+sizeList))
}

// digits guards int, which takes longer than linear time for a long text.
func digits(_ *thread, args tuple, _ []tuple) (tuple, error) {
	if len(args) > 0 {
		if s, ok := starlark.AsString(args[0]); ok && len(s) > maxBits {
			return nil, errInt
		}
	}
	return args, nil
}

// sorted is sorted(items, key = None, reverse = False); equal items keep their order.
func sorted(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var items starlark.Iterable
	var by starlark.Callable
	var reverse bool
	if err := starlark.UnpackArgs(b.Name(), args, kw, "iterable", &items, "key?", &by, "reverse?", &reverse); err != nil {
		return nil, err
	}
	values, keys, err := keysOf(t, items, by)
	if err != nil {
		return nil, err
	}
	s := &sorter{values: values, keys: keys, less: syntax.LT}
	if reverse {
		s.less = syntax.GT
	}
	sort.Stable(s)
	if s.err != nil {
		return nil, fmt.Errorf("sorted: %w", s.err)
	}
	return starlark.NewList(values), nil
}

// keysOf returns the items and what they are compared by, after charging for comparing each with some twenty others.
func keysOf(t *thread, items starlark.Iterable, by starlark.Callable) (values, keys []value, err error) {
	args, err := finite(t, tuple{items})
	if err != nil {
		return nil, nil, err
	}
	for x := range starlark.Elements(args[0].(starlark.Iterable)) {
		values = append(values, x)
	}
	for _, x := range values {
		k, err := keyOf(t, by, x)
		if err != nil {
			return nil, nil, err
		}
		keys = append(keys, k)
	}
	w, err := weigh(starlark.NewList(keys))
	if err != nil {
		return nil, nil, err
	}
	return values, keys, work(t, 10*w.steps())
}

// sorter sorts values by keys; after the first error it no longer compares.
type sorter struct {
	values, keys []value
	less         syntax.Token
	err          error
}

func (s *sorter) Len() int { return len(s.values) }

func (s *sorter) Less(i, j int) bool {
	if s.err != nil {
		return false
	}
	ok, err := starlark.Compare(s.less, s.keys[i], s.keys[j])
	s.err = err
	return ok
}

func (s *sorter) Swap(i, j int) {
	s.values[i], s.values[j] = s.values[j], s.values[i]
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
}

// extreme is min or max: of the items of one argument, or of the arguments; the first of equals.
func extreme(better syntax.Token) func(*thread, *builtin, tuple, []tuple) (value, error) {
	return func(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
		var by starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), nil, kw, "key?", &by); err != nil {
			return nil, err
		}
		var items starlark.Iterable = args
		if len(args) == 1 {
			var ok bool
			if items, ok = args[0].(starlark.Iterable); !ok {
				return nil, fmt.Errorf("%s: %s value is not iterable", b.Name(), args[0].Type())
			}
		}
		if starlark.Len(items) > maxItems {
			return nil, errItems
		}
		var best, bestKey value
		for x := range starlark.Elements(items) {
			k, err := keyOf(t, by, x)
			if err != nil {
				return nil, err
			}
			if best != nil {
				better, err := compare(t, better, k, bestKey)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", b.Name(), err)
				}
				if better == starlark.False {
					continue
				}
			}
			best, bestKey = x, k
		}
		if best == nil {
			return nil, fmt.Errorf("%s: there are no items", b.Name())
		}
		return best, nil
	}
}

// keyOf is what x is compared by, after charging a step.
func keyOf(t *thread, by starlark.Callable, x value) (value, error) {
	if by == nil {
		return x, work(t, 1)
	}
	return starlark.Call(t, by, tuple{x}, nil)
}

// getattr is the language's, except that it gives checked methods.
func getattr(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	v, err := starlark.Universe["getattr"].(*builtin).CallInternal(t, args, kw)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(*builtin); ok && checked(args[0]) && m.Receiver() != nil {
		return built(t, method(m.Name()).BindReceiver(args[0]))
	}
	return v, nil
}

// methodPrefix is what the functions that stand for methods are named with; no file can write a name with a dot.
const methodPrefix = ".m."

// hidden are the functions that rewrite puts in the place of operations.
var hidden = func() starlark.StringDict {
	names := starlark.StringDict{}
	for name, f := range map[string]func(*thread, tuple) (value, error){
		"in":     func(t *thread, a tuple) (value, error) { return within(t, a[0], a[1]) },
		"not in": without,
		"index":  func(t *thread, a tuple) (value, error) { return index(t, a[0], a[1]) },
		"put":    func(t *thread, a tuple) (value, error) { return starlark.None, put(t, a[0], a[1], a[2]) },
		"made":   func(t *thread, a tuple) (value, error) { return built(t, a[0]) },
		"cut":    cut,
		"key":    func(t *thread, a tuple) (value, error) { return a[0], walk(t, a[0]) },
		"finite": short,
		"item":   func(t *thread, _ tuple) (value, error) { return starlark.True, build(t, sizeItem) },
		"args":   func(t *thread, a tuple) (value, error) { return spread(t, a[0]) },
		"named":  func(t *thread, a tuple) (value, error) { return spreadNamed(t, a[0]) },
		"attr": func(t *thread, a tuple) (value, error) {
			name, _ := starlark.AsString(a[1])
			return attribute(t, a[0], name)
		},
	} {
		names["."+name] = plain(name, f)
	}
	dict := guarded("dict", guards["dict"])
	names[".dict"] = plain("dict", func(t *thread, a tuple) (value, error) { return dict.CallInternal(t, a, nil) })
	operators(names)
	return names
}()

// plain is a function of positional arguments, whose number rewrite knows.
func plain(name string, f func(*thread, tuple) (value, error)) *builtin {
	return starlark.NewBuiltin(name, func(t *thread, _ *builtin, args tuple, _ []tuple) (value, error) { return f(t, args) })
}

// operators adds x op y, x op= y and x[i] op= y for each operator.
func operators(names starlark.StringDict) {
	for _, op := range arithmetic {
		names["."+op.String()] = plain(op.String(), func(t *thread, a tuple) (value, error) { return binary(t, op, a[0], a[1]) })
		names["."+op.String()+"="] = plain(op.String()+"=", func(t *thread, a tuple) (value, error) { return augment(t, op, a[0], a[1]) })
		names[".[]"+op.String()+"="] = plain(op.String()+"=", func(t *thread, a tuple) (value, error) {
			x, err := index(t, a[0], a[1])
			if err != nil {
				return nil, err
			}
			if x, err = augment(t, op, x, a[2]); err != nil {
				return nil, err
			}
			return starlark.None, put(t, a[0], a[1], x)
		})
	}
	for _, op := range comparisons {
		names["."+op.String()] = plain(op.String(), func(t *thread, a tuple) (value, error) { return compare(t, op, a[0], a[1]) })
	}
	for _, op := range []syntax.Token{syntax.MINUS, syntax.PLUS, syntax.TILDE} {
		names[".unary"+op.String()] = plain(op.String(), func(t *thread, a tuple) (value, error) { return unary(t, op, a[0]) })
	}
}

// without is x not in y.
func without(t *thread, a tuple) (value, error) {
	v, err := within(t, a[0], a[1])
	if err != nil {
		return nil, err
	}
	return !v.Truth(), nil
}

// cut charges a slice that was made without a step; that of a text shares its bytes.
func cut(t *thread, a tuple) (value, error) {
	if _, ok := a[0].(starlark.String); ok {
		return a[0], nil
	}
	return built(t, a[0])
}

// short refuses to run over more than a list may hold.
func short(_ *thread, a tuple) (value, error) {
	if starlark.Len(a[0]) > maxItems {
		return nil, errItems
	}
	return a[0], nil
}

// spread returns the items of *x in a call.
func spread(t *thread, x value) (value, error) {
	if _, ok := x.(starlark.Iterable); !ok {
		return nil, fmt.Errorf("argument after * must be iterable, not %s", x.Type())
	}
	args, err := finite(t, tuple{x})
	if err != nil {
		return nil, err
	}
	return args[0], nil
}

// spreadNamed returns the mapping of **x in a call.
func spreadNamed(t *thread, x value) (value, error) {
	m, ok := x.(starlark.IterableMapping)
	if !ok {
		return nil, fmt.Errorf("argument after ** must be a dict, not %s", x.Type())
	}
	if starlark.Len(m) > maxNamed {
		return nil, errors.New("too many arguments after **")
	}
	return x, build(t, sizeDict+max(starlark.Len(m), 0)*sizeEntry)
}

// maxNamed is how many arguments a dict may stand for in a call: finding the parameter of each takes a pass over all.
const maxNamed = 1000
