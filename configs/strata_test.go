package configs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStrata(t *testing.T) {
	parse := func(lines string) (Experiment, error) {
		return Parse("demo.toml", []byte("name = \"demo\"\n[dataset]\nkind = \"sample\"\n"+lines+"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"), known)
	}
	check := func(lines string, want Strata) {
		t.Helper()
		e, err := parse(lines)
		if d := cmp.Diff(want, e.Dataset.Strata); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", lines, err, d)
		}
	}
	check("", Strata{})
	check(`strata = {by = "tables", levels = ["1", "2", "3+"], size = 50, seed = 7}`, Strata{By: "tables", Levels: []string{"1", "2", "3+"}, Size: 50, Seed: 7})
	check("strata.by = \"hardness\"\nstrata.size = 5", Strata{By: "hardness", Size: 5})
	fail := func(lines, want string) {
		t.Helper()
		if _, err := parse(lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
	}
	fail(`strata.by = "tables"`, "demo.toml:4: dataset.strata.size is missing")
	fail(`strata.size = 5`, "demo.toml:4: dataset.strata.by is missing")
	fail(`strata.levels = ["1"]`, "demo.toml:4: dataset.strata.by is missing")
	fail(`strata = {by = "tabels", size = 5}`, `"tabels" is unknown; did you mean "tables"?`)
	fail(`strata = {by = "tables", size = 5, levels = ["1", "1"]}`, "twice")
	fail(`strata = {by = "tables", sizes = 5}`, `did you mean "dataset.strata.size"?`)
}

func TestFinCDefaults(t *testing.T) {
	e, err := Parse("demo.toml", []byte("name = \"demo\"\n[dataset]\nkind = \"bird-finc\"\npath = \"/d\"\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"), known)
	if err != nil || e.Dataset.Split != "original" {
		t.Errorf("split %q, %v", e.Dataset.Split, err)
	}
}
