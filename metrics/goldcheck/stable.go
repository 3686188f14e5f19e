package goldcheck

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/tree"
)

// Instability is one choice of SQLite on which the result of a statement depends.
type Instability struct {
	Rule string // limit-tie, limit-without-order, order-tie or bare-column
	Text string
}

// Instabilities runs variants of a SELECT on a database, and returns the choices of SQLite on which its result there
// depends. It finds ties at a LIMIT (in sub-queries too, unless they are correlated), ties of the outermost ORDER BY,
// and columns outside of aggregates that vary within their group. It reports nothing where a variant does not run
// within five seconds, and tries no more variants than mostProbes, nor after a third that did not run so. It fails where
// the context ends or the database cannot be read.
func Instabilities(ctx context.Context, box *sandbox.Box, db engine.DB, stmt *tree.Stmt) ([]Instability, error) {
	if stmt == nil || stmt.Query == nil {
		return nil, nil
	}
	p := &prober{ctx: ctx, box: box, db: db, stmt: stmt, text: newText(stmt)}
	tree.Walk(stmt.Query, tree.Visitor{
		Query:  func(q *tree.Query, depth int) { p.query(q, depth == 0) },
		Select: p.arm,
	})
	if p.err != nil {
		return nil, fmt.Errorf("goldcheck: probe %q: %w", db.Source, p.err)
	}
	return p.out, nil
}

// prober is one call of Instabilities.
type prober struct {
	ctx  context.Context
	box  *sandbox.Box
	db   engine.DB
	stmt *tree.Stmt
	text *text
	out  []Instability
	err  error
	runs int // variants run
	late int // of these, those that met the deadline
}

func (p *prober) found(rule, format string, args ...any) {
	p.out = append(p.out, Instability{Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// probeTime bounds a variant, as one without its LIMIT may take much longer than the gold query.
const probeTime = 5 * time.Second

// What one gold query may take: the known sets need far less, and one of thousands of columns could take hours.
const (
	mostProbes = 100
	mostLate   = 3
)

// run returns the rows of a variant, or nil where it does not run, or for too long.
func (p *prober) run(sql string) [][]engine.Value {
	if p.err != nil || p.runs == mostProbes || p.late == mostLate {
		return nil
	}
	p.runs++
	ctx, cancel := context.WithTimeout(p.ctx, probeTime)
	defer cancel()
	res, err := p.box.Run(ctx, p.db, sql)
	if err != nil {
		if p.err = p.ctx.Err(); ctx.Err() != nil {
			p.late++
			return nil
		}
		switch e, ok := errors.AsType[*engine.Error](err); {
		case !ok:
			p.err = err
		case e.Kind == engine.Timeout:
			p.late++
		}
		return nil
	}
	return res.Rows
}

// query looks for ties of one ORDER BY and LIMIT.
func (p *prober) query(q *tree.Query, outermost bool) {
	if q.Limit == nil && (len(q.OrderBy) == 0 || !outermost) {
		return
	}
	k, ok := tree.WithKeys(p.stmt, q, false)
	if !ok {
		return
	}
	rows := p.run(k.SQL)
	if len(rows) == 0 {
		return
	}
	from, to := 0, len(rows)
	if q.Limit != nil {
		limit, fine := constant(q.Limit)
		offset, fine2 := constant(q.Offset)
		if !fine || !fine2 || limit < 0 {
			return
		}
		from, to = min(offset, len(rows)), min(offset+limit, len(rows))
	}
	p.ties(keyed{len(rows[0]) - k.Added, k.Keys(len(rows[0]))}, rows, from, to, outermost)
}

// ties looks at the rows in order of the keys, of which [from, to) are returned.
func (p *prober) ties(k keyed, rows [][]engine.Value, from, to int, outermost bool) {
	for start := 0; start < len(rows); {
		end, differ := start+1, false
		for ; end < len(rows) && k.tied(rows[start], rows[end]); end++ {
			differ = differ || !same(rows[start][:k.own], rows[end][:k.own])
		}
		inside := min(end, to) - max(start, from)
		switch {
		case !differ || inside <= 0:
		case inside < end-start && len(k.keys) == 0:
			p.found(ruleLimitAlone, "%d of %d rows", inside, end-start)
			return
		case inside < end-start:
			p.found(ruleLimitTie, "%d of %d rows tied at %s", inside, end-start, k.show(rows[start]))
			return
		case outermost && inside > 1 && len(k.keys) > 0:
			p.found(ruleOrderTie, "%d rows tied at %s", inside, k.show(rows[start]))
			return
		}
		start = end
	}
}

// keyed is where the rows of a query with its keys have what.
type keyed struct {
	own  int   // columns of the query itself, which come first
	keys []int // where the keys are
}

func (k keyed) tied(a, b []engine.Value) bool {
	for _, i := range k.keys {
		if i >= len(a) || a[i].Canonical() != b[i].Canonical() {
			return false
		}
	}
	return true
}

func (k keyed) show(row []engine.Value) string {
	parts := make([]string, len(k.keys))
	for i, at := range k.keys {
		parts[i] = row[at].String()
	}
	return strings.Join(parts, ", ")
}

func same(a, b []engine.Value) bool {
	for i := range a {
		if a[i].Canonical() != b[i].Canonical() {
			return false
		}
	}
	return true
}

// constant returns the value of an integer literal; nil is 0.
func constant(e *tree.Expr) (int, bool) {
	if e == nil {
		return 0, true
	}
	if e.Kind != tree.Literal || e.Lit != tree.Integer {
		return 0, false
	}
	n, err := strconv.Atoi(e.Name)
	return n, err == nil
}

// arm looks for columns outside of aggregates that vary within a group.
func (p *prober) arm(s *tree.Select) {
	bare, aggregates := p.bare(s)
	if len(bare) == 0 || (len(s.GroupBy) == 0 && len(aggregates) == 0) {
		return
	}
	from, ok := p.text.fromTo(s)
	if !ok {
		return
	}
	for _, b := range bare {
		sql := p.varying(s, p.stmt.Text(b.Span), from)
		if only := soleExtreme(aggregates); only != nil {
			sql = p.varyingAtExtreme(s, p.stmt.Text(b.Span), only)
		}
		if len(p.run(sql)) > 0 {
			p.found(ruleBareColumn, "%s varies within a group", p.stmt.Text(b.Span))
		}
	}
}

// varying returns a row where the column has two values, NULL being one, in a group that HAVING leaves.
func (p *prober) varying(s *tree.Select, column, from string) string {
	test := fmt.Sprintf("(count(DISTINCT %s) > 1 OR count(%s) NOT IN (0, count(*)))", column, column)
	if s.Having != nil {
		test = "(" + p.stmt.Text(s.Having.Span) + ") AND " + test
	}
	return "SELECT count(*) " + from + " HAVING " + test + " LIMIT 1"
}

// soleExtreme returns the only aggregate of a query if it is min or max: SQLite then takes bare columns from a row that
// has the least or the greatest value (https://www.sqlite.org/lang_select.html#bareagg).
func soleExtreme(aggregates []*tree.Expr) *tree.Expr {
	if len(aggregates) == 1 && (aggregates[0].Name == "min" || aggregates[0].Name == "max") {
		return aggregates[0]
	}
	return nil
}

// varyingAtExtreme returns a row where the column varies among the rows that have the extreme value of their group.
func (p *prober) varyingAtExtreme(s *tree.Select, column string, extreme *tree.Expr) string {
	rows, ok := p.text.fromWhere(s)
	if !ok || len(extreme.Args) != 1 {
		return ""
	}
	var keys, names []string
	for i, g := range s.GroupBy {
		keys = append(keys, p.stmt.Text(g.Span))
		names = append(names, fmt.Sprintf("assay_g%d", i))
	}
	over, group, selected := "", "", ""
	if len(keys) > 0 {
		over, group = "PARTITION BY "+strings.Join(keys, ", "), " GROUP BY "+strings.Join(names, ", ")
		for i := range keys {
			selected += keys[i] + " AS " + names[i] + ", "
		}
	}
	value := p.stmt.Text(extreme.Args[0].Span)
	return fmt.Sprintf("SELECT count(*) FROM (SELECT %s%s AS assay_c, %s AS assay_v, %s(%s) OVER (%s) AS assay_m %s)"+
		" WHERE assay_v = assay_m%s HAVING count(DISTINCT assay_c) > 1 LIMIT 1",
		selected, column, value, extreme.Name, value, over, rows, group)
}

// bare returns the names of the select list outside of aggregates that are no GROUP BY key, and the aggregates.
func (p *prober) bare(s *tree.Select) (bare, aggregates []*tree.Expr) {
	var look func(e *tree.Expr)
	look = func(e *tree.Expr) {
		switch {
		case e == nil || e.Window:
		case tree.Aggregate(e):
			aggregates = append(aggregates, e)
		case p.isKey(s, e):
		case e.Kind == tree.Name && e.Quote != '"':
			bare = append(bare, e)
		default:
			for _, a := range e.Args {
				look(a)
			}
		}
	}
	for _, c := range s.Columns {
		look(c.Expr)
	}
	look(s.Having)
	return bare, aggregates
}

// isKey reports whether an expression is a GROUP BY key: by its text, by the last part of its name, or by its alias.
func (p *prober) isKey(s *tree.Select, e *tree.Expr) bool {
	for _, g := range s.GroupBy {
		if strings.EqualFold(p.stmt.Text(g.Span), p.stmt.Text(e.Span)) {
			return true
		}
		if g.Kind == tree.Name && e.Kind == tree.Name && strings.EqualFold(g.Name, e.Name) &&
			(g.Table == "" || e.Table == "" || strings.EqualFold(g.Table, e.Table)) {
			return true
		}
		if n, ok := constant(g); ok && g.Kind == tree.Literal && n >= 1 && n <= len(s.Columns) && s.Columns[n-1].Expr == e {
			return true
		}
	}
	for _, c := range s.Columns {
		if c.Expr != e || c.Alias == "" {
			continue
		}
		for _, g := range s.GroupBy {
			if g.Kind == tree.Name && g.Table == "" && strings.EqualFold(g.Name, c.Alias) {
				return true
			}
		}
	}
	return false
}
