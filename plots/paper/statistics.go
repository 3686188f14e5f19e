package paper

import (
	"slices"

	"assay/experiments/record"
	"assay/plots/table"
)

// Counting says what a run has to count beside its answers so that its report needs no dataset.
type Counting struct {
	Parts      bool // what prompts are made of, for package makeup
	Statistics bool // of the dataset, for record.WriteStatistics
}

// CountingOf returns what the named tables of a report show that is counted when the run is made.
func CountingOf(names []string) (c Counting) {
	for _, d := range described() {
		if !slices.Contains(names, d.Name) {
			continue
		}
		c.Statistics = c.Statistics || d.Frame == statisticsFrame
		for _, g := range d.Groups {
			c.Parts = c.Parts || slices.ContainsFunc(g.Columns, func(f field) bool { return f.Measure == "parts" })
		}
	}
	return c
}

// statisticsFrame makes tables of what datasets consist of.
const statisticsFrame = "statistics"

// statistics returns those in the run's folder and, of a joined run, in the folders of the others.
func (v *view) statistics() (all []record.Statistic, err error) {
	if v.run.Dir == "" {
		return nil, nil
	}
	for _, dir := range append([]string{v.run.Dir}, v.siblings()...) {
		more, err := record.ReadStatistics(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func whyNoStatistics(v *view, _ *description) string {
	switch all, err := v.statistics(); {
	case err != nil:
		return err.Error()
	case all == nil:
		return "its dataset was not counted, as runs are whose experiment names this table: assay stats EXPERIMENT counts it"
	}
	return ""
}

// statisticsTable has one row per dataset and way of counting, and the published row below where it is of the same items.
func (s *sheet) statisticsTable(t *table.Table) {
	all, _ := s.v.statistics() // whyNoStatistics has read them
	var fields []field
	for _, x := range all {
		s.held = s.held || s.printed.Find("dataset", x.Dataset) != nil && s.v.elsewhere(x.Dataset) == ""
	}
	for _, h := range s.heads() {
		t.Columns = append(t.Columns, table.Column{Name: h.Name, Key: true})
	}
	for _, g := range s.Groups {
		for _, f := range g.Columns {
			fields = append(fields, f)
			t.Columns = append(t.Columns, table.Column{Group: g.Name, Name: f.Name, Align: table.Right, Extra: f.Extra})
		}
	}
	var sets, ways []string
	for _, x := range all {
		if x.Table == s.Part {
			sets, ways = unique(append(sets, x.Dataset)), unique(append(ways, x.Counted))
		}
	}
	row := func(set, way, source string, of func(field) table.Cell) {
		texts := map[string]string{"dataset": set, "counted": way, "source": source}
		var cells []table.Cell
		for _, h := range s.heads() {
			cells = append(cells, table.Text(texts[h.Of]))
		}
		for _, f := range fields {
			cells = append(cells, of(f))
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, set := range sets {
		for _, way := range ways {
			row(set, way, mine, func(f field) table.Cell { return s.statistic(all, set, way, f) })
		}
		if r := s.printed.Find("dataset", set); r != nil && s.v.elsewhere(set) == "" {
			row(set, s.Printed, theirs, func(f field) table.Cell { return numberIn(r, f.Column, s.places(f)) })
		}
	}
}

// statistic returns one number; blank where it was not counted.
func (s *sheet) statistic(all []record.Statistic, set, way string, f field) table.Cell {
	i := slices.IndexFunc(all, func(x record.Statistic) bool {
		return x.Table == s.Part && x.Dataset == set && x.Counted == way && x.Name == f.Of[0]
	})
	if i < 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: all[i].Value, Decimals: s.places(f)})
}
