package star

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// helpers are the names that Python users miss, beside the language's own.
var helpers = starlark.StringDict{
	"struct":   starlark.NewBuiltin("struct", makeStruct),
	"json":     &starlarkstruct.Module{Name: "json", Members: jsonMembers},
	"re":       &starlarkstruct.Module{Name: "re", Members: reMembers},
	"one_line": starlark.NewBuiltin("one_line", oneLine),
	"clip":     starlark.NewBuiltin("clip", clip),
	"valid":    starlark.NewBuiltin("valid", valid),
	"fixed":    starlark.NewBuiltin("fixed", fixed),
	"round":    starlark.NewBuiltin("round", round),
	"sum":      starlark.NewBuiltin("sum", sum),
	"print":    starlark.NewBuiltin("print", printed),
}

// Helpers lists the names of the helpers, sorted; the functions of a module come with its name: "json.encode".
func Helpers() (out []string) {
	for name, v := range helpers {
		m, ok := v.(*starlarkstruct.Module)
		if !ok {
			out = append(out, name)
			continue
		}
		for f := range m.Members {
			out = append(out, name+"."+f)
		}
	}
	slices.Sort(out)
	return out
}

type (
	thread  = starlark.Thread
	builtin = starlark.Builtin
	value   = starlark.Value
	tuple   = starlark.Tuple
)

// text returns a new text after charging it.
func text(t *thread, s string) (value, error) {
	if len(s) > maxText {
		return nil, errText
	}
	if err := build(t, len(s)+16); err != nil {
		return nil, err
	}
	return starlark.String(s), work(t, len(s)/64)
}

// makeStruct is struct(name = value, ...): a value with fields that do not change.
func makeStruct(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	s, err := starlarkstruct.Make(t, b, args, kw)
	if err != nil {
		return nil, err
	}
	return built(t, s)
}

// oneLine is one_line(s): every run of white space becomes one space, and the ends are trimmed.
func oneLine(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var s string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "s", &s); err != nil {
		return nil, err
	}
	line := new(strings.Builder)
	for word := range strings.FieldsSeq(s) {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	if err := work(t, len(s)/8); err != nil {
		return nil, err
	}
	return text(t, line.String())
}

// clip is clip(s, n, dots = "..."): the first n characters, and dots where that leaves something out.
func clip(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var s string
	var n int
	dots := "..."
	if err := starlark.UnpackArgs(b.Name(), args, kw, "s", &s, "n", &n, "dots?", &dots); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("clip: n is %d: give a number of characters", n)
	}
	at := 0
	for range n {
		if at >= len(s) {
			return starlark.String(s), work(t, len(s)/8)
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	if at >= len(s) {
		return starlark.String(s), work(t, len(s)/8)
	}
	return text(t, s[:at]+dots)
}

// valid is valid(s): bytes that are not UTF-8 become U+FFFD.
func valid(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var s string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "s", &s); err != nil {
		return nil, err
	}
	if utf8.ValidString(s) {
		return starlark.String(s), work(t, len(s)/64)
	}
	return text(t, strings.ToValidUTF8(s, "\uFFFD"))
}

// number reads an int or a float.
func number(name string, v value) (float64, error) {
	f, ok := starlark.AsFloat(v)
	if !ok {
		return 0, fmt.Errorf("%s: got %s, want a number", name, v.Type())
	}
	return f, nil
}

// fixed is fixed(x, digits): x with that many digits after the point, as Python's "%.2f" prints it.
func fixed(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var x value
	var digits int
	if err := starlark.UnpackArgs(b.Name(), args, kw, "x", &x, "digits", &digits); err != nil {
		return nil, err
	}
	f, err := number("fixed", x)
	if err != nil {
		return nil, err
	}
	if digits < 0 || digits > 100 {
		return nil, fmt.Errorf("fixed: digits is %d: 0 to 100", digits)
	}
	return text(t, strconv.FormatFloat(f, 'f', digits, 64))
}

// round is round(x, digits = 0) as Python rounds: half to even; an int without digits, a float with them.
func round(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	var x value
	var digits value = starlark.None
	if err := starlark.UnpackArgs(b.Name(), args, kw, "x", &x, "digits?", &digits); err != nil {
		return nil, err
	}
	f, err := number("round", x)
	if err != nil {
		return nil, err
	}
	n := 0
	if digits != starlark.None {
		if n, err = starlark.AsInt32(digits); err != nil {
			return nil, fmt.Errorf("round: digits: %w", err)
		}
	}
	if i, ok := x.(starlark.Int); ok && n >= 0 {
		return i, nil
	}
	if digits != starlark.None && n != 0 {
		return starlark.Float(roundAt(f, n)), nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("round: the number is not finite")
	}
	if digits != starlark.None {
		return starlark.Float(math.RoundToEven(f)), nil
	}
	whole, err := starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
	if err != nil {
		return nil, err
	}
	return built(t, whole)
}

// roundAt rounds to n digits after the point, or before it where n is negative, by the decimal digits that x stands for.
func roundAt(x float64, n int) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0) || n > 323:
		return x
	case n < -308:
		return 0
	case n < 0:
		p := math.Pow10(-n)
		return math.RoundToEven(x/p) * p
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', n, 64), 64) // exact, and half to even
	return y
}

// sum is sum(list): of numbers; 0 for none.
func sum(t *thread, b *builtin, args tuple, kw []tuple) (value, error) {
	args, err := finite(t, args)
	if err != nil {
		return nil, err
	}
	var items starlark.Iterable
	var total value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kw, "list", &items, "start?", &total); err != nil {
		return nil, err
	}
	for x := range starlark.Elements(items) {
		if _, err := number("sum", x); err != nil {
			return nil, err
		}
		if total, err = binary(t, plus, total, x); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// printed is print(...), which has nowhere to print to.
func printed(_ *thread, _ *builtin, _ tuple, _ []tuple) (value, error) {
	return nil, errors.New("print: a method has no terminal: c.note(text) puts a text into the trace of a completion, and fail(text) stops with it")
}
