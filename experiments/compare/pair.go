package compare

import (
	"cmp"
	"slices"
	"strings"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/metrics"
)

// rows is a run's rows of the compared items, by arm and sweep point.
type rows struct {
	run    *record.Run
	metric int // column of Values
	items  map[string]*record.Question
	at     map[place][]*record.Item
	order  []place
}

// place is an arm at a sweep point.
type place struct{ arm, point string }

// key is a sweep point as a place has it.
func key(point []string) string { return strings.Join(point, "\x00") }

func newRows(r *record.Run, metric int, items map[string]*record.Question) *rows {
	out := &rows{run: r, metric: metric, items: items, at: map[place][]*record.Item{}}
	for i := range r.Items {
		it := &r.Items[i]
		if items[it.Item] == nil {
			continue
		}
		k := place{it.Arm, key(it.Point)}
		if out.at[k] == nil {
			out.order = append(out.order, k)
		}
		out.at[k] = append(out.at[k], it)
	}
	return out
}

// sweeping is the sweep points of an arm, in the order of the rows.
func (r *rows) sweeping(arm string) sweeping {
	out := sweeping{axes: r.run.Manifest.Axes}
	for _, k := range r.order {
		if k.arm == arm {
			out.points = append(out.points, r.at[k][0].Point)
		}
	}
	return out
}

// seeds of some rows, ascending.
func seeds(items []*record.Item) (out []int64) {
	last := int64(-1)
	for _, it := range items {
		if it.Seed != last && !slices.Contains(out, it.Seed) {
			out = append(out, it.Seed)
		}
		last = it.Seed
	}
	slices.Sort(out)
	return out
}

// partners says which seed of A each seed of B is paired with: the same, or where they share none the one of the same
// rank, which note tells.
func partners(a, b []*record.Item) (of map[int64]int64, note string) {
	sa, sb := seeds(a), seeds(b)
	of = map[int64]int64{}
	for _, s := range sb {
		if slices.Contains(sa, s) {
			of[s] = s
		}
	}
	if len(of) > 0 || len(sa) == 0 || len(sb) == 0 {
		return of, ""
	}
	for i := range min(len(sa), len(sb)) {
		of[sb[i]] = sa[i]
	}
	return of, "the runs have no seed in common: they are paired in ascending order"
}

// unit is an item with its pairs of scores, one a seed.
type unit struct {
	question *record.Question
	a, b     []*record.Item
	va, vb   []float64
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// matched are the rows of one pair of arms that have a partner and a score on both sides.
type matched struct {
	units     []*unit // in the order of A's rows
	unpaired  int
	identical bool
	note      string
}

// match pairs the rows of two places by item and seed.
func match(a, b *rows, pa, pb place) *matched {
	rowsA, rowsB := a.at[pa], b.at[pb]
	type cell struct {
		item string
		seed int64
	}
	of, note := partners(rowsA, rowsB)
	other := make(map[cell]*record.Item, len(rowsB))
	m := &matched{identical: true, note: note}
	for _, y := range rowsB {
		if s, ok := of[y.Seed]; ok {
			other[cell{y.Item, s}] = y
		} else {
			m.unpaired++
		}
	}
	byItem := make(map[string]*unit, len(rowsA))
	for _, x := range rowsA {
		k := cell{x.Item, x.Seed}
		y, ok := other[k]
		delete(other, k)
		if !ok || !x.Values[a.metric].OK || !y.Values[b.metric].OK {
			m.unpaired++
			m.identical = m.identical && ok && x.Values[a.metric] == y.Values[b.metric]
			continue
		}
		u := byItem[x.Item]
		if u == nil {
			u = &unit{question: a.items[x.Item]}
			byItem[x.Item] = u
			m.units = append(m.units, u)
		}
		u.a, u.b = append(u.a, x), append(u.b, y)
		u.va, u.vb = append(u.va, x.Values[a.metric].V), append(u.vb, y.Values[b.metric].V)
		m.identical = m.identical && x.Values[a.metric] == y.Values[b.metric] && x.SQL == y.SQL
	}
	m.unpaired += len(other)
	m.identical = m.identical && m.unpaired == 0
	return m
}

// measured is a pair of arms with what is told of it but not kept.
type measured struct {
	Pair
	identical bool
}

// newPair compares two places; label is that of b's run.
func newPair(a, b *rows, pa, pb place, label string, o Options) (measured, string) {
	m := match(a, b, pa, pb)
	p := Pair{ArmA: pa.arm, ArmB: pb.arm, Point: a.at[pa][0].Point, PointB: b.at[pb][0].Point, All: newGroup(m.units, o)}
	p.All.Unpaired = m.unpaired
	for _, x := range o.By {
		p.By = append(p.By, breakdown(m.units, x, o))
	}
	p.SpentA, p.SpentB = spending(a.run, p.ArmA, p.Point, m.units, false), spending(b.run, p.ArmB, p.PointB, m.units, true)
	p.Flips = flips(m.units, label)
	p.Reasons = tally(p.Flips)
	return measured{p, m.identical && len(m.units) > 0}, m.note
}

// labels are what the axes group an item by. A run older than the column features has none, so that they are counted.
func labels(q *record.Question) axes.Labels {
	l := axes.Labels{DB: q.DB, Hardness: q.Hardness, Difficulty: q.Difficulty, Features: q.Features}
	if l.Features == "" {
		l.Features = axes.Features(q.Gold)
	}
	return l
}

// breakdown cuts the items by an axis.
func breakdown(units []*unit, x axes.Axis, o Options) Breakdown {
	all, byGroup := make([]axes.Labels, len(units)), map[string][]*unit{}
	for i, u := range units {
		all[i] = labels(u.question)
		g := x.Group(all[i])
		byGroup[g] = append(byGroup[g], u)
	}
	out := Breakdown{Axis: x.Name}
	for _, name := range x.Groups(all) {
		g := newGroup(byGroup[name], o)
		g.Axis, g.Value = x.Name, name
		out.Groups = append(out.Groups, g)
	}
	return out
}

// Flip is a pair of rows whose score changed.
type Flip struct {
	Item       string         `json:"item"`
	DB         string         `json:"db"`
	Hardness   string         `json:"hardness,omitempty"`
	Difficulty string         `json:"difficulty,omitempty"`
	Seed       int64          `json:"seed"` // A's
	ScoreA     float64        `json:"score_a"`
	ScoreB     float64        `json:"score_b"`
	StatusA    metrics.Status `json:"status_a"`
	StatusB    metrics.Status `json:"status_b"`
	SQLA       string         `json:"sql_a"`
	SQLB       string         `json:"sql_b"`
	Question   string         `json:"question"`
	Gold       string         `json:"gold"`
	Class      Class          `json:"class"`
	Reason     string         `json:"reason"`
}

// Lost reports whether the score fell.
func (f Flip) Lost() bool { return f.ScoreB < f.ScoreA }

func flips(units []*unit, label string) (out []Flip) {
	for _, u := range units {
		for i, x := range u.a {
			if u.va[i] == u.vb[i] {
				continue
			}
			y, q := u.b[i], u.question
			f := Flip{Item: x.Item, DB: x.DB, Hardness: x.Hardness, Difficulty: x.Difficulty, Seed: x.Seed,
				ScoreA: u.va[i], ScoreB: u.vb[i], StatusA: x.Status, StatusB: y.Status, SQLA: x.SQL, SQLB: y.SQL,
				Question: q.Question, Gold: q.Gold}
			f.Class, f.Reason = explain(f, label)
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(x, y Flip) int { return cmp.Compare(x.ScoreB-x.ScoreA, y.ScoreB-y.ScoreA) })
	return out
}

// Tally counts the flips of one class.
type Tally struct {
	Class Class `json:"class"`
	Lost  int   `json:"lost"`
	Won   int   `json:"won"`
}

// tally counts flips by class, in the order of the classes.
func tally(flips []Flip) (out []Tally) {
	for _, c := range Classes {
		t := Tally{Class: c}
		for _, f := range flips {
			switch {
			case f.Class != c:
			case f.Lost():
				t.Lost++
			default:
				t.Won++
			}
		}
		if t.Lost+t.Won > 0 {
			out = append(out, t)
		}
	}
	return out
}
