// Package terminal writes text that nobody vouches for to a terminal, so that the terminal shows it and obeys nothing in it.
//
// Questions, completions, names in databases, servers' messages and file names go through a [Writer], which wraps the stream
// of the process itself: what a terminal would obey, or would not show, comes out as a visible escape; joiners stay where they
// are the spelling of a word or an emoji. Sequences of our own (colours, a progress bar) are values of type [Sequence], which no text can become. The escapes are those of JSON wherever
// a JSON text may hold the character, so that JSON stays JSON with the same values on its way through. The package must
// never hold back more than one unfinished character or joiner, and never ask where the stream ends: a pipe may lead to a pager, a
// log or a paste.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden are the characters besides controls that are not seen where they stand: they change the direction of a text
// (UAX 9), join or vary their neighbours, end a line, or have no form at all (Default_Ignorable_Code_Point in Unicode's
// DerivedCoreProperties.txt, and the annotation characters).
var hidden = []*unicode.RangeTable{unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Zl, unicode.Zp,
	unicode.Other_Default_Ignorable_Code_Point}

// Hidden reports whether a terminal obeys a character or does not show it by itself. Line feed and tab are shown as white space; the
// Arabic number signs are seen although they are of category Cf.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xa0:
		return false
	}
	return unicode.In(r, hidden...) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Visible returns a text as a Writer would write it, whole: hidden characters and bytes that are not UTF-8 as escapes, and
// a carriage return too unless a line feed follows.
func Visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || Hidden(r) }) {
		return s
	}
	var f filter
	return string(f.end(f.add(nil, []byte(s))))
}

// blanks makes one line of several. It is made once: Line is called for every cell and every line of a prompt.
var blanks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ", "\u2028", " ", "\u2029", " ")

// Line returns a text as one line of a terminal: as Visible, with each line end and tab as a blank.
func Line(s string) string { return Visible(blanks.Replace(s)) }
