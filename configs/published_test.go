package configs

import (
	"strings"
	"testing"
)

// TestPublished: an arm states the published row that it repeats, a key in braces being the arm's value at each sweep point.
func TestPublished(t *testing.T) {
	const head = "name = \"demo\"\n[dataset]\nkind = \"sample\"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
	check := func(more string, want ...string) {
		t.Helper()
		e, err := Parse("test.toml", []byte(head+more), known)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range e.Cells() {
			got = append(got, c.Arm.Published)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", more, got, want)
		}
	}
	check("", "")
	check("published = \"without-lsh\"", "without-lsh")
	check("published = \"os n5\"\n[sweep]\nk = [1, 2]", "os n5", "os n5")
	check("published = \"os_{model.temperature}\"\nmodel.temperature = 0.5", "os_0.5")
	check("published = \"{method}_{model.temperature}\"\n[sweep]\ntemperature = [0.5, 1.8]", "standard_0.5", "standard_1.8")
	_, err := Parse("test.toml", []byte(head+"published = \"os_{model.heat}\""), known)
	if err == nil || !strings.Contains(err.Error(), `published "os_{model.heat}": the text in braces is no key of the arm`) {
		t.Error(err)
	}
}
