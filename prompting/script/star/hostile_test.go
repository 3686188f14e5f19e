package star

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// hostile are bodies of answer() that would take the process's memory or time; the error says which limit held.
var hostile = map[string]string{
	"while True: pass":                                                    "too much work",
	"for i in range(10**12): pass":                                        "",
	"return [0] * (1 << 28)":                                              "too many items",
	"return [0] * 1000000 * 1000000":                                      "too many items",
	"return 5 * [[0] * 1000000]":                                          "",
	"s = 'x'\nwhile True: s += s":                                         "too long",
	"s = 'x'\nwhile True: s = s + s":                                      "too long",
	"return 'x' * 10000000000":                                            "too large",
	"return 'x' * (1 << 30)":                                              "too long",
	"return (1 << 30) * 'x'":                                              "too long",
	"return list(range(1000000000000))":                                   "too many items",
	"return tuple(range(1000000000000))":                                  "too many items",
	"return sorted(range(1000000000))":                                    "too many items",
	"return sum(range(1000000000000))":                                    "too many items",
	"return max(range(1000000000000))":                                    "too many items",
	"return all(range(1, 1000000000000))":                                 "too many items",
	"return set(range(1000000000000))":                                    "too many items",
	"return enumerate(range(1000000000000))":                              "too many items",
	"return zip(range(1000000000000))":                                    "too many items",
	"return zip(*[range(1000000)] * 200)":                                 "too much memory",
	"return reversed(range(1000000000000))":                               "too many items",
	"return dict(range(1000000000000))":                                   "too many items",
	"return min(*range(1000000000000))":                                   "too many items",
	"return bytes(range(1000000000000))":                                  "too many items",
	"l = []\nl.extend(range(1000000000000))":                              "too many items",
	"l = []\nl += range(1000000000000)":                                   "too many items",
	"s = set()\ns.update(range(1000000000000))":                           "too many items",
	"return ','.join(['x' * 10000000] * 1000)":                            "too long",
	"return ('x' * 10000000).replace('', 'yyyyyyyy')":                     "too long",
	"return ('x' * 10000000).replace('x', 'y' * 1000)":                    "too long",
	"return '{0}{0}{0}'.format('x' * 10000000)":                           "too long",
	"return '%s%s' % ('x' * 10000000, 'x' * 10000000)":                    "too long",
	"return '%(a)s%(a)s' % {'a': 'x' * 10000000}":                         "too long",
	"l = []\nfor i in range(60): l = [l, l]\nreturn str(l)":               "too many items",
	"l = []\nfor i in range(60): l = [l, l]\nreturn '%s' % [l]":           "too many items",
	"l = []\nfor i in range(60): l = [l, l]\nreturn '{}'.format(l)":       "too many items",
	"l = []\nfor i in range(60): l = [l, l]\nreturn json.encode(l)":       "too many items",
	"l = []\nfor i in range(60): l = [l, l]\nfail(l)":                     "too many items",
	"l = []\nfor i in range(60): l = struct(a = l, b = l)\nreturn str(l)": "too many items",
	"l = []\nfor i in range(9): l = [l] * 100\nm = []\nfor i in range(9): m = [m] * 100\nreturn l == m":       "too many items",
	"l = []\nfor i in range(9): l = [l] * 100\nm = []\nfor i in range(9): m = [m] * 100\nreturn l in [m]":     "too many items",
	"l = []\nfor i in range(9): l = [l] * 100\nm = []\nfor i in range(9): m = [m] * 100\nreturn max(l, m)":    "too many items",
	"l = []\nfor i in range(9): l = [l] * 100\nm = []\nfor i in range(9): m = [m] * 100\nreturn [l].index(m)": "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn {t: 1}":                                                   "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nd = {}\nd[t] = 1":                                                "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nd = {}\nreturn d[t]":                                             "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn {}.get(t)":                                                "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn t in {}":                                                  "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn set([t])":                                                 "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn set([1]) | set([t])":                                      "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn dict([(t, 1)])":                                           "too many items",
	"t = ()\nfor i in range(60): t = (t, t)\nreturn {k: 1 for k in [t]}":                                      "too many items",
	"l = []\nfor i in range(1000000): l = [l]\nreturn str(l)":                                                 "too deep",
	"l = []\nl.append(l)\nreturn str(struct(a = [struct(b = l)]))":                                            "too deep",
	"l = []\nl.append(struct(l = l))\nreturn str(l)":                                                          "too deep",
	"return 1 << 1000000000":                                                                      "too large",
	"x = 3\nwhile True: x *= x":                                                                   "too large",
	"x = 3\nwhile True: x = x * x":                                                                "too large",
	"x = 1\nwhile True: x += x":                                                                   "too large",
	"x = 1\nwhile True: x <<= 100":                                                                "too large",
	"return int('9' * 10000000)":                                                                  "too large",
	"return int('0x' + 'f' * 10000000, 16)":                                                       "too large",
	"return float('9' * 10000000)":                                                                "too large",
	"l = []\nwhile True: l.append('x' * 10000000)":                                                "too much memory",
	"l = []\nwhile True: l.append([0] * 1000000)":                                                 "too much memory",
	"l = []\nwhile True: l = [l]":                                                                 "too much",
	"l = ()\nwhile True: l = (l,)":                                                                "too much",
	"l = {}\nwhile True: l = {'a': l}":                                                            "too much",
	"l = 0\nwhile True:\n  def f(x = l): return x\n  l = f":                                       "too much",
	"l = 0\nwhile True: l = lambda x = l: x":                                                      "too much",
	"def f(**k): return k\nl = 0\nwhile True: l = f(a = l)":                                       "too much",
	"def f(*a): return a\nl = 0\nwhile True: l = f(l)":                                            "too much",
	"l = 'a'\nk = []\nwhile True: k = [k, l.upper]":                                               "too much",
	"l = []\nwhile True: l.append(0)":                                                             "too many items",
	"l = []\nwhile True: l.insert(0, 0)":                                                          "too much work",
	"l = [0] * 1000000\nwhile True: l[1:]":                                                        "too much memory",
	"l = 'x' * 16000000\nwhile True: l[::-1]":                                                     "too much memory",
	"l = 'x' * 16000000\nwhile True: l.count('xy')":                                               "too much work",
	"l = 'x' * 16000000\nwhile True: l.strip('y')":                                                "too much",
	"l = 'x' * 16000000\nwhile True: l == l + ''":                                                 "too much",
	"l = ('é' * 8000000).strip('é' * 8000000)":                                                    "too much work",
	"l = [0] * 1000000\nwhile True: 1 in l":                                                       "too much work",
	"l = [0] * 1000000\nwhile True: l.index(0)":                                                   "too much work",
	"l = ' ' * 16000000\nreturn l.split(' ')":                                                     "too many items",
	"return ' '.rsplit(None, 1 << 40)":                                                            "",
	"return ('a ' * 8000000).split()":                                                             "too many items",
	"return ('\\n' * 16000000).splitlines()":                                                      "too many items",
	"return list(('x' * 16000000).elems())":                                                       "too many items",
	"return list(('x' * 16000000).codepoints())":                                                  "too many items",
	"d = {}\nfor i in range(1000000): d[i << 32] = 0":                                             "too much work",
	"d = {}\nfor i in range(1000000): d[i << 14] = 0":                                             "too much work",
	"d = {}\nfor i in range(1000000): d[(i << 32, 0)] = 0":                                        "too much work",
	"d = set()\nfor i in range(1000000): d.add(i << 32)":                                          "too much work",
	"return {i << 32: 0 for i in range(300000)}":                                                  "too much work",
	"return dict([(i << 32, 0) for i in range(200000)])":                                          "too much work",
	"return set([i << 32 for i in range(300000)])":                                                "too much work",
	"return {}.update([(i << 32, 0) for i in range(200000)])":                                     "too much work",
	"return json.decode('[' * 16000000)":                                                          "too deep",
	"return json.decode('[' + '{},' * 4000000 + '{}]')":                                           "too much memory",
	"return json.decode('[' + '[],' * 4000000 + '[]]')":                                           "too much memory",
	"return json.encode('\\\\0' * 16000000)":                                                      "too long",
	"return repr('\\\\0' * 8000000)":                                                              "too long",
	"return re.find('(?:a?){1000}(?:a?){1000}(?:a?){1000}(?:a){1000}', 'a' * 1000000)":            "",
	"return re.find('((((a{1,100}){1,100}){1,100}){1,100}){1,100}', 'a')":                         "",
	"return re.find('(?:x?){900}y', 'x' * 1000000)":                                               "too much work",
	"return re.find('x', 'x' * 10000000)":                                                         "1048576 are the most",
	"return re.find('x' * 1000000, 'x')":                                                          "10000 are the most",
	"for i in range(100000): re.find('(?:a?){900}' + str(i), 'x')":                                "too much work",
	"return one_line('a ' * 8000000)":                                                             "",
	"def f(): return f()\nreturn f()":                                                             "recursively",
	"def f(g): return g(g)\nreturn f(f)":                                                          "recursively",
	"return (lambda f: f(f))(lambda f: f(f))":                                                     "recursively",
	"return range(-9223372036854775807, 9223372036854775807)[5]":                                  "",
	"return [x for x in range(-9223372036854775807, 9223372036854775807)]":                        "",
	"[].extend(*[[1]] * 100000)":                                                                  "",
	"x = [0] * 1000\nfor i in range(3): x = [y for y in x for z in x]":                            "too",
	"a = {}\nwhile True: a = a | {str(len(a)): a}":                                                "too much",
	"def f(**k): return 1\nd = {str(i): i for i in range(100000)}\nreturn f(**d)":                 "too many arguments",
	"return sorted([[i] for i in range(1000)], key = lambda x: [x] * 1000)":                       "too many items",
	"def f(x): return [f for f in range(x)]\nreturn sorted(range(1000), key = lambda i: f(1000))": "too many items",
	"x = 'a' * 1000000\nreturn sorted([x + str(i) for i in range(16)] * 1000)":                    "too long",
	"fail('x' * 16000000)":                                                                        "fail: xxx",
	"return {}['x' * 16000000]":                                                                   "not in dict",
	"return int(1e308)":                                                                           "",
	"return [abs(-i) for i in [1 << 500]]":                                                        "",
	"l = []\nwhile True: l = [l, dir('')]":                                                        "too much",
	"l = []\nwhile True: l = [l, getattr('', 'join')]":                                            "too much",
	"l = 0\nwhile True: l = struct(a = l)":                                                        "too much",
	"s = struct(**{'a%d' % i: i for i in range(1000)})\nl = []\nwhile True: l = [l, s + s]":       "too much",
	"l, s = [], '%d' + 'x' * 10000000\nwhile True: l.append(s % 5)":                               "too much",
	"l = []\nwhile True: l.append(json.decode('{}'))":                                             "too much",
	"l = []\nwhile True: l.append(re.all('a', 'aaaaaaaaaaaa'))":                                   "too much",
	"l = []\nwhile True: l.append(one_line('a' * 1000))":                                          "too much",
	"l = []\nwhile True: l.append({}.items)":                                                      "too much",
	"while True: one_line('a ' * 1000000)":                                                        "too much",
	"x, y = [1], 2\nwhile True: x[0], y = [x[0]] * 2":                                             "",
}

// TestHostile runs each attempt: it must end with an error that says why, or with a small answer, and within little memory.
func TestHostile(t *testing.T) {
	for body, want := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := answer("def answer():\n    " + strings.ReplaceAll(body, "\n", "\n    "))
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 1000 {
			t.Errorf("%q allocated %d MB in all", body, mb)
		}
		if want == "" {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", body, err, want)
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.File == "" {
			t.Errorf("%q: the error has no place: %v", body, err)
		}
		if len(err.Error()) > 5000 {
			t.Errorf("%q: an error of %d bytes", body, len(err.Error()))
		}
	}
}
