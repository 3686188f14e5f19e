package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"assay/prompting/methodtest"
	"assay/prompting/script"
)

// TestSuppliedTexts: an experiment supplies the texts that a method names; another is the folder's own file, and one that is
// nowhere is refused before any call.
func TestSuppliedTexts(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(expr, supplied, want string, more map[string]string) {
		t.Helper()
		files := map[string]string{"method.star": "texts = [\"one\"]\n\ndef answer(q):\n    return str(" + expr + ")\n", "a.jinja": "<{{ file(\"one\") }}>"}
		for name, text := range more {
			files[name] = text
		}
		d, _ := deps(nil)
		a := arm()
		if supplied != "" {
			a.Blocks = map[string]any{"one": supplied}
		}
		f := folder(t, files)
		p, err := script.New(f, script.Answer, script.Setup{Deps: d, Arm: a, Seed: 1})
		got := ""
		if err == nil {
			out, failed := p.Answer(t.Context(), methodtest.Question())
			if err = failed; err == nil {
				got = out.Candidates[0].SQL
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s with %q: %q, want %q", expr, supplied, got, want)
		}
	}
	windows := put("windows.txt", "\ufeffA {QUESTION}\r\nB {{x}}\r\n")
	check(`file("one")`, windows, "A {QUESTION}\nB {{x}}\n", nil)
	check(`file("one").format(QUESTION = 5)`, windows, "A 5\nB {x}\n", nil)
	check(`file("one").format(HINT = 5)`, windows, "QUESTION", nil)
	check(`file("one").format(**{"DATABASE SCHEMA": 5})`, put("space.txt", "S {DATABASE SCHEMA}"), "S 5", nil)
	check(`file("one").replace("{QUESTION}", "q")`, put("json.txt", `{"a": "{QUESTION}"}`), `{"a": "q"}`, nil)
	check(`text("a")`, windows, "<A {QUESTION}\nB {{x}}\n>", nil)
	check(`file("one")`, "", `text "one" is not supplied: state its file, blocks.one = "PATH"`, nil)
	check(`file("one")`, "", "its own", map[string]string{"one": "its own"})
	check(`file("one")`, put("own.txt", "theirs"), "theirs", map[string]string{"one": "its own"})
	check(`file("two")`, windows, `the folder has no file "two"`, nil)
	check(`file("one")`, put("latin1.txt", "Caf\xe9"), "UTF-8", nil)
	check(`file("one")`, filepath.Join(dir, "none.txt"), "no such file", nil)
}

// TestTextNames: a text has a name of its own.
func TestTextNames(t *testing.T) {
	check := func(names, want string) {
		t.Helper()
		source := "texts = " + names + "\n\ndef answer(q):\n    return \"\"\n"
		_, err := script.Open("mine", "mine", fstest.MapFS{"method.star": {Data: []byte(source)}, "a.jinja": {Data: []byte("{% block rules %}x{% endblock %}")}}, fstest.MapFS{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", names, err, want)
		}
	}
	check(`["one", "tool_desc2"]`, "")
	check(`[]`, "")
	check(`["One"]`, `texts: "One": a name is small letters`)
	check(`["a.txt"]`, "a name is small letters")
	check(`["rules"]`, "is also a block, a part or another text")
	check(`["fix"]`, "is also a block, a part or another text")
	check(`["a", "a"]`, "is also a block, a part or another text")
	check(`"one"`, "want a list of texts")
	check(`[5]`, "want a list of texts")
}

// TestSuppliedTextsAreBlocks: an experiment knows the names, and so refuses others.
func TestSuppliedTextsAreBlocks(t *testing.T) {
	f := folder(t, map[string]string{"method.star": "texts = [\"one\"]\n\ndef answer(q):\n    return file(\"one\")\n", "a.jinja": "{% block rules %}x{% endblock %}"})
	if got := strings.Join(f.Row().Blocks, " "); got != "rules one" {
		t.Errorf("the blocks are %s", got)
	}
}
