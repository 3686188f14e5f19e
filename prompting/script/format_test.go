package script_test

import (
	"strings"
	"testing"

	"assay/prompting/methodtest"
	"assay/prompting/script"
)

// TestFormats: a schema format is schema(db), or schema.jinja, and question.jinja prints the lines after it.
func TestFormats(t *testing.T) {
	check := func(what string, files map[string]string, want string) {
		t.Helper()
		f, d := folder(t, files), arm()
		d.Schema.Format = "formats/mine"
		deps, _ := deps(nil)
		p, err := script.New(folder(t, star("return input(q)")), script.Answer, script.Setup{Deps: deps, Arm: d, Seed: 1,
			Open: func(string) (*script.Folder, error) { return f, nil }})
		got := ""
		if err == nil {
			a, e := p.Answer(t.Context(), methodtest.Question())
			if err = e; e == nil {
				got = a.Candidates[0].SQL
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	check("schema(db)", map[string]string{"method.star": "def schema(db):\n    return \", \".join([t.name for t in db.tables])\n"}, "Route, Trip\n")
	check("schema.jinja", map[string]string{"schema.jinja": "{% for t in db.tables %}{{ t.name }};{% endfor %}"}, "Route;Trip;\n")
	check("question.jinja", map[string]string{"schema.jinja": "S", "question.jinja": "Q: {{ question }} ({{ evidence }})"},
		"S\nQ: Which home ports have a trip with more than 100 guests? (guests are counted on boarding)")
	check("question.jinja that reads a q", map[string]string{"schema.jinja": "S", "question.jinja": "Q: {{ q.question }}"}, `question.jinja:1:`)
	check("not a text", map[string]string{"method.star": "def schema(db):\n    return 5\n"}, "method.star:1: schema() returned a int: return a text")
	check("an error", map[string]string{"schema.jinja": "{{ db.gold }}"}, "schema.jinja:1:")
	check("a method", map[string]string{"prompt.jinja": "a"}, "the folder defines no schema()")
}
