package engine

import (
	"errors"
	"fmt"
	"io"
)

// Limits bounds what one statement may return. All are above 0.
type Limits struct {
	MaxRows  int   // rows of a result
	MaxBytes int64 // memory of a result
	MaxValue int   // length in bytes of the longest text, blob or row
	// Truncate returns the rows so far, marked Truncated, at MaxRows or MaxBytes, instead of a Timeout.
	Truncate bool
}

// Gather reads a result under the limits on rows and bytes. next is a row, or io.EOF after the last; its errors are
// returned as they are, one of a limit is an *Error.
func (l Limits) Gather(columns []string, next func() ([]Value, error)) (*Result, error) {
	res := &Result{Columns: columns}
	for size := int64(0); ; {
		row, err := next()
		if err == io.EOF {
			return res, nil
		}
		if err != nil {
			return nil, err
		}
		size += rowBytes(row)
		if over := l.over(len(res.Rows)+1, size); over != nil {
			if !l.Truncate {
				return nil, over
			}
			res.Truncated = true
			return res, nil
		}
		res.Rows = append(res.Rows, row)
	}
}

// over is the Error of a result that grew past a limit, or nil.
func (l Limits) over(rows int, bytes int64) error {
	switch {
	case rows > l.MaxRows:
		return &Error{Kind: Timeout, Limit: RowCap, Err: fmt.Errorf("more than %d rows", l.MaxRows)}
	case bytes > l.MaxBytes:
		return &Error{Kind: Timeout, Limit: ByteCap, Err: fmt.Errorf("more than %d bytes of rows", l.MaxBytes)}
	}
	return nil
}

// ErrNoTables is that of a database without tables.
var ErrNoTables = errors.New("the database has no tables")

// What a description has where Detail does not say otherwise.
const (
	defaultRows   = 100   // first rows kept per table: as many as an experiment may put in a prompt
	defaultValues = 100   // distinct values kept per column
	defaultScan   = 10000 // rows read per table in search of distinct values
	defaultCut    = 256   // characters kept of one value
)

// Detail bounds what a description reads. The zero value takes the defaults.
type Detail struct {
	Name   string // the database's name; empty: the one that its source gives
	Rows   int    // first rows kept per table; 0 means defaultRows, negative none
	Values int    // distinct values kept per column; 0 means defaultValues, negative none
	Scan   int    // rows read per table in search of distinct values; 0 means defaultScan
	Cut    int    // characters kept of a value, the rest being replaced by "..."; 0 means defaultCut
}

// Filled returns d with the defaults in place; name is the one that the source gives.
func (d Detail) Filled(name string) Detail {
	if d.Name == "" {
		d.Name = name
	}
	for _, f := range []struct {
		v   *int
		def int
	}{{&d.Rows, defaultRows}, {&d.Values, defaultValues}, {&d.Scan, defaultScan}, {&d.Cut, defaultCut}} {
		if *f.v == 0 {
			*f.v = f.def
		}
		*f.v = max(*f.v, 0)
	}
	d.Scan = max(d.Scan, d.Rows)
	return d
}
