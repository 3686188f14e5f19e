package tree

import (
	"fmt"
	"strings"

	"github.com/sqlc-dev/meyer/ast"
)

// What SQLite permits at most in one FROM clause, and in one select list. The parser does not count them, and names are
// looked for in each source.
const (
	maxSources = 64
	maxColumns = 2000
)

// converter converts the parser's tree to that of this package. The first error stops it; the tree returned after an error
// is incomplete and must not be used.
type converter struct {
	depth int
	err   *Error
}

// enter counts one level of nesting and reports whether to continue. The caller calls leave at the end of the level.
func (c *converter) enter(n ast.Node) bool {
	c.depth++
	if c.depth > maxNesting {
		c.refuse(n, "expression nested too deeply")
	}
	return c.err == nil
}

// refuse records the first error.
func (c *converter) refuse(n ast.Node, why string) {
	if c.err == nil {
		c.err = &Error{Offset: n.Pos(), Message: why}
	}
}

// sources counts the tables and sub-queries of a FROM clause, those within parentheses too.
func sources(list []*Source) int {
	n := 0
	for _, f := range list {
		if n++; len(f.List) > 0 {
			n += sources(f.List) - 1
		}
	}
	return n
}

func (c *converter) leave() { c.depth-- }

func span(n ast.Node) Span { return Span{n.Pos(), n.End()} }

func (c *converter) query(s *ast.SelectStmt) *Query {
	if s == nil || !c.enter(s) {
		return nil
	}
	defer c.leave()
	q := &Query{Span: span(s)}
	if s.With != nil {
		for _, w := range s.With.CTEs {
			q.CTEs = append(q.CTEs, CTE{Name: w.Name.Name, Columns: names(w.Columns), Query: c.query(w.Select)})
		}
	}
	for _, core := range s.Cores {
		q.Arms = append(q.Arms, c.arm(core, q))
	}
	for _, op := range s.Ops {
		word := strings.ToUpper(op.Op)
		if op.All {
			word += " ALL"
		}
		q.Ops = append(q.Ops, word)
	}
	return q
}

// arm converts one arm of a query, and moves its ORDER BY and LIMIT to the query. The grammar permits them in the last arm
// alone.
func (c *converter) arm(core ast.SelectCore, q *Query) *Select {
	out := &Select{Span: span(core)}
	switch s := core.(type) {
	case *ast.ValuesClause:
		for _, row := range s.Rows {
			out.Values = append(out.Values, c.exprs(row))
		}
	case *ast.SelectQuery:
		c.fill(out, s)
		q.OrderBy = c.terms(s.OrderBy)
		if s.Limit != nil {
			q.Limit, q.Offset = c.expr(s.Limit.Count), c.expr(s.Limit.Offset)
		}
	}
	return out
}

func (c *converter) fill(out *Select, s *ast.SelectQuery) {
	out.Distinct = s.Distinct == ast.DistinctDistinct
	for _, r := range s.Columns {
		res := Result{Expr: c.expr(r.Expr)}
		if r.Alias != nil {
			res.Alias = r.Alias.Name
		}
		out.Columns = append(out.Columns, res)
	}
	for _, t := range s.From {
		out.From = append(out.From, c.source(t))
	}
	switch {
	case len(out.Columns) > maxColumns:
		c.refuse(s, fmt.Sprintf("more than %d columns in a select list", maxColumns))
	case sources(out.From) > maxSources:
		c.refuse(s, fmt.Sprintf("more than %d tables in a FROM clause", maxSources))
	}
	out.Where = c.expr(s.Where)
	out.GroupBy = c.exprs(s.GroupBy)
	out.Having = c.expr(s.Having)
	for _, w := range s.Windows {
		out.Windows = append(out.Windows, c.window(w)...)
	}
}

func (c *converter) source(t *ast.TableRef) *Source {
	out := &Source{Span: span(t)}
	if !c.enter(t) {
		return out
	}
	defer c.leave()
	if t.Join != nil {
		out.Join = joinWord(t.Join)
	}
	if t.Name != nil {
		out.Table = t.Name.Name.Name
		if t.Name.Schema != nil {
			out.Schema = t.Name.Schema.Name
		}
	}
	out.Args = c.exprs(t.Args)
	out.Query = c.query(t.Select)
	for _, in := range t.List {
		out.List = append(out.List, c.source(in))
	}
	if t.Alias != nil {
		out.Alias = t.Alias.Name
	}
	out.On = c.expr(t.On)
	out.Using = names(t.Using)
	return out
}

func joinWord(j *ast.JoinOperator) string {
	if j.Type&ast.JoinComma != 0 {
		return ","
	}
	words := make([]string, 0, len(j.Words))
	for _, w := range j.Words {
		words = append(words, strings.ToUpper(w))
	}
	if n := len(words); n == 0 || words[n-1] != "JOIN" {
		words = append(words, "JOIN")
	}
	return strings.Join(words, " ")
}

func (c *converter) terms(list []*ast.OrderingTerm) []Term {
	var out []Term
	for _, t := range list {
		out = append(out, Term{Expr: c.expr(t.Expr), Desc: t.Order == ast.SortDesc})
	}
	return out
}

func (c *converter) window(w *ast.WindowDef) []*Expr {
	if w == nil {
		return nil
	}
	out := c.exprs(w.Partition)
	for _, t := range w.OrderBy {
		out = append(out, c.expr(t.Expr))
	}
	for _, b := range []*ast.FrameBound{w.StartBound, w.EndBound} {
		if b != nil && b.Expr != nil {
			out = append(out, c.expr(b.Expr))
		}
	}
	return out
}

func (c *converter) exprs(list []ast.Expr) []*Expr {
	var out []*Expr
	for _, e := range list {
		if x := c.expr(e); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// expr converts one expression; nil gives nil.
func (c *converter) expr(e ast.Expr) *Expr {
	if e == nil {
		return nil
	}
	if p, ok := e.(*ast.ParenExpr); ok {
		for ok { // parentheses only: no depth of their own
			e = p.X
			p, ok = e.(*ast.ParenExpr)
		}
	}
	if !c.enter(e) {
		c.leave()
		return &Expr{Kind: Literal, Span: span(e)}
	}
	defer c.leave()
	out := &Expr{Span: span(e)}
	if !c.leaf(out, e) && !c.test(out, e) && !c.compound(out, e) {
		c.refuse(e, fmt.Sprintf("expression of unknown form %T", e))
	}
	return out
}

// leaf fills out for expressions without arguments, and reports whether it did.
func (c *converter) leaf(out *Expr, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		out.Kind, out.Name, out.Quote = Name, x.Name, byte(x.Quote)
	case *ast.QualifiedRef:
		out.Kind = Name
		if n := len(x.Parts); n > 0 {
			out.Name, out.Quote = x.Parts[n-1].Name, byte(x.Parts[n-1].Quote)
			if n > 1 {
				out.Table = x.Parts[n-2].Name
			}
		}
	case *ast.Star:
		out.Kind = Star
		if x.Table != nil {
			out.Table = x.Table.Name
		}
	case *ast.Literal:
		out.Kind, out.Name, out.Lit = Literal, x.Value, literalKind(x.Kind)
	case *ast.BindParam:
		out.Kind, out.Name = Param, x.Raw
	case *ast.ExistsExpr:
		out.Kind, out.Query = Exists, c.query(x.Select)
	case *ast.SubqueryExpr:
		out.Kind, out.Query = Subquery, c.query(x.Select)
	default:
		return false
	}
	return true
}

// test fills out for the conditions other than plain comparisons, and reports whether it did.
func (c *converter) test(out *Expr, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.LikeExpr:
		out.Kind, out.Not, out.Args = Like, x.Not, c.exprs([]ast.Expr{x.X, x.Y, x.Escape})
		out.Op = "LIKE"
		if x.Op != nil {
			out.Op = strings.ToUpper(x.Op.Name)
		}
	case *ast.IsExpr:
		out.Kind, out.Op, out.Not, out.Args = Is, "IS", x.Not, c.exprs([]ast.Expr{x.X, x.Y})
		if x.Distinct {
			out.Op = "IS DISTINCT FROM"
		}
	case *ast.NullCheckExpr:
		out.Kind, out.Op, out.Not = Is, "IS", x.Test != ast.TestIsNull
		out.Args = []*Expr{c.expr(x.X), {Kind: Literal, Lit: Null, Name: "NULL", Span: Span{x.End(), x.End()}}}
	case *ast.BetweenExpr:
		out.Kind, out.Not, out.Args = Between, x.Not, c.exprs([]ast.Expr{x.X, x.Lo, x.Hi})
	case *ast.InExpr:
		out.Kind, out.Not = In, x.Not
		out.Args = append([]*Expr{c.expr(x.X)}, c.exprs(x.List)...)
		out.Args = append(out.Args, c.exprs(x.Args)...)
		out.Query = c.query(x.Select)
		if x.Table != nil {
			out.Table = x.Table.Name.Name
		}
	default:
		return false
	}
	return true
}

// compound fills out for expressions made of others, and reports whether it did.
func (c *converter) compound(out *Expr, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.BinaryExpr:
		out.Kind, out.Op, out.Args = Binary, x.Op.String(), c.exprs([]ast.Expr{x.X, x.Y})
	case *ast.UnaryExpr:
		out.Kind, out.Op, out.Args = Unary, x.Op.String(), c.exprs([]ast.Expr{x.X})
	case *ast.CaseExpr:
		out.Kind, out.Operand = Case, x.Operand != nil
		out.Args = c.exprs([]ast.Expr{x.Operand})
		for _, w := range x.Whens {
			out.Args = append(out.Args, c.exprs([]ast.Expr{w.When, w.Then})...)
		}
		out.Args = append(out.Args, c.exprs([]ast.Expr{x.Else})...)
	case *ast.CastExpr:
		out.Kind, out.Args = Cast, c.exprs([]ast.Expr{x.X})
		if x.Type != nil {
			out.Name = x.Type.Name
		}
	case *ast.CollateExpr:
		out.Kind, out.Name, out.Args = Collate, x.Name.Name, c.exprs([]ast.Expr{x.X})
	case *ast.FuncCall:
		out.Kind, out.Name, out.Distinct, out.StarArg = Call, strings.ToLower(x.Name.Name), x.Distinct, x.Star
		out.Args = c.exprs(x.Args)
		for _, t := range x.OrderBy {
			out.Args = append(out.Args, c.expr(t.Expr))
		}
		out.Args = append(out.Args, c.exprs([]ast.Expr{x.Filter})...)
		out.Window, out.Over = x.Over != nil, c.window(x.Over)
	case *ast.VectorExpr:
		out.Kind, out.Args = Tuple, c.exprs(x.List)
	case *ast.RaiseExpr:
		out.Kind, out.Args = Raise, c.exprs([]ast.Expr{x.Message})
	default:
		return false
	}
	return true
}

func literalKind(k ast.LiteralKind) LiteralKind {
	switch k {
	case ast.LitInteger:
		return Integer
	case ast.LitFloat:
		return Float
	case ast.LitString:
		return String
	case ast.LitBlob:
		return Blob
	case ast.LitCurrentDate, ast.LitCurrentTime, ast.LitCurrentTimestamp:
		return Clock
	}
	return Null
}

func names(list []*ast.Ident) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}
