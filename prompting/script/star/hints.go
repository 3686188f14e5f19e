package star

import (
	"errors"
	"regexp"
	"strings"

	"go.starlark.net/resolve"
)

// A hint is what to write in place of something that Python has and a method has not.
type hint struct {
	message string // a pattern of the error's message; empty: any
	line    string // a pattern of the source line, up to some way behind the error; empty: any
	remedy  string
}

// beforeRunning are the hints for what does not parse or resolve, the first that fits wins.
var beforeRunning = []hint{
	{message: `string literal`, line: `(^|[^\w"'.])[rRbB]?[fF][rRbB]?["']`, remedy: `there are no f-strings: write "%s of %d" % (name, n), or "{} of {}".format(name, n)`},
	{message: `got is\b`, line: `\bis\s+not\b`, remedy: `there is no "is": write x != None`},
	{message: `got is\b`, remedy: `there is no "is": write x == None`},
	{message: `comparison|associat`, remedy: `comparisons are not chained: write a < b and b < c`},
	{line: `^\s*(try|except|finally)\b`, remedy: `there is no try: functions that can fail say so in what they return, as in ask(..., may_fail = True).failure or run(sql).ok`},
	{line: `^\s*raise\b`, remedy: `there is no raise: fail("why") ends the sample`},
	{line: `^\s*class\b`, remedy: `there are no classes: struct(name = ..., n = ...) holds fields, a dict changes`},
	{line: `^\s*(import\s|from\s+[\w.]+\s+import\b)`, remedy: `there is no import: json, re and struct are there already; load("helpers.star", "f") reads a file of the folder`},
	{line: `^\s*(async\s+)?with\b`, remedy: `there is no with: nothing has to be closed here`},
	{line: `^\s*async\b|\bawait\b`, remedy: `there is no async: ask_all([call(...), ...]) asks at once`},
	{line: `^\s*(global|nonlocal)\b`, remedy: `there is no global or nonlocal: what is outside a function cannot be reassigned in it; return the value, or keep it in a dict that is passed along`},
	{message: `got yield`, remedy: `there are no generators: gather the items in a list and return it`},
	{message: `got ':'`, line: `:=`, remedy: `there is no := operator: assign on a line of its own`},
	{line: `^\s*assert\b`, remedy: `there is no assert: if not x: fail("why")`},
	{line: `^\s*del\b`, remedy: `there is no del: d.pop(key) and l.pop(i) take an item out`},
	{line: `\*\*\s*[\w(]`, message: `\*\*|got '\*\*'`, remedy: `there is no ** operator: multiply; 1 << n is a power of two`},
	{line: `^\s*@\w`, remedy: `there are no decorators: call the function on the other`},
	{line: `^\s*match\b.*:\s*$`, remedy: `there is no match: write if and elif`},
	{line: `\bdef\b.*->`, remedy: `there are no annotations: write def f(x):, and say the types in the docstring`},
	{line: `\bdef\b.*\(.*\w\s*:\s*\w`, remedy: `there are no annotations: write def f(x):, and say the types in the docstring`},
	{line: `^\s*\w+\s*:\s*[\w\[\], ]+(=|$)`, message: `got ':'`, remedy: `there are no annotations: write x = 1`},
	{line: `^\s*else\s*:`, message: `got else`, remedy: `a loop has no else: keep in a variable whether it was left early`},
	{line: `["']\s*[rRbB]?["']`, message: `got string literal`, remedy: `texts that stand side by side are not joined: write + between them`},
	{message: `got string literal`, remedy: `texts that stand side by side are not joined: write + between them, also at the end of a line within parentheses`},
	{message: `got for|set comprehension`, line: `\{[^:{}]+\bfor\b`, remedy: `there is no set comprehension: write set([... for ...])`},
	{line: `\{[^:{}]+(,[^:{}]+)*\}`, message: `got ('}'|',')|want ':'`, remedy: `there is no set display: write set([1, 2])`},
	{line: `\(.*\bfor\b.*\bin\b`, message: `got for`, remedy: `there are no generators: write a list, [... for ... in ...]`},
	{message: `can't assign to sliceexpr`, remedy: `a slice cannot be assigned to: write l[:i] + new + l[j:]`},
	{line: `^\s*(?:\w+\s*=\s*)?\*\w+\s*,|,\s*\*\w+\s*=`, remedy: `there is no unpacking with *: take l[0] and l[1:]`},
	{line: `[\[(,]\s*\*\w`, message: `got '\*'`, remedy: `there is no unpacking with * in a list: write a + b`},
	{message: `undefined: (open|input|eval|exec|compile|globals|locals|__import__)\b`, remedy: `a method has no files, terminal or other code than its folder's: file("name") reads a text of the folder`},
	{message: `undefined: (time|datetime|random|os|sys|math|requests|numpy|np|pd|itertools|collections|functools|defaultdict|Counter)\b`, remedy: `there are no modules: a method has no clock, network or randomness but rand(...); loops and dicts do the rest`},
	{message: `undefined: (isinstance|issubclass)\b`, remedy: `write type(x) == "string" (int, float, bool, list, tuple, dict, NoneType)`},
	{message: `undefined: (map|filter|reduce)\b`, remedy: `write a list: [f(x) for x in xs if keep(x)]`},
	{message: `undefined: (next|iter|object|super|callable|id|vars|property|staticmethod|slice|frozenset|complex|bytearray|memoryview)\b`, remedy: `it is not part of the language: lists, dicts, sets, tuples and struct are what there is`},
	{message: `undefined: (pow|divmod)\b`, remedy: `multiply, or write a // b and a % b`},
	{message: `undefined: format\b`, remedy: `write fixed(x, 2), or "%d" % n`},
	{message: `undefined: (Exception|ValueError|KeyError|RuntimeError|TypeError)\b`, remedy: `there are no exceptions: fail("why") ends the sample`},
	{message: `undefined: (true|false|none|null)\b`, remedy: `write True, False, None`},
	{message: `cannot reassign`, remedy: `a name at the top of a file is given once: change it in a function, or give another name`},
	{message: `got '\*\*'`, remedy: `there is no ** operator: multiply; 1 << n is a power of two`},
	{message: `got '='`, remedy: `= only assigns; == compares`},
	{message: `unindent|inconsistent|indentation|tab`, remedy: `indent with spaces, the same number for each level`},
}

// whileRunning are the hints for what fails when it runs.
var whileRunning = []hint{
	{message: `unknown conversion %[.0-9 +#-]`, remedy: `% takes no widths: fixed(x, 2) is Python's "%.2f"; "%%" is a percent sign`},
	{message: `unknown conversion`, remedy: `% takes %s, %r, %d, %x, %o, %c, %e, %f and %g; "%%" is a percent sign`},
	{message: `unknown binary op: string \+ |unknown binary op: \w+ \+ string`, remedy: `make it a text first: str(x), or "%s" % x`},
	{message: `unknown binary op: NoneType|NoneType has no`, remedy: `the value is None, as of a function without return or re.find without a match: test it with if x:`},
	{message: `format spec|format: (bad|unexpected)`, remedy: `format takes no widths: fixed(x, 2), or "%s" % x`},
	{message: `^format: `, remedy: `each {NAME} in the text needs a value, and a brace that is text stands twice; a text with single braces, such as JSON, is filled by s.replace("{NAME}", value)`},
	{message: `string has no \.(ljust|rjust|center|zfill)\b`, remedy: `write s + " " * (n - len(s)), or "0" * (n - len(s)) + s`},
	{message: `string has no \.(encode|decode)\b`, remedy: `texts are UTF-8 as they are: valid(s) mends bytes that are not`},
	{message: `string has no \.(casefold|swapcase)\b`, remedy: `write s.lower()`},
	{message: `string has no \.(isnumeric|isdecimal)\b`, remedy: `write s.isdigit()`},
	{message: `string has no \.(expandtabs|translate|maketrans)\b`, remedy: `write s.replace(old, new)`},
	{message: `list has no \.(sql|text)\b`, remedy: `ask(..., n = 1) gives a list, too: take c[0], or leave n out`},
	{message: `list has no \.sort\b`, remedy: `write l = sorted(l)`},
	{message: `list has no \.reverse\b`, remedy: `write l = l[::-1]`},
	{message: `list has no \.copy\b`, remedy: `write list(l)`},
	{message: `dict has no \.copy\b`, remedy: `write dict(d)`},
	{message: `list has no \.count\b`, remedy: `write len([x for x in l if x == y])`},
	{message: `dict has no \.(has_key|fromkeys|iteritems)\b`, remedy: `write key in d, {k: v for k in keys}, d.items()`},
	{message: `dict has no \.`, remedy: `a dict's items are d["key"]; struct(a = 1) has fields`},
	{message: `sorted: unexpected keyword argument "?cmp`, remedy: `sort by a key: sorted(l, key = lambda x: (x.score, x.name))`},
	{message: `(min|max): unexpected keyword argument "?default`, remedy: `write max(l) if l else 0`},
	{message: `string value is not iterable|want iterable|got string, want iterable`, remedy: `a text is not a list: s.elems() has its bytes, s.codepoints() its characters`},
	{message: `called recursively`, remedy: `there is no recursion: a loop with a list of what is still to do takes its place`},
	{message: `cannot .* frozen|frozen (list|dict|set|hash table)`, remedy: `what is made at the top of a file cannot change when it is called: make a new one in the function`},
	{message: `of (list|dict|set) during iteration|during iteration`, remedy: `loop over a copy: for x in list(l):`},
	{message: `unhashable`, remedy: `a key is a text, a number or a tuple of them: tuple(l)`},
	{message: `referenced before assignment`, remedy: `a name that is assigned in a function is its own there: pass the value in, or give it first`},
	{message: `invalid call of non-function`, remedy: `it is a value, not a function: leave out the ()`},
}

// patterns are the hints' patterns, compiled once.
var patterns = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for _, list := range [][]hint{beforeRunning, whileRunning} {
		for _, h := range list {
			out[h.message], out[h.line] = regexp.MustCompile(h.message), regexp.MustCompile(h.line)
		}
	}
	return out
}()

// hinted adds a hint to an error of parsing or resolving, from its message and the source line.
func hinted(err error, source []byte) error {
	e := static(&Error{Message: err.Error(), cause: err}, err)
	e.Message = plainly(e.Message)
	line := ""
	if lines := strings.Split(string(source), "\n"); e.Line >= 1 && e.Line <= len(lines) {
		line = lines[e.Line-1]
	}
	var names resolve.ErrorList
	if errors.As(err, &names) {
		line = "" // it parsed: the message alone tells what is wrong
	}
	e.Hint = find(beforeRunning, e.Message, line)
	return e
}

// runtimeHint returns the hint for an error's message, "" where there is none.
func runtimeHint(message string) string { return find(whileRunning, message, "") }

// find returns the remedy of the first hint that fits.
func find(hints []hint, message, line string) string {
	for _, h := range hints {
		if patterns[h.message].MatchString(message) && patterns[h.line].MatchString(uncommented(line)) {
			return h.remedy
		}
	}
	return ""
}

// uncommented is a line without the comment at its end, as far as a sign outside of texts begins one.
func uncommented(line string) string {
	quote := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case quote == 0 && c == '#':
			return line[:i]
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return line
}

// plainly is a message of the parser in plain words.
func plainly(message string) string {
	return strings.TrimSuffix(strings.ReplaceAll(message, "got newline", "got the end of the line"), ", want primary expression")
}
