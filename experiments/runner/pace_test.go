package runner

import "testing"

// What is left to ask is what the arms that were asked last have left.
func TestWhatIsLeftToAsk(t *testing.T) {
	// Two arms over ten items; jobs alternate between the arms.
	check := func(what string, asked, left int, jobs map[int]bool) {
		t.Helper()
		c := newPace(10, 2)
		for i, a := range jobs { // in any order
			c.note(i, a)
		}
		if c.asked != asked || c.left() != left {
			t.Errorf("%s: %d asked, %d left; want %d and %d", what, c.asked, c.left(), asked, left)
		}
	}
	check("nothing is done", 0, 0, nil)
	check("all from the ledger so far", 0, 0, map[int]bool{0: false, 1: false, 2: false, 3: false})
	check("both arms begin", 2, 18, map[int]bool{0: true, 1: true})
	check("one arm is in the ledger", 2, 8, map[int]bool{0: false, 1: true, 2: false, 3: true})
	check("an early failure is asked again, the rest of both is in the ledger", 1, 0, map[int]bool{0: true, 1: false, 2: false, 3: false})
	check("where the ledger ends, both are asked", 2, 14, map[int]bool{0: false, 1: false, 2: false, 3: false, 4: true, 5: true})
}
