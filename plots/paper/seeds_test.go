package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
)

// ownSeedsRun is runs joined: A has the seeds 0, 1 and 2, B the same, C seed 9 alone. Of four items A has right 2, 1 and
// 2 (41.7 %), B 3, 2 and 2 (58.3 %), and C 2 (50 %).
func ownSeedsRun(t *testing.T) *record.Run {
	return scoredRun(t, "[0, 1, 2]", abc,
		[2]string{"a#0", "++--"}, [2]string{"a#1", "+---"}, [2]string{"a#2", "+-+-"},
		[2]string{"b#0", "+++-"}, [2]string{"b#1", "++--"}, [2]string{"b#2", "+-+-"},
		[2]string{"c#9", "-++-"})
}

func numeral(t *testing.T, x *table.Table, row int, column string) string {
	t.Helper()
	at := slices.IndexFunc(x.Columns, func(c table.Column) bool { return c.Name == column })
	if at < 0 || row >= len(x.Rows) {
		t.Fatalf("%s has no column %q of row %d", x.ID, column, row)
	}
	value, _, _ := strings.Cut(x.Rows[row][at].String(), "±")
	value, _, _ = strings.Cut(value, " ")
	return value
}

// TestOneArmOneNumber: an arm's mean is the same number in every table, whatever it stands beside.
func TestOneArmOneNumber(t *testing.T) {
	r := ownSeedsRun(t)
	arms, differences := one(t, r, "arms").Table, one(t, r, "differences").Table
	check := func(row int, column, want string) {
		t.Helper()
		if got := numeral(t, differences, row, column); got != want {
			t.Errorf("differences, row %d: %s is %s, want %s", row, column, got, want)
		}
	}
	for row, want := range []string{"41.7", "58.3", "50.0"} {
		if got := numeral(t, arms, row, "EX"); got != want {
			t.Errorf("arms, row %d: %s, want %s", row, got, want)
		}
	}
	check(0, "baseline", "41.7")
	check(0, "EX", "58.3")
	check(0, "difference", "+16.7")
	check(0, "lost", "0")
	check(0, "won", "2") // items times seeds
	check(1, "baseline", "41.7")
	check(1, "EX", "50.0")
	check(1, "difference", "+8.3")
	check(1, "lost", "1") // items, by their means: 1, 1/3, 1/3 and 0 against 0, 1, 1 and 0
	check(1, "won", "2")
}

// TestNotesAreTrueOfEachRow: no note takes the union of the arms' seeds for the seeds of an arm.
func TestNotesAreTrueOfEachRow(t *testing.T) {
	check := func(r *record.Run, name, text string, has bool) {
		t.Helper()
		if notes := said(t, r, name); strings.Contains(notes, text) != has {
			t.Errorf("%s: %q there is %v, want %v, in\n%s", name, text, !has, has, notes)
		}
	}
	r := ownSeedsRun(t)
	for _, name := range []string{"arms", "differences", "hardness", "bars-hardness", "forest", "heat-hardness", "seeds", "venn-arms", "tai2023/table2"} {
		check(r, name, "4 seeds", false)
		check(r, name, "seeds 0, 1, 2 (A; B), 9 (C)", true)
	}
	check(r, "arms", "the mean over each arm's own seeds, 1 to 3 ± the sample standard deviation over them, which one seed does not have.", true)
	check(r, "arms", "the 95 % Wilson interval over the scored items where an arm has one seed", true)
	check(r, "arms", "Over several seeds it is Wilson's formula carried over", true)
	check(r, "differences", "C: the seeds differ, 0, 1, 2 against 9: each side's score of an item is the mean over its own seeds, and lost and won count items by these means; p is approximate", true)
	check(r, "differences", "B: the seeds", false)
	check(r, "differences", "have no partner", false)
	check(r, "differences", "mean over each arm's own seeds, 1 to 3; lost and won count items times seeds.", true)
	check(r, "bars-hardness", "mean over each arm's own seeds, 1 to 3; error bars: one sample standard deviation over seeds, and of arms of one seed the 95 % Wilson interval", true)
	check(r, "seeds", "under each of an arm's 1 to 3 seeds", true)
	check(r, "venn-arms", "The first seed of each arm alone: 0 (A; B), 9 (C).", true)

	// One seed per arm, and not the same: nothing is a mean over two.
	apart := scoredRun(t, "[0]", abc, [2]string{"a#0", "++--"}, [2]string{"b#9", "+-+-"})
	check(apart, "arms", "One seed per arm: no standard deviation.", true)
	check(apart, "arms", "In brackets the 95 % Wilson interval over the scored items.", true)
	check(apart, "differences", "B: the seeds differ, 0 against 9: ", true)
	check(apart, "differences", "p is approximate", false)
	check(apart, "bars-hardness", "one seed per arm; error bars: the 95 % Wilson interval", true)

	// As many seeds, other ones: a mean over so many is true of each.
	equal := scoredRun(t, "[0]", abc, [2]string{"a#0", "++--"}, [2]string{"a#1", "++--"}, [2]string{"b#8", "+-+-"}, [2]string{"b#9", "+++-"})
	check(equal, "arms", "the mean over 2 seeds ±", true)
	check(equal, "arms", "seeds 0, 1 (A), 8, 9 (B)", true)
	check(equal, "differences", "items times seeds", false)

	// Of one run nothing is said of arms.
	alike := scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "++--"}, [2]string{"a#1", "++--"}, [2]string{"b#0", "+-+-"}, [2]string{"b#1", "+++-"})
	check(alike, "arms", "the mean over 2 seeds ± the sample standard deviation over them.", true)
	check(alike, "arms", "; seeds 0, 1; run", true)
	check(alike, "differences", "An item's score is its mean over 2 seeds; lost and won count items times seeds.", true)
	check(alike, "venn-arms", "Seed 0 alone.", true)
}

// TestEachArmsOwnFirstSeed: arms that share no seed are still drawn together.
func TestEachArmsOwnFirstSeed(t *testing.T) {
	r := scoredRun(t, "[0, 1]", abc, [2]string{"a#0", "++-"}, [2]string{"a#1", "---"}, [2]string{"b#7", "+-+"})
	f := drawn[*figure.Sets](t, r, "venn-arms")
	if want := []int{0, 1, 1, 1}; !slices.Equal(f.Counts, want) {
		t.Errorf("%v, want %v", f.Counts, want)
	}
}

// TestMacroIsOfTheRowsSeeds: the mean over sets is there for an arm of fewer seeds than others have.
func TestMacroIsOfTheRowsSeeds(t *testing.T) {
	x := one(t, ownSeedsRun(t), "tai2023/table2").Table
	at := slices.IndexFunc(x.Columns, func(c table.Column) bool { return c.Group == "macro average" })
	if got := x.Rows[2][at].String(); got != "50.00" {
		t.Errorf("macro average of C: %q", got)
	}
}
