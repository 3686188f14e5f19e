package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// folderOf opens a folder whose files are given as name and text.
func folderOf(t *testing.T, files ...string) *Folder {
	t.Helper()
	all := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		all[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	f, err := Open("mine", "mine", all, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// doubts returns a folder's doubts, a line each.
func doubts(t *testing.T, files ...string) (out []string) {
	for _, d := range folderOf(t, files...).Doubts() {
		out = append(out, d.Place+": "+d.Text)
	}
	return out
}

func TestDoubts(t *testing.T) {
	const asks = "def answer(q):\n    return ask(\"a\", demos = demos(q))\n"
	check := func(about, want string, files ...string) {
		t.Helper()
		got := doubts(t, files...)
		if want == "" && len(got) > 0 || want != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%s: want %q, got %q", about, want, got)
		}
	}
	check("a folder without a mistake", "", "method.star", asks, "a.jinja", "{% for d in demos %}{{ d.input }}{% endfor %}{{ input(q) }}")
	check("one template", "", "prompt.jinja", "{% for d in demos %}{{ d.input }}{% endfor %}{{ input(q) }}")
	check("a param nobody reads", "mine/method.star:1: no file reads params.b", "method.star", "params = defaults(a = 1, b = 2)\n"+asks, "a.jinja", "{{ demos }}{{ params.a }}")
	check("params read by code", "", "method.star", "params = defaults(b = 2)\n"+strings.Replace(asks, "demos =", "n = params.b, demos =", 1), "a.jinja", "{{ demos }}")
	check("params handed on", "", "method.star", "params = defaults(b = 2)\n"+strings.Replace(asks, "demos =", "p = params, demos =", 1), "a.jinja", "{{ p.b }}{{ demos }}")
	check("a template nobody fills", "mine/b.jinja: nothing fills", "method.star", asks, "a.jinja", "{{ demos }}", "b.jinja", "x")
	check("a template filled by another", "", "method.star", asks, "a.jinja", `{{ demos }}{{ text("b") }}`, "b.jinja", "x")
	check("a template filled under a name that is made", "", "method.star", "def answer(q):\n    return ask(q.id.lower(), demos = demos(q))\n", "b.jinja", "x")
	check("Starlark nobody loads", "mine/b.star: no file loads it", "method.star", asks, "a.jinja", "{{ demos }}", "b.star", "x = 1")
	check("a template that is not there", `mine/method.star:2: ask("a"): the folder has no template "a.jinja"`, "method.star", asks, "b.jinja", "x")
	check("text outside the messages", "mine/a.jinja:1: this stands outside", "method.star", asks, "a.jinja", "lost{% block user %}{{ demos }}{% endblock %}")
	check("a system message alone", "mine/prompt.jinja: there is a block system and no block user", "prompt.jinja", "{% block system %}{{ q.question }}{% endblock %}")
	check("a system message that is asked alone", "mine/a.jinja: there is a block system and no block user", "method.star", asks, "a.jinja", "{% block system %}{{ demos }}{% endblock %}")
	check("a system message that is added to", "", "method.star", "def answer(q):\n    return ask(prompt(\"a\") + [user(q.question)])\n", "a.jinja", "{% block system %}x{% endblock %}")
	check("a variable nobody reads", `mine/method.star:2: ask("a"): demos is passed`, "method.star", asks, "a.jinja", "{{ q.question }}")
	check("a variable nobody passes", "mine/a.jinja:1: sql is read, and no call passes it", "method.star", asks, "a.jinja", "{{ demos }}{{ sql }}")
	check("a variable that is asked for", "", "method.star", asks, "a.jinja", "{{ demos }}{% if sql is defined %}{{ sql | default(1) }}{% endif %}")
	check("names of the template's own", "", "method.star", asks, "a.jinja", "{{ demos }}{% set x = 1 %}{% macro m(y) %}{{ y }}{% endmacro %}{{ m(x) }}")
	check("a feature in a template", "mine/a.jinja:1: demos[].cot is read", "method.star", asks, "a.jinja", "{% for d in demos %}{{ d.cot }}{% endfor %}")
	const some = "def answer(q):\n    shown = [d for d in demos(q) if %s]\n    return ask(\"a\", x = [d.cot for d in shown])\n"
	check("a feature in code", "mine/method.star:3: cot is read", "method.star", fmt.Sprintf(some, "d.db"), "a.jinja", "{{ x }}")
	check("a feature that code asks for", "", "method.star", fmt.Sprintf(some, "d.db and not (not d.cot)"), "a.jinja", "{{ x }}")
	check("a feature that is needed", "", "method.star", "needs = [\"cot\"]\n"+asks, "a.jinja", "{% for d in demos %}{{ d.cot }}{% endfor %}")
	check("a feature that is asked for", "", "method.star", asks, "a.jinja", "{% for d in demos %}{% if d.cot %}{{ d.cot }}{% endif %}{% endfor %}")
	check("SQL of steps", "mine/a.jinja:1: demos[].steps[].sql is read", "method.star", "needs = [\"steps\"]\n"+asks, "a.jinja", "{% for d in demos %}{% for s in d.steps %}{{ s.sql }}{% endfor %}{% endfor %}")
	check("a feature in code", "mine/method.star:2: plan is read", "method.star", "def answer(q):\n    return ask(\"a\", x = [d.plan for d in demos(q)])\n", "a.jinja", "{{ x }}")
}

// FuzzDoubts looks over whatever can be opened.
func FuzzDoubts(f *testing.F) {
	f.Add("def answer(q):\n    return ask(\"a\", demos = demos(q))\n", "{% for d in demos %}{{ d.cot }}{% endfor %}")
	f.Add("params = defaults(a = 1)\ndef answer(q):\n    x, y = 1, [d for d in pool() if d.plan]\n    return ask(*y, **{})\n", "{% set x = q.schema.tables[0] %}{{ x[\"name\"].a | default(2) }}")
	f.Add("load(\"b.star\", \"c\")\ndef choose(q, cs):\n    return c(params)\n", "{% macro m(a, b = q.id) %}{{ a ~ b }}{% endmacro %}{{ m(-1, {\"x\": [1, [2]]}[\"x\"]) if q is defined }}")
	f.Fuzz(func(t *testing.T, code, text string) {
		files := fstest.MapFS{"method.star": {Data: []byte(code)}, "a.jinja": {Data: []byte(text)}, "b.star": {Data: []byte("def c(x):\n    return text(\"a\")\n")}}
		if got, err := Open("mine", "mine", files, fstest.MapFS{}); err == nil {
			for _, d := range got.Doubts() {
				if d.Text == "" || !strings.HasPrefix(d.Place, "mine/") {
					t.Errorf("%+v", d)
				}
			}
		}
	})
}
