package decompose

import (
	"strings"

	"assay/prompting/sql/tree"
)

// cut returns the queries that a query of one arm becomes without its last clauses.
func (t *teller) cut(q *tree.Query) []*tree.Query {
	t.refused = nil
	c := t.clause(q, q.Arms[0])
	if t.refused != nil {
		// What cannot be understood is refused by the query itself, unless its nested queries are steps enough.
		if len(inside(q.Arms[0])) > 0 {
			return nil
		}
		return []*tree.Query{{Arms: []*tree.Select{q.Arms[0]}}}
	}
	switch {
	case len(c.arm.GroupBy) > 0 || c.arm.Having != nil:
		return t.cutGroups(c)
	case anyAggregate(c.arm):
		return t.cutAggregates(c)
	}
	if parts := t.apart(c); len(parts) > 0 {
		return parts
	}
	return t.cutRows(c)
}

// made is a query over some tables of a clause.
func made(columns []*tree.Expr, tables []*entity, conds []*tree.Expr) *tree.Query {
	arm := &tree.Select{From: sources(tables), Where: and(conds)}
	for _, c := range columns {
		arm.Columns = append(arm.Columns, tree.Result{Expr: c})
	}
	return &tree.Query{Arms: []*tree.Select{arm}}
}

// and connects conditions.
func and(conds []*tree.Expr) *tree.Expr {
	switch len(conds) {
	case 0:
		return nil
	case 1:
		return conds[0]
	}
	out := conds[0]
	for _, e := range conds[1:] {
		out = &tree.Expr{Kind: tree.Binary, Op: "AND", Args: []*tree.Expr{out, e}}
	}
	return out
}

// sources joins tables again, each to one before it. They are connected, the first to the second and so on.
func sources(tables []*entity) []*tree.Source {
	var out []*tree.Source
	placed := map[*entity]bool{}
	for _, e := range tables {
		f := &tree.Source{Table: e.table.Name, Alias: e.source.Alias}
		if strings.EqualFold(e.source.Table, e.table.Name) {
			f.Table = e.source.Table // as the statement spells it
		}
		for _, l := range e.links {
			if placed[l.to] {
				f.Join, f.On = "JOIN", l.on
			}
		}
		placed[e] = true
		out = append(out, f)
	}
	return out
}

// everything returns all tables of a clause, connected ones after each other.
func everything(c *clause) []*entity {
	return reach(c.entities[0], nil, func(link) bool { return true })
}

// allConds returns the conditions of tables.
func allConds(tables []*entity) []*tree.Expr {
	var out []*tree.Expr
	for _, e := range tables {
		out = append(out, e.conds...)
	}
	return out
}

// far returns, for each side of a table on which conditions restrict it, first the restriction of the table farthest
// away and then the side as a whole, each by the column that joins it.
func far(root *entity) []*tree.Query {
	var out []*tree.Query
	for _, l := range root.links {
		side := pruned(reach(l.to, root, func(link) bool { return true }))
		if len(allConds(side)) == 0 {
			continue
		}
		if last := side[len(side)-1]; len(side) > 1 && len(last.conds) > 0 {
			for _, back := range last.links {
				if contains(side, back.to) {
					out = append(out, made([]*tree.Expr{back.own}, []*entity{last}, last.conds))
				}
			}
		}
		out = append(out, made([]*tree.Expr{l.far}, side, allConds(side)))
	}
	return out
}

// pruned leaves out the tables at the end of joins that restrict nothing, and of which each row before has one.
func pruned(side []*entity) []*entity {
	for i := len(side) - 1; i > 0; i-- {
		e, joins, one := side[i], 0, false
		for _, l := range e.links {
			if contains(side, l.to) {
				joins++
				for _, back := range l.to.links {
					one = one || back.to == e && back.one
				}
			}
		}
		if joins == 1 && one && len(e.conds) == 0 {
			side = removed(side, e)
		}
	}
	return side
}

// cutRows cuts a query for rows.
func (t *teller) cutRows(c *clause) []*tree.Query {
	root, ok := t.root(c)
	if !ok {
		return []*tree.Query{c.q}
	}
	out := far(root)
	all := everything(c)
	if c.q.Limit != nil && c.q.Limit.Name == "1" && len(c.q.OrderBy) == 1 && t.only(c, c.q.OrderBy[0].Expr) != nil {
		term := c.q.OrderBy[0]
		name := "min"
		if term.Desc {
			name = "max"
		}
		all = needed(all, t.only(c, term.Expr))
		return append(out, made([]*tree.Expr{{Kind: tree.Call, Name: name, Args: []*tree.Expr{term.Expr}}}, all, allConds(all)))
	}
	columns := plainColumns(c)
	switch {
	case len(c.q.OrderBy) > 0 && (len(c.entities) > 1 || len(columns) > 1 || len(root.conds) > 0 || c.q.Limit != nil):
		if c.q.Limit != nil {
			columns = withOrder(columns, c.q.OrderBy)
		}
		unsorted := made(columns, all, allConds(all))
		unsorted.Arms[0].Distinct = c.arm.Distinct
		return append(out, unsorted)
	case len(c.entities) > 1 && len(out) == 0:
		return append(out, made(t.columnsOf(c, root), []*entity{root}, root.conds))
	case len(c.entities) == 1 && (len(columns) > 1 || len(root.conds) > 1 || either(root.conds)):
		return append(out, fewer(columns, root)...)
	}
	return out
}

// needed returns a table alone if no other has a condition and each of its rows has one of every other.
func needed(all []*entity, e *entity) []*entity {
	if e == nil || len(allConds(all)) > len(e.conds) {
		return all
	}
	if len(reach(e, nil, func(l link) bool { return l.one })) == len(all) {
		return []*entity{e}
	}
	return all
}

// either reports whether the only condition is an OR.
func either(conds []*tree.Expr) bool {
	return len(conds) == 1 && conds[0].Kind == tree.Binary && conds[0].Op == "OR"
}

// fewer returns a query over one table with fewer conditions: with one of several, or with none in place of one.
func fewer(columns []*tree.Expr, e *entity) []*tree.Query {
	switch {
	case len(e.conds) == 0, len(e.conds) == 1 && nests(e.conds[0]):
		return nil
	case len(e.conds) == 1 && either(e.conds):
		return []*tree.Query{made(columns, []*entity{e}, operands(e.conds[0], "OR")[:1])}
	case len(e.conds) == 1:
		return []*tree.Query{made(columns, []*entity{e}, nil)}
	}
	kept := e.conds[0]
	for _, x := range e.conds { // the one with a nested query follows from the step before
		if nests(x) {
			kept = x
		}
	}
	return []*tree.Query{made(columns, []*entity{e}, []*tree.Expr{kept})}
}

func nests(e *tree.Expr) bool {
	if e.Query != nil {
		return true
	}
	for _, a := range e.Args {
		if nests(a) {
			return true
		}
	}
	return false
}

// plainColumns returns the select list.
func plainColumns(c *clause) []*tree.Expr {
	var out []*tree.Expr
	for _, r := range c.arm.Columns {
		out = append(out, r.Expr)
	}
	return out
}

// columnsOf returns the selected columns of one table.
func (t *teller) columnsOf(c *clause, e *entity) []*tree.Expr {
	var out []*tree.Expr
	for _, x := range plainColumns(c) {
		if x.Kind == tree.Name && t.entityOf(c, x) == e {
			out = append(out, x)
		}
	}
	return out
}

// withOrder adds the columns that are sorted by.
func withOrder(columns []*tree.Expr, order []tree.Term) []*tree.Expr {
	for _, term := range order {
		known := term.Expr.Kind != tree.Name
		for _, c := range columns {
			known = known || c.Kind == tree.Star || strings.EqualFold(c.Name, term.Expr.Name)
		}
		if !known {
			columns = append(columns[:len(columns):len(columns)], term.Expr)
		}
	}
	return columns
}

// cutAggregates cuts a query for aggregates of all rows: the first of several, or with fewer conditions.
func (t *teller) cutAggregates(c *clause) []*tree.Query {
	grain := c.grain()
	if grain == nil {
		grain = c.entities[0]
	}
	out := far(grain)
	columns, all := plainColumns(c), everything(c)
	switch {
	case len(columns) > 1:
		return append(out, made(columns[:1], all, allConds(all)))
	case len(c.entities) == 1 && (len(grain.conds) > 1 || either(grain.conds)):
		return append(out, fewer(columns, grain)...)
	}
	return out
}

// cutGroups cuts a grouped query: what each group has, before what is asked of the groups.
func (t *teller) cutGroups(c *clause) []*tree.Query {
	grain := c.grain()
	if grain == nil || len(c.arm.GroupBy) == 0 {
		return []*tree.Query{c.q}
	}
	out := far(grain)
	asked := c.arm.Having != nil || len(c.q.OrderBy) > 0 || c.q.Limit != nil
	aggregates := t.aggregatesOf(c)
	switch {
	case asked && len(aggregates) > 0:
		return append(out, t.perKey(c, aggregates))
	case len(aggregates) > 1:
		return append(out, t.perKey(c, aggregates[:1]))
	case len(grain.conds) > 0 && len(aggregates) == 1:
		all := everything(c)
		return append(out, made(aggregates, all, allConds(all)))
	case len(c.entities) == 1 && len(aggregates) == 1:
		different := made(c.arm.GroupBy, []*entity{grain}, nil)
		different.Arms[0].Distinct = true
		return append(out, different)
	case len(aggregates) == 1 && len(out) == 0:
		return append(out, t.perKey(c, aggregates))
	}
	return out
}

// aggregatesOf returns the aggregates of HAVING and ORDER BY, or else of the select list; equal ones once.
func (t *teller) aggregatesOf(c *clause) []*tree.Expr {
	var out []*tree.Expr
	seen := map[string]bool{}
	add := func(x *tree.Expr) {
		if key := strings.ToLower(strings.Join(strings.Fields(t.stmt.Text(x.Span)), "")); tree.Aggregate(x) && !seen[key] {
			seen[key] = true
			out = append(out, x)
		}
	}
	for _, x := range conjuncts(c.arm.Having) {
		if x.Kind == tree.Binary {
			add(x.Args[0])
		}
	}
	for _, term := range c.q.OrderBy {
		add(term.Expr)
	}
	if len(out) == 0 {
		for _, x := range plainColumns(c) {
			add(x)
		}
	}
	return out
}

// perKey returns the aggregates of each group. A table that only names the key is left out: the key that refers to it
// says as much.
func (t *teller) perKey(c *clause, aggregates []*tree.Expr) *tree.Query {
	keys := append([]*tree.Expr(nil), c.arm.GroupBy...)
	tables := everything(c)
	if c.grain() != nil {
		tables = reach(c.grain(), nil, func(link) bool { return true })
	}
	for i := len(tables) - 1; i >= 0 && c.grain() != nil; i-- {
		if e := tables[i]; len(e.links) == 1 && e != c.grain() && len(e.conds) == 0 {
			if replaced, ok := t.without(c, e, keys, aggregates); ok {
				keys, tables = replaced, removed(tables, e)
			}
		}
	}
	q := made(append(append([]*tree.Expr(nil), keys...), aggregates...), tables, allConds(tables))
	q.Arms[0].GroupBy = keys
	return q
}

// without replaces the keys that a table joins by with those that refer to it, and reports whether it is not needed then.
func (t *teller) without(c *clause, e *entity, keys, aggregates []*tree.Expr) ([]*tree.Expr, bool) {
	l := e.links[0]
	for _, x := range aggregates {
		for _, used := range t.entitiesOf(c, x) {
			if used == e {
				return nil, false
			}
		}
	}
	out := append([]*tree.Expr(nil), keys...)
	for i, k := range out {
		if t.entityOf(c, k) != e {
			continue
		}
		if t.refs[k].Column != t.refs[l.own].Column {
			return nil, false
		}
		out[i] = l.far
	}
	return out, true
}

func removed(list []*entity, e *entity) []*entity {
	var out []*entity
	for _, o := range list {
		if o != e {
			out = append(out, o)
		}
	}
	return out
}
