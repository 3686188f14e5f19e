package exact

import "assay/prompting/sql/tree"

// tally counts the parts of an expression, those of its sub-queries left out.
type tally struct{ ands, ors, nots, likes, aggs, nested int }

func (t *tally) expr(e *tree.Expr) {
	if e == nil {
		return
	}
	switch {
	case e.Kind == tree.Binary && e.Op == "AND":
		t.ands++
	case e.Kind == tree.Binary && e.Op == "OR":
		t.ors++
	case e.Kind == tree.Unary && e.Op == "NOT":
		t.nots++
	case e.Kind == tree.Like:
		t.likes++
	case e.Kind == tree.Call && (e.Window || tree.Aggregate(e)):
		t.aggs++
	}
	t.nots += count(e.Not)
	t.nested += count(e.Query != nil)
	for _, a := range e.Args {
		t.expr(a)
	}
}

func tallyOf(list ...*tree.Expr) tally {
	var t tally
	for _, e := range list {
		t.expr(e)
	}
	return t
}

// treeCounts counts over SQLite's grammar what the official evaluator counts over its own. Of a compound query the
// first arm counts, and the rest is one nested query; so ORDER BY and LIMIT, which are the last arm's there, do not
// count.
func treeCounts(q *tree.Query) counts {
	arm := q.Arms[0]
	where, having, on := tallyOf(arm.Where), tallyOf(arm.Having), tallyOf(conditionsOf(arm.From)...)
	order, aggs := tally{}, where.nots+having.nots+having.ands+having.ors
	c := counts{
		clauses: count(arm.Where != nil, len(arm.GroupBy) > 0),
		nested:  len(q.CTEs) + min(1, len(q.Ops)) + where.nested + having.nested + on.nested,
	}
	if len(q.Ops) == 0 {
		c.clauses += count(len(q.OrderBy) > 0, q.Limit != nil)
		for _, term := range q.OrderBy {
			order.expr(term.Expr)
		}
	}
	for _, t := range []tally{where, having, on} {
		c.clauses += t.ors + t.likes
	}
	c.clauses += max(0, sources(arm.From)-1)
	for _, r := range arm.Columns {
		t := tallyOf(r.Expr)
		aggs += count(t.aggs > 0)
		c.nested += t.nested
	}
	c.nested += order.nested
	c.others = count(aggs+order.aggs > 1, len(arm.Columns) > 1, where.ands+where.ors > 0, len(arm.GroupBy) > 1)
	return c
}

// conditionsOf returns the ON conditions of a FROM clause.
func conditionsOf(list []*tree.Source) []*tree.Expr {
	var out []*tree.Expr
	for _, f := range list {
		out = append(append(out, conditionsOf(f.List)...), f.On)
	}
	return out
}

// sources counts the tables and sub-queries of a FROM clause.
func sources(list []*tree.Source) int {
	n := 0
	for _, f := range list {
		if len(f.List) > 0 {
			n += sources(f.List)
		} else {
			n++
		}
	}
	return n
}
