package decompose

import (
	"assay/experiments/decompose/english"
	"assay/prompting/sql/tree"
)

// key is what the rows are grouped by.
type key struct {
	noun   string  // "customer", "farm region", "year"
	entity *entity // its table
	whole  bool    // each group stands for one row of a table
	rows   *entity // that table, where the query has it
	said   bool    // the noun has what restricts the table
}

// key words the columns of GROUP BY.
func (t *teller) key(c *clause) key {
	var out key
	var nouns []string
	owner := t.keyOwner(c)
	joined := func(e *entity) bool { return e != c.grain() && len(c.entities) > 1 }
	for i, x := range c.arm.GroupBy {
		e := t.entityOf(c, x)
		if x.Kind != tree.Name || e == nil {
			t.refuse(Expression, x.Span)
			return key{}
		}
		noun := t.keyThing(c, e, x)
		whole := noun != ""
		if !whole {
			noun = t.column(e, x)
			if joined(e) && e != owner {
				noun = t.inRole(e) + " " + noun
			}
		}
		if i == 0 {
			out = key{entity: e, whole: whole && len(c.arm.GroupBy) == 1}
			to := c.byKey(t, e, x)
			if out.rows = to; to == nil && e.isKey(x.Name) {
				out.rows = e
			}
			if whole && to != nil {
				out.entity = to
			}
		}
		nouns = append(nouns, english.Singular(noun))
	}
	out.noun = english.List(nouns, "and")
	if owner != nil && joined(owner) {
		out.noun, out.said = t.keyOf(c, owner, nouns), true
	}
	return out
}

// keyThing returns what a column that groups stands for, if it is a key.
func (t *teller) keyThing(c *clause, e *entity, x *tree.Expr) string {
	column := t.refs[x].Column
	if to := t.target(e, column); to != nil && e != c.grain() && t.isA(e, x, &entity{table: to}) {
		return e.one() // students, though each is a person
	}
	return t.thing(e, column)
}

// keyOwner returns the table of which all columns are that group, if none of them is a key.
func (t *teller) keyOwner(c *clause) *entity {
	var owner *entity
	for _, x := range c.arm.GroupBy {
		e := t.entityOf(c, x)
		if x.Kind != tree.Name || e == nil || owner != nil && e != owner || t.keyThing(c, e, x) != "" {
			return nil
		}
		owner = e
	}
	return owner
}

// keyOf names the columns of a joined table that group rows of another, with what restricts that table: "country name",
// or "name of a country whose continent is Europe".
func (t *teller) keyOf(c *clause, e *entity, columns []string) string {
	mods := t.mods(e, c.before(e))
	if len(mods) > 0 || len(columns) > 1 {
		return english.List(columns, "and") + " of " + english.A(t.inRole(e)) + after(relative(mods, false))
	}
	return t.inRole(e) + " " + columns[0]
}

// before returns the table that lies before another on the way from that of the grain, or nil.
func (c *clause) before(e *entity) *entity {
	for _, l := range e.links {
		if !l.one && contains(reach(l.to, e, func(link) bool { return true }), c.grain()) {
			return l.to
		}
	}
	return nil
}

// byKey returns the joined table that a column refers to, or nil.
func (c *clause) byKey(t *teller, e *entity, column *tree.Expr) *entity {
	for _, l := range e.links {
		if l.one && t.refs[l.own].Column == t.refs[column].Column {
			return l.to
		}
	}
	return nil
}

// groups words a query for groups, or what is said of each, as a noun phrase.
func (t *teller) groups(c *clause) (text string, several bool) {
	if len(c.arm.GroupBy) == 0 {
		return t.refuse(Form, c.arm.Span), false
	}
	if anyAggregate(c.arm) {
		head, k, rest := t.perGroup(c)
		if t.refused != nil {
			return "", true
		}
		return "the " + head + " for each " + k + rest, true
	}
	k := t.key(c)
	if t.refused != nil {
		return "", true
	}
	if c.arm.Having == nil && c.q.Limit == nil {
		return t.refuse(Form, c.arm.Span), true // grouping alone, as DISTINCT
	}
	mods, best := t.groupMods(c, k), t.groupBest(c)
	one := c.q.Limit != nil && c.q.Limit.Name == "1"
	who := "the " + before(limit(c.q)) + numbered(k.noun, one) + after(best) + after(relative(mods, !one))
	return t.groupFields(c, k, who, one), !one
}

// limit returns the number of rows that a LIMIT leaves, where that is more than one.
func limit(q *tree.Query) string {
	if q.Limit == nil || q.Limit.Name == "1" {
		return ""
	}
	return q.Limit.Name
}

// groupFields words the selected columns of groups: the key itself, or columns of its table.
func (t *teller) groupFields(c *clause, k key, who string, one bool) string {
	var words []string
	for _, r := range c.arm.Columns {
		e := t.entityOf(c, r.Expr)
		switch {
		case r.Expr.Kind != tree.Name || e == nil:
			return t.refuse(Expression, r.Expr.Span)
		case t.isGroupKey(c, r.Expr):
			if len(c.arm.Columns) == 1 {
				return who
			}
			words = append(words, numbered(t.column(e, r.Expr), one))
		case e == k.rows:
			words = append(words, numbered(t.column(e, r.Expr), one))
		default: // SQLite takes the value of any row of the group
			return t.refuse(Form, r.Expr.Span)
		}
	}
	return "the " + english.List(words, "and") + " of " + who
}

// isGroupKey reports whether a column is grouped by, itself or through the key that joins it.
func (t *teller) isGroupKey(c *clause, x *tree.Expr) bool {
	for _, g := range c.arm.GroupBy {
		if g.Kind == tree.Name && t.refs[g].ColumnName == t.refs[x].ColumnName {
			return true
		}
	}
	return false
}

// groupMods words WHERE and HAVING as said of a group.
func (t *teller) groupMods(c *clause, k key) []mod {
	var out []mod
	for _, x := range conjuncts(c.arm.Having) {
		out = append(out, t.groupCond(c, k, x))
	}
	if !k.said && k.entity != c.grain() {
		out = append(out, t.mods(k.entity, c.before(k.entity))...)
	}
	return out
}

// restricted words what restricts the rows inside a group.
func (t *teller) restricted(c *clause, k key) string {
	grain := c.grain()
	switch {
	case grain == nil:
		return t.refuse(Grain, c.arm.Span)
	case k.entity == nil: // refused
		return ""
	}
	var mods []mod
	for _, cond := range grain.conds {
		mods = append(mods, t.cond(grain, cond))
	}
	for _, l := range grain.links {
		if !contains(reach(l.to, grain, func(link) bool { return true }), k.entity) {
			mods = append(mods, t.joined(grain, l)...)
		}
	}
	for e := c.before(k.entity); e != nil && e != grain; e = c.before(e) {
		if len(e.conds) > 0 || len(e.links) > 2 {
			t.refuse(Form, c.arm.Span)
		}
	}
	return after(relative(mods, true))
}

func contains(list []*entity, e *entity) bool {
	for _, o := range list {
		if o == e {
			return true
		}
	}
	return false
}

// groupCond words one condition of HAVING.
func (t *teller) groupCond(c *clause, k key, x *tree.Expr) mod {
	if x.Kind != tree.Binary || compared[x.Op] == "" || !tree.Aggregate(x.Args[0]) {
		t.refuse(Expression, x.Span)
		return mod{}
	}
	words, over := t.aggregate(c, x.Args[0])
	value := t.value(over, x.Args[1])
	rest := t.restricted(c, k)
	if rest != "" && over != c.grain() {
		t.refuse(Grain, x.Span)
	}
	if t.refused != nil {
		return mod{}
	}
	if t.countsRows(c, x.Args[0]) && t.isValue(x.Args[1]) {
		many := t.counted(c, over)
		if value == "1" {
			many = english.Singular(many)
		}
		return mod{have: quantity(x.Op, value) + " " + many + rest}
	}
	is := value
	if x.Op == "<>" {
		is = "not " + value
	} else if x.Op != "=" {
		is = than(x.Op, "", value)
	}
	if counting(x.Args[0]) || over == k.entity || rest != "" {
		return mod{whose: words + rest + " is " + is, have: english.A(words) + rest + " of " + is}
	}
	return mod{have: over.many() + " whose " + words + " is " + is}
}

// quantity words a comparison of a count.
func quantity(op, value string) string {
	switch op {
	case "=":
		return "exactly " + value
	case "<>":
		return "other than " + value
	case ">":
		return "more than " + value
	case "<":
		return "fewer than " + value
	case ">=":
		return "at least " + value
	}
	return "at most " + value
}

// groupBest words ORDER BY an aggregate with LIMIT: "with the most orders".
func (t *teller) groupBest(c *clause) string {
	q := c.q
	if q.Limit == nil && len(q.OrderBy) == 0 {
		return ""
	}
	if q.Limit == nil || q.Offset != nil || q.Limit.Lit != tree.Integer || len(q.OrderBy) != 1 || !tree.Aggregate(q.OrderBy[0].Expr) {
		return t.refuse(Form, q.Span)
	}
	term := q.OrderBy[0]
	words, over := t.aggregate(c, term.Expr)
	if t.refused != nil {
		return ""
	}
	rest := t.restricted(c, t.key(c))
	if rest != "" && over != c.grain() {
		return t.refuse(Grain, term.Expr.Span)
	}
	most := "the lowest "
	switch {
	case t.countsRows(c, term.Expr) && term.Desc:
		return "with the most " + t.counted(c, over) + rest
	case t.countsRows(c, term.Expr):
		return "with the fewest " + t.counted(c, over) + rest
	case term.Desc:
		most = "the highest "
	}
	if counting(term.Expr) {
		return "with " + most + words + rest
	}
	return "with " + most + words + " of the " + over.many() + rest
}

// askGroups words a grouped query as a question.
func (t *teller) askGroups(c *clause) string {
	if len(c.arm.GroupBy) > 0 && anyAggregate(c.arm) {
		return t.askPerGroup(c)
	}
	text, several := t.groups(c)
	if t.refused != nil {
		return ""
	}
	if len(c.arm.Columns) == 1 && t.isGroupKey(c, c.arm.Columns[0].Expr) && several && c.q.Limit == nil {
		k := t.key(c)
		mods := t.groupMods(c, k)
		return "Which " + english.Plural(k.noun) + " " + predicates(mods) + "?"
	}
	if several {
		return "What are " + text + "?"
	}
	return "What is " + text + "?"
}

// perGroup words the aggregates of a grouped query, the key, and what restricts it.
func (t *teller) perGroup(c *clause) (head, each, rest string) {
	if len(c.q.OrderBy) > 0 || c.q.Limit != nil || c.arm.Distinct {
		t.refuse(Form, c.q.Span)
		return
	}
	k := t.key(c)
	inside := t.restricted(c, k)
	if t.refused != nil {
		return
	}
	var parts, of []string
	for _, r := range c.arm.Columns {
		if r.Expr.Kind == tree.Name && (t.isGroupKey(c, r.Expr) || k.rows != nil && t.entityOf(c, r.Expr) == k.rows) {
			continue
		}
		words, over := t.aggregate(c, r.Expr)
		if inside != "" && over != c.grain() {
			t.refuse(Grain, r.Expr.Span) // what restricts the rows is not said of those
		}
		if t.refused != nil {
			return
		}
		if counting(r.Expr) || t.countsKey(c, r.Expr) {
			parts, of = append(parts, words+inside), append(of, "")
		} else {
			parts, of = append(parts, words), append(of, " of the "+over.many()+inside)
		}
	}
	return ofRows(parts, of), k.noun, after(relative(t.groupMods(c, k), false))
}

// ofRows lists aggregates with the rows that each is of: the same rows are said once, and a count says its own.
func ofRows(aggregates, of []string) string {
	last := len(aggregates) - 1
	for i := range last {
		if of[i] != of[last] {
			aggregates[i] += of[i]
		}
	}
	return english.List(aggregates, "and the") + of[last]
}

// askPerGroup words a grouped query with aggregates as a question.
func (t *teller) askPerGroup(c *clause) string {
	head, each, rest := t.perGroup(c)
	if t.refused != nil {
		return ""
	}
	var only *tree.Expr
	n := 0
	for _, r := range c.arm.Columns {
		if tree.Aggregate(r.Expr) {
			only = r.Expr
			n++
		}
	}
	k := t.key(c)
	if n == 1 && t.countsRows(c, only) {
		_, over := t.aggregate(c, only)
		many := t.counted(c, over) + t.restricted(c, k)
		if k.whole && k.noun != over.one() {
			return "How many " + many + " does each " + each + rest + " have?"
		}
		return "How many " + many + " are there for each " + each + rest + "?"
	}
	if n == 1 {
		return "What is the " + head + " for each " + each + rest + "?"
	}
	return "What are the " + head + " for each " + each + rest + "?"
}
