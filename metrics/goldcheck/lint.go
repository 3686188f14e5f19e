package goldcheck

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
)

// lint applies the rules that need the tree and the result to one gold query that runs on its original database.
type lint struct {
	ctx    context.Context
	box    *sandbox.Box
	db     engine.DB
	stmt   *tree.Stmt
	shape  *shape
	result *engine.Result
	report *report
	refs   map[*tree.Expr]tree.Ref
	tests  int                        // queries of ours so far
	texts  map[schema.ColumnName]bool // whether a column holds texts; filled in as asked
}

// run applies every rule that needs the tree.
func (l *lint) run() error {
	l.refs, l.texts = map[*tree.Expr]tree.Ref{}, map[schema.ColumnName]bool{}
	for _, ref := range tree.Resolve(l.stmt, l.shape.schema) {
		if ref.Expr != nil {
			l.refs[ref.Expr] = ref
		}
	}
	found, err := Instabilities(l.ctx, l.box, l.db, l.stmt)
	if err != nil {
		return err
	}
	for _, f := range found {
		l.report.add(f.Rule, "%s", f.Text)
	}
	tree.Walk(l.stmt.Query, tree.Visitor{Query: l.query, Expr: l.expr})
	l.duplicates()
	l.selected()
	return l.ctx.Err()
}

func (l *lint) query(q *tree.Query, _ int) {
	for _, t := range q.OrderBy {
		l.bySize(t.Expr, "ordered")
	}
	if q.Limit == nil || len(q.OrderBy) == 0 || q.OrderBy[0].Desc {
		return
	}
	p := &prober{ctx: l.ctx, box: l.box, db: l.db, stmt: l.stmt, text: newText(l.stmt)}
	k, ok := tree.WithKeys(p.stmt, q, false)
	limit, fine := constant(q.Limit)
	offset, fine2 := constant(q.Offset)
	if !ok || !fine || !fine2 {
		return
	}
	rows := p.run(k.SQL)
	if len(rows) == 0 {
		return
	}
	nulls, key := 0, k.Keys(len(rows[0]))[0]
	for i := offset; i < min(offset+limit, len(rows)); i++ {
		if rows[i][key].Kind() == engine.Null {
			nulls++
		}
	}
	if nulls > 0 {
		l.report.add(ruleNullsFirst, "%d rows have NULL for %s", nulls, l.stmt.Text(q.OrderBy[0].Expr.Span))
	}
}

func (l *lint) expr(e *tree.Expr) {
	if what := volatile(e); what != "" {
		l.report.add(ruleVolatile, "%s", what)
	}
	switch {
	case e.Kind == tree.Binary && slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, e.Op):
		l.compare(e.Args[0], e.Args[1])
		l.compare(e.Args[1], e.Args[0])
		if e.Op != "=" && e.Op != "<>" {
			l.bySize(e.Args[0], "compared by size")
			l.bySize(e.Args[1], "compared by size")
		}
	case e.Kind == tree.Between || e.Kind == tree.In:
		for _, a := range e.Args[min(1, len(e.Args)):] {
			l.compare(e.Args[0], a)
		}
		if e.Kind == tree.Between {
			l.bySize(e.Args[0], "compared by size")
		}
	case tree.Aggregate(e) && (e.Name == "min" || e.Name == "max"):
		l.bySize(e.Args[0], "under "+e.Name)
	}
}

// volatile names what makes the value of an expression change, or is empty.
func volatile(e *tree.Expr) string {
	if e.Kind == tree.Literal && e.Lit == tree.Clock {
		return strings.ToUpper(e.Name)
	}
	if e.Kind != tree.Call {
		return ""
	}
	first := 0 // arguments before the time value
	switch e.Name {
	case "random", "randomblob", "changes", "total_changes", "last_insert_rowid":
		return e.Name + "()"
	case "strftime":
		first = 1
	case "date", "time", "datetime", "julianday", "unixepoch", "timediff":
	default:
		return ""
	}
	if len(e.Args) <= first {
		return e.Name + " of the present time"
	}
	for _, a := range e.Args[first:] {
		if (a.Kind == tree.Literal || a.Kind == tree.Name) && strings.EqualFold(a.Name, "now") {
			return e.Name + " of the present time"
		}
	}
	return ""
}

// column returns the base column that an expression names.
func (l *lint) column(e *tree.Expr) (schema.ColumnName, bool) {
	ref, ok := l.refs[e]
	if !ok || ref.Meaning != tree.BaseColumn {
		return schema.ColumnName{}, false
	}
	return ref.ColumnName, true
}

// compare looks at a column compared with a literal.
func (l *lint) compare(column, literal *tree.Expr) {
	c, ok := l.column(column)
	if !ok {
		return
	}
	affinity := l.shape.affinity[c]
	isText, isNumber := l.literal(literal)
	switch {
	case affinity == sqlite.Text && isNumber:
		l.report.add(ruleTextNumber, "%s.%s is text, %s a number", c.Table, c.Column, l.stmt.Text(literal.Span))
	case (affinity == sqlite.Integer || affinity == sqlite.Real || affinity == sqlite.Numeric) && isText && !numeric(literal.Name):
		if l.holdsText(c) { // DATE and the like, or numbers mixed with words
			return
		}
		l.report.add(ruleNumberText, "%s.%s is %s, %s a text", c.Table, c.Column, affinity, l.stmt.Text(literal.Span))
	}
}

func (l *lint) literal(e *tree.Expr) (isText, isNumber bool) {
	if e.Kind == tree.Unary && len(e.Args) == 1 && e.Op != "NOT" {
		e = e.Args[0]
	}
	switch e.Kind {
	case tree.Literal:
		return e.Lit == tree.String, e.Lit == tree.Integer || e.Lit == tree.Float
	case tree.Name:
		return l.refs[e].Meaning == tree.TextLiteral, false
	}
	return false, false
}

func numeric(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil
}

// holdsText reports whether the column has a text at all.
func (l *lint) holdsText(c schema.ColumnName) bool {
	holds, known := l.texts[c]
	if !known {
		quote := l.db.Engine.Dialect().Quote
		holds = l.test(fmt.Sprintf("SELECT 1 FROM %s WHERE typeof(%s) = 'text' LIMIT 1", quote(c.Table), quote(c.Column)))
		l.texts[c] = holds
	}
	return holds
}

// bySize looks at a column whose values are ordered.
func (l *lint) bySize(e *tree.Expr, how string) {
	c, ok := l.column(e)
	if !ok || l.shape.affinity[c] != sqlite.Text {
		return
	}
	holds, known := l.shape.numbers[c]
	if !known && l.tests < mostProbes {
		quote := l.db.Engine.Dialect().Quote
		name := quote(c.Column)
		holds = l.test(fmt.Sprintf("SELECT count(*) FROM %s WHERE typeof(%s) = 'text' AND %s <> ''"+
			" HAVING sum(%s NOT GLOB '*[^0-9.-]*') >= 0.9 * count(*) AND min(length(%s)) < max(length(%s))",
			quote(c.Table), name, name, name, name, name))
		l.shape.numbers[c] = holds
	}
	if holds {
		l.report.add(ruleTextOrder, "%s.%s holds numbers as text and is %s", c.Table, c.Column, how)
	}
}

// test reports whether a query of ours returns rows. It asks no more than mostProbes of one gold query.
func (l *lint) test(sql string) bool {
	if l.tests++; l.tests > mostProbes {
		return false
	}
	res, err := l.box.Run(l.ctx, l.db, sql)
	return err == nil && len(res.Rows) > 0
}

// duplicates looks for repeated rows.
func (l *lint) duplicates() {
	q := l.stmt.Query
	if len(q.Arms) > 1 || q.Arms[0].Distinct {
		return
	}
	seen := map[string]bool{}
	repeated := 0
	for _, row := range l.result.Rows {
		var key strings.Builder
		for _, v := range row {
			v = v.Canonical()
			fmt.Fprintf(&key, "%d %d:%s", v.Kind(), len(v.String()), v.String())
		}
		if seen[key.String()] {
			repeated++
		}
		seen[key.String()] = true
	}
	if repeated > 0 {
		l.report.add(ruleDuplicates, "%d of %d rows repeat another", repeated, len(l.result.Rows))
	}
}

// selected looks for result columns that the question may not have asked for.
func (l *lint) selected() {
	q := l.stmt.Query
	arm := q.Arms[0]
	if len(q.Arms) > 1 || len(arm.Columns) < 2 {
		return
	}
	star := func(c tree.Result) bool { return c.Expr.Kind == tree.Star }
	for _, t := range q.OrderBy {
		at, _ := l.stmt.ResultColumn(arm, t.Expr)
		if at > 0 && at < len(arm.Columns) && !slices.ContainsFunc(arm.Columns[:at], star) {
			l.report.add(ruleSelectedKey, "%s is selected and sorted by", l.stmt.Text(arm.Columns[at].Expr.Span))
		}
	}
	var fixed []*tree.Expr
	l.equalities(arm.Where, &fixed)
	for _, c := range arm.Columns {
		if slices.ContainsFunc(fixed, func(f *tree.Expr) bool { return l.same(c.Expr, f) }) {
			l.report.add(ruleSelectedSame, "%s is selected and the same in every row", l.stmt.Text(c.Expr.Span))
		}
	}
}

// same reports whether two names are one column of one source: a table under two aliases is two.
func (l *lint) same(a, b *tree.Expr) bool {
	ca, oka := l.column(a)
	cb, okb := l.column(b)
	return oka && okb && ca == cb && (a.Table == "" || b.Table == "" || strings.EqualFold(a.Table, b.Table))
}

// equalities collects the columns that a condition fixes to a literal.
func (l *lint) equalities(e *tree.Expr, fixed *[]*tree.Expr) {
	if e == nil || e.Kind != tree.Binary {
		return
	}
	if e.Op == "AND" {
		l.equalities(e.Args[0], fixed)
		l.equalities(e.Args[1], fixed)
	}
	if e.Op != "=" {
		return
	}
	if isText, isNumber := l.literal(e.Args[1]); isText || isNumber {
		if _, ok := l.column(e.Args[0]); ok {
			*fixed = append(*fixed, e.Args[0])
		}
	}
}
