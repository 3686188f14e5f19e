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

// most is the largest number of bars in a group, or of lines in a plot, that can still be read.
const most = 16

func whyNoBars(v *view) string {
	if len(v.rows) > most {
		return fmt.Sprintf("it would have %d bars per group (at most %d can be read)", len(v.rows), most)
	}
	if why := whyNoLevels(v); why != "" {
		return why
	}
	return whyNoScores(v)
}

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

// barsHardness draws the headline metric, one group of bars per level.
func barsHardness(v *view) (Output, error) {
	metric := v.display(v.ids[0])
	f := &figure.Spec{ID: "bars-hardness", Kind: figure.Bars, Title: fmt.Sprintf("%s by %s: %s", metric, v.leveling, v.run.Manifest.Experiment),
		XLabel: v.leveling, YLabel: metric + ", percent", Groups: append(slices.Clone(v.levels), "all"),
		Caption: append([]string{v.levelNote()}, v.caption("Bars")...)}
	for _, r := range v.rows {
		s := figure.Series{Name: v.name(r)}
		for _, l := range v.levels {
			s.Points = append(s.Points, point(v.ranged(r, 0, v.atLevel(l), 1)))
		}
		s.Points = append(s.Points, point(v.ranged(r, 0, nil, 1)))
		f.Series = append(f.Series, s)
	}
	return Output{Figure: f}, nil
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
	parts := []string{r.label}
	for a, p := range r.Point {
		if a != axis {
			parts = append(parts, v.run.Manifest.Axes[a]+" "+p)
		}
	}
	return strings.Join(parts, ", ")
}

func whyNoSweepLine(v *view) string {
	if why := whyNoSweep(v); why != "" {
		return why
	}
	axis, _ := v.xAxis()
	names := map[string]bool{}
	for _, r := range v.rows {
		names[v.lineName(r, axis)] = true
	}
	if len(names) > most {
		return fmt.Sprintf("it would have %d lines (at most %d can be read)", len(names), most)
	}
	return ""
}

// mostBands is how many bands may overlap and still be distinguished.
const mostBands = 3

// sweepLine draws the headline metric along one axis, one line per arm and values of the other axes. Few lines along numbers
// have bands, more have error bars.
func sweepLine(v *view) (Output, error) {
	axis, numbers := v.xAxis()
	metric, along := v.display(v.ids[0]), v.run.Manifest.Axes[axis]
	f := &figure.Spec{ID: "sweep-line", Kind: figure.Lines, Title: fmt.Sprintf("%s by %s: %s", metric, along, v.run.Manifest.Experiment),
		XLabel: along, YLabel: metric + ", percent", Caption: v.caption("Points")}
	for _, r := range v.rows {
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
	for _, r := range v.rows {
		name := v.lineName(r, axis)
		i := slices.IndexFunc(f.Series, func(s figure.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, figure.Series{Name: name, Points: make([]figure.Point, len(f.Groups))})
		}
		f.Series[i].Points[slices.Index(f.Groups, r.Point[axis])] = point(v.ranged(r, 0, nil, 1))
	}
	if numbers != nil && len(f.Groups) > 2 && len(f.Series) <= mostBands {
		f.Bands, f.Caption = true, v.captionOf("Points", "bands")
	}
	return Output{Figure: f}, nil
}
