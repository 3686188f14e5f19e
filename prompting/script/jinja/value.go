package jinja

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Beside what a caller may pass, these values and closure arise in a template only.
type (
	// undefined is a name, attribute or item that is not there. A silent one is what an inline
	// "if" without "else" gives: it prints nothing, and is otherwise as strict.
	undefined struct {
		text   string
		silent bool
	}
	// dict is a map: as written in the template, with its keys in that order, or the caller's, without.
	dict struct {
		keys []string
		vals map[string]any
	}
	// stream is what Python gives as an iterator: it can be walked and filtered, and nothing else.
	// A key with its value is one too, for they print as a tuple there.
	stream []any
)

// norm brings whole numbers to int64, and refuses types that the package does not know.
func (r *run) norm(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case nil, bool, int64, float64, string, []any, map[string]any, Object, Func, undefined, dict, stream, *closure:
		return v
	}
	r.stop("%s cannot be used in a template", kindOf(v))
	return nil
}

// kindOf names a value's type in errors.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "none"
	case bool:
		return "a boolean"
	case int, int64:
		return "a whole number"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any, dict:
		return "a map"
	case stream:
		return "an iterator"
	case Object:
		return "an object"
	case Func, *closure:
		return "a function"
	}
	return fmt.Sprintf("a value of the Go type %T", v)
}

// mapOf is a value as a map.
func mapOf(v any) (d dict, ok bool) {
	switch v := v.(type) {
	case dict:
		return v, true
	case map[string]any:
		return dict{nil, v}, true
	}
	return dict{}, false
}

// names are the keys, in an order that is the same each time.
func (d dict) names() []string {
	if d.keys == nil {
		return slices.Sorted(maps.Keys(d.vals))
	}
	return d.keys
}

// truth is Python's bool of a value.
func (r *run) truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case undefined:
		r.stop("%s", v.text)
	case stream:
		r.stop("an iterator is always true: write |list behind it")
	}
	if n, ok := number(v); ok {
		return n.f != 0
	}
	n, ok := length(v)
	return n > 0 || !ok
}

// length is Python's len.
func length(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case []any:
		return len(v), true
	}
	d, ok := mapOf(v)
	return len(d.vals), ok
}

// items is what a loop over the value walks.
func (r *run) items(v any) []any {
	var keys []string
	switch v := v.(type) {
	case []any:
		r.charge(len(v))
		return v
	case stream:
		r.charge(len(v))
		return v
	case undefined:
		r.stop("%s", v.text)
	case string:
		keys = strings.Split(v, "")
	default:
		d, ok := mapOf(v)
		if !ok {
			r.stop("cannot walk over %s", kindOf(v))
		}
		keys = d.names()
	}
	return r.texts(keys)
}

// texts is a list of strings.
func (r *run) texts(list []string) []any {
	r.charge(len(list) * nodeCost)
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// str is Python's str of a value.
func (r *run) str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case undefined:
		if !v.silent {
			r.stop("%s", v.text)
		}
		return ""
	}
	var b strings.Builder
	r.repr(&b, v, 0)
	return b.String()
}

// repr is Python's repr of a value.
func (r *run) repr(b *strings.Builder, v any, depth int) {
	if depth > maxDepth || b.Len() > maxText {
		r.stop("the value is too deep or too long to be printed")
	}
	r.charge(nodeCost)
	if d, ok := mapOf(v); ok {
		v = d
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case int:
		b.WriteString(strconv.Itoa(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(floatText(v))
	case string:
		r.room(len(v))
		b.WriteString(quoted(v))
	case []any:
		b.WriteString("[")
		for i, x := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			r.repr(b, x, depth+1)
		}
		b.WriteString("]")
	case dict:
		b.WriteString("{")
		for i, k := range v.names() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoted(k) + ": ")
			r.repr(b, v.vals[k], depth+1)
		}
		b.WriteString("}")
	case stream:
		r.stop("an iterator cannot be printed: write |list or |join(\", \") behind it")
	default:
		r.stop("%s cannot be printed", kindOf(v))
	}
}

// floatText is Python's repr of a float.
func floatText(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'f', -1, 64), "+"))
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if f != 0 && (exp < -4 || exp >= 16) {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// pythonEscapes are the characters that Python's repr writes otherwise than Go's %x would.
var pythonEscapes = map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, '\\': `\\`}

// quoted is Python's repr of a string.
func quoted(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, c := range s {
		switch e, ok := pythonEscapes[c]; {
		case ok:
			b.WriteString(e)
		case c == quote:
			b.WriteString(`\` + string(c))
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c < 0x100:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteString(strings.Trim(strconv.QuoteToASCII(string(c)), `"`))
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// plain makes what a Func is given: only types that a caller may pass himself.
func (r *run) plain(v any, depth int) any {
	if depth > maxDepth {
		r.stop("the value is too deep to be passed")
	}
	switch v := v.(type) {
	case dict:
		r.charge(len(v.vals) * nodeCost)
		m := make(map[string]any, len(v.vals))
		for k, x := range v.vals {
			m[k] = r.plain(x, depth+1)
		}
		return m
	case []any:
		r.charge(len(v) * nodeCost)
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = r.plain(x, depth+1)
		}
		return out
	case undefined, stream, *closure:
		r.stop("%s cannot be passed to a function", kindOf(v))
	}
	return v
}
