package paper

import (
	"slices"

	"assay/experiments/record"
	"assay/metrics"
	"assay/plots/table"
)

// lines is a table with any number of rows per arm and sweep point, under the columns that say which and the given ones; rows
// gives the cells of one arm and sweep point below the given columns.
func (v *view) lines(id, title string, columns []table.Column, rows func(i int, r row) [][]table.Cell) *table.Table {
	t := &table.Table{ID: id, Title: title + ": " + v.run.Manifest.Experiment, Columns: append(v.keyColumns(), columns...)}
	for i, r := range v.rows {
		for _, cells := range rows(i, r) {
			t.Rows = append(t.Rows, append(r.keys(), cells...))
		}
	}
	return t
}

// plain returns the sheet of a table without published numbers.
func (v *view) plain(name, heading string) *sheet {
	return &sheet{description: &description{Name: name, Heading: heading, Places: 1}, v: v}
}

// own fills the table of such a sheet; each cell measures the row's answers that its group of columns keeps.
func (s *sheet) own(keys []table.Column, rows, tops []side, notes ...string) Output {
	t := &table.Table{ID: s.Name, Title: s.Heading + ": " + s.v.run.Manifest.Experiment, Columns: keys}
	s.cross(t, rows, tops, kept)
	t.Notes = s.v.notes(notes...)
	return Output{Table: t}
}

// perArm is own with one row per arm and sweep point.
func (s *sheet) perArm(tops []side, notes ...string) Output {
	var rows []side
	for _, x := range s.v.samples() {
		rows = append(rows, side{keys: x.keys(), of: x})
	}
	return s.own(s.v.keyColumns(), rows, tops, notes...)
}

// kept picks the row's answers that a group of columns keeps.
func kept(row, top side) (sample, bool) { return row.of.where(top.keep), true }

// metricFields returns one column per metric of the run, each with the given measure.
func (v *view) metricFields(measure string) (out []field) {
	for _, m := range v.distinct() {
		out = append(out, field{Name: v.display(v.ids[m]), Measure: measure, Metric: v.ids[m], unit: "%"})
	}
	return out
}

// keyColumns returns the columns that identify a row: the arm and one per sweep axis.
func (v *view) keyColumns() []table.Column {
	out := []table.Column{{Name: "arm", Key: true}}
	for _, a := range v.run.Manifest.Axes {
		out = append(out, table.Column{Name: a, Short: shortAxes[a], Key: true})
	}
	return out
}

// shortAxes are the names of axes where there is little room.
var shortAxes = map[string]string{"temperature": "temp."}

func (r row) keys() []table.Cell { return keys(r.label, r.Point) }

// keysOf returns the key cells of an arm at a sweep point.
func (v *view) keysOf(arm string, point []string) []table.Cell { return keys(v.labelOf(arm), point) }

func keys(label string, point []string) []table.Cell {
	cells := []table.Cell{table.Text(label)}
	for _, p := range point {
		cells = append(cells, table.Text(p))
	}
	return cells
}

// withStatus counts the answers that have the status.
func withStatus(items []*record.Item, s metrics.Status) (n int) {
	for _, it := range items {
		if it.Status == s {
			n++
		}
	}
	return n
}

// arms shows every metric with its interval, the answers, the scored answers, and the statuses that occur.
func arms(v *view) (Output, error) {
	columns := v.metricFields("accuracy")
	for i := range columns {
		columns[i].Best = true
	}
	columns = append(columns, field{Name: "answers", Measure: "answers"}, field{Name: "scored", Measure: "scored by status"})
	for _, s := range metrics.Statuses {
		if slices.ContainsFunc(v.rows, func(r row) bool { return withStatus(r.items, s) > 0 }) {
			columns = append(columns, field{Name: string(s), Measure: "status", Of: []string{string(s)}})
		}
	}
	columns = append(columns, v.truncatedColumn(func(r row) bool { return r.endings.truncated > 0 })...)
	out := v.plain("arms", "What each arm scored").perArm([]side{{fields: columns}}, v.spread(), v.intervalNote(),
		"An answer is one item under one seed; statuses are those under "+v.ids[0]+".")
	unscored := slices.ContainsFunc(v.rows, func(r row) bool { return scoredStatuses(r.items) < len(r.items) })
	for i, c := range out.Table.Columns {
		// The table statuses has them.
		out.Table.Columns[i].Extra = slices.Contains(metrics.Statuses, metrics.Status(c.Name)) || !unscored && (c.Name == "answers" || c.Name == "scored")
	}
	return out, nil
}

// statuses has one column per status, whether it occurs or not.
func statuses(v *view) (Output, error) {
	tops := []side{{name: "scored"}, {name: "not scored"}, {fields: append([]field{{Name: "scored", Measure: "scored by status"}, {Name: "answers", Measure: "answers"}},
		v.truncatedColumn(func(r row) bool { return r.endings.known })...)}}
	for _, s := range metrics.Statuses {
		top := &tops[0]
		if !s.Scored() {
			top = &tops[1]
		}
		top.fields = append(top.fields, field{Name: string(s), Measure: "status", Of: []string{string(s)}})
	}
	out := v.plain("statuses", "What became of the answers").perArm(tops,
		"An answer is one item under one seed. Shares elsewhere are over the scored ones; statuses are those under "+v.ids[0]+".")
	for i := range out.Table.Columns {
		out.Table.Columns[i].Extra = !slices.ContainsFunc(out.Table.Rows, func(r []table.Cell) bool { return r[i].Num == nil || r[i].Num.Value != 0 })
	}
	return out, nil
}

func whyNoLevels(v *view) string {
	if len(v.levels) == 0 {
		return "its items have no hardness or difficulty"
	}
	return ""
}

// hardness has one group of columns per metric: each level, and all items.
func hardness(v *view) (Output, error) {
	var tops []side
	for _, m := range v.distinct() {
		add := func(name string, k keep) {
			tops = append(tops, side{name: v.display(v.ids[m]), keep: k, fields: []field{{Name: name, Measure: "mean", Metric: v.ids[m], Best: true}}})
		}
		for _, l := range v.levels {
			add(l, v.atLevel(l))
		}
		add("all", nil)
	}
	return v.headlineFirst(v.plain("hardness", "Accuracy by "+v.leveling).perArm(tops, v.spread(), v.levelNote())), nil
}

// headlineFirst marks the groups of all metrics but the first as those that a narrow print leaves out.
func (v *view) headlineFirst(o Output) Output {
	for i, c := range o.Table.Columns {
		o.Table.Columns[i].Extra = c.Group != "" && c.Group != v.display(v.ids[v.distinct()[0]])
	}
	return o
}

func whyNoSweep(v *view) string {
	if len(v.run.Manifest.Axes) == 0 {
		return "the experiment has no sweep"
	}
	return ""
}

// sweep has one row per sweep point, and one group of columns per metric with a column per arm.
func sweep(v *view) (Output, error) {
	var rows, tops []side
	for _, r := range v.rows {
		at := func(it *record.Item) bool { return slices.Equal(it.Point, r.Point) }
		if !slices.ContainsFunc(rows, func(o side) bool { return o.keep(r.items[0]) }) {
			rows = append(rows, side{keys: r.keys()[1:], keep: at, of: v.together(nil).where(at)})
		}
	}
	for _, m := range v.distinct() {
		var labels []string
		for _, r := range v.rows {
			if slices.Contains(labels, r.label) {
				continue
			}
			labels = append(labels, r.label)
			tops = append(tops, side{name: v.display(v.ids[m]), keep: func(it *record.Item) bool { return it.Arm == r.Arm },
				fields: []field{{Name: r.label, Measure: "mean", Metric: v.ids[m], Best: true}}})
		}
	}
	return v.headlineFirst(v.plain("sweep", "Accuracy at each point of the sweep").own(v.keyColumns()[1:], rows, tops, v.spread())), nil
}
