package table

import (
	"cmp"
	"io"
	"strconv"

	"assay/metrics/spreadsheet"
	"assay/plots/terminal"
)

// field is one column of the CSV file.
type field struct {
	name  string
	value func([]Cell) string
}

// WriteCSV writes one record per row. A column of numbers has all their digits. Next to it are the columns of what
// belongs to them, named with a suffix: _sd, _low and _high, and _n. Headings are in lower case, group first:
// "easy_ts_sd".
func (t *Table) WriteCSV(w io.Writer) error {
	if err := t.check(); err != nil {
		return t.wrap("write as csv", err)
	}
	fields := t.fields()
	out := spreadsheet.NewWriter(w)
	record := make([]string, len(fields))
	for i, f := range fields {
		record[i] = f.name
	}
	if err := out.Write(record); err != nil {
		return t.wrap("write as csv", err)
	}
	for _, r := range t.Rows {
		for i, f := range fields {
			record[i] = f.value(r)
		}
		if err := out.Write(record); err != nil {
			return t.wrap("write as csv", err)
		}
	}
	out.Flush()
	return t.wrap("write as csv", out.Error())
}

// fields lists the file's columns. A column gets a suffix if any of its cells needs it, so that all records are alike.
func (t *Table) fields() []field {
	var out []field
	names := t.fileNames()
	for i := range t.Columns {
		name := names[i]
		has := func(f func(Number) bool) bool {
			for _, r := range t.Rows {
				if r[i].Num != nil && f(*r[i].Num) {
					return true
				}
			}
			return false
		}
		add := func(suffix string, f func(Number) string) {
			out = append(out, field{name + suffix, func(r []Cell) string {
				if r[i].Num == nil {
					return ""
				}
				return f(*r[i].Num)
			}})
		}
		out = append(out, field{name, func(r []Cell) string {
			if r[i].Num == nil {
				return terminal.Line(r[i].Text)
			}
			return digits(r[i].Num.Value)
		}})
		if has(func(n Number) bool { return n.HasSD || n.N > 0 }) {
			add("_sd", func(n Number) string { return when(n.HasSD, digits(n.SD)) })
		}
		if has(func(n Number) bool { return n.HasInterval }) {
			add("_low", func(n Number) string { return when(n.HasInterval, digits(n.Low)) })
			add("_high", func(n Number) string { return when(n.HasInterval, digits(n.High)) })
		}
		if has(func(n Number) bool { return n.N > 0 }) {
			add("_n", func(n Number) string { return when(n.N > 0, strconv.Itoa(n.N)) })
		}
	}
	return out
}

// fileNames lists the columns' names in the file. Two columns may have the same heading; a reader that looks columns up by
// name needs distinct ones.
func (t *Table) fileNames() []string {
	out, taken := make([]string, len(t.Columns)), map[string]int{}
	for i, col := range t.Columns {
		name := cmp.Or(Slug(col.Group+" "+col.Heading(), "_"), "column")
		if taken[name]++; taken[name] > 1 {
			name += "_" + strconv.Itoa(taken[name])
		}
		out[i] = name
	}
	return out
}

// digits prints all digits that a double needs, without an exponent.
func digits(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// when returns s if ok, else the empty field.
func when(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}
