package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Action is one call of a tool as a model wrote it. [Parse] makes one from text.
type Action struct {
	Name string `json:"name"`
	Args []Arg  `json:"args,omitempty"`
}

// Arg is one argument: a text, a bare word, or a list of texts.
type Arg struct {
	Name   string   `json:"name,omitempty"`    // of a keyword argument; empty: positional
	Text   string   `json:"text,omitempty"`    // the text, or the bare word
	Bare   bool     `json:"bare,omitempty"`    // Text stood without quotes: a number, None, True or False
	List   []string `json:"list,omitempty"`    // the elements; numbers among them as text
	IsList bool     `json:"is_list,omitempty"` // List is the value, empty or not
}

// none reports whether the argument is the word None.
func (a Arg) none() bool { return a.Bare && a.Text == "None" }

// String returns the action in canonical form: arguments in the order of the tool's parameters, positional as far as
// they go without a gap, None left out where it is the default, a list of one as its element; texts quoted as Python's
// repr quotes them. Actions that ask for the same print alike, which voting relies on, and [Parse] reads what it
// prints. An action that does not fit its tool prints as it is.
func (a Action) String() string {
	a = a.canonical()
	parts := make([]string, len(a.Args))
	for i, arg := range a.Args {
		if arg.Name != "" {
			parts[i] = arg.Name + "="
		}
		parts[i] += arg.literal()
	}
	return a.Name + "(" + strings.Join(parts, ", ") + ")"
}

func (a Arg) literal() string {
	switch {
	case a.IsList:
		out := make([]string, len(a.List))
		for i, s := range a.List {
			out[i] = repr(s)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case a.Bare:
		return a.Text
	}
	return repr(a.Text)
}

// canonical returns the action that String prints.
func (a Action) canonical() Action {
	t := find(a.Name)
	if t == nil {
		return a
	}
	bound, err := t.bind(a)
	if err != nil {
		return a
	}
	out := Action{Name: a.Name}
	gap := false
	for i, p := range t.Params {
		arg := bound[i]
		if arg == nil || arg.none() && p.Optional {
			gap = true
			continue
		}
		one := *arg
		if one.Name = ""; gap {
			one.Name = p.Name
		}
		if p.List && one.IsList && len(one.List) == 1 {
			one = Arg{Name: one.Name, Text: one.List[0]}
		}
		out.Args = append(out.Args, one)
	}
	return out
}

// bind puts each argument at the place of its parameter; nil where an optional one is not given. The error is in words
// for the model.
func (t *Tool) bind(a Action) ([]*Arg, error) {
	bound := make([]*Arg, len(t.Params))
	named := false
	for i := range a.Args {
		arg, at := &a.Args[i], i
		if arg.Name != "" {
			named = true
			at = slices.IndexFunc(t.Params, func(p Param) bool { return p.Name == arg.Name })
		} else if named {
			return nil, fmt.Errorf("a positional argument follows a named one")
		}
		switch {
		case at < 0:
			return nil, fmt.Errorf("%s has no parameter named %s", t.Name, arg.Name)
		case at >= len(t.Params):
			return nil, fmt.Errorf("%s takes %s, not %d", t.Name, counted(len(t.Params), "argument"), len(a.Args))
		case bound[at] != nil:
			return nil, fmt.Errorf("the argument %s is given twice", t.Params[at].Name)
		}
		bound[at] = arg
	}
	for i, p := range t.Params {
		if bound[i] == nil && !p.Optional {
			return nil, fmt.Errorf("the argument %s is missing", p.Name)
		}
	}
	return bound, nil
}

// counted is "1 argument", "2 arguments".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// repr writes a text as Python's repr does: in single quotes, or in double quotes where it has a single quote and no
// double one; what cannot be printed is escaped.
func repr(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}
