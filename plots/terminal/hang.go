package terminal

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Hang breaks one line of text into lines of at most width columns, between words: the first behind first, the others behind
// rest. A word that is too long by itself stays whole, so that it can be copied, and blanks within a line stay as they are.
// It returns one line at least, none with blanks at its end. The text is laid out as it is given: see [Line].
func Hang(first, rest, s string, width int) (lines []string) {
	for head := first; ; head = rest {
		at := breakAt(s, width-text.StringWidthWithoutEscSequences(head))
		lines = append(lines, strings.TrimRight(head+s[:at], " "))
		if at == len(s) {
			return lines
		}
		s = strings.TrimLeft(s[at:], " ")
	}
}

// breakAt is where the blanks begin before the first word that does not fit into the room, but for the first word of all; the
// length of a text that fits.
func breakAt(s string, room int) int {
	n, last, blank, begun := 0, -1, -1, false
	for i, r := range s {
		n += text.RuneWidth(r)
		if r == ' ' {
			if begun && blank < 0 {
				blank = i
			}
			continue
		}
		if begun = true; blank >= 0 {
			last, blank = blank, -1
		}
		if n > room && last >= 0 {
			return last
		}
	}
	return len(s)
}
