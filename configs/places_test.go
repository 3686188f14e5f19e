package configs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestPlaceless: what is left of two experiments that differ in where their files lie is the same, and words stay.
func TestPlaceless(t *testing.T) {
	tables := func(dir, demos string) map[string]any {
		t.Helper()
		text := strings.ReplaceAll(`name = "t"
[dataset]
kind = "spider"
path = "DIR/data"
suite = "DIR/suite"
overrides = "DIR/o.csv"
databases = ["DIR/one", "DIR/two"]
questions = "DIR/q.json"
[budget]
prices = "DIR/p.toml"
[exemplars]
k = 1
file = "DEMOS"
[[arm]]
name = "a"
method = "standard"
[[arm]]
name = "b"
method = "standard"
exemplars.file = "sample"
[sweep]
temperature = [0, 1]
`, "DIR", dir)
		e, err := Parse(filepath.Join(dir, "t.toml"), []byte(strings.ReplaceAll(text, "DEMOS", demos)), known)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.TOML()
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]any{}
		if err := toml.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	text := func(m map[string]any) string {
		t.Helper()
		var b strings.Builder
		if err := toml.NewEncoder(&b).Encode(m); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one, two := tables("/home/a", "/home/a/d.jsonl"), tables("/srv/b", "/srv/b/d.jsonl")
	name := func(key, path string) string { return key + "=" + filepath.Base(path) }
	got := text(known.Placeless(one, name))
	if other := text(known.Placeless(two, name)); got != other || strings.Contains(got, "/home") {
		t.Errorf("%s\n\n%s", got, other)
	}
	for _, want := range []string{`path = "dataset.path=data"`, `databases = ["dataset.databases=one", "dataset.databases=two"]`, `file = "exemplars.file=d.jsonl"`,
		`file = "sample"`, `questions = "dataset.questions=q.json"`, `prices = "budget.prices=p.toml"`, "temperature = ["} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if !strings.Contains(text(one), "/home/a/data") {
		t.Error("the tables given were changed")
	}
}
