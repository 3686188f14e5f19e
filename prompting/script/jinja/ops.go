package jinja

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

const tooBig = "the number does not fit into 64 bits"

// num is a whole number, or a float for !whole; f is its value as a float in both cases.
type num struct {
	i     int64
	f     float64
	whole bool
}

// number is a value as a number; a boolean is 0 or 1, as in Python.
func number(v any) (num, bool) {
	switch v := v.(type) {
	case bool:
		if !v {
			return num{whole: true}, true
		}
		return num{1, 1, true}, true
	case int:
		return num{int64(v), float64(v), true}, true
	case int64:
		return num{v, float64(v), true}, true
	case float64:
		return num{0, v, false}, true
	}
	return num{}, false
}

// whole is a value as a whole number.
func whole(v any) (int64, bool) {
	n, ok := number(v)
	return n.i, ok && n.whole
}

// arith is a + b and its like.
func (r *run) arith(op string, a, b any) any {
	x, ok := number(a)
	y, also := number(b)
	text, isText := a.(string)
	other, areTexts := b.(string)
	list, isList := a.([]any)
	more, areLists := b.([]any)
	switch {
	case ok && also && (op == "/" || op == "//" || op == "%") && y.f == 0:
		r.stop("division by zero")
	case ok && also && x.whole && y.whole:
		return r.wholeArith(op, x.i, y.i)
	case ok && also && floatArith[op] != nil:
		return floatArith[op](x.f, y.f)
	case ok && also:
		r.stop("%s takes whole numbers: write |int behind them", op)
	case op == "+" && isText && areTexts:
		r.room(len(text) + len(other))
		return text + other
	case op == "+" && isList && areLists:
		r.charge((len(list) + len(more)) * nodeCost)
		return slices.Concat(list, more)
	case op == "+":
		r.stop("cannot add %s and %s: write ~ to join texts", kindOf(a), kindOf(b))
	case isText && (op == "*" || op == "%"):
		r.stop("%s on a string is not offered: make the text in method.star and pass it", op)
	}
	r.stop("cannot calculate %s %s %s", kindOf(a), op, kindOf(b))
	return nil
}

var floatArith = map[string]func(a, b float64) any{
	"+": func(a, b float64) any { return a + b },
	"-": func(a, b float64) any { return a - b },
	"*": func(a, b float64) any { return a * b },
	"/": func(a, b float64) any { return a / b },
}

// wholeArith calculates with whole numbers, the second of which is not 0 where it divides.
func (r *run) wholeArith(op string, a, b int64) any {
	x, y := big.NewInt(a), big.NewInt(b)
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	case "/":
		f, _ := big.NewRat(a, b).Float64()
		return f
	default: // both go towards the smaller number, as Python's do
		rest := new(big.Int)
		if x.QuoRem(x, y, rest); rest.Sign() != 0 && rest.Sign() != y.Sign() {
			x.Sub(x, big.NewInt(1))
			rest.Add(rest, y)
		}
		if op == "%" {
			x = rest
		}
	}
	if !x.IsInt64() {
		r.stop(tooBig)
	}
	return x.Int64()
}

// equal is a == b.
func (r *run) equal(a, b any, depth int) bool {
	r.charge(nodeCost)
	if depth > maxDepth {
		r.stop("the values are too deep to be compared")
	}
	for _, v := range []any{a, b} {
		switch r.norm(v).(type) {
		case Object, Func, *closure, stream, undefined:
			r.stop("%s cannot be compared", kindOf(v))
		}
	}
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && r.order(x, y) == 0
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		r.charge(min(len(x), len(y)))
		return ok && x == y
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, func(v, w any) bool { return r.equal(v, w, depth+1) })
	}
	x, _ := mapOf(a)
	y, ok := mapOf(b)
	return ok && maps.EqualFunc(x.vals, y.vals, func(v, w any) bool { return r.equal(v, w, depth+1) })
}

// order is -1, 0 or 1 for two numbers.
func (r *run) order(a, b num) int {
	if math.IsNaN(a.f) || math.IsNaN(b.f) {
		r.stop("a value that is not a number has no order")
	}
	if a.whole && b.whole {
		return cmp.Compare(a.i, b.i)
	}
	return a.exact().Cmp(b.exact())
}

// exact is the number without rounding; it is not for what is not a number.
func (n num) exact() *big.Float {
	if n.whole {
		return new(big.Float).SetInt64(n.i)
	}
	return big.NewFloat(n.f)
}

// compare is -1, 0 or 1 for two numbers or two strings.
func (r *run) compare(a, b any) int {
	r.charge(nodeCost)
	m, number1 := number(a)
	n, number2 := number(b)
	x, text1 := a.(string)
	y, text2 := b.(string)
	switch {
	case number1 && number2:
		return r.order(m, n)
	case !text1 || !text2:
		r.stop("%s and %s have no order", kindOf(a), kindOf(b))
	}
	r.charge(min(len(x), len(y)))
	return strings.Compare(x, y)
}

// contains is a in b.
func (r *run) contains(a, b any) bool {
	key, text := a.(string)
	if s, ok := b.(string); ok {
		if !text {
			r.stop("only a string can be in a string, not %s", kindOf(a))
		}
		r.charge(len(s))
		return strings.Contains(s, key)
	}
	if d, ok := mapOf(b); ok {
		if !text {
			r.stop("%s cannot be a key", kindOf(a))
		}
		_, has := d.vals[key]
		return has
	}
	return slices.ContainsFunc(r.items(b), func(x any) bool { return r.equal(a, x, 0) })
}

// relations are the comparisons of a chain.
var relations = map[string]func(r *run, a, b any) bool{
	"==":     func(r *run, a, b any) bool { return r.equal(a, b, 0) },
	"!=":     func(r *run, a, b any) bool { return !r.equal(a, b, 0) },
	"<":      func(r *run, a, b any) bool { return r.compare(a, b) < 0 },
	"<=":     func(r *run, a, b any) bool { return r.compare(a, b) <= 0 },
	">":      func(r *run, a, b any) bool { return r.compare(a, b) > 0 },
	">=":     func(r *run, a, b any) bool { return r.compare(a, b) >= 0 },
	"in":     (*run).contains,
	"not in": func(r *run, a, b any) bool { return !r.contains(a, b) },
}
