package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/plots/table"
)

// byLength is the record.Call.Finish of a completion that ended at its limit of tokens.
const byLength = "length"

// endings is how the completions of a row ended.
type endings struct {
	known bool // some completion says why it ended
	cut   int  // answers for which a completion was cut by length
}

// add counts an answer by its calls. Those without a completion have no ending.
func (e *endings) add(calls []record.Call) {
	cut := false
	for i := range calls {
		e.known = e.known || calls[i].Finish != ""
		cut = cut || calls[i].Finish == byLength
	}
	if cut {
		e.cut++
	}
}

// cell is how many answers of the row were cut; blank where nobody knows.
func (e endings) cell() table.Cell {
	if !e.known {
		return table.Cell{}
	}
	return table.Count(e.cut)
}

// cutColumn is the column of it, which tables have where a row has something to say.
func (v *view) cutColumn(says func(row) bool) []field {
	if !slices.ContainsFunc(v.rows, says) {
		return nil
	}
	return []field{{Name: "cut by length", Measure: "cut by length"}}
}

// cutNote says by arm how many answers a cut completion may have spoilt; nothing where none is known to have.
func (v *view) cutNote() string {
	var parts []string
	for _, r := range v.rows {
		if n := r.endings.cut; n > 0 {
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
