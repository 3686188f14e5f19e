package terminal

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The characters that belong to the spelling of words and emoji, and are seen by what they make of their neighbours. Anywhere
// else they are hidden.
const (
	nonJoiner     = 0x200c // ZERO WIDTH NON-JOINER
	joiner        = 0x200d // ZERO WIDTH JOINER
	textStyle     = 0xfe0e // VARIATION SELECTOR-15: the symbol before it in black and white
	emojiStyle    = 0xfe0f // VARIATION SELECTOR-16: the symbol before it in colour
	keycap        = 0x20e3 // COMBINING ENCLOSING KEYCAP
	firstSkinTone = 0x1f3fb
	lastSkinTone  = 0x1f3ff
)

// cursive are the scripts in which a joiner or a non-joiner between two letters is spelling.
var cursive = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Mandaic,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer}

// joins reports whether it depends on its neighbours that a character is seen.
func joins(r rune) bool {
	return r == nonJoiner || r == joiner || r == textStyle || r == emojiStyle
}

// settled reports whether what is before a character that joins is enough for it to be seen: a symbol before its style, and
// a virama, after which a joiner chooses the form of the consonant, at the end of a word too (RFC 5892, appendices A.1, A.2).
func settled(last, r rune) bool {
	const virama = 9 // its canonical combining class
	if r == textStyle || r == emojiStyle {
		return symbol(last)
	}
	return unicode.Is(unicode.M, last) && norm.NFC.PropertiesString(string(last)).CCC() == virama
}

// between reports whether a character that joins is seen between its neighbours: between two letters of a cursive script,
// within an emoji of several, and within a keycap (Unicode Technical Standard 51).
func between(last, r, next rune) bool {
	switch {
	case Hidden(next):
		return false
	case r == textStyle || r == emojiStyle:
		return next == keycap && (last == '#' || last == '*' || '0' <= last && last <= '9')
	case r == joiner && symbol(next) && (symbol(last) || last == emojiStyle || firstSkinTone <= last && last <= lastSkinTone):
		return true
	}
	for _, script := range cursive {
		if unicode.Is(script, last) {
			return unicode.Is(script, next) && unicode.In(last, unicode.L, unicode.M) && unicode.In(next, unicode.L, unicode.M)
		}
	}
	return false
}

// symbol reports whether a character is one that emoji are made of.
func symbol(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.So, unicode.Sm)
}
