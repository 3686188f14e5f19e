package configs

import (
	"strings"
	"testing"
)

// TestShown: a training split has questions with SQL and nothing more. A method that shows sub-questions is refused, at the
// line that names the split; a method whose demonstrations follow from SQL is not.
func TestShown(t *testing.T) {
	const of = `name = "x"
shows = "y"
[dataset]
kind = "spider"
path = "/d"
[model]
provider = "baseline"
[exemplars]
k = 4
file = "train"
`
	check := func(rest, want string, set ...string) {
		t.Helper()
		_, err := parse(of+rest, Options{Set: set})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s %v: got %v, want %q", rest, set, err, want)
		}
	}
	arm := func(method string) string { return "[[arm]]\nname = \"a\"\nmethod = \"" + method + "\"\n" }
	for _, method := range []string{"standard", "cot", "bird-cot", "qp-cot", "os", "interactive"} {
		check(arm(method), "")
	}
	for _, method := range []string{"least-to-most", "qdecomp", "qdecomp-intercol", "dc-cot"} {
		check(arm(method), `x.toml:10: arm "a": method `+method+" shows ")
		check(arm(method), `which the demonstrations of exemplars.file = "train" do not have: take "sample", "spider-train" or`)
		check(arm(method), "", "exemplars.k=0")
		check(arm(method), "", "exemplars.strategy=none")
		check(arm(method), "", "exemplars.file=sample")
		check(arm(method), "", "dataset.kind=sample")
		check(arm(method), `--set exemplars.file=train: arm "a": method `+method, "exemplars.file=train")
	}
	check(arm("pool")+"generators = [\"os\", \"dc-cot\"]\n", `x.toml:10: arm "a": method dc-cot shows`)
	check(arm("standard"), `arm "a", method=qdecomp: method qdecomp shows`, "sweep.method=standard,qdecomp")
	check(arm("qdecomp")+"exemplars.file = \"sample\"\n", "")
	if _, err := Parse("run.toml", []byte(of+arm("qdecomp")), known); err != nil {
		t.Errorf("a run of before is to be read: %v", err)
	}
	check(arm("qdecomp")+"exemplars.file = \"sample\"\n", "exemplars.file=train: method qdecomp", "sweep.exemplars.file=sample,train")
}
