package record

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"assay/configs/input"
	"assay/metrics/spreadsheet"

	"github.com/gocarina/gocsv"
)

// Columns that depend on the experiment (sweep keys, metric ids) are placed between columns that every run has. gocsv maps
// the fixed ones to struct fields, which cannot vary by experiment; splicer inserts the others on the way to the file, and
// gatherer takes them out on the way back.

// splicer is a gocsv writer that inserts columns after the named fixed ones.
type splicer struct {
	*spreadsheet.Writer
	after [2]string                   // fixed columns that the inserted groups follow
	names [2][]string                 // headers of the two groups
	row   func(i int) (a, b []string) // values of the two groups in data row i
	at    [2]int                      // positions of after in the header
	n     int                         // rows written, the header included
}

// Write inserts the groups into one record and passes it on.
func (s *splicer) Write(fixed []string) error {
	a, b := s.names[0], s.names[1]
	if s.n == 0 {
		for g, name := range s.after {
			if s.at[g] = slices.Index(fixed, name); s.at[g] < 0 && len(s.names[g]) > 0 {
				return fmt.Errorf("no column %q", name)
			}
		}
	} else {
		a, b = s.row(s.n - 1)
	}
	s.n++
	out := make([]string, 0, len(fixed)+len(a)+len(b))
	for i, cell := range fixed {
		out = append(out, cell)
		if i == s.at[0] {
			out = append(out, a...)
		}
		if i == s.at[1] {
			out = append(out, b...)
		}
	}
	return s.Writer.Write(out)
}

// gatherer is a gocsv reader that also keeps the values of named columns.
type gatherer struct {
	r     *spreadsheet.Reader
	names []string
	rows  [][]string
	at    []int
}

// Read returns the next record and keeps its named columns.
func (g *gatherer) Read() ([]string, error) {
	rec, err := g.r.Read()
	if err != nil {
		return nil, err
	}
	if g.at == nil {
		g.at = make([]int, 0, len(g.names))
		for _, n := range g.names {
			i := slices.Index(rec, n)
			if i < 0 {
				return nil, fmt.Errorf("no column %q", n)
			}
			g.at = append(g.at, i)
		}
		return rec, nil
	}
	kept := make([]string, len(g.at))
	for k, i := range g.at {
		kept[k] = rec[i]
	}
	g.rows = append(g.rows, kept)
	return rec, nil
}

// batch is a header with some rows below it, which gocsv reads as if it were a file.
type batch struct {
	rows [][]string
	at   int
}

// Read returns the next row.
func (b *batch) Read() ([]string, error) {
	if b.at == len(b.rows) {
		return nil, io.EOF
	}
	b.at++
	return b.rows[b.at-1], nil
}

// ReadAll returns the rows that are left.
func (b *batch) ReadAll() ([][]string, error) {
	rest := b.rows[b.at:]
	b.at = len(b.rows)
	return rest, nil
}

const (
	batchRows  = 1000    // rows that are converted at once: the cells of a whole file take several times its memory
	mostRecord = 4 << 20 // bytes of a row
)

// read passes the rows on, some at a time, each with the values of the named columns. A file without a header is an error of
// gocsv's.
func read[R any](r io.Reader, names []string, next func(rows []R, cells [][]string)) error {
	g := &gatherer{r: spreadsheet.NewReader(input.Records(r, mostRecord)), names: names}
	head, err := g.Read()
	if err == io.EOF {
		return gocsv.ErrEmptyCSVFile
	}
	for more := err == nil; more; {
		b := &batch{rows: [][]string{head}}
		for len(b.rows) <= batchRows && err == nil {
			var rec []string
			if rec, err = g.Read(); err == nil {
				b.rows = append(b.rows, rec)
			}
		}
		var part []R
		if more = err == nil; more || err == io.EOF {
			if e := gocsv.UnmarshalCSV(b, &part); e != nil {
				return e
			}
			next(part, g.rows)
			g.rows = nil
		}
	}
	if err != io.EOF {
		return err
	}
	return nil
}

// formatValues returns the cells of scores.
func formatValues(vs []Value) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.String()
	}
	return out
}

// parseValues reads cells of scores; an empty cell is a missing score.
func parseValues(cells []string) ([]Value, error) {
	out := make([]Value, len(cells))
	for i, c := range cells {
		if c == "" {
			continue
		}
		v, err := strconv.ParseFloat(c, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("score %q is not a number", c)
		}
		out[i] = Value{v, true}
	}
	return out, nil
}
