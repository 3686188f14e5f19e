package pool

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made returns an item of candidates written as "g+a*": generator g, right (+), wrong (-) or not scored (?), digest a
// (none where it is an error), chosen (*). A digit instead of a digest letter is one too.
func made(id string, cs ...string) Item {
	it := Item{ID: id}
	for i, s := range cs {
		c := Candidate{Generator: s[:1], Sample: i, Scored: s[1] != '?', Correct: s[1] == '+', Chosen: strings.HasSuffix(s, "*")}
		c.Digest = strings.TrimSuffix(s[2:], "*")
		c.SQL = strings.Repeat("x", 20-i)
		it.Candidates = append(it.Candidates, c)
	}
	return it
}

// four is worked by hand below: q solves 1 and 3, d solves 1 and 2, nothing solves 4.
func four() []Item {
	return []Item{
		made("1", "q+a*", "q+a", "d+a", "d+a"),
		made("2", "q-a", "q-b", "d+c", "d-a*"),
		made("3", "q+a", "q-b*", "d-", "d-b"),
		made("4", "q-a", "q-", "d-a*", "d-b"),
		made("5", "q?", "d?"),
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

func TestPassAtK(t *testing.T) {
	check := func(n, c, k int, at, hat float64) {
		t.Helper()
		near(t, fmt.Sprintf("pass@%d of %d/%d", k, c, n), passAtK(n, c, k), at)
		near(t, fmt.Sprintf("pass^%d of %d/%d", k, c, n), passHatK(n, c, k), hat)
	}
	check(5, 2, 1, 2.0/5, 2.0/5)
	check(5, 2, 2, 7.0/10, 1.0/10) // 1 - C(3,2)/C(5,2) = 1 - 3/10; C(2,2)/C(5,2)
	check(5, 2, 3, 9.0/10, 0)      // 1 - C(3,3)/C(5,3)
	check(5, 2, 4, 1, 0)
	check(21, 3, 7, 1-31824.0/116280, 0) // C(18,7) and C(21,7)
	check(21, 3, 2, 1-153.0/210, 3.0/210)
	check(4, 0, 2, 0, 0)
	check(4, 4, 2, 1, 1)
	check(1, 1, 1, 1, 1)
}

func TestPassAtKIsStable(t *testing.T) {
	// With c = 1 the chance is k/n, whatever their size.
	for _, n := range []int{10, 1000, 1_000_000} {
		for _, k := range []int{1, n / 3, n - 1, n} {
			if got, want := passAtK(n, 1, k), float64(k)/float64(n); math.Abs(got-want) > 1e-9 {
				t.Errorf("pass@%d of 1/%d is %v, not %v", k, n, got, want)
			}
		}
	}
}

func TestMeasures(t *testing.T) {
	check := func(name string, items []Item, m Measure, want float64) {
		t.Helper()
		near(t, name, Mean(items, m).Estimate, want)
	}
	// Of four: 1 has right candidates alone, 2 and 3 one, 4 none; 5 has no scored one. Chosen right: 1.
	check("upper", four(), Upper, 3.0/4)
	check("lower", four(), Lower, 1.0/4)
	check("chosen", four(), Chosen, 1.0/4)
	check("regret", four(), Regret, 2.0/4)
	check("headroom", four(), Headroom, 0)
	check("upper of q", Only(four(), "q"), Upper, 2.0/4)
	check("lower of d", Only(four(), "d"), Lower, 1.0/4)
	check("a candidate not scored", []Item{made("1", "q+a", "q?")}, Lower, 1)
	if got := len(Values(four(), Upper)); got != 4 {
		t.Errorf("%d items with a scored candidate, want 4", got)
	}
	// 3 of 4: Wilson's interval.
	if in := Mean(four(), Upper); fmt.Sprintf("%.4f %.4f", in.Low, in.High) != "0.3006 0.9544" {
		t.Errorf("%+v", in)
	}
	if in := Mean(nil, Upper); !math.IsNaN(in.Estimate) {
		t.Errorf("the upper bound of nothing is %v", in.Estimate)
	}
	// Right candidates: 4, 1, 1, 0 of 4.
	for k, want := range map[int][2]float64{1: {6.0 / 16, 6.0 / 16}, 2: {(1 + .5 + .5) / 4, 1.0 / 4}, 3: {(1 + .75 + .75) / 4, 1.0 / 4}, 4: {3.0 / 4, 1.0 / 4}, 9: {3.0 / 4, 1.0 / 4}} {
		check(fmt.Sprintf("pass@%d", k), four(), UpperAt(k), want[0])
		check(fmt.Sprintf("pass^%d", k), four(), lowerAt(k), want[1])
	}
}

func TestSelfConsistency(t *testing.T) {
	check := func(first, shortest, any float64, cs ...string) {
		t.Helper()
		got := made("x", cs...).Candidates
		for i, want := range []float64{first, shortest, any} {
			near(t, fmt.Sprintf("%s of %v", rules[i], cs), SelfConsistency(rules[i])(got), want)
		}
	}
	check(1, 1, 1, "q+a", "q+a", "q-b")
	check(0, 0, 0, "q+a", "q-b", "q-b")
	check(1, 0, .5, "q+a", "q-b")               // a tie: the later is shorter
	check(0, 1, .5, "q-b", "q+a", "q-b", "q+a") // the last is the shortest
	check(1, 1, 1, "q-", "q-", "q-", "q+a")     // errors never vote
	check(1, 0, .5, "q+", "q-")                 // without any result nothing distinguishes them
	check(0, 0, 0, "q-", "q-")
	check(0, 0, 0)
}

func TestOracle(t *testing.T) {
	// Under First: q answers a right in 1 and 3, d in 1 and 2; nobody in 4.
	near(t, "oracle", Mean(four(), Oracle(First)).Estimate, 3.0/4)
	near(t, "oracle of q", Mean(Only(four(), "q"), Oracle(First)).Estimate, 2.0/4)
}

func TestVenn(t *testing.T) {
	v := VennOf(four())
	want := Venn{
		Generators: []string{"q", "d"},
		Regions:    []Region{{[]string{"q"}, []string{"3"}}, {[]string{"d"}, []string{"2"}}, {[]string{"q", "d"}, []string{"1"}}},
		None:       []string{"4"}, Unscored: 1,
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 1}, v.Unique()); diff != "" {
		t.Error(diff)
	}
	three := VennOf([]Item{made("1", "a+x", "b-y", "c+x")})
	var names []string
	for _, r := range three.Regions {
		names = append(names, strings.Join(r.Generators, ""))
	}
	if got := strings.Join(names, " "); got != "a b c ab ac bc abc" {
		t.Errorf("regions %s", got)
	}
}

func TestVennOfMany(t *testing.T) {
	var cs []string
	for i := range 15 {
		cs = append(cs, string(rune('a'+i))+"-x")
	}
	cs[3], cs[14] = "d+y", "o+y"
	v := VennOf([]Item{made("1", cs...), made("2", cs[4:]...)})
	if len(v.Regions) != 2 || strings.Join(v.Regions[1].Generators, "") != "do" || strings.Join(v.Regions[0].Generators, "") != "o" {
		t.Errorf("%+v", v.Regions)
	}
}

func TestOutcomes(t *testing.T) {
	doubted := made("6", "q-a*")
	doubted.GoldInDoubt = true
	fine := made("7", "q+a*")
	fine.GoldInDoubt = true
	items := append(four(), doubted, fine)
	// 1 and 7 right; 2 and 3 not chosen; 4 not in the pool; 6 gold in doubt; 5 not scored.
	if diff := cmp.Diff([]int{2, 2, 1, 1, 1}, Split(items)); diff != "" {
		t.Error(diff)
	}
}

func TestBinaryAccuracy(t *testing.T) {
	b := BinaryAccuracy([]Vote{
		{A: "1", B: "2", Winner: "1", Scored: true, ARight: true},
		{A: "1", B: "2", Winner: "1", Scored: true, ARight: true, Swapped: true},
		{A: "1", B: "2", Winner: "1", Scored: true, BRight: true},
		{A: "1", B: "2", Winner: "neither", Scored: true, BRight: true},
		{A: "1", B: "2", Winner: "1", Scored: true, ARight: true, BRight: true},
		{A: "1", B: "2", Winner: "1", Scored: true},
		{A: "1", B: "2", Winner: "1", ARight: true},
	})
	if b.Votes != 4 || b.Unread != 1 || b.Other != 3 {
		t.Errorf("%+v", b)
	}
	near(t, "accuracy", b.Accuracy.Estimate, 2.0/4)
}

func TestOrderBias(t *testing.T) {
	vote := func(item, a, b, winner string) Vote { return Vote{Item: item, A: a, B: b, Winner: winner} }
	b := OrderBias([]Vote{
		vote("i", "1", "2", "1"), vote("i", "2", "1", "1"), // 1 wins both
		vote("i", "1", "3", "1"), vote("i", "3", "1", "3"), // the first wins both
		vote("i", "2", "3", "3"), {Item: "i", A: "2", B: "3", Swapped: true, Winner: "2"}, // the second wins both
		vote("j", "1", "2", "1"), // in one order only
		vote("j", "1", "2", "?"),
	})
	if b.Votes != 7 || b.Unread != 1 || b.Pairs != 3 || b.Same != 1 || b.FirstBoth != 1 || b.SecondBoth != 1 || b.Test.P != 1 {
		t.Errorf("%+v", b)
	}
	near(t, "first", b.First.Estimate, 4.0/7) // 1, 1, 3 and j's 1 were shown first
}
