package configs

import (
	"fmt"
	"slices"
	"strings"
)

// Table is a table that the experiment defines itself: one row per combination of its row dimensions, one group of columns
// per combination of its column dimensions.
type Table struct {
	Name     string   `toml:"name"`
	Title    string   `toml:"title"`
	Rows     []string `toml:"rows"`     // arm, seed, a sweep axis as written, hardness, difficulty, database, a feature
	Columns  []string `toml:"columns"`  // the same; empty: all items
	Cells    []string `toml:"cells"`    // metric ids, and counts
	Arms     []string `toml:"arms"`     // empty: all
	Interval bool     `toml:"interval"` // print the interval of a metric
}

// cells are the values that a cell of a table can show besides metrics.
var cells = Choices{
	{"items", "distinct items"},
	{"answers", "items under a seed, scored or not"},
	{"scored", "answers that have a score under the headline metric"},
	{"calls", "mean model calls per answer"},
	{"prompt_tokens", "mean prompt tokens per answer"},
	{"completion_tokens", "mean completion tokens per answer"},
	{"cached_tokens", "mean prompt tokens per answer that were read from the provider's own cache"},
	{"reasoning_tokens", "mean completion tokens per answer that were reasoning, where the provider counts them apart"},
}

// dimensions are the dimensions of rows and columns besides sweep axes and features of SQL.
var dimensions = []string{"arm", "seed", "hardness", "difficulty", "database", "joined"}

// settleTables checks the values of the [[table]] entries and fills their defaults.
func (l *loader) settleTables(d *document) {
	for i, t := range d.tables {
		l.settle(t, tableScope, fmt.Sprintf("table %d: ", i+1))
		for p, k := range tableScope {
			if _, stated := t[p]; !stated && k.def != nil {
				t[p] = value{v: k.def}
			}
		}
	}
}

// neededTables checks the names in the tables against the rest of the file.
func (l *loader) neededTables(d *document) {
	known := slices.Concat(dimensions, Features.IDs())
	for _, a := range d.axes {
		known = append(known, a.name)
	}
	arms := texted(d.arms, "name")
	first := map[any]int{}
	for i, t := range d.tables {
		at := d.tablesAt[i]
		for _, p := range []string{"name", "rows", "cells"} {
			if l.lacks(t[p], at.id+"."+p) {
				l.bad(at, "table %d: %s is missing", i+1, p)
			}
		}
		if name := t["name"].v; name != nil {
			if j, twice := first[name]; twice {
				l.bad(t["name"].at, "table %q is defined twice, first on line %d", name, l.src.line(d.tablesAt[j].id))
			} else {
				first[name] = i
			}
		}
		used := map[string]bool{}
		for _, p := range []string{"rows", "columns"} {
			for _, dim := range listed(t[p].v) {
				if !slices.Contains(known, dim) {
					l.bad(t[p].at, "table: %s: unknown %q%s", p, dim, didYouMean(dim, known))
				}
				if used[dim] {
					l.bad(t[p].at, "table: %q is in rows and in columns", dim)
				}
				used[dim] = p == "rows"
			}
		}
		l.judged(d, t)
		for _, a := range listed(t["arms"].v) {
			if !slices.Contains(arms, a) {
				l.bad(t["arms"].at, "table: there is no arm %q%s", a, didYouMean(a, arms))
			}
		}
	}
}

// neededReports refuses names that no table or figure of a report has, and those of a sweep where there is none. A stored
// run's are left to the report.
func (l *loader) neededReports(d *document) {
	if l.known.Reports == nil || l.src.ran {
		return
	}
	known := l.known.Reports.IDs()
	for _, name := range texted(d.tables, "name") {
		known = append(known, "table/"+name)
	}
	for _, p := range []string{"report.tables", "report.figures"} {
		for _, name := range listed(d.top[p].v) {
			if !slices.Contains(known, name) {
				l.bad(d.top[p].at, "%s: there is no table or figure %q%s; `assay report --list` lists them", p, name, didYouMean(name, known))
			} else if len(d.axes) == 0 && slices.Contains(l.known.Swept, name) {
				l.bad(d.top[p].at, "%s: %q needs a sweep, and the experiment has no [sweep]", p, name)
			}
		}
	}
}

// judged refuses a metric that the experiment does not compute: its column would be empty.
func (l *loader) judged(d *document, t layer) {
	metrics := listed(d.top["metrics"].v)
	for _, c := range listed(t["cells"].v) {
		if l.known.Choices("metrics").Has(c) && !slices.Contains(metrics, c) {
			l.bad(t["cells"].at, "table: cells: the metric %q is none of the experiment's: %s", c, strings.Join(metrics, ", "))
		}
	}
}

// listed returns a list of texts; nil where the key is not stated.
func listed(v any) []string { s, _ := v.([]string); return s }

// texted lists the texts that layers state for a key.
func texted(layers []layer, path string) (out []string) {
	for _, in := range layers {
		if s, ok := in[path].v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
