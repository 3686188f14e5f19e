package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/plots/table"
)

// byLength is the record.Call.Finish of a completion that ended at its limit of tokens.
const byLength = "length"

// endings is how the completions of a row ended.
type endings struct {
	known bool            // some completion says why it ended
	cut   map[string]bool // answers, by cellKey, for which a completion was cut by length
}

// findEndings reads the calls. Those without a completion have no ending.
func (v *view) findEndings() {
	at := map[string]int{}
	for i, r := range v.rows {
		v.rows[i].endings.cut = map[string]bool{}
		at[cellKey(r.arm.Name, r.point, 0)] = i
	}
	for _, c := range v.run.Calls {
		i, ok := at[cellKey(c.Arm, c.Point, 0)]
		if !ok || c.Finish == "" {
			continue
		}
		v.rows[i].endings.known = true
		if c.Finish == byLength {
			v.rows[i].endings.cut[cellKey(c.Item, nil, c.Seed)] = true
		}
	}
}

// cutAnswers is how many of the row's answers have a completion that was cut by length.
func (r row) cutAnswers() (n int) {
	for _, it := range r.items {
		if r.endings.cut[cellKey(it.Item, nil, it.Seed)] {
			n++
		}
	}
	return n
}

// cutCell is cutAnswers; blank where nobody knows.
func cutCell(r row) table.Cell {
	if !r.endings.known {
		return table.Cell{}
	}
	return table.Count(r.cutAnswers())
}

// cutColumn is a column of cutCell, which tables have where a row has something to say.
func (v *view) cutColumn(says func(row) bool) []column {
	if !slices.ContainsFunc(v.rows, says) {
		return nil
	}
	return []column{numbers("", "cut by length", cutCell)}
}

// cutNote says by arm how many answers a cut completion may have spoilt; nothing where none is known to have.
func (v *view) cutNote() string {
	var parts []string
	for _, r := range v.rows {
		if n := r.cutAnswers(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d answers under %s", n, len(r.items), v.name(r)))
		}
	}
	if parts == nil {
		return ""
	}
	if len(parts) > shown {
		parts = append(parts[:shown-1], fmt.Sprintf("and more under %d other rows", len(parts)-shown+1))
	}
	return "Cut by length, a completion of theirs having ended at its limit of tokens: " + strings.Join(parts, ", ") + ". They are scored as they are."
}

// troubles are what a reader must know of single answers: those outside every share, and those that may be half of one.
func (v *view) troubles() []string {
	return slices.DeleteFunc([]string{v.unscored(), v.cutNote()}, func(s string) bool { return s == "" })
}
