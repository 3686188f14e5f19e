package main

import (
	"os"
	"strings"
	"testing"
)

// TestDemosMakeRefuses: flags that do not fit, and files that a person wrote, before any work.
func TestDemosMakeRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(line string, want int, text string) {
		t.Helper()
		if code, _, errs := say("demos " + line); code != want || !strings.Contains(errs, text) {
			t.Errorf("%s: exit %d, %q, want %d and %q", line, code, errs, want, text)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("make", exitUsage, "--out is missing")
	check("make --out x --review x", exitUsage, "--out and --review are the same file")
	check("make --out x --what=", exitUsage, "--what is empty")
	check("make --out x --what stpes", exitUsage, `did you mean "steps"`)
	check("make --out x --limit -1", exitUsage, "--limit is below 0")
	check("make --out x --what plan --by openai/m", exitUsage, "--by drafts steps and cot, and --what has neither")
	check("make --out x --what cot --score-by openai/m", exitUsage, "--score-by rates steps, and --what does not have them")
	check("make --out x --score-by baseline/x", exitUsage, "--score-by: the baseline drafts and scores nothing")
	check("make --out none/x", exitFailed, `"none/x": its folder is not there`)

	check("make --out made.toml --review made.csv --limit 4", exitDone, "")
	check("make --out made.toml --review made.csv --limit 4", exitDone, "")
	put("verdicts.csv", "id,part,text,sql,verdict\nbakery_orders-02,question,,,keep\n")
	check("make --out x --review verdicts.csv", exitFailed, "has a person's verdicts")
	check("review made.toml --out verdicts.csv", exitFailed, "has a person's verdicts")
	b, err := os.ReadFile("made.toml")
	if err != nil {
		t.Fatal(err)
	}
	put("kept.toml", strings.Replace(string(b), "by = {", "reviewed = true\nby = {", 1))
	check("make --out kept.toml", exitFailed, "has demonstrations that a person reviewed or wrote")
}
