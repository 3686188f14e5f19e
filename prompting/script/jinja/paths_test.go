package jinja

import (
	"fmt"
	"strings"
	"testing"
)

// read lists a template's paths, "?" behind those that are only asked for.
func read(t *testing.T, tpl *Template) string {
	t.Helper()
	var out []string
	for _, p := range tpl.Paths() {
		text := fmt.Sprintf("%d:%s", p.Line, p.Text)
		if p.Tested {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// parsed is a template that is right.
func parsed(t *testing.T, text string) *Template {
	t.Helper()
	tpl, err := Parse("x.jinja", text)
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

func TestPathsOf(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := read(t, parsed(t, text)); got != want {
			t.Errorf("%s reads %q, want %q", text, got, want)
		}
	}
	check("{{ q.question }}\n{{ q['db'].name ~ 1 }}", "1:q.question 2:q.db.name")
	check("{{ q.xs[0].a }}{{ q.xs[i + 1].b }}{{ (q.c).d }}", "1:q.xs[].a 1:q.xs[].b 1:i 1:q.c.d")
	check("{% for d in demos|sort %}{% for s in d.steps if s.sql %}{{ loop.index }}{{ s.columns }}{% endfor %}{{ s }}{% else %}{{ d }}{% endfor %}",
		"1:demos 1:demos[].steps 1:demos[].steps[].sql? 1:demos[].steps[].columns 1:s 1:d")
	check("{% for k, v in m.items() %}{{ k.a }}{{ v }}{% endfor %}", "1:m")
	check("{% set x = q.a %}{{ x.b }}{% set x = 1 %}{{ x.b }}", "1:q.a 1:q.a.b")
	check("{% macro m(a, b = q.id) %}{{ a ~ b ~ c }}{% endmacro %}{{ m(d, b = e.f(1).g) }}{{ a }}", "1:q.id 1:c 1:d 1:e 1:a")
	check("{% block b %}{% set x = 1 %}{{ x }}{% endblock %}{{ x }}", "1:x")
	check("{% if a.b and c %}{{ a.b }}{% elif d[e] %}{% endif %}{{ f if g else h.i }}", "1:a.b? 1:c? 1:a.b 1:d[]? 1:e? 1:f 1:g? 1:h.i")
	check("{{ a.b is defined }}{{ c|d('') }}{{ e is none }}{{ f|default(g) }}", "1:a.b? 1:c? 1:e 1:f? 1:g")
	check("{% set x = a.b|default('') %}{{ x.c }}{% for y in x %}{{ y }}{% endfor %}", "1:a.b?")
	check("{{ [a, {'b': c}] }}{{ -d }}{{ not e in f < g }}", "1:a 1:c 1:d 1:e 1:f 1:g")
}

func TestLongPathsAreCut(t *testing.T) {
	got := read(t, parsed(t, strings.Repeat("{% set x = x.a %}", 10_000)))
	if longest := "x" + strings.Repeat(".a", 99); len(got) > 200*200 || !strings.Contains(got, longest) || strings.Contains(got, longest+".") {
		t.Errorf("%d bytes of paths", len(got))
	}
}

func TestPathsOfReplacements(t *testing.T) {
	tpl := parsed(t, "{% for d in demos %}{% block b %}{{ d.cot }}{{ text('old') }}{% endblock %}{% endfor %}")
	with, err := tpl.With(map[string]Block{"b": {"b.txt", "{{ d.plan }}{{ text('new', x = 1) }}{{ text('a' ~ 'b') }}"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, with), "1:demos 1:demos[].plan 1:text 1:text"; got != want {
		t.Errorf("the replacement reads %q, want %q", got, want)
	}
	if got := strings.Join(tpl.Texts(), " ") + " " + strings.Join(with.Texts(), " "); got != "old new" {
		t.Errorf("they fill %q", got)
	}
}

// maker makes a list of 100 lists of 100 whole numbers whenever it is asked.
type maker struct{}

func (maker) Attr(string) (any, bool) {
	out := make([]any, 100)
	for i := range out {
		out[i] = many(100)
	}
	return out, true
}

func TestMeter(t *testing.T) {
	vars := map[string]any{"o": maker{}, "xs": many(10)}
	cost := func(text string) (work int) {
		tpl := parsed(t, text).Metered(&work, nil)
		tpl.Text(vars) // an error costs as well
		return work
	}
	for text, least := range map[string]int{
		"{% for x in xs %}{{ x }}{% endfor %}":              70 * nodeCost,
		"{{ o.list|length }}":                               10_000 * nodeCost,
		"{{ o['list']|length }}":                            10_000 * nodeCost,
		"{{ [o]|map(attribute='list')|list|length }}":       10_000 * nodeCost,
		"{{ xs|length }}{{ o.list|length }}{{ undefined }}": 10_000 * nodeCost,
	} {
		if got := cost(text); got < least || got > 2*least {
			t.Errorf("%s costs %d, want about %d", text, got, least)
		}
	}
}
