package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
	"assay/metrics/pool"
	"assay/plots/figure"
	"assay/plots/table"
)

// letters are the generators in the notation of made.
var letters = map[string]string{"q": "qp-cot", "d": "dc-cot", "o": "os", "b": "bird-cot"}

// pooledRun is an empty run of an experiment with these arms.
func pooledRun(t *testing.T, arms string) *record.Run {
	t.Helper()
	e := experiment(t, "[0]", `kind = "sample"`, arms)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "x", Experiment: e.Name, Complete: true, Dataset: "sample/dev", Metrics: []record.Metric{{ID: "ex"}}}}
	for _, a := range e.Sweep {
		r.Manifest.Axes = append(r.Manifest.Axes, a.Key)
	}
	return r
}

// add answers an item, with its candidates written as "q+a*": generator, right (+), wrong (-) or without a score (?), what
// it returned (nothing where it failed), chosen (*).
func add(r *record.Run, item, db, hardness, arm string, point []string, cs ...string) {
	if !hasQuestion(r, item) {
		r.Questions = append(r.Questions, record.Question{Item: item, DB: db, Hardness: hardness})
		r.Manifest.Items++
	}
	it := record.Item{Item: item, DB: db, Hardness: hardness, Arm: arm, Point: point, Status: metrics.ModelError, Values: []record.Value{{}}}
	for i, s := range cs {
		c := record.Candidate{Item: item, Arm: arm, Point: point, Sample: i, Generator: letters[s[:1]], Digest: strings.TrimSuffix(s[2:], "*"),
			Status: map[byte]metrics.Status{'+': metrics.Correct, '-': metrics.Wrong, '?': metrics.ModelError}[s[1]], SQL: "SELECT " + s}
		if c.Status == metrics.ModelError {
			c.SQL = ""
		}
		if strings.HasSuffix(s, "*") {
			c.Chosen, it.Status = 1, c.Status
			if c.Status.Scored() {
				it.Values = []record.Value{{OK: true}}
				if c.Status == metrics.Correct {
					it.Values[0].V = 1
				}
			}
		}
		r.Candidates = append(r.Candidates, c)
	}
	r.Items = append(r.Items, it)
}

// lastUnder puts the answer added last, of two candidates, under a seed.
func lastUnder(r *record.Run, seed int64) {
	r.Items[len(r.Items)-1].Seed = seed
	for i := range 2 {
		r.Candidates[len(r.Candidates)-1-i].Seed = seed
	}
}

func hasQuestion(r *record.Run, item string) bool {
	for _, q := range r.Questions {
		if q.Item == item {
			return true
		}
	}
	return false
}

const poolArm = `
[[arm]]
name = "chase"
method = "pool"
generators = ["qp-cot", "dc-cot"]
selection.rule = "pairwise"
fixer.tries = 3
fixer.on_unfixed = "drop"
`

// four is worked by hand below: the query plan solves 1 and 3, divide and conquer 1 and 2, nobody 4; 5 has no score.
func four(t *testing.T) *record.Run {
	r := pooledRun(t, poolArm)
	add(r, "1", "a", "easy", "chase", nil, "q+a*", "q+a", "d+a", "d+a")
	add(r, "2", "a", "hard", "chase", nil, "q-a", "q-b", "d+c", "d-a*")
	add(r, "3", "b", "easy", "chase", nil, "q+a", "q-b*", "d-", "d-b")
	add(r, "4", "b", "hard", "chase", nil, "q-a", "q-", "d-a*", "d-b")
	add(r, "5", "b", "hard", "chase", nil, "q?*", "d?")
	return r
}

// at is the printed cell of a table: the row whose first cells are the keys, under the column "group/name" or "name".
func at(t *testing.T, tb *table.Table, keys, column string) string {
	t.Helper()
	for _, row := range tb.Rows {
		var own []string
		for i := range strings.Count(keys, "|") + 1 {
			own = append(own, row[i].String())
		}
		if strings.Join(own, "|") != keys {
			continue
		}
		for i, c := range tb.Columns {
			if column == c.Name || column == c.Group+"/"+c.Name {
				return row[i].String()
			}
		}
		t.Errorf("%s has no column %q", tb.ID, column)
		return ""
	}
	t.Errorf("%s has no row %q", tb.ID, keys)
	return ""
}

// holds checks printed cells; an interval after the number is not compared.
func holds(t *testing.T, r *record.Run, name string) func(keys, column, want string) {
	t.Helper()
	tb := one(t, r, name).Table
	return func(keys, column, want string) {
		t.Helper()
		got, _, _ := strings.Cut(at(t, tb, keys, column), " [")
		if got != want {
			t.Errorf("%s, row %s, column %s: %q, want %q", name, keys, column, got, want)
		}
	}
}

func TestBoundsTable(t *testing.T) {
	check := holds(t, four(t), "bounds")
	check("chase|pooled|1", "pass@k", "37.5") // 4, 1, 1 and 0 of 4 are right: 6/16
	check("chase|pooled|1", "pass^k", "37.5")
	check("chase|pooled|2", "pass@k", "50.0") // 1, 1 - C(3,2)/C(4,2) = 1/2 twice, 0
	check("chase|pooled|2", "pass^k", "25.0")
	check("chase|pooled|4", "pass@k", "75.0")
	check("chase|pooled|4", "items", "4") // 5 has no scored candidate
	check("chase|qp-cot|2", "pass@k", "50.0")
	check("chase|dc-cot|2", "pass^k", "25.0")
}

// TestFewItems: where every item is right, or none is, the interval is Wilson's of so many items, z² being 3.8415:
// [15/(15 + z²), 1] and [0, z²/(15 + z²)]; over seeds too, which are no more items.
func TestFewItems(t *testing.T) {
	check := func(candidate, want string, seeds ...int64) {
		t.Helper()
		r := pooledRun(t, poolArm)
		for _, seed := range seeds {
			for i := range 15 {
				add(r, fmt.Sprint(i), "a", "easy", "chase", nil, candidate+"*", candidate)
				lastUnder(r, seed)
			}
		}
		columns := map[string][]string{"bounds": {"chase|qp-cot|1", "pass@k", "pass^k", "self-consistency"}, "pickers": {"chase|chosen: pairwise", "accuracy %"},
			"arms": {"chase", "EX"}, "generators": {"chase|qp-cot", "one candidate", "self-consistency", "lower bound", "upper bound"}}
		for name, of := range columns {
			for _, c := range of[1:] {
				if got := at(t, one(t, r, name).Table, of[0], c); got != want {
					t.Errorf("%s, %s: %s, want %s", name, c, got, want)
				}
			}
		}
	}
	check("q+a", "100.0 [79.6, 100.0]", 0)
	check("q-a", "0.0 [0.0, 20.4]", 0)
	check("q+a", "100.0±0.00 [79.6, 100.0]", 0, 1, 2)
	check("q-a", "0.0±0.00 [0.0, 20.4]", 0, 1, 2)
}

func TestPickers(t *testing.T) {
	check := holds(t, four(t), "pickers")
	check("chase|oracle", "accuracy %", "75.0")
	check("chase|chosen: pairwise", "accuracy %", "25.0")
	check("chase|chosen: pairwise", "to the oracle", "-50.0")
	check("chase|self-consistency, any", "accuracy %", "25.0") // the largest clusters are a, a, b and a
	check("chase|oracle over generators", "accuracy %", "75.0")
	check("chase|random", "accuracy %", "37.5")
	check("chase|adversary", "accuracy %", "25.0")
}

func TestGeneratorTable(t *testing.T) {
	check := holds(t, four(t), "generators")
	check("chase|qp-cot", "one candidate", "37.5") // 1, 0, 1/2 and 0
	check("chase|qp-cot", "upper bound", "50.0")
	check("chase|qp-cot", "lower bound", "25.0")
	check("chase|qp-cot", "solved by it alone", "1")
	check("chase|dc-cot", "solved by it alone", "1")
	check("chase|qp-cot", "answers chosen", "3") // 1, 3 and 5
	check("chase|qp-cot", "of them right", "33.3")
	check("chase|dc-cot", "of them right", "0.0")
	check("chase|pooled", "solved by it alone", "")
}

func TestFixerTable(t *testing.T) {
	r := four(t)
	set := func(i int, trigger string, tries, fixed int, original string, before metrics.Status) {
		c := &r.Candidates[i]
		c.Trigger, c.Tries, c.Fixed, c.Original, c.OriginalStatus = trigger, tries, fixed, original, before
	}
	set(0, "error", 1, 1, "SELEC 1", metrics.SQLError) // made right
	set(1, "empty", 2, 1, "SELECT 2", metrics.Correct) // right before and after
	set(4, "empty", 1, 1, "SELECT 3", metrics.Correct) // made worse
	set(6, "error", 2, 1, "", "")                      // there was no query: made right
	r.Dropped = []record.Candidate{
		{Item: "4", Arm: "chase", Generator: "qp-cot", Trigger: "empty", Tries: 3, Status: metrics.Correct, SQL: "SELECT 4"}, // right, and yet out
		{Item: "4", Arm: "chase", Generator: "dc-cot", Trigger: "error", Tries: 3, Status: metrics.SQLError, SQL: "SELEC"},
	}
	r.Candidates = append(r.Candidates, record.Candidate{Item: "6", Arm: "chase", Generator: "qp-cot", Rule: standIn, Status: metrics.NoSQL, Chosen: 1})
	r.Items = append(r.Items, record.Item{Item: "6", DB: "a", Arm: "chase", Status: metrics.NoSQL, Values: []record.Value{{OK: true}}})
	check := holds(t, r, "fixer")
	check("chase|qp-cot", "candidates", "10") // 9 in pools, 1 dropped; the stand-in of item 6 is none
	check("chase|qp-cot", "triggered by/error", "1")
	check("chase|qp-cot", "triggered by/empty", "3")
	check("chase|qp-cot", "triggered by/either %", "40.0")
	check("chase|qp-cot", "fixed", "3")
	check("chase|qp-cot", "made right", "1")
	check("chase|qp-cot", "made worse", "1")
	check("chase|qp-cot", "dropped", "1")
	check("chase|qp-cot", "right ones dropped", "1")
	check("chase|qp-cot", "tries", "7")
	check("chase|qp-cot", "tries each", "1.75")
	check("chase|dc-cot", "made right", "1")
	check("chase|dc-cot", "right ones dropped", "0")
	check("chase|pooled", "candidates", "20")
}

// TestDroppedPools: a generator whose candidates the fixer all took out has not solved the item.
func TestDroppedPools(t *testing.T) {
	r := pooledRun(t, poolArm)
	add(r, "1", "a", "easy", "chase", nil, "q+a*", "q+a")
	add(r, "2", "a", "easy", "chase", nil, "q+a*", "d+a")
	r.Dropped = []record.Candidate{{Item: "1", Arm: "chase", Generator: "dc-cot", Status: metrics.SQLError, SQL: "SELEC"}}
	check := holds(t, r, "bounds")
	check("chase|dc-cot|1", "items", "2")
	check("chase|dc-cot|1", "pass@k", "50.0")
	check("chase|pooled|2", "pass@k", "100.0")
}

// vote adds comparisons of item i, written "01a0": candidates, how (m model, r reused, e execution), winner (- for
// none).
func vote(r *record.Run, item string, votes ...string) {
	for _, s := range votes {
		v := record.Vote{Item: item, Arm: "chase", A: int(s[0] - '0'), B: int(s[1] - '0'), Winner: -1,
			DecidedBy: map[byte]string{'a': "model", 'r': "reused", 'e': "execution"}[s[2]], Order: "forward"}
		if v.A > v.B {
			v.Order = "reverse"
		}
		if s[3] != '-' {
			v.Winner = int(s[3] - '0')
		}
		r.Votes = append(r.Votes, v)
	}
}

// compared is three candidates of two items: in 1 the second agrees with the first, in 2 the answers go by the order.
func comparedRun(t *testing.T) *record.Run {
	r := pooledRun(t, poolArm)
	add(r, "1", "a", "easy", "chase", nil, "q+a*", "q+a", "d-b")
	r.Candidates[1].SQL = r.Candidates[0].SQL
	vote(r, "1", "01e0", "02a0", "10e1", "12r1", "20a0", "21r1")
	add(r, "2", "b", "hard", "chase", nil, "q-a*", "d+b", "d-")
	vote(r, "2", "01a0", "10a1", "02a0", "20a-", "12a1", "21a1")
	return r
}

func TestSelectionTable(t *testing.T) {
	r := comparedRun(t)
	check := holds(t, r, "selection")
	check("chase", "chosen", "50.0")
	check("chase", "regret", "50.0")
	check("chase", "above the lower bound", "50.0") // no item has only right candidates
	// Right against wrong, by model calls: 02 and 20 of item 1 are won; of item 2 01 is lost and 10, 12 and 21 are won.
	check("chase", "comparisons", "6")
	check("chase", "right against wrong/accuracy", "83.3")
	check("chase", "every pair", "87.5") // and 12 and 21 of item 1, reused: 7 of 8
	// First shown won in 02 of item 1, in 01, 10, 02 and 12 of item 2; of 7 that can be read.
	check("chase", "first shown %", "71.4")
	check("chase", "pairs both ways", "3")
	check("chase", "same winner", "2") // 02 of item 1, 12 of item 2
	check("chase", "first both", "1")
	check("chase", "second both", "0")
	check("chase", "comparisons/all", "12")
	check("chase", "equal results", "2")
	check("chase", "asked", "8")
	check("chase", "remembered", "2")
	check("chase", "calls saved %", "20.0")
	check("chase", "unread", "1")
	// Wins: item 1 3, 3, 0; item 2 2, 3, 0.
	check("chase", "at the top", "1")
	check("chase", "of them unlike", "0")
}

// TestSelecting: of item 1 every candidate alone, and a pair, and all: the answer that was chosen. In 2 the second has 3
// wins of all, the first, which was chosen, 2.
func TestSelecting(t *testing.T) {
	v := newView(comparedRun(t))
	p := v.pools()[0][0]
	check := func(p pooled, tie string, item int, want float64, among ...int) {
		t.Helper()
		if got := selecting(p, tie)(item, among); got != want {
			t.Errorf("item %d of %v: %v, want %v", item, among, got, want)
		}
	}
	check(p, "first", 0, 1, 0)
	check(p, "first", 0, 0, 2)
	check(p, "first", 0, 1, 0, 2) // 02 and 20 are both won by 0
	check(p, "first", 1, 0, 0, 1) // one win each: the earlier
	check(p, "first", 1, 1, 1, 2)
	check(p, "first", 1, 0, 0, 1, 2) // the choice that was made
	// Of the query plan's pool alone the whole is not what was chosen from: in 2 its first candidate, wrong.
	check(only([]pooled{p}, "qp-cot")[0], "first", 1, 0, 0)
	// Ties by consistency: of d, c and c with no comparison won, c is shared.
	r := pooledRun(t, poolArm)
	add(r, "1", "a", "easy", "chase", nil, "q-d*", "q+c", "d+c", "d-")
	vote(r, "1", "01a-")
	p = newView(r).pools()[0][0]
	check(p, "consistency", 0, 1, 0, 1, 2)
	check(p, "first", 0, 0, 0, 1, 2)
}

// TestSelectionIsReplayed: the stored comparisons within a pool give the candidate with the most wins there, the
// earliest of several.
func TestSelectionIsReplayed(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		r := pooledRun(t, poolArm)
		add(r, "1", "a", "easy", "chase", nil, "q+a*", "q-b", "d-c", "d+d", "d-e")
		wins := make([]int, 4)
		for a := range 5 {
			for b := range 5 {
				if a == b {
					continue
				}
				w := []int{a, b}[rng.IntN(2)]
				if max(a, b) < 4 {
					wins[w]++
				}
				vote(r, "1", fmt.Sprintf("%d%da%d", a, b, w))
			}
		}
		top := 0
		for i, w := range wins {
			if w > wins[top] {
				top = i
			}
		}
		right := 0.0
		if top == 0 || top == 3 {
			right = 1
		}
		if got := selecting(newView(r).pools()[0][0], "first")(0, []int{0, 1, 2, 3}); got != right {
			t.Fatalf("wins %v: %v, want %v", wins, got, right)
		}
	}
}

// TestSeedsWithoutComparisons: selection is over the seeds that compared candidates.
func TestSeedsWithoutComparisons(t *testing.T) {
	r := comparedRun(t)
	r.Resolved.Seeds = []int64{0, 1}
	add(r, "1", "a", "easy", "chase", nil, "q+a*", "d-b")
	lastUnder(r, 1)
	check := holds(t, r, "bounds")
	check("chase|pooled|3", "selection", "50.0")    // of the first seed: of two answers one was chosen right
	check("chase|pooled|3", "pass@k", "100.0±0.00") // of both
	check("chase|pooled|1", "selection SE", "0.00") // nothing is drawn
	check("chase|pooled|1", "selection", "50.0")    // 2/3 and 1/3
	check("chase|pooled|1", "pass@k", "50.0±0.00")  // and 1/2 of the second seed
}

// TestBoundsFigure: at size 1 all curves are the mean over single candidates, at the largest those of the tables, and in
// between within the bounds.
func TestBoundsFigure(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 20 {
		r := pooledRun(t, poolArm)
		for i := range 6 {
			var cs []string
			chosen := rng.IntN(4)
			for c := range 4 {
				s := []string{"q+a", "q-b", "d+a", "d-c", "d-"}[rng.IntN(5)]
				if c == chosen {
					s += "*"
				}
				cs = append(cs, s)
			}
			add(r, fmt.Sprint(i), "a", "easy", "chase", nil, cs...)
			for a := range 4 {
				for b := range a {
					vote(r, fmt.Sprint(i), fmt.Sprintf("%d%da%d", a, b, []int{a, b}[rng.IntN(2)]))
				}
			}
		}
		lines := one(t, r, "bounds-k").Figure.(*figure.Spec).Series
		cell := func(name, keys, column string) string {
			got, _, _ := strings.Cut(at(t, one(t, r, name).Table, keys, column), " [")
			return got
		}
		for k := range 4 {
			upper, lower := lines[0].Points[k].Y, lines[1].Points[k].Y
			for _, l := range lines[2:] {
				if y := l.Points[k].Y; y > upper+1e-9 || y < lower-1e-9 || k == 0 && math.Abs(y-upper) > 1e-9 {
					t.Errorf("trial %d, %s at %d: %v, bounds %v and %v", trial, l.Name, k+1, y, lower, upper)
				}
			}
		}
		single, whole := fmt.Sprintf("%.1f", lines[1].Points[0].Y), func(i int) string { return fmt.Sprintf("%.1f", lines[i].Points[3].Y) }
		for what, got := range map[string][2]string{"single": {single, cell("pickers", "chase|random", "accuracy %")},
			"upper":     {whole(0), cell("pickers", "chase|oracle", "accuracy %")},
			"lower":     {whole(1), cell("pickers", "chase|adversary", "accuracy %")},
			"vote":      {whole(2), cell("pickers", "chase|self-consistency, any", "accuracy %")},
			"selection": {whole(3), cell("pickers", "chase|chosen: pairwise", "accuracy %")},
			"bounds":    {whole(3), cell("bounds", "chase|pooled|4", "selection")}} {
			if got[0] != got[1] {
				t.Errorf("trial %d, %s: %s in the figure, %s in the table", trial, what, got[0], got[1])
			}
		}
	}
}

// TestSizes keeps the sizes of a table few, and the last the whole pool.
func TestSizes(t *testing.T) {
	for most, want := range map[int]string{1: "[1]", 2: "[1 2]", 7: "[1 2 3 5 7]", 21: "[1 2 3 5 7 10 15 20 21]"} {
		if got := fmt.Sprint(sizes(most)); got != want {
			t.Errorf("sizes of %d: %s, want %s", most, got, want)
		}
	}
}

// TestPoolsAreRefused: a run with one candidate an item has no bounds.
func TestPoolsAreRefused(t *testing.T) {
	r := pooledRun(t, twoArms)
	add(r, "1", "a", "easy", "standard", nil, "b+a*")
	for _, name := range []string{"bounds", "pickers", "generators", "fixer", "selection", "bounds-k", "chase/table1", "chase/fig2", "chase/fig3a", "chase/fig25"} {
		if _, err := made(r, name); err == nil {
			t.Errorf("%s is made of a run without pools", name)
		}
	}
}

// TestManySeeds: over seeds the cells are means with their deviation.
func TestManySeeds(t *testing.T) {
	r := four(t)
	r.Resolved.Seeds = []int64{0, 1}
	add(r, "1", "a", "easy", "chase", nil, "q-a*", "q-a")
	lastUnder(r, 1)
	check := holds(t, r, "pickers")
	check("chase|oracle", "accuracy %", "37.5±53.03") // 75 and 0
	if _, err := made(r, "bounds-k", "selection"); err == nil || !strings.Contains(err.Error(), "compared") {
		t.Errorf("selection without comparisons: %v", err)
	}
	if n := scoredItems([]pool.Item{{}}); n != 0 {
		t.Errorf("%d scored items of an empty pool", n)
	}
}
