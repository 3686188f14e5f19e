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

// sheet is a description with the run that fills it.
type sheet struct {
	*description
	v      *view
	unlike string // why the run's numbers cannot be held against the published ones, as a sentence without its end

	gathered [][]pooled // of the view's rows, once asked for
	spent    []usage    // of the view's rows, where a column measures what answers take
	prices   []string   // notes on what that costs
	parts    partial
	unread   int      // texts of examples that are no SELECT
	judged   []string // of error categories: of what kind their numbers are

	compared bool     // list: a published number stands beside one of this run's
	reasons  []string // list: why others do not
}

// sheet holds the run's headline metric against what the description's numbers are of.
func (v *view) sheet(d *description) *sheet {
	s := &sheet{description: d, v: v}
	if d.Dataset != "" {
		s.unlike = v.elsewhere(s.filled(d.Dataset))
	}
	if headline := v.measured(v.ids[0]); s.unlike == "" && d.Metric != "" && headline != d.Metric {
		s.unlike = fmt.Sprintf("This run's metric is %s and the published one is %s", headline, d.Metric)
	}
	return s
}

func (s *sheet) pools() [][]pooled {
	if s.gathered == nil {
		s.gathered = s.v.pools()
	}
	return s.gathered
}

// count adds up what answers take, where a column measures that.
func (s *sheet) count() error {
	for _, g := range s.Groups {
		if slices.ContainsFunc(g.Columns, func(f field) bool { return slices.Contains(costMeasures, f.Measure) }) {
			return s.spend()
		}
	}
	return nil
}

// spend adds up what answers take.
func (s *sheet) spend() (err error) {
	if s.parts, err = s.v.parts(); err == nil {
		s.spent, s.prices, err = s.v.spending()
	}
	return err
}

// split is the one of the description's splits that the run is of, or else the first.
func (s *sheet) split() string {
	_, own, _ := strings.Cut(s.v.run.Manifest.Dataset, "/")
	if slices.Contains(s.Splits, own) || len(s.Splits) == 0 {
		return own
	}
	return s.Splits[0]
}

// sample is answers that a cell is about.
type sample struct {
	row         // with these answers alone; without an arm where they are of several
	at   int    // its place among the view's rows, -1 where they are of several
	name string // the file's row that the published number is in
}

// samples are the view's rows, each with the published row that its arm repeats.
func (v *view) samples() (out []sample) {
	for i, r := range v.rows {
		out = append(out, sample{r, i, r.Config.Published})
	}
	return out
}

// cut is the answers of a sample that k keeps.
func (x sample) cut(k keep) sample {
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

// cell is what a column shows of a sample: a measure, or what the published number has to do with it.
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

// measured is what this run has in a column; of a column of comparisons, what is compared.
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

// number is what the paper prints for a sample.
func (s *sheet) number(f field, x sample) table.Cell {
	i := s.rowOf(cmp.Or(f.row, x.name), x)
	if i < 0 {
		return table.Cell{}
	}
	return numberIn(s.printed.Rows[i], f.Column, s.printedPlaces(f))
}

// numberIn is a printed number with its deviation, or blank where the paper has none.
func numberIn(r published.Row, column string, decimals int) table.Cell {
	v, ok := r.Number(column)
	if !ok {
		return table.Cell{}
	}
	n := table.Number{Value: v, Decimals: decimals}
	n.SD, n.HasSD = r.Number(column + "_sd")
	return table.Published(n)
}

// rowOf is the place of the file's row of that name which a sample can stand beside, -1 for none: where the file says of
// which dataset a row is, or whether its system saw evidence, the sample is of that.
func (s *sheet) rowOf(name string, x sample) int {
	if name == "" {
		return -1
	}
	return slices.IndexFunc(s.printed.Rows, func(r published.Row) bool {
		return r["method"] == name && (r["dataset"] == "" || r["dataset"] == datasetOf(x.row)) && (r["evidence"] == "" || r["evidence"] == s.v.evidence(x.row))
	})
}

// stated reports whether an arm states a row of the file.
func (s *sheet) stated() bool {
	return slices.ContainsFunc(s.v.rows, func(r row) bool {
		return r.Config.Published != "" && s.printed.Find("method", r.Config.Published) != nil
	})
}

func (s *sheet) places(f field) int {
	if f.Places != nil {
		return *f.Places
	}
	return s.Places
}

// printedPlaces are the decimals that the paper has.
func (s *sheet) printedPlaces(f field) int {
	if f.Printed != nil {
		return *f.Printed
	}
	return s.places(f)
}

// within says whether a published number lies in the interval of ours.
func within(ours, printed table.Cell) table.Cell {
	if ours.Num == nil || printed.Num == nil || !ours.Num.HasInterval {
		return table.Cell{}
	}
	if p := printed.Num.Value; ours.Num.Low <= p && p <= ours.Num.High {
		return table.Text("yes")
	}
	return table.Text("no")
}

// base is the place of the row that repeats the description's base: at the same point of a sweep, or else the first; -1
// for none.
func (s *sheet) base(x sample) int {
	is := func(r row) bool { return r.Config.Published == s.Base }
	at := slices.IndexFunc(s.v.rows, func(r row) bool { return is(r) && slices.Equal(r.Point, x.Point) })
	if at < 0 {
		at = slices.IndexFunc(s.v.rows, is)
	}
	return at
}

// gain is what a sample has over the base.
func (s *sheet) gain(x sample) table.Cell {
	if at := s.base(x); at >= 0 {
		return s.v.gain(s.v.rows[at], x.row)
	}
	return table.Cell{}
}

// overBase is what one way of answering has over another, in this run or as printed; blank of the base itself.
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

// gainNote says which interval gain has: that of package compare.
const gainNote = "paired over the items that both scored; interval (95 %): " + compare.Newcombe + " with one seed, otherwise " + compare.DrawItems + "."

// gain is a paired difference in percentage points over the items and seeds that both rows scored, with the interval that
// the table of differences has; blank for the row itself.
func (v *view) gain(base, r row) table.Cell {
	if base.Cell == r.Cell {
		return table.Cell{}
	}
	g := compare.Paired(base.items, r.items, 0, compare.Options{Level: confidence, Seed: int64(sampling.Seed)})
	if g.Items == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * g.Diff, Low: 100 * g.Low, High: 100 * g.High, HasInterval: true, N: g.Pairs, Decimals: 1})
}

// sameArm tells whether two rows are one arm in runs that were joined.
func sameArm(a, b row) bool {
	x, y := a.Config, b.Config
	named := base(x.Name) == base(y.Name)
	x.Name, x.Label, x.Published, y.Name, y.Label, y.Published = "", "", "", "", "", ""
	return named && slices.Equal(a.Point, b.Point) && reflect.DeepEqual(x, y)
}
