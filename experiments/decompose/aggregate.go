package decompose

import (
	"assay/experiments/decompose/english"
	"assay/prompting/sql/tree"
)

// means has the words of the aggregates of numbers.
var means = map[string]string{"avg": "average", "sum": "total", "total": "total"}

// aggregate words an aggregate without the rows that it is over: "average age", "number of singers". The second result is
// the table whose rows are counted or averaged.
func (t *teller) aggregate(c *clause, x *tree.Expr) (words string, over *entity) {
	grain := c.grain()
	if !tree.Aggregate(x) || len(x.Args) > 1 {
		t.refuse(Expression, x.Span)
		return "", nil
	}
	if len(x.Args) == 0 || x.Args[0].Kind == tree.Star {
		if grain == nil {
			t.refuse(Grain, c.arm.Span)
			return "", nil
		}
		return "number of " + t.counted(c, grain), grain
	}
	e, column, ok := t.only(c, x.Args[0]), "", false
	if e != nil {
		column, ok = t.formula(e, x.Args[0])
	}
	if !ok || x.Args[0].Kind != tree.Name && x.Name == "count" {
		t.refuse(Expression, x.Span)
		return "", nil
	}
	largest := x.Name == "max"
	switch {
	case x.Name == "count" && x.Distinct:
		if thing := t.thing(e, t.refs[x.Args[0]].Column); thing != "" {
			column = thing
		}
		return "number of different " + english.Plural(column), e
	case largest, x.Name == "min":
		return superlative(column, largest) + " " + t.amount(e, x.Args[0]), e
	case grain != e: // a sum over a join counts some rows of the other table more than once
		t.refuse(Grain, c.arm.Span)
	case t.countsRows(c, x):
		return "number of " + t.counted(c, e), e
	case x.Name == "count" && !x.Distinct:
		return "number of " + e.many() + " with " + english.A(column), e
	case means[x.Name] != "" && !x.Distinct:
		return means[x.Name] + " " + t.amount(e, x.Args[0]), e
	default:
		t.refuse(Expression, x.Span)
	}
	return "", nil
}

// counted names the rows of a table that are counted for each key: what the key has, where the table only connects.
func (t *teller) counted(c *clause, e *entity) string {
	if len(c.arm.GroupBy) != 1 || c.arm.GroupBy[0].Kind != tree.Name {
		return e.many()
	}
	owner := t.entityOf(c, c.arm.GroupBy[0])
	if owner == nil {
		return e.many()
	}
	table := owner.table
	if owner == e {
		table = t.target(e, t.refs[c.arm.GroupBy[0]].Column)
	}
	if table != nil {
		if other := t.connects(e, &entity{table: table}); other != "" {
			return english.Plural(other)
		}
	}
	return e.many()
}

// counting reports whether an aggregate is a number of rows.
func counting(x *tree.Expr) bool { return x.Name == "count" && !x.Distinct }

// countsKey reports whether an aggregate counts the rows of a table once each, however often the join has them.
func (t *teller) countsKey(c *clause, x *tree.Expr) bool {
	if x.Name != "count" || !x.Distinct || len(x.Args) != 1 || x.Args[0].Kind != tree.Name {
		return false
	}
	e := t.entityOf(c, x.Args[0])
	return e != nil && e.isKey(x.Args[0].Name) && t.target(e, t.refs[x.Args[0]].Column) == nil
}

// countsRows reports whether an aggregate counts rows whatever they hold: all, or by a key, or by what joins them.
func (t *teller) countsRows(c *clause, x *tree.Expr) bool {
	if !counting(x) || len(x.Args) == 0 || x.Args[0].Kind == tree.Star {
		return counting(x)
	}
	e := t.entityOf(c, x.Args[0])
	if e == nil || e.isKey(x.Args[0].Name) {
		return e != nil
	}
	column := t.refs[x.Args[0]].Column
	for _, l := range e.links {
		if t.refs[l.own].Column == column {
			return true
		}
	}
	for _, cond := range e.conds { // what has a value is not null
		if cond.Kind == tree.Binary && compared[cond.Op] != "" && cond.Args[0].Kind == tree.Name && t.refs[cond.Args[0]].Column == column {
			return true
		}
	}
	return false
}

// aggregates words a query for aggregates over all rows: "the average age and the highest age of the singers".
func (t *teller) aggregates(c *clause) (text string, several bool) {
	if len(c.q.OrderBy) > 0 || c.q.Limit != nil || c.arm.Distinct {
		return t.refuse(Form, c.q.Span), false
	}
	var parts []string
	var who string
	for _, r := range c.arm.Columns {
		words, over := t.aggregate(c, r.Expr)
		if t.refused != nil {
			return "", false
		}
		rest := after(relative(t.mods(over, nil), true))
		switch {
		case counting(r.Expr), t.countsKey(c, r.Expr):
			words += rest
		case who != "" && who != over.many()+rest:
			return t.refuse(Form, c.arm.Span), false
		default:
			who = over.many() + rest
		}
		parts = append(parts, "the "+words)
	}
	text = english.List(parts, "and")
	if who != "" {
		if last := c.arm.Columns[len(parts)-1].Expr; counting(last) || t.countsKey(c, last) {
			return t.refuse(Form, c.arm.Span), false
		}
		text += " of the " + who
	}
	return text, len(parts) > 1
}

// askAggregates words a query for aggregates as a question.
func (t *teller) askAggregates(c *clause) string {
	if x := c.arm.Columns[0].Expr; len(c.arm.Columns) == 1 && tree.Aggregate(x) && (counting(x) || t.countsKey(c, x)) &&
		!c.arm.Distinct && c.q.Limit == nil {
		_, over := t.aggregate(c, x)
		if t.refused != nil {
			return ""
		}
		mods, noun := t.mods(over, nil), over.many()
		switch {
		case x.Distinct:
			noun = "different " + noun
		case len(x.Args) == 1 && x.Args[0].Kind == tree.Name && !t.countsRows(c, x):
			mods = append([]mod{{have: english.A(t.column(over, x.Args[0]))}}, mods...)
		}
		if len(mods) == 0 {
			return "How many " + noun + " are there?"
		}
		return "How many " + noun + " " + predicates(mods) + "?"
	}
	text, several := t.aggregates(c)
	if several {
		return "What are " + text + "?"
	}
	return "What is " + text + "?"
}
