// Package page writes one self-contained HTML page of a run. The sections and the run's settings become plain HTML; the run's
// items and answers become blocks of data, which the page's own script shows.
//
// A block is JSON, compressed and in base64; the browser unpacks it (DecompressionStream) when it is first needed. The block
// index has what the list of items needs. The items of a database are divided into groups, and each group has one block of
// rows (candidates, results, votes, calls) and blocks of texts (prompts, completions), the most useful first. Text blocks are
// added as long as the page stays within its budget; rows are never left out.
//
// The page must never fetch anything, and no data may ever be HTML: a model writes some of it. The script inserts data as
// text, and the page's policy allows no script but this and the one that sets the theme, by their hashes.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/style"
	"assay/plots/table"
	"assay/plots/terminal"
)

//go:embed page.tmpl page.css data.js filter.js parts.js item.js list.js begin.js
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.tmpl"))

// Budget is the default limit of a page's size, in bytes.
const Budget = 19_000_000

// Page is the content of the page, in order. Without a title it has the run's name.
type Page struct {
	Title    string
	Links    []style.Link // to the pages around it, above all else; none where it stands alone
	Notes    []string     // of the run as a whole, above all sections
	Sections []Section
	Run      *record.Run // its settings, identities, warnings and items; nil shows the sections alone

	// Texts returns the run's prompts and completions. Where it is nil the page shows none, and gives NoTexts as the reason, a
	// clause such as "the store has no ledger".
	Texts   Texts
	NoTexts string

	// Budget bounds the page's size in bytes. Prompts and completions beyond it are left out, those of candidates that were not
	// chosen first, and the page says so. 0 is the constant Budget. The run's rows are never left out.
	Budget int
}

// Texts returns the completion of a key of calls.csv, and its prompt if prompt is true; ok is false where there is none. It is
// called from several goroutines.
type Texts func(key string, prompt bool) (x Exchange, ok bool, err error)

// Exchange is one call of a model: what was sent and what came back.
type Exchange struct {
	Messages   []Message
	Completion string
	Reasoning  string // what the model wrote before the completion; empty where there is none
	Finish     string // why the completion ended
}

// Message is one turn of a prompt.
type Message struct{ Role, Text string }

// Section is one table or one figure.
type Section struct {
	Name   string // its name in links, such as "tai2023-table1"
	Table  *table.Table
	Figure figure.Drawing
}

// Write writes the page with its styles, script and figures. Equal pages give equal bytes. It fails when a figure cannot be
// drawn, when Texts fails, or when w does.
func Write(w io.Writer, p Page) error {
	b, err := render(p)
	if err != nil {
		return fmt.Errorf("page: write %q: %w", p.Title, err)
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("page: write %q: %w", p.Title, err)
	}
	return nil
}

func render(p Page) ([]byte, error) {
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	if p.Run == nil {
		return v.html()
	}
	data, err := newData(p.Run)
	if err != nil {
		return nil, err
	}
	v.Script = script()
	v.ScriptHash = style.Hash(string(v.Script))
	v.blocks(data.fixed)
	plain, err := v.html()
	if err != nil {
		return nil, err
	}
	budget := p.Budget
	if budget == 0 {
		budget = Budget
	}
	const reserve = 4096 // what the page says of the texts, and the list of blocks
	got, err := data.texts(p.Texts, budget-len(plain)-reserve)
	if err != nil {
		return nil, err
	}
	v.blocks(got.blocks)
	v.Texts = got.says(p, budget)
	present, err := pack("present", got.present)
	if err != nil {
		return nil, err
	}
	v.blocks([]block{present})
	return v.html()
}

// script returns the page's whole script, one function in strict mode.
func script() template.JS {
	var b strings.Builder
	b.WriteString("\n'use strict';\n(() => {\n")
	for _, name := range []string{"data.js", "filter.js", "parts.js", "item.js", "list.js", "begin.js"} {
		b.WriteString(file(name))
	}
	b.WriteString("})();\n")
	return template.JS(b.String())
}

// file returns an embedded file's text.
func file(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in the binary
	}
	return string(b)
}

// inline returns the figure's SVG without the prolog, which only a file of its own may have. Package figure escapes its texts, so
// that the result is safe as HTML.
func inline(f figure.Drawing) (template.HTML, error) {
	var b strings.Builder
	if err := figure.SVG(&b, f, figure.Look{}); err != nil {
		return "", err
	}
	s := b.String()
	return template.HTML(s[strings.Index(s, "<svg"):]), nil
}

// html returns the page. What of it is not seen, or turns the text after it round, is escaped; the script does the same with
// the data.
func (v *view) html() ([]byte, error) {
	var b strings.Builder
	if err := page.Execute(&b, v); err != nil {
		return nil, err
	}
	return []byte(terminal.Visible(b.String())), nil
}
