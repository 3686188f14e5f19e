package paper

import (
	"cmp"
	"slices"

	"assay/experiments/published"
	"assay/plots/table"
)

// paperForm is a published table in the paper's form: its rows in their order, its heads, its decimals. It needs no number of a run.
type paperForm struct {
	Keys   []headed `toml:"keys"`
	Base   string   `toml:"base"` // the row that printed gains are over
	Groups []group  `toml:"group"`
}

// publishedSuffix ends the name of the table of a description's published numbers alone.
const publishedSuffix = "-published"

// PublishedOf returns the name of the table that holds the published numbers of a named table alone, in the paper's form; ""
// where there is none. They stand there, and not beside a run's, where the two cannot be compared.
func PublishedOf(name string) string {
	i := slices.IndexFunc(described(), func(d *description) bool { return d.Name == name && d.Own.Keys != nil })
	if i < 0 {
		return ""
	}
	return described()[i].publishedName()
}

func (d *description) publishedName() string { return cmp.Or(d.Stands, d.Name) + publishedSuffix }

// publishedMaker returns the maker of the description's published numbers.
func (d *description) publishedMaker() maker {
	return maker{name: d.publishedName(), title: d.Title + ", as published", source: d.paper.Cite + ", " + d.Where, why: always, common: never,
		make: func(v *view) (Output, error) { return Output{Table: (&sheet{description: d, v: v}).asPublished()}, nil }}
}

// asPublished fills the table of published numbers.
func (s *sheet) asPublished() *table.Table {
	t := &table.Table{ID: s.publishedName(), Title: s.Title + ", as published",
		Source: "Printed by " + s.paper.Cite + ", " + s.Where + ": no number here was measured by assay."}
	for _, k := range s.Own.Keys {
		t.Columns = append(t.Columns, table.Column{Name: k.Name, Key: k.Key})
	}
	var fields []field
	for _, g := range s.Own.Groups {
		for _, f := range g.Columns {
			fields = append(fields, f)
			t.Columns = append(t.Columns, table.Column{Group: g.Name, Name: f.Name, Align: table.Right, Parens: f.Parens})
		}
	}
	for i, r := range s.printed.Rows {
		cells := s.ownCells(r, fields)
		if !slices.ContainsFunc(cells, func(c table.Cell) bool { return c.String() != "" }) {
			continue
		}
		var keys []table.Cell
		for _, k := range s.Own.Keys {
			keys = append(keys, table.Text(r[k.Column]))
		}
		t.Rows = append(t.Rows, append(keys, cells...))
		if s.Gain != "" && r["method"] == s.Gain {
			keys = append(slices.Clone(keys[:len(keys)-1]), table.Text("Gain"))
			t.Rows = append(t.Rows, append(keys, gainsOf(s.ownCells(s.printed.Rows[i-1], fields), cells)...))
		}
	}
	t.Notes = s.fill(s.Caveats)
	return t
}

// ownCells returns the numbers of a published row, or its texts where they are none.
func (s *sheet) ownCells(r published.Row, fields []field) []table.Cell {
	out := make([]table.Cell, len(fields))
	for i, f := range fields {
		places := s.printedPlaces(f)
		switch out[i] = numberIn(r, f.Column, places); {
		case f.Measure == "printed gain" && r["method"] == s.Own.Base:
			out[i] = table.Cell{}
		case f.Measure == "printed gain":
			out[i] = apart(out[i], numberIn(s.printed.Find("method", s.Own.Base), f.Column, places))
		case out[i].Num == nil:
			out[i] = table.Cell{Text: r[f.Column], Published: true}
		}
	}
	return out
}

// gainsOf returns what one published row has over another.
func gainsOf(with, without []table.Cell) []table.Cell {
	out := make([]table.Cell, len(with))
	for i := range with {
		if out[i] = apart(with[i], without[i]); out[i].Num != nil {
			out[i].Num.Signed = false // as the paper prints it
		}
	}
	return out
}

// apart is the difference of two published numbers, which is published too.
func apart(a, b table.Cell) table.Cell {
	d := difference(a, b)
	d.Published = d.Num != nil
	return d
}

// beside decides whether published numbers stand beside this run's: where a description says what they are of, they and the
// run's must be of the same items and metric.
func (s *sheet) beside() bool {
	switch {
	case s.Frame == "list" && s.Compare != "columns", s.Frame == statisticsFrame:
		return s.held
	case s.Frame == "error parts" || s.Frame == "error types":
		return false
	}
	return s.unlike == ""
}

// elsewhereNote says where the published numbers are that are not beside this run's, and why.
func (s *sheet) elsewhereNote(why string) string {
	if s.Own.Keys == nil && s.Stands == "" {
		return ""
	}
	out := "Published numbers: not here, but in " + s.publishedName() + "."
	if why != "" {
		out += " " + cannot(why)
	}
	return out
}
