package configs

import (
	"slices"
	"testing"
)

// TestModelAPI: a key states how a model is asked, for all arms, for one, or as an axis.
func TestModelAPI(t *testing.T) {
	check := func(what, model, rest string, want ...bool) {
		t.Helper()
		s := &source{name: "x.toml", dir: "/exp", text: "name = \"x\"\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\n[model]\nmax_tokens = 99\n" + model + "[[arm]]\nname = \"a\"\nmethod = \"standard\"\n" + rest}
		e, err := s.load(what, known, Options{})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		var got []bool
		for _, c := range e.Cells() {
			got = append(got, c.Arm.Model.Plain())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: plain %v, want %v", what, got, want)
		}
	}
	check("not stated", "", "", false)
	check("chat", "api = \"chat\"\n", "", false)
	check("completions", "api = \"completions\"\n", "", true)
	check("one arm", "", "model.api = \"completions\"\n[[arm]]\nname = \"b\"\nmethod = \"cot\"\n", true, false)
	check("an axis", "", "[sweep]\n\"model.api\" = [\"chat\", \"completions\"]\n", false, true)
	check("another provider", "api = \"completions\"\nprovider = \"openai\"\nname = \"m\"\n", "", true)
}

// TestSelectorAPI: the arm's own model selects as it is asked, and another is asked by a conversation.
func TestSelectorAPI(t *testing.T) {
	check := func(what string, s Selection, want bool) {
		t.Helper()
		m, _ := Arm{Model: Model{Provider: "openai", Name: "m", API: "completions"}, Selection: s}.Selector()
		if m.Plain() != want {
			t.Errorf("%s: plain %v", what, m.Plain())
		}
	}
	check("the arm's", Selection{}, true)
	check("another name", Selection{Name: "n"}, false)
	check("another provider", Selection{Provider: "gemini", Name: "g"}, false)
}
