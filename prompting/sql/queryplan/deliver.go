package queryplan

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// plan assembles the three parts from what the walk found.
func (r *reader) plan() Plan {
	return Plan{Preparation: r.preparation(), Matching: orNothing(r.matching), Delivering: r.delivering()}
}

func orNothing(steps []string) []string {
	if len(steps) == 0 {
		return []string{"There is nothing to match: the values are worked out once."}
	}
	return steps
}

func (r *reader) preparation() []string {
	var out []string
	for _, c := range r.tables() {
		out = append(out, opened(c))
	}
	if len(r.wanted) > 0 {
		out = append(out, sentence("Have the values that are looked for ready: ", strings.Join(r.wanted, ", "), "."))
	}
	for _, purpose := range []string{"grouping", "sorting", "telling repeated rows apart"} {
		if slices.ContainsFunc(r.made, func(c *cursor) bool { return c.purpose == purpose }) {
			out = append(out, "Set room aside for "+purpose+".")
		}
	}
	if len(out) == 0 {
		out = []string{"No table is needed."}
	}
	return out
}

// tables returns the opened tables, each name once, with the columns of all its cursors: SQLite may open one cursor per
// use of a table, and a reader wants to see the table once.
func (r *reader) tables() []*cursor {
	var out []*cursor
	for _, c := range r.made {
		if c.tree == nil || c.owner != nil || c.tree.index != "" && c.label == "" {
			continue
		}
		i := slices.IndexFunc(out, func(o *cursor) bool { return o.String() == c.String() })
		if i < 0 {
			out = append(out, &cursor{tree: c.tree, label: c.label, columns: slices.Clone(c.columns)})
			continue
		}
		for _, name := range c.columns {
			out[i].named(name)
		}
	}
	return out
}

// opened returns the step that opens a table.
func opened(c *cursor) string {
	var cols []string
	for _, name := range c.columns {
		cols = append(cols, schema.Quote(name))
	}
	if len(cols) == 0 {
		return "Open the table " + c.String() + "; none of its columns is read."
	}
	return sentence("Open the table ", c.String(), ", to read ", strings.Join(cols, ", "), ".")
}

func (r *reader) delivering() []string {
	out := slices.Clone(r.outputs)
	if len(out) == 0 {
		out = append(out, sentence("Return ", strings.Join(r.names, ", "), "."))
	}
	for _, by := range slices.Compact(r.orders) {
		if by != "" {
			out = append(out, sentence("The rows come in the order of ", by, "."))
		}
	}
	for _, b := range slices.Compact(r.bounds) {
		out = append(out, sentence("Return only ", b, "."))
	}
	return append(out, "Close the tables: the query is done.")
}
