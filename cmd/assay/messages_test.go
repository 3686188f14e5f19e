package main

import (
	"strings"
	"testing"
)

// A wrong use says which word is wrong and what there is, and is never answered by a page of help.
func TestWrongUse(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(line, want string) {
		t.Helper()
		code, out, errs := say(line)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "assay: "+want) {
			t.Errorf("%s: exit %d, %q, %q, want %q", line, code, out, errs, want)
		}
	}
	check("config nope", `config: verb "nope" is unknown; there are check, list, reference, show`)
	check("config shwo", `config: verb "shwo" is unknown; did you mean "show"?`)
	check("method print cot", `method: verb "print" is unknown; there are `)
	check("help nope", `help: verb or topic "nope" is unknown; `)
	check("version nope", `version: it does not take "nope" (usage: `)
	check("power a b", `power: it does not take "b" (usage: `)
	check("show a b c", `show: it takes RUN and ITEM alone, and not "c" too (usage: assay show RUN ITEM `)
	check("diff a", "diff: missing: RUN_B (usage: ")
	check("report", "report: missing: RUN (usage: ")
	check("values x", "values: --db is missing: name the SQLite file (usage: ")
	check("values --db nope x", `values: --db "nope": no such file`)
	check("tool --db nope SearchColumn x", `tool: --db "nope": no such file`)
	check("explain --db nope x", `explain: --db "nope": no such file`)
	check("init x --db nope --questions gone.csv", `init: --questions "gone.csv": no such file`)
	check("power --run a", "--run: want two runs, --run A --run B, given 1")
}

// Completion offers what a run has, in a list after its last comma.
func TestCompletionOfARun(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, errs := say("run quickstart --quiet --limit 3"); code != exitDone {
		t.Fatal(errs)
	}
	check := func(line string, want ...string) {
		t.Helper()
		_, out, _ := say("__complete " + line)
		for _, w := range want {
			if !strings.Contains("\n"+out, "\n"+w) {
				t.Errorf("%s: %q lacks %q", line, out, w)
			}
		}
	}
	check("report quickstart --arms=s", "standard\t")
	check("report quickstart --arms=cot,s", "cot,standard\t")
	check("report quickstart --columns=sc", "scored\n")
	check("report quickstart --width=c", "column\n")
	check("report quickstart --order=s", "score\t")
	check("report quickstart --paper=bars", "bars-hardness\t")
	check("report --paper=chase/table1", "chase/table1\t", "chase/table1-published\t")
	check("show quickstart 1 --arm=c", "cot\t")
}
