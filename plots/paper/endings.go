package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
	"assay/plots/table"
)

// byLength is the record.Call.Finish of a completion that was truncated at its token limit.
const byLength = "length"

// endings counts how the completions of a row ended.
type endings struct {
	known     bool // some completion says why it ended
	truncated int  // answers with a truncated completion
}

// add counts an answer by its calls. A call that failed has no completion, and so no reason to end.
func (e *endings) add(calls []record.Call) {
	truncated := false
	for i := range calls {
		e.known = e.known || calls[i].Finish != ""
		truncated = truncated || calls[i].Finish == byLength
	}
	if truncated {
		e.truncated++
	}
}

// cell returns how many answers of the row have a truncated completion; blank where no completion says why it ended, which is
// not the same as none.
func (e endings) cell() table.Cell {
	if !e.known {
		return table.Cell{}
	}
	return table.Count(e.truncated)
}

// truncatedColumn returns the column of these counts, or none where says is false of every row.
func (v *view) truncatedColumn(says func(row) bool) []field {
	if !slices.ContainsFunc(v.rows, says) {
		return nil
	}
	return []field{{Name: "truncated", Measure: "truncated"}}
}

// truncated counts the answers with a truncated completion.
func (v *view) truncated() (n int) {
	for _, r := range v.rows {
		n += r.endings.truncated
	}
	return n
}

// truncatedNote counts, per arm, the answers that a truncated completion may have spoilt; empty where there are none.
func (v *view) truncatedNote() string {
	var parts []string
	for _, r := range v.rows {
		if n := r.endings.truncated; n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d answers under %s", n, len(r.items), v.name(r)))
		}
	}
	if parts == nil {
		return ""
	}
	if len(parts) > shown {
		parts = append(parts[:shown-1], fmt.Sprintf("and more under %d other rows", len(parts)-shown+1))
	}
	return "Truncated, that is, with a completion that ended at its token limit: " + strings.Join(parts, ", ") + ". Truncated answers are scored as they are."
}

// troubles returns what a reader must know of single answers: those outside every share, and those that were truncated.
func (v *view) troubles() []string {
	return slices.DeleteFunc([]string{v.unscored(), v.truncatedNote()}, func(s string) bool { return s == "" })
}
