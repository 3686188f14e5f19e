package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// programText is a program for sh: it says that it ran, and answers each item.
const programText = `#!/bin/sh
: > "$MARK"
while IFS= read -r line; do
  id=$(printf %s "$line" | sed 's/^{"id":"\([^"]*\)".*/\1/')
  printf '{"id":"%s","candidates":["SELECT 1"],"note":"NOTE"}\n' "$id"
done
`

// programWorld is a folder with an experiment that has an arm by command, and the path of the file that the program makes.
func programWorld(t *testing.T, program, more string) (dir, mark string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here: programs are not tried")
	}
	dir = t.TempDir()
	mark = filepath.Join(t.TempDir(), "ran")
	text := "name = \"x\"\nseeds = [0]\nmetrics = [\"ex\"]\n[dataset]\nkind = \"sample\"\nlimit = 4\n[[arm]]\nname = \"mine\"\ncommand = [\"sh\", \"mine.sh\"]\nenv.MARK = \"" + mark + "\"\n" + more
	for name, s := range map[string]string{"mine.sh": program, "x.toml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	return dir, mark
}

// assay runs a command line and returns its exit code and what it printed.
func assayRun(line string) (code int, out string) {
	var all bytes.Buffer
	code = run(strings.Fields(line), &all, &all)
	return code, all.String()
}

// TestProgramsNeedAllowing: no verb starts a program that is not allowed, and those that need one say how it would run.
func TestProgramsNeedAllowing(t *testing.T) {
	dir, mark := programWorld(t, programText, "")
	check := func(line string, code int, runs bool, want ...string) {
		t.Helper()
		os.Remove(mark)
		got, out := assayRun(line)
		if got != code {
			t.Errorf("%s: exit %d, want %d: %s", line, got, code, out)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), w) {
				t.Errorf("%s: no %q in %s", line, w, out)
			}
		}
		if _, err := os.Stat(mark); (err == nil) != runs {
			t.Errorf("%s: the program ran: %v, want %v", line, err == nil, runs)
		}
	}
	check("run x.toml", 1, false, "sh mine.sh", dir, "--allow-commands")
	check("run x.toml --offline", 1, false, "--allow-commands")
	check("plan x.toml", 0, false, "calls of arm \"mine\" are not known", "--allow-commands")
	check("prompt x.toml", 1, false, "sh mine.sh")
	check("tokens x.toml", 1, false, "makes its prompts itself")
	check("batch export x.toml asked.jsonl", 1, false, "--allow-commands")
	check("batch export x.toml asked.jsonl --allow-commands", 0, true, "nothing to ask")
	check("batch list", 0, false, "no batches under way")
	check("config check x.toml", 0, false, "ok")
	check("config show x.toml", 0, false, `command = ["sh", "mine.sh"]`)
	t.Setenv(allowing, "0")
	check("run x.toml", 1, false, "--allow-commands")
	check("run x.toml --allow-commands", 0, true, "mine")
	for _, line := range []string{"report x", "show x city_library-001", "diff x x", "runs", "errors x"} {
		check(line, 0, false)
	}
	check("run runs/"+runsOf(t)[0], 1, false, "--allow-commands")
	check("plan x.toml --allow-commands", 0, true)
	t.Setenv(allowing, "1")
	check("run x.toml", 0, true)
}

// runsOf lists the run folders of the store.
func runsOf(t *testing.T) (out []string) {
	t.Helper()
	dirs, err := filepath.Glob("runs/x-*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no run: %v", err)
	}
	for _, d := range dirs {
		out = append(out, filepath.Base(d))
	}
	return out
}

// TestProgramIdentity: what makes a run with a program another run, and what does not.
func TestProgramIdentity(t *testing.T) {
	_, _ = programWorld(t, programText, "")
	ran := func(line string) string {
		t.Helper()
		before, _ := filepath.Glob("runs/x-*")
		if code, out := assayRun("run " + line + " --allow-commands"); code != 0 {
			t.Fatalf("%s: %s", line, out)
		}
		for _, d := range runsOf(t) {
			if !slices.Contains(before, "runs/"+d) {
				return d
			}
		}
		return ""
	}
	check := func(line string, another bool) {
		t.Helper()
		if made := ran(line); (made != "") != another {
			t.Errorf("%s: another run %q, want %v", line, made, another)
		}
	}
	first := ran("x.toml")
	copied, err := os.ReadFile(filepath.Join("runs", first, "sources", "mine", "mine.sh"))
	if err != nil || string(copied) != programText {
		t.Errorf("copy %q, %v", copied, err)
	}
	check("x.toml --workers 1", false)
	check("x.toml --set arm.mine.timeout=3s", false)
	check("x.toml --set arm.mine.env.A=b", true)
	check("x.toml --set arm.mine.params.a=b", true)
	check("x.toml --set arm.mine.models=m", true)
	check("x.toml --set arm.mine.command=sh,mine.sh,x", true)
	if err := os.Rename("mine.sh", "other.sh"); err != nil {
		t.Fatal(err)
	}
	check("x.toml --set arm.mine.command=sh,other.sh", true)
	if err := os.WriteFile("mine.sh", []byte(programText+"# more\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out := assayRun("run runs/" + first + " --allow-commands")
	if code != 0 || !strings.Contains(out, "since the stored run, mine.sh has changed") {
		t.Errorf("exit %d: %s", code, out)
	}
	dirs := runsOf(t)
	for _, d := range dirs {
		if d != first {
			if code, out = assayRun(fmt.Sprintf("diff runs/%s runs/%s --prompts", first, d)); code != 0 {
				t.Errorf("diff: %s", out)
			}
			if strings.Contains(out, "mine.sh") && strings.Contains(out, "+ # more") {
				return
			}
		}
	}
	t.Errorf("no diff shows the changed source: %s", out)
}

// TestProgramElsewhere: the place of an experiment is no part of its identity.
func TestProgramElsewhere(t *testing.T) {
	var ids []string
	for range 2 {
		_, _ = programWorld(t, programText, "")
		text, err := os.ReadFile("x.toml")
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(text), "env.MARK")
		kept := string(text)[:at] + "env.MARK = \"ran\"\n"
		if err := os.WriteFile("x.toml", []byte(kept), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out := assayRun("run x.toml --allow-commands"); code != 0 {
			t.Fatal(out)
		}
		ids = append(ids, runsOf(t)...)
	}
	if len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("%q", ids)
	}
}

// TestProgramSteersNoTerminal: what a program writes, for assay or for people, is shown as text.
func TestProgramSteersNoTerminal(t *testing.T) {
	const escape = `\033]0;owned\007\033[2J`
	hostile := strings.ReplaceAll(programText, "NOTE", `\\u001b[2J\\u202e`)
	hostile = strings.Replace(hostile, ": >", "printf '"+escape+"\\n' >&2\n: >", 1)
	crashes := strings.Replace(hostile, "while", "exit 3\nwhile", 1)
	for _, program := range []string{hostile, crashes, strings.Replace(hostile, `printf '{"id"`, `printf '`+escape+`{"id"`, 1)} {
		_, _ = programWorld(t, program, "")
		for _, line := range []string{"run x.toml --allow-commands", "show x city_library-001", "errors x", "report x", "diff x x --prompts"} {
			if _, out := assayRun(line); strings.ContainsAny(out, "\x1b\x07\u202e") {
				t.Errorf("%s: %q", line, out)
			}
		}
		if log, err := os.ReadFile(filepath.Join("runs", runsOf(t)[0], "stderr", "mine.log")); err != nil || bytes.ContainsAny(log, "\x1b\x07") || len(log) == 0 {
			t.Errorf("stderr %q, %v", log, err)
		}
	}
}

// TestProgramExamples: the programs of configs/commands run as they stand, offline too, and ask as often as they say.
func TestProgramExamples(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	check := func(program, name string, calls int) {
		t.Helper()
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("no %s here: configs/commands/%s.toml is not tried", program, name)
			return
		}
		if err := exec.Command(program, "--version").Run(); err != nil {
			t.Logf("%s does not run here: configs/commands/%s.toml is not tried", program, name)
			return
		}
		store := t.TempDir()
		line := "run " + filepath.Join("..", "..", "configs", "commands", name+".toml") + " --allow-commands --limit 8 --store " + store
		code, out := assayRun(line)
		if code != 0 {
			t.Fatalf("%s: %s", name, out)
		}
		runs, _ := filepath.Glob(filepath.Join(store, "*-*", "run.toml"))
		dir := filepath.Dir(runs[0])
		own := 0
		for _, i := range runTable(t, dir, "items.csv") {
			if i["status"] == "model-error" || i["status"] == "no-sql" {
				t.Errorf("%s: %s of %s", name, i["status"], i["item"])
			}
			if i["arm"] != "standard" && i["params.look"] != "false" {
				own++
				if i.number("calls") != calls {
					t.Errorf("%s: %s calls, want %d", name, i["calls"], calls)
				}
			}
		}
		if own != 8 {
			t.Errorf("%s: %d items", name, own)
		}
		before := replayed(t, dir)
		if code, out = assayRun(line + " --offline"); code != 0 || before != replayed(t, dir) {
			t.Errorf("%s: offline: exit %d, the same %v: %s", name, code, before == replayed(t, dir), out)
		}
	}
	check("python3", "link", 2)
	check("node", "draft", 2)
}

// replayed is what a replay must repeat, byte for byte.
func replayed(t *testing.T, dir string) (all string) {
	t.Helper()
	for _, name := range []string{"candidates.csv", "calls.csv", "results.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	return all
}
