package tree

// Literals returns the literals of the statement in the order of the text, with NULL and CURRENT_DATE, CURRENT_TIME and
// CURRENT_TIMESTAMP. It leaves out double-quoted strings, which only Resolve can tell from columns.
func Literals(s *Stmt) []*Expr {
	if s == nil {
		return nil
	}
	var out []*Expr
	Walk(s.Query, Visitor{Expr: func(e *Expr) {
		if e.Kind == Literal {
			out = append(out, e)
		}
	}})
	return out
}

// Features counts the constructs of a statement, those of its sub-queries included.
type Features struct {
	Joins       int // sources after the first of each FROM, however they are joined
	Predicates  int // comparisons, LIKE, IN, BETWEEN, IS, EXISTS
	Aggregates  int // count, sum, avg, min, max (of one argument), total, group_concat; not as window functions
	Scalars     int // other function calls, CAST included
	Subqueries  int // queries inside the statement, those of CTEs not included
	SetOps      int // UNION, UNION ALL, INTERSECT, EXCEPT
	Maths       int // + - * / %, and the sign or complement of anything but a literal
	Connectives int // AND, OR, NOT
	Distincts   int // SELECT DISTINCT and f(DISTINCT x)
	Likes       int // LIKE, GLOB, REGEXP, MATCH
	OrderBys    int // clauses, as are the next three
	GroupBys    int
	Havings     int
	Limits      int
	Cases       int
	Windows     int // calls with OVER
	CTEs        int
}

// Count returns the features of the statement. All are zero for a statement that is no SELECT.
func Count(s *Stmt) Features {
	var f Features
	if s == nil {
		return f
	}
	Walk(s.Query, Visitor{Query: f.query, Select: f.arm, Source: f.source, Expr: f.expr})
	f.Subqueries -= f.CTEs
	return f
}

func (f *Features) query(q *Query, depth int) {
	if depth > 0 {
		f.Subqueries++
	}
	f.CTEs += len(q.CTEs)
	f.SetOps += len(q.Ops)
	f.OrderBys += min(1, len(q.OrderBy))
	if q.Limit != nil {
		f.Limits++
	}
}

func (f *Features) arm(s *Select) {
	if s.Distinct {
		f.Distincts++
	}
	f.GroupBys += min(1, len(s.GroupBy))
	if s.Having != nil {
		f.Havings++
	}
}

func (f *Features) source(s *Source) {
	if s.Join != "" {
		f.Joins++
	}
}

func (f *Features) expr(e *Expr) {
	switch e.Kind {
	case Unary:
		if e.Op == "NOT" {
			f.Connectives++
		} else if e.Args[0].Kind != Literal {
			f.Maths++
		}
	case Binary:
		f.binary(e.Op)
	case Like:
		f.Likes++
		f.Predicates++
	case Is, Between, In, Exists:
		f.Predicates++
	case Case:
		f.Cases++
	case Cast:
		f.Scalars++
	case Call:
		f.call(e)
	}
}

func (f *Features) binary(op string) {
	switch op {
	case "AND", "OR":
		f.Connectives++
	case "=", "<>", "<", "<=", ">", ">=":
		f.Predicates++
	case "+", "-", "*", "/", "%":
		f.Maths++
	}
}

func (f *Features) call(e *Expr) {
	if e.Distinct {
		f.Distincts++
	}
	switch {
	case e.Window:
		f.Windows++
	case Aggregate(e):
		f.Aggregates++
	default:
		f.Scalars++
	}
}

// Aggregate reports whether the expression calls one of SQLite's aggregate functions, and not as a window function. min and
// max of several arguments are scalar functions.
func Aggregate(e *Expr) bool {
	if e == nil || e.Kind != Call || e.Window {
		return false
	}
	switch e.Name {
	case "min", "max":
		return len(e.Args) == 1
	case "count", "sum", "avg", "total", "group_concat", "string_agg", "median", "json_group_array", "json_group_object":
		return true
	}
	return false
}
