package paper

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/experiments/published"
	"assay/experiments/record"
	"assay/plots/table"
)

// sheet is a description together with the run that fills it.
type sheet struct {
	*description
	v      *view
	unlike string // why the run's numbers cannot be held against the published ones, as a sentence without its end

	spent  []usage  // of the view's rows, where a column measures what answers take
	prices []string // notes on what that costs
	parts  partial
	unread int      // texts of examples that are no SELECT
	judged []string // of error categories: of what kind their numbers are

	held     bool     // list: a number of this run can be compared with a published one
	compared bool     // list: a published number is shown with one of this run's
	reasons  []string // list: why others do not
}

// sheet pairs the view with a description, and decides once whether its published numbers may be compared with the run's:
// they must be of the same items and the same metric.
func (v *view) sheet(d *description) *sheet {
	s := &sheet{description: d, v: v}
	if d.Dataset != "" {
		s.unlike = v.elsewhere(s.filled(d.Dataset))
	}
	if headline := v.measured(v.ids[0]); s.unlike == "" && d.Metric != "" && headline != d.Metric {
		s.unlike = fmt.Sprintf("This run's metric is %s and the published one is %s", s.v.display(s.v.ids[0]), s.v.run.Resolved.Known.Heading(d.Metric))
	}
	return s
}

// count adds up tokens and money where a column measures them.
func (s *sheet) count() error {
	for _, g := range s.Groups {
		if slices.ContainsFunc(g.Columns, func(f field) bool { return slices.Contains(costMeasures, f.Measure) }) {
			return s.spend()
		}
	}
	return nil
}

// spend adds up tokens and money of every answer.
func (s *sheet) spend() (err error) {
	if s.parts, err = s.v.parts(); err == nil {
		s.spent, s.prices, err = s.v.spending()
	}
	return err
}

// split returns the run's split where the description has numbers of it, and the description's first split elsewhere.
func (s *sheet) split() string {
	_, own, _ := strings.Cut(s.v.run.Manifest.Dataset, "/")
	if slices.Contains(s.Splits, own) || len(s.Splits) == 0 {
		return own
	}
	return s.Splits[0]
}

// sample is the answers that a cell measures.
type sample struct {
	row         // with these answers alone; without an arm where the answers are of several
	at   int    // the row's place in the view; -1 where the answers are of several
	name string // the file's row that the published number is in
}

// samples returns the view's rows, each with the published row that its arm repeats.
func (v *view) samples() (out []sample) {
	for i, r := range v.rows {
		out = append(out, sample{r, i, r.Config.Published})
	}
	return out
}

// where returns the sample with only the answers that k keeps.
func (x sample) where(k keep) sample {
	if k == nil {
		return x
	}
	var kept []*record.Item
	for _, it := range x.items {
		if k(it) {
			kept = append(kept, it)
		}
	}
	x.items = kept
	return x
}

// cell returns what a column shows of a sample: a measure, the published number, or a comparison of the two.
func (s *sheet) cell(f field, x sample) table.Cell {
	switch f.Measure {
	case "printed":
		return s.number(f, x)
	case "difference":
		return difference(s.measured(f, x), s.number(f, x))
	case "in interval":
		return within(s.measured(f, x), s.number(f, x))
	case "gain":
		return s.gain(x)
	case "printed gain":
		if s.base(x) == x.at {
			return table.Cell{}
		}
		of := x
		of.name = s.Base
		return difference(s.number(f, x), s.number(f, of))
	case "over base", "printed over base":
		return s.overBase(f, x)
	}
	return s.measured(f, x)
}

// measured returns this run's number of a column; for a column of comparisons, the number that is compared.
func (s *sheet) measured(f field, x sample) table.Cell {
	if m := measures[f.Measure]; m != nil {
		return m(s, f, x)
	}
	if len(f.Of) > 0 {
		f.Measure, f.Of = f.Of[0], f.Of[1:]
		return measures[f.Measure](s, f, x)
	}
	return measures["accuracy"](s, f, x)
}

// number returns the published number of a sample.
func (s *sheet) number(f field, x sample) table.Cell {
	i := s.rowOf(cmp.Or(f.row, x.name), x)
	if i < 0 {
		return table.Cell{}
	}
	return numberIn(s.printed.Rows[i], f.Column, s.printedPlaces(f))
}

// numberIn returns a published number with its deviation; blank where the paper prints none.
func numberIn(r published.Row, column string, decimals int) table.Cell {
	v, ok := r.Number(column)
	if !ok {
		return table.Cell{}
	}
	n := table.Number{Value: v, Decimals: decimals}
	n.SD, n.HasSD = r.Number(column + "_sd")
	return table.Published(n)
}

// rowOf returns the position of the published row of that name that a sample can be compared with, or -1. Where the file states
// the row's dataset, or whether its system saw evidence, the sample must agree.
func (s *sheet) rowOf(name string, x sample) int {
	if name == "" {
		return -1
	}
	return slices.IndexFunc(s.printed.Rows, func(r published.Row) bool {
		return r["method"] == name && (r["dataset"] == "" || r["dataset"] == datasetOf(x.row)) && (r["evidence"] == "" || r["evidence"] == s.v.evidence(x.row))
	})
}

func (s *sheet) places(f field) int {
	if f.Places != nil {
		return *f.Places
	}
	return s.Places
}

// printedPlaces returns the decimals of the published number.
func (s *sheet) printedPlaces(f field) int {
	if f.Printed != nil {
		return *f.Printed
	}
	return s.places(f)
}

// within says whether a published number lies in the interval of this run's.
func within(ours, printed table.Cell) table.Cell {
	if ours.Num == nil || printed.Num == nil || !ours.Num.HasInterval {
		return table.Cell{}
	}
	if p := printed.Num.Value; ours.Num.Low <= p && p <= ours.Num.High {
		return table.Text("yes")
	}
	return table.Text("no")
}

// base returns the position of the row that repeats the description's base: at the same sweep point, or else the first; -1 for
// none.
func (s *sheet) base(x sample) int {
	is := func(r row) bool { return r.Config.Published == s.Base }
	at := slices.IndexFunc(s.v.rows, func(r row) bool { return is(r) && slices.Equal(r.Point, x.Point) })
	if at < 0 {
		at = slices.IndexFunc(s.v.rows, is)
	}
	return at
}

// gain returns the paired difference of a sample from the base; blank where no arm repeats the base.
func (s *sheet) gain(x sample) table.Cell {
	if at := s.base(x); at >= 0 {
		return s.v.gain(s.v.rows[at], x.row)
	}
	return table.Cell{}
}

// overBase returns the difference of a way of answering from the base way, in this run or as published; blank for the base
// itself.
func (s *sheet) overBase(f field, x sample) table.Cell {
	at := slices.IndexFunc(s.Lines, func(l line) bool { return l.ID == s.Base })
	base := f
	base.row, base.Of = s.Base, []string{s.Lines[at].Measure}
	switch {
	case f.row == s.Base:
		return table.Cell{}
	case f.Measure == "printed over base":
		return difference(s.number(f, x), s.number(base, x))
	}
	return difference(s.measured(f, x), s.measured(base, x))
}

// gainNote names the interval of gain, which is that of package compare.
const gainNote = "paired over the items that both scored; interval (95 %): " + compare.Newcombe + " with one seed, otherwise " + compare.DrawItems + "."

// gain returns the paired difference in percentage points over the items and seeds that both rows scored, with the interval of
// the table of differences; blank for the row itself.
func (v *view) gain(base, r row) table.Cell {
	if base.Cell == r.Cell {
		return table.Cell{}
	}
	g := compare.Paired(base.items, r.items, 0, compare.Options{Level: confidence})
	if g.Items == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * g.Diff, Low: 100 * g.Low, High: 100 * g.High, HasInterval: true, N: g.Pairs, Decimals: 1, Signed: true})
}

// sameArm reports whether two rows of a joined run are one arm: equal settings, and equal names but for what joining adds.
func sameArm(a, b row) bool {
	x, y := a.Config, b.Config
	named := base(x.Name) == base(y.Name)
	x.Name, x.Label, x.Published, y.Name, y.Label, y.Published = "", "", "", "", "", ""
	return named && slices.Equal(a.Point, b.Point) && reflect.DeepEqual(x, y)
}
