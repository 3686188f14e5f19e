package decompose

import (
	"strings"

	"assay/prompting/sql/tree"
)

// print writes a query of one arm that is made of parts of the statement. Where it has one table, columns lose the table
// before them and the table its alias.
func (t *teller) print(q *tree.Query) string {
	arm := q.Arms[0]
	if arm.Span != (tree.Span{}) { // as the text has it
		return strings.TrimSpace(t.stmt.Text(whole(q)))
	}
	p := printer{t: t, alone: len(arm.From) == 1 && len(arm.From[0].List) == 0}
	var b strings.Builder
	b.WriteString("SELECT ")
	if arm.Distinct {
		b.WriteString("DISTINCT ")
	}
	var columns []string
	for _, r := range arm.Columns {
		columns = append(columns, p.expr(r.Expr))
	}
	b.WriteString(strings.Join(columns, ", ") + " FROM " + p.from(arm.From))
	if arm.Where != nil {
		b.WriteString(" WHERE " + p.expr(arm.Where))
	}
	if len(arm.GroupBy) > 0 {
		var keys []string
		for _, g := range arm.GroupBy {
			keys = append(keys, p.expr(g))
		}
		b.WriteString(" GROUP BY " + strings.Join(keys, ", "))
	}
	if arm.Having != nil {
		b.WriteString(" HAVING " + p.expr(arm.Having))
	}
	for i, term := range q.OrderBy {
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)] + p.expr(term.Expr))
		if term.Desc {
			b.WriteString(" DESC")
		}
	}
	return b.String()
}

// whole returns the bytes of a query with its order and limit, or of its arm alone.
func whole(q *tree.Query) tree.Span {
	if q.Span != (tree.Span{}) {
		return q.Span
	}
	return q.Arms[0].Span
}

type printer struct {
	t     *teller
	alone bool // the query has one table
}

// from writes tables joined along their keys.
func (p printer) from(list []*tree.Source) string {
	var parts []string
	for _, f := range list {
		text := f.Join
		if text != "" {
			text += " "
		}
		text += name(f.Table)
		if f.Alias != "" && !p.alone {
			text += " AS " + name(f.Alias)
		}
		if f.On != nil {
			text += " ON " + p.expr(f.On)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// expr writes an expression: the statement's text, or that of what was made here: AND, a call, a name.
func (p printer) expr(e *tree.Expr) string {
	if e.Span != (tree.Span{}) {
		return p.text(e)
	}
	switch e.Kind {
	case tree.Binary:
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = p.expr(a)
			if e.Op == "AND" && a.Kind == tree.Binary && a.Op == "OR" {
				parts[i] = "(" + parts[i] + ")"
			}
		}
		return strings.Join(parts, " "+e.Op+" ")
	case tree.In: // Name is the nested query's text
		return p.expr(e.Args[0]) + " IN (" + e.Name + ")"
	case tree.Call:
		if len(e.Args) == 0 {
			return e.Name + "(*)"
		}
		inner := p.expr(e.Args[0])
		if e.Distinct {
			inner = "DISTINCT " + inner
		}
		return e.Name + "(" + inner + ")"
	}
	if p.alone {
		return name(e.Name)
	}
	return name(e.Table) + "." + name(e.Name)
}

// text returns the bytes of an expression, without the table before its columns where there is one only.
func (p printer) text(e *tree.Expr) string {
	if !p.alone {
		return p.t.stmt.Text(e.Span)
	}
	var b strings.Builder
	from := e.Start
	var walk func(*tree.Expr)
	walk = func(e *tree.Expr) {
		if e.Kind == tree.Name && e.Table != "" && e.Start >= from {
			b.WriteString(p.t.stmt.Text(tree.Span{Start: from, End: e.Start}))
			tokens := tree.Tokens(p.t.stmt.Text(e.Span))
			b.WriteString(tokens[len(tokens)-1].Text)
			from = e.End
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return b.String() + p.t.stmt.Text(tree.Span{Start: from, End: e.End})
}

// name writes a name, in double quotes where SQLite needs them.
func name(s string) string {
	tokens := tree.Tokens(s)
	if len(tokens) == 1 && tokens[0].Kind == tree.Word && tokens[0].Keyword == "" {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
