package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"
)

// step is what a tutorial asks of its reader at one place: to write or to lengthen a file, to run a command, or to compare
// what it printed.
type step struct {
	line                int
	file, command, text string // a file's text, or what a command prints, goes with neither
	more                bool   // the text goes to the file's end
}

var (
	fence   = regexp.MustCompile("^```([a-z]*)$")
	named   = regexp.MustCompile("`([^` ]+)`[^`]*:$") // the last file that a paragraph names, at its end
	source  = regexp.MustCompile(`(\.py|/method\.star|^authors/.*\.txt)$`)
	written = map[string]bool{"sql": true, "json": true, "jinja": true, "toml": true, "csv": true}
)

// steps reads a tutorial, up to a heading: indented lines are commands, blocks of text are printed by the command before,
// and other blocks are the file that the sentence before names last. Blocks of sh are for reading, and so are those of python
// that are no whole file. An author's text is a file too.
func steps(t *testing.T, name, until string) (out []step) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all, _, found := strings.Cut(string(b), "\n## "+until+"\n")
	if !found {
		t.Fatalf("%s: no heading %q", name, until)
	}
	lines, before := strings.Split(all, "\n"), ""
	for i := 0; i < len(lines); i++ {
		open := fence.FindStringSubmatch(lines[i])
		switch {
		case open != nil:
			from := i + 1
			for i++; lines[i] != "```"; i++ {
			}
			s := step{line: from, text: strings.Join(lines[from:i], "\n") + "\n"}
			if m := named.FindStringSubmatch(before); m != nil && (written[open[1]] || source.MatchString(m[1])) {
				s.file, s.more = m[1], strings.Contains(before, "Add to")
			}
			if s.file != "" || open[1] == "text" {
				out = append(out, s)
			}
		case strings.HasPrefix(lines[i], "    "):
			out = append(out, step{line: i + 1, command: strings.TrimSpace(lines[i])})
		case strings.TrimSpace(lines[i]) == "":
			if i+1 < len(lines) && !fence.MatchString(lines[i+1]) {
				before = ""
			}
		default:
			before += " " + lines[i]
		}
	}
	return out
}

// put writes a step's file.
func (s step) put() error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o777); err != nil {
		return err
	}
	text := s.text
	if s.more {
		b, err := os.ReadFile(s.file)
		if err != nil {
			return err
		}
		text = string(b) + "\n" + text
	}
	return os.WriteFile(s.file, []byte(text), 0o666)
}

// do runs a step's command and returns what it prints. After "; echo $?" that ends with the exit code.
func (s step) do() (string, error) {
	command, code := strings.CutSuffix(s.command, "; echo $?")
	words := strings.Fields(command)
	switch words[0] {
	case "assay":
		c := exec.Command(os.Args[0], words[1:]...) // a process of its own: one compiles each folder once
		c.Env = append(os.Environ(), mainEnv+"=1")
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		err := c.Run()
		var failed *exec.ExitError
		switch {
		case code && (err == nil || errors.As(err, &failed)):
			fmt.Fprintln(&out, c.ProcessState.ExitCode())
		case err != nil:
			return "", fmt.Errorf("%w: %s%s", err, &out, &errs)
		}
		return out.String(), nil
	case "mkdir":
		return "", os.MkdirAll(words[len(words)-1], 0o777)
	case "sqlite3":
		return "", load(words[1], words[3])
	}
	return "", fmt.Errorf("the test has no %s", words[0])
}

// load does what sqlite3 DATABASE < SCRIPT does.
func load(database, script string) error {
	b, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", database)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(string(b))
	return err
}

// TestTutorials follows the tutorial and the first page of the README to the letter, each in an empty folder, and compares
// every table that they show.
func TestTutorials(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	follow := func(name, until string, want int) {
		t.Helper()
		all := steps(t, filepath.Join(root, name), until)
		if len(all) != want {
			t.Fatalf("%s: %d steps, want %d", name, len(all), want)
		}
		t.Chdir(t.TempDir())
		printed := ""
		for _, s := range all {
			var err error
			switch {
			case s.file != "":
				err = s.put()
			case s.command != "":
				printed, err = s.do()
			case !strings.Contains(printed, s.text):
				t.Errorf("%s:%d: not printed:\n%s\nbut\n%s", name, s.line, s.text, printed)
			}
			if err != nil {
				t.Fatalf("%s:%d: %s: %v", name, s.line, s.command+s.file, err)
			}
		}
	}
	follow("README.md", "Start", 5)
	follow("configs/tutorials/methods.md", "6. With a model", 25)
	follow("configs/tutorials/authors-prompts.md", "Where the files are", 20)
	follow("configs/tutorials/ci.md", "4. What the exit codes mean", 16)
	follow("configs/tutorials/demos.md", "4. By a model", 11)
	if err := exec.Command("python3", "--version").Run(); err != nil {
		t.Logf("no python3 here, so configs/tutorials/programs.md is not followed: %v", err)
		return
	}
	follow("configs/tutorials/programs.md", "4. A param, swept", 8)
}
