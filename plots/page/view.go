package page

import (
	"bytes"
	"fmt"
	"html/template"
	"path/filepath"
	"strconv"
	"strings"

	"assay/experiments/record"
	"assay/plots/style"
	"assay/plots/table"

	"github.com/BurntSushi/toml"
)

// The values of the template.
type (
	view struct {
		Title      string
		Links      []style.Link
		Style      template.CSS
		Facts      [][2]string // what identifies the run, by name
		Notes      []string    // of the run as a whole
		Warnings   []string
		Config     string // the experiment as resolved, TOML
		Sections   []section
		Script     template.JS // empty where there are no items to show
		ScriptHash string
		Texts      string // which prompts and completions are on the page
		Blocks     []template.HTML
		Theme      template.JS
		ThemeHash  string // names the theme's script in the policy
		StyleHash  string // names the style sheet; figures have styles in attributes
	}
	section struct {
		Name, Title string
		SVG         template.HTML
		Groups      []heading // nil where the table has none
		Heads       []heading
		Rows        [][]cell
		Notes       []string
	}
	heading struct {
		Text  string
		Span  int
		Align string
	}
	cell struct {
		Text, Align, Class string
		Key                bool // it names its row
	}
)

var aligns = [...]string{table.Left: "left", table.Right: "right", table.Center: "center"}

func newView(p Page) (*view, error) {
	v := &view{Title: p.Title, Links: p.Links, Notes: p.Notes, Style: template.CSS(file("page.css"))}
	for _, s := range p.Sections {
		sv := section{Name: s.Name}
		if s.Figure != nil {
			svg, err := inline(s.Figure)
			if err != nil {
				return nil, err
			}
			sv.Title, _ = s.Figure.Words()
			sv.SVG = svg
		}
		if s.Table != nil {
			sv.fill(s.Table)
		}
		v.Sections = append(v.Sections, sv)
	}
	v.Style = template.CSS(style.CSS()) + v.Style
	v.StyleHash, v.Theme, v.ThemeHash = style.Hash(string(v.Style)), template.JS(style.Theme()), style.Hash(style.Theme())
	if p.Run == nil {
		return v, nil
	}
	if m := p.Run.Manifest; v.Title == "" {
		v.Title = m.Experiment + "-" + m.ID
	}
	var b bytes.Buffer
	named := p.Run.Resolved.Known.Placeless(p.Run.Config, func(_, path string) string { return filepath.Base(path) }) // the page may be shared: no paths of this machine
	if err := toml.NewEncoder(&b).Encode(named); err != nil {
		return nil, fmt.Errorf("the experiment as resolved: %w", err)
	}
	v.Config, v.Facts, v.Warnings = b.String(), facts(p.Run.Manifest), p.Run.Manifest.Warnings
	return v, nil
}

// facts returns what identifies the run, by name.
func facts(m record.Manifest) [][2]string {
	state := "complete"
	if !m.Complete {
		state = "under way, or stopped before the end"
	}
	out := [][2]string{{"run", m.ID}, {"experiment", m.Experiment}, {"state", state}, {"dataset", m.Dataset},
		{"dataset hash", m.DatasetHash}, {"items", strconv.Itoa(m.Items)}, {"prompt hash", m.PromptHash},
		{"exemplars hash", m.ExemplarsHash}, {"assay", m.Assay}, {"revision", m.Revision}, {"SQLite", m.SQLite}}
	for _, x := range m.Metrics {
		out = append(out, [2]string{"metric " + x.ID, x.Fingerprint})
	}
	for _, p := range m.Programs {
		words := strings.Join(p.Named(), ", ")
		if p.Version != "" {
			words = strings.TrimSuffix("version "+p.Version+": "+words, ": ")
		}
		out = append(out, [2]string{"program of " + p.Arm, words})
	}
	for _, a := range m.Answered {
		if words := a.Words(); words != "" {
			out = append(out, [2]string{"answers of " + a.Author, words})
		}
		if settings := a.Defaults(); settings != "" {
			out = append(out, [2]string{"where a request to " + a.Author + " states none", settings})
		}
	}
	for _, x := range m.Similarity {
		out = append(out, [2]string{"similarity, " + x.Use, x.By})
	}
	return out
}

func (v *view) blocks(blocks []block) {
	for _, b := range blocks {
		v.Blocks = append(v.Blocks, b.html())
	}
}

// longText is the length from which a text in a table has several lines, so that the columns behind it stay in sight; in bytes.
const longText = 18

func (s *section) fill(t *table.Table) {
	s.Title, s.Notes = t.Title, t.Notes
	grouped := false
	for _, c := range t.Columns {
		s.Heads = append(s.Heads, heading{c.Heading(), 1, aligns[c.Align]})
		grouped = grouped || c.Group != ""
	}
	for _, run := range table.Runs(t.Columns) {
		if grouped {
			s.Groups = append(s.Groups, heading{t.Columns[run[0]].Group, run[1] - run[0], "center"})
		}
	}
	for _, r := range t.Rows {
		cells := make([]cell, len(r))
		for i, c := range r {
			class := [...]string{table.Plain: "", table.Best: "best", table.Second: "second"}[c.Mark]
			if c.Published {
				class = "published"
			}
			text, left := t.Columns[i].Print(c), t.Columns[i].Align == table.Left
			if left && len(text) > longText {
				class = strings.TrimSpace(class + " long")
			}
			cells[i] = cell{text, aligns[t.Columns[i].Align], class, i == 0 && left}
		}
		s.Rows = append(s.Rows, cells)
	}
}
