package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/metrics/pool"
	"assay/plots/figure"
)

// drawings are the forms of the papers' figures, by the name that descriptions use.
var drawings = map[string]func(*sheet) (figure.Drawing, error){
	"bounds":       (*sheet).drawBounds,
	"regions":      (*sheet).drawRegions,
	"solved":       (*sheet).drawSolved,
	"error shares": (*sheet).drawErrors,
	"outcomes":     (*sheet).drawOutcomes,
	"databases":    (*sheet).drawDatabases,
	"features":     (*sheet).drawFeatures,
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

// bounded are the description's generators of which a row has several candidates.
func (d *description) bounded(v *view) []line {
	return slices.DeleteFunc(slices.Clone(d.Lines), func(l line) bool { return withGenerator(v.pools(), l.ID) < 0 })
}

func whyNoBounds(v *view, d *description) string {
	if len(d.bounded(v)) > 0 {
		return ""
	}
	var names []string
	for _, l := range d.Lines {
		names = append(names, l.ID)
	}
	return "no arm of it has several candidates of " + strings.Join(names, ", ")
}

// drawBounds draws the bounds of each generator's pools, and the upper bound of all together by level, on one axis.
func (s *sheet) drawBounds() (figure.Drawing, error) {
	v, ps := s.v, s.v.pools()
	i := firstPools(ps)
	all := &figure.Panels{ID: s.Name, Title: s.Title + ": " + v.run.Manifest.Experiment, XLabel: "candidates", YLabel: v.display(v.ids[0]) + ", percent"}
	var fans []fan
	for _, l := range s.bounded(v) {
		at := withGenerator(ps, l.ID)
		cut := only(ps[at], l.ID)
		f := fanOf(v.rows[at], cut[0], everySize(cut[0]))
		one := f.figureOf("", l.Name, "", nil)
		one.XLabel = ""
		fans, all.Panels = append(fans, f), append(all.Panels, one)
	}
	if len(v.levels) > 0 {
		all.Panels = append(all.Panels, v.upperByLevel(ps[i][0]))
	}
	all.Caption = append(v.poolCaption(i, ps[i]), curvesNote(fans...))
	all.Caption = append(all.Caption, s.fill(s.Notes)...)
	return all, nil
}

// firstPools returns the first row with pools of several candidates, or -1.
func firstPools(ps [][]pooled) int {
	return slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(p) > 1 })
}

// upperByLevel is the upper bound of pools by their size, one line per level and the one of all items.
func (v *view) upperByLevel(p pooled) *figure.Spec {
	f := &figure.Spec{Kind: figure.Lines, Title: "Upper bound of all generators, by " + v.leveling}
	most := largestPool([]pooled{p})
	for k := 1; k <= most; k++ {
		f.Groups, f.X = append(f.Groups, fmt.Sprint(k)), append(f.X, float64(k))
	}
	groups := map[string][]pool.Item{upperLine: p.items}
	for k, it := range p.items {
		l := v.level(p.answers[k].Item)
		groups[l] = append(groups[l], it)
	}
	for _, l := range append(slices.Clone(v.levels), upperLine) {
		line := figure.Series{Name: l, Points: make([]figure.Point, most)}
		for k := 1; k <= most; k++ {
			if x := pool.Mean(groups[l], pool.UpperAt(k)); x.Estimate == x.Estimate {
				line.Points[k-1] = figure.Point{Y: 100 * x.Estimate, OK: true}
			}
		}
		f.Series = append(f.Series, line)
	}
	return f
}

// drawRegions draws which generators solve how many items.
func (s *sheet) drawRegions() (figure.Drawing, error) {
	of := s.v.solves()
	return &figure.Sets{ID: s.Name, Title: s.Title + ": " + s.v.run.Manifest.Experiment, Names: s.names(of), Counts: of.counts,
		Caption: s.v.tail(s.fill(s.Notes)...)}, nil
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
	if !s.beside() {
		return f, nil
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
		YLabel: v.display(v.ids[0]) + ", percent", Groups: append(slices.Clone(v.sets), "all"), Values: true, Places: 1,
		Caption: v.tail(fmt.Sprintf("Percent of the %d answers with a scored candidate; %s.", itemsIn(ps[x.at]), v.errorBars()))}
	source := s.elsewhereNote(s.unlike)
	for _, c := range s.Groups[0].Columns {
		ours, printed, has := figure.Series{Name: c.Name}, figure.Series{Name: "published: " + c.Name}, false
		for _, db := range f.Groups {
			of := x
			if of.name = db; db != "all" {
				of = of.where(inSet(db))
			}
			ours.Points = append(ours.Points, point(s.cell(c, of)))
			n := s.number(c, of)
			has = has || n.Num != nil && s.beside()
			printed.Points = append(printed.Points, point(n))
		}
		if f.Series = append(f.Series, ours); has {
			f.Series, source = append(f.Series, printed), s.filled(s.Says)
		}
	}
	f.Caption = slices.Insert(f.Caption, 1, source)
	return f.Readable(f.Caption...), nil
}
