package baseline

import (
	"strings"
	"testing"
)

// TestTokenize holds what a question's words are, also of marks that open nothing: every text ends.
func TestTokenize(t *testing.T) {
	check := func(question, want string) {
		t.Helper()
		var got []string
		for _, w := range tokenize(question) {
			got = append(got, w.text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %q, want %q", question, s, want)
		}
	}
	check("directors' names", "directors|'|names")
	check("directors’ names", "directors|’|names")
	check("the film’s name", "the|film|name")
	check("’s", "")
	check("”", "”")
	check("“open", "“|open")
	check("“open” ‘shut’", "open|shut")
	check("at -5.5 or 10,000.", "at|-|5.5|or|10000|.")
	check("", "")
}
