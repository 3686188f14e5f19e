package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/stats"
)

// answers are a run's answers to the compared items, under one cell.
type answers struct {
	*record.Series
	run       *record.Run
	metric    int                         // position in Values
	questions map[string]*record.Question // the compared items
	items     []*record.Item              // in the order of the rows
}

// compared is a run's answers to the compared items, in the order of its cells.
type compared []*answers

func newCompared(x *record.Index, metric int, questions map[string]*record.Question) (out compared) {
	for _, s := range x.Series {
		one := &answers{Series: s, run: x.Run, metric: metric, questions: questions}
		for _, a := range s.Answers {
			if questions[a.Item.Item] != nil {
				one.items = append(one.items, a.Item)
			}
		}
		if one.items != nil {
			out = append(out, one)
		}
	}
	return out
}

// at returns the answers of an arm at a sweep point; nil where there are none.
func (c compared) at(arm string, point []string) *answers {
	cell := record.CellOf(arm, point)
	if i := slices.IndexFunc(c, func(a *answers) bool { return a.Cell == cell }); i >= 0 {
		return c[i]
	}
	return nil
}

// sweeping returns the sweep points of an arm, given the run's axes.
func (c compared) sweeping(axes []string, arm string) sweeping {
	out := sweeping{axes: axes}
	for _, a := range c {
		if a.Arm == arm {
			out.points = append(out.points, a.Point)
		}
	}
	return out
}

// seeds of the answers, ascending.
func (a *answers) seeds() (out []int64) {
	for i, it := range a.items {
		if (i == 0 || it.Seed != a.items[i-1].Seed) && !slices.Contains(out, it.Seed) {
			out = append(out, it.Seed)
		}
	}
	slices.Sort(out)
	return out
}

// fewSeeds is how many seeds a note names.
const fewSeeds = 6

func seedList(seeds []int64) string {
	var names []string
	for _, s := range seeds[:min(len(seeds), fewSeeds)] {
		names = append(names, strconv.FormatInt(s, 10))
	}
	if more := len(seeds) - fewSeeds; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// ownSeeds notes how two sides with different seeds are compared. With unequal numbers of seeds the differences are not
// symmetric under the null hypothesis, as sign flips assume, so the note says that too.
func ownSeeds(a, b []int64) string {
	note := fmt.Sprintf("the seeds differ, %s against %s: each side's score of an item is the mean over its own seeds, and lost and won count items by these means",
		seedList(a), seedList(b))
	if len(a) != len(b) {
		note += "; p is approximate, for means over unequal numbers of seeds do not spread alike"
	}
	return note
}

// unit is an item with its scored rows on both sides.
type unit struct {
	question *record.Question
	a, b     []*record.Item
	va, vb   []float64 // their scores
	own      bool      // the sides have different seeds, so no row of a has a partner among those of b
}

func (u *unit) add(x, y *record.Item, metricA, metricB int) {
	if x != nil {
		u.a, u.va = append(u.a, x), append(u.va, x.Values[metricA].V)
	}
	if y != nil {
		u.b, u.vb = append(u.b, y), append(u.vb, y.Values[metricB].V)
	}
}

// pairs returns the scores to compare: one pair per seed, or the means of both sides where their seeds differ.
func (u *unit) pairs() (out []stats.Pair) {
	if u.own {
		return []stats.Pair{{A: mean(u.va), B: mean(u.vb)}}
	}
	for i := range u.va {
		out = append(out, stats.Pair{A: u.va[i], B: u.vb[i]})
	}
	return out
}

// witness returns the rows that illustrate a pair of scores: the pair's own rows or, of two means, the first rows that
// differ in the same direction.
func (u *unit) witness(pair int, p stats.Pair) (x, y *record.Item) {
	if !u.own {
		return u.a[pair], u.b[pair]
	}
	for i, x := range u.a {
		for k, y := range u.b {
			if cmp.Compare(u.va[i], u.vb[k]) == cmp.Compare(p.A, p.B) {
				return x, y
			}
		}
	}
	return u.a[0], u.b[0]
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// matched holds the rows of one pair of arms with a partner and a score on both sides.
type matched struct {
	units     []*unit // in the order of A's rows
	unpaired  int
	identical bool
	note      string
}

// match pairs two lists of answers: by item and seed where both have the same seeds, otherwise by item alone, each side with
// all its seeds, so that a side's mean does not depend on the other side.
func match(a, b *answers) *matched {
	if sa, sb := a.seeds(), b.seeds(); !slices.Equal(sa, sb) && len(sa) > 0 && len(sb) > 0 {
		m := byItem(a, b)
		m.note = ownSeeds(sa, sb)
		return m
	}
	return bySeed(a, b)
}

// bySeed pairs each row with the other side's of the same item and seed.
func bySeed(a, b *answers) *matched {
	m := &matched{identical: true}
	under := func(it *record.Item) record.Key { return record.Key{Item: it.Item, Seed: it.Seed} } // of a's cell or of b's
	other := make(map[record.Key]*record.Item, len(b.items))
	for _, y := range b.items {
		other[under(y)] = y
	}
	at := make(map[string]*unit, len(a.items))
	for _, x := range a.items {
		k := under(x)
		y, ok := other[k]
		delete(other, k)
		if !ok || !x.Values[a.metric].OK || !y.Values[b.metric].OK {
			m.unpaired++
			m.identical = m.identical && ok && x.Values[a.metric] == y.Values[b.metric]
			continue
		}
		u := at[x.Item]
		if u == nil {
			u = &unit{question: a.questions[x.Item]}
			at[x.Item] = u
			m.units = append(m.units, u)
		}
		u.add(x, y, a.metric, b.metric)
		m.identical = m.identical && x.Values[a.metric] == y.Values[b.metric] && x.SQL == y.SQL
	}
	m.unpaired += len(other)
	m.identical = m.identical && m.unpaired == 0
	return m
}

// byItem gathers the scored rows of both sides by item. Unpaired counts, for an item that one side has no score for, the rows
// of the side with more rows, and for every other item the rows without a score.
func byItem(a, b *answers) *matched {
	var order []string
	all, asked := map[string]*unit{}, map[string]*[2]int{}
	gather := func(side int, of *answers, pair func(*record.Item) (x, y *record.Item)) {
		for _, it := range of.items {
			if all[it.Item] == nil {
				order = append(order, it.Item)
				all[it.Item], asked[it.Item] = &unit{question: a.questions[it.Item], own: true}, &[2]int{}
			}
			asked[it.Item][side]++
			if it.Values[of.metric].OK {
				x, y := pair(it)
				all[it.Item].add(x, y, a.metric, b.metric)
			}
		}
	}
	gather(0, a, func(it *record.Item) (x, y *record.Item) { return it, nil })
	gather(1, b, func(it *record.Item) (x, y *record.Item) { return nil, it })
	m := &matched{}
	for _, item := range order {
		u, n := all[item], asked[item]
		if len(u.a) == 0 || len(u.b) == 0 {
			m.unpaired += max(n[0], n[1])
			continue
		}
		m.unpaired += n[0] + n[1] - len(u.a) - len(u.b)
		m.units = append(m.units, u)
	}
	m.identical = m.unpaired == 0 && !slices.ContainsFunc(m.units, func(u *unit) bool { return !u.agrees() })
	return m
}

// agrees reports whether all rows of both sides have one score and one SQL.
func (u *unit) agrees() bool {
	other := func(it *record.Item) bool { return it.SQL != u.a[0].SQL }
	differs := func(v float64) bool { return v != u.va[0] }
	return !slices.ContainsFunc(u.a, other) && !slices.ContainsFunc(u.b, other) &&
		!slices.ContainsFunc(u.va, differs) && !slices.ContainsFunc(u.vb, differs)
}

// newPair measures the matched answers of two arms; label is that of b's run.
func newPair(m stratum, label string, o Options) Pair {
	a, b := m.a, m.b
	p := Pair{ArmA: a.Arm, ArmB: b.Arm, Point: a.Point, PointB: b.Point, All: newGroup(m.units, o)}
	p.All.Unpaired, p.All.OwnSeeds = m.unpaired, m.note != ""
	for _, x := range o.By {
		p.By = append(p.By, breakdown(m.units, x, o))
	}
	p.SpentA, p.SpentB = spending(a, m.units, false), spending(b, m.units, true)
	p.Flips = flips(m.units, label)
	p.Reasons = byClass(p.Flips)
	return p
}

// labels returns what the axes group an item by. A run older than the column features has none, so they are counted from
// the gold query.
func labels(q *record.Question) axes.Labels {
	l := axes.Labels{DB: q.DB, Hardness: q.Hardness, Difficulty: q.Difficulty, Features: q.Features}
	if l.Features == "" {
		l.Features = axes.Features(q.Gold)
	}
	return l
}

// breakdown divides the items by an axis.
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

// Flip is a pair of scores that differ: of two rows with one seed, or of an item's means where the sides have different
// seeds. Then the seed, statuses and SQL are those of the first rows that differ in the same direction as the means.
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
		for i, p := range u.pairs() {
			if p.A == p.B {
				continue
			}
			x, y := u.witness(i, p)
			q := u.question
			f := Flip{Item: x.Item, DB: x.DB, Hardness: x.Hardness, Difficulty: x.Difficulty, Seed: x.Seed,
				ScoreA: p.A, ScoreB: p.B, StatusA: x.Status, StatusB: y.Status, SQLA: x.SQL, SQLB: y.SQL,
				Question: q.Question, Gold: q.Gold}
			f.Class, f.Reason = explain(f, label)
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(x, y Flip) int { return cmp.Compare(x.ScoreB-x.ScoreA, y.ScoreB-y.ScoreA) })
	return out
}

// ClassCount is the number of flips of one class.
type ClassCount struct {
	Class Class `json:"class"`
	Lost  int   `json:"lost"`
	Won   int   `json:"won"`
}

// byClass counts flips by class, in the order of the classes.
func byClass(flips []Flip) (out []ClassCount) {
	for _, c := range classes {
		t := ClassCount{Class: c}
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
