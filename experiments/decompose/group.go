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
	e := t.entityOf(c, x.Args[0])
	if x.Args[0].Kind != tree.Name || e == nil {
		t.refuse(Expression, x.Span)
		return "", nil
	}
	column := t.column(e, x.Args[0])
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

// countsRows reports whether an aggregate counts rows whatever they hold: all, or by a key, or by what joins them.
func (t *teller) countsRows(c *clause, x *tree.Expr) bool {
	if !counting(x) || len(x.Args) == 0 || x.Args[0].Kind == tree.Star {
		return counting(x)
	}
	e := t.entityOf(c, x.Args[0])
	if e == nil || e.isKey(x.Args[0].Name) {
		return e != nil
	}
	for _, l := range e.links {
		if t.refs[l.own].Column == t.refs[x.Args[0]].Column {
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
		case counting(r.Expr):
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
		if counting(c.arm.Columns[len(parts)-1].Expr) {
			return t.refuse(Form, c.arm.Span), false
		}
		text += " of the " + who
	}
	return text, len(parts) > 1
}

// askAggregates words a query for aggregates as a question.
func (t *teller) askAggregates(c *clause) string {
	if x := c.arm.Columns[0].Expr; len(c.arm.Columns) == 1 && tree.Aggregate(x) && counting(x) && !c.arm.Distinct && c.q.Limit == nil {
		_, over := t.aggregate(c, x)
		if t.refused != nil {
			return ""
		}
		mods := t.mods(over, nil)
		if len(x.Args) == 1 && x.Args[0].Kind == tree.Name && !over.isKey(x.Args[0].Name) {
			mods = append([]mod{{have: english.A(t.column(over, x.Args[0]))}}, mods...)
		}
		if len(mods) == 0 {
			return "How many " + over.many() + " are there?"
		}
		return "How many " + over.many() + " " + predicates(mods) + "?"
	}
	text, several := t.aggregates(c)
	if several {
		return "What are " + text + "?"
	}
	return "What is " + text + "?"
}

// key is what the rows are grouped by.
type key struct {
	noun   string  // "customer", "farm region", "year"
	entity *entity // its table
	whole  bool    // each group is one row of that table
}

// key words the columns of GROUP BY.
func (t *teller) key(c *clause) key {
	var out key
	var nouns []string
	for i, x := range c.arm.GroupBy {
		e := t.entityOf(c, x)
		if x.Kind != tree.Name || e == nil {
			t.refuse(Expression, x.Span)
			return key{}
		}
		noun, whole := t.thing(e, t.refs[x].Column), true
		if noun == "" {
			noun, whole = t.column(e, x), false
			if e != c.grain() && len(c.entities) > 1 {
				noun = e.one() + " " + noun
			}
		}
		if i == 0 {
			out = key{entity: e, whole: whole && len(c.arm.GroupBy) == 1}
			if to := c.byKey(t, e, x); to != nil {
				out.entity = to
			}
		}
		nouns = append(nouns, english.Singular(noun))
	}
	out.noun = english.List(nouns, "and")
	return out
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
		case k.whole && e == k.entity:
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
	if k.entity != c.grain() {
		for _, cond := range k.entity.conds {
			out = append(out, t.cond(k.entity, cond))
		}
	}
	return out
}

// restricted words what restricts the rows inside a group.
func (t *teller) restricted(c *clause, k key) string {
	grain := c.grain()
	if grain == nil {
		return t.refuse(Grain, c.arm.Span)
	}
	var mods []mod
	for _, cond := range grain.conds {
		mods = append(mods, t.cond(grain, cond))
	}
	for _, l := range grain.links {
		if !contains(reach(l.to, grain, func(link) bool { return true }), k.entity) {
			mods = append(mods, t.joined(grain, l)...)
		} else if l.to != k.entity && (len(l.to.conds) > 0 || len(l.to.links) > 2) {
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
	if t.refused != nil {
		return mod{}
	}
	if t.countsRows(c, x.Args[0]) && t.isValue(x.Args[1]) {
		return mod{have: quantity(x.Op, value) + " " + t.counted(c, over) + rest}
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
	var parts []string
	var of string
	for _, r := range c.arm.Columns {
		if r.Expr.Kind == tree.Name && (t.isGroupKey(c, r.Expr) || k.whole && t.entityOf(c, r.Expr) == k.entity) {
			continue
		}
		words, over := t.aggregate(c, r.Expr)
		if t.refused != nil {
			return
		}
		if counting(r.Expr) {
			words += inside
		} else {
			of = " of the " + over.many() + inside
		}
		parts = append(parts, words)
	}
	return english.List(parts, "and the") + of, k.noun, after(relative(t.groupMods(c, k), false))
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
