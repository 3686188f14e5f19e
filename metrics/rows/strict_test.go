package rows

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/prompting/sql/engine"
)

func TestStrict(t *testing.T) {
	check := func(gold, pred *engine.Result, groups []int32, want bool) {
		t.Helper()
		for _, pair := range [][2]*engine.Result{{gold, pred}, {pred, gold}} {
			if v := Strict(pair[0], pair[1], groups); v.Equal != want || v.Undecided || (v.Why == "") != want {
				t.Errorf("got %+v, want %v", v, want)
			}
		}
	}
	check(none(1), none(2), nil, false)
	check(none(2), none(2), []int32{}, true)
	check(none(1), table("1"), nil, false)

	// repetition counts, order only within groups
	check(table("1;2"), table("2;1"), nil, true)
	check(table("1;2"), table("2;1"), []int32{0, 1}, false)
	check(table("1;1;2"), table("1;2;2"), nil, false)

	// ties: a and b share a place, c has one of its own
	tied := []int32{0, 0, 1}
	check(table("a,1;b,1;c,2"), table("b,1;a,1;c,2"), tied, true)
	check(table("a,1;b,1;c,2"), table("a,1;c,2;b,1"), tied, false)
	check(table("a,1;b,1;c,2"), table("c,2;b,1;a,1"), tied, false)

	// columns may be in any order, together
	check(table("1,2"), table("2,1"), nil, true)
	check(table("1,2;3,4"), table("2,1;4,3"), []int32{0, 1}, true)
	check(table("1,2;2,1"), table("1,1;2,2"), nil, false)
	check(table("a,1;b,1;c,2"), table("1,b;1,a;2,c"), tied, true)

	// numbers: integer and real alike, reals to nine digits
	check(table("2,2.5"), table("2.0,2.5"), []int32{0}, true)
	check(table("0.30000000000000004"), table("0.3"), nil, true)
	check(table("3"), table("2.9999999999999996"), nil, true)
	check(table("3"), table("2.9999"), nil, false)
	check(table("0"), table("0.0000000000001"), nil, true)
	check(table("0"), table("0.0000001"), nil, false)
	check(table("12345678901"), table("12345678902"), nil, false)
	check(table("12345678901.0"), table("12345678902.0"), nil, false)
	check(table("1e300"), table("1.0000000001e300"), nil, true)
	check(table("'1'"), table("1"), nil, false)
	check(table("NULL"), table("0"), nil, false)

	check(table("a\xff"), table("a\xff"), nil, true)
	check(table("a\xff"), table("a"), nil, false)
	check(table("a"), table("A"), nil, false)
}

// strictPlain tries every order of columns, and compares the rows of each group as multisets.
func strictPlain(gold, pred *engine.Result, groups []int32) bool {
	if len(gold.Rows) != len(pred.Rows) || len(gold.Columns) != len(pred.Columns) {
		return false
	}
	found := false
	permute(len(gold.Columns), func(perm []int) { found = found || eachGroup(gold, pred, groups, perm) })
	return found
}

func eachGroup(gold, pred *engine.Result, groups []int32, perm []int) bool {
	var left [][]engine.Value
	for i := range gold.Rows {
		left = append(left, pred.Rows[i])
		if i+1 < len(groups) && groups[i] == groups[i+1] || groups == nil && i+1 < len(gold.Rows) {
			continue
		}
		for _, row := range gold.Rows[i+1-len(left) : i+1] {
			at := slices.IndexFunc(left, func(other []engine.Value) bool {
				for j, v := range row {
					if v.Canonical() != other[perm[j]].Canonical() {
						return false
					}
				}
				return true
			})
			if at < 0 {
				return false
			}
			left[at] = nil
			left = slices.DeleteFunc(left, func(r []engine.Value) bool { return r == nil })
		}
	}
	return true
}

// On thousands of small tables the verdict is the plain method's. The values are far from one another.
func TestStrictIsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	pool := []engine.Value{value("1"), value("1.0"), value("1.5"), value("'1'"), value("NULL"), value("a")}
	equals := 0
	for round := range 10000 {
		gold := randomTable(r, pool[:2+r.IntN(len(pool)-1)], r.IntN(5), 1+r.IntN(4))
		pred := disguise(r, gold)
		var groups []int32
		if r.IntN(3) > 0 {
			groups = make([]int32, len(gold.Rows))
			for i := 1; i < len(groups); i++ {
				groups[i] = groups[i-1] + r.Int32N(2)
			}
		}
		v, want := Strict(gold, pred, groups), strictPlain(gold, pred, groups)
		if v.Equal != want || v.Undecided {
			t.Fatalf("round %d, groups %v: %+v, want %v\n%v\n%v", round, groups, v, want, gold.Rows, pred.Rows)
		}
		if want {
			equals++
		}
	}
	if equals < 1000 || equals > 9000 {
		t.Errorf("%d of 10000 were equal: the tables test too little", equals)
	}
}
