package table

import (
	"strings"

	"assay/plots/terminal"
)

// Names, labels and notes come from files and models, so each format escapes them in its own way.

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, `|`, `\|`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `~`, `\~`, `$`, `\$`, `#`, `\#`,
	`{`, `\{`, `}`, `\}`, `<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`, `://`, `\://`, `www.`, `www\.`)

// Markdown returns a text as one line of Markdown that shows it and does nothing else: no markup, no HTML, no template of a
// site generator, and no link, not even the one that GitHub makes of a bare address.
func Markdown(s string) string { return markdownEscapes.Replace(terminal.Line(s)) }

// Slug turns a name into one for files, labels and CSV headers: lower-case letters and digits, with sep between runs of
// them.
func Slug(s, sep string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "%", " pct ")), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, sep)
}
