package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// say runs a command line and returns its exit code and what it printed.
func say(line string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(strings.Fields(line), &o, &e)
	return code, o.String(), e.String()
}

// Help shows every topic in the width of a terminal, but for code, which stays as it is; and says what there is where a topic
// is unknown.
func TestTopics(t *testing.T) {
	for _, one := range topics {
		code, out, _ := say("help " + one.name)
		if code != exitDone || len(out) < 1000 {
			t.Errorf("help %s: exit %d, %d bytes", one.name, code, len(out))
		}
		for _, line := range strings.Split(out, "\n") {
			if n := utf8.RuneCountInString(line); n > helpWidth && !strings.HasPrefix(line, "    ") && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("help %s: %d columns: %s", one.name, n, line)
			}
		}
	}
	check := func(line string, want int, text string) {
		t.Helper()
		code, out, errs := say(line)
		if code != want || !strings.Contains(out+errs, text) {
			t.Errorf("%s: exit %d, %q%q, want %d and %q", line, code, out, errs, want, text)
		}
	}
	check("help run", exitDone, "assay run EXPERIMENT")
	check("help config check", exitDone, "assay config check")
	check("help", exitDone, "Topics of assay help:")
	check("help modles", exitUsage, `did you mean "models"`)
	check("help models too", exitUsage, `help: verb or topic "models too" is unknown; there are `)
	check("help nothing-near", exitUsage, `help: verb or topic "nothing-near" is unknown; there are `)
}

// A missing argument is named, and one too many is told where it belongs.
func TestArguments(t *testing.T) {
	check := func(line, want string) {
		t.Helper()
		if code, _, errs := say(line); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q, want %q", line, code, errs, want)
		}
	}
	check("show", "show: missing: RUN and ITEM")
	check("show quickstart", "show: missing: ITEM")
	check("run", "run: missing: EXPERIMENT or RUN")
	check("diff a", "diff: missing: RUN_B")
	check("report", "report: missing: RUN")
	check("tool --db x", "tool: missing: NAME")
	check("eval p.txt --dataset spider", `eval: it does not take "p.txt": name the file of predictions with --pred FILE`)
	check("import p.txt", `import: it does not take "p.txt": name the file of predictions with --pred FILE`)
	check("power x", `power: it does not take "x"`)
	check("open a b", `open: it takes RUN alone, and not "b" too`)
}

func TestMarkdownText(t *testing.T) {
	check := func(page, want string) {
		t.Helper()
		if got := markdownText(page, 24); got != want {
			t.Errorf("%q\ngives %q\nwant  %q", page, got, want)
		}
	}
	check("# A title\n\nwords that go on to another line", "A TITLE\n\nwords that go on to\nanother line\n")
	check("- one `code`\n- two [link](a.md) and [here](#x)", "- one code\n- two link (a.md) and\n  here\n")
	check("| a | b |\n|---|---|\n| x | y z |", "  x\n      y z\n")
	check("| a | b | c |\n|---|---|---|\n| x | y | |", "  x\n      b: y\n")
	check("```sh\na  long line that stays as it was written\n```", "    a  long line that stays as it was written\n")
	check("1. one\n2. two", "1. one\n2. two\n")
	check("a \x1b[31mred", "a \\x1b[31mred\n")
	check("", "\n")
}

// The folder of a package has a page of each verb and topic, and the scripts of three shells.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := say("man " + dir); code != exitDone {
		t.Fatal(errs)
	}
	check := func(name, text string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s: %v, no %q", name, err, text)
		}
	}
	check("man/man1/assay.1", "text-to-SQL")
	check("man/man1/assay-ledger-gc.1", "dry-run")
	for _, one := range topics {
		check("man/man7/assay-"+one.name+".7", ".TH ASSAY-"+strings.ToUpper(one.name)+" 7")
	}
	check("bash-completion/completions/assay", "__start_assay")
	check("zsh/vendor-completions/_assay", "#compdef assay")
	check("fish/vendor_completions.d/assay.fish", "complete -c assay")
}
