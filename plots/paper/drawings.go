package paper

import (
	"fmt"
	"slices"

	"assay/metrics/pool"
	"assay/plots/figure"
)

// drawings are the forms of the papers' figures, by the name that descriptions use.
var drawings = map[string]func(*sheet) (figure.Drawing, error){
	"bounds":          (*sheet).drawBounds,
	"bounds by level": (*sheet).drawBoundsByLevel,
	"regions":         (*sheet).drawRegions,
	"alone":           (*sheet).drawAlone,
	"outcomes":        (*sheet).drawOutcomes,
	"databases":       (*sheet).drawDatabases,
	"features":        (*sheet).drawFeatures,
}

// tail returns a caption: own, then what identifies the run, then warnings. Every figure ends so, because figures are copied out
// of their report.
func (v *view) tail(own ...string) []string {
	out := append(own, v.dataNote()+" "+v.modelNote())
	return slices.Concat(out, v.troubles(), v.warnings())
}

// withGenerator returns the first row with several candidates of a generator, or -1.
func withGenerator(ps [][]pooled, g string) int {
	return slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(only(p, g)) > 1 })
}

func whyNoBounds(v *view, d *description) string {
	if withGenerator(v.pools(), d.Generator) < 0 {
		return "no arm of it has several candidates of " + d.Generator
	}
	return ""
}

// drawBounds draws the bounds of one generator's pools.
func (s *sheet) drawBounds() (figure.Drawing, error) {
	v, ps := s.v, s.v.pools()
	i := withGenerator(ps, s.Generator)
	cut := only(ps[i], s.Generator)
	metric := v.display(v.ids[0])
	title := fmt.Sprintf("%s by number of candidates of %s: %s", metric, s.generator(s.Generator), v.name(v.rows[i]))
	return fanOf(v.rows[i], cut[0], everySize(cut[0])).figureOf(s.Name, title, metric, append(v.poolCaption(i, cut), s.fill(s.Notes)...)), nil
}

// firstPools returns the first row with pools of several candidates, or -1.
func firstPools(ps [][]pooled) int {
	return slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(p) > 1 })
}

// drawBoundsByLevel draws the upper bound of all generators together, one line per level.
func (s *sheet) drawBoundsByLevel() (figure.Drawing, error) {
	v, ps := s.v, s.v.pools()
	i := firstPools(ps)
	p := ps[i][0]
	f := &figure.Spec{ID: s.Name, Kind: figure.Lines, Title: fmt.Sprintf("Upper bound by number of candidates and %s: %s", v.leveling, v.name(v.rows[i])),
		XLabel: "candidates", YLabel: v.display(v.ids[0]) + ", percent", Caption: append(v.poolCaption(i, ps[i]), s.fill(s.Notes)...)}
	most := largestPool(ps[i][:1])
	for k := 1; k <= most; k++ {
		f.Groups, f.X = append(f.Groups, fmt.Sprint(k)), append(f.X, float64(k))
	}
	groups := map[string][]pool.Item{"all": p.items}
	for k, it := range p.items {
		l := v.level(p.answers[k].Item)
		groups[l] = append(groups[l], it)
	}
	for _, l := range append(slices.Clone(v.levels), "all") {
		line := figure.Series{Name: l, Points: make([]figure.Point, most)}
		for k := 1; k <= most; k++ {
			if x := pool.Mean(groups[l], pool.UpperAt(k)); x.Estimate == x.Estimate {
				line.Points[k-1] = figure.Point{Y: 100 * x.Estimate, OK: true}
			}
		}
		f.Series = append(f.Series, line)
	}
	return f, nil
}

// drawRegions draws which generators solve how many items.
func (s *sheet) drawRegions() (figure.Drawing, error) {
	of := s.v.solves()
	return &figure.Sets{ID: s.Name, Title: s.Title + ": " + s.v.run.Manifest.Experiment, Names: s.names(of), Counts: of.counts,
		Caption: s.v.tail(s.fill(s.Notes)...)}, nil
}

// drawAlone draws what each generator alone solves, by group.
func (s *sheet) drawAlone() (figure.Drawing, error) {
	by, groups, group := s.by()
	of := s.v.solves()
	alone := of.alone(group)
	f := &figure.Spec{ID: s.Name, Kind: figure.Bars, Title: s.aloneTitle(), XLabel: by, YLabel: "items", Counts: true, Groups: groups, Caption: s.v.tail(s.fill(s.Notes)...)}
	for k, n := range s.names(of) {
		bars := figure.Series{Name: n}
		for _, g := range groups {
			p := figure.Point{OK: alone[g] != nil}
			if p.OK {
				p.Y = float64(alone[g][k])
			}
			bars.Points = append(bars.Points, p)
		}
		f.Series = append(f.Series, bars)
	}
	if !slices.ContainsFunc(of.masks, single) {
		f.Caption = append([]string{"No item is solved by one generator alone."}, f.Caption...)
	}
	return f, nil
}

// drawOutcomes draws one bar per arm, divided by the outcomes of its questions, and one of the published shares.
func (s *sheet) drawOutcomes() (figure.Drawing, error) {
	f := &figure.Stack{ID: s.Name, Title: s.Title + ": " + s.v.run.Manifest.Experiment, Label: "percent of answers", Places: 1,
		Caption: s.v.tail(s.fill(s.Notes)...)}
	for i, r := range s.v.rows {
		counts, n := outcomesOf(s.v.pools()[i])
		f.Rows = append(f.Rows, s.v.name(r))
		for k, l := range s.Lines {
			if i == 0 {
				f.Parts = append(f.Parts, figure.Part{Name: l.Name})
			}
			f.Parts[k].Values = append(f.Parts[k].Values, 100*float64(counts[pool.Outcome(l.Name)])/float64(max(n, 1)))
		}
	}
	f.Rows = append(f.Rows, theirs)
	for k, l := range s.Lines {
		x, _ := s.printed.Find("method", l.ID).Number("percent")
		f.Parts[k].Values = append(f.Parts[k].Values, x)
	}
	return f, nil
}

// drawDatabases draws measures of the first row that has pools, with one bar per database, and the published numbers of the
// databases that the paper has.
func (s *sheet) drawDatabases() (figure.Drawing, error) {
	v, ps := s.v, s.v.pools()
	x := v.samples()[firstPools(ps)]
	f := &figure.Spec{ID: s.Name, Kind: figure.Bars, Title: fmt.Sprintf("%s: %s", s.Title, v.name(x.row)), XLabel: "database",
		YLabel: v.display(v.ids[0]) + ", percent", Groups: append(slices.Clone(v.sets), "all"),
		Caption: v.tail(fmt.Sprintf("Percent of the %d answers with a scored candidate; %s.", itemsIn(ps[x.at]), v.errorBars()))}
	source := fmt.Sprintf("The paper's %s has none of the databases here.", s.Where)
	for _, c := range s.Groups[0].Columns {
		ours, printed, has := figure.Series{Name: c.Name}, figure.Series{Name: "published: " + c.Name}, false
		for _, db := range f.Groups {
			of := x
			if of.name = db; db != "all" {
				of = of.where(inSet(db))
			}
			ours.Points = append(ours.Points, point(s.cell(c, of)))
			n := s.number(c, of)
			has = has || n.Num != nil
			printed.Points = append(printed.Points, point(n))
		}
		if f.Series = append(f.Series, ours); has {
			f.Series, source = append(f.Series, printed), s.filled(s.Says)
		}
	}
	f.Caption = slices.Insert(f.Caption, 1, source)
	return f, nil
}
