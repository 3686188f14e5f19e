package star

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const plus = syntax.PLUS

// arithmetic are the operators that make values.
var arithmetic = []syntax.Token{syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT,
	syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX, syntax.LTLT, syntax.GTGT}

// comparisons are those that compare.
var comparisons = []syntax.Token{syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE}

// binary is x op y, for an operator that makes a value.
func binary(t *thread, op syntax.Token, x, y value) (value, error) {
	if err := affordable(t, op, x, y); err != nil {
		return nil, err
	}
	z, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	return built(t, z)
}

// affordable bounds what x op y would make before it does.
func affordable(t *thread, op syntax.Token, x, y value) error {
	switch x := x.(type) {
	case starlark.Int, starlark.Float:
		if op == syntax.STAR {
			return repeatable(y, x)
		}
	case starlark.String:
		switch op {
		case plus:
			return sumBound(starlark.Len(x), y, maxText, errText)
		case syntax.STAR:
			return repeatable(x, y)
		case syntax.PERCENT:
			return formattable(t, strings.Count(string(x), "%"), len(x), y)
		}
	case starlark.Bytes, *starlark.List, tuple:
		switch op {
		case plus:
			return sumBound(starlark.Len(x), y, maxItems, errItems)
		case syntax.STAR:
			return repeatable(x, y)
		}
	case *starlark.Dict, *starlark.Set:
		if _, err := merge(t, x, tuple{y}); err != nil {
			return err
		}
	}
	return nil
}

// sumBound refuses what would be longer than the most.
func sumBound(n int, y value, most int, err error) error {
	if m := starlark.Len(y); m > 0 && n+m > most {
		return err
	}
	return nil
}

// repeatable bounds x * n.
func repeatable(x, n value) error {
	count, err := starlark.AsInt32(n)
	if err != nil || count <= 0 {
		return nil // the operator's own error, or nothing
	}
	switch x.(type) {
	case starlark.String, starlark.Bytes:
		if starlark.Len(x)*count > maxText {
			return errText
		}
	case *starlark.List, tuple:
		if starlark.Len(x)*count > maxItems {
			return errItems
		}
	}
	return nil
}

// formattable bounds a format of that length with that many places for args.
func formattable(t *thread, places, length int, args value) error {
	w, err := weigh(args)
	if err != nil {
		return err
	}
	if _, positional := args.(tuple); positional || places == 0 {
		places = 1
	}
	if length+places*w.bytes > maxText {
		return errText
	}
	return work(t, w.steps()+(length+places*w.bytes)/64)
}

// unary is op x, for a sign or ~.
func unary(t *thread, op syntax.Token, x value) (value, error) {
	z, err := starlark.Unary(op, x)
	if err != nil {
		return nil, err
	}
	return built(t, z)
}

// compare is x op y, for an operator that compares.
func compare(t *thread, op syntax.Token, x, y value) (value, error) {
	if err := comparable(t, x, y); err != nil {
		return nil, err
	}
	ok, err := starlark.Compare(op, x, y)
	if err != nil {
		return nil, err
	}
	return starlark.Bool(ok), nil
}

// comparable bounds and charges a comparison, which takes at most what the smaller value weighs.
func comparable(t *thread, x, y value) error {
	for _, v := range []value{x, y} {
		switch v := v.(type) {
		case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
			return nil
		case starlark.String:
			if len(v) < 1024 {
				return nil
			}
		}
	}
	w, err := weigh(x)
	if err != nil {
		w, err = weigh(y)
	}
	if err != nil {
		return err
	}
	return work(t, w.steps())
}

// within is x in y.
func within(t *thread, x, y value) (value, error) {
	var err error
	switch c := y.(type) {
	case starlark.String:
		err = work(t, len(c)/64)
	case *starlark.Dict, *starlark.Set:
		err = key(t, x, y, false)
	case *starlark.List, tuple:
		err = scan(t, x, c)
	}
	if err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.IN, x, y)
}

// scan bounds and charges comparing x with each item of a list.
func scan(t *thread, x, list value) error {
	switch x := x.(type) {
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return work(t, starlark.Len(list))
	case starlark.String:
		return work(t, starlark.Len(list)*(1+len(x)/64))
	}
	return walk(t, list)
}

// index is x[y].
func index(t *thread, x, y value) (value, error) {
	switch x := x.(type) {
	case starlark.Mapping:
		if err := key(t, y, x, false); err != nil {
			return nil, err
		}
		z, found, err := x.Get(y)
		if err == nil && !found {
			err = fmt.Errorf("key %s not in %s", quoted(y), x.Type())
		}
		return z, err
	case starlark.Indexable:
		i, err := position(x, x.Len(), y)
		if err != nil {
			return nil, err
		}
		return x.Index(i), nil
	}
	return nil, fmt.Errorf("a value of type %s has no items: [%s] cannot be applied to it", x.Type(), y.Type())
}

// quoted prints a key for an error.
func quoted(k value) string {
	if s, ok := k.(starlark.String); ok && len(s) > 200 {
		k = s[:200] + "..."
	}
	return k.String()
}

// position is the place of index y among n items, where a negative one counts from the end.
func position(x value, n int, y value) (int, error) {
	i, err := starlark.AsInt32(y)
	if err != nil {
		return 0, fmt.Errorf("%s index: %w", x.Type(), err)
	}
	at := i
	if i < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return 0, fmt.Errorf("%s index %d out of range: it has %d items", x.Type(), i, n)
	}
	return at, nil
}

// put is x[y] = z.
func put(t *thread, x, y, z value) error {
	switch x := x.(type) {
	case starlark.HasSetKey:
		n := starlark.Len(x)
		if n >= maxItems {
			return errItems
		}
		if err := key(t, y, x, true); err != nil {
			return err
		}
		if err := build(t, sizeEntry); err != nil {
			return err
		}
		return x.SetKey(y, z)
	case starlark.HasSetIndex:
		i, err := position(x, x.Len(), y)
		if err != nil {
			return err
		}
		return x.SetIndex(i, z)
	}
	return fmt.Errorf("%s value does not support item assignment", x.Type())
}

// augment is what x op= y leaves in x: a list is extended and a dict updated in place, as in Python.
func augment(t *thread, op syntax.Token, x, y value) (value, error) {
	switch l := x.(type) {
	case *starlark.List:
		if _, ok := y.(starlark.Iterable); ok && op == plus {
			_, err := callMethod(t, "extend", l, tuple{y}, nil)
			return x, err
		}
	case *starlark.Dict:
		if _, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			_, err := callMethod(t, "update", l, tuple{y}, nil)
			return x, err
		}
	}
	return binary(t, op, x, y)
}
