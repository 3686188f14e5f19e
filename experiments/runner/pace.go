package runner

// pace counts the questions that needed a call apart from those that the ledger answered whole. A run that continues goes
// through the latter at once, so that their speed says nothing about the time that is left.
type pace struct {
	items int
	lines []line // by cell, then seed
	asked int    // finished questions that needed a call
}

// line counts the questions of one cell and seed.
type line struct {
	done  int
	last  int  // the finished question that comes last in the dataset, from 1; 0 for none
	asked bool // last needed a call
}

func newPace(items, lines int) *pace { return &pace{items: items, lines: make([]line, lines)} }

// note counts job i as done.
func (t *pace) note(i int, asked bool) {
	l, item := &t.lines[i%len(t.lines)], i/len(t.lines)+1
	l.done++
	if item > l.last {
		l.last, l.asked = item, asked
	}
	if asked {
		t.asked++
	}
}

// left estimates how many of the remaining questions will need a call: all of a cell and seed whose last question needed
// one, as the ledger has the beginning of a line and nothing after it.
func (t *pace) left() (n int) {
	for _, l := range t.lines {
		if l.asked {
			n += t.items - l.done
		}
	}
	return n
}

// asked reports whether the answer needed a call, including calls that failed.
func (o *outcome) asked() bool { return o.item.Calls.N > o.item.Cached.N }
