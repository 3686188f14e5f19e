package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/axes"
	"assay/metrics"
	"assay/prompting/sql/tree"
)

// Class is the cause of a flip, as far as the two statements show it.
type Class string

// The classes, in the order in which they are tried.
const (
	Ran        Class = "ran or not"  // one side was not scored by its rows: no SQL, an error, a timeout, a refusal
	Unread     Class = "not read"    // one side does not parse
	Same       Class = "same SQL"    // equal except for spelling, blanks and aliases: something else changed the score
	Literals   Class = "literals"    // equal except for the values
	Distinct   Class = "DISTINCT"    // equal except for DISTINCT
	Order      Class = "ORDER BY"    // equal except for ORDER BY
	Limit      Class = "LIMIT"       // equal except for LIMIT and OFFSET
	Selected   Class = "select list" // equal except for the result columns, or their order
	Tables     Class = "tables"      // other tables are read
	Features   Class = "features"    // the same tables, other SQL features: joins, predicates, sub-queries and so on
	Columns    Class = "columns"     // the same tables and features, other columns
	Conditions Class = "conditions"  // none of these: other conditions or expressions over the same columns
)

// classes lists them all.
var classes = []Class{Ran, Unread, Same, Literals, Distinct, Order, Limit, Selected, Tables, Features, Columns, Conditions}

// explain sets a flip's class, and its reason in words; label is that of the run compared with A. It tries the classes in
// order, as a statement with other tables usually has other columns too.
func explain(f Flip, label string) (Class, string) {
	if !judged(f.StatusA) || !judged(f.StatusB) {
		return Ran, fmt.Sprintf("%s -> %s", f.StatusA, f.StatusB)
	}
	a, errA := tree.Parse(f.SQLA)
	b, errB := tree.Parse(f.SQLB)
	switch {
	case errA != nil && errB != nil:
		return Unread, "neither side parses"
	case errA != nil || a.Query == nil:
		return Unread, "A is no query that parses"
	case errB != nil || b.Query == nil:
		return Unread, label + " is no query that parses"
	}
	x, y := newShape(a), newShape(b)
	for _, only := range []struct {
		class Class
		but   omit
		why   func(x, y *shape) string
	}{
		{Same, omit{}, sameWhy},
		{Literals, omit{literals: true}, literalsWhy},
		{Distinct, omit{distinct: true}, distinctWhy},
		{Order, omit{order: true}, orderWhy},
		{Limit, omit{limit: true}, limitWhy},
		{Selected, omit{selected: true}, selectedWhy},
	} {
		if x.print(only.but) == y.print(only.but) {
			return only.class, only.why(x, y)
		}
	}
	return parts(x, y)
}

// judged reports whether a status results from comparing rows.
func judged(s metrics.Status) bool { return s == metrics.Correct || s == metrics.Wrong }

// parts compares two statements by tables, features and columns.
func parts(x, y *shape) (Class, string) {
	tables := signed(lower(tree.Tables(x.stmt, nil)), lower(tree.Tables(y.stmt, nil)))
	columns := signed(x.columns(y), y.columns(x))
	features := counts(x.stmt.SQL, y.stmt.SQL)
	class := Conditions
	switch {
	case tables != "":
		class = Tables
	case features != "":
		class = Features
	case columns != "":
		class = Columns
	}
	var said []string
	for _, s := range []struct{ name, text string }{{"tables", tables}, {"", features}, {"columns", columns}} {
		if s.text != "" {
			said = append(said, strings.TrimSpace(s.name+" "+s.text))
		}
	}
	if said == nil {
		return class, "other conditions or expressions"
	}
	return class, strings.Join(said, "; ")
}

func lower(names []string) (out []string) {
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// signed lists what only b has with "+", and what only a has with "-".
func signed(a, b []string) string {
	var out []string
	for _, n := range b {
		if !slices.Contains(a, n) {
			out = append(out, "+"+n)
		}
	}
	for _, n := range a {
		if !slices.Contains(b, n) {
			out = append(out, "-"+n)
		}
	}
	return some(out, 6)
}

// some joins at most n words, and counts the rest.
func some(words []string, n int) string {
	if len(words) > n {
		words = append(words[:n:n], fmt.Sprintf("and %d more", len(words)-n))
	}
	return strings.Join(words, " ")
}

// counts lists the features whose counts differ: "joins 1->2, like 0->1".
func counts(a, b string) string {
	x, y := axes.Features(a), axes.Features(b)
	var out []string
	for _, ax := range axes.List() {
		if !ax.Feature || ax.Name == "tables" { // tables are listed by name
			continue
		}
		n, _ := axes.Count(x, ax.Name)
		m, _ := axes.Count(y, ax.Name)
		if n != m {
			out = append(out, fmt.Sprintf("%s %d->%d,", ax.Name, n, m))
		}
	}
	return strings.TrimSuffix(some(out, 6), ",")
}

func sameWhy(*shape, *shape) string { return "the same SQL but for spelling" }

// literalsWhy names the first value that differs.
func literalsWhy(x, y *shape) string {
	for i, v := range x.values {
		if i < len(y.values) && y.values[i] != v {
			return fmt.Sprintf("only values differ: %s -> %s", brief(v), brief(y.values[i]))
		}
	}
	return "only values differ"
}

func brief(v string) string {
	if r := []rune(v); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return v
}

func distinctWhy(x, y *shape) string {
	return clauseWhy("DISTINCT", tree.Count(x.stmt).Distincts, tree.Count(y.stmt).Distincts, "only the place of DISTINCT differs")
}

func orderWhy(x, y *shape) string {
	return clauseWhy("ORDER BY", tree.Count(x.stmt).OrderBys, tree.Count(y.stmt).OrderBys, "only ORDER BY differs")
}

func limitWhy(x, y *shape) string {
	return clauseWhy("LIMIT", tree.Count(x.stmt).Limits, tree.Count(y.stmt).Limits, "only LIMIT or OFFSET differs")
}

// clauseWhy says that a clause was added or removed, by how often each side has it, and otherwise returns the given text.
func clauseWhy(clause string, before, after int, otherwise string) string {
	switch {
	case before < after:
		return "only " + clause + " is added"
	case before > after:
		return "only " + clause + " is dropped"
	}
	return otherwise
}

func selectedWhy(x, y *shape) string {
	a, b := x.selected(), y.selected()
	if slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		if len(x.stmt.Query.Arms[0].Columns) == len(y.stmt.Query.Arms[0].Columns) {
			return "only the order of the result columns differs"
		}
		return fmt.Sprintf("only the number of result columns differs: %d -> %d", len(x.stmt.Query.Arms[0].Columns), len(y.stmt.Query.Arms[0].Columns))
	}
	var out []string
	for _, side := range []struct {
		sign      string
		has, lack map[string]string
	}{{"+", b, a}, {"-", a, b}} {
		for _, k := range slices.Sorted(maps.Keys(side.has)) {
			if _, ok := side.lack[k]; !ok {
				out = append(out, side.sign+side.has[k])
			}
		}
	}
	return "only the result columns differ: " + some(out, 6)
}
