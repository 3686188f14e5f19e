package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// What the parts of values are charged in bytes: a little more than they take.
const (
	sizeList  = 64
	sizeItem  = 32 // of a list or tuple, with the box of a small value
	sizeDict  = 512
	sizeEntry = 128 // of a dict or set
)

// built charges a value that an operation has just made of values within the limits, and refuses one that is not.
func built(t *thread, v value) (value, error) {
	items, bytes := 0, 0
	switch v := v.(type) {
	case starlark.String:
		if len(v) > maxText {
			return nil, errText
		}
		bytes = len(v) + 16
	case starlark.Bytes:
		if len(v) > maxText {
			return nil, errText
		}
		bytes = len(v) + 16
	case starlark.Int:
		if _, ok := v.Int64(); ok {
			return v, nil
		}
		if v.BigInt().BitLen() > maxBits {
			return nil, errInt
		}
		bytes = maxBits / 8
	case *starlark.List:
		items, bytes = v.Len(), sizeList+v.Len()*sizeItem
	case starlark.Tuple:
		items, bytes = len(v), sizeList+len(v)*sizeItem
	case *starlark.Dict:
		items, bytes = v.Len(), sizeDict+v.Len()*sizeEntry
	case *starlark.Set:
		items, bytes = v.Len(), sizeDict+v.Len()*sizeEntry
	case *starlarkstruct.Struct:
		bytes = sizeList + len(v.AttrNames())*2*sizeItem
	case *starlark.Function, *starlark.Builtin:
		bytes = 2 * sizeList
	case Sized:
		bytes = v.Size()
	default:
		return v, nil
	}
	if items > maxItems {
		return nil, errItems
	}
	if err := build(t, bytes); err != nil {
		return nil, err
	}
	return v, work(t, bytes/64)
}

// weighAll bounds and charges what a function is given that walks its arguments.
func weighAll(t *thread, args tuple, kw []tuple) error {
	for _, v := range args {
		if err := walk(t, v); err != nil {
			return err
		}
	}
	for _, pair := range kw {
		if err := walk(t, pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// walk bounds and charges a value that is about to be walked.
func walk(t *thread, v value) error {
	w, err := weigh(v)
	if err != nil {
		return err
	}
	return work(t, w.steps())
}

// finite returns the arguments of a function that goes through them, after bounding and charging them: a range may have
// 10^12 items, which the function would all make in one step.
func finite(t *thread, args tuple) (tuple, error) {
	var out tuple
	for i, v := range args {
		items, ok := v.(starlark.Iterable)
		if !ok {
			continue
		}
		n := starlark.Len(items)
		if n < 0 {
			list, err := gather(items)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = append(tuple{}, args...)
			}
			out[i], n = list, list.Len()
		}
		if n > maxItems {
			return nil, errItems
		}
		if err := build(t, n*sizeItem); err != nil {
			return nil, err
		}
		if err := work(t, n); err != nil {
			return nil, err
		}
	}
	if out == nil {
		return args, nil
	}
	return out, nil
}

// gather makes a list of items whose number is not known before.
func gather(items starlark.Iterable) (*starlark.List, error) {
	var out []value
	for x := range starlark.Elements(items) {
		if len(out) == maxItems {
			return nil, errItems
		}
		out = append(out, x)
	}
	return starlark.NewList(out), nil
}
