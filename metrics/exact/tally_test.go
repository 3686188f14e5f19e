package exact

import (
	"fmt"
	"testing"
)

func TestTally(t *testing.T) {
	m := New(Options{})
	check := func(what string, part Part, want string, pairs ...string) {
		t.Helper()
		var all Tally
		for i := 0; i < len(pairs); i += 2 {
			match, err := m.Match(pairs[i], pairs[i+1], nil)
			if err != nil {
				t.Fatal(err)
			}
			all.Add(match)
		}
		if got := fmt.Sprintf("%.2f %.2f %.2f", all.Accuracy(part), all.Recall(part), all.F1(part)); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	const plain, where, both, either = "SELECT a FROM t", "SELECT a FROM t WHERE b = 1",
		"SELECT a FROM t WHERE b = 1 AND c = 2", "SELECT a FROM t WHERE b = 1 OR c = 2"
	check("nothing", SelectPart, "0.00 0.00 0.00")
	check("a part that agrees", WherePart, "1.00 1.00 1.00", where, where)
	check("a part that never occurs", WherePart, "0.00 0.00 1.00", plain, plain)
	check("a part that is always wrong", SelectPart, "0.00 0.00 1.00", "SELECT b FROM t", plain)
	check("a part that the prediction has too often", WherePart, "0.50 1.00 0.67", where, where, where, plain)
	check("a part that the prediction lacks", WherePart, "1.00 0.50 0.67", where, where, plain, where)
	check("an unparsed prediction has no part", SelectPart, "1.00 0.50 0.67", plain, plain, "SELEC", plain)
	check("keywords", KeywordPart, "1.00 0.50 0.67", where, where, plain, where)
	check("no connective on either side agrees", AndOrPart, "1.00 1.00 1.00", plain, plain)
	// The denominators are swapped: accuracy counts the gold query's connective, recall the prediction's.
	check("a connective of the prediction alone", AndOrPart, "1.00 0.50 0.67", plain, plain, both, where)
	check("a connective of the gold query alone", AndOrPart, "0.50 1.00 0.67", plain, plain, where, both)
	check("other connectives", AndOrPart, "0.50 0.50 0.50", plain, plain, both, either)
}
