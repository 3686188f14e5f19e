package census

import (
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// Kind is the type of a value.
type Kind string

// The kinds of values.
const (
	Text    Kind = "text"
	Number  Kind = "number"
	Pattern Kind = "pattern" // of LIKE or GLOB
)

// Value is a literal that a condition compares with something of a column.
type Value struct {
	Kind  Kind
	Text  string // without quotes; a number with its sign
	Found How    // the form in which the question has it
	// FoundWithEvidence is true where the question or its evidence has the value.
	FoundWithEvidence bool
}

// Values lists the value constraints of a statement in the order of the text: each literal that a predicate (= <> < <=
// > >= LIKE IN BETWEEN IS, a CASE with an operand) compares with an expression that contains a column, wherever the
// predicate is: WHERE, HAVING, ON, CASE WHEN, or a select list. Double-quoted names that are no columns are
// literals, as SQLite has it.
//
// Not counted: NULL; what is compared with an aggregate (a count is no cell's value); LIMIT; arguments of functions and
// operands of arithmetic, as in strftime('%Y', d) and a * 100.
func Values(s *tree.Stmt, names *schema.Database) []Value {
	c := &collector{meaning: map[*tree.Expr]tree.Meaning{}}
	for _, ref := range tree.Resolve(s, names) {
		if ref.Expr != nil {
			c.meaning[ref.Expr] = ref.Meaning
		}
	}
	tree.Walk(s.Query, tree.Visitor{Expr: c.expr})
	return c.values
}

type collector struct {
	meaning map[*tree.Expr]tree.Meaning
	values  []Value
}

func (c *collector) expr(e *tree.Expr) {
	switch e.Kind {
	case tree.Binary:
		switch e.Op {
		case "=", "<>", "<", "<=", ">", ">=":
			c.compare(e.Args, false)
		}
	case tree.Is, tree.Between, tree.In:
		c.compare(e.Args, false)
	case tree.Like:
		c.compare(e.Args[:min(2, len(e.Args))], e.Op != "MATCH")
	case tree.Case:
		if e.Operand {
			c.compare(operands(e.Args), false)
		}
	}
}

// operands returns a CASE's operand with the expression after each WHEN.
func operands(args []*tree.Expr) []*tree.Expr {
	if len(args) == 0 {
		return nil
	}
	out := args[:1:1]
	for i := 1; i+1 < len(args); i += 2 {
		out = append(out, args[i])
	}
	return out
}

// compare adds the literals among the sides of a predicate, where one side has a column.
func (c *collector) compare(sides []*tree.Expr, pattern bool) {
	var literals []Value
	column := false
	for _, e := range sides {
		if v, is := c.literal(e); is {
			if v.Kind == Text && pattern {
				v.Kind = Pattern
			}
			literals = append(literals, v)
			continue
		}
		column = column || c.readsColumn(e)
	}
	if column {
		c.values = append(c.values, literals...)
	}
}

func (c *collector) literal(e *tree.Expr) (Value, bool) {
	switch e.Kind {
	case tree.Collate:
		return c.literal(e.Args[0])
	case tree.Unary:
		if v, is := c.literal(e.Args[0]); is && v.Kind == Number && (e.Op == "-" || e.Op == "+") {
			v.Text = strings.TrimPrefix(e.Op, "+") + v.Text
			return v, true
		}
	case tree.Name:
		if meaning, known := c.meaning[e]; known && meaning == tree.TextLiteral {
			return Value{Kind: Text, Text: e.Name}, true
		}
	case tree.Literal:
		switch e.Lit {
		case tree.Integer, tree.Float:
			return Value{Kind: Number, Text: e.Name}, true
		case tree.String:
			return Value{Kind: Text, Text: e.Name}, true
		}
	}
	return Value{}, false
}

// readsColumn reports whether an expression depends on a row's column: its own sub-queries and aggregates do not count.
func (c *collector) readsColumn(e *tree.Expr) bool {
	if e == nil || e.Query != nil || tree.Aggregate(e) {
		return false
	}
	if e.Kind == tree.Name {
		meaning, known := c.meaning[e]
		return !known || meaning != tree.TextLiteral
	}
	for _, a := range e.Args {
		if c.readsColumn(a) {
			return true
		}
	}
	return false
}
