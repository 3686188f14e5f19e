package compare

import (
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/tree"
)

// omit says what a print of a statement leaves out.
type omit struct{ literals, distinct, order, limit, selected bool }

// shape is a statement prepared for comparison: its names are resolved, so that aliases do not matter.
type shape struct {
	stmt   *tree.Stmt
	refs   map[*tree.Expr]tree.Ref
	used   []tree.Ref
	values []string // literals in the order of the text
}

func newShape(s *tree.Stmt) *shape {
	h := &shape{stmt: s, refs: map[*tree.Expr]tree.Ref{}, used: tree.Resolve(s, nil)}
	for _, r := range h.used {
		if r.Expr != nil {
			h.refs[r.Expr] = r
		}
	}
	tree.Walk(s.Query, tree.Visitor{Expr: func(e *tree.Expr) {
		if v, ok := h.value(e); ok {
			h.values = append(h.values, v)
		}
	}})
	return h
}

// value is a literal as it is compared; a double-quoted string is one too.
func (h *shape) value(e *tree.Expr) (string, bool) {
	switch {
	case e.Kind == tree.Literal && e.Lit == tree.String, e.Kind == tree.Name && h.refs[e].Meaning == tree.TextLiteral:
		return "'" + e.Name + "'", true
	case e.Kind == tree.Literal:
		return strings.ToLower(e.Name), true
	}
	return "", false
}

// columns returns the columns that the statement uses, "table.column" in lower case. A column whose table is unknown in
// either statement has its name alone in both, so that they do not differ by that.
func (h *shape) columns(other *shape) (out []string) {
	vague := map[string]bool{}
	for _, r := range append(slices.Clone(h.used), other.used...) {
		if r.Meaning == tree.UnknownColumn {
			vague[strings.ToLower(r.Column)] = true
		}
	}
	for _, r := range h.used {
		name := strings.ToLower(r.Column)
		if r.Meaning == tree.TextLiteral || r.Meaning == tree.DerivedColumn {
			continue
		}
		if !vague[name] && r.Table != "" {
			name = strings.ToLower(r.Table) + "." + name
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// selected returns the result columns of the first SELECT, as written, by their form for comparison.
func (h *shape) selected() map[string]string {
	out := map[string]string{}
	for _, c := range h.stmt.Query.Arms[0].Columns {
		p := printer{shape: h}
		p.expr(c.Expr)
		key := strings.TrimSpace(p.String())
		if out[key] = key; c.Expr.Kind != tree.Name {
			out[key] = brief(strings.Join(strings.Fields(h.stmt.Text(c.Expr.Span)), " "))
		}
	}
	return out
}

// print returns the statement in one form, without the parts to leave out. Statements are equal where their prints are.
func (h *shape) print(but omit) string {
	p := printer{shape: h, but: but}
	p.query(h.stmt.Query, true)
	return p.String()
}

// printer writes a tree for comparison, not for people.
type printer struct {
	*shape
	strings.Builder
	but omit
}

func (p *printer) put(words ...string) {
	for _, w := range words {
		p.WriteString(w)
		p.WriteByte(' ')
	}
}

// query prints a query; top says that it is the statement itself, whose result columns may be left out.
func (p *printer) query(q *tree.Query, top bool) {
	if q == nil {
		return
	}
	p.put("(")
	for _, c := range q.CTEs {
		p.put("with", strings.ToLower(c.Name), strings.ToLower(strings.Join(c.Columns, ",")))
		p.query(c.Query, false)
	}
	for i, a := range q.Arms {
		if i > 0 && i <= len(q.Ops) {
			p.put(q.Ops[i-1])
		}
		p.arm(a, top)
	}
	for i, t := range q.OrderBy {
		if p.but.order {
			break
		}
		p.put([]string{"order", ","}[min(i, 1)])
		p.expr(t.Expr)
		if t.Desc {
			p.put("desc")
		}
	}
	if !p.but.limit {
		p.clause("limit", q.Limit)
		p.clause("offset", q.Offset)
	}
	p.put(")")
}

func (p *printer) clause(name string, list ...*tree.Expr) {
	for i, e := range list {
		if e == nil {
			continue
		}
		p.put([]string{name, ","}[min(i, 1)])
		p.expr(e)
	}
}

func (p *printer) arm(s *tree.Select, top bool) {
	p.put("select")
	if s.Distinct && !p.but.distinct {
		p.put("distinct")
	}
	for _, c := range s.Columns {
		if !p.but.selected || !top {
			p.expr(c.Expr)
			p.put(",")
		}
	}
	for i, f := range s.From {
		p.source(f, i)
	}
	p.clause("where", s.Where)
	p.clause("group", s.GroupBy...)
	p.clause("having", s.Having)
	p.clause("window", s.Windows...)
	for _, row := range s.Values {
		p.clause("values", row...)
	}
}

func (p *printer) source(f *tree.Source, i int) {
	join := f.Join
	if i > 0 && (join == "INNER JOIN" || join == "CROSS JOIN" || join == ",") {
		join = "JOIN" // the same rows
	}
	p.put("from", join, strings.ToLower(f.Table))
	p.query(f.Query, false)
	p.clause("args", f.Args...)
	for k, in := range f.List {
		p.source(in, k)
	}
	p.clause("on", f.On)
	if len(f.Using) > 0 {
		p.put("using", strings.ToLower(strings.Join(f.Using, ",")))
	}
}

func (p *printer) expr(e *tree.Expr) {
	if e == nil {
		return
	}
	if v, ok := p.value(e); ok {
		if p.but.literals {
			v = "?"
		}
		p.put(v)
		return
	}
	if e.Kind == tree.Name || e.Kind == tree.Star {
		p.name(e)
		return
	}
	p.put(fmt.Sprint("[", int(e.Kind)), e.Op, strings.ToLower(e.Name))
	if e.Not {
		p.put("not")
	}
	if e.Distinct && !p.but.distinct {
		p.put("distinct")
	}
	if e.StarArg {
		p.put("*")
	}
	for _, a := range e.Args {
		p.expr(a)
		p.put(",")
	}
	p.query(e.Query, false)
	if e.Kind == tree.In {
		p.put(strings.ToLower(e.Table))
	}
	if e.Window {
		p.clause("over", e.Over...)
	}
	p.put("]")
}

func (p *printer) name(e *tree.Expr) {
	r, ok := p.refs[e]
	switch {
	case e.Kind == tree.Star:
		p.put(strings.ToLower(r.Table) + ".*")
	case ok && r.Table != "":
		p.put(strings.ToLower(r.Table + "." + r.Column))
	default:
		p.put(strings.ToLower(e.Name))
	}
}
