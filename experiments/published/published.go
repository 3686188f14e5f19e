// Package published reads the numbers that papers printed: a CSV file becomes rows of named texts, of which one is found by
// what names it and a column read as a number. The files are next to the code that shows them. It knows no paper and no run, and
// never fills in what a paper did not print: an empty cell is no number.
package published

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
)

// Table is a published table in the order of its file. The zero value is one without rows.
type Table struct {
	Columns []string // as the header has them
	Rows    []Row
}

// Row is the texts of one row, by column.
type Row map[string]string

// Read reads a CSV file with a header; all its records have as many fields.
func Read(file []byte) (t Table, err error) {
	records, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return t, fmt.Errorf("published: read table: %w", err)
	}
	for i, fields := range records {
		if i == 0 {
			t.Columns = fields
			continue
		}
		r := Row{}
		for c, name := range t.Columns {
			r[name] = fields[c]
		}
		t.Rows = append(t.Rows, r)
	}
	return t, nil
}

// Has reports whether the table has the column.
func (t Table) Has(column string) bool { return slices.Contains(t.Columns, column) }

// Find returns the first row with the text in the column, nil where there is none.
func (t Table) Find(column, text string) Row {
	for _, r := range t.Rows {
		if r[column] == text {
			return r
		}
	}
	return nil
}

// Number returns the row's number in a column; false where it has none there, and for a nil row.
func (r Row) Number(column string) (float64, bool) {
	x, err := strconv.ParseFloat(r[column], 64)
	return x, err == nil
}
