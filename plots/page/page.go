// Package page is one self-contained HTML page of a run.
//
// The tables, figures and settings are plain HTML. The items and their answers are data, which the page's own script
// shows: blocks of JSON, compressed and in base64, each unpacked by the browser (DecompressionStream) when it is first
// looked at. The block index has what the list of items needs. The items of a database come in groups, and each group
// has a block rows (candidates, results, votes, calls) and blocks of texts in the order of their worth, of which those
// stand on the page that fit in its budget.
//
// Nothing of the data is ever HTML: the script puts it on the page as text, and the page's policy names the one script
// that may run by its hash.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
)

//go:embed page.tmpl page.css data.js parts.js item.js list.js
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.tmpl"))

// Budget is how large a page gets by default, in bytes.
const Budget = 19_000_000

// Page is what stands on the page, in order.
type Page struct {
	Title    string
	Sections []Section
	Run      *record.Run // its settings, identities, warnings and items; nil shows the sections alone

	// Texts are the run's prompts and completions. Where it is nil the page shows none, for the reason NoTexts, a clause
	// such as "the store has no ledger".
	Texts   Texts
	NoTexts string

	// Budget bounds the page, in bytes: prompts and completions are left out where it would grow beyond, those of the
	// candidates that were not chosen first, and the page says so. 0 is the constant Budget. The run's rows are never
	// left out.
	Budget int
}

// Texts gives the completion that a key of calls.csv names, and its prompt where that is asked for too; ok is false where
// there is none. It is called from several goroutines.
type Texts func(key string, prompt bool) (x Exchange, ok bool, err error)

// Exchange is one call of a model in words.
type Exchange struct {
	Messages   []Message
	Completion string
	Reasoning  string // what the model wrote before it, and is no part of it; empty where there is none
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

// Write writes the page: styles, script and figures are in it, and nothing is fetched. The same page gives the same bytes.
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
	hash := sha256.Sum256([]byte(v.Script))
	v.ScriptHash = base64.StdEncoding.EncodeToString(hash[:])
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

// script is the page's whole script, one strict function.
func script() template.JS {
	var b strings.Builder
	b.WriteString("\n'use strict';\n(() => {\n")
	for _, name := range []string{"data.js", "parts.js", "item.js", "list.js"} {
		b.WriteString(file(name))
	}
	b.WriteString("})();\n")
	return template.JS(b.String())
}

// file is an embedded file's text.
func file(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in the binary
	}
	return string(b)
}

// inline is the figure's SVG without the prolog that only a file of its own may have. Package figure escapes its texts.
func inline(f figure.Drawing) (template.HTML, error) {
	var b strings.Builder
	if err := f.WriteSVG(&b); err != nil {
		return "", err
	}
	s := b.String()
	return template.HTML(s[strings.Index(s, "<svg"):]), nil
}

func (v *view) html() ([]byte, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
