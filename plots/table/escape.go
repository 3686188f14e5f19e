package table

import (
	"regexp"
	"strings"
	"unicode"
)

// Names, labels and notes come from files and models, so each format escapes them in its own way.

// Harmless makes a text safe to print: one line without control characters. A line break or tab becomes a space. Escape
// codes, zero bytes, marks that change the writing direction and bytes that are not UTF-8 become U+FFFD.
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

// formula matches a text that a spreadsheet would compute when it opens the file. A plain "+Label" does not match.
var formula = regexp.MustCompile(`^(?:[=@]|[+-].*(?:[|!"=]|\w\())`)

// spreadsheet marks such a text as text by an apostrophe in front, the spreadsheets' own sign for it.
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

// Slug turns a name into one for files, labels and CSV headers: lower-case letters and digits, with sep between runs of
// them.
func Slug(s, sep string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "%", " pct ")), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, sep)
}
