// Package table holds a table of cells and prints it: as text, CSV, Markdown and LaTeX.
//
// Whoever makes a Table fills rows of Cells under Columns, may mark the best values, and may let a reader choose columns
// and decimals; a Write method then checks it and prints it. CSV and Markdown have everything. Text and LaTeX have room for
// some width: each goes through a list of ways to print the table, from the roomiest to the tightest, takes the first that
// fits, and says what it left out, LaTeX in a comment. The package must never compute a number or print one with more digits
// than its Decimals (CSV has all), and it must never trust a text: names come from files and models.
package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/metrics/stats"
)

// Table is rows of cells under named columns.
type Table struct {
	ID      string // its name in files and labels, such as "tai2023/table1"
	Title   string
	Columns []Column
	Rows    [][]Cell // each as long as Columns
	Notes   []string // what a reader must know to understand the numbers of this table
	Source  string   // one line: the run, its dataset and model, and what its numbers are not; under a table that stands alone

	Brackets string // the one of Notes that says what intervals are; left out by a print without intervals
}

// Column is one column's heading.
type Column struct {
	Name   string
	Short  string // replaces Name if the text print would be too wide; empty: Name
	Group  string // adjacent columns with the same group share a heading above their own
	Unit   string // printed after Name, such as "%"
	Align  Align
	Key    bool   // says what the row is; repeated in each part if the text print splits the table
	Parens bool   // its numbers are printed in parentheses, as a second metric next to the first
	Extra  bool   // left out where there is no room: CSV and wide prints have it
	Note   string // the one of the table's Notes that is about this column alone; left out by a print without the column
}

// Align is the alignment of a column's cells.
type Align int

// The alignments. Left is the zero value.
const (
	Left Align = iota
	Right
	Center
)

// Cell is a text, or a number with what is known about it. The zero Cell is blank.
type Cell struct {
	Text      string // printed if Num is nil
	Num       *Number
	Published bool // taken from a paper, not measured by this run; never marked
	Mark      Mark
}

// Number is a measured value.
type Number struct {
	Value    float64
	SD       float64 // sample standard deviation; meaningless unless HasSD
	Low      float64 // ends of an interval around Value; meaningless unless HasInterval
	High     float64
	N        int // number of observations behind Value; 0 if that says nothing, as for a count
	Decimals int // printed decimals; CSV has all digits

	HasSD       bool
	HasInterval bool
	Signed      bool // a difference: printed with a plus where it is above 0
}

// Mark distinguishes a cell within its column.
type Mark int

// The marks. Equal values share a mark.
const (
	Plain Mark = iota
	Best
	Second
)

// Text returns a cell of text.
func Text(s string) Cell { return Cell{Text: s} }

// Count returns a cell of a whole number.
func Count(n int) Cell { return Cell{Num: &Number{Value: float64(n)}} }

// Measured returns a cell of a number.
func Measured(n Number) Cell { return Cell{Num: &n} }

// Published returns a cell of a number that a paper printed.
func Published(n Number) Cell { return Cell{Num: &n, Published: true} }

// String returns the cell as people read it: "63.2±2.51", "45.0 [40.1, 50.0]", a text, or nothing.
func (c Cell) String() string {
	if c.Num == nil {
		return c.Text
	}
	n := *c.Num
	s := n.digits()
	if n.HasSD {
		s += "±" + stats.Fixed(n.SD, n.spread())
	}
	if n.HasInterval {
		s += " " + n.interval()
	}
	return s
}

// digits returns the value as people read it, with its sign where it is a difference.
func (n Number) digits() string {
	s := stats.Fixed(n.Value, n.Decimals)
	if n.Signed && n.Value > 0 && strings.ContainsAny(s, "123456789") {
		return "+" + s
	}
	return s
}

// spread returns the printed decimals of the standard deviation: one more than the value's, which has few.
func (n Number) spread() int { return max(n.Decimals, min(n.Decimals+1, 2)) }

// interval returns the interval as people read it.
func (n Number) interval() string {
	return fmt.Sprintf("[%s, %s]", stats.Fixed(n.Low, n.Decimals), stats.Fixed(n.High, n.Decimals))
}

// Print returns the cell as its column shows it, in parentheses if the column says so.
func (col Column) Print(c Cell) string {
	s := c.String()
	if col.Parens && s != "" {
		return "(" + s + ")"
	}
	return s
}

// Heading returns the column's name with its unit.
func (col Column) Heading() string { return strings.TrimSpace(col.Name + " " + col.Unit) }

// short returns the heading for a narrow table.
func (col Column) short() string {
	if col.Short == "" {
		return col.Heading()
	}
	return strings.TrimSpace(col.Short + " " + col.Unit)
}

// MarkBest marks the highest value of each of the columns, and the second highest, if at least two different values compete.
// Cells from a paper do not compete, because they were measured under other conditions. A best that all share is not marked.
func (t *Table) MarkBest(columns ...int) {
	for _, c := range columns {
		var values []float64
		for _, r := range t.Rows {
			if r[c].Num != nil && !r[c].Published {
				values = append(values, r[c].Num.Value)
			}
		}
		slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
		values = slices.Compact(values)
		for _, r := range t.Rows {
			if len(values) < 2 || r[c].Num == nil || r[c].Published {
				continue
			}
			switch slices.Index(values, r[c].Num.Value) {
			case 0:
				r[c].Mark = Best
			case 1:
				r[c].Mark = Second
			}
		}
	}
}

// Runs lists the runs of adjacent columns with the same group, as [from, to). A column without a group is a run of its
// own.
func Runs(columns []Column) [][2]int {
	var out [][2]int
	for i, c := range columns {
		if n := len(out); n > 0 && c.Group != "" && columns[i-1].Group == c.Group {
			out[n-1][1] = i + 1
			continue
		}
		out = append(out, [2]int{i, i + 1})
	}
	return out
}

// grouped reports whether any column has a group.
func grouped(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Group != "" })
}

// check finds mistakes of whoever made the table, before anything is written.
func (t *Table) check() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("no columns")
	}
	for i, r := range t.Rows {
		if len(r) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells for %d columns", i+1, len(r), len(t.Columns))
		}
	}
	return nil
}

// notes lists what stands under the table, its source last.
func (t *Table) notes() []string {
	if t.Source == "" {
		return t.Notes
	}
	return append(slices.Clone(t.Notes), t.Source)
}

// notesOf lists the notes under a print of the columns at the positions: without those about what the print leaves out.
func (t *Table) notesOf(at []int, intervals where) []string {
	about := map[string]bool{} // a note about columns: whether one of them is printed
	for i, c := range t.Columns {
		about[c.Note] = about[c.Note] || slices.Contains(at, i)
	}
	return slices.DeleteFunc(slices.Clone(t.notes()), func(n string) bool {
		shown, some := about[n]
		return some && !shown || n == t.Brackets && (intervals == nowhere || !t.pick(at).any(Cell.Ranges))
	})
}

// wrap adds the operation to an error, once, at the exported function.
func (t *Table) wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table: %s %q: %w", operation, t.ID, err)
}
