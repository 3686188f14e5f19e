package jinja

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// thing is the object of the cases, as in .ci/jinja.
type thing struct{}

func (thing) Attr(name string) (any, bool) {
	switch name {
	case "name":
		return "Thing", true
	case "n":
		return 3, true
	case "xs":
		return []any{1, 2}, true
	case "twice":
		return Func(func(args []any, _ map[string]any) (any, error) {
			s, ok := args[0].(string)
			if !ok {
				return nil, fmt.Errorf("not a string")
			}
			return s + s, nil
		}), true
	}
	return nil, false
}

// show is the function of the cases: it prints what it is given.
func show(args []any, named map[string]any) (any, error) {
	r := &run{}
	var parts []string
	for _, a := range args {
		parts = append(parts, r.str(a))
	}
	for _, k := range (dict{vals: named}).names() {
		parts = append(parts, k+"="+r.str(named[k]))
	}
	return strings.Join(parts, "|"), nil
}

// values reads testdata/vars.json; whole numbers become int64.
func values(t testing.TB) map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/vars.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var raw any
	if err := d.Decode(&raw); err != nil {
		t.Fatal(err)
	}
	vars, _ := numbers(raw).(map[string]any)
	vars["thing"] = thing{}
	vars["show"] = Func(show)
	return vars
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// jinjaCase is a template with what jinja2 makes of it.
type jinjaCase struct {
	in, out string
	fails   bool
}

func readCases(t testing.TB) []jinjaCase {
	t.Helper()
	data, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []jinjaCase
	unquote := func(s string) string {
		var text string
		if err := json.Unmarshal([]byte(s), &text); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return text
	}
	for line := range strings.Lines(string(data)) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch kind {
		case "in":
			cases = append(cases, jinjaCase{in: unquote(rest)})
		case "out":
			cases[len(cases)-1].out = unquote(rest)
		case "fails":
			cases[len(cases)-1].fails = true
		}
	}
	return cases
}

func fill(text string, vars map[string]any) (string, error) {
	t, err := Parse("x.jinja", text)
	if err != nil {
		return "", err
	}
	return t.Text(vars)
}

// TestAsJinja holds what is accepted to jinja2, and every error to a golden file, where those that
// jinja2 does not make are marked.
func TestAsJinja(t *testing.T) {
	vars := values(t)
	equal := 0
	var errors strings.Builder
	for _, c := range readCases(t) {
		got, err := fill(c.in, vars)
		switch {
		case err != nil:
			kind := "error  "
			if !c.fails {
				kind = "refused"
			}
			fmt.Fprintf(&errors, "in      %q\n%s %v\n\n", c.in, kind, err)
		case c.fails:
			t.Errorf("%q gives %q; jinja2 fails", c.in, got)
		case got != c.out:
			t.Errorf("%q\n gives  %q\n jinja2 %q", c.in, got, c.out)
		default:
			equal++
		}
	}
	t.Logf("%d templates equal jinja2", equal)
	if equal < 250 {
		t.Errorf("only %d templates were compared", equal)
	}
	golden(t, "testdata/errors.txt", errors.String())
}

// TestTablesAreCompared holds each filter, test and string function to a case that uses it.
func TestTablesAreCompared(t *testing.T) {
	var all strings.Builder
	for _, c := range readCases(t) {
		if !c.fails {
			all.WriteString(c.in)
		}
	}
	check := func(kind, name string, marks ...string) {
		if !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(all.String(), m) }) {
			t.Errorf("no case uses the %s %s", kind, name)
		}
	}
	for name := range filters {
		check("filter", name, "|"+name)
	}
	for name := range checks {
		check("test", name, "is "+name, "is not "+name, `\"`+name+`\"`, `"`+name+`"`)
	}
	for name := range textMethods {
		check("string function", name, "."+name+"(")
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs: run with -update and look at the difference\n%s", path, got)
	}
}
