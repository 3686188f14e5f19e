package star

import (
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Bound returns an error where a value is too large or nests too deep to be printed, compared, hashed, encoded or walked:
// for functions of the host that do such things with what a method hands them. A value counts as often as it occurs, so
// that one that shares its parts exponentially is refused, as is one that contains itself. It returns the bytes that the
// value takes written out anew, its texts shared.
func Bound(v starlark.Value) (bytes int, err error) {
	w, err := weigh(v)
	return w.items * sizeItem * 2, err
}

// Walk is Bound for a function of the host that is about to go through v, and charges the thread's call for it.
func Walk(t *starlark.Thread, v starlark.Value) error { return walk(t, v) }

// Work charges what a function of the host does, in steps: about 20 ns each.
func Work(t *starlark.Thread, steps int) error { return work(t, steps) }

// Built charges a value that a function of the host has made, and returns it where it is within the limits.
func Built(t *starlark.Thread, v starlark.Value) (starlark.Value, error) { return built(t, v) }

// Sized is a value of the host that holds more than a few words; Size is its bytes.
type Sized interface {
	starlark.Value
	Size() int
}

// weight is the size of a value with all that it holds.
type weight struct {
	items, bytes int
	lookups      int // steps that looking up all its keys may take beyond items
}

// steps is what walking a value of this size is charged.
func (w weight) steps() int { return w.items + w.bytes/64 + w.lookups }

// weigh walks a value, and stops at the limits.
func weigh(v starlark.Value) (weight, error) {
	var w weight
	err := w.add(v, 0)
	return w, err
}

// add walks v, which is depth levels down.
func (w *weight) add(v starlark.Value, depth int) error {
	if w.items++; w.items > maxItems {
		return errItems
	}
	if depth > maxNesting {
		return errDeep
	}
	switch v := v.(type) {
	case starlark.String:
		w.bytes += len(v)
	case starlark.Bytes:
		w.bytes += len(v)
	case starlark.Int:
		w.bytes += intBytes(v)
	case starlark.NoneType, starlark.Bool, starlark.Float, *starlark.Function, *starlark.Builtin:
		w.bytes += 8
	default:
		if _, items := v.(starlark.Sequence); items && !holds(v) { // a range: it is as long as it says, and holds nothing
			if w.items += starlark.Len(v); w.items > maxItems {
				return errItems
			}
		}
		if starlark.Len(v) > fewKeys {
			_, steps := crowdOf(v)
			w.lookups += steps
		}
		if err := parts(v, func(p starlark.Value) error { return w.add(p, depth+1) }); err != nil {
			return err
		}
	}
	if w.bytes > maxText {
		return errText
	}
	return nil
}

// holds tells the containers whose parts are walked.
func holds(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Tuple, *starlark.List, *starlark.Dict, *starlark.Set:
		return true
	}
	return false
}

// parts calls f with what a container holds. What a value of the host holds is the host's to bound.
func parts(v starlark.Value, f func(starlark.Value) error) error {
	switch v := v.(type) {
	case starlark.Tuple:
		for _, x := range v {
			if err := f(x); err != nil {
				return err
			}
		}
	case *starlark.List:
		for i := range v.Len() {
			if err := f(v.Index(i)); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for k, x := range v.Entries() {
			if err := f(k); err != nil {
				return err
			}
			if err := f(x); err != nil {
				return err
			}
		}
	case *starlark.Set:
		for x := range v.Elements() {
			if err := f(x); err != nil {
				return err
			}
		}
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			x, err := v.Attr(name)
			if err != nil {
				return err
			}
			if err := f(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// intBytes is how many decimal digits an int may have, 8 at the least.
func intBytes(i starlark.Int) int {
	if _, ok := i.Int64(); ok {
		return 8
	}
	return i.BigInt().BitLen()/3 + 1
}

// freeze makes the globals of a file immutable. The interpreter's own freezing walks without a limit, and without an end
// where a function holds itself, so that what it would walk is walked before.
func freeze(globals starlark.StringDict) error {
	f := freezer{seen: map[starlark.Value]bool{}}
	for _, name := range globals.Keys() {
		if err := f.walk(globals[name], 0); err != nil {
			return err
		}
	}
	globals.Freeze()
	return nil
}

// freezer walks as freezing does: lists, dicts, sets and structs once, all else as often as it occurs.
type freezer struct {
	seen  map[starlark.Value]bool
	items int
}

// walk goes through v, which is depth levels down.
func (f *freezer) walk(v starlark.Value, depth int) error {
	if f.items++; f.items > maxItems {
		return errItems
	}
	if depth > maxNesting {
		return errDeep
	}
	switch v := v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Set, *starlarkstruct.Struct:
		if f.seen[v] {
			return nil
		}
		f.seen[v] = true
	case *starlark.Builtin:
		if v.Receiver() != nil {
			return f.walk(v.Receiver(), depth+1)
		}
	case *starlark.Function:
		return f.function(v, depth)
	}
	return parts(v, func(p starlark.Value) error { return f.walk(p, depth+1) })
}

// function walks what a function keeps: its defaults, and the variables around it.
func (f *freezer) function(fn *starlark.Function, depth int) error {
	for i := range fn.NumParams() {
		if d := fn.ParamDefault(i); d != nil {
			if err := f.walk(d, depth+1); err != nil {
				return err
			}
		}
	}
	for i := range fn.NumFreeVars() {
		if _, v := fn.FreeVar(i); v != nil {
			if err := f.walk(v, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
