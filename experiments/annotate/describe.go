package annotate

import (
	"fmt"
	"strings"
	"unicode"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// describe tells a query in English, one line, clause by clause in the order in which it is executed: FROM and its
// joins, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, and last SELECT; the sides of a set operation one after the other,
// then the operation. The schema tells columns from double-quoted strings, and may be nil. The error is for what is no
// single SELECT.
func describe(sql string, db *schema.Database) (string, error) {
	stmt, err := parse(sql)
	if err != nil {
		return "", err
	}
	t := &describer{stmt: stmt, db: db, refs: map[*tree.Expr]tree.Ref{}}
	for _, ref := range tree.Resolve(stmt, db) {
		t.refs[ref.Expr] = ref
	}
	return unbroken(strings.Join(t.statement(stmt.Query), " ")), nil
}

// unbroken puts a text on one line, because names may contain line breaks.
func unbroken(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// describer describes one statement.
type describer struct {
	stmt *tree.Stmt
	db   *schema.Database
	refs map[*tree.Expr]tree.Ref
}

// spelt returns a table's name as the schema spells it.
func (t *describer) spelt(table string) string {
	if t.db != nil {
		for _, known := range t.db.Tables {
			if strings.EqualFold(known.Name, table) {
				return known.Name
			}
		}
	}
	return table
}

// view is how columns are named inside one arm: by the column's name alone if the arm has one table, otherwise with the
// table, and with the alias if the table occurs twice.
type view struct {
	one   bool   // the arm has one source only
	only  string // that table, in lower case; empty for a sub-query
	twice map[string]bool
	bare  bool // columns are named without their table, as in the ORDER BY of a set operation
}

// viewOf returns the view of an arm: it looks for tables that occur twice, and for a FROM clause of a single table.
func viewOf(s *tree.Select) view {
	v := view{twice: map[string]bool{}}
	seen, n := map[string]bool{}, 0
	each(s.From, func(f *tree.Source) {
		key := strings.ToLower(f.Table)
		v.twice[key] = v.twice[key] || (seen[key] && key != "")
		seen[key] = true
		v.only = key
		n++
	})
	if v.one = n == 1; !v.one {
		v.only = ""
	}
	return v
}

// each calls f with the sources of a FROM clause; those in parentheses one by one.
func each(list []*tree.Source, f func(*tree.Source)) {
	for _, s := range list {
		if len(s.List) > 0 {
			each(s.List, f)
		} else {
			f(s)
		}
	}
}

// statement returns the sentences for a whole statement.
func (t *describer) statement(q *tree.Query) []string {
	var out []string
	for _, c := range q.CTEs {
		out = append(out, fmt.Sprintf("First, the table %s is made by %s.", c.Name, t.subquery(c.Query)))
	}
	if len(q.Arms) == 1 {
		return append(out, t.sentences("This query", q)...)
	}
	for i, arm := range q.Arms {
		part := &tree.Query{Arms: []*tree.Select{arm}}
		out = append(out, t.sentences("The "+ordinal(i)+" part of this query", part)...)
		if i > 0 {
			out = append(out, "The query then "+combine(q.Ops[i-1])+".")
		}
	}
	// ORDER BY and LIMIT of a set operation apply to the whole, so they come after all arms.
	if sorted := t.order(q, "the result", view{bare: true}); sorted != "" {
		out = append(out, "It "+sorted+".")
	}
	return out
}

// ordinal returns the word for the i-th part, from 0; beyond the sixth the order of the sentences is enough.
func ordinal(i int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	if i < len(words) {
		return words[i]
	}
	return "next"
}

// combine describes what a set operation does with the result so far and the one just described.
func combine(op string) string {
	switch op {
	case "INTERSECT":
		return "keeps the rows that are in both results"
	case "EXCEPT":
		return "keeps the rows that are in the result so far but not in this one"
	case "UNION ALL":
		return "puts both results together with their repeated rows"
	}
	return "puts both results together without repeated rows"
}

// sentences returns the sentences for a query of one arm.
func (t *describer) sentences(subject string, q *tree.Query) []string {
	arm := q.Arms[0]
	v := viewOf(arm)
	var out []string
	add := func(s string) { out = append(out, s+".") }
	if len(arm.Values) > 0 {
		add(subject + " lists given rows")
		return out
	}
	first := subject + " " + t.from(arm, v)
	if arm.Where != nil {
		first += ", followed by a WHERE clause that keeps the records where " + t.cond(arm.Where, v)
	}
	// Without FROM there is nothing to choose from, and the select list alone makes the first sentence.
	if len(arm.From) > 0 || arm.Where != nil {
		add(first)
		subject = "It then"
	}
	if g := t.group(arm, v); g != "" {
		add("It " + g)
	}
	if o := t.order(q, "the records", v); o != "" {
		add("It " + o)
	}
	add(subject + " " + t.selects(arm, v))
	return out
}

// subquery describes a query inside another as one noun phrase in parentheses.
func (t *describer) subquery(q *tree.Query) string {
	if q == nil {
		return "a sub-query"
	}
	var parts []string
	for i, arm := range q.Arms {
		whole := q
		if len(q.Arms) > 1 {
			whole = &tree.Query{Arms: []*tree.Select{arm}}
		}
		text := strings.Join(t.clauses(whole), ", ")
		if i > 0 {
			text += ", and " + combine(q.Ops[i-1])
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, "; then ")
	if len(q.Arms) > 1 { // otherwise clauses has described the order
		if o := t.order(q, "the result", view{bare: true}); o != "" {
			text += ", and " + o
		}
	}
	return "a sub-query that (" + text + ")"
}

// clauses describes an arm as a list of verb phrases.
func (t *describer) clauses(q *tree.Query) []string {
	arm := q.Arms[0]
	if len(arm.Values) > 0 {
		return []string{"lists given rows"}
	}
	v := viewOf(arm)
	var out []string
	if len(arm.From) > 0 {
		out = append(out, t.from(arm, v))
	}
	if arm.Where != nil {
		out = append(out, "keeps the records where "+t.cond(arm.Where, v))
	}
	if g := t.group(arm, v); g != "" {
		out = append(out, g)
	}
	if o := t.order(q, "the records", v); o != "" {
		out = append(out, o)
	}
	return append(out, t.selects(arm, v))
}

// from describes the FROM clause with its joins.
func (t *describer) from(s *tree.Select, v view) string {
	if len(s.From) == 0 {
		return "needs no table"
	}
	var b strings.Builder
	n := 0
	each(s.From, func(f *tree.Source) {
		if n++; n == 1 {
			b.WriteString("chooses the records from " + t.source(f, v))
			return
		}
		b.WriteString(", joined with " + t.source(f, v))
		switch {
		case f.On != nil:
			b.WriteString(" where " + t.cond(f.On, v))
		case len(f.Using) > 0:
			b.WriteString(" where their " + list(f.Using) + plural(len(f.Using), " column is", " columns are") + " equal")
		case strings.Contains(f.Join, "NATURAL"):
			b.WriteString(" where the columns of the same name are equal")
		}
		b.WriteString(keeps(f.Join))
	})
	return b.String()
}

// keeps says which records without a match an outer join keeps.
func keeps(join string) string {
	switch {
	case strings.Contains(join, "FULL"):
		return ", keeping the records of both sides that have no match"
	case strings.Contains(join, "LEFT"):
		return ", keeping the records on the left that have no match"
	case strings.Contains(join, "RIGHT"):
		return ", keeping the records on the right that have no match"
	}
	return ""
}

// source describes one source of a FROM clause.
func (t *describer) source(f *tree.Source, v view) string {
	var text string
	switch {
	case f.Query != nil:
		text = "the result of " + t.subquery(f.Query)
		if f.Alias != "" {
			text += " called " + f.Alias
		}
	case f.Args != nil:
		text = "the function " + oneLine(t.stmt.Text(f.Span))
	default:
		text = "the " + t.spelt(f.Table) + " table"
		if f.Alias != "" && v.twice[strings.ToLower(f.Table)] {
			text += " as " + f.Alias
		}
	}
	return text
}

// group describes GROUP BY and HAVING.
func (t *describer) group(s *tree.Select, v view) string {
	having := ""
	if s.Having != nil {
		having = "keeps the groups where " + t.cond(s.Having, v)
	}
	if len(s.GroupBy) == 0 {
		return having
	}
	text := "groups the records by " + t.nouns(s.GroupBy, v)
	if having != "" {
		text += " and " + having
	}
	return text
}

// order describes ORDER BY and LIMIT, of the records or of the result of a set operation.
func (t *describer) order(q *tree.Query, what string, v view) string {
	var parts, terms []string
	for _, term := range q.OrderBy {
		way := " in ascending order"
		if term.Desc {
			way = " in descending order"
		}
		terms = append(terms, t.noun(term.Expr, v)+way)
	}
	if len(terms) > 0 {
		parts = append(parts, "sorts "+what+" by "+list(terms))
	}
	if q.Limit != nil {
		limit := "keeps only the first " + t.noun(q.Limit, v) + " records"
		if q.Limit.Kind == tree.Literal && q.Limit.Name == "1" {
			limit = "keeps only the first record"
		}
		if q.Offset != nil {
			limit += " after leaving out " + t.noun(q.Offset, v)
		}
		parts = append(parts, limit)
	}
	return strings.Join(parts, " and ")
}

// selects describes the select list. Plain columns are described together.
func (t *describer) selects(s *tree.Select, v view) string {
	different := ""
	if s.Distinct {
		different = "the different values of "
	}
	plain := len(s.Columns) > 1
	var names, items []string
	for _, c := range s.Columns {
		items = append(items, t.noun(c.Expr, v))
		plain = plain && c.Expr.Kind == tree.Name
		names = append(names, t.column(c.Expr, v))
	}
	if plain {
		return "selects " + different + "the " + list(names) + " columns"
	}
	return "selects " + different + list(items)
}

// list joins words as English does: "a, b and c".
func list(words []string) string { return listed(words, "and") }

// listed is list with another word before the last item.
func listed(words []string, last string) string {
	n := len(words)
	switch n {
	case 0:
		return ""
	case 1:
		return words[0]
	case 2:
		return words[0] + " " + last + " " + words[1]
	}
	return strings.Join(words[:n-1], ", ") + ", " + last + " " + words[n-1]
}

// plural returns the form of a word for n things.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
