// Package style is the look of every HTML page: its colours in light and dark, its type, tables, marks and paper.
//
// [CSS] prints the colours, each a custom property such as --fg, before the rules that use them, and a page adds what it alone
// needs. [Theme] is the script behind a page's button that changes between the system's theme, light and dark; [Hash] names a
// script in a page's policy. The package must never fetch anything: no fonts, no images, no addresses.
//
// The classes: .skip (a link to what the page is about, seen when focused), nav.site (links to the pages around it), .top (a title
// with the theme's button), .wide (a box that scrolls sideways, so that the
// page does not; its first column stays), table.paper (with th.group above columns, and .left, .right, .center, .best, .second,
// .published on cells), .notes, .role (a small name over a text), .warnings, .facts (a dl of pairs in divs), .filters (a form
// of labels), .mark with a status such as .correct or .sql-error, .sql and pre for code, del and ins (or .drop and .add) for
// differences, .lines (a pre with a span for each line of a difference, .at where it begins), figure (a white card, since figures are drawn for paper), .screen (not on paper).
package style

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

//go:embed style.css
var rules string

//go:embed theme.js
var theme string

// Colour is a custom property of CSS with its value in either theme.
type Colour struct{ Name, Light, Dark string }

// Colours returns all colours. Those whose names end in -bg are the ground of the one without.
func Colours() []Colour {
	return []Colour{
		{"fg", "#222222", "#e4e4e0"},
		{"bg", "#ffffff", "#17181a"},
		{"soft", "#555555", "#a9a9a4"}, // notes
		{"line", "#cccccc", "#4a4b4f"},
		{"shade", "#f4f4f2", "#222428"}, // every second row, code
		{"link", "#0b57a4", "#8ab8f0"},
		{"focus", "#0b57a4", "#8ab8f0"},
		{"good", "#0a6b2d", "#86d69b"},
		{"good-bg", "#dff3e4", "#173722"},
		{"bad", "#a3260f", "#f49c88"},
		{"bad-bg", "#fbe3de", "#45201a"},
		{"odd", "#7a4b00", "#e6bf74"},
		{"odd-bg", "#fbefd5", "#3b2f16"},
	}
}

// Link leads from a page to another one: the address is relative, and written by the program.
type Link struct{ Text, Address string }

// CSS returns the style sheet. A page is dark where the system is, unless data-theme of its root element says light or dark.
func CSS() string {
	var light, dark strings.Builder
	for _, c := range Colours() {
		light.WriteString(" --" + c.Name + ": " + c.Light + ";")
		dark.WriteString(" --" + c.Name + ": " + c.Dark + ";")
	}
	return ":root { color-scheme: light;" + light.String() + " }\n" +
		"@media screen and (prefers-color-scheme: dark) { :root:not([data-theme]) { color-scheme: dark;" + dark.String() + " } }\n" +
		"@media screen { :root[data-theme=dark] { color-scheme: dark;" + dark.String() + " } }\n" + rules
}

// Theme returns a script for a page's head. It sets the theme that the reader chose last, and makes each button with the
// attribute data-themes step through system, light and dark.
func Theme() string { return theme }

// Hash returns the source expression by which a Content-Security-Policy allows one inline script or style sheet, without quotes:
// sha256-..., of exactly the text between the element's tags.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
