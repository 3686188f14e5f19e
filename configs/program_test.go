package configs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
)

// programmed loads an experiment with one arm that has these lines, beside a program of two files.
func programmed(t *testing.T, top, arm string) (configs.Experiment, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mine.py": "1", "lib/a.py": "2", "lib/b.txt": "3", "lib/__pycache__/a.pyc": "4", "lib/.hidden": "5", "data.csv": "6",
		"x.toml": "name = \"x\"\n" + top + "[dataset]\nkind = \"sample\"\n[[arm]]\nname = \"mine\"\n" + arm,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e, err := configs.Load(filepath.Join(dir, "x.toml"), catalog.Known, configs.Options{})
	return e, dir, err
}

// TestProgram: what an arm with a command is once it is loaded.
func TestProgram(t *testing.T) {
	e, dir, err := programmed(t, "[exemplars]\nk = 4\n", "command = [\"python3\", \"mine.py\", \"--fast\"]\nenv.SHOTS = \"4\"\nparams.rounds = 2\nstartup = \"5s\"\n")
	if err != nil {
		t.Fatal(err)
	}
	a := e.Arms[0]
	check := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("method", a.Method, "command")
	check("row", a.Row.Program, true)
	check("folder", a.Dir, dir)
	check("variable", a.Env["SHOTS"], "4")
	check("param", a.Params["rounds"], int64(2))
	check("demonstrations, which it has no use for", a.Exemplars.K, 0)
	check("generators", len(a.Asks()), 0)
	text, err := e.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := configs.Parse("run.toml", text, catalog.Known)
	if err != nil {
		t.Fatal(err)
	}
	check("stored and read again", strings.Join(again.Arms[0].Command, " "), "python3 mine.py --fast")
	check("stored and read again", again.Arms[0].Startup, a.Startup)
}

// TestProgramRefused: what an arm with a command may not state, and what one without may not.
func TestProgramRefused(t *testing.T) {
	const runs = "command = [\"python3\", \"mine.py\"]\n"
	check := func(top, arm, want string) {
		t.Helper()
		_, _, err := programmed(t, top, arm)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s%s: got %v, want %q", top, arm, err, want)
		} else if !strings.Contains(err.Error(), "x.toml:") {
			t.Errorf("%s%s: no line in %v", top, arm, err)
		}
	}
	check("", "command = []\n", "command is empty: state the program")
	check("", "command = [\"\"]\n", "command is empty")
	check("", "command = [\"python3 mine.py\"]\n", "no shell divides it")
	check("", "command = [\"a\\u0000\"]\n", "has a NUL byte")
	check("", "command = \"python3\"\n", "wants a list of texts")
	check("command = [\"a\"]\n", "method = \"cot\"\n", `unknown key "command"`)
	check("", runs+"method = \"cot\"\n", "command and method are both stated")
	check("", "method = \"command\"\n", "without command: state the program")
	check("", "method = \"cot\"\nenv.A = \"b\"\n", "env.A has no effect without command")
	check("", "method = \"cot\"\ntimeout = \"3s\"\n", "timeout has no effect without command")
	check("", "method = \"pool\"\ngenerators = [\"command\"]\n", `"command" is unknown`)
	check("", runs+"generators = [\"cot\"]\n", "generators is stated for the method command")
	check("", runs+"exemplars.k = 3\n", "exemplars.k changes nothing in what a command asks")
	check("", runs+"agent.turns = 3\n", "agent.turns changes nothing")
	check("", runs+"synthetic.features = 3\n", "synthetic.features changes nothing")
	check("", runs+"blocks.rules = \"\"\n", "unknown block")
	check("[sweep]\nk = [0, 4]\n", runs, "sweep: k changes nothing in arm \"mine\"")
	check("[sweep]\nmethod = [\"cot\", \"standard\"]\n", runs, "command and method \"cot\" exclude each other")
	check("[sweep]\nmethod = [\"cot\", \"command\"]\n", "method = \"cot\"\n", "exclude each other")
	check("[sweep]\nparams.rounds = [1, 2]\n", runs, "params.rounds")
	check("", runs+"dir = \"gone\"\n", "cannot be used: no such file or directory")
	check("", runs+"dir = \"mine.py\"\n", "is no folder")
	check("", runs+"sources = [\"*.js\"]\n", "names no file")
	check("", runs+"sources = [\"[\"]\n", "is no pattern")
	check("", runs+"sources = [\"*/*.py\"]\n", "has a pattern before the last part")
	check("", "command = [\"curl\", \"sk-abcdef\"]\n", "looks like a secret")
	check("", "command = [\"curl\", \"${PLANTED_API_KEY}\"]\n", "PLANTED_API_KEY, which looks like a secret")
	check("", runs+"env.A = \"${PLANTED_TOKEN}\"\n", "PLANTED_TOKEN, which looks like a secret")
	check("", runs+"startup = \"soon\"\n", "is no duration")
	check("", runs+"env = \"A\"\n", "must be a table")
	check("", runs+"env.A = 3\n", "wants text")
	check("", runs+"env.\"A B\" = \"c\"\n", "is no name of an environment variable")
	check("", runs+"env.OPENAI_API_KEY = \"c\"\n", "is set by assay itself")
	for _, secret := range []string{"HF_TOKEN = \"abc\"", "DB_PASSWORD = \"x\"", "A = \"sk-abc\"", "A = \"https://me:pw@host\"",
		"A = \"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY\""} {
		check("", runs+"env."+secret+"\n", "looks like a secret")
	}
}

// TestProgramFiles: the files that identify a program, named without the place of the experiment.
func TestProgramFiles(t *testing.T) {
	check := func(arm string, want ...string) {
		t.Helper()
		e, _, err := programmed(t, "", arm)
		if err != nil {
			t.Fatal(err)
		}
		files, err := e.Arms[0].Files(configs.MostSources)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arm, got, want)
		}
	}
	check("command = [\"true\"]\n")
	check("command = [\"python3\", \"mine.py\", \"no.py\"]\n", "mine.py")
	check("command = [\"./mine.py\"]\n", "mine.py")
	check("command = [\"python3\", \"mine.py\"]\nsources = [\"lib\"]\n", "lib/a.py", "lib/b.txt", "mine.py")
	check("command = [\"python3\", \"mine.py\"]\nsources = [\"lib/*.py\", \"*.csv\"]\n", "data.csv", "lib/a.py", "mine.py")
	check("command = [\"python3\", \"a.py\"]\ndir = \"lib\"\nsources = [\"mine.py\", \"data.csv\"]\n", "a.py", "outside/data.csv", "outside/mine.py")
}

func TestProgramFilesThatNoRunKeeps(t *testing.T) {
	t.Setenv("HOSTED_API_KEY", "a-key-of-the-test")
	t.Setenv("SHORT_KEY", "a")
	t.Setenv("HARMLESS", "print(1) # not a key")
	dir := t.TempDir()
	read := func(name, text string) error {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := configs.Program{Command: []string{"python3"}, Dir: dir, Sources: []string{filepath.Join(dir, name)}}.Files(configs.MostSources)
		return err
	}
	if err := read("a.py", "print(1) # not a key"); err != nil {
		t.Error(err)
	}
	if err := read(".env", "KEY=a-key-of-the-test\n"); err == nil || !strings.Contains(err.Error(), "holds the value of HOSTED_API_KEY") || strings.Contains(err.Error(), "of-the-test") {
		t.Errorf("a key: %v", err)
	}
	for _, name := range []string{"a\xff.py", "a\x1b[2J.py", "a\nb.py"} {
		if err := read(name, ""); err == nil || !strings.Contains(err.Error(), "cannot be printed") {
			t.Errorf("the name %q: %v", name, err)
		}
	}
}
