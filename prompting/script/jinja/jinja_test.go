package jinja

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

func mustParse(t testing.TB, text string) *Template {
	t.Helper()
	tpl, err := Parse("x.jinja", text)
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

func TestMessages(t *testing.T) {
	vars := map[string]any{"x": 1}
	is := func(text string, want ...Message) {
		t.Helper()
		got, err := mustParse(t, text).Messages(vars)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %q, %v; want %q", text, got, err, want)
		}
	}
	user := func(text string) Message { return Message{"user", text} }
	system := func(text string) Message { return Message{"system", text} }
	is("a {{ x }}\n", user("a 1"))
	is("a\n\n", user("a\n"))
	is("", user(""))
	is("{% block system %}\ns\n{% endblock %}\n{% block user %}\nu\n{% endblock %}\n", system("s"), user("u"))
	is("{% block user %}u{% endblock %}{% block system %}s{% endblock %}", system("s"), user("u"))
	is("{% block system %}{% endblock %}{% block user %}u{% endblock %}", user("u"))
	is("{% block system %}{% if x == 2 %}s{% endif %}{% endblock %}{% block user %}u{% endblock %}", user("u"))
	is("{% block system %}\n\n{% endblock %}{% block user %}u{% endblock %}", user("u"))
	is("{% block user %}u{% endblock %}", user("u"))
	is("{% block system %}s{% endblock %}", system("s"))
	is("{% block user %}{% endblock %}", user(""))
	is("{% block user %}a\n\n{% endblock %}", user("a\n"))
	is("{% block user %}a{% block rules %}b{% endblock %}c{% endblock %}", user("abc"))
	is("{% set y = x + 1 %}{% macro m(a) %}<{{ a }}>{% endmacro %}{# c #}\n\n{% block user %}{{ m(y) }}{% endblock %}\n", user("<2>"))
	is("{% if x %}{% set z = 3 %}{% endif %}{% block user %}{{ z }}{% endblock %}", user("3"))
	is("{% block rules %}r{% endblock %}", user("r"))
}

func TestMessagesThatWouldLoseText(t *testing.T) {
	for _, text := range []string{
		"a\n{% block user %}u{% endblock %}",
		"{% block user %}u{% endblock %}{{ 1 }}",
		"{% block system %}u{% endblock %}\n{% block rules %}r{% endblock %}",
		"{% if true %}a{% endif %}{% block user %}u{% endblock %}",
	} {
		_, err := mustParse(t, text).Messages(nil)
		if err == nil || !strings.Contains(err.Error(), "outside the blocks system and user") {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := mustParse(t, text).Text(nil); err != nil {
			t.Errorf("as one text %q: %v", text, err)
		}
	}
}

const blocksText = `{% block system %}
You answer.
{% block rules %}
- be {{ how }}
{% endblock %}
{% endblock %}
{% block user %}{% for x in xs %}{{ x }}{% block sep scoped %}, {% endblock %}{% endfor %}{% endblock %}`

func TestBlocks(t *testing.T) {
	got := mustParse(t, blocksText).Blocks()
	if want := []string{"system", "rules", "user", "sep"}; !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestWith(t *testing.T) {
	vars := map[string]any{"how": "brief", "xs": []any{1, 2}}
	original := mustParse(t, blocksText)
	is := func(blocks map[string]Block, want string) {
		t.Helper()
		tpl, err := original.With(blocks)
		if err != nil {
			t.Error(err)
			return
		}
		got, err := tpl.Messages(vars)
		if s := fmt.Sprintf("%q", got); err != nil || s != want {
			t.Errorf("%v gives\n%s, %v; want\n%s", blocks, s, err, want)
		}
	}
	one := func(name, text string) map[string]Block { return map[string]Block{name: {"r.txt", text}} }
	same := `[{"system" "You answer.\n- be brief"} {"user" "1, 2, "}]`
	is(nil, same)
	is(one("rules", ""), `[{"system" "You answer."} {"user" "1, 2, "}]`)
	is(one("rules", "- be {{ how }}"), same)
	is(one("rules", "- be {{ how }}\n"), same)
	is(one("rules", "a\n\n"), `[{"system" "You answer.\na\n"} {"user" "1, 2, "}]`)
	is(one("rules", "{% if how %}\na\r\n{% endif %}\n"), `[{"system" "You answer.\na"} {"user" "1, 2, "}]`)
	is(one("sep", "/{{ x }};\n"), `[{"system" "You answer.\n- be brief"} {"user" "1/1;2/2;"}]`)
	is(one("system", ""), `[{"user" "1, 2, "}]`)
	is(one("system", "Hm. {% block rules %}r{% endblock %}"), `[{"system" "Hm. r"} {"user" "1, 2, "}]`)
	is(map[string]Block{"rules": {}, "sep": {"r.txt", "+"}}, `[{"system" "You answer."} {"user" "1+2+"}]`)
	is(nil, same)
}

func TestWithThatCannotBe(t *testing.T) {
	original := mustParse(t, blocksText)
	fails := func(blocks map[string]Block, want string) {
		t.Helper()
		_, err := original.With(blocks)
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v; want %s", blocks, err, want)
		}
	}
	fails(map[string]Block{"rule": {}}, `x.jinja:1:1: there is no block "rule": there are system, rules, user, sep`)
	fails(map[string]Block{"rules": {"r.txt", "a\n{{ x"}}, "r.txt:2:1: a tag is opened and never closed: write }} at its end")
	fails(map[string]Block{"rules": {}, "system": {}}, `x.jinja:1:1: block "rules" stands within another that is replaced: replace one of them`)
	fails(map[string]Block{"rules": {"r.txt", "{% block sep %}{% endblock %}"}}, `x.jinja:7:50: block "sep" is there twice, first at r.txt:1`)
	fails(map[string]Block{"rules": {"r.txt", "{% block user %}{% endblock %}"}}, `r.txt:1:10: block "user" is a message: it stands at the top of the file, and in nothing else`)
	tpl, err := original.With(map[string]Block{"rules": {"r.txt", "a\n {{ hwo }}"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = tpl.Messages(map[string]any{"xs": []any{}}); err == nil || err.Error() != `r.txt:2:5: "hwo" is undefined` {
		t.Error(err)
	}
}

// TestRefused holds what Jinja has and this has not to errors that say what to write.
func TestRefused(t *testing.T) {
	var out strings.Builder
	add := func(text string) {
		_, err := Parse("x.jinja", text)
		if err == nil {
			t.Errorf("%q is accepted", text)
			return
		}
		fmt.Fprintf(&out, "%q\n    %v\n", text, err)
	}
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		add("{% " + name + " x %}")
		add("{{ x|" + name + " }}")
		add("{{ x is " + name + " }}")
	}
	for _, name := range slices.Sorted(maps.Keys(refusedNames)) {
		add("{{ " + name + " }}")
	}
	for _, text := range []string{
		"{{ 2 ** 3 }}", "{{ f(*xs) }}", "{{ f(**m) }}", "{{ xs[::2] }}", "{{ (1, 2) }}", "{% set x %}a{% endset %}", "{{ x is odd 3 }}", "{{ x is eq 3 }}", "{{ x|replace('a') }}", "{{ x|nope }}", "{{ x is nope }}", "{% nope %}", "{{ xs.0 }}", "{{ x.__class__ }}",
		"{{ loop.cycle(1, 2) }}", "{{ loop.changed(1) }}", "{% for x in xs recursive %}{% endfor %}",
		"{% for loop in xs %}{% endfor %}", "{% for x, x in xs %}{% endfor %}", "{% set a, b = 1, 2 %}", "{% set ns.x = 1 %}", "{% set x | upper %}a{% endset %}",
		"{% macro m(*xs) %}{% endmacro %}", "{{ \"a\" \"b\" }}", "{{ '\\101' }}", "{{ '\\N{DASH}' }}", "{{ '\\ud800' }}", "{{ 0x10 }}", "{{ 012 }}", "{{ 99999999999999999999 }}",
		"{{ x is callable }}", "{{ x is sameas none }}", "{{ x|upper.y }}", "{{ (x|first)(1) }}{{ x|first(1)(2) }}", "{{ 1, 2 }}", "{% if x is odd if y %}{% endif %}",
		"{% if true %}{% block user %}{% endblock %}{% endif %}", "{% set true = 1 %}", "{{ ]) }}", "{{ (] }}", "a\n\n  {{ é.ü! }}", "{% raw +%}{% endraw %}", "{{ x|map.y }}", "\xff",
		"{{ if }}", "{{ x if }}", "{{ x.y.2 }}", "{{ {1} }}", "{{ [1 2] }}", "{{ f(1 2) }}", "{{ (1 2) }}", "{{ x[] }}", "{{ x[1 2] }}", "{{ x[1:2:3] }}",
	} {
		add(text)
	}
	golden(t, "testdata/refused.txt", out.String())
}

// TestRefusedWhileFilling holds values that would do otherwise than in jinja2 to errors.
func TestRefusedWhileFilling(t *testing.T) {
	cause := errors.New("no such database")
	vars := map[string]any{
		"o": thing{}, "s": "a", "xs": []any{1, 2}, "m": map[string]any{"keys": 1}, "bad": struct{}{}, "deep": []any{struct{}{}},
		"fail":  Func(func([]any, map[string]any) (any, error) { return nil, cause }),
		"gives": Func(func([]any, map[string]any) (any, error) { return struct{}{}, nil }),
	}
	var out strings.Builder
	for _, text := range []string{
		"{{ o }}", "{% for x in o %}{% endfor %}", "{{ o == o }}", "{{ o|length }}", "{{ o|list }}", "{{ [o] }}", "{{ o ~ s }}", "{{ fail }}", "{{ fail == 1 }}",
		"a\n {{ fail(s) }}", "{{ gives() }}", "{{ bad }}", "{{ deep }}", "{{ deep[0] }}", "{% for x in deep %}{% endfor %}", "{{ deep == deep }}",
		"{{ 'x' * 3 }}", "{{ '%s' % s }}", "{{ xs * 2 }}", "{{ xs|map('upper') }}", "{{ xs|select }}", "{% if xs|select %}{% endif %}", "{% set g = xs|select %}", "{{ m.keys() }}", "{{ 1 in xs|reverse }}", "{% for p in m.items() %}{{ p }}{% endfor %}",
		"{{ m.keys }}", "{{ m.pop('keys') }}", "{{ m.nope() }}", "{{ xs.append(3) }}", "{{ s.format(1) }}", "{{ s.upper }}", "{{ s.strip(chars='a') }}", "{{ nope is none }}", "{{ [nope] }}", "{{ {1: 2} }}",
		"{{ 9223372036854775807 + 1 }}", "{{ -9223372036854775807 - 2 }}", "{{ 9223372036854775807 * 2 }}", "{{ '99999999999999999999'|int }}", "{{ 1e30|int }}",
		"{{ m|map(attribute='x', filter='y')|list }}", "{{ xs|sort(attribute='a,b') }}", "{{ xs|select('nope')|list }}", "{{ xs|select('eq')|list }}", "{{ fail(xs|map(attribute='int')) }}", "{{ fail(xs|select) }}", "{{ s|indent(2000) }}",
		"{% macro m1() %}{{ nope }}{% endmacro %}\n{{ m1() }}", "{{ nope.a.b }}", "{{ m.a.b }}", "{{ o.a.b }}",
	} {
		got, err := mustParse(t, text).Text(vars)
		if err == nil {
			t.Errorf("%q gives %q", text, got)
			continue
		}
		fmt.Fprintf(&out, "%q\n    %v\n", text, err)
	}
	golden(t, "testdata/refused-values.txt", out.String())
	_, err := mustParse(t, "{{ fail(1) }}").Text(vars)
	if !errors.Is(err, cause) {
		t.Errorf("%v does not hold its cause", err)
	}
}

// TestHostile fills what would crash, hang or exhaust the memory elsewhere; each must end in an error.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	vars := map[string]any{"long": long, "n": 1, "many": many(99_999)}
	loop := []any{nil}
	loop[0] = loop
	vars["loop_"] = loop
	double := strings.Repeat("{% set s = s ~ s %}", 60)
	for name, text := range map[string]string{
		"a file of 2 MB":             long + long,
		"open brackets":              "{{ " + strings.Repeat("(", 500_000),
		"closed brackets":            "{{ " + strings.Repeat("(", 1500) + "1" + strings.Repeat(")", 1500) + " }}",
		"not not not":                "{{ " + strings.Repeat("not ", 3000) + "1 }}",
		"signs":                      "{{ " + strings.Repeat("- ", 3000) + "1 }}",
		"inline ifs":                 "{{ 1 " + strings.Repeat("if 1 else 1 ", 900) + " }}",
		"attributes":                 "{{ n" + strings.Repeat(".a", 5000) + " }}",
		"filters":                    "{{ n" + strings.Repeat("|upper", 5000) + " }}",
		"ifs":                        strings.Repeat("{% if n %}", 50_000),
		"elifs":                      "{% if 0 %}" + strings.Repeat("{% elif nope %}", 10) + "{% endif %}",
		"blocks":                     strings.Repeat("{% block b %}", 50_000),
		"a macro within itself":      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"two macros":                 "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
		"a default within itself":    "{% macro m(x=m()) %}{% endmacro %}{{ m() }}",
		"a macro that doubles":       "{% macro m(k) %}{% if k %}{{ m(k - 1) }}{{ m(k - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
		"loops":                      "{% for a in many %}{% for b in many %}{% endfor %}{% endfor %}",
		"loops over a filter":        "{% for a in many %}{% set x = many|sort %}{% endfor %}",
		"output":                     "{% for a in many %}{{ long }}{% endfor %}",
		"doubling texts":             "{% set s = 'x' %}" + double,
		"doubling lists":             "{% set s = [1] %}" + strings.Repeat("{% set s = s + s %}", 60),
		"doubling within":            "{% set s = [1] %}" + strings.Repeat("{% set s = [s, s] %}", 60) + "{{ s }}",
		"comparing doubled":          "{% set s = [1] %}" + strings.Repeat("{% set s = [s, s] %}", 60) + "{% set z = [1] %}" + strings.Repeat("{% set z = [z, z] %}", 60) + "{{ s == z }}",
		"deep lists":                 "{% set s = [1] %}" + strings.Repeat("{% set s = [s] %}", 1000) + "{{ s }}",
		"replacing nothing":          "{{ long|replace('', long) }}",
		"joining":                    "{{ many|join(long) }}",
		"joining characters":         "{{ long|join(long) }}",
		"indenting":                  "{{ long|replace('x', '\n')|indent(1000) }}",
		"characters":                 "{% for a in many %}{% set x = long|list %}{% endfor %}",
		"splitting":                  "{% for a in many %}{% set x = long.split('x') %}{% endfor %}",
		"searching":                  "{% for a in many %}{% set x = 'zz' in long %}{% endfor %}",
		"slicing":                    "{% for a in many %}{% set x = long.split() %}{% endfor %}",
		"small letters":              "{% for a in many %}{% set x = long|lower %}{% endfor %}",
		"stripping":                  "{% for a in many %}{% set x = long.strip('yx') %}{% endfor %}",
		"a list that holds itself":   "{{ loop_ }}",
		"comparing it":               "{{ loop_ == [loop_] }}",
		"unique":                     "{{ many|unique|list }}",
		"names":                      distinct(70_000),
		"names that are read":        distinct(10_000) + "{% for a in many %}{% if n %}{% endif %}{% endfor %}",
		"a large exponent":           "{{ 1e999999999 }}{{ nope }}",
		"precision":                  "{{ 1.5|round(400000000) }}",
		"NUL":                        "{{ \x00 }}",
		"comments":                   strings.Repeat("{#", 100_000),
		"raws":                       strings.Repeat("{% raw %}", 100_000),
		"tags in an unclosed string": "{{ '" + strings.Repeat("\\", 99_999),
	} {
		tpl, err := Parse("x.jinja", text)
		if err == nil {
			_, err = tpl.Messages(vars)
		}
		var place *Error
		if !errors.As(err, &place) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// distinct sets so many names.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{%%set n%d=1%%}", i)
	}
	return b.String()
}

// many are so many whole numbers.
func many(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestUnharmed fills what is large and allowed.
func TestUnharmed(t *testing.T) {
	vars := map[string]any{"long": strings.Repeat("x", 1<<20), "many": many(50_000)}
	for text, size := range map[string]int{
		"{{ long }}{{ long }}{{ long }}":                                                      3 << 20,
		"{% for i in many %}{{ i }},{{ loop.last }}\n{% endfor %}":                            588888,
		strings.Repeat("{% if long %}", 99) + "x" + strings.Repeat("{% endif %}", 99):         1,
		strings.Repeat("{{ 1 }}", 100_000):                                                    100_000,
		"{% macro m(k) %}{{ k }}{% if k %}{{ m(k - 1) }}{% endif %}{% endmacro %}{{ m(60) }}": 112,
	} {
		got, err := mustParse(t, text).Text(vars)
		if err != nil || len(got) != size {
			t.Errorf("%.40q: %d bytes, %v; want %d", text, len(got), err, size)
		}
	}
}

func TestFuncArguments(t *testing.T) {
	var args []any
	var named map[string]any
	id := Func(func(a []any, _ map[string]any) (any, error) { return a[0], nil })
	if got, err := mustParse(t, "{{ m.f(3) }}{{ m['f'](4) }}").Text(map[string]any{"m": map[string]any{"f": id}}); got != "34" {
		t.Error(got, err)
	}
	f := Func(func(a []any, n map[string]any) (any, error) { args, named = a, n; return 1, nil })
	text := "{{ f(1, 'a', [1.5, [2, 3]], {'k': {'l': none}}, o, x=true) + 1 }}"
	got, err := mustParse(t, text).Text(map[string]any{"f": f, "o": thing{}})
	if err != nil || got != "2" {
		t.Fatal(got, err)
	}
	if s := fmt.Sprintf("%#v %#v", args, named); s != `[]interface {}{1, "a", []interface {}{1.5, []interface {}{2, 3}}, map[string]interface {}{"k":map[string]interface {}{"l":interface {}(nil)}}, jinja.thing{}} map[string]interface {}{"x":true}` {
		t.Error(s)
	}
}

func TestConcurrent(t *testing.T) {
	data, err := os.ReadFile("testdata/bench.jinja")
	if err != nil {
		t.Fatal(err)
	}
	tpl := mustParse(t, string(data))
	vars := benchVars()
	want, err := tpl.Messages(vars)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				off, err := tpl.With(map[string]Block{"how": {"r.txt", "{{ demos|length }}"}})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := off.Messages(vars); err != nil {
					t.Error(err)
				}
				if got, err := tpl.Messages(vars); err != nil || !slices.Equal(got, want) {
					t.Error("another filling", err)
				}
			}
		})
	}
	wg.Wait()
}

// benchVars are eight demonstrations of four steps, about 19 kB in all.
func benchVars() map[string]any {
	var demos []any
	for i := range 8 {
		var steps []any
		for j := range 4 {
			steps = append(steps, map[string]any{"question": fmt.Sprintf("sub-question %d of %d, which asks for something", j, i)})
		}
		demos = append(demos, map[string]any{"input": strings.Repeat("CREATE TABLE t (a INTEGER, b TEXT);\n", 52), "steps": steps, "question": "How many?", "sql": "SELECT COUNT(*) FROM t"})
	}
	input := Func(func([]any, map[string]any) (any, error) {
		return strings.Repeat("CREATE TABLE t (a INTEGER);\n", 60), nil
	})
	return map[string]any{"demos": demos, "q": map[string]any{"id": 1}, "input": input, "separator": "\n\n"}
}

func BenchmarkMessages(b *testing.B) {
	data, err := os.ReadFile("testdata/bench.jinja")
	if err != nil {
		b.Fatal(err)
	}
	tpl := mustParse(b, string(data))
	vars := benchVars()
	b.ReportAllocs()
	for b.Loop() {
		got, err := tpl.Messages(vars)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(got[0].Text) + len(got[1].Text)))
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("testdata/bench.jinja")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		mustParse(b, string(data))
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tpl, err := Parse("x.jinja", text)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Line < 1 || e.Col < 1 {
				t.Errorf("%#v", err)
			}
			return
		}
		for _, name := range tpl.Blocks() {
			if _, err := tpl.With(map[string]Block{name: {}}); err != nil {
				t.Errorf("block %q: %v", name, err)
			}
		}
	})
}

func FuzzMessages(f *testing.F) {
	for _, c := range readCases(f) {
		f.Add(c.in, "text")
	}
	base := values(f)
	f.Fuzz(func(t *testing.T, text, s string) {
		tpl, err := Parse("x.jinja", text)
		if err != nil {
			return
		}
		vars := maps.Clone(base)
		vars["s"] = s
		one, err := tpl.Messages(vars)
		two, again := tpl.Messages(vars)
		if (err == nil) != (again == nil) || !slices.Equal(one, two) {
			t.Errorf("two fillings differ: %v, %v", err, again)
		}
		if e, ok := err.(*Error); err != nil && !ok {
			t.Errorf("%v has no place", e)
		}
	})
}
