package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		a, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		if got := a.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if b, err := Parse(want); err != nil || !cmp.Equal(a, b) {
			t.Errorf("%s: read again as %+v, %v; first %+v", text, b, err, a)
		}
	}
	check(`Done()`, `Done()`)
	check("  Done ( ) \n", `Done()`)
	check(`ExecuteSQL("SELECT 'a' FROM b")`, `ExecuteSQL("SELECT 'a' FROM b")`)
	check(`ExecuteSQL('SELECT 1')`, `ExecuteSQL('SELECT 1')`)
	check(`ExecuteSQL(sql="SELECT 1",)`, `ExecuteSQL('SELECT 1')`)
	check("ExecuteSQL(\"\"\"SELECT \"x\"\nFROM 'y'\"\"\")", `ExecuteSQL('SELECT "x"\nFROM \'y\'')`)
	check("ExecuteSQL('''SELECT 'x' ''')", `ExecuteSQL("SELECT 'x' ")`)
	check("ExecuteSQL(\"SELECT 1\n\tFROM t\")", `ExecuteSQL('SELECT 1\n\tFROM t')`)
	check(`ExecuteSQL("SELECT " "1")`, `ExecuteSQL('SELECT 1')`)
	check(`ExecuteSQL(r'\d' u"\x41")`, `ExecuteSQL('\\dA')`)
	check(`X('\x41é\u00e9\U0001F600\101\'\"\\\a\q\
!')`, `X('Aéé😀A\'"\\\x07\\q!')`)
	check(`X('\ud800', '\U00110000', '\400')`, `X('�', '�', 'Ā')`)
	check("X('\xff\x00\u202e')", `X('�\x00\u202e')`)
	check(`X(1, -2.50, +3, 007, 1e3, 99999999999999999999, .5, None, null, TRUE, False)`, `X(1, -2.5, 3, 7, 1000, 99999999999999999999, 0.5, None, None, True, False)`)
	check(`X([], ['a', "b", 3,], ["c"])`, `X([], ['a', 'b', '3'], ['c'])`)
	// Actions that ask for the same are one, for votes.
	check(`SearchValue(value='x', column=None, table="t")`, `SearchValue('x', 't')`)
	check(`SearchValue(column='c', value='x')`, `SearchValue('x', column='c')`)
	check(`SearchValue('x', None, "c")`, `SearchValue('x', column='c')`)
	check(`SearchColumn(["x"])`, `SearchColumn('x')`)
	check(`FindShortestPath(end=['a.b'], start="c")`, `FindShortestPath('c', 'a.b')`)
	// What does not fit stays as it is, for the tool to tell.
	check(`SearchValue(None)`, `SearchValue(None)`)
	check(`SearchValue('x', tables='t')`, `SearchValue('x', tables='t')`)
	check(`ExecuteSQL(['SELECT 1'])`, `ExecuteSQL(['SELECT 1'])`)
}

func TestParseRefuses(t *testing.T) {
	check := func(text string, offset int, msg string) {
		t.Helper()
		a, err := Parse(text)
		e, ok := err.(*syntaxError)
		if !ok {
			t.Errorf("%s: read as %v", text, a)
			return
		}
		if e.Offset != offset || !strings.Contains(e.Msg, msg) {
			t.Errorf("%s: got %q at %d, want %q at %d", text, e.Msg, e.Offset, msg, offset)
		}
	}
	check(``, 0, "begins with the name of a tool")
	check(`I am done`, 2, "an opening parenthesis must follow I")
	check(`Done`, 4, "an opening parenthesis must follow Done")
	check(`Done(`, 5, "not complete")
	check(`Done() Done()`, 7, "something follows")
	check(`é`, 0, "begins with the name")
	check(`X("é", y)`, 7, "y is not in quotes")
	check(`X('a'b')`, 5, "expected a comma or the closing parenthesis; a quote inside a text needs a backslash")
	check(`X('a`, 2, "no closing quote")
	check(`X("""a"")`, 2, "no closing quote")
	check(`X('a\`, 2, "no closing quote")
	check(`X('\x4')`, 3, `\x needs 2`)
	check(`X('\N{DASH}')`, 3, "by name")
	check(`X(f'a')`, 2, "f is not in quotes")
	check(`X(b'a')`, 2, "b is not in quotes")
	check(`X([['a']])`, 3, "an argument is")
	check(`X(['a', None])`, 12, "not None")
	check(`X(['a' for a in b])`, 7, "closing bracket")
	check(`X({'a': 1})`, 2, "an argument is")
	check(`X('a', 'b'`, 10, "not complete")
	check(`X('a' + 'b')`, 6, "expected a comma")
	check(`X(__import__('os'))`, 2, "__import__ is not in quotes")
	check(`X(`+strings.Repeat(`1,`, 17)+`)`, 35, "more than 16")
	check(`X([`+strings.Repeat(`1,`, 65)+`])`, 132, "more than 64")
	check(strings.Repeat(" ", 100_001)+`Done()`, 0, "longer than")
}

func TestCut(t *testing.T) {
	a, rest, err := Cut("Done()\nObservation: none")
	if err != nil || a.Name != Done || rest != "\nObservation: none" {
		t.Errorf("%v, %q, %v", a, rest, err)
	}
}

func TestFromCall(t *testing.T) {
	check := func(name, args, want string) {
		t.Helper()
		a, err := FromCall(llm.ToolCall{Name: name, Arguments: args})
		got := a.String()
		if err != nil {
			got = cause(err)
		}
		if got != want {
			t.Errorf("%s %s: got %s, want %s", name, args, got, want)
		}
	}
	check("Done", "", `Done()`)
	check("SearchValue", `{"table": null, "column": "c", "value": 5.50}`, `SearchValue(5.5, column='c')`)
	check("FindShortestPath", `{"end": ["a.b"], "start": ["c", 1]}`, `FindShortestPath(['c', '1'], 'a.b')`)
	check("X", `{"b": true, "a": false}`, `X(a=False, b=True)`)
	check("ExecuteSQL", `{"sql": {"x": 1}}`, "the argument sql is no text, number, or list of texts (character 1)")
	check("ExecuteSQL", `["sql"]`, "the arguments are no JSON object (character 1)")
	check("ExecuteSQL", `{"sql": "SELECT`, "the arguments are no JSON object (character 1)")
	check("Execute SQL", `{}`, "the call has no name of a tool (character 1)")
	native := Native([]string{SearchValue, Done, "Other"})
	if err := llm.CheckTools(native); err != nil || len(native) != 2 {
		t.Errorf("%v, %v", native, err)
	}
}

// FuzzParse: no text makes Parse panic; what it reads it prints as UTF-8 without control characters, and reads again the
// same.
func FuzzParse(f *testing.F) {
	for _, h := range hostile {
		f.Add(h)
	}
	f.Add(`SearchValue(value='x', table=None, column="c")`)
	f.Add(`FindShortestPath(["a.b", 'c'], r"""d""")`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			if Misread(err).Text == "" {
				t.Error("an empty observation")
			}
			return
		}
		printed := a.String()
		if !utf8.ValidString(printed) || strings.ContainsAny(printed, "\n\r\x00") {
			t.Errorf("%q prints as %q", text, printed)
		}
		b, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%q, read again: -first +second\n%s", text, d)
		}
	})
}
