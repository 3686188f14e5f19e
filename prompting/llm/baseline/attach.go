package baseline

import "strings"

// between are the words that may come between a column and its table.
var between = set(`of for in from the all each every a an any these those this that
	different distinct unique and , their its his her our both or also at various other corresponding`)

// attach raises columns whose table is mentioned nearby: "name of the student", "student's name".
func (l *linker) attach(us []unit) {
	mainTable := l.mainTable(us)
	for i := range us {
		if len(us[i].cols) == 0 {
			continue
		}
		bonus := make([]float64, len(l.b.tables))
		if mainTable >= 0 {
			bonus[mainTable] = 0.12
		}
		l.before(us, i, bonus)
		l.after(us, i, bonus)
		for k := range us[i].cols {
			us[i].cols[k].score += bonus[l.b.cols[us[i].cols[k].id].table]
		}
		us[i].cols = keep(us[i].cols, 0)
	}
}

// before finds the nearest table mentioned to the left.
func (l *linker) before(us []unit, i int, bonus []float64) {
	for j := i - 1; j >= 0; j-- {
		if len(us[j].tabs) == 0 {
			continue
		}
		gain := 0.25
		if j == i-1 && strings.HasSuffix(strings.TrimRight(l.text[:l.toks[us[i].from].at], " "), "s") { // possessive or plural
			gain = 0.4
		}
		if j < i-1 && (us[i-1].word == "whose" || us[i-1].word == "their") {
			gain = 0.4
		}
		for _, o := range us[j].tabs {
			bonus[o.id] = max(bonus[o.id], gain*min(1, o.score))
		}
		return
	}
}

// after finds a table mentioned to the right that the column belongs to, past the other columns of a list.
func (l *linker) after(us []unit, i int, bonus []float64) {
	of := false
	for j := i + 1; j < len(us); j++ {
		u := &us[j]
		if len(u.tabs) > 0 && (of || !u.hasCol()) {
			for _, o := range u.tabs {
				bonus[o.id] = max(bonus[o.id], 0.55*min(1, o.score))
			}
			return
		}
		switch {
		case u.word == "of" || u.word == "for" || u.word == "from" || u.word == "in":
			of = true
		case len(u.cols) > 0 && !of, between[u.word], aggregates[u.word] != "":
		default:
			return
		}
	}
}

func (u *unit) hasCol() bool { return len(u.cols) > 0 && !u.isTable() }

// mainTable returns the first table that the question names, or else the one to which most mentioned columns may
// belong.
func (l *linker) mainTable(us []unit) int {
	for i := range us {
		if us[i].isTable() {
			return us[i].tabs[0].id
		}
	}
	votes := make([]float64, len(l.b.tables))
	best := -1
	for i := range us {
		for _, o := range us[i].cols {
			votes[l.b.cols[o.id].table] += o.score
		}
	}
	for t, v := range votes {
		if v > 0 && (best < 0 || v > votes[best]) {
			best = t
		}
	}
	return best
}
