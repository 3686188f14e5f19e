package paper

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/table"
)

// ownPrefix and a [[table]]'s name make the name of a table.
const ownPrefix = "table/"

// ownMakers make the tables that the experiment itself describes.
func ownMakers(e configs.Experiment) (out []maker) {
	for _, t := range e.Tables {
		out = append(out, maker{name: ownPrefix + t.Name, title: cmp.Or(t.Title, t.Name), source: "the experiment", why: always, common: common,
			make: func(v *view) (Output, error) {
				made, err := v.own(t)
				return Output{Table: made}, err
			}})
	}
	return out
}

// ownRow is one item under one arm, sweep point and seed, with the row of the view that it is of.
type ownRow struct {
	row  row
	item *record.Item
}

// dimension cuts answers into groups.
type dimension struct {
	name string
	of   func(ownRow) string
}

// own fills a table that an experiment describes: a row a combination of the row dimensions that occurs, a group of
// columns a combination of the column dimensions that does.
func (v *view) own(t configs.Table) (*table.Table, error) {
	rows, err := v.dimensions(t.Rows)
	if err != nil {
		return nil, err
	}
	columns, err := v.dimensions(t.Columns)
	if err != nil {
		return nil, err
	}
	answers := v.answers(t.Arms)
	heads, tops := combinations(rows, answers), combinations(columns, answers)
	out := &table.Table{ID: ownPrefix + t.Name, Title: cmp.Or(t.Title, t.Name) + ": " + v.run.Manifest.Experiment}
	for _, d := range rows {
		out.Columns = append(out.Columns, table.Column{Name: d.name, Key: true})
	}
	var best []int
	for _, top := range tops {
		for _, c := range t.Cells {
			if v.run.Resolved.Known.Choices("metrics").Has(c) {
				best = append(best, len(out.Columns))
			}
			out.Columns = append(out.Columns, table.Column{Group: strings.Join(top, ", "), Name: v.display(c), Align: table.Right})
		}
	}
	for _, head := range heads {
		var cells []table.Cell
		for _, h := range head {
			cells = append(cells, table.Text(h))
		}
		for _, top := range tops {
			in := slices.DeleteFunc(slices.Clone(answers), func(a ownRow) bool { return !fits(rows, head, a) || !fits(columns, top, a) })
			for _, c := range t.Cells {
				cells = append(cells, v.ownCell(c, in, t.Interval))
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	out.MarkBest(best...)
	own := []string{v.spread()}
	if t.Interval {
		own = append(own, v.intervalNote())
	}
	out.Notes = v.notes(own...)
	return out, nil
}

// answers are those of the arms named, or all.
func (v *view) answers(arms []string) (out []ownRow) {
	for _, r := range v.rows {
		if len(arms) > 0 && !slices.Contains(arms, r.arm.Name) {
			continue
		}
		for _, it := range r.items {
			out = append(out, ownRow{r, it})
		}
	}
	return out
}

// dimensions finds what the names cut by.
func (v *view) dimensions(names []string) (out []dimension, err error) {
	for _, name := range names {
		d := dimension{name: name}
		at := slices.Index(v.run.Manifest.Axes, name)
		switch {
		case name == "arm":
			d.of = func(a ownRow) string { return a.row.label }
		case name == "seed":
			d.of = func(a ownRow) string { return strconv.FormatInt(a.item.Seed, 10) }
		case at >= 0:
			d.of = func(a ownRow) string { return a.row.point[at] }
		default:
			axis, err := axes.Find(name)
			if err != nil {
				return nil, err
			}
			of, _ := v.groups(axis)
			d.of = func(a ownRow) string { return of[a.item.Item] }
		}
		out = append(out, d)
	}
	return out, nil
}

// combinations are those of the dimensions' values that occur: each dimension's values in the order in which axes have
// them, or in which they come, the first dimension slowest.
func combinations(dims []dimension, answers []ownRow) [][]string {
	out := [][]string{nil}
	for i, d := range dims {
		var values []string
		for _, a := range answers {
			if x := d.of(a); !slices.Contains(values, x) {
				values = append(values, x)
			}
		}
		if axis, err := axes.Find(d.name); err == nil {
			values = axis.Sorted(values)
		}
		var longer [][]string
		for _, head := range out {
			for _, x := range values {
				next := append(slices.Clone(head), x)
				if slices.ContainsFunc(answers, func(a ownRow) bool { return fits(dims[:i+1], next, a) }) {
					longer = append(longer, next)
				}
			}
		}
		out = longer
	}
	return out
}

func fits(dims []dimension, values []string, a ownRow) bool {
	for i, d := range dims {
		if d.of(a) != values[i] {
			return false
		}
	}
	return true
}

// ownCell is one value of the answers.
func (v *view) ownCell(what string, in []ownRow, interval bool) table.Cell {
	r := row{}
	distinct := map[string]bool{}
	sum := record.CountOf(0)
	for _, a := range in {
		r.items = append(r.items, a.item)
		distinct[a.item.Item] = true
		switch what {
		case "calls":
			sum = sum.Plus(a.item.Calls)
		case "prompt_tokens":
			sum = sum.Plus(a.item.PromptTokens)
		case "completion_tokens":
			sum = sum.Plus(a.item.CompletionTokens)
		case "scored":
			if score(a.item, 0).OK {
				sum.N++
			}
		}
	}
	switch what {
	case "items":
		return table.Count(len(distinct))
	case "answers":
		return table.Count(len(in))
	case "scored":
		return table.Count(sum.N)
	case "calls", "prompt_tokens", "completion_tokens":
		if len(in) == 0 {
			return table.Cell{}
		}
		if !sum.OK {
			return unknown()
		}
		return table.Measured(table.Number{Value: float64(sum.N) / float64(len(in)), N: len(in), Decimals: 1})
	}
	if interval {
		return v.ranged(r, v.metric(what), nil, 1)
	}
	return v.mean(r, v.metric(what), nil, 1)
}
