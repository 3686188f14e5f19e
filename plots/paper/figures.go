package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/plots/figure"
	"assay/plots/table"
)

func whyNoBars(v *view) string { return cmp.Or(whyNoRows(v), whyNoLevels(v), whyNoScores(v)) }

// point turns a measured cell into a figure's point. The error bar is the deviation over seeds; with one seed it is the
// interval, where the scores have one.
func point(c table.Cell) figure.Point {
	if c.Num == nil {
		return figure.Point{}
	}
	n := *c.Num
	p := figure.Point{Y: n.Value, OK: true, HasRange: n.HasInterval, Low: n.Low, High: n.High}
	if n.HasSD {
		p.HasRange, p.Low, p.High = true, max(0, n.Value-n.SD), max(n.Value, min(100, n.Value+n.SD))
	}
	return p
}

// caption returns the caption of a figure of scores, shorter than the notes of a table.
func (v *view) caption(marks string) []string {
	return v.captionOf(marks, "error bars")
}

// captionOf is caption for a figure that shows ranges by other marks than error bars.
func (v *view) captionOf(marks, ranges string) []string {
	s := fmt.Sprintf("%s: percent of scored items%s; %s: %s.", marks, v.overSeeds(), ranges, v.ranges())
	return v.tail(s)
}

// barsHardness draws the headline metric, one group of bars per level. More rows than can be told apart get one panel per
// arm, with a bar per sweep point, or else a heat map.
func barsHardness(v *view) (Output, error) {
	metric := v.display(v.ids[0])
	title := fmt.Sprintf("%s by %s: %s", metric, v.leveling, v.run.Manifest.Experiment)
	caption := append([]string{v.levelNote()}, v.caption("Bars")...)
	bars := func(rows []row, name func(row) string) *figure.Spec {
		f := &figure.Spec{ID: "bars-hardness", Kind: figure.Bars, Title: title, XLabel: v.leveling, YLabel: metric + ", percent",
			Groups: append(slices.Clone(v.levels), "all"), Caption: caption}
		for _, r := range rows {
			s := figure.Series{Name: name(r)}
			for _, l := range v.levels {
				s.Points = append(s.Points, point(v.ranged(r, 0, v.atLevel(l), 1)))
			}
			s.Points = append(s.Points, point(v.ranged(r, 0, nil, 1)))
			f.Series = append(f.Series, s)
		}
		return f
	}
	if len(v.rows) <= figure.MostSeries {
		return Output{Figure: bars(v.rows, v.name)}, nil
	}
	all := &figure.Panels{ID: "bars-hardness", Title: title, XLabel: v.leveling, YLabel: metric + ", percent", Caption: caption}
	for _, rows := range v.rowsByArm() {
		one := bars(rows, func(r row) string { return v.pointName(r.Point) })
		one.Title, one.XLabel = rows[0].label, ""
		all.Panels = append(all.Panels, one)
	}
	if v.panelled(all) {
		return Output{Figure: all}, nil
	}
	out, err := heatHardness(v)
	if h, ok := out.Figure.(*figure.Heat); ok {
		h.ID = "bars-hardness"
	}
	return out, err
}

// rowsByArm groups the rows by arm.
func (v *view) rowsByArm() (out [][]row) {
	for i, r := range v.rows {
		k := slices.IndexFunc(out, func(of []row) bool { return of[0].Config.Name == r.Config.Name })
		if k < 0 {
			out, k = append(out, nil), len(out)
		}
		out[k] = append(out[k], v.rows[i])
	}
	return out
}

// mostPanels is how many panels are still compared rather than looked up.
const mostPanels = 12

// panelled reports whether a figure of one panel per arm can be read: a series without a name is an arm's only one.
func (v *view) panelled(p *figure.Panels) bool {
	names := map[string]bool{}
	for _, one := range p.Panels {
		for _, s := range one.Series {
			names[s.Name] = true
		}
	}
	return !names[""] && len(p.Panels) > 1 && len(p.Panels) <= mostPanels && len(names) <= figure.MostSeries
}

// xAxis is the sweep axis that a plot runs along: the first whose values are all numbers, or else the first.
func (v *view) xAxis() (axis int, numbers map[string]float64) {
	for a := range v.run.Manifest.Axes {
		numbers = map[string]float64{}
		for _, r := range v.rows {
			if x, err := strconv.ParseFloat(r.Point[a], 64); err == nil && x-x == 0 { // neither infinite nor NaN
				numbers[r.Point[a]] = x
				continue
			}
			numbers = nil
			break
		}
		if numbers != nil {
			return a, numbers
		}
	}
	return 0, nil
}

// lineName names a line by what stays the same along it: the arm and the values of the other axes.
func (v *view) lineName(r row, axis int) string {
	if others := v.others(r, axis); others != "" {
		return r.label + ", " + others
	}
	return r.label
}

// others names the values of all axes but one.
func (v *view) others(r row, axis int) string {
	var parts []string
	for a, p := range r.Point {
		if a != axis {
			parts = append(parts, setting(v.run.Manifest.Axes[a], p))
		}
	}
	return strings.Join(parts, ", ")
}

func whyNoSweepLine(v *view) string { return cmp.Or(whyNoSweep(v), whyNoRows(v)) }

// mostBands is how many bands may overlap and still be distinguished, and mostLines how many lines with error bars.
const (
	mostBands = 3
	mostLines = 4
)

// sweepLine draws the headline metric along one axis, one line per arm and values of the other axes. Few lines along numbers
// have bands, more have error bars; many get one panel per arm where they can, and more than can be told apart are a heat map.
func sweepLine(v *view) (Output, error) {
	axis, _ := v.xAxis()
	whole := v.sweepLines(v.rows, func(r row) string { return v.lineName(r, axis) })
	if len(whole.Series) <= mostLines {
		return Output{Figure: whole}, nil
	}
	all := &figure.Panels{ID: whole.ID, Title: whole.Title, XLabel: whole.XLabel, YLabel: whole.YLabel, Caption: v.caption("Points")}
	for _, rows := range v.rowsByArm() {
		one := v.sweepLines(rows, func(r row) string { return v.others(r, axis) })
		one.Title, one.XLabel, one.Bands = rows[0].label, "", false
		all.Panels = append(all.Panels, one)
	}
	if v.panelled(all) {
		return Output{Figure: all}, nil
	}
	return Output{Figure: whole.Readable(v.tail(fmt.Sprintf("Percent of scored items%s.", v.overSeeds()))...)}, nil
}

// sweepLines is the headline metric of some rows along the first axis of numbers.
func (v *view) sweepLines(rows []row, name func(row) string) *figure.Spec {
	axis, numbers := v.xAxis()
	metric, along := v.display(v.ids[0]), v.run.Manifest.Axes[axis]
	f := &figure.Spec{ID: "sweep-line", Kind: figure.Lines, Title: fmt.Sprintf("%s by %s: %s", metric, along, v.run.Manifest.Experiment),
		XLabel: along, YLabel: metric + ", percent", Caption: v.caption("Points")}
	for _, r := range rows {
		if !slices.Contains(f.Groups, r.Point[axis]) {
			f.Groups = append(f.Groups, r.Point[axis])
		}
	}
	if numbers != nil {
		slices.SortStableFunc(f.Groups, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
		for _, g := range f.Groups {
			f.X = append(f.X, numbers[g])
		}
	}
	for _, r := range rows {
		i := slices.IndexFunc(f.Series, func(s figure.Series) bool { return s.Name == name(r) })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, figure.Series{Name: name(r), Points: make([]figure.Point, len(f.Groups))})
		}
		f.Series[i].Points[slices.Index(f.Groups, r.Point[axis])] = point(v.ranged(r, 0, nil, 1))
	}
	if numbers != nil && len(f.Groups) > 2 && len(f.Series) <= mostBands {
		f.Bands, f.Caption = true, v.captionOf("Points", "bands")
	}
	return f
}
