package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder writes files, given as name and text, into a new folder.
func folder(t *testing.T, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run tries a folder on the sample dataset, or on an experiment.
func run(t *testing.T, dir, base, item string, set ...string) *Trial {
	t.Helper()
	e, err := Experiment(dir, base, item, set)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Run(t.Context(), dir, e)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEveryPartIsTried(t *testing.T) {
	got := run(t, folder(t, "method.star", `
def answer(q):
    return candidate("SELECT 1")
def link(q):
    return q.with_columns([column_of(q.schema.tables[0].name, q.schema.tables[0].columns[0].name)])
def fix(q, c):
    return drop(c)
def choose(q, cs):
    return choice(cs[2], "the last")
`, "schema.jinja", "never"), "", "")
	var kinds []string
	for _, p := range got.Parts {
		kinds = append(kinds, p.Kind)
		switch ok := false; p.Kind {
		case "link":
			if ok = len(p.Linked) == 1 && len(p.Linked[0].Columns) == 1; !ok {
				t.Errorf("link: %+v", p)
			}
		case "fix":
			if ok = p.Drops && len(p.Given) == 1 && strings.Contains(p.Given[0].SQL, "no_such_column"); !ok {
				t.Errorf("fix: %+v", p)
			}
		case "choose":
			if ok = p.Chosen == 2 && len(p.Given) == 3 && p.Why == "the last"; !ok {
				t.Errorf("choose: %+v", p)
			}
		}
	}
	if want := []string{"link", "answer", "fix", "choose"}; !slices.Equal(kinds, want) {
		t.Errorf("tried %v, want %v", kinds, want)
	}
}

func TestItemsAreTriedUntilEveryTemplateIsFilled(t *testing.T) {
	dir := folder(t, "method.star", `
def answer(q):
    c = ask("first")
    if q.id.endswith("-004"):
        ask("second")
    if q.id.endswith("-999"):
        ask("third")
    return c
`, "first.jinja", "{{ input(q) }}", "second.jinja", "{{ input(q) }}", "third.jinja", "{{ input(q) }}")
	got := run(t, dir, "", "")
	if len(got.Parts) != 2 || !slices.Equal(got.Parts[1].Reaches, []string{"second"}) || !slices.Equal(got.Unfilled, []string{"third"}) {
		t.Errorf("%+v", got)
	}
	if one := run(t, dir, "", "city_library-002"); len(one.Parts) != 1 || !strings.HasSuffix(one.Parts[0].Item, "-002") || len(one.Unfilled) != 2 {
		t.Errorf("%+v", one)
	}
}

func TestExperimentKeepsItsSettings(t *testing.T) {
	dir := folder(t, "prompt.jinja", "{{ demos | length }} {{ input(q) }}")
	got := run(t, dir, "quickstart", "", "exemplars.k=3")
	call := got.Parts[0].Calls[0]
	if !strings.HasPrefix(call.Messages[0].Text, "3 ") || call.SQL == "" || call.Stage != "generate" {
		t.Errorf("%+v", call)
	}
}

func TestWhatFailsNamesTheLine(t *testing.T) {
	dir := folder(t, "method.star", "def answer(q):\n    return 1 // 0\n")
	e, err := Experiment(dir, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Run(t.Context(), dir, e); err == nil || !strings.Contains(err.Error(), "method.star:2:") || got == nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Experiment(dir, "", "", []string{"params.x=1"}); err == nil {
		t.Error("a param that the folder does not have is taken")
	}
	if _, err := Experiment(filepath.Join(dir, "nowhere"), "", "", nil); err == nil {
		t.Error("a folder that is not there is taken")
	}
}
