package runner

// tally tells the questions that needed a call from those that the ledger answered whole: a run that was stopped goes
// through the latter in no time, and how fast says nothing of the rest.
type tally struct {
	items int
	lines []line // by cell, then seed
	asked int    // questions done that needed a call
}

// line is the questions of one cell and seed.
type line struct {
	done  int
	last  int  // the one done that comes last in the dataset, from 1; 0 for none
	asked bool // it needed a call
}

func newTally(items, lines int) *tally { return &tally{items: items, lines: make([]line, lines)} }

// note counts job i as done.
func (t *tally) note(i int, asked bool) {
	l, item := &t.lines[i%len(t.lines)], i/len(t.lines)+1
	l.done++
	if item > l.last {
		l.last, l.asked = item, asked
	}
	if asked {
		t.asked++
	}
}

// left is how many of the questions to come will need a call, where each cell and seed goes on as it did last.
func (t *tally) left() (n int) {
	for _, l := range t.lines {
		if l.asked {
			n += t.items - l.done
		}
	}
	return n
}

// asked says whether the answer needed a call, answered or not.
func (o *outcome) asked() bool { return o.item.Calls.N > o.item.Cached.N }
