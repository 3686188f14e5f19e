package star

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// checked tells whether a value's methods are the language's own, whose cost the interpreter does not count.
func checked(v value) bool {
	switch v.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
		return true
	}
	return false
}

// methodNames are the names of all methods of the language's own values.
var methodNames = func() map[string]bool {
	names := map[string]bool{}
	for _, v := range []starlark.HasAttrs{starlark.String(""), starlark.Bytes(""), new(starlark.List), new(starlark.Dict), new(starlark.Set)} {
		for _, name := range v.AttrNames() {
			names[name] = true
		}
	}
	return names
}()

// method returns the function that stands for x.name(...) with x as its first argument, or for the bound x.name.
func method(name string) *builtin {
	return starlark.NewBuiltin(name, func(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
		if b.Receiver() != nil {
			return callMethod(t, name, b.Receiver(), args, kw)
		}
		return callMethod(t, name, args[0], args[1:], kw)
	})
}

// attribute is x.name for a name of methodNames.
func attribute(t *thread, x value, name string) (value, error) {
	f, err := member(x, name)
	if err != nil || !checked(x) {
		return f, err
	}
	return built(t, method(name).BindReceiver(x))
}

// member is x.name, whatever x is.
func member(x value, name string) (value, error) {
	if has, ok := x.(starlark.HasAttrs); ok {
		if f, err := has.Attr(name); f != nil || err != nil {
			return f, err
		}
	}
	return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), name)
}

// callMethod is x.name(args), its cost bounded and charged where the method is the language's own.
func callMethod(t *thread, name string, x value, args tuple, kw []tuple) (value, error) {
	f, err := member(x, name)
	if err != nil {
		return nil, err
	}
	if !checked(x) {
		return starlark.Call(t, f, args, kw)
	}
	args, err = prepare(t, name, x, args, kw)
	if err != nil {
		return nil, err
	}
	v, err := f.(*builtin).CallInternal(t, args, kw)
	if err != nil || keeps[name] {
		return v, err
	}
	return built(t, v)
}

// keeps are the methods that return what was there before, or a text that shares the bytes of the one it is cut from.
var keeps = map[string]bool{
	"get": true, "pop": true, "setdefault": true,
	"strip": true, "lstrip": true, "rstrip": true, "removeprefix": true, "removesuffix": true,
}

// prepare bounds and charges a method of the language's own, and returns its arguments with what has no length made a list.
func prepare(t *thread, name string, x value, args tuple, kw []tuple) (tuple, error) {
	switch x := x.(type) {
	case starlark.String:
		return prepareText(t, name, string(x), args, kw)
	case *starlark.List:
		return prepareList(t, name, x, args)
	case *starlark.Dict:
		return prepareTable(t, name, x, args)
	case *starlark.Set:
		return prepareTable(t, name, x, args)
	}
	return args, work(t, starlark.Len(x)/16)
}

// prepareText does it for a method of a text.
func prepareText(t *thread, name, s string, args tuple, kw []tuple) (tuple, error) {
	if err := work(t, len(s)/16); err != nil {
		return nil, err
	}
	switch name {
	case "join":
		return joinable(t, s, args)
	case "format":
		return args, formats(t, s, args, kw)
	case "replace":
		return args, replaceable(s, args)
	case "split", "rsplit", "splitlines":
		return splittable(t, name, s, args)
	case "strip", "lstrip", "rstrip":
		if len(args) == 1 {
			set, _ := starlark.AsString(args[0])
			return args, work(t, len(s)*len(set)/64)
		}
		return args, nil
	}
	return args, weighAll(t, args, kw)
}

// joinable bounds s.join(args[0]).
func joinable(t *thread, s string, args tuple) (tuple, error) {
	args, err := finite(t, args)
	if err != nil || len(args) != 1 {
		return args, err
	}
	items, ok := args[0].(starlark.Iterable)
	if !ok {
		return args, nil
	}
	total := 0
	for x := range starlark.Elements(items) {
		part, _ := starlark.AsString(x)
		if total += len(part) + len(s); total > maxText+len(s) {
			return nil, errText
		}
	}
	return args, nil
}

// formats bounds s.format(args, kw), in which each brace may stand for everything.
func formats(t *thread, s string, args tuple, kw []tuple) error {
	all := append(tuple{}, args...)
	for _, pair := range kw {
		all = append(all, pair[1])
	}
	return formattable(t, strings.Count(s, "{"), len(s), starlark.NewList(all))
}

// replaceable bounds s.replace(old, new, count).
func replaceable(s string, args tuple) error {
	if len(args) < 2 {
		return nil
	}
	old, _ := starlark.AsString(args[0])
	by, _ := starlark.AsString(args[1])
	n := strings.Count(s, old)
	if old == "" {
		n = utf8.RuneCountInString(s) + 1
	}
	if len(args) == 3 {
		if most, err := starlark.AsInt32(args[2]); err == nil && most >= 0 {
			n = min(n, most)
		}
	}
	if len(s)+n*(len(by)-len(old)) > maxText {
		return errText
	}
	return nil
}

// splittable bounds how many pieces a split makes.
func splittable(t *thread, name, s string, args tuple) (tuple, error) {
	n := 0
	sep := ""
	if len(args) > 0 {
		sep, _ = starlark.AsString(args[0])
	}
	switch {
	case name == "splitlines":
		n = strings.Count(s, "\n") + 1
	case sep != "":
		n = strings.Count(s, sep) + 1
	default:
		for range strings.FieldsSeq(s) {
			n++
		}
	}
	if n > maxItems {
		return nil, errItems
	}
	if name != "splitlines" && len(args) == 2 { // the library makes room for as many pieces as are allowed
		if most, ok := args[1].(starlark.Int); ok && most.BigInt().Cmp(big.NewInt(int64(n))) > 0 {
			args = slices.Clone(args)
			args[1] = starlark.MakeInt(n)
		}
	}
	return args, build(t, n*sizeItem)
}

// prepareList does it for a method of a list.
func prepareList(t *thread, name string, x *starlark.List, args tuple) (tuple, error) {
	n := x.Len()
	switch name {
	case "append", "insert":
		if n >= maxItems {
			return nil, errItems
		}
		if name == "insert" {
			if err := work(t, n/4); err != nil {
				return nil, err
			}
		}
		return args, build(t, sizeItem)
	case "extend":
		args, err := finite(t, args)
		if err == nil && len(args) == 1 && n+max(starlark.Len(args[0]), 0) > maxItems {
			err = errItems
		}
		return args, err
	case "pop":
		if len(args) > 0 {
			return args, work(t, n/4)
		}
	case "index", "remove":
		if len(args) > 0 {
			return args, scan(t, args[0], x)
		}
	}
	return args, nil
}

// prepareTable does it for a method of a dict or set.
func prepareTable(t *thread, name string, x value, args tuple) (tuple, error) {
	n := starlark.Len(x)
	switch name {
	case "get", "pop", "discard", "remove":
		if len(args) > 0 {
			return args, key(t, args[0], x, false)
		}
		return args, popped(t, x)
	case "add", "setdefault":
		if n >= maxItems {
			return nil, errItems
		}
		if len(args) > 0 {
			if err := key(t, args[0], x, true); err != nil {
				return nil, err
			}
		}
		return args, build(t, sizeEntry)
	case "popitem":
		return args, popped(t, x)
	case "keys", "values", "items":
		return args, build(t, n*2*sizeItem)
	case "clear":
		return args, work(t, n)
	}
	return merge(t, x, args) // update, union, difference, ...
}

// popped charges taking the first key out of a dict or set.
func popped(t *thread, table value) error {
	for k := range starlark.Elements(table.(starlark.Iterable)) {
		return key(t, k, table, false)
	}
	return nil
}
