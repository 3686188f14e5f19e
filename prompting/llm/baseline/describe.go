package baseline

import (
	"strconv"
	"strings"
)

// describe says in one line what each clause of a query does, in the order of execution.
func describe(b *base, q *query) string {
	p := printer{b: b, alias: map[int]string{}}
	order, _, _, _ := b.tree(q.from(b))
	var parts []string
	for i, t := range order {
		name := ident(b.tables[t].name)
		if i == 0 {
			parts = append(parts, "This query reads the "+name+" table")
		} else {
			parts = append(parts, "joins it with the "+name+" table")
		}
	}
	if len(parts) == 0 {
		parts = []string{"This query reads no table"}
	}
	if len(q.where) > 0 {
		parts = append(parts, "keeps the rows where "+describeConds(&p, q.where))
	}
	if len(q.group) > 0 {
		var names []string
		for _, c := range q.group {
			names = append(names, p.column(c))
		}
		parts = append(parts, "groups them by "+strings.Join(names, " and "))
	}
	if len(q.having) > 0 {
		parts = append(parts, "keeps the groups where "+describeConds(&p, q.having))
	}
	for _, o := range q.order {
		parts = append(parts, "orders by "+p.expr(o.e)+map[bool]string{true: " from high to low", false: " from low to high"}[o.desc])
	}
	if q.limit > 0 {
		parts = append(parts, "keeps the first "+strconv.Itoa(q.limit))
	}
	text := strings.Join(parts, ", ") + ". It then selects " + p.list(q.sel) + "."
	if q.right != nil {
		text += " Its result is combined by " + q.setOp + " with that of a second query of the same kind."
	}
	return text
}

var operators = map[string]string{
	"=": "is", "!=": "is not", "<": "is less than", ">": "is more than", "<=": "is at most", ">=": "is at least",
	"LIKE": "is like", "NOT LIKE": "is not like", "BETWEEN": "is between", "NOT IN": "is not in",
}

func describeConds(p *printer, cs []cond) string {
	var s strings.Builder
	for i, c := range cs {
		if i > 0 {
			s.WriteString(map[bool]string{true: " or ", false: " and "}[c.or])
		}
		s.WriteString(p.expr(c.left) + " " + operators[c.op] + " ")
		switch {
		case c.sub == nil:
			s.WriteString(c.right)
		case len(c.sub.sel) > 0:
			s.WriteString("the result of a sub-query for " + p.expr(c.sub.sel[0]))
		}
	}
	return strings.ReplaceAll(s.String(), "\n", " ")
}
