package versus

import "testing"

func TestLine(t *testing.T) {
	check := func(op rune, text, want, class string) {
		t.Helper()
		l := Line{op, text}
		if l.String() != want || l.Class() != class {
			t.Errorf("%q %q: %q %q, want %q %q", op, text, l, l.Class(), want, class)
		}
	}
	check('+', "SELECT", "+ SELECT", "add")
	check('-', "SELECT", "- SELECT", "drop")
	check(' ', "SELECT", "  SELECT", "")
	check('@', "@@ -1 +1 @@", "@@ -1 +1 @@", "at")
}
