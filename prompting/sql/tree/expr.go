package tree

// Kind is the form of an expression. It determines what Args and the other fields mean.
type Kind int

// The kinds, with the fields that each one uses.
const (
	Name     Kind = iota // a column, or a double-quoted string: Table, Name, Quote
	Star                 // * or t.*: Table
	Literal              // Name is the value without quotes, Lit its type
	Param                // a bind parameter: Name
	Unary                // Op is NOT, -, +, ~; one argument
	Binary               // Op is AND, OR, =, <>, <, <=, >, >=, +, -, *, /, %, ||, &, |, <<, >>, ->, ->>; two arguments
	Like                 // Op is LIKE, GLOB, REGEXP, MATCH; argument, pattern, and escape if given; Not
	Is                   // Op is IS or IS DISTINCT FROM; two arguments, ISNULL and NOTNULL too; Not
	Between              // argument, low, high; Not
	In                   // argument, then the list; or Query; or Table; Not
	Case                 // Args: the operand if Operand is set, WHEN and THEN alternately, and ELSE if their number is odd
	Cast                 // one argument; Name is the type
	Collate              // one argument; Name is the collation
	Call                 // a function: Name in lower case, Distinct, Star; FILTER and ORDER BY are arguments too
	Exists               // Query
	Subquery             // a scalar sub-query: Query
	Tuple                // a row value
	Raise                // RAISE(...), in triggers only
)

// LiteralKind is the type of a literal.
type LiteralKind int

// The types of literals.
const (
	Null LiteralKind = iota
	Integer
	Float
	String
	Blob
	Clock // CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP
)

// Expr is one expression. Kind determines which fields are used. One struct for all kinds, in place of one type per kind,
// lets Walk and Resolve treat arguments alike.
type Expr struct {
	Span
	Kind     Kind
	Op       string
	Table    string
	Name     string
	Quote    byte // of a Name: 0, '"', '`', '['
	Lit      LiteralKind
	Not      bool
	Distinct bool // count(DISTINCT x)
	StarArg  bool // count(*)
	Window   bool // the call has an OVER clause
	Operand  bool // the CASE has an operand
	Args     []*Expr
	Over     []*Expr // the expressions inside OVER (...)
	Query    *Query
}

// Visitor has the functions that Walk calls for the parts of a tree, in source order, a parent before its children. Any of
// them may be nil.
type Visitor struct {
	Query  func(q *Query, depth int) // depth 0 is the statement itself; CTEs, sub-queries and FROM queries are deeper
	Select func(s *Select)
	Source func(s *Source)
	Expr   func(e *Expr)
}

// Walk visits a query and all of its parts. A nil query has none.
func Walk(q *Query, v Visitor) { v.query(q, 0) }

func (v Visitor) query(q *Query, depth int) {
	if q == nil {
		return
	}
	if v.Query != nil {
		v.Query(q, depth)
	}
	for _, c := range q.CTEs {
		v.query(c.Query, depth+1)
	}
	for _, s := range q.Arms {
		v.arm(s, depth)
	}
	for _, t := range q.OrderBy {
		v.expr(t.Expr, depth)
	}
	v.expr(q.Limit, depth)
	v.expr(q.Offset, depth)
}

func (v Visitor) arm(s *Select, depth int) {
	if v.Select != nil {
		v.Select(s)
	}
	for _, c := range s.Columns {
		v.expr(c.Expr, depth)
	}
	for _, f := range s.From {
		v.source(f, depth)
	}
	v.expr(s.Where, depth)
	v.exprs(s.GroupBy, depth)
	v.expr(s.Having, depth)
	v.exprs(s.Windows, depth)
	for _, row := range s.Values {
		v.exprs(row, depth)
	}
}

func (v Visitor) source(s *Source, depth int) {
	if v.Source != nil {
		v.Source(s)
	}
	v.exprs(s.Args, depth)
	v.query(s.Query, depth+1)
	for _, in := range s.List {
		v.source(in, depth)
	}
	v.expr(s.On, depth)
}

func (v Visitor) exprs(list []*Expr, depth int) {
	for _, e := range list {
		v.expr(e, depth)
	}
}

func (v Visitor) expr(e *Expr, depth int) {
	if e == nil {
		return
	}
	if v.Expr != nil {
		v.Expr(e)
	}
	v.exprs(e.Args, depth)
	v.query(e.Query, depth+1)
	v.exprs(e.Over, depth)
}
