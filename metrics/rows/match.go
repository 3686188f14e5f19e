package rows

import (
	"cmp"
	"slices"
)

// searchSteps bounds what one comparison examines in search of an order of columns: cells that are split into classes, and
// columns that are passed over. It is less than half a second's work.
const searchSteps = 1 << 25

// matchOrdered reports whether the columns of p can be reordered to give g. Rows stay in place, so each column of g
// needs an identical column of p, and any identical one will do.
func matchOrdered(g, p grid) Verdict {
	gold, pred := sameColumns(g, p)
	left := map[int32]int{}
	for _, id := range pred {
		left[id]++
	}
	for i, id := range gold {
		if left[id]--; left[id] < 0 {
			return unequal("no column is equal to column %d of the gold result, row by row", i+1)
		}
	}
	return equal
}

// search looks for an order of the columns and of the rows of p that gives g.
//
// A column of g can only match a column of p with the same values as often, which is mostly one column. Columns are
// assigned one by one, those with the fewest candidates first. After each, rows are split into classes by their values
// so far, and the assignment is kept only if both sides have the same classes equally often.
type search struct {
	g, p  grid
	plan  []step
	used  []bool
	twin  []int32 // by column of p: equal numbers for identical columns
	split *splitter
	count []int32
	left  int // number of steps left
}

type step struct {
	col        int     // of g
	candidates []int   // columns of p; steps share them
	straight   bool    // the column of p in the same place is one of them, and is tried first
	gc, pc     []int32 // classes of rows by this column and those before, where they match
}

// tryCost is what a try costs in steps, whatever the number of rows.
const tryCost = 16

func newSearch(g, p grid) *search {
	s := &search{g: g, p: p, left: searchSteps}
	s.split, s.count = newSplitter(g.rows+p.rows), make([]int32, g.rows+p.rows)
	_, s.twin = sameColumns(g, p)
	return s
}

// anyOrder reports whether the columns and the rows of p can be reordered to give g.
func (s *search) anyOrder() Verdict { return s.within(make([]int32, s.g.rows)) }

// within is anyOrder in which a row may only take the place of a row of the same group. Searches share their steps.
func (s *search) within(groups []int32) Verdict {
	s.used, s.plan = make([]bool, len(s.p.cols)), make([]step, len(s.g.cols))
	bySum := map[uint64][]int{}
	for j, col := range s.p.cols {
		h := sum(col)
		bySum[h] = append(bySum[h], j)
	}
	for i, col := range s.g.cols {
		same := bySum[sum(col)]
		s.plan[i] = step{col: i, candidates: same, straight: slices.Contains(same, i)}
		if len(same) == 0 {
			return unequal("no column has the values of column %d of the gold result", i+1)
		}
	}
	slices.SortStableFunc(s.plan, func(a, b step) int { return cmp.Compare(len(a.candidates), len(b.candidates)) })
	switch {
	case s.assign(0, groups, groups):
		return equal
	case s.left <= 0:
		return Verdict{Undecided: true, Why: "gave up matching columns"}
	}
	return unequal("the columns match one by one, but not together")
}

// sum hashes the values of a column as a multiset. If different columns have equal hashes nothing is lost: refining
// shows that they differ.
func sum(col []int32) (h uint64) {
	for _, v := range col {
		x := uint64(uint32(v)) + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		h += x ^ x>>31
	}
	return h
}

// assign finds columns for plan[depth:]; gc and pc are the rows' classes by the columns before.
func (s *search) assign(depth int, gc, pc []int32) bool {
	if depth == len(s.plan) {
		return true
	}
	at := &s.plan[depth]
	var failed []int32
	for j := range at.tries() {
		s.left -= 1 + len(failed)
		if s.used[j] || slices.Contains(failed, s.twin[j]) {
			continue
		}
		if s.left -= tryCost + 2*len(gc); s.left <= 0 {
			return false
		}
		if s.matches(at, j, gc, pc) {
			s.used[j] = true
			if s.assign(depth+1, at.gc, at.pc) {
				return true
			}
			s.used[j] = false
		}
		failed = append(failed, s.twin[j])
	}
	return false
}

// tries yields the candidates, the one in the same place first.
func (t *step) tries() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if t.straight && !yield(t.col) {
			return
		}
		for _, j := range t.candidates {
			if j != t.col && !yield(j) {
				return
			}
		}
	}
}

// matches splits the classes of rows by the step's column of g and by column j of p, and reports whether both sides then
// have each class equally often.
func (s *search) matches(at *step, j int, gc, pc []int32) bool {
	at.gc, at.pc = append(at.gc[:0], gc...), append(at.pc[:0], pc...)
	n := s.split.refine(at.gc, at.pc, s.g.cols[at.col], s.p.cols[j])
	clear(s.count[:n])
	for i := range at.gc {
		s.count[at.gc[i]]++
		s.count[at.pc[i]]--
	}
	return !slices.ContainsFunc(s.count[:n], func(c int32) bool { return c != 0 })
}
