package table

import (
	"regexp"
	"strings"
	"unicode"
)

// Names, labels and notes come from files and models: each print makes them harmless in its own form.

// Harmless makes a text safe to print: one line without control characters. A line break or tab becomes a space; escape
// codes, zero bytes and marks that turn the writing direction become U+FFFD, as do bytes that are no UTF-8.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// formula is a text that a spreadsheet would compute when it opens the file. A plain "+Label" is left alone.
var formula = regexp.MustCompile(`^(?:[=@]|[+-].*(?:[|!"=]|\w\())`)

// spreadsheet keeps a text a text: an apostrophe in front is the spreadsheets' own sign for that.
func spreadsheet(s string) string {
	s = Harmless(s)
	if formula.MatchString(s) {
		return "'" + s
	}
	return s
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, `|`, `\|`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `~`, `\~`, `$`, `\$`, `#`, `\#`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`)

func markdown(s string) string { return markdownEscapes.Replace(Harmless(s)) }

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `\textquotedbl{}`, `±`, `$\pm$`, `≤`, `$\le$`, `≥`, `$\ge$`, `×`, `$\times$`, "\uFFFD", `?`)

func latex(s string) string { return latexEscapes.Replace(Harmless(s)) }

// Slug turns a name into one for files, labels and CSV headers: lower-case letters and digits, the rest joined by sep.
func Slug(s, sep string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "%", " pct ")), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, sep)
}
