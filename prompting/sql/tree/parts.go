package tree

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// Parts is what a query is made of, as annotations of demonstrations tell it. Every list has its members once, in the order of
// the text, and names as the schema spells them.
type Parts struct {
	Tables   []string
	Columns  []schema.ColumnName    // all that it uses
	Asked    []schema.ColumnName    // those of SELECT, of conditions and of ORDER BY: no keys of joins, and none that only GROUP BY has
	Joins    [][2]schema.ColumnName // pairs of columns that an = joins
	Values   []string               // literals of conditions, texts in single quotes
	Nested   bool                   // it has a sub-query or a set operation
	Unjoined string                 // the query with full names and no FROM, on one line, as NatSQL leaves joins out
}

// PartsOf returns the parts of a statement. All are empty for one that is no SELECT. The schema may be nil.
func PartsOf(s *Stmt, db *schema.Database) Parts {
	if s == nil || s.Query == nil {
		return Parts{}
	}
	f := Count(s)
	d := dissection{refs: map[*Expr]Ref{}, apart: map[*Expr]bool{}, bounds: map[*Expr]bool{}}
	all := Resolve(s, db)
	for _, r := range all {
		if r.Expr != nil {
			d.refs[r.Expr] = r
		}
	}
	Walk(s.Query, Visitor{Query: d.query, Select: d.arm, Source: d.source, Expr: d.expr})
	p := Parts{Tables: Tables(s, db), Columns: Columns(s, db), Joins: d.joins, Values: d.values, Nested: f.Subqueries+f.SetOps > 0}
	for _, r := range all {
		if r.Expr != nil && r.Meaning == BaseColumn && r.Column != "*" && !d.apart[r.Expr] && !slices.Contains(p.Asked, r.ColumnName) {
			p.Asked = append(p.Asked, r.ColumnName)
		}
	}
	p.Unjoined = unjoined(s, d)
	return p
}

// dissection gathers the parts of a query while it is walked.
type dissection struct {
	refs   map[*Expr]Ref
	apart  map[*Expr]bool // names within ON and GROUP BY, and of joins
	bounds map[*Expr]bool // the numbers of LIMIT and OFFSET
	joins  [][2]schema.ColumnName
	values []string
	cuts   []edit // what becomes of the FROM clauses
}

// edit is a range of bytes and what stands there instead.
type edit struct {
	Span
	text string
}

func (d *dissection) query(q *Query, _ int) { d.bounds[q.Limit], d.bounds[q.Offset] = true, true }

func (d *dissection) source(s *Source) { d.part(s.On) }

func (d *dissection) arm(s *Select) {
	for _, e := range s.GroupBy {
		d.part(e)
	}
	if len(s.From) == 0 {
		return
	}
	cut := Span{s.From[0].Start, s.From[0].End}
	for _, f := range s.From {
		if f.Query != nil || f.List != nil || f.Args != nil {
			return // what it selects from is more than tables
		}
		cut.End = max(cut.End, f.End)
		if f.On != nil {
			cut.End = max(cut.End, f.On.End)
		}
	}
	d.cuts = append(d.cuts, edit{Span: cut})
}

// part marks the names of an expression.
func (d *dissection) part(e *Expr) {
	Visitor{Expr: func(e *Expr) { d.apart[e] = true }}.expr(e, 0)
}

func (d *dissection) expr(e *Expr) {
	switch {
	case e.Kind == Binary && e.Op == "=":
		a, b := d.refs[e.Args[0]], d.refs[e.Args[1]]
		if a.Expr == nil || b.Expr == nil || a.Meaning != BaseColumn || b.Meaning != BaseColumn {
			return
		}
		d.apart[a.Expr], d.apart[b.Expr] = true, true
		if pair := [2]schema.ColumnName{a.ColumnName, b.ColumnName}; !slices.Contains(d.joins, pair) {
			d.joins = append(d.joins, pair)
		}
	case e.Kind == Literal && !d.bounds[e] && e.Lit != Null && e.Lit != Clock:
		d.value(e.Name, e.Lit == String)
	case e.Kind == Name && d.refs[e].Meaning == TextLiteral && d.refs[e].Expr != nil:
		d.value(e.Name, true)
	}
}

func (d *dissection) value(text string, quoted bool) {
	if quoted {
		text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	if !slices.Contains(d.values, text) {
		d.values = append(d.values, text)
	}
}

// unjoined prints a statement with full names and without its FROM clauses.
func unjoined(s *Stmt, d dissection) string {
	edits := make([]edit, 0, len(d.cuts)+len(d.refs))
	for _, c := range d.cuts {
		at := strings.LastIndex(strings.ToUpper(s.SQL[:c.Start]), "FROM")
		if at >= 0 && len(strings.ToUpper(s.SQL[:c.Start])) == c.Start { // capitals have as many bytes
			edits = append(edits, edit{Span{len(strings.TrimRight(s.SQL[:at], " \t\r\n")), c.End}, ""})
		}
	}
	for e, r := range d.refs {
		if e.Kind == Name && r.Meaning == BaseColumn && r.Table != "" {
			edits = append(edits, edit{e.Span, r.Table + "." + r.Column})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.Start - b.Start })
	var b strings.Builder
	from := 0
	for _, e := range edits {
		if e.Start >= from && e.End <= len(s.SQL) && e.Start <= e.End { // a name within a clause that is gone is gone
			b.WriteString(s.SQL[from:e.Start] + e.text)
			from = e.End
		}
	}
	return strings.Join(strings.Fields(b.String()+s.SQL[from:]), " ")
}
