package record

import (
	"slices"
	"strings"
	"sync"

	"assay/configs"
	"assay/prompting/sql/schema"
)

// Cell names an arm at a point of the sweep. Cells are comparable, and equal in all runs that have both.
type Cell struct {
	Arm   string
	point string // the sweep's values, joined
}

// CellOf returns the cell of an arm at a point, whose values are in the order of Manifest.Axes.
func CellOf(arm string, point []string) Cell { return Cell{arm, strings.Join(point, "\x00")} }

// Key names an answer: an item under one cell and seed. Keys are comparable, and equal in all runs that have the answer.
type Key struct {
	Item string
	Cell
	Seed int64
}

// Key names the row's answer.
func (it *Item) Key() Key { return it.at().key() }

// Index finds a run's rows by the names in them. It points into the run, and is valid as long as the rows do not change.
type Index struct {
	Run       *Run
	Questions []*Question // the run's, then one for each item without a question, made from its answers
	Series    []*Series   // in the order of their first rows in items.csv
	Answers   []Answer    // in the order of items.csv

	byItem   map[string]*Question
	byCell   map[Cell]*Series
	byKey    func() map[Key]int // positions in Answers
	byDigest func() map[[2]string]*Result
	byDB     func() map[string]*schema.Database
}

// Series holds a run's answers under one cell.
type Series struct {
	Cell
	Point   []string    // the sweep's values, in the order of Manifest.Axes
	Config  configs.Arm // the arm as it ran at the point; without Known its name alone
	Known   bool        // the experiment has the cell
	Seeds   []int64     // of the answers, ascending
	Answers []*Answer   // in the order of items.csv
}

// Answer holds all rows of one item under one cell and seed, each kind in the order of its file.
type Answer struct {
	Item       *Item
	Question   *Question
	Series     *Series
	Candidates []Candidate
	Dropped    []Candidate
	Votes      []Vote
	Calls      []Call
	Links      []Link
	Steps      []Step
	Components []Component // one, or none
	Shown      []Shown     // one, or none
}

// Index gathers the run's rows by answer, and its answers by cell, in linear time. It leaves out rows of answers that
// items.csv does not list.
func (r *Run) Index() *Index {
	x := &Index{Run: r, Answers: make([]Answer, len(r.Items)), byItem: make(map[string]*Question, len(r.Questions)), byCell: map[Cell]*Series{}}
	x.byKey, x.byDigest, x.byDB = sync.OnceValue(x.positions), sync.OnceValue(x.results), sync.OnceValue(x.schemas)
	for i := range r.Questions {
		x.ask(&r.Questions[i])
	}
	arms := asRun(r.Resolved)
	for i := range r.Items {
		it := &r.Items[i]
		if x.byItem[it.Item] == nil {
			x.ask(&Question{Item: it.Item, DB: it.DB, Hardness: it.Hardness, Difficulty: it.Difficulty})
		}
		a := &x.Answers[i]
		a.Item, a.Question, a.Series = it, x.byItem[it.Item], x.seriesOf(it, arms)
		a.Series.Answers = append(a.Series.Answers, a)
	}
	for _, s := range x.Series {
		slices.Sort(s.Seeds)
	}
	gather(x, r.Candidates, (*Candidate).at, func(a *Answer) *[]Candidate { return &a.Candidates })
	gather(x, r.Dropped, (*Candidate).at, func(a *Answer) *[]Candidate { return &a.Dropped })
	gather(x, r.Votes, (*Vote).at, func(a *Answer) *[]Vote { return &a.Votes })
	gather(x, r.Calls, (*Call).at, func(a *Answer) *[]Call { return &a.Calls })
	gather(x, r.Links, (*Link).at, func(a *Answer) *[]Link { return &a.Links })
	gather(x, r.Steps, (*Step).at, func(a *Answer) *[]Step { return &a.Steps })
	gather(x, r.Components, (*Component).at, func(a *Answer) *[]Component { return &a.Components })
	gather(x, r.Shown, (*Shown).at, func(a *Answer) *[]Shown { return &a.Shown })
	return x
}

// ask adds a question.
func (x *Index) ask(q *Question) {
	x.Questions, x.byItem[q.Item] = append(x.Questions, q), q
}

// asRun returns the arms of an experiment by cell, with the sweep applied.
func asRun(e configs.Experiment) map[Cell]configs.Arm {
	out := map[Cell]configs.Arm{}
	for _, c := range e.Cells() {
		out[CellOf(c.Arm.Name, c.Values())] = c.Arm
	}
	return out
}

// seriesOf returns the series of an answer, made where it is new, and adds the answer's seed.
func (x *Index) seriesOf(it *Item, arms map[Cell]configs.Arm) *Series {
	cell := CellOf(it.Arm, it.Point)
	s := x.byCell[cell]
	if s == nil {
		s = &Series{Cell: cell, Point: it.Point}
		if s.Config, s.Known = arms[cell]; !s.Known {
			s.Config.Name = it.Arm
		}
		x.Series, x.byCell[cell] = append(x.Series, s), s
	}
	if !slices.Contains(s.Seeds, it.Seed) {
		s.Seeds = append(s.Seeds, it.Seed)
	}
	return s
}

// At returns the series of a cell, nil where the run has no answer there.
func (x *Index) At(c Cell) *Series { return x.byCell[c] }

// Result returns the beginning of the result with that digest that a query of the item returned; nil where the run stored
// none.
func (x *Index) Result(item, digest string) *Result { return x.byDigest()[[2]string{item, digest}] }

func (x *Index) results() map[[2]string]*Result {
	out := make(map[[2]string]*Result, len(x.Run.Results))
	for i := range x.Run.Results {
		r := &x.Run.Results[i]
		out[[2]string{r.Item, r.Digest}] = r
	}
	return out
}

// Schema returns a database as columns.csv lists it; nil where the run is older than that file.
func (x *Index) Schema(db string) *schema.Database { return x.byDB()[db] }

func (x *Index) schemas() map[string]*schema.Database {
	out := map[string]*schema.Database{}
	for _, c := range x.Run.Columns {
		if out[c.DB] == nil {
			out[c.DB] = &schema.Database{}
		}
		out[c.DB].Add(c.Table, c.Column)
	}
	return out
}

func (x *Index) positions() map[Key]int {
	out := make(map[Key]int, len(x.Answers))
	for i := range x.Answers {
		out[x.Answers[i].Item.Key()] = i
	}
	return out
}

// place holds the cells of a row that name its answer.
type place struct {
	item, arm string
	point     []string
	seed      int64
}

func (it *Item) at() place     { return place{it.Item, it.Arm, it.Point, it.Seed} }
func (c *Candidate) at() place { return place{c.Item, c.Arm, c.Point, c.Seed} }
func (v *Vote) at() place      { return place{v.Item, v.Arm, v.Point, v.Seed} }
func (c *Call) at() place      { return place{c.Item, c.Arm, c.Point, c.Seed} }
func (l *Link) at() place      { return place{l.Item, l.Arm, l.Point, l.Seed} }
func (s *Step) at() place      { return place{s.Item, s.Arm, s.Point, s.Seed} }
func (c *Component) at() place { return place{c.Item, c.Arm, c.Point, c.Seed} }
func (s *Shown) at() place     { return place{s.Item, s.Arm, s.Point, s.Seed} }

func (p place) key() Key { return Key{p.item, CellOf(p.arm, p.point), p.seed} }

func (p place) is(q place) bool {
	return p.item == q.item && p.seed == q.seed && p.arm == q.arm && slices.Equal(p.point, q.point)
}

// gather gives each answer its rows of one file: a slice of the file's rows where they are adjacent, as runs write them, and
// a copy where someone has sorted the file in another way.
func gather[R any](x *Index, rows []R, at func(*R) place, of func(*Answer) *[]R) {
	last := -1
	for low, high := 0, 0; low < len(rows); low = high {
		p := at(&rows[low])
		for high = low + 1; high < len(rows) && at(&rows[high]).is(p); high++ {
		}
		i := x.position(p, last)
		if i < 0 {
			continue
		}
		last = i
		if own := of(&x.Answers[i]); *own == nil {
			*own = rows[low:high:high]
		} else {
			*own = append(*own, rows[low:high]...)
		}
	}
}

// position finds the answer at a place; -1 where there is none. It tries the answer after the last one first, which it
// usually is, to avoid building the map of all keys.
func (x *Index) position(p place, last int) int {
	if next := last + 1; next < len(x.Answers) && x.Answers[next].Item.at().is(p) {
		return next
	}
	if i, ok := x.byKey()[p.key()]; ok {
		return i
	}
	return -1
}
