package rows

import (
	"cmp"
	"slices"
)

// searchSteps bounds the number of cells that matchAnyOrder examines, about one second's work.
const searchSteps = 1 << 25

// matchOrdered reports whether the columns of p can be reordered to give g. Rows stay in place, so each column of g
// needs an identical column of p, and any identical one will do.
func matchOrdered(g, p grid) Verdict {
	used := make([]bool, len(p.cols))
	for i, col := range g.cols {
		found := false
		for j := 0; j < len(p.cols) && !found; j++ {
			if !used[j] && slices.Equal(col, p.cols[j]) {
				used[j], found = true, true
			}
		}
		if !found {
			return unequal("no column is equal to column %d of the gold, row by row", i+1)
		}
	}
	return equal
}

// matchAnyOrder reports whether the columns and the rows of p can be reordered to give g.
//
// A column of g can only match a column of p with the same values as often, which is mostly one column. Columns are
// assigned one by one, those with the fewest candidates first. After each, rows are split into classes by their values
// so far, and the assignment is kept only if both sides have the same classes equally often.
func matchAnyOrder(g, p grid) Verdict { return matchWithin(g, p, make([]int32, g.rows)) }

// matchWithin is matchAnyOrder in which a row may only take the place of a row of the same group.
func matchWithin(g, p grid, groups []int32) Verdict {
	s := search{g: g, p: p, left: searchSteps, used: make([]bool, len(p.cols))}
	s.twin = twins(p.cols)
	s.plan = make([]step, len(g.cols))
	sums := make([]uint64, len(p.cols))
	for j, col := range p.cols {
		sums[j] = sum(col)
	}
	for i, col := range g.cols {
		s.plan[i] = step{col: i, candidates: candidates(i, sum(col), sums)}
		if len(s.plan[i].candidates) == 0 {
			return unequal("no column has the values of column %d of the gold", i+1)
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

// candidates returns the columns whose sum is want, the one in the same place first.
func candidates(place int, want uint64, sums []uint64) []int {
	var js []int
	for j, sum := range sums {
		switch {
		case sum != want:
		case j == place:
			js = slices.Insert(js, 0, j)
		default:
			js = append(js, j)
		}
	}
	return js
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

// twins maps each column to the first identical one.
func twins(cols [][]int32) []int {
	twin := make([]int, len(cols))
	for j := range cols {
		twin[j] = j
		for k := range j {
			if twin[k] == k && slices.Equal(cols[k], cols[j]) {
				twin[j] = k
				break
			}
		}
	}
	return twin
}

type step struct {
	col        int
	candidates []int
}

type search struct {
	g, p grid
	plan []step
	used []bool
	twin []int
	left int // number of steps left
}

// assign finds columns for plan[depth:]; gc and pc are the rows' classes by the columns before.
func (s *search) assign(depth int, gc, pc []int32) bool {
	if depth == len(s.plan) {
		return true
	}
	var failed []int
	for _, j := range s.plan[depth].candidates {
		if s.used[j] || slices.Contains(failed, s.twin[j]) {
			continue
		}
		if s.left -= 2 * len(gc); s.left <= 0 {
			return false
		}
		g, p := slices.Clone(gc), slices.Clone(pc)
		if n := refine(g, p, s.g.cols[s.plan[depth].col], s.p.cols[j]); balanced(g, p, n) {
			s.used[j] = true
			if s.assign(depth+1, g, p) {
				return true
			}
			s.used[j] = false
		}
		failed = append(failed, s.twin[j])
	}
	return false
}

// balanced reports whether both sides have each of the n classes equally often.
func balanced(g, p []int32, n int) bool {
	count := make([]int32, n)
	for i := range g {
		count[g[i]]++
		count[p[i]]--
	}
	return !slices.ContainsFunc(count, func(c int32) bool { return c != 0 })
}
