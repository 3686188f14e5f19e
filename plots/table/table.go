// Package table is a table before it is printed, and its prints: text, CSV, Markdown, LaTeX.
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
	Notes   []string // what a reader must know to read the numbers
}

// Column is one column's heading.
type Column struct {
	Name   string
	Short  string // in place of Name where the text print would be too wide; empty: Name
	Group  string // columns side by side with the same group share a heading above their own
	Unit   string // printed after Name, such as "%"
	Align  Align
	Key    bool // it says what the row is: repeated where the text print breaks a table in two
	Parens bool // its numbers stand in parentheses, as a second metric beside the first
}

// Align is where a column's cells stand.
type Align int

// The alignments. Left is the zero value.
const (
	Left Align = iota
	Right
	Center
)

// Cell is a value before it is printed: a text, or a number with what is known about it. The zero Cell is blank.
type Cell struct {
	Text      string // printed where Num is nil
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
	N        int // observations behind Value; 0 where that says nothing, as for a count
	Decimals int // printed; CSV has all of them

	HasSD       bool
	HasInterval bool
}

// Mark sets a cell apart from its column.
type Mark int

// The marks. Equal values share one.
const (
	Plain Mark = iota
	Best
	Second
)

// Text is a cell of text.
func Text(s string) Cell { return Cell{Text: s} }

// Count is a cell of a whole number.
func Count(n int) Cell { return Cell{Num: &Number{Value: float64(n)}} }

// Measured is a cell of a number.
func Measured(n Number) Cell { return Cell{Num: &n} }

// Published is a cell of a number that a paper printed.
func Published(n Number) Cell { return Cell{Num: &n, Published: true} }

// String prints the cell for people: "63.2±2.51", "45.0 [40.1, 50.0]", a text, or nothing.
func (c Cell) String() string {
	if c.Num == nil {
		return c.Text
	}
	n := *c.Num
	s := stats.Fixed(n.Value, n.Decimals)
	if n.HasSD {
		s += "±" + stats.Fixed(n.SD, max(n.Decimals, 2))
	}
	if n.HasInterval {
		s += fmt.Sprintf(" [%s, %s]", stats.Fixed(n.Low, n.Decimals), stats.Fixed(n.High, n.Decimals))
	}
	return s
}

// Print is the cell as its column shows it, in parentheses where the column says so.
func (col Column) Print(c Cell) string {
	s := c.String()
	if col.Parens && s != "" {
		return "(" + s + ")"
	}
	return s
}

// Heading is the column's name with its unit.
func (col Column) Heading() string { return strings.TrimSpace(col.Name + " " + col.Unit) }

// short is the heading where room is scarce.
func (col Column) short() string {
	if col.Short == "" {
		return col.Heading()
	}
	return strings.TrimSpace(col.Short + " " + col.Unit)
}

// MarkBest marks the highest value of each of the columns, and the second highest, where two values or more compete.
// Cells from a paper do not.
func (t *Table) MarkBest(columns ...int) {
	for _, c := range columns {
		var values []float64
		entered := 0
		for _, r := range t.Rows {
			if r[c].Num != nil && !r[c].Published {
				entered++
				values = append(values, r[c].Num.Value)
			}
		}
		slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
		values = slices.Compact(values)
		for _, r := range t.Rows {
			if entered < 2 || r[c].Num == nil || r[c].Published {
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

// Runs lists the stretches of columns side by side with the same group, as [from, to). A column without a group is a
// stretch of its own.
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

func grouped(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Group != "" })
}

// check finds what a maker of tables got wrong, before anything is written.
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

// wrap names the operation once, at the exported function.
func (t *Table) wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table: %s %q: %w", operation, t.ID, err)
}
