package exact

import (
	"fmt"
	"strconv"
	"strings"
)

// The tree of Spider's SQL subset. It is a record of what the official reader keeps, which is less than the query:
// LIMIT has no number, and AND and OR have no grouping.

// query is one SELECT with at most one set operation, whose right side may have its own.
type query struct {
	tables   []tableUnit
	joinOn   []cond
	distinct bool
	columns  []selected
	where    []cond
	group    []colUnit
	having   []cond
	dir      string // of the last ORDER BY term that names one, else asc; empty without ORDER BY
	order    []valUnit
	limit    bool
	next     map[string]*query // by intersect, union, except; at most one
}

// tableUnit is a FROM item: a table or a sub-query.
type tableUnit struct {
	table string
	sub   *query
}

// colUnit is a column with an aggregate, "" for none. The column is "table.column" or "*".
type colUnit struct {
	agg      string
	column   string
	distinct bool
}

// valUnit is one column, or two with an operator between.
type valUnit struct {
	op    string // "", "-", "+", "*", "/"
	left  colUnit
	right *colUnit
}

type selected struct {
	agg string
	val valUnit
}

// cond is one condition; or, with unit nil, the connective "and" or "or".
type cond struct {
	connective string
	unit       *condUnit
}

type condUnit struct {
	not    bool
	op     string
	left   valUnit
	v1, v2 value
}

// value is the right side of a condition; the zero value is none.
type value struct {
	text string // a number in canonical form or a quoted string
	col  *colUnit
	sub  *query
}

// The keys below are equal exactly where the official evaluator holds the parts equal.

func (c colUnit) key() string { return fmt.Sprintf("%s(%t %s)", c.agg, c.distinct, c.column) }

func (v valUnit) key() string {
	if v.right == nil {
		return v.op + v.left.key()
	}
	return v.left.key() + v.op + v.right.key()
}

func (s selected) key() string { return s.agg + ":" + s.val.key() }

func (v value) key() string {
	switch {
	case v.sub != nil:
		return "{" + v.sub.key() + "}"
	case v.col != nil:
		return v.col.key()
	}
	return v.text
}

func (u *condUnit) key() string {
	return fmt.Sprintf("%t %s %s %s|%s", u.not, u.op, u.left.key(), u.v1.key(), u.v2.key())
}

func (c cond) key() string {
	if c.unit == nil {
		return c.connective
	}
	return c.unit.key()
}

func (t tableUnit) key() string {
	if t.sub != nil {
		return "{" + t.sub.key() + "}"
	}
	return t.table
}

func (q *query) key() string {
	parts := []string{fmt.Sprintf("%t %t", q.distinct, q.limit), pack(keys(q.columns)), pack(keys(q.tables)),
		pack(keys(q.joinOn)), pack(keys(q.where)), pack(keys(q.group)), pack(keys(q.having)), q.orderKey()}
	for _, op := range setOps {
		if q.next[op] != nil {
			parts = append(parts, op, q.next[op].key())
		}
	}
	return pack(parts)
}

func (q *query) orderKey() string { return q.dir + pack(keys(q.order)) }

// pack joins texts so that different lists give different results: each goes with its length. (Quoting would double
// with every level of sub-queries.)
func pack(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(':')
		b.WriteString(s)
	}
	return b.String()
}

func keys[T interface{ key() string }](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.key()
	}
	return out
}

// units returns every second item of a condition list, and connectives the others, as the official evaluator slices
// them. The reader accepts two conditions without a connective; a condition then has the position of a connective.
func units(list []cond) []cond { return every(list, 0) }

func connectives(list []cond) []cond { return every(list, 1) }

func every(list []cond, from int) []cond {
	var out []cond
	for i := from; i < len(list); i += 2 {
		out = append(out, list[i])
	}
	return out
}
