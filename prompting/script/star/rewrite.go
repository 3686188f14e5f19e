package star

import (
	"fmt"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// rewrite replaces, throughout a file, each operation whose cost the interpreter does not count by a call of a checked
// function, at the same position: operators, comparisons, indexing, slices, displays, comprehensions, spread arguments,
// and the methods of texts and containers. Comparing with a literal, looking up a literal text, and adding a literal int cost
// little and stay.
func rewrite(tree *syntax.File, names starlark.StringDict) (err error) {
	r := &rewriter{}
	defer func() {
		if e := recover(); e != nil {
			refused, ok := e.(syntax.Error)
			if !ok {
				panic(e)
			}
			err = refused
		}
	}()
	tree.Stmts = r.block(tree.Stmts)
	return nil
}

// rewriter walks one file.
type rewriter struct {
	depth int // of the expression
	temps int // names made up so far
}

// maxDepth is how deep expressions and blocks may nest; the parser's own limit does not see a + a + a + ...
const maxDepth = 2000

// refuse ends the walk with an error at a place.
func refuse(at syntax.Position, format string, args ...any) {
	panic(syntax.Error{Pos: at, Msg: fmt.Sprintf(format, args...)})
}

// call is the expression that calls a hidden function, at a position.
func call(at syntax.Position, name string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: "." + name}, Lparen: at, Args: args, Rparen: at}
}

// run is the statement that evaluates an expression.
func run(x syntax.Expr) syntax.Stmt { return &syntax.ExprStmt{X: x} }

// block rewrites statements.
func (r *rewriter) block(stmts []syntax.Stmt) []syntax.Stmt {
	if r.depth++; r.depth > maxDepth {
		refuse(syntax.Start(stmts[0]), "the blocks nest too deep")
	}
	defer func() { r.depth-- }()
	var out []syntax.Stmt
	for _, s := range stmts {
		out = append(out, r.stmt(s)...)
	}
	return out
}

// stmt rewrites one statement into those that stand for it.
func (r *rewriter) stmt(s syntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return r.assign(s)
	case *syntax.DefStmt:
		r.params(s.Params)
		s.Body = after(r.block(s.Body), kept(s.Params))
		name := &syntax.Ident{NamePos: s.Name.NamePos, Name: s.Name.Name}
		return []syntax.Stmt{s, run(call(s.Def, "made", name))}
	case *syntax.ExprStmt:
		s.X = r.expr(s.X)
	case *syntax.ForStmt:
		r.plainTarget(s.Vars)
		s.X = r.expr(s.X)
		s.Body = r.block(s.Body)
	case *syntax.WhileStmt:
		s.Cond = r.expr(s.Cond)
		s.Body = r.block(s.Body)
	case *syntax.IfStmt:
		s.Cond = r.expr(s.Cond)
		s.True = r.block(s.True)
		if s.False != nil {
			s.False = r.block(s.False)
		}
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = r.expr(s.Result)
		}
	}
	return []syntax.Stmt{s}
}

// after puts statements at the beginning of a body, after its docstring.
func after(body, first []syntax.Stmt) []syntax.Stmt {
	if s, ok := body[0].(*syntax.ExprStmt); ok && isText(s.X) {
		return append([]syntax.Stmt{s}, append(first, body[1:]...)...)
	}
	return append(first, body...)
}

// kept charges what *args and **named of a function keep, at its beginning.
func kept(params []syntax.Expr) []syntax.Stmt {
	var out []syntax.Stmt
	for _, p := range params {
		if u, ok := p.(*syntax.UnaryExpr); ok && u.X != nil {
			id := u.X.(*syntax.Ident)
			out = append(out, run(call(u.OpPos, "made", &syntax.Ident{NamePos: id.NamePos, Name: id.Name})))
		}
	}
	return out
}

// params rewrites the defaults of parameters.
func (r *rewriter) params(params []syntax.Expr) {
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			b.Y = r.expr(b.Y)
		}
	}
}

// plainTarget refuses to loop over anything but names.
func (r *rewriter) plainTarget(x syntax.Expr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IndexExpr, *syntax.DotExpr, *syntax.SliceExpr:
			refuse(syntax.Start(n), "a loop runs over names: assign to the item within the loop")
		}
		return true
	})
}

// assign rewrites an assignment.
func (r *rewriter) assign(s *syntax.AssignStmt) []syntax.Stmt {
	s.RHS = r.expr(s.RHS)
	lhs := bare(s.LHS)
	if s.Op == syntax.EQ {
		if x, ok := lhs.(*syntax.IndexExpr); ok {
			return []syntax.Stmt{run(call(x.Lbrack, "put", r.expr(x.X), r.expr(x.Y), s.RHS))}
		}
		var after []syntax.Stmt
		s.LHS = r.target(s.LHS, &after)
		return append([]syntax.Stmt{s}, after...)
	}
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	switch x := lhs.(type) {
	case *syntax.Ident:
		now := &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		return []syntax.Stmt{&syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: x, RHS: call(s.OpPos, op.String()+"=", now, s.RHS)}}
	case *syntax.IndexExpr:
		return []syntax.Stmt{run(call(s.OpPos, "[]"+op.String()+"=", r.expr(x.X), r.expr(x.Y), s.RHS))}
	case *syntax.DotExpr:
		refuse(s.OpPos, "a field cannot be changed: make a new struct")
	}
	return []syntax.Stmt{s} // the resolver's own error
}

// target rewrites what an assignment unpacks into: an item gets a name for a moment, and is put in its place after.
func (r *rewriter) target(x syntax.Expr, after *[]syntax.Stmt) syntax.Expr {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		x.X = r.target(x.X, after)
	case *syntax.TupleExpr:
		for i := range x.List {
			x.List[i] = r.target(x.List[i], after)
		}
	case *syntax.ListExpr:
		for i := range x.List {
			x.List[i] = r.target(x.List[i], after)
		}
	case *syntax.IndexExpr:
		r.temps++
		name := fmt.Sprintf(".t%d", r.temps)
		put := call(x.Lbrack, "put", r.expr(x.X), r.expr(x.Y), &syntax.Ident{NamePos: x.Lbrack, Name: name})
		*after = append(*after, run(put))
		return &syntax.Ident{NamePos: x.Lbrack, Name: name}
	case *syntax.DotExpr:
		refuse(x.Dot, "a field cannot be changed: make a new struct")
	}
	return x
}

// bare is an expression without the parentheses around it.
func bare(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// exprs rewrites expressions in their places.
func (r *rewriter) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

// expr rewrites an expression.
func (r *rewriter) expr(x syntax.Expr) syntax.Expr {
	if r.depth++; r.depth > maxDepth {
		refuse(syntax.Start(x), "the expression is too long: %d operations are the most", maxDepth)
	}
	defer func() { r.depth-- }()
	switch x := x.(type) {
	case *syntax.BinaryExpr:
		return r.binary(x)
	case *syntax.CallExpr:
		return r.call(x)
	case *syntax.DotExpr:
		x.X = r.expr(x.X)
		if methodNames[x.Name.Name] {
			return call(x.Dot, "attr", x.X, &syntax.Literal{Token: syntax.STRING, TokenPos: x.Dot, Value: x.Name.Name})
		}
	case *syntax.IndexExpr:
		x.X, x.Y = r.expr(x.X), r.expr(x.Y)
		if !isText(x.Y) {
			return call(x.Lbrack, "index", x.X, x.Y)
		}
	case *syntax.SliceExpr:
		return r.slice(x)
	case *syntax.UnaryExpr:
		return r.unary(x)
	case *syntax.Literal:
		if i, ok := x.Value.(*big.Int); ok && i.BitLen() > maxBits {
			refuse(x.TokenPos, "%v", errInt)
		}
	default:
		return r.display(x)
	}
	return x
}

// display rewrites what makes a container or a function, and what only holds other expressions.
func (r *rewriter) display(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.ListExpr:
		r.exprs(x.List)
		return call(x.Lbrack, "made", x)
	case *syntax.TupleExpr:
		r.exprs(x.List)
		if len(x.List) > 0 {
			return call(syntax.Start(x.List[0]), "made", x)
		}
	case *syntax.DictExpr:
		for _, e := range x.List {
			e := e.(*syntax.DictEntry)
			e.Key, e.Value = r.expr(e.Key), r.expr(e.Value)
			if !isText(e.Key) {
				e.Key = call(e.Colon, "key", e.Key)
			}
		}
		return call(x.Lbrace, "made", x)
	case *syntax.Comprehension:
		return r.comprehension(x)
	case *syntax.LambdaExpr:
		r.params(x.Params)
		if len(kept(x.Params)) > 0 {
			refuse(x.Lambda, "a lambda takes no *args: write a def")
		}
		x.Body = r.expr(x.Body)
		return call(x.Lambda, "made", x)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = r.expr(x.Cond), r.expr(x.True), r.expr(x.False)
	case *syntax.ParenExpr:
		x.X = r.expr(x.X)
	}
	return x
}

// isText tells a literal text.
func isText(x syntax.Expr) bool {
	lit, ok := bare(x).(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}

// isInt tells a literal int of 64 bits. What such a number is added to or divides hardly grows.
func isInt(x syntax.Expr) bool {
	lit, ok := bare(x).(*syntax.Literal)
	if !ok {
		return false
	}
	_, ok = lit.Value.(int64)
	return ok
}

// isLiteral tells a literal, and None, True and False.
func isLiteral(x syntax.Expr) bool {
	switch x := bare(x).(type) {
	case *syntax.Literal:
		return true
	case *syntax.Ident:
		return x.Name == "None" || x.Name == "True" || x.Name == "False"
	}
	return false
}

// binary rewrites x op y, but and, or, and the comparison with a literal.
func (r *rewriter) binary(x *syntax.BinaryExpr) syntax.Expr {
	x.X, x.Y = r.expr(x.X), r.expr(x.Y)
	switch x.Op {
	case syntax.AND, syntax.OR, syntax.EQ:
		return x
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if isLiteral(x.X) || isLiteral(x.Y) {
			return x
		}
	case syntax.PLUS, syntax.MINUS:
		if isInt(x.X) || isInt(x.Y) {
			return x
		}
	case syntax.SLASH, syntax.SLASHSLASH, syntax.AMP, syntax.GTGT:
		if isInt(x.Y) {
			return x
		}
	}
	return call(x.OpPos, x.Op.String(), x.X, x.Y)
}

// unary rewrites a sign or ~ that is not part of a number.
func (r *rewriter) unary(x *syntax.UnaryExpr) syntax.Expr {
	x.X = r.expr(x.X)
	if x.Op == syntax.NOT || isLiteral(x.X) {
		return x
	}
	return call(x.OpPos, "unary"+x.Op.String(), x.X)
}

// call rewrites a call: its arguments, and what is called where that may be a method of a text or container.
func (r *rewriter) call(x *syntax.CallExpr) syntax.Expr {
	for i, a := range x.Args {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ {
				a.Y = r.expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR {
				a.X = call(a.OpPos, "args", r.expr(a.X))
				continue
			}
			if a.Op == syntax.STARSTAR {
				a.X = call(a.OpPos, "named", r.expr(a.X))
				continue
			}
		}
		x.Args[i] = r.expr(a)
	}
	dot, ok := bare(x.Fn).(*syntax.DotExpr)
	if !ok || !methodNames[dot.Name.Name] {
		x.Fn = r.expr(x.Fn)
		return x
	}
	recv := r.expr(dot.X)
	x.Fn = &syntax.Ident{NamePos: dot.NamePos, Name: methodPrefix + dot.Name.Name}
	x.Args = append([]syntax.Expr{recv}, x.Args...)
	return x
}

// slice rewrites x[lo:hi:step]. What it makes is no larger than x, so that it is charged after.
func (r *rewriter) slice(x *syntax.SliceExpr) syntax.Expr {
	x.X = r.expr(x.X)
	for _, e := range []*syntax.Expr{&x.Lo, &x.Hi, &x.Step} {
		if *e != nil {
			*e = r.expr(*e)
		}
	}
	if x.Step != nil {
		return call(x.Lbrack, "made", x)
	}
	return call(x.Lbrack, "cut", x)
}

// comprehension rewrites one; that of a dict becomes a dict of pairs, whose keys are charged.
func (r *rewriter) comprehension(x *syntax.Comprehension) syntax.Expr {
	loops := 0
	for _, c := range x.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			loops++
			r.plainTarget(c.Vars)
			c.X = call(c.For, "finite", r.expr(c.X))
		case *syntax.IfClause:
			c.Cond = r.expr(c.Cond)
		}
	}
	if loops > 1 { // what it makes is larger than what it runs over
		x.Clauses = append(x.Clauses, &syntax.IfClause{If: x.Lbrack, Cond: call(x.Lbrack, "item")})
	}
	e, pairs := x.Body.(*syntax.DictEntry)
	if !pairs {
		if x.Curly {
			refuse(x.Lbrack, "there is no set comprehension: write set([... for ...])")
		}
		x.Body = r.expr(x.Body)
		return call(x.Lbrack, "made", x)
	}
	x.Curly = false
	x.Body = &syntax.TupleExpr{Lparen: e.Colon, List: []syntax.Expr{r.expr(e.Key), r.expr(e.Value)}, Rparen: e.Colon}
	return call(x.Lbrack, "dict", x)
}
