package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"assay/experiments/fidelity"
)

// TestConfigShowFidelity: the sheet is printed without the experiment's data set, in each form, follows overrides, and is
// refused where there is nothing to compare with.
func TestConfigShowFidelity(t *testing.T) {
	t.Setenv("SPIDER", "")
	check := func(line string, exit int, want ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := run(append([]string{"config", "show"}, strings.Fields(line)...), &out, &errs)
		all := out.String() + errs.String()
		for _, w := range want {
			if code != exit || !strings.Contains(all, w) {
				t.Errorf("%s: exit %d, want %d with %q:\n%s", line, code, exit, w, all)
			}
		}
		for _, l := range strings.Split(out.String(), "\n") {
			if !strings.Contains(line, "--format") && !strings.Contains(line, "--json") && strings.Contains(line, "--fidelity") && len([]rune(l)) > 80 {
				t.Errorf("%s: a line of %d characters: %s", line, len([]rune(l)), l)
			}
		}
		return out.String()
	}
	check("it2s-table2 --fidelity", 0, "gpt-4o-2024-05-13", "[Table 12]", "stand-in", "as published")
	check("it2s-table2 --fidelity --set model.temperature=0.1", 0, "differs", "temperature, differs: another temperature")
	check("it2s-table2 --fidelity --format csv", 0, "what,the_paper,where,here,class,why\n", "top_p,0.95,Table 12,0.95,as published,")
	check("it2s-table2 --fidelity --format md", 0, "| 0.95 | Table 12 | 0.95 |")
	check("it2s-table2 --fidelity --format latex", 0, "\\caption{Fidelity of it2s-table2")
	var rows []fidelity.Row
	if err := json.Unmarshal([]byte(check("it2s-table2 --fidelity --json", 0, `"where"`)), &rows); err != nil || len(rows) < 10 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	check("rivals --fidelity", 0, "Fidelity of rivals to Wang et al. (MAC-SQL)", "unit tests at")
	check("quickstart --fidelity", 1, "it repeats no paper")
	check("it2s-table2 --fidelity --format xls", 2, `"xls" is unknown`)
	check("quickstart --format csv", 2, "--format needs --fidelity")
	check("it2s-table2", 1, "needs the environment variable SPIDER")
	check("it2s-table2 --fidelity --set model.heat=1", 2, "model.heat")
}

// TestFidelityOfOnesOwn: a user's experiment with a table of a paper is compared as the experiment of that table, and an agent in
// a folder as assay's own but for its texts.
func TestFidelityOfOnesOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	if code := run([]string{"method", "copy", "interactive", "it2s"}, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	const text = "name = \"own\"\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\n[model]\nprovider = \"baseline\"\n[[arm]]\nname = \"it2s\"\nmethod = \"./it2s\"\n[report]\ntables = [\"it2s/table2\"]\n"
	if err := os.WriteFile("own.toml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(of, want string, set ...string) {
		t.Helper()
		out.Reset()
		args := []string{"config", "show", "own.toml", "--fidelity", "--json"}
		for _, s := range set {
			args = append(args, "--set", s)
		}
		var rows []fidelity.Row
		if code := run(args, &out, &errs); code != 0 {
			t.Fatal(errs.String())
		} else if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range rows {
			if r.What == of {
				got += r.Class + ": " + r.Here
			}
		}
		if got != want {
			t.Errorf("%s %v: %q, want %q", of, set, got, want)
		}
	}
	check("temperature", "as published: 0.7")
	check("temperature", "differs: 0", "model.temperature=0")
	check("completions a turn, n", "differs: 1", "agent.preset=code")
	check("data", "stand-in: sample")
	check("metrics on Spider", "differs: ex")
	check("metrics on Spider", "as published: ex, em", "metrics=ex,em")
	check("metric on BIRD", "")
	check("instruction", "") // what it says is the user's
}
