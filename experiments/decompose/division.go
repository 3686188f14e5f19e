package decompose

import (
	"strconv"
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Part is a question inside a division: see exemplar.Part, whose fields it has.
type Part struct{ Number, Question, Analysis, Pseudo, SQL string }

// sub is a query inside another, in words and in SQL.
type sub struct {
	q         *tree.Query
	noun, sql string
}

// Divide returns the parts of a query, the question itself first, and how the assembled query becomes the given one. The
// parts are the sides of a set operation, the nested queries, and the lists of rows of another table of which the
// condition allows each row at most one: there a join and a nested query return the same. Refusal is nil, or says why
// there are none or no wording for one.
func Divide(question, sql string, db *schema.Database) (parts []Part, simplify string, refused *Refusal) {
	t, refused := read(sql, db)
	if refused != nil {
		return nil, "", refused
	}
	q := t.stmt.Query
	if len(q.CTEs) > 0 {
		return nil, "", &Refusal{Reason: Form, Detail: sql}
	}
	text := strings.TrimRight(strings.TrimSpace(sql), "; \t\n")
	subs, simplify := t.subs(q), "Nothing becomes shorter: each sub-query is needed as it is."
	if lists, assembled, how := t.lists(q); len(lists) > 0 && len(subs) == 0 {
		subs, text, simplify = lists, assembled, how
	}
	if t.refused = nil; len(subs) == 0 {
		return nil, "", &Refusal{Reason: Whole}
	}
	parts = t.parts(sub{q: q, noun: question, sql: text}, subs, "")
	if t.refused != nil {
		return nil, "", t.refused
	}
	return parts, simplify, nil
}

// subs returns the sides of a set operation, or the nested queries of one arm.
func (t *teller) subs(q *tree.Query) []sub {
	var out []sub
	if len(q.Arms) > 1 {
		for _, arm := range q.Arms {
			out = append(out, sub{q: &tree.Query{Arms: []*tree.Select{arm}}, sql: t.stmt.Text(arm.Span)})
		}
		return out
	}
	for _, nested := range inside(q.Arms[0]) {
		out = append(out, sub{q: nested, sql: t.stmt.Text(nested.Span)})
	}
	return out
}

// parts words a query and the queries inside it, each before those inside it.
func (t *teller) parts(whole sub, subs []sub, number string) []Part {
	pseudo := whole.sql
	var inner []Part
	for i, s := range subs {
		at := strconv.Itoa(i + 1)
		if number != "" {
			at = number + "." + at
		}
		if strings.Count(at, ".") >= mostDepth {
			t.refuse(Form, s.q.Span)
			return nil
		}
		t.depth = 0
		s.noun = strings.Join(strings.Fields(t.inner(s.q)), " ")
		if t.refused != nil {
			return nil
		}
		pseudo = strings.Replace(pseudo, s.sql, s.noun, 1)
		inner = append(inner, t.parts(s, t.subs(s.q), at)...)
	}
	main := Part{Number: number, Question: whole.noun, Analysis: t.analysis(whole.q, len(subs)), Pseudo: flatten(pseudo), SQL: flatten(whole.sql)}
	return append([]Part{main}, inner...)
}

// flatten puts SQL on one line, if no literal or comment has a line break.
func flatten(sql string) string {
	if !strings.ContainsAny(sql, "\n\r\t") || strings.Contains(sql, "--") {
		return sql
	}
	for _, token := range tree.Tokens(sql) {
		if strings.ContainsAny(token.Text, "\n\r\t") {
			return sql
		}
	}
	return strings.Join(strings.Fields(sql), " ")
}

// analysis says which columns and tables answer a query.
func (t *teller) analysis(q *tree.Query, subs int) string {
	if len(q.Arms) > 1 {
		return "Each side is a query of its own. " + together[q.Ops[0]]
	}
	arm := q.Arms[0]
	var selected, tables, grouped, sorted []string
	for _, r := range arm.Columns {
		selected = append(selected, t.ticked(r.Expr))
	}
	for _, f := range flat(arm.From) {
		if f.Table != "" {
			tables = append(tables, "`"+f.Table+"`")
		}
	}
	text := "The answer is " + english.List(selected, "and")
	if len(tables) > 0 {
		text += " of " + strings.Join(tables, " joined with ")
	}
	text += "."
	if used := t.names(arm.Where); len(used) > 0 {
		text += " What counts is " + english.List(used, "and") + "."
	}
	for _, g := range arm.GroupBy {
		grouped = append(grouped, t.ticked(g))
	}
	if len(grouped) > 0 {
		text += " The rows are grouped by " + english.List(grouped, "and") + "."
	}
	if arm.Having != nil {
		text += " The groups are restricted by what is computed for each."
	}
	for _, term := range q.OrderBy {
		sorted = append(sorted, t.ticked(term.Expr))
	}
	if len(sorted) > 0 {
		text += " They are sorted by " + english.List(sorted, "and") + "."
	}
	switch {
	case subs == 1:
		text += " One thing has to be known first."
	case subs > 1:
		text += " " + strconv.Itoa(subs) + " things have to be known first."
	}
	return text
}

var together = map[string]string{"INTERSECT": "INTERSECT keeps the rows that both return.",
	"EXCEPT":    "EXCEPT takes the rows of the second from those of the first.",
	"UNION":     "UNION puts their rows together, each once.",
	"UNION ALL": "UNION ALL puts their rows together."}

// ticked quotes an expression as code; a column without its alias.
func (t *teller) ticked(e *tree.Expr) string {
	if e.Kind == tree.Name {
		return "`" + e.Name + "`"
	}
	return "`" + strings.Join(strings.Fields(t.stmt.Text(e.Span)), " ") + "`"
}

// names returns the columns of a condition, quoted as code, without those of nested queries and of joins.
func (t *teller) names(where *tree.Expr) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(*tree.Expr)
	walk = func(e *tree.Expr) {
		if text := "`" + e.Name + "`"; e.Kind == tree.Name && t.refs[e].Meaning == tree.BaseColumn && !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	if where != nil {
		walk(where)
	}
	return out
}

// lists makes nested queries of the joins that only restrict: the tables at the end of a join that have conditions, of
// which nothing else is read. It returns them with the assembled SQL and how that becomes shorter.
func (t *teller) lists(q *tree.Query) (subs []sub, assembled, simplify string) {
	t.refused = nil
	if len(q.Arms) != 1 || q.Limit != nil {
		return nil, "", ""
	}
	c := t.clause(q, q.Arms[0])
	if t.refused != nil {
		return nil, "", ""
	}
	kept, replaced := c.entities, map[*entity]*tree.Expr{}
	var how []string
	for _, e := range c.entities {
		back, ok := t.onlyRestricts(c, e)
		if !ok || len(kept) == 1 {
			continue
		}
		list := made([]*tree.Expr{back.own}, []*entity{e}, e.conds)
		sql := t.print(list)
		subs = append(subs, sub{q: list, sql: sql})
		replaced[e] = &tree.Expr{Kind: tree.In, Args: []*tree.Expr{back.far}, Name: sql}
		how = append(how, "the list of `"+back.own.Name+"` becomes a join with `"+e.source.Table+"`")
		kept = removed(kept, e)
	}
	if len(subs) == 0 {
		return nil, "", ""
	}
	text := "The conditions stay as they are; " + english.List(how, "and") + "."
	return subs, t.reassembled(c, kept, replaced), text
}

// onlyRestricts returns the join of a table at the end of the joins of which nothing but its condition is needed.
func (t *teller) onlyRestricts(c *clause, e *entity) (back link, ok bool) {
	if len(e.conds) == 0 || e.shown || len(e.links) != 1 || e.links[0].loose {
		return link{}, false
	}
	back = e.links[0]
	for _, l := range back.to.links {
		ok = ok || l.to == e && l.one && (e.isDeclared(l.far.Name) || t.declared(back.to, l.own, e, l.far))
	}
	for _, x := range c.arm.GroupBy {
		ok = ok && !contains(t.entitiesOf(c, x), e)
	}
	for _, term := range c.q.OrderBy {
		ok = ok && !contains(t.entitiesOf(c, term.Expr), e)
	}
	if c.arm.Having != nil {
		ok = ok && !contains(t.entitiesOf(c, c.arm.Having), e)
	}
	for _, r := range c.arm.Columns {
		ok = ok && r.Expr.Kind != tree.Star
	}
	return back, ok
}

// reassembled writes a query over fewer tables, with a nested query in place of each that is left out.
func (t *teller) reassembled(c *clause, kept []*entity, replaced map[*entity]*tree.Expr) string {
	kept = reach(kept[0], nil, func(l link) bool { return replaced[l.to] == nil })
	conds := allConds(kept)
	for _, e := range c.entities {
		if x := replaced[e]; x != nil {
			conds = append(conds, x)
		}
	}
	q := made(plainColumns(c), kept, conds)
	q.Arms[0].Distinct, q.Arms[0].GroupBy, q.Arms[0].Having = c.arm.Distinct, c.arm.GroupBy, c.arm.Having
	q.OrderBy = c.q.OrderBy
	return t.print(q)
}
