package annotate

import (
	"strconv"
	"strings"

	"assay/prompting/sql/tree"
)

// noun describes an expression as a thing: "the sex column", "the number of records".
func (t *describer) noun(e *tree.Expr, v view) string {
	switch e.Kind {
	case tree.Name:
		if t.refs[e].Meaning == tree.TextLiteral {
			return strconv.Quote(e.Name)
		}
		return "the " + t.column(e, v) + " column"
	case tree.Star:
		if e.Table != "" {
			return "all columns of " + t.refs[e].Table
		}
		return "all columns"
	case tree.Literal:
		if e.Lit == tree.String {
			return strconv.Quote(e.Name)
		}
		return e.Name
	case tree.Subquery:
		return "the result of " + t.subquery(e.Query)
	case tree.Call:
		return t.call(e, v)
	case tree.Case:
		return t.cases(e, v)
	case tree.Cast:
		return t.noun(e.Args[0], v) + " as " + e.Name
	case tree.Collate:
		return t.noun(e.Args[0], v)
	case tree.Binary:
		if word, ok := maths[e.Op]; ok {
			return t.operand(e.Args[0], v) + word + t.operand(e.Args[1], v)
		}
		if e.Op == "AND" || e.Op == "OR" || comparisons[e.Op] != "" {
			return "whether " + t.cond(e, v)
		}
	case tree.Unary:
		if e.Op == "-" && e.Args[0].Kind == tree.Literal {
			return "-" + e.Args[0].Name
		}
	case tree.Like, tree.Is, tree.Between, tree.In, tree.Exists:
		return "whether " + t.cond(e, v)
	}
	return "the value of " + oneLine(t.stmt.Text(e.Span))
}

var maths = map[string]string{"+": " plus ", "-": " minus ", "*": " times ", "/": " divided by ", "%": " modulo ",
	"||": " followed by "}

// operand is noun, in parentheses if the expression has an operator of its own.
func (t *describer) operand(e *tree.Expr, v view) string {
	if e.Kind == tree.Binary {
		return "(" + t.noun(e, v) + ")"
	}
	return t.noun(e, v)
}

// nouns describes several expressions as a list.
func (t *describer) nouns(exprs []*tree.Expr, v view) string {
	names, plain := make([]string, len(exprs)), len(exprs) > 1
	items := make([]string, len(exprs))
	for i, e := range exprs {
		plain = plain && e.Kind == tree.Name
		names[i], items[i] = t.column(e, v), t.noun(e, v)
	}
	if plain {
		return "the " + list(names) + " columns"
	}
	return list(items)
}

// column returns the name of a column as the view has it; empty if the expression is not a column.
func (t *describer) column(e *tree.Expr, v view) string {
	if e.Kind != tree.Name {
		return ""
	}
	ref := t.refs[e]
	table := strings.ToLower(ref.Table)
	switch {
	case ref.Column == "" || v.bare:
		return e.Name
	case v.twice[table] && e.Table != "":
		return e.Table + "." + ref.Column
	case ref.Meaning != tree.BaseColumn:
		if e.Table != "" && !v.one {
			return e.Table + "." + ref.Column
		}
		return ref.Column
	case table == v.only:
		return ref.Column
	}
	return ref.Table + "." + ref.Column
}

// aggregated holds the phrases for aggregate functions of one argument.
var aggregated = map[string]string{
	"sum": "the sum of ", "avg": "the average of ", "min": "the smallest value of ", "max": "the largest value of ",
	"total": "the total of ", "group_concat": "the list of the values of ",
}

// call describes a function call.
func (t *describer) call(e *tree.Expr, v view) string {
	if e.Window {
		return "the window function " + oneLine(t.stmt.Text(e.Span))
	}
	different := ""
	if e.Distinct {
		different = "different "
	}
	switch {
	case e.Name == "count" && len(e.Args) == 0:
		return "the number of records"
	case e.Name == "count" && len(e.Args) == 1:
		return "the number of " + different + "values of " + t.noun(e.Args[0], v)
	case len(e.Args) == 1 && aggregated[e.Name] != "":
		if e.Distinct {
			different = "the different values of "
		}
		return aggregated[e.Name] + different + t.noun(e.Args[0], v)
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = t.noun(a, v)
	}
	if len(args) == 0 {
		return "the result of " + e.Name + "()"
	}
	return "the result of the " + e.Name + " function on " + list(args)
}

// cases describes a CASE expression.
func (t *describer) cases(e *tree.Expr, v view) string {
	args := e.Args
	var b strings.Builder
	b.WriteString("a value by cases (")
	if e.Operand {
		b.WriteString("of " + t.noun(args[0], v) + ", ")
		args = args[1:]
	}
	for ; len(args) > 1; args = args[2:] {
		when := t.cond
		if e.Operand {
			when = t.noun
		}
		b.WriteString("when " + when(args[0], v) + " then " + t.noun(args[1], v))
		if len(args) > 2 {
			b.WriteString(", ")
		}
	}
	if len(args) == 1 {
		b.WriteString("otherwise " + t.noun(args[0], v))
	}
	return b.String() + ")"
}

var comparisons = map[string]string{"=": " is equal to ", "<>": " is not equal to ", "<": " is less than ",
	"<=": " is less than or equal to ", ">": " is greater than ", ">=": " is greater than or equal to "}

// cond describes an expression as a condition: "the sex column is equal to "F"".
func (t *describer) cond(e *tree.Expr, v view) string {
	not := ""
	if e.Not {
		not = " not"
	}
	switch e.Kind {
	case tree.Binary:
		switch {
		case e.Op == "AND":
			return t.side(e.Args[0], v) + " and " + t.side(e.Args[1], v)
		case e.Op == "OR":
			return t.cond(e.Args[0], v) + " or " + t.cond(e.Args[1], v)
		case comparisons[e.Op] != "":
			return t.noun(e.Args[0], v) + comparisons[e.Op] + t.noun(e.Args[1], v)
		}
	case tree.Unary:
		if e.Op == "NOT" {
			return "it is not true that (" + t.cond(e.Args[0], v) + ")"
		}
	case tree.Like:
		if e.Not {
			return t.noun(e.Args[0], v) + " does not match the pattern " + t.noun(e.Args[1], v)
		}
		return t.noun(e.Args[0], v) + " matches the pattern " + t.noun(e.Args[1], v)
	case tree.Between:
		return t.noun(e.Args[0], v) + " is" + not + " between " + t.noun(e.Args[1], v) + " and " + t.noun(e.Args[2], v)
	case tree.Is:
		return t.is(e, v)
	case tree.In:
		return t.noun(e.Args[0], v) + " is" + not + t.in(e, v)
	case tree.Exists:
		return "there is a record in the result of " + t.subquery(e.Query)
	}
	return t.noun(e, v) + " is true"
}

// side is cond for one side of an AND, in parentheses if it is an OR.
func (t *describer) side(e *tree.Expr, v view) string {
	if e.Kind == tree.Binary && e.Op == "OR" {
		return "(" + t.cond(e, v) + ")"
	}
	return t.cond(e, v)
}

// is describes IS and IS NOT.
func (t *describer) is(e *tree.Expr, v view) string {
	left, right := t.noun(e.Args[0], v), e.Args[1]
	same := e.Not == (e.Op != "IS") // IS DISTINCT FROM means IS NOT
	if right.Kind == tree.Literal && right.Lit == tree.Null {
		if same {
			return left + " is null"
		}
		return left + " is not null"
	}
	if same {
		return left + " is the same as " + t.noun(right, v)
	}
	return left + " is not the same as " + t.noun(right, v)
}

// in describes the right side of IN.
func (t *describer) in(e *tree.Expr, v view) string {
	switch {
	case e.Query != nil:
		return " in the result of " + t.subquery(e.Query)
	case e.Table != "":
		return " in the " + e.Table + " table"
	}
	values := make([]string, 0, len(e.Args)-1)
	for _, a := range e.Args[1:] {
		values = append(values, t.noun(a, v))
	}
	return " one of " + listed(values, "or")
}
