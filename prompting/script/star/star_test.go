package star

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

// files are a folder in memory.
type files map[string]string

func (f files) source(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, errors.New("there is no such file")
	}
	return []byte(text), nil
}

// load loads a method of one file.
func load(text string) (*Program, error) {
	return Load("method.star", Options{Name: "methods/mine", Source: files{"method.star": text}.source})
}

// answer loads a method and calls its answer().
func answer(text string) (starlark.Value, error) {
	p, err := load(text)
	if err != nil {
		return nil, err
	}
	fn := p.Function("answer")
	if fn == nil {
		return nil, errors.New("no answer")
	}
	return p.Call(context.Background(), fn, nil, nil, nil, nil)
}

// expression evaluates what stands in a method.
func expression(text string) (starlark.Value, error) {
	return answer("def answer():\n    return " + strings.ReplaceAll(text, "\n", "\n    "))
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		`1 + 2 * 3`: `7`,
		`-(3 - 5)`:  `2`,
		`7 // 2, 7 % 2, 7 / 2, 1 << 4, 6 & 3, 6 | 1`: `(3, 1, 3.5, 16, 2, 7)`,
		`"a" + "b" * 2`:                                              `"abb"`,
		`"%s is %d" % ("x", 3)`:                                      `"x is 3"`,
		`"%(a)s" % {"a": 1}`:                                         `"1"`,
		`"{} {1}".format("a")`:                                       ``,
		`"{} {}".format("a", 2)`:                                     `"a 2"`,
		`"{x}".format(x = [1])`:                                      `"[1]"`,
		`", ".join(["a", "b"])`:                                      `"a, b"`,
		`"aXbX".replace("X", "--", 1)`:                               `"a--bX"`,
		`"a b  c".split(), "a b c".rsplit(" ", 1)`:                   `(["a", "b", "c"], ["a b", "c"])`,
		`"abc"[0], "abc"[-1], "abcd"[1:3], "abcd"[::-1]`:             `("a", "c", "bc", "dcba")`,
		`[1, 2, 3][1:], (1, 2)[0], {"a": 1}["a"]`:                    `([2, 3], 1, 1)`,
		`{1: 2}[1]`:                                                  `2`,
		`{k: v for k, v in [("a", 1), ("b", 2)]}`:                    `{"a": 1, "b": 2}`,
		`[x * x for x in range(4) if x % 2]`:                         `[1, 9]`,
		`sorted([3, 1, 2], reverse = True)`:                          `[3, 2, 1]`,
		`sorted(["bb", "a", "cc"], key = len)`:                       `["a", "bb", "cc"]`,
		`sorted(["bb", "a", "cc"], key = len, reverse = True)`:       `["bb", "cc", "a"]`,
		`min(3, 1, 2), max([1, 3]), max(["a", "bb"], key = len)`:     `(1, 3, "bb")`,
		`1 in [1], "a" in "cat", "a" not in {"a": 1}, 3 in range(5)`: `(True, True, False, True)`,
		`(lambda x, y = 2: x + y)(1)`:                                `3`,
		`(1, 2) < (1, 3), [1] == [1], "a" != "b"`:                    `(True, True, True)`,
		`list(zip([1, 2], ["a", "b"])), enumerate(["a"])`:            `([(1, "a"), (2, "b")], [(0, "a")])`,
		`{"b": 1, "a": 2}.items()`:                                   `[("b", 1), ("a", 2)]`,
		`str([1, "a"]), repr("a"), int("12"), float("1.5")`:          `("[1, \"a\"]", "\"a\"", 12, 1.5)`,
		`getattr("a,b", "split")(",")`:                               `["a", "b"]`,
		`["A b".lower, "x".upper][0]()`:                              `"a b"`,
		`struct(a = 1).a, struct(find = 2).find`:                     `(1, 2)`,
		`"é"[0:1] == "é"[:1], len("é")`:                              `(True, 2)`,
		`list("ab".elems()), set([1, 1]), dict(a = 1)`:               `(["a", "b"], set([1]), {"a": 1})`,
		`(lambda *, a: a)(a = 1)`:                                    `1`,
	} {
		v, err := expression(text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: no error", text)
		case want != "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && v.String() != want:
			t.Errorf("%s: %s, want %s", text, v, want)
		}
	}
}

// TestCompiled: what was compiled before serves other values of the host, and no other text.
func TestCompiled(t *testing.T) {
	var kept Compiled
	check := func(text string, host int, want string) {
		t.Helper()
		p, err := Load("method.star", Options{Source: files{"method.star": text, "b.star": "def twice(x): return 2 * x"}.source,
			Host: starlark.StringDict{"host": starlark.MakeInt(host)}, Compiled: &kept})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Global("x").String(); got != want || p.Doc() != "d" {
			t.Errorf("with %d: %s, want %s", host, got, want)
		}
	}
	const text = "\"d\"\nload(\"b.star\", \"twice\")\nx = twice(host)"
	check(text, 1, "2")
	check(text, 7, "14")
	check(text+" + 1", 7, "15")
	check(text, 1, "2")
}
