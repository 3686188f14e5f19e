package terminal

import (
	"strings"
	"testing"
)

func TestHang(t *testing.T) {
	check := func(first, rest, s, want string) {
		t.Helper()
		if got := strings.Join(Hang(first, rest, s, 20), "\n"); got != want {
			t.Errorf("%q behind %q\ngives %q\nwant  %q", s, first, got, want)
		}
	}
	check("", "", "", "")
	check("- ", "  ", "", "-")
	check("- ", "  ", "fits", "- fits")
	check("- ", "  ", "one two three four five", "- one two three four\n  five")
	check("", "  ", "    one two three four", "    one two three\n  four")
	check("", "  ", "ends with many words       ", "ends with many words")
	check("", "  ", "it is a  'two  blanks'", "it is a  'two\n  blanks'")
	check("- ", "  ", "averyveryverylongwordindeed", "- averyveryverylongwordindeed")
	check("", "  ", "x averyveryverylongwordindeed y", "x\n  averyveryverylongwordindeed\n  y")
	check(string(Green.Paint("won"))+"  ", "     ", "one two three four five", "\x1b[32mwon\x1b[0m  one two three\n     four five")
	check("a head that is too wide ", "  ", "one two", "a head that is too wide one\n  two")
	check("", "", "äöü äöü äöü äöü äöü äöü", "äöü äöü äöü äöü äöü\näöü")
	check("", "", "問題 問題 問題 問題 問題", "問題 問題 問題 問題\n問題") // a character takes two columns
}

// A line of a completion may be megabytes long: the time is that of its length, not of its square.
func TestHangIsLinear(t *testing.T) {
	n := testing.AllocsPerRun(1, func() { Hang("", "", strings.Repeat("word ", 1e5), 80) })
	if most := 1e5 / 16 * 3.0; n > most {
		t.Errorf("%.0f allocations, want at most %.0f", n, most)
	}
}
