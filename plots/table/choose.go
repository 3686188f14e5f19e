package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Choose keeps the named columns of each table, in the order of the names, and in front of them the columns that say what
// a row is. A name is a column's heading, short name or name in the CSV file, or a group, in any case: "EX", "easy", "easy
// EX", "easy_ex". A table with none of the names stays whole; a name that no table has is an error that lists the names.
// A chosen column is not left out where there is little room.
func Choose(tables []*Table, names []string) error {
	chosen := make([][]int, len(tables))
	for _, name := range names {
		found := false
		for i, t := range tables {
			at := t.called(name)
			chosen[i], found = append(chosen[i], at...), found || len(at) > 0
		}
		if !found {
			return fmt.Errorf("table: choose column %q: no table has it: the columns are %s", name, strings.Join(ColumnNames(tables), ", "))
		}
	}
	for i, t := range tables {
		if len(chosen[i]) > 0 {
			t.keep(chosen[i])
		}
	}
	return nil
}

// called lists the positions of the columns that have the name.
func (t *Table) called(name string) (at []int) {
	slug := Slug(name, "_")
	files := t.fileNames()
	for i, c := range t.Columns {
		heads := []string{c.Name, c.Heading(), c.short(), c.Group, c.Group + " " + c.Name, files[i]}
		if slices.ContainsFunc(heads, func(h string) bool {
			return h == name || slug != "" && Slug(h, "_") == slug
		}) {
			at = append(at, i)
		}
	}
	return at
}

// ColumnNames lists the names in CSV of the tables' columns, each once, without the keys, which are always kept: those that
// [Choose] takes.
func ColumnNames(tables []*Table) (out []string) {
	for _, t := range tables {
		for i, name := range t.fileNames() {
			if !t.Columns[i].Key && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// keep leaves the keys and the columns at the positions, once each.
func (t *Table) keep(at []int) {
	var keys []int
	for i, c := range t.Columns {
		if c.Key {
			keys = append(keys, i)
		}
	}
	var order []int
	for _, i := range append(keys, at...) {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	*t = *t.pick(order)
	for i := range t.Columns {
		t.Columns[i].Extra = false
	}
}

// pick returns a table of the columns at the positions. It shares no columns and no rows with t.
func (t *Table) pick(at []int) *Table {
	out := *t
	out.Columns, out.Rows = make([]Column, len(at)), make([][]Cell, len(t.Rows))
	for k, i := range at {
		out.Columns[k] = t.Columns[i]
	}
	for r, row := range t.Rows {
		out.Rows[r] = make([]Cell, len(at))
		for k, i := range at {
			out.Rows[r][k] = row[i]
		}
	}
	return &out
}

// printed lists the positions of the columns that are printed: those with anything in them, and if lean without the extra
// ones and without keys that are the same in every row. A table that would keep no number keeps all.
func (t *Table) printed(lean bool) (at []int) {
	for i, c := range t.Columns {
		if !t.empty(i) && !(lean && (c.Extra || t.constant(i))) {
			at = append(at, i)
		}
	}
	if slices.ContainsFunc(at, func(i int) bool { return !t.Columns[i].Key }) {
		return at
	}
	if lean {
		return t.printed(false)
	}
	at = nil
	for i := range t.Columns {
		at = append(at, i)
	}
	return at
}

// empty reports whether a column other than a key has nothing in any of several rows.
func (t *Table) empty(i int) bool {
	return !t.Columns[i].Key && len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(r []Cell) bool { return r[i].Num != nil || r[i].Text != "" })
}

// constant reports whether a key is the same in each of several rows, and another is not.
func (t *Table) constant(i int) bool {
	same := func(k int) bool {
		return !slices.ContainsFunc(t.Rows, func(r []Cell) bool { return r[k].String() != t.Rows[0][k].String() })
	}
	if !t.Columns[i].Key || len(t.Rows) < 2 || !same(i) {
		return false
	}
	for k, c := range t.Columns {
		if c.Key && !same(k) {
			return true
		}
	}
	return false
}

// sets splits the columns at the positions into parts that fit, each with the keys. Groups stay together where one part
// holds them.
func (t *Table) sets(at []int, fits func(...int) bool) (out [][]int) {
	var keys []int
	var groups [][]int
	for _, i := range at {
		c := t.Columns[i]
		k := len(groups) - 1
		switch {
		case c.Key:
			keys = append(keys, i)
		case k >= 0 && c.Group != "" && t.Columns[groups[k][0]].Group == c.Group:
			groups[k] = append(groups[k], i)
		default:
			groups = append(groups, []int{i})
		}
	}
	for k := 0; k < len(keys) && !fits(keys...); k++ {
		keys = keys[:len(keys)-1] // keys that leave no room for a number do not come back in each part
	}
	have := keys
	for _, g := range groups {
		if !fits(join(keys, g)...) {
			for _, i := range g {
				have, out = next(have, keys, []int{i}, out, fits)
			}
			continue
		}
		have, out = next(have, keys, g, out, fits)
	}
	return append(out, have)
}

// next adds columns to the part at hand, or begins another where it has no room.
func next(have, keys, more []int, out [][]int, fits func(...int) bool) ([]int, [][]int) {
	longer := join(have, more)
	if len(have) == len(keys) || fits(longer...) {
		return longer, out
	}
	return join(keys, more), append(out, have)
}

func join(a, b []int) []int { return append(a[:len(a):len(a)], b...) }

// omissions lists the columns that a print leaves out, a group by its name alone where all of it is, and "the intervals".
func (t *Table) omissions(lean bool, intervals where) (names []string) {
	at := t.printed(lean)
	for i, c := range t.Columns {
		if slices.Contains(at, i) || t.empty(i) || t.constant(i) {
			continue
		}
		name := strings.TrimSpace(c.Group + " " + c.Name)
		if c.Group != "" && !slices.ContainsFunc(at, func(k int) bool { return t.Columns[k].Group == c.Group }) {
			name = c.Group
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if intervals == nowhere && t.any(Cell.Ranges) {
		names = append(names, "the intervals")
	}
	return names
}

// everyRow says what is the same in every row, of keys that a print leaves out.
func (t *Table) everyRow(lean bool) []string {
	var same []string
	at := t.printed(lean)
	for i, c := range t.Columns {
		if !slices.Contains(at, i) && t.constant(i) {
			same = append(same, strings.TrimSpace(c.Name+" "+t.Rows[0][i].String()))
		}
	}
	if same == nil {
		return nil
	}
	return []string{"In every row: " + strings.Join(same, ", ") + "."}
}

// flat is the table as it is printed: where each column has a group of its own and all have one name, the groups are the
// names, and a note says what every column is.
func (t *Table) flat() *Table {
	name, n := "", 0
	for _, run := range Runs(t.Columns) {
		c := t.Columns[run[0]]
		switch {
		case c.Key && c.Group == "":
			continue
		case c.Key || c.Group == "" || run[1]-run[0] > 1 || n > 0 && c.Heading() != name:
			return t
		}
		name = c.Heading()
		n++
	}
	if n < 2 {
		return t
	}
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i, c := range out.Columns {
		if !c.Key {
			out.Columns[i].Name, out.Columns[i].Short, out.Columns[i].Unit, out.Columns[i].Group = c.Group, "", "", ""
		}
	}
	out.Notes = append([]string{"In every column: " + name + "."}, t.Notes...)
	return &out
}

// Ranges reports whether the cell is a number with an interval.
func (c Cell) Ranges() bool { return c.Num != nil && c.Num.HasInterval }

// any reports whether any cell is so.
func (t *Table) any(is func(Cell) bool) bool {
	return slices.ContainsFunc(t.Rows, func(r []Cell) bool { return slices.ContainsFunc(r, is) })
}

// Round sets the printed decimals, at least 0, of all measured and published numbers. Counts stay whole, and CSV has all
// digits.
func (t *Table) Round(decimals int) {
	for i := range t.Columns {
		whole := !slices.ContainsFunc(t.Rows, func(r []Cell) bool {
			n := r[i].Num
			return n != nil && n.Decimals == 0 && n.Value != math.Trunc(n.Value)
		})
		for _, r := range t.Rows {
			if n := r[i].Num; n != nil && !(whole && n.counts()) {
				rounded := *n
				rounded.Decimals = max(decimals, 0)
				r[i].Num = &rounded
			}
		}
	}
}

// counts reports whether the number can be a count, of which nothing but its value is known.
func (n *Number) counts() bool {
	return n.Decimals == 0 && n.Value == math.Trunc(n.Value) && !n.HasSD && !n.HasInterval
}
