package diagnosis

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
)

// grid is a complete result.
type grid [][]string

// gridOf returns the rows of a result; ok is false where the run stored only its beginning, or truncated a value.
func gridOf(r *record.Result) (rows grid, ok bool) {
	if r == nil || r.Rows > record.PreviewRows {
		return nil, false
	}
	lines := r.Lines()
	if len(lines) != r.Rows+1 || len(lines[0]) >= record.PreviewColumns {
		return nil, false
	}
	for _, row := range lines[1:] {
		for _, cell := range row {
			if strings.HasSuffix(cell, "...") {
				return nil, false
			}
		}
	}
	return lines[1:], true
}

// lines returns the rows as sorted texts, with f applied to each cell, without the rows for which keep is false.
func (g grid) lines(f func(string) string, keep func([]string) bool) []string {
	var out []string
	for _, row := range g {
		if keep != nil && !keep(row) {
			continue
		}
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = f(c)
		}
		out = append(out, strings.Join(cells, "\x1f"))
	}
	slices.Sort(out)
	return out
}

func same(s string) string { return s }

// columns returns the grid's columns, each as one text.
func (g grid) columns() []string {
	if len(g) == 0 {
		return nil
	}
	out := make([]string, len(g[0]))
	for i := range out {
		var cells []string
		for _, row := range g {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		slices.Sort(cells)
		out[i] = strings.Join(cells, "\x1f")
	}
	return out
}

// repetitions reports whether the grids have the same rows, and one has some more often.
func repetitions(a, b grid) bool {
	x, y := a.lines(same, nil), b.lines(same, nil)
	return len(x) != len(y) && slices.Equal(slices.Compact(x), slices.Compact(y))
}

// permuted reports whether the grids are equal only when columns may change places.
func permuted(a, b grid) bool {
	if len(a) != len(b) || len(a) == 0 || len(a[0]) != len(b[0]) || slices.Equal(a.lines(same, nil), b.lines(same, nil)) {
		return false
	}
	x, y := a.columns(), b.columns()
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// wider reports whether a has every column of b, and more.
func wider(a, b grid) bool {
	return len(a) == len(b) && len(a) > 0 && len(a[0]) > len(b[0]) && len(less(b.columns(), a.columns())) == 0
}

// unspaced returns a value without differences of notation: case, blanks, ".0", a percent sign, a time of midnight.
func unspaced(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	s = strings.TrimSuffix(strings.TrimSuffix(s, " 00:00:00"), "%")
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return s
}

// respelt reports whether the grids differ only in how values are written.
func respelt(a, b grid) bool {
	return slices.Equal(a.lines(unspaced, nil), b.lines(unspaced, nil))
}

// rejoined reports whether rows have the same text in another number of columns, as "Ada Byron" does for "Ada" and "Byron".
func rejoined(a, b grid) bool {
	if len(a) != len(b) || len(a) == 0 || len(a[0]) == len(b[0]) {
		return false
	}
	whole := func(g grid) []string {
		var out []string
		for _, row := range g {
			out = append(out, unspaced(strings.Join(row, " ")))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(whole(a), whole(b))
}

// hollow reports whether a row has NULL or an empty value.
func hollow(row []string) bool {
	return slices.ContainsFunc(row, func(s string) bool { return s == "NULL" || strings.TrimSpace(s) == "" })
}

// hollower reports whether the grids differ only by rows with NULL or an empty value.
func hollower(a, b grid) bool {
	full := func(row []string) bool { return !hollow(row) }
	x, y := a.lines(same, full), b.lines(same, full)
	return len(x) > 0 && slices.Equal(x, y) && (len(x) < len(a) || len(y) < len(b))
}

// near compares grids row by row under a relation of numbers; other values must be equal, and one number must differ.
func near(a, b grid, relation func(x, y float64) bool) bool {
	if len(a) != len(b) || len(a) == 0 || len(a[0]) != len(b[0]) {
		return false
	}
	differ := false
	for i := range a {
		for k := range a[i] {
			if k >= len(b[i]) {
				return false
			}
			if a[i][k] == b[i][k] {
				continue
			}
			x, err := strconv.ParseFloat(a[i][k], 64)
			y, err2 := strconv.ParseFloat(b[i][k], 64)
			if err != nil || err2 != nil || !relation(x, y) {
				return false
			}
			differ = true
		}
	}
	return differ
}

// rounded reports whether one number is the other rounded or truncated to fewer decimals. Nothing is rounded to 0.
func rounded(x, y float64) bool {
	if x == 0 || y == 0 {
		return false
	}
	for d := 0.0; d <= 6; d++ {
		p := math.Pow(10, d)
		if math.Round(x*p)/p == y || math.Round(y*p)/p == x || math.Trunc(x*p)/p == y || math.Trunc(y*p)/p == x {
			return true
		}
	}
	return math.Abs(x-y) <= 1e-6*math.Max(math.Abs(x), math.Abs(y))
}

// scaled reports whether one number is a hundred times the other.
func scaled(x, y float64) bool {
	times := func(x, y float64) bool { return y != 0 && math.Abs(x-100*y) <= 1e-6*math.Abs(x) }
	return times(x, y) || times(y, x)
}
