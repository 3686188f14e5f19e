package star

import (
	"context"
	"strings"
	"sync"
	"testing"

	"go.starlark.net/starlark"
)

func TestHelpers(t *testing.T) {
	for text, want := range map[string]string{
		`one_line("  a\t b\n\nc ")`:  `"a b c"`,
		`one_line("")`:               `""`,
		`clip("abcdef", 3)`:          `"abc..."`,
		`clip("abc", 3)`:             `"abc"`,
		`clip("äöü", 2, dots = "…")`: `"äö…"`,
		`clip("äöü", 2, "")`:         `"äö"`,
		`clip("", 0)`:                `""`,
		`clip("a", 0)`:               `"..."`,
		`clip("a", -1)`:              `error: give a number of characters`,
		`valid("äöü"[:3])`:           "\"ä\uFFFD\"",
		`valid("a")`:                 `"a"`,
		`fixed(1.005, 2), fixed(2, 1), fixed(-0.5, 0)`: `("1.00", "2.0", "-0")`,
		`fixed(1, 101)`: `error: 0 to 100`,
		`fixed("a", 1)`: `error: want a number`,
		`round(0.5), round(1.5), round(2.5), round(-1.5)`:      `(0, 2, 2, -2)`,
		`round(2.675, 2), round(1.25, 1), round(3, 2)`:         `(2.67, 1.2, 3)`,
		`round(1234.5, -2), round(2.5, 0)`:                     `(1200.0, 2.0)`,
		`round(float("nan"))`:                                  `error: not finite`,
		`round(1e308) > 0, round(1e15)`:                        `(True, 1000000000000000)`,
		`sum([1, 2, 3]), sum([]), sum([0.5, 1])`:               `(6, 0, 1.5)`,
		`sum(["a"])`:                                           `error: want a number`,
		`sum([1], 2)`:                                          `3`,
		`json.encode({"b": [1, None, True], "a": "<ä\n>"})`:    `"{\"a\":\"<ä\\n>\",\"b\":[1,null,true]}"`,
		`json.encode("\\u003c \n<")`:                           `"\"\\\\u003c \\n<\""`,
		`json.encode("\x7f")`:                                  `"\"\x7f\""`,
		`json.encode(struct(b = 1, a = (2,)))`:                 `"{\"a\":[2],\"b\":1}"`,
		`json.decode('{"a": [1, 2.5, "x", null, true]}')`:      `{"a": [1, 2.5, "x", None, True]}`,
		`json.decode("{", default = None)`:                     `None`,
		`json.decode("{")`:                                     `error: unexpected end of file`,
		`json.decode("[" * 200)`:                               `error: too deep`,
		`json.decode('"' + "[" * 200 + '"')[:2]`:               `"[["`,
		`json.decode(json.encode("\\\"")) == "\\\""`:           `True`,
		`re.find("b", "a")`:                                    `None`,
		`re.find("(a)|(b)", "xb")[0]`:                          `"b"`,
		`re.find("(a)|(b)", "xb")[1]`:                          `""`,
		`[m[0] for m in re.all("[0-9]+", "1 22 333")]`:         `["1", "22", "333"]`,
		`[(m.start, m.end) for m in re.all("é", "éaé")]`:       `[(0, 2), (3, 5)]`,
		`len(re.find("(a)(b)?", "ab")), bool(re.find("", ""))`: `(3, True)`,
		`re.find("a", "a")[1]`:                                 `error: out of range`,
		`re.all("x", "a")`:                                     `[]`,
		`re.split(",\\s*", "a, b,c")`:                          `["a", "b", "c"]`,
		`re.split("x", "")`:                                    `[""]`,
		`re.find("a", "a")`:                                    `match("a")`,
		`re.find("a", "a") == re.find("a", "a")`:               `False`,
		`{re.find("a", "a"): 1}`:                               `error: take its text`,
	} {
		v, err := expression(text)
		if cause, fails := strings.CutPrefix(want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), cause) {
				t.Errorf("%s: %v, %v, want an error with %q", text, v, err, cause)
			}
		} else if err != nil || v.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, v, err, want)
		}
	}
}

// TestStatements compares what rewriting does with statements with what they mean.
func TestStatements(t *testing.T) {
	for body, want := range map[string]string{
		"l = [1]\nm = l\nl += [2]\nreturn m":                                                           "[1, 2]",
		"l = [1]\nm = l\nl += (2, 3)\nreturn m":                                                        "[1, 2, 3]",
		"d = {'a': 1}\ne = d\nd |= {'b': 2}\nreturn e":                                                 `{"a": 1, "b": 2}`,
		"x = 1\nx += 2\nx *= 5\nx -= 1\nx //= 2\nx <<= 1\nreturn x":                                    "14",
		"d = {'a': [1]}\nd['a'] += [2]\nd['b'] = 3\nd['b'] *= 2\nreturn d":                             `{"a": [1, 2], "b": 6}`,
		"a = [1, 2]\na[0], a[1] = a[1], a[0]\nreturn a":                                                "[2, 1]",
		"a = [0, 0]\n(a[0], x), a[-1] = (1, 2), 3\nreturn a, x":                                        "([1, 3], 2)",
		"a = [0]\n[a[0]] = [5]\nreturn a":                                                              "[5]",
		"n = [0]\ndef i():\n  n[0] += 1\n  return 0\nd = [7]\nd[i()] += 1\nreturn n, d":                "([1], [8])",
		"l = [[1]]\nl[0][0] = 2\nreturn l":                                                             "[[2]]",
		"for i, (a, b) in enumerate([(1, 2)]): x = i + a + b\nreturn x":                                "3",
		"x = 0\nwhile x < 5:\n  x += 1\n  if x == 3: break\nreturn x":                                  "3",
		"return [y for x in [[1, 2], [3]] for y in x if y != 2]":                                       "[1, 3]",
		"return {x: y for x in range(2) for y in range(3)}":                                            "{0: 2, 1: 2}",
		"def f(a, b = [1][0], *c, d = 2, **e): return a, b, c, d, e\nreturn f(1, *[2, 3], **{'z': 4})": `(1, 2, (3,), 2, {"z": 4})`,
		"s = 'a-b'\nf = s.split\nreturn f('-'), s.split('-')":                                          `(["a", "b"], ["a", "b"])`,
		"s = struct(find = lambda x: x, items = 5)\nreturn s.find(1), s.items":                         "(1, 5)",
		"m = re\nreturn m.split(',', 'a,b')":                                                           `["a", "b"]`,
		"d = {'a': list(range(10000))}\nfor i in range(20000): x = d.get('a')\nreturn len(x)":          "10000",
		"s = 'word ' * 20000\nfor i in range(5000): x = s.strip()\nreturn len(x)":                      "99999",
		"for i in range(3000): x = one_line('  some text   of a completion ' * 20)\nreturn len(x)":     "519",
		"s, n = '', 0\nfor i in range(2000): s += 'a line of a prompt\\n'\nreturn len(s)":              "38000",
		"return -1, +2, ~1, not 1, -len('ab')":                                                         "(-1, 2, -2, False, -2)",
		"return [1, 2][True and 1], (1 if 0 else 2)":                                                   "(2, 2)",
		"return 'a' < 'b', [1] < [2], 1 == 1.0, () == ()":                                              "(True, True, True, True)",
		"d = {}\nfor i in range(3000): d[(i, 'x')] = i\nreturn len(d), d[(7, 'x')]":                    "(3000, 7)",
		"d = {}\nfor i in range(100000): d[i] = i\nreturn len(d)":                                      "100000",
		"d = {}\nfor i in range(20000): d['k%d' % i] = i\nwhile d: d.popitem()\nreturn d":              "{}",
		"s = set([(i, i) for i in range(5000)])\nreturn len(s | s), (3, 3) in s":                       "(5000, True)",
		"d = [[0] * 200 for _ in range(200)]\nfor i in range(1, 200):\n  for j in range(1, 200):\n    d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (0 if i == j else 1))\nreturn d[199][199]": "0",
	} {
		v, err := answer("def answer():\n    " + strings.ReplaceAll(body, "\n", "\n    "))
		switch {
		case want == "" && err == nil:
			t.Errorf("%q: no error", body)
		case want != "" && (err != nil || v.String() != want):
			t.Errorf("%q: %v, %v, want %s", body, v, err, want)
		}
	}
}

// TestProgram reads what a program says of itself.
func TestProgram(t *testing.T) {
	p, err := Load("method.star", Options{
		Source: files{"method.star": "\"\"\"Head.\n\nMore.\"\"\"\nparams = defaults(n = 1)\ndef answer(q):\n    \"\"\"Doc.\"\"\"\n    return sorted([q, params.n], key = lambda x: -x)\n"}.source,
		Host:   starlark.StringDict{"defaults": helpers["struct"], "sum": starlark.MakeInt(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Doc(); got != "Head.\n\nMore." {
		t.Errorf("doc %q", got)
	}
	if got := strings.Join(p.Globals(), " "); got != "answer params" {
		t.Errorf("globals %q", got)
	}
	if p.Global("nothing") != nil || p.Function("params") != nil {
		t.Error("a name that is not there")
	}
	if got := p.Function("answer").Doc(); got != "Doc." {
		t.Errorf("doc of answer %q", got)
	}
}

// TestConcurrent calls one program from many goroutines, each with a local value of its own.
func TestConcurrent(t *testing.T) {
	host := starlark.StringDict{"me": starlark.NewBuiltin("me", func(t *thread, _ *builtin, _ tuple, _ []tuple) (value, error) {
		return starlark.MakeInt(t.Local(HostKey).(int)), nil
	})}
	p, err := Load("method.star", Options{Host: host, Source: files{"method.star": "table = {(i, i): i for i in range(1000)}\ndef answer(x): return [table[(i, i)] + me() for i in range(x)][-1]"}.source})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			v, err := p.Call(context.Background(), p.Function("answer"), i, nil, tuple{starlark.MakeInt(300)}, nil)
			if err != nil || v.String() != starlark.MakeInt(299+i).String() {
				t.Errorf("%d: %v, %v", i, v, err)
			}
		})
	}
	wait.Wait()
}

// TestBound is what a host asks before it walks a value.
func TestBound(t *testing.T) {
	wide := starlark.Value(starlark.None)
	for range 60 {
		wide = tuple{wide, wide}
	}
	cyclic := starlark.NewList(nil)
	_ = cyclic.Append(cyclic)
	for what, c := range map[string]struct {
		v  value
		ok bool
	}{
		"none":   {starlark.None, true},
		"list":   {starlark.NewList([]value{starlark.String("a")}), true},
		"wide":   {wide, false},
		"cyclic": {cyclic, false},
		"long":   {starlark.String(strings.Repeat("x", maxText+1)), false},
	} {
		if _, err := Bound(c.v); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}
