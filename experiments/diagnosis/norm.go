package diagnosis

import (
	"slices"
	"strconv"
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// flipped are the comparisons that are written with the operands exchanged.
var flipped = map[string]string{">": "<", ">=": "<="}

// norm is an expression in normal form: lower case, columns without their tables, the operands of commutative operators sorted.
func (r *reader) norm(e *tree.Expr) string {
	if e == nil {
		return ""
	}
	switch e.Kind {
	case tree.Name:
		if r.refs[e].Meaning == tree.TextLiteral {
			return "'" + e.Name + "'"
		}
		return strings.ToLower(e.Name)
	case tree.Star:
		return "*"
	case tree.Literal:
		return literal(e)
	case tree.Binary:
		return r.binary(e)
	case tree.Subquery:
		return "(" + r.text(e.Query) + ")"
	}
	return r.other(e)
}

func literal(e *tree.Expr) string {
	switch e.Lit {
	case tree.String, tree.Integer, tree.Float: // '1970' is 1970: what they mean depends on the column
		if f, err := strconv.ParseFloat(e.Name, 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
	if e.Lit == tree.String {
		return "'" + e.Name + "'" // SQLite compares texts with their case
	}
	return strings.ToLower(e.Name)
}

func (r *reader) binary(e *tree.Expr) string {
	a, op, b := r.norm(e.Args[0]), e.Op, r.norm(e.Args[1])
	if to, ok := flipped[op]; ok {
		a, op, b = b, to, a
	}
	switch op {
	case "=", "<>", "AND", "OR", "+", "*":
		if a > b {
			a, b = b, a
		}
	}
	return "(" + a + " " + strings.ToLower(op) + " " + b + ")"
}

// other prints an expression with a name and arguments: calls, IN, BETWEEN, CASE and so on.
func (r *reader) other(e *tree.Expr) string {
	var head string
	switch e.Kind {
	case tree.Call, tree.Cast, tree.Collate:
		head = strings.ToLower(e.Name)
		if e.Kind == tree.Cast {
			head = "cast " + head
		}
	case tree.In:
		head = "in"
	case tree.Between:
		head = "between"
	case tree.Case:
		head = "case"
	case tree.Exists:
		head = "exists"
	default:
		head = strings.ToLower(e.Op)
	}
	if e.Not {
		head = "not " + head
	}
	parts := r.norms(e.Args)
	if e.StarArg {
		parts = "*"
	}
	if e.Query != nil {
		parts += " (" + r.text(e.Query) + ")"
	}
	if e.Window {
		parts += " over " + r.norms(e.Over)
	}
	return head + "(" + parts + ")"
}

func (r *reader) norms(list []*tree.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = r.norm(e)
	}
	return strings.Join(out, ", ")
}

// less returns the texts of a that b lacks, each as often as a has it more often.
func less(a, b []string) (out []string) {
	rest := slices.Clone(b)
	for _, s := range a {
		if i := slices.Index(rest, s); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		out = append(out, s)
	}
	return out
}

// unlike returns the columns of a that may be none of b, nor equal to one by a join's condition.
func unlike(a, b []schema.ColumnName, equal ...[2]schema.ColumnName) (out []schema.ColumnName) {
	for _, c := range a {
		joined := slices.ContainsFunc(equal, func(e [2]schema.ColumnName) bool {
			return c.MayBe(e[0]) && slices.ContainsFunc(b, e[1].MayBe) || c.MayBe(e[1]) && slices.ContainsFunc(b, e[0].MayBe)
		})
		if !joined && !slices.ContainsFunc(b, c.MayBe) && !slices.ContainsFunc(out, c.MayBe) {
			out = append(out, c)
		}
	}
	return out
}
