package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"assay/metrics/pool"
	"assay/plots/figure"
)

// temperatureAxis returns the position of temperature among the sweep's axes, or -1.
func (v *view) temperatureAxis() int { return slices.Index(v.run.Manifest.Axes, "temperature") }

// warming is one arm along its temperatures, ascending, all other axes fixed.
type warming []warm

// warm is a row of the view, with its temperature.
type warm struct {
	row         int
	temperature float64
}

// warmings returns, per arm and values of the other axes, the rows with pools, where these have two temperatures or more.
func (v *view) warmings(ps [][]pooled) (out []warming) {
	axis := v.temperatureAxis()
	if axis < 0 {
		return nil
	}
	at := map[string]int{}
	for i, r := range v.rows {
		x, err := strconv.ParseFloat(r.Point[axis], 64)
		if err != nil || x-x != 0 || len(ps[i]) == 0 || largestPool(ps[i]) < 2 {
			continue
		}
		name := v.lineName(r, axis)
		k, ok := at[name]
		if !ok {
			k = len(out)
			at[name] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], warm{i, x})
	}
	for _, w := range out {
		slices.SortFunc(w, func(a, b warm) int { return cmp.Compare(a.temperature, b.temperature) })
	}
	return slices.DeleteFunc(out, func(w warming) bool { return len(w) < 2 })
}

func whyNoTemperatures(v *view) string {
	if v.temperatureAxis() < 0 {
		return "its sweep has no temperature"
	}
	if why := whyNoPools(v); why != "" {
		return why
	}
	if len(v.warmings(v.pools())) == 0 {
		return "no arm of it has pools at two temperatures"
	}
	return ""
}

// temperatureFan draws the bounds of each arm's pools by temperature, with vote and choice between them; of more than
// mostPanels arms the first.
func temperatureFan(v *view) (Output, error) {
	ps := v.pools()
	all := v.warmings(ps)
	shown := all[:min(len(all), mostPanels)]
	metric := v.display(v.ids[0])
	name := func(w warming) string { return v.lineName(v.rows[w[0].row], v.temperatureAxis()) }
	title := func(of string) string { return fmt.Sprintf("%s by temperature, bounds and choices: %s", metric, of) }
	p := &figure.Panels{ID: "bounds-temperature", Title: title(v.run.Manifest.Experiment), XLabel: "temperature", YLabel: metric + ", percent"}
	widest, largest := 0.0, 0
	for _, w := range shown {
		one := v.warmed(w, ps)
		one.Title = name(w)
		p.Panels = append(p.Panels, one)
		for _, x := range w {
			largest = max(largest, largestPool(ps[x.row]))
			for _, share := range []pool.Measure{pool.Upper, pool.Lower, pool.Chosen} {
				if c := shareOf(ps[x.row], share); c.Num != nil {
					widest = max(widest, c.Num.High-c.Num.Low)
				}
			}
		}
	}
	p.Caption = v.tail(v.temperatureNote(ps[shown[0][0].row], largest, widest, len(shown), len(all)))
	if one := p.Panels[0]; len(all) == 1 {
		one.ID, one.Title, one.XLabel, one.YLabel, one.Caption = p.ID, title(name(all[0])), p.XLabel, p.YLabel, p.Caption
		return Output{Figure: one}, nil
	}
	return Output{Figure: p}, nil
}

// warmed is the bounds of one arm's pools by temperature.
func (v *view) warmed(w warming, ps [][]pooled) *figure.Spec {
	f := &figure.Spec{Kind: figure.Lines, Fills: []figure.Fill{{Low: 1, High: 0, Name: "what selection can change"}}}
	for _, c := range []struct {
		name  string
		share pool.Measure
	}{{"upper bound", pool.Upper}, {"lower bound", pool.Lower}, {"self-consistency", pool.SelfConsistency(pool.Any)}, {"chosen: " + v.rows[w[0].row].Config.Rule(), pool.Chosen}} {
		s := figure.Series{Name: c.name}
		for _, x := range w {
			p := point(shareOf(ps[x.row], c.share))
			p.HasRange = p.HasRange && len(v.rows[x.row].Seeds) > 1
			s.Points = append(s.Points, p)
		}
		f.Series = append(f.Series, s)
	}
	for _, x := range w {
		f.X, f.Groups = append(f.X, x.temperature), append(f.Groups, v.rows[x.row].Point[v.temperatureAxis()])
	}
	return f
}

// temperatureNote explains what is drawn, and of how many arms.
func (v *view) temperatureNote(ps []pooled, largest int, widest float64, shown, arms int) string {
	s := fmt.Sprintf("Percent of the %d items with a scored candidate, pools of up to %d. Upper bound: at least one candidate is right; lower: all are; self-consistency: the largest cluster of equal results, the mean over those as large.",
		scoredItems(ps[0].items), largest)
	if n := len(ps); n > 1 {
		s += fmt.Sprintf(" Mean over %d seeds; error bars: one sample standard deviation over them.", n)
	} else {
		s += fmt.Sprintf(" One seed; the 95 %% intervals, not drawn, span up to %.0f points.", widest)
	}
	if shown < arms {
		s += fmt.Sprintf(" The first %d of %d arms that have pools at several temperatures.", shown, arms)
	}
	return s
}
