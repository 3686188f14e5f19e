package star

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

// TestHints lists what Python users write, and what they are told.
func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		`x = f"a {b}"`:                         "no f-strings",
		`x = rf'a {b}'`:                        "no f-strings",
		"def answer():\n  if x is None: pass":  "write x == None",
		"def answer():\n  if x is not 1: pass": "write x != None",
		"x = 1 < 2 < 3":                        "a < b and b < c",
		"x = 1 == 2 == 3":                      "a < b and b < c",
		"try:\n  x = 1\nexcept:\n  pass":       "there is no try",
		"def f():\n  raise ValueError('x')":    `fail("why")`,
		"class A:\n  pass":                     "no classes",
		"import re":                            "no import",
		"from os import path":                  "no import",
		"with open('x') as f:\n  pass":         "no with",
		"def f():\n  global x\n  x = 1":        "no global",
		"def f():\n  nonlocal x":               "no global or nonlocal",
		"def f():\n  yield 1":                  "no generators",
		"x = sum(i for i in [1])":              "no generators",
		"def f():\n  if (n := 1): pass":        "no := operator",
		"def f():\n  assert 1":                 "no assert",
		"def f(d):\n  del d[1]":                "no del",
		"x = 2 ** 3":                           "no ** operator",
		"@dec\ndef f(): pass":                  "no decorators",
		"async def f(): pass":                  "no async",
		"def f(x: int): pass":                  "no annotations",
		"def f(x) -> int:\n  pass":             "no annotations",
		"x: int = 3":                           "no annotations",
		"def f():\n  while True:\n    pass\n  else:\n    pass": "a loop has no else",
		`x = "a" "b"`:                                        "not joined",
		"x = (\"a\"\n     \"b\")":                            "not joined",
		`x = "this is" "it"`:                                 "not joined",
		"x = {1, 2}":                                         "no set display",
		"x = {i for i in [1]}":                               "no set comprehension",
		"def f(l):\n  l[1:2] = [1]":                          "a slice cannot be assigned to",
		"a, *b = [1, 2]":                                     "no unpacking",
		"x = [*a, *b]":                                       "no unpacking",
		"x = open('x')":                                      "a method has no files",
		"x = eval('1')":                                      "a method has no files",
		"x = random.random()":                                "no clock, network or randomness",
		"x = time.time()":                                    "no clock, network or randomness",
		"x = os.environ":                                     "no clock, network or randomness",
		"x = isinstance(1, int)":                             "type(x)",
		"x = map(len, [])":                                   "[f(x) for x in xs",
		"x = true":                                           "write True",
		"x = 1\nx = 2":                                       "given once",
		"x = lambda *a: a":                                   "write a def",
		"def f(s):\n  s.a = 1":                               "a field cannot be changed",
		"def f(s):\n  s.a += 1":                              "a field cannot be changed",
		"def f(s):\n  for s[0] in [1]: pass":                 "a loop runs over names",
		`answer = lambda: "%.2f" % 1.5`:                      "fixed(x, 2)",
		`answer = lambda: "%5d" % 1`:                         "% takes no widths",
		`answer = lambda: "{:.2f}".format(1.5)`:              "fixed(x, 2)",
		`answer = lambda: "{A}".format(B = 1)`:               `replace("{NAME}", value)`,
		`answer = lambda: '{"a": 1}'.format(A = 1)`:          `replace("{NAME}", value)`,
		`answer = lambda: "a }".format(A = 1)`:               `replace("{NAME}", value)`,
		`answer = lambda: "a" + 1`:                           "str(x)",
		`answer = lambda: 1 + "a"`:                           "str(x)",
		`answer = lambda: None + 1`:                          "the value is None",
		`answer = lambda: re.find("a", "b").start`:           "the value is None",
		`answer = lambda: "a".ljust(3)`:                      "len(s)",
		`answer = lambda: "a".zfill(3)`:                      "len(s)",
		`answer = lambda: "a".encode("utf-8")`:               "valid(s)",
		`answer = lambda: [1].sort()`:                        "l = sorted(l)",
		`answer = lambda: [1].copy()`:                        "list(l)",
		`answer = lambda: [1].count(1)`:                      "len([x for x in l",
		`answer = lambda: sorted([1], cmp = len)`:            "sort by a key",
		`answer = lambda: max([], default = 0)`:              "max(l) if l else 0",
		`answer = lambda: max([])`:                           "there are no items",
		`answer = lambda: [c for c in "abc"]`:                "s.elems()",
		"def f(): return f()\nanswer = lambda: f()":          "no recursion",
		"l = []\nanswer = lambda: l.append(1)":               "made at the top of a file",
		"l = [1]\nanswer = lambda: [l.append(1) for x in l]": "made at the top of a file",
		`answer = lambda: {[1]: 2}`:                          "tuple(l)",
		`answer = lambda: 1()`:                               "leave out the ()",
		`answer = lambda: print(1)`:                          "c.note(text)",
		`answer = lambda: {}.a`:                              `d["key"]`,
		`answer = lambda: {"a": 1}["b"]`:                     `key "b" not in dict`,
		`answer = lambda: "ab"[5]`:                           "out of range: it has 2 items",
		`answer = lambda: struct(abc = 1).abd`:               "did you mean .abc?",
		`answer = lambda: re.find(r"(?=a)", "a")`:            "no lookahead",
		`answer = lambda: re.find(r"(?<!a)b", "a")`:          "no lookbehind",
		`answer = lambda: re.find(r"(a)\1", "a")`:            "no backreference",
		`answer = lambda: re.find(r"(a", "a")`:               "the syntax is Go's",
		`answer = lambda: re.find("a", "a").group(1)`:        "write m[0]",
		"answer = lambda: fail('no')":                        "fail: no",
	} {
		p, err := load(text)
		if err == nil {
			_, err = p.Call(context.Background(), p.Global("answer").(starlark.Callable), nil, nil, nil, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		} else if !strings.HasPrefix(err.Error(), "methods/mine/method.star:") {
			t.Errorf("%q: no place in %v", text, err)
		}
	}
}

var errHost = errors.New("the host is out")

// hostFails is a function of a host that fails, and one that calls back.
var hostFails = starlark.StringDict{
	"broken": starlark.NewBuiltin("broken", func(*thread, *builtin, tuple, []tuple) (value, error) { return nil, fmt.Errorf("broken: %w", errHost) }),
	"back": starlark.NewBuiltin("back", func(t *thread, _ *builtin, args tuple, _ []tuple) (value, error) {
		return starlark.Call(t, args[0], args[1:], nil)
	}),
}

// TestStack looks at a whole error.
func TestStack(t *testing.T) {
	folder := files{
		"method.star":  "load('helpers.star', 'deep')\ndef answer():\n    return back(deep, 1)\n",
		"helpers.star": "def deep(n):\n    return [n] + inner(n)\ndef inner(n):\n    return broken(n)\n",
	}
	p, err := Load("method.star", Options{Name: "methods/mine", Source: folder.source, Host: hostFails})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Call(context.Background(), p.Function("answer"), nil, nil, nil, nil)
	want := `methods/mine/helpers.star:4:18: broken: the host is out
    methods/mine/helpers.star:4:18: in inner
    methods/mine/helpers.star:2:23: in deep
    methods/mine/method.star:3:16: in answer`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !errors.Is(err, errHost) {
		t.Errorf("%v is not the host's error", err)
	}
	var e *Error
	if !errors.As(err, &e) || e.Line != 4 || e.Col != 18 || len(e.Stack) != 3 || e.Stack[2].Name != "answer" {
		t.Errorf("%#v", e)
	}
}

// TestLoad lists folders and what loading them says.
func TestLoad(t *testing.T) {
	for what, c := range map[string]struct {
		folder files
		want   string // of the error; empty: none
	}{
		"helpers":      {files{"method.star": "load('h.star', g = 'f')\nx = g()", "h.star": "def f(): return 1"}, ""},
		"shared":       {files{"method.star": "load('@assay//c.star', 'f')\nx = f()", "@assay//c.star": "load('@assay//d.star', 'g')\ndef f(): return g()", "@assay//d.star": "def g(): return 1"}, ""},
		"twice":        {files{"method.star": "load('a.star', 'a')\nload('b.star', 'b')", "a.star": "load('c.star', 'l')\na = l", "b.star": "load('c.star', 'l')\nb = l", "c.star": "l = [1]"}, ""},
		"folder":       {files{"method.star": "load('a/b.star', 'a')", "a/b.star": "a = 1"}, ""},
		"cycle":        {files{"method.star": "load('a.star', 'a')", "a.star": "load('method.star', 'x')\na = 1"}, "methods/mine/a.star:1:1: cannot load method.star: it loads itself, perhaps"},
		"self":         {files{"method.star": "load('method.star', 'a')"}, "it loads itself"},
		"none":         {files{"method.star": "load('a.star', 'a')"}, "methods/mine/method.star:1:1: cannot load a.star: there is no such file"},
		"no name":      {files{"method.star": "load('a.star', 'ab')", "a.star": "abc = 1"}, "name ab not found in module a.star"},
		"up":           {files{"method.star": "load('../a.star', 'a')"}, "is no file of the method"},
		"root":         {files{"method.star": "load('/etc/passwd.star', 'a')"}, "is no file of the method"},
		"shared up":    {files{"method.star": "load('@assay//../a.star', 'a')"}, "is no file of the method"},
		"other":        {files{"method.star": "load('a.txt', 'a')"}, "is no file of the method"},
		"private":      {files{"method.star": "load('a.star', '_a')", "a.star": "_a = 1"}, "leading underscores"},
		"bad helper":   {files{"method.star": "load('a.star', 'a')", "a.star": "\n\na = 1 +"}, "methods/mine/a.star:3:8: got end of file"},
		"fails":        {files{"method.star": "load('a.star', 'a')", "a.star": "def f(): return 1 // 0\na = f()"}, "methods/mine/a.star:1:19: floored division by zero\n    methods/mine/a.star:1:19: in f\n    methods/mine/a.star:2:6: in the file itself\n    methods/mine/method.star:1:1: in the file itself"},
		"undefined":    {files{"method.star": "x = 1\ny = xx"}, "methods/mine/method.star:2:5: undefined: xx"},
		"many":         {many(), "at most 64 files"},
		"long":         {files{"method.star": "x = 1" + strings.Repeat(" ", maxSource)}, "bytes; 262144 are the most"},
		"deep":         {files{"method.star": "x = 1" + strings.Repeat(" + 1", 3000)}, "the expression is too long"},
		"long int":     {files{"method.star": "x = " + strings.Repeat("9", 1000)}, "the number is too large"},
		"endless":      {files{"method.star": "while True: pass"}, "too much work"},
		"endless load": {files{"method.star": "load('a.star', 'a')\nwhile True: pass", "a.star": "a = [i for i in range(300000)]"}, "too much work"},
		"wide global":  {files{"method.star": "t = ()\nfor i in range(60): t = (t, t)"}, "cannot reassign"},
		"wide":         {files{"method.star": "def f():\n  t = ()\n  for i in range(60): t = (t, t)\n  return t\nx = f()"}, "too many items"},
		"deep global":  {files{"method.star": "def f():\n  t = []\n  for i in range(100000): t = [t]\n  return t\nx = f()"}, "nests too deep"},
		"self closure": {files{"method.star": "def f():\n  def g(): return g\n  return g\nx = f()"}, "nests too deep"},
		"cyclic list":  {files{"method.star": "def f():\n  l = []\n  l.append(l)\n  return l\nx = f()"}, ""},
		"empty":        {files{"method.star": ""}, ""},
		"no file":      {files{}, "methods/mine/method.star: there is no such file"},
		"not text":     {files{"method.star": "x = \"\xff\xfe\""}, ""},
		"hidden names": {files{"method.star": "x = .made"}, "got '.'"},
	} {
		_, err := Load("method.star", Options{Name: "methods/mine", Source: c.folder.source})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", what, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// many is a folder of files that load each other in a row.
func many() files {
	f := files{"method.star": "load('f1.star', 'x')"}
	for i := 1; i < 100; i++ {
		f[fmt.Sprintf("f%d.star", i)] = fmt.Sprintf("load('f%d.star', y = 'x')\nx = y", i+1)
	}
	return f
}

// TestCancel ends a call from outside, before it, within it, and within a function of the host.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the budget is spent")
	host := starlark.StringDict{"stop": starlark.NewBuiltin("stop", func(*thread, *builtin, tuple, []tuple) (value, error) {
		cancel(why)
		return starlark.None, nil
	})}
	folder := files{"method.star": "def answer():\n    stop()\n    while True: 'x'.upper()\n"}
	p, err := Load("method.star", Options{Source: folder.source, Host: host})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = p.Call(ctx, p.Function("answer"), nil, nil, nil, nil)
		if !errors.Is(err, why) || !strings.Contains(err.Error(), "the budget is spent") {
			t.Errorf("got %v", err)
		}
	}
}
