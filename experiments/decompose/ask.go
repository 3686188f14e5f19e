package decompose

import (
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/sql/tree"
)

// mostDepth bounds sub-queries in sub-queries: nobody follows a question beyond.
const mostDepth = 4

// question words a query as a question, or says what stands in the way. The query may be made of parts of the statement.
func (t *teller) question(q *tree.Query) (string, *Refusal) {
	t.refused, t.depth = nil, 0
	text := t.ask(q)
	return strings.Join(strings.Fields(text), " "), t.refused
}

func (t *teller) ask(q *tree.Query) string {
	if len(q.Arms) != 1 {
		noun, _ := t.compound(q)
		return "What are " + noun + "?"
	}
	arm := q.Arms[0]
	c := t.clause(q, arm)
	if t.refused != nil {
		return ""
	}
	switch {
	case len(arm.GroupBy) > 0 || arm.Having != nil:
		return t.askGroups(c)
	case anyAggregate(arm):
		return t.askAggregates(c)
	}
	return t.askRows(c)
}

// inner words a query inside another as a noun phrase.
func (t *teller) inner(q *tree.Query) string {
	if t.depth++; t.depth > mostDepth {
		return t.refuse(Form, q.Span)
	}
	defer func() { t.depth-- }()
	noun, _ := t.noun(q)
	return noun
}

// noun words a query as a noun phrase, and reports whether it is a plural.
func (t *teller) noun(q *tree.Query) (text string, several bool) {
	if len(q.Arms) != 1 {
		return t.compound(q)
	}
	c := t.clause(q, q.Arms[0])
	if t.refused != nil {
		return "", false
	}
	switch {
	case len(c.arm.GroupBy) > 0 || c.arm.Having != nil:
		return t.groups(c)
	case anyAggregate(c.arm):
		return t.aggregates(c)
	}
	return t.rows(c)
}

// compound words a set operation of two sides.
func (t *teller) compound(q *tree.Query) (text string, several bool) {
	if len(q.Arms) != 2 || len(q.OrderBy) > 0 || q.Limit != nil || len(q.CTEs) > 0 {
		return t.refuse(Form, q.Span), true
	}
	left := t.inner(&tree.Query{Arms: q.Arms[:1]})
	right := t.inner(&tree.Query{Arms: q.Arms[1:]})
	switch q.Ops[0] {
	case "INTERSECT":
		return "what " + left + " and " + right + " have in common", false
	case "EXCEPT":
		return left + " except for " + right, true
	}
	return left + " together with " + right, true
}

func anyAggregate(s *tree.Select) bool {
	for _, c := range s.Columns {
		if tree.Aggregate(c.Expr) {
			return true
		}
	}
	return false
}

// rows words a query for rows: "the names of the singers whose age is above 20".
func (t *teller) rows(c *clause) (text string, several bool) {
	root, ok := t.root(c)
	if !ok {
		return "", false
	}
	few, best := t.best(c, root)
	subject, mods := t.subject(c, root)
	one := few == "one"
	who := "the " + before(count(few)) + numbered(subject, one)
	rest := relative(mods, !one)
	if rest != "" && best != "" {
		who += after(best) + " among the " + english.Plural(subject) + after(relative(mods, true))
	} else {
		who += after(best) + after(rest)
	}
	if few == "all" && rest == "" && !c.arm.Distinct {
		who = "all " + strings.TrimPrefix(who, "the ")
	}
	if t.entityAsked(c, root) {
		if c.arm.Distinct && !one {
			who = "the different " + strings.TrimPrefix(strings.TrimPrefix(who, "all "), "the ")
		}
		return who, !one
	}
	return t.fields(c, root, who, one, len(mods) > 0), true
}

// numbered returns a singular noun in the number wanted.
func numbered(noun string, one bool) string {
	if one {
		return noun
	}
	return english.Plural(noun)
}

// before puts a space after a text that is not empty.
func before(s string) string {
	if s == "" {
		return ""
	}
	return s + " "
}

// count words how many rows a LIMIT leaves: nothing for one or for all.
func count(few string) string {
	if few == "one" || few == "all" {
		return ""
	}
	return few
}

// root returns the table whose rows a question is about: that of the first column.
func (t *teller) root(c *clause) (*entity, bool) {
	if len(c.arm.Columns) == 0 {
		t.refuse(Form, c.arm.Span)
		return nil, false
	}
	first := c.arm.Columns[0].Expr
	e := t.only(c, first)
	if e != nil && first.Kind != tree.Name {
		_, ok := t.formula(e, first)
		if !ok {
			t.refuse(Expression, first.Span)
		}
		return e, ok
	}
	switch {
	case first.Kind == tree.Name && e != nil:
		return e, true
	case first.Kind == tree.Name:
		t.refuse(t.missing(first), first.Span)
	case first.Kind == tree.Star && len(c.entities) == 1:
		return c.entities[0], true
	default:
		t.refuse(Expression, first.Span)
	}
	return nil, false
}

// best words ORDER BY with LIMIT, and returns the number that is left: "one", "all", or digits. An order without a limit is
// the question's matter.
func (t *teller) best(c *clause, root *entity) (few, text string) {
	q := c.q
	if q.Limit == nil {
		return "all", ""
	}
	if q.Offset != nil || q.Limit.Kind != tree.Literal || q.Limit.Lit != tree.Integer || len(q.OrderBy) != 1 {
		t.refuse(Form, q.Limit.Span)
		return "", ""
	}
	term := q.OrderBy[0]
	words, ok := "", t.only(c, term.Expr) == root
	if ok {
		words, ok = t.formula(root, term.Expr)
	}
	if !ok {
		t.refuse(Expression, term.Expr.Span)
		return "", ""
	}
	text = "with the " + superlative(words, term.Desc) + " " + t.amount(root, term.Expr)
	if few = q.Limit.Name; few == "1" {
		few = "one"
	}
	return few, text
}

// entityAsked reports whether the only column is a key, so that the question is which rows there are.
func (t *teller) entityAsked(c *clause, root *entity) bool {
	if len(c.arm.Columns) != 1 || c.arm.Columns[0].Expr.Kind != tree.Name {
		return false
	}
	column := t.refs[c.arm.Columns[0].Expr].Column
	if to := t.target(root, column); to != nil && t.roles(root, &entity{table: to}) > 1 {
		return false // it refers to rows that have a role, and the question is which have that one
	}
	return t.thing(root, column) != ""
}

// subject returns what a question for rows is about, and what restricts it. Where the only column refers to another table,
// it is about that: customers that have an order.
func (t *teller) subject(c *clause, root *entity) (noun string, mods []mod) {
	mods = t.mods(root, nil)
	if !t.entityAsked(c, root) {
		return root.one(), mods
	}
	column := t.refs[c.arm.Columns[0].Expr].Column
	to := t.target(root, column)
	if to == nil {
		return root.one(), mods
	}
	target := &entity{table: to}
	if joined := c.byKey(t, root, c.arm.Columns[0].Expr); joined != nil {
		target = joined
	}
	own := t.mods(target, root) // of a table made here there are none
	if t.isA(root, c.arm.Columns[0].Expr, target) {
		mods = t.mods(root, target)
		noun := english.A(root.one()) + after(relative(mods, false))
		return t.thing(root, column), append(own, mod{have: noun, verb: noun, verbs: root.many() + after(relative(mods, true))})
	}
	noun, mods = t.through(root, target)
	return t.thing(root, column), append(own, mod{have: english.A(noun) + after(relative(mods, false))})
}

// fields words the selected columns of rows: "the names and ages of the singers and the titles of their songs".
func (t *teller) fields(c *clause, root *entity, who string, one, restricted bool) string {
	if c.arm.Columns[0].Expr.Kind == tree.Star {
		return "all information about " + who
	}
	var order []*entity
	words := map[*entity][]string{}
	for _, r := range c.arm.Columns {
		e := t.only(c, r.Expr)
		if e == nil {
			return t.refuse(Expression, r.Expr.Span)
		}
		if words[e] == nil {
			order = append(order, e)
		}
		words[e] = append(words[e], numbered(t.columnOrThing(e, r.Expr), one))
	}
	different := ""
	if c.arm.Distinct && !one {
		different = "different "
	}
	var parts []string
	for _, e := range order {
		list := "the " + different + english.List(words[e], "and") + " of "
		noun := t.inRole(e)
		switch said := strings.Join(append(parts, who), " "); {
		case e == root:
			list += who
		case restricted && !one && noun == e.one() && (strings.Contains(said, noun) || strings.Contains(said, e.many())):
			list += "those " + e.many()
		case one:
			list += "its " + noun
		default:
			list += "their " + english.Plural(noun)
		}
		parts = append(parts, list)
	}
	return english.List(parts, "and")
}

// columnOrThing names a selected column; the key of another table by what it stands for.
func (t *teller) columnOrThing(e *entity, name *tree.Expr) string {
	words, ok := t.formula(e, name)
	if !ok {
		return t.refuse(Expression, name.Span)
	}
	if thing := t.thing(e, t.refs[name].Column); thing != "" && !e.isKey(name.Name) {
		return thing
	}
	return words
}

// askRows words a query for rows as a question.
func (t *teller) askRows(c *clause) string {
	root, ok := t.root(c)
	if !ok {
		return ""
	}
	order := t.sorted(c, root)
	if t.entityAsked(c, root) && c.q.Limit == nil {
		subject, mods := t.subject(c, root)
		if len(mods) == 0 {
			return "Which " + english.Plural(subject) + " are there" + order + "?"
		}
		return "Which " + english.Plural(subject) + " " + predicates(mods) + order + "?"
	}
	text, several := t.rows(c)
	switch {
	case c.arm.Columns[0].Expr.Kind == tree.Star:
		return "What is " + text + order + "?"
	case t.entityAsked(c, root):
		return "Which is " + text + order + "?"
	case c.q.Limit != nil && c.q.Limit.Name == "1" && len(c.arm.Columns) == 1:
		several = false
	}
	if several {
		return "What are " + text + order + "?"
	}
	return "What is " + text + order + "?"
}

// predicates words conditions as what several things are or have.
func predicates(mods []mod) string {
	parts := make([]string, len(mods))
	mods = last(mods)
	for i, m := range mods {
		parts[i] = m.predicate(true)
		if i > 0 && m.verb == "" && mods[i-1].verb == "" {
			parts[i] = m.have
		}
	}
	return listed(parts, mods)
}

// sorted words ORDER BY without LIMIT.
func (t *teller) sorted(c *clause, root *entity) string {
	if c.q.Limit != nil || len(c.q.OrderBy) == 0 {
		return ""
	}
	var parts []string
	for _, term := range c.q.OrderBy {
		words, ok, e := "", false, t.only(c, term.Expr)
		if e != nil {
			words, ok = t.formula(e, term.Expr)
		}
		if !ok {
			return t.refuse(Expression, term.Expr.Span)
		}
		way := " in ascending order"
		if term.Desc {
			way = " in descending order"
		}
		parts = append(parts, words+way)
	}
	return ", sorted by " + english.List(parts, "and")
}
