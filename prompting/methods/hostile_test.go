package methods_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/methodtest"
	"assay/prompting/pipeline"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// attempt is a folder that somebody would do harm with: its files by name, and what the error says. Where want begins
// with "=", nothing is wrong, and the first candidate is the rest.
type attempt struct {
	what  string
	files map[string]string
	want  string
}

// star is a folder of method.star, whose answer(q) has these lines.
func star(what, body, want string) attempt {
	return attempt{what, map[string]string{"method.star": "def answer(q):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"}, want}
}

// text is a folder of prompt.jinja.
func text(what, body, want string) attempt {
	return attempt{what, map[string]string{"prompt.jinja": body}, want}
}

// thousand and many are lists of 1,000 and of 100,000 words, as a template makes them.
const (
	tenfold  = "{% macro m(s) %}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{% endmacro %}"
	thousand = tenfold + `{% set thousand = m(m(m("x "))).split() %}`
	many     = tenfold + `{% set many = m(m(m(m(m("x "))))).split() %}`
)

const asks = "def answer(q):\n    return ask(\"a\")\n"

// attempts are what a method may try. SECRET stands for the path of a file outside the folder.
var attempts = []attempt{
	// Files.
	{"load a file above the folder", map[string]string{"method.star": "load(\"../../SECRET.star\", \"x\")\n" + asks}, `"../../SECRET.star" is no file of the method`},
	{"load an absolute path", map[string]string{"method.star": "load(\"SECRET\", \"x\")\n" + asks}, "is no file of the method"},
	{"load above the library", map[string]string{"method.star": "load(\"@assay//../fixer/method.star\", \"x\")\n" + asks}, "is no file of the method"},
	{"load itself", map[string]string{"method.star": "load(\"method.star\", \"x\")\n" + asks}, "it loads itself"},
	star("file() above the folder", `return file("../SECRET")`, `the folder has no file "../SECRET"`),
	star("file() of an absolute path", `return file("SECRET")`, `the folder has no file "`),
	star("open()", `return open("SECRET")`, "undefined: open"),
	star("import", `import os`, "method.star:2:5"),
	star("a template above the folder", `return ask("../SECRET")`, `the folder has no template "../SECRET.jinja"`),
	text("a template that includes", `{% include "SECRET" %}`, "prompt.jinja:1:"),
	text("a template that extends", `{% extends "SECRET" %}`, "prompt.jinja:1:"),
	text("a template that imports", `{% import "SECRET" as x %}`, "prompt.jinja:1:"),
	// Time.
	star("an endless loop", "while True:\n    pass", "too much work"),
	{"an endless loop at the top", map[string]string{"method.star": "while True:\n    pass\n" + asks}, "too much work"},
	star("a loop of queries", "while True:\n    run(\"SELECT 1\")", "too much work"),
	star("a loop of host functions", "while True:\n    input(q)", "too much"),
	star("a loop of reading SQL", "s = \"SELECT (\" * 100000\nwhile True:\n    sql_of(s)", "too much work"),
	{"a loop of templates", map[string]string{"method.star": "def answer(q):\n    while True:\n        text(\"a\")\n",
		"a.jinja": many + "{% for i in many %}{% if i %}{% endif %}{% endfor %}"}, "too much work"},
	star("recursion", "return answer(q)", "called recursively"),
	star("ask in an endless loop", "while True:\n    ask([user(\"a\")])", "raise limits.calls_per_item"),
	star("ask for 10^9 samples", "return ask([user(\"a\")], n = 1000000000)[0]", "raise limits.calls_per_item"),
	star("ask_all of a million", "return ask_all([call([user(\"a\")])] * 900000)[0]", "raise limits.calls_per_item"),
	star("a query that does not end", "return run(\"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t\").error", "=stopped after 300ms"),
	text("nested loops", many+"{% for a in many %}{% for b in many %}{% for c in many %}{% endfor %}{% endfor %}{% endfor %}", "too much work"),
	text("a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "prompt.jinja:1:"),
	text("a template that fills itself", `{{ text("prompt") }}`, "templates name each other more than 20 deep"),
	text("a template that fills itself twice", `{{ text("prompt") }}{{ text("prompt") }}`, "more than 20 deep"),
	{"templates that fill each other in loops", map[string]string{"a.jinja": many + `{% for i in many %}{{ text("b") }}{% endfor %}`,
		"b.jinja": thousand + `{% for i in thousand %}{{ text("c") }}{% endfor %}`, "c.jinja": thousand + `{% for i in thousand %}x{% endfor %}`, "method.star": asks}, "too much work"},
	{"a folder as a part", map[string]string{"method.star": "def link(q):\n    return part(\"DIR\").link(q)\n\ndef answer(q):\n    return ask([user(part(\"DIR\").link(q).question)])\n"}, "only assay's own parts have a name here"},
	// Memory.
	star("1 GB by *", `return "x" * (1 << 30)`, "too long"),
	star("1 GB by doubling", "s = \"x\"\nwhile True:\n    s += s", "too long"),
	star("1 GB by join", `return "".join(["x" * 1000000] * 1000)`, "too long"),
	star("1 GB in a list", "l = []\nwhile True:\n    l.append(\"x\" * 10000000)", "too much memory"),
	{"a conversation that doubles", map[string]string{"a.jinja": "hello", "method.star": "def answer(q):\n    m = prompt(\"a\")\n    while True:\n        m = m + m\n"}, "more than 10000 messages"},
	{"a prompt of 100 MB", map[string]string{"a.jinja": thousand + "{% for i in thousand %}{{ s }}{% endfor %}", "method.star": "def answer(q):\n    return ask(\"a\", s = \"x\" * 1000000)\n"}, "a text of more than 16 MB"},
	star("a prompt of 100 MB in messages", "return ask([user(\"x\" * 1000000)] * 100)", "4194304 are the most"),
	star("a note of 1 GB", "c = ask([user(\"a\")])\nwhile True:\n    c.note(\"x\" * 100000)", "more than 1048576 bytes about one completion"),
	star("a list of schemas", "l = []\nwhile True:\n    l.append(q.with_columns([]))", "too much"),
	star("a list of tables", "l = []\nwhile True:\n    l.append(q.schema.tables)", "too many items"),
	star("votes without end", "while True:\n    vote(candidate(\"a\"), candidate(\"b\"), None, by = \"model\")", "too much work"),
	star("a variable of 10^12 numbers", "return ask([user(text(\"a\", x = range(1000000000000)))])", "too many items"),
	star("a list that holds itself, in a template", "l = []\nl.append(l)\nreturn ask(\"a\", x = l)", "does it contain itself"),
	star("a list that holds itself, printed", "l = []\nl.append(l)\nreturn str(struct(a = l))", "contain itself"),
	star("a list that holds itself, encoded", "l = []\nl.append(l)\nreturn json.encode(l)", "contain itself"),
	star("a list that holds itself, compared", "l, m = [], []\nl.append(l)\nm.append(m)\nreturn str(l == m)", "contain itself"),
	star("a list that holds itself, noted", "l = []\nl.append(l)\nask([user(\"a\")]).note(l)", "contain itself"),
	star("a list that doubles, drawn by", "l = []\nfor i in range(60):\n    l = [l, l]\nreturn rand(\"x\", q, l)", "too many items"),
	star("a list that holds itself, as stop", "l = []\nl.append(l)\nreturn ask([user(\"a\")], stop = l)", "contain itself"),
	star("a list that holds itself, as a part's param", "l = []\nl.append(l)\nreturn part(\"columns\", use = l)", "contain itself"),
	{"a list that holds itself, as settings", map[string]string{"method.star": "settings = {}\nsettings[\"a\"] = settings\n" + asks}, "settings: want a dict"},
	{"a list that holds itself, as a default", map[string]string{"method.star": "l = []\nl.append(l)\nparams = defaults(a = l)\n" + asks}, "contain itself"},
	{"a param of 16 MB", map[string]string{"method.star": "params = defaults(a = \"x\" * (32 << 20))\n" + asks}, "too long"},
	{"settings of no sense", map[string]string{"method.star": "settings = 5\n" + asks}, "settings: want a dict"},
	text("1 GB in nested loops", many+`{% for a in many %}{% for b in many %}xxxxxxxx{% endfor %}{% endfor %}`, "too much work"),
	text("1 GB by macros", `{% macro m(s) %}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{{ s }}{% endmacro %}`+
		`{% set a = "xxxxxxxx" %}`+strings.Repeat(`{% set a = m(a) %}`, 12)+`{{ a }}`, "a text of more than 16 MB"),
	text("1 GB by * in a template", `{{ "x" * 1000000000 }}`, "prompt.jinja:1:"),
	// Writing.
	star("DELETE", `r = run("DELETE FROM Trip")
return r.error`, "=DELETE Trip is not allowed"),
	star("ATTACH", `return run("ATTACH 'SECRET' AS x").error`, "=ATTACH SECRET is not allowed"),
	star("PRAGMA", `return run("PRAGMA writable_schema = 1").error`, "=PRAGMA writable_schema is not allowed"),
	star("load_extension", `return run("SELECT load_extension('SECRET')").error`, "=no such function"),
	star("VACUUM INTO", `return run("VACUUM INTO 'SECRET.copy'").error`, "=the statement does more than read"),
	// The gold query.
	star("q.gold", `return q.gold`, "question has no .gold field or method"),
	star("q.__class__", `return q.__class__`, "question has no .__class__"),
	star("getattr of gold", `return getattr(q, "gold", "none") + getattr(q, "Gold", "none") + getattr(q, "q", "none")`, "=nonenonenone"),
	star("a function's insides", `return getattr(answer, "__globals__", "none")`, "=none"),
	star("the names of a question", `return ",".join(dir(q))`, "=cut,db,evidence,has_file,id,question,sample,samples,schema,shown,whole,with_columns,with_values"),
	text("the gold in a template", "{{ q.gold }}", "no attribute \"gold\""),
	text("__class__ in a template", `{{ q.__class__.__mro__ }}`, "prompt.jinja:1:"),
	// Chance, clock and surroundings.
	star("rand without a purpose", `return str(rand())`, "rand: want a purpose and the question"),
	star("time", `return time.now()`, "undefined: time"),
	star("the environment", `return os.environ`, "undefined: os"),
	text("lipsum", `{{ lipsum() }}`, "prompt.jinja:1:"),
	// Rubbish.
	{"rubbish as method.star", map[string]string{"method.star": "\x7fELF\x02\x00\xff\xfe\x00def answer"}, "method.star:1:"},
	{"rubbish as prompt.jinja", map[string]string{"prompt.jinja": "\x7fELF\x02\x00\xff\xfe\x00{{"}, "prompt.jinja:1:"},
	{"half a character in a template", map[string]string{"prompt.jinja": "caf\xc3"}, "prompt.jinja:1:"},
	{"half a character made by slicing", map[string]string{"a.jinja": "{{ s }}", "method.star": "def answer(q):\n    return ask(\"a\", s = \"é\"[:1])\n"}, "=SELECT 1"},
	{"only a README", map[string]string{"README.md": "a method"}, "it has neither method.star nor prompt.jinja"},
	{"nothing", map[string]string{}, "it has no files"},
	{"no part", map[string]string{"method.star": "x = 1\n"}, "defines none of link, answer, fix, choose, schema"},
	star("an answer that is a number", `return 5`, "answer() returned a int"),
	star("an answer without a return", `ask([user("a")])`, "answer() returned None"),
	star("fail()", `fail("no")`, "fail: no"),
	{"answer of two arguments", map[string]string{"method.star": "def answer(q, x):\n    return ask(\"a\")\n"}, "missing 1 argument"},
	{"a conversation that is hostile", map[string]string{"method.star": "def answer(q):\n    return ask([1, 2])\n"}, "want messages"},
}

// hostile is what the attempts meet: a database of two tables, and a file outside the folder.
type hostile struct {
	dir, secret string
	q           prompting.Question
	box         *sandbox.Box
}

func newHostile(t *testing.T) *hostile {
	h := &hostile{dir: t.TempDir(), q: methodtest.Question()}
	h.secret = filepath.Join(h.dir, "secret")
	db := filepath.Join(h.dir, "ferry.sqlite")
	write(t, h.secret, "SELECT 'the secret'")
	if err := sqlite.Create(t.Context(), db, "CREATE TABLE Route (RouteID INTEGER PRIMARY KEY, \"Home Port\" TEXT); CREATE TABLE Trip (Route INT, Guests INT); INSERT INTO Trip VALUES (1, 140);"); err != nil {
		t.Fatal(err)
	}
	h.q.Database = sqlite.DB(db)
	h.box = sandbox.New(sandbox.Options{Timeout: 300e6})
	return h
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// try answers the question by the folder.
func (h *hostile) try(dir string) (string, error) {
	f, err := methods.Folder(dir)
	if err != nil {
		return "", err
	}
	arm := methodtest.Arm(dir, "bird", 0)
	arm.Row = f
	m, err := pipeline.New(prompting.Deps{Model: counted{}, Pool: methodtest.Pool(3), Box: h.box, Calls: 500}, arm, 1)
	if err != nil {
		return "", err
	}
	a, err := m.Answer(context.Background(), h.q)
	if err != nil {
		return "", err
	}
	return a.Candidates[0].SQL, nil
}

// counted is a model that answers at once, and keeps nothing of what it is asked.
type counted struct{}

func (counted) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: "SELECT 1", Finish: "stop"}, nil
}

// TestHostileMethods: whatever a folder says, the answer is an error that names the folder's file, or SQL; nothing
// outside is read or written, and memory is bounded.
func TestHostileMethods(t *testing.T) {
	h := newHostile(t)
	before := snapshot(t, h.dir)
	for i, a := range attempts {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("m%d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range a.files {
			write(t, filepath.Join(dir, name), strings.NewReplacer("SECRET", h.secret, "DIR", dir).Replace(text))
		}
		h.check(t, a, dir)
	}
	if after := snapshot(t, h.dir); after != before {
		t.Errorf("something was written: %s, before %s", after, before)
	}
}

// check tries one folder.
func (h *hostile) check(t *testing.T, a attempt, dir string) {
	t.Helper()
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	got, err := h.try(dir)
	runtime.ReadMemStats(&is)
	t.Logf("%-45s %s", a.what, firstLine(got, err))
	if mb := (is.TotalAlloc - was.TotalAlloc) >> 20; mb > 4000 {
		t.Errorf("%s: %d MB in all", a.what, mb)
	}
	want, fine := strings.CutPrefix(strings.ReplaceAll(a.want, "SECRET", h.secret), "=")
	switch {
	case fine && (err != nil || !strings.Contains(got, want)):
		t.Errorf("%s: got %q, %v", a.what, got, err)
	case !fine && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got %q, %v\nwant %q", a.what, got, err, want)
	case err != nil && len(err.Error()) > 10_000:
		t.Errorf("%s: an error of %d bytes", a.what, len(err.Error()))
	case strings.Contains(got, "the secret") || err != nil && strings.Contains(err.Error(), "the secret"):
		t.Errorf("%s: it was read", a.what)
	}
}

func firstLine(got string, err error) string {
	if err != nil {
		got = err.Error()
	}
	got, _, _ = strings.Cut(got, "\n")
	return fmt.Sprintf("%.300s", got)
}

// snapshot lists a folder's files with their sizes and times.
func snapshot(t *testing.T, dir string) (out string) {
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintln(e.Name(), info.Size(), info.ModTime())
	}
	return out
}

// TestHostileFolders: links that lead out, pipes, and too much of everything.
func TestHostileFolders(t *testing.T) {
	h := newHostile(t)
	check := func(what, want string, make func(dir string) error) {
		t.Helper()
		dir := t.TempDir()
		write(t, filepath.Join(dir, "method.star"), "def answer(q):\n    return file(\"x\")\n")
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		h.check(t, attempt{what: what, want: want}, dir)
	}
	check("a link to a file outside", "path escapes", func(dir string) error { return os.Symlink(h.secret, filepath.Join(dir, "x")) })
	check("a link to a file above", "path escapes", func(dir string) error { return os.Symlink("../../../../etc/passwd", filepath.Join(dir, "x")) })
	check("a link to a folder outside", "path escapes", func(dir string) error { return os.Symlink(h.dir, filepath.Join(dir, "x")) })
	check("a link to itself", "x", func(dir string) error { return os.Symlink("x", filepath.Join(dir, "x")) })
	check("a link within", "=def answer", func(dir string) error { return os.Symlink("method.star", filepath.Join(dir, "x")) })
	check("a pipe", "x: is a FIFO, not a file", func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "x"), 0o644) })
	check("a file of 100 MB", "more than the 4194304 bytes", func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "x"), nil, 0o644), os.Truncate(filepath.Join(dir, "x"), 100<<20))
	})
	check("10,000 files", "more than 200 files", func(dir string) (err error) {
		for i := range 10_000 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.txt", i)), nil, 0o644))
		}
		return err
	})
	if _, err := h.try("/dev/zero"); err == nil {
		t.Error("a device is a method")
	}
}

// TestHostileSamples: many samples of a hostile method end one another.
func TestHostileSamples(t *testing.T) {
	h := newHostile(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "method.star"), "def answer(q):\n    while True:\n        ask([user(str(q.sample))])\n")
	arm := methodtest.Arm(dir, "bird", 0)
	arm.Model.Samples = 8
	m, err := pipeline.New(prompting.Deps{Model: counted{}, Pool: methodtest.Pool(3), Calls: 500}, arm, 1)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := m.Answer(context.Background(), h.q); err == nil || !strings.Contains(err.Error(), "limits.calls_per_item") {
				t.Errorf("got %v", err)
			}
		})
	}
	group.Wait()
}
