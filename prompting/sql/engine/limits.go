package engine

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits bounds one statement and its result. All numbers must be above 0.
type Limits struct {
	Time     time.Duration
	MaxRows  int   // rows of a result
	MaxBytes int64 // memory of a result
	MaxValue int   // length in bytes of the longest text, blob or row
	// Truncate returns the rows read before MaxRows or MaxBytes was met, marked Truncated, instead of failing.
	Truncate bool
}

// Gather collects a result under the limits on rows and bytes. next returns one row per call, and io.EOF after the last;
// Gather returns its other errors unchanged, and an *Error of kind Timeout where a limit is met.
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

// over returns the *Error of a result that grew past a limit, or nil.
func (l Limits) over(rows int, bytes int64) error {
	switch {
	case rows > l.MaxRows:
		return &Error{Kind: Timeout, Limit: RowCap, Err: fmt.Errorf("more than %d rows", l.MaxRows)}
	case bytes > l.MaxBytes:
		return &Error{Kind: Timeout, Limit: ByteCap, Err: fmt.Errorf("more than %d bytes of rows", l.MaxBytes)}
	}
	return nil
}

// ErrNoTables is what Describe returns for a database without tables: no prompt can be made for it.
var ErrNoTables = errors.New("the database has no tables")

// The defaults of Detail.
const (
	defaultRows   = 100   // first rows kept per table: as many as an experiment may put in a prompt
	defaultValues = 100   // distinct values kept per column
	defaultScan   = 10000 // rows read per table in search of distinct values
	defaultCut    = 256   // characters kept of one value
)

// Detail bounds what Describe reads. The zero value takes the defaults.
type Detail struct {
	Name   string // the database's name; where empty, the engine derives it from the source
	Rows   int    // first rows kept per table; 0 means defaultRows, negative none
	Values int    // distinct values kept per column; 0 means defaultValues, negative none
	Scan   int    // rows read per table in search of distinct values; 0 means defaultScan
	Cut    int    // characters kept of a value, before "..." replaces the rest; 0 means defaultCut
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
