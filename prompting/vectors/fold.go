package vectors

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which texts are compared: lower case, without accents, compatibility forms (ligatures, full
// width) decomposed, each run of white space one space, none at either end. Bytes that are not UTF-8 become U+FFFD.
func Fold(s string) string {
	if t, ok := foldASCII(s); ok {
		return t
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteString(lower(r))
	}
	return b.String()
}

// lower returns a letter in lower case. The few Latin letters that do not decompose into a base letter and a mark
// become the letters with which they are commonly written.
func lower(r rune) string {
	switch r = unicode.ToLower(r); r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'đ', 'ð':
		return "d"
	case 'ł':
		return "l"
	case 'ı':
		return "i"
	case 'þ':
		return "th"
	}
	return string(r)
}

// foldASCII is Fold for ASCII text, with ok false for other text. It allocates nothing if nothing changes.
func foldASCII(s string) (string, bool) {
	same := s == "" || s[0] != ' ' && s[len(s)-1] != ' '
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 {
			return "", false
		}
		if 'A' <= c && c <= 'Z' || blank(c) && c != ' ' || c == ' ' && i > 0 && s[i-1] == ' ' {
			same = false
		}
	}
	if same {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			out = append(out, c+'a'-'A')
		case !blank(c):
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	if n := len(out); n > 0 && out[n-1] == ' ' {
		out = out[:n-1]
	}
	return string(out), true
}

func blank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
