package paper

import (
	"slices"

	"assay/metrics"
	"assay/plots/table"
)

// column is a column with what fills it.
type column struct {
	table.Column
	cell func(row) table.Cell
	best bool // higher is better: the best is marked
}

// numbers is a column of numbers.
func numbers(group, name string, cell func(row) table.Cell) column {
	return column{Column: table.Column{Group: group, Name: name, Align: table.Right}, cell: cell}
}

// accuracy is a column of numbers of which the highest is best.
func accuracy(group, name string, cell func(row) table.Cell) column {
	c := numbers(group, name, cell)
	c.best = true
	return c
}

// keyColumns say which arm and sweep point a row is of.
func (v *view) keyColumns() []table.Column {
	out := []table.Column{{Name: "arm", Key: true}}
	for _, a := range v.run.Manifest.Axes {
		out = append(out, table.Column{Name: a, Key: true})
	}
	return out
}

func (r row) keys() []table.Cell { return keys(r.label, r.Point) }

// keysOf is keys of an arm at a sweep point.
func (v *view) keysOf(arm string, point []string) []table.Cell { return keys(v.labelOf(arm), point) }

func keys(label string, point []string) []table.Cell {
	cells := []table.Cell{table.Text(label)}
	for _, p := range point {
		cells = append(cells, table.Text(p))
	}
	return cells
}

// table has a row an arm and sweep point, under the columns that say which and the given ones.
func (v *view) table(id, title string, columns []column) *table.Table {
	t := &table.Table{ID: id, Title: title + ": " + v.run.Manifest.Experiment, Columns: v.keyColumns()}
	var best []int
	for _, c := range columns {
		if c.best {
			best = append(best, len(t.Columns))
		}
		t.Columns = append(t.Columns, c.Column)
	}
	for _, r := range v.rows {
		cells := r.keys()
		for _, c := range columns {
			cells = append(cells, c.cell(r))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.MarkBest(best...)
	return t
}

// everyStatus is the order in which statuses are shown.
var everyStatus = []metrics.Status{metrics.Correct, metrics.Wrong, metrics.NoSQL, metrics.SQLError, metrics.SQLTimeout,
	metrics.Rejected, metrics.ModelError, metrics.GoldError}

// count is how many of the row's answers have the status.
func count(s metrics.Status) func(row) table.Cell {
	return func(r row) table.Cell {
		n := 0
		for _, it := range r.items {
			if it.Status == s {
				n++
			}
		}
		return table.Count(n)
	}
}

func scored(r row) table.Cell {
	n := 0
	for _, it := range r.items {
		if it.Status.Scored() {
			n++
		}
	}
	return table.Count(n)
}

func answers(r row) table.Cell { return table.Count(len(r.items)) }

// arms has every metric with its interval, answers, scored answers, and the statuses that occur.
func arms(v *view) (Output, error) {
	var columns []column
	for _, m := range v.distinct() {
		c := accuracy("", v.display(v.ids[m]), func(r row) table.Cell { return v.ranged(r, m, nil, 1) })
		c.Unit = "%"
		columns = append(columns, c)
	}
	columns = append(columns, numbers("", "answers", answers), numbers("", "scored", scored))
	for _, s := range everyStatus {
		occurs := func(r row) bool { return count(s)(r).Num.Value > 0 }
		if slices.ContainsFunc(v.rows, occurs) {
			columns = append(columns, numbers("", string(s), count(s)))
		}
	}
	columns = append(columns, v.cutColumn(func(r row) bool { return r.endings.cut > 0 })...)
	t := v.table("arms", "What each arm scored", columns)
	t.Notes = v.notes(v.spread(), v.intervalNote(),
		"An answer is one item under one seed; statuses are those under "+v.ids[0]+".")
	return Output{Table: t}, nil
}

// statuses has a column a status, whether it occurs or not.
func statuses(v *view) (Output, error) {
	var columns []column
	for _, s := range everyStatus {
		group := "scored"
		if !s.Scored() {
			group = "not scored"
		}
		columns = append(columns, numbers(group, string(s), count(s)))
	}
	columns = append(columns, numbers("", "scored", scored), numbers("", "answers", answers))
	columns = append(columns, v.cutColumn(func(r row) bool { return r.endings.known })...)
	t := v.table("statuses", "What became of the answers", columns)
	t.Notes = v.notes("An answer is one item under one seed. Shares elsewhere are over the scored ones; statuses are those under " + v.ids[0] + ".")
	return Output{Table: t}, nil
}

func whyNoLevels(v *view) string {
	if len(v.levels) == 0 {
		return "its items have no hardness or difficulty"
	}
	return ""
}

// hardness has a group of columns a metric: each level, and all items.
func hardness(v *view) (Output, error) {
	var columns []column
	for _, m := range v.distinct() {
		head := v.display(v.ids[m])
		for _, l := range v.levels {
			columns = append(columns, accuracy(head, l, func(r row) table.Cell { return v.mean(r, m, v.atLevel(l), 1) }))
		}
		columns = append(columns, accuracy(head, "all", func(r row) table.Cell { return v.mean(r, m, nil, 1) }))
	}
	t := v.table("hardness", "Accuracy by "+v.leveling, columns)
	t.Notes = v.notes(v.spread(), v.levelNote())
	return Output{Table: t}, nil
}

func whyNoSweep(v *view) string {
	if len(v.run.Manifest.Axes) == 0 {
		return "the experiment has no sweep"
	}
	return ""
}

// sweep has a row a sweep point, and a group of columns a metric with a column an arm.
func sweep(v *view) (Output, error) {
	t := &table.Table{ID: "sweep", Title: "Accuracy at each point of the sweep: " + v.run.Manifest.Experiment, Columns: v.keyColumns()[1:]}
	var points [][]string
	var labels []string
	for _, r := range v.rows {
		if !slices.ContainsFunc(points, func(p []string) bool { return slices.Equal(p, r.Point) }) {
			points = append(points, r.Point)
		}
		if !slices.Contains(labels, r.label) {
			labels = append(labels, r.label)
		}
	}
	var best []int
	for _, m := range v.distinct() {
		for _, l := range labels {
			best = append(best, len(t.Columns))
			t.Columns = append(t.Columns, table.Column{Group: v.display(v.ids[m]), Name: l, Align: table.Right})
		}
	}
	for _, p := range points {
		var cells []table.Cell
		for _, x := range p {
			cells = append(cells, table.Text(x))
		}
		for _, m := range v.distinct() {
			for _, l := range labels {
				var c table.Cell
				for _, r := range v.rows {
					if r.label == l && slices.Equal(r.Point, p) {
						c = v.mean(r, m, nil, 1)
					}
				}
				cells = append(cells, c)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	t.MarkBest(best...)
	t.Notes = v.notes(v.spread())
	return Output{Table: t}, nil
}
