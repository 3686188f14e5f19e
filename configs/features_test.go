package configs

import (
	"strings"
	"testing"
)

func TestConditions(t *testing.T) {
	check := func(text string, below, at, above bool) { // of a condition about 2
		t.Helper()
		c, err := ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		if c.Holds(1) != below || c.Holds(2) != at || c.Holds(3) != above {
			t.Errorf("%s: %v %v %v of 1, 2, 3", text, c.Holds(1), c.Holds(2), c.Holds(3))
		}
	}
	check("joins=2", false, true, false)
	check("joins!=2", true, false, true)
	check("set-ops<2", true, false, false)
	check("joins<=2", true, true, false)
	check(" group-by > 2 ", false, false, true)
	check("joins>=2", false, true, true)
	fail := func(text, want string) {
		t.Helper()
		if _, err := ParseCondition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	fail("", "want a feature")
	fail("joins", "want a feature")
	fail("joins==2", "want a feature")
	fail("joins>=-1", "want a feature")
	fail("joins>=2.5", "want a feature")
	fail("joins>=9999999999", "want a feature")
	fail("jions>=2", `"jions" is unknown; did you mean "joins"?`)
	fail("groupby=1", `did you mean "group-by"?`)
	fail("zzzzzzzzzzz=1", "there are joins, predicates")
}

func TestFeatureFilter(t *testing.T) {
	const file = "name = \"demo\"\n[dataset]\nkind = \"sample\"\n%\n[[arm]]\nname = \"a\"\nmethod = \"standard\"\n"
	parse := func(line string, set ...string) (Experiment, error) {
		return ParseWith("demo.toml", []byte(strings.Replace(file, "%", line, 1)), known, Options{Set: set})
	}
	check := func(want, line string, set ...string) {
		t.Helper()
		e, err := parse(line, set...)
		if got := strings.Join(e.Dataset.Filter.Features, "|"); err != nil || got != want {
			t.Errorf("%s %v: %q, %v; want %q", line, set, got, err, want)
		}
	}
	check("", "")
	check("joins>=2|subqueries=0", `filter.features = ["joins>=2", "subqueries=0"]`)
	check("joins>=2|subqueries=0", "", "dataset.filter.features=joins>=2,subqueries=0")
	check("case!=0", `filter.features = ["joins>=2"]`, "dataset.filter.features=case!=0")
	fail := func(line, want string) {
		t.Helper()
		if _, err := parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	fail(`filter.features = ["jions>=2"]`, `demo.toml:4: dataset.filter.features condition "jions>=2": feature "jions" is unknown; did you mean "joins"?`)
	fail(`filter.features = ["joins"]`, "demo.toml:4")
	fail(`filter.features = ["joins>1", "joins>1"]`, "twice")
	fail(`filter.featurs = ["joins>1"]`, `did you mean "dataset.filter.features"?`)
}
