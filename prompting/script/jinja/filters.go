package jinja

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// filter is what stands behind "|". Its arguments come in the order of params; one that is not
// given is undefined, and the first ones must be given.
type filter struct {
	params    []string
	least     int
	undefined bool // takes what is undefined
	f         func(r *run, v any, args []any) any
}

// filters do what jinja2 3.1.6 does with everything that they accept; testdata holds the comparison.
var filters = map[string]filter{
	"count":      {f: lengthFilter},
	"d":          {params: []string{"default_value", "boolean"}, undefined: true, f: defaultFilter},
	"default":    {params: []string{"default_value", "boolean"}, undefined: true, f: defaultFilter},
	"first":      {f: func(r *run, v any, _ []any) any { return r.one(v, 0) }},
	"indent":     {params: []string{"width", "first", "blank"}, f: indentFilter},
	"int":        {params: []string{"default"}, f: intFilter},
	"join":       {params: []string{"d", "attribute"}, f: joinFilter},
	"last":       {f: func(r *run, v any, _ []any) any { return r.one(v, -1) }},
	"length":     {f: lengthFilter},
	"list":       {f: func(r *run, v any, _ []any) any { return r.copied(v) }},
	"lower":      {f: func(r *run, v any, _ []any) any { return r.lower(r.str(v)) }},
	"map":        {params: []string{"filter", "attribute"}, f: mapFilter},
	"reject":     {params: []string{"test", "value"}, f: keeping(false, false)},
	"rejectattr": {params: []string{"attribute", "test", "value"}, least: 1, f: keeping(false, true)},
	"replace":    {params: []string{"old", "new"}, least: 2, f: func(r *run, v any, a []any) any { return r.replace(r.str(v), r.str(a[0]), r.str(a[1])) }},
	"reverse":    {f: reverseFilter},
	"round":      {params: []string{"precision"}, f: roundFilter},
	"select":     {params: []string{"test", "value"}, f: keeping(true, false)},
	"selectattr": {params: []string{"attribute", "test", "value"}, least: 1, f: keeping(true, true)},
	"sort":       {params: []string{"reverse", "case_sensitive", "attribute"}, f: sortFilter},
	"string":     {f: func(r *run, v any, _ []any) any { return r.str(v) }},
	"trim":       {params: []string{"chars"}, f: trimFilter},
	"unique":     {params: []string{"case_sensitive", "attribute"}, f: uniqueFilter},
	"upper":      {f: func(r *run, v any, _ []any) any { return r.upper(r.str(v)) }},
}

// filter reads what stands behind "|".
func (p *parser) filter(x expr) expr {
	name := p.name("the name of a filter")
	f, ok := filters[name.text]
	if !ok {
		name.stop("the filter %s is not offered: %s", name.text, hint(name.text, "there are "+known(filters)))
	}
	var args given[expr]
	if p.op("(") {
		args = p.arguments()
	}
	slots, err := args.order(f.params)
	if missing := slices.Index(slots, nil); err == nil && missing >= 0 && missing < f.least {
		err = fmt.Errorf("argument %q is not given", f.params[missing])
	}
	if err != nil {
		name.stop("filter %s: %v", name.text, err)
	}
	path := x.path
	if f.undefined {
		path = path.test()
	}
	return expr{name.pos, "filter " + name.text + ": ", path, func(r *run, s *scope) any {
		v := r.raw(x, s)
		if u, ok := v.(undefined); ok && !f.undefined {
			r.stopAt(x.pos, "%s", u.text)
		}
		values := make([]any, len(slots))
		for i, slot := range slots {
			if values[i] = (undefined{}); slot != nil {
				values[i] = r.value(*slot, s)
			}
		}
		return f.f(r, v, values)
	}}
}

// isSet is an argument that is true or false, and false if it is not given.
func (r *run) isSet(arg any) bool { return !isUndefined(arg) && r.truth(arg) }

func defaultFilter(r *run, v any, args []any) any {
	switch {
	case !isUndefined(v) && (!r.isSet(args[1]) || r.truth(v)):
		return v
	case isUndefined(args[0]):
		return ""
	}
	return args[0]
}

func lengthFilter(r *run, v any, _ []any) any {
	n, ok := length(v)
	if !ok {
		r.stop("%s has no length", kindOf(v))
	}
	r.charge(n)
	return int64(n)
}

// one is the first item (0) or the last one (-1).
func (r *run) one(v any, at int) any {
	if _, ok := v.(stream); ok && at < 0 {
		r.stop("write |list before it")
	}
	list := r.items(v)
	if len(list) == 0 {
		return undefined{text: "there is no first and no last of nothing"}
	}
	return r.norm(list[(at+len(list))%len(list)])
}

// copied are a value's items in a list of their own.
func (r *run) copied(v any) []any {
	list := r.items(v)
	r.charge(len(list) * nodeCost)
	return append([]any{}, list...)
}

func reverseFilter(r *run, v any, _ []any) any {
	list := r.copied(v)
	slices.Reverse(list)
	if _, ok := v.(string); ok {
		return joinFilter(r, list, []any{undefined{}, undefined{}})
	}
	return stream(list)
}

func joinFilter(r *run, v any, args []any) any {
	list, sep := r.items(v), ""
	if !isUndefined(args[0]) {
		sep = r.str(args[0])
	}
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = r.str(r.keyed(x, args[1]))
	}
	return r.joined(parts, sep)
}

func trimFilter(r *run, v any, args []any) any {
	if isUndefined(args[0]) {
		args = nil
	}
	return r.strip(strings.TrimFunc, r.str(v), args)
}

// lineBreak is where Python's str.splitlines cuts.
var lineBreak = regexp.MustCompile(`\r\n|[\n-\r\x1c-\x1e\x{85}\x{2028}\x{2029}]`)

// indentFilter indents the lines but the first, and but the empty ones.
func indentFilter(r *run, v any, args []any) any {
	s := r.text(v)
	by, ok := args[0].(string)
	if n, isWhole := whole(args[0]); isWhole && n <= 1000 {
		by = strings.Repeat(" ", int(max(0, n)))
	} else if isUndefined(args[0]) {
		by = "    "
	} else if !ok {
		r.stop("the width is a text, or a whole number up to 1000")
	}
	first, blank := r.isSet(args[1]), r.isSet(args[2])
	r.charge(len(s) * nodeCost)
	lines := lineBreak.Split(s+"\n", -1)
	lines = lines[:len(lines)-1]
	r.room(len(s) + 1 + len(lines)*len(by))
	for i, line := range lines {
		if i == 0 && first || i > 0 && (blank || line != "") {
			lines[i] = by + line
		}
	}
	return strings.Join(lines, "\n")
}

func roundFilter(r *run, v any, args []any) any {
	n, ok := number(v)
	if !ok {
		r.stop("a number is needed, not %s", kindOf(v))
	}
	digits, ok := whole(args[0])
	if !isUndefined(args[0]) && (!ok || digits < 0 || digits > 20) {
		r.stop("the precision is a whole number from 0 to 20")
	}
	if n.whole {
		return n.i
	}
	f, _ := strconv.ParseFloat(strconv.FormatFloat(n.f, 'f', int(digits), 64), 64) // its own text is a number
	return f
}

// looseNumber is a number as Python's float reads it; "inf" and "nan" are left out.
var looseNumber = regexp.MustCompile(`^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?$`)

// intFilter reads a whole number, or gives the default.
func intFilter(r *run, v any, args []any) any {
	n, ok := number(v)
	if s, text := v.(string); text {
		r.charge(len(s) * nodeCost)
		if strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsDigit(c) }) {
			r.stop("digits other than 0 to 9 are not read")
		}
		s = strings.TrimFunc(s, isSpace)
		ok = looseNumber.MatchString(s)
		s = strings.ReplaceAll(s, "_", "")
		var err error
		if n.i, err = strconv.ParseInt(s, 10, 64); ok && errors.Is(err, strconv.ErrRange) {
			r.stop(tooBig)
		}
		n.whole = err == nil
		n.f, _ = strconv.ParseFloat(s, 64) // what is no number is not ok
	}
	switch {
	case !ok || math.IsNaN(n.f) || math.IsInf(n.f, 0):
		if isUndefined(args[0]) {
			return int64(0)
		}
		return args[0]
	case n.whole:
		return n.i
	case math.Abs(n.f) >= 1<<63:
		r.stop(tooBig)
	}
	return int64(n.f)
}
