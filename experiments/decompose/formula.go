package decompose

import (
	"strings"

	"assay/prompting/sql/tree"
)

// maths has the words of the operations on two columns.
var maths = map[string][2]string{"-": {"difference between the ", " and the "}, "+": {"sum of the ", " and the "},
	"/": {"ratio of the ", " to the "}}

// periods has the words of the parts of a date, by strftime's format.
var periods = map[string]string{"%Y": "year", "%m": "month", "%d": "day", "%H": "hour"}

// formula words an expression over the columns of one table: a column, a part of a date, or one operation on two columns.
// A cast is not said, but a ratio has to be one of real numbers: SQLite divides whole numbers without a rest.
func (t *teller) formula(e *entity, x *tree.Expr) (words string, ok bool) {
	switch {
	case x.Kind == tree.Name && t.refs[x].Meaning != tree.TextLiteral:
		return t.column(e, x), true
	case x.Kind == tree.Cast:
		return t.formula(e, x.Args[0])
	case x.Kind == tree.Call:
		if date, unit := t.period(x); date != nil {
			return unit + " of the " + t.column(e, date), true
		}
	case x.Kind == tree.Binary && maths[x.Op] != [2]string{}:
		left, right := uncast(x.Args[0]), uncast(x.Args[1])
		if x.Op == "/" && !t.real(e, x.Args[0]) && !t.real(e, x.Args[1]) {
			return "", false
		}
		first, between := maths[x.Op][0], maths[x.Op][1]
		if x.Op == "/" && hundred(left) {
			left, first = uncast(left.Args[0]), "ratio in percent of the "
		}
		if t.countable(e, left) && t.countable(e, right) {
			return first + t.column(e, left) + between + t.column(e, right), true
		}
	}
	return "", false
}

// uncast returns what is cast.
func uncast(x *tree.Expr) *tree.Expr {
	for x.Kind == tree.Cast {
		x = x.Args[0]
	}
	return x
}

// countable reports whether a column has numbers. SQLite reads no more of a date than its year where it computes with one.
func (t *teller) countable(e *entity, x *tree.Expr) bool {
	if x.Kind != tree.Name || t.refs[x].Meaning == tree.TextLiteral {
		return false
	}
	c := e.table.Column(t.refs[x].Column)
	return c != nil && !textual(c.Type) && !timely(t.column(e, x)) && !strings.Contains(strings.ToUpper(c.Type), "DATE")
}

// real reports whether a value is a real number: by a cast, or by its column's type.
func (t *teller) real(e *entity, x *tree.Expr) bool {
	switch {
	case x.Kind == tree.Cast:
		return floating(x.Name)
	case hundred(x):
		return x.Args[1].Lit == tree.Float || t.real(e, x.Args[0])
	case x.Kind == tree.Name:
		c := e.table.Column(t.refs[x].Column)
		return c != nil && floating(c.Type)
	}
	return false
}

// floating reports whether a declared type is one of real numbers.
func floating(declared string) bool {
	declared = strings.ToUpper(declared)
	return strings.Contains(declared, "REAL") || strings.Contains(declared, "FLOA") || strings.Contains(declared, "DOUB")
}

// hundred reports whether something is multiplied by a hundred.
func hundred(x *tree.Expr) bool {
	return x.Kind == tree.Binary && x.Op == "*" && x.Args[1].Kind == tree.Literal && (x.Args[1].Name == "100" || x.Args[1].Name == "100.0")
}

// period returns the column of which a call takes a part of the date, and the part's name; nil for other calls.
func (t *teller) period(x *tree.Expr) (column *tree.Expr, unit string) {
	if x.Kind != tree.Call || !strings.EqualFold(x.Name, "strftime") || len(x.Args) != 2 || x.Args[1].Kind != tree.Name ||
		x.Args[0].Kind != tree.Literal || t.refs[x.Args[1]].Meaning == tree.TextLiteral {
		return nil, ""
	}
	if unit = periods[x.Args[0].Name]; unit == "" {
		return nil, ""
	}
	return x.Args[1], unit
}

// only returns the one table whose columns an expression has, or nil.
func (t *teller) only(c *clause, x *tree.Expr) *entity {
	if x.Kind == tree.Name {
		return t.entityOf(c, x)
	}
	if list := t.entitiesOf(c, x); len(list) == 1 {
		return list[0]
	}
	return nil
}

// inYear words a comparison of a date's year: "open date is in 1980".
func (t *teller) inYear(e *entity, date *tree.Expr, op, year string) mod {
	column := t.column(e, date)
	is := map[string]string{"=": "in " + year, "<>": "not in " + year, ">": "after the year " + year, "<": "before the year " + year,
		">=": "in the year " + year + " or later", "<=": "in the year " + year + " or earlier"}[op]
	return say(column, is)
}

// apart returns, for a select list that computes with aggregates, the query for each of them: the number of women and the
// number of clients, of which a percentage is made. A sum over CASE that counts, or adds up, what a condition holds is
// the query with that condition.
func (t *teller) apart(c *clause) []*tree.Query {
	var whole, part []*tree.Query // the number of all, of which there is a part, comes first
	all := everything(c)
	for _, column := range c.arm.Columns {
		for _, x := range aggregatesIn(column.Expr) {
			switch x, cond, ok := unfolded(x); {
			case ok && cond == nil:
				whole = append(whole, made([]*tree.Expr{x}, all, allConds(all)))
			case ok:
				part = append(part, made([]*tree.Expr{x}, all, append(allConds(all), conjuncts(cond)...)))
			}
		}
	}
	return append(whole, part...)
}

// aggregatesIn returns the aggregates of an expression, without those of sub-queries.
func aggregatesIn(x *tree.Expr) []*tree.Expr {
	if tree.Aggregate(x) {
		return []*tree.Expr{x}
	}
	var out []*tree.Expr
	for _, a := range x.Args {
		if a != nil {
			out = append(out, aggregatesIn(a)...)
		}
	}
	return out
}

// unfolded returns an aggregate without the condition inside it, and that condition; nil where there is none. It reports
// false for a form whose condition cannot be taken out.
func unfolded(x *tree.Expr) (plain, cond *tree.Expr, ok bool) {
	if len(x.Args) != 1 || x.Args[0].Kind == tree.Star || x.Args[0].Kind == tree.Name {
		return x, nil, true
	}
	inner := uncast(x.Args[0])
	rows := &tree.Expr{Kind: tree.Call, Name: "count"}
	switch {
	case x.Name == "sum" && truth(inner): // the number of rows for which it is true
		return rows, inner, true
	case inner.Kind == tree.Case && !inner.Operand && (len(inner.Args) == 2 || len(inner.Args) == 3), inner.Kind == tree.Call && inner.Name == "iif" && len(inner.Args) == 3:
	default:
		return x, nil, inner.Kind == tree.Binary && !truth(inner)
	}
	cond, then := inner.Args[0], inner.Args[1]
	if !truth(cond) || !empty(x, inner.Args[2:]) {
		return nil, nil, false
	}
	switch {
	case then.Kind == tree.Literal && x.Name == "count" && !x.Distinct, then.Kind == tree.Literal && x.Name == "sum" && (then.Name == "1" || then.Name == "1.0"):
		return rows, cond, true
	case then.Kind == tree.Name && (x.Name == "count" || x.Name == "sum"):
		return &tree.Expr{Kind: tree.Call, Name: x.Name, Distinct: x.Distinct, Args: []*tree.Expr{then}}, cond, true
	}
	return nil, nil, false
}

// truth reports whether an expression is a condition.
func truth(x *tree.Expr) bool {
	switch x.Kind {
	case tree.Binary:
		return compared[x.Op] != "" || x.Op == "AND" || x.Op == "OR"
	case tree.In, tree.Like, tree.Between, tree.Is:
		return true
	}
	return false
}

// empty reports whether what an aggregate has where its condition does not hold adds nothing: NULL, or 0 in a sum.
func empty(x *tree.Expr, otherwise []*tree.Expr) bool {
	if len(otherwise) == 0 {
		return true
	}
	o := otherwise[0]
	return o.Kind == tree.Literal && (o.Lit == tree.Null || x.Name == "sum" && (o.Name == "0" || o.Name == "0.0"))
}
