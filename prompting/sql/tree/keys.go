package tree

import (
	"strconv"
	"strings"
)

// Keyed is a query rewritten to return the keys of its ORDER BY as well. Keys that are not result columns of the query are
// appended to them. It serves to find ties: rows with equal keys, whose order SQLite is free to choose.
type Keyed struct {
	SQL   string
	Added int   // columns appended to those of the query
	keys  []int // position of each key; the added columns are -1, -2 and so on, because stars hide how many come before
}

// Keys returns the positions of the keys in a row of that many columns, in the order of the ORDER BY.
func (k Keyed) Keys(columns int) []int {
	places := make([]int, len(k.keys))
	for i, at := range k.keys {
		if places[i] = at; at < 0 {
			places[i] = columns - k.Added - 1 - at
		}
	}
	return places
}

// WithKeys rewrites a query of the statement, with or without its LIMIT, to return its keys as well. It returns false
// where that is not possible: additional columns would change what a DISTINCT or a compound returns, and a VALUES has no
// column list.
func WithKeys(s *Stmt, q *Query, limit bool) (Keyed, bool) {
	var k Keyed
	arm := q.Arms[0]
	if len(arm.Columns) == 0 {
		return k, false
	}
	var added []string
	for _, t := range q.OrderBy {
		at, known := s.ResultColumn(arm, t.Expr)
		if !known {
			return k, false
		}
		if at < 0 {
			added = append(added, s.Text(t.Expr.Span))
			at = -len(added)
		}
		k.keys = append(k.keys, at)
	}
	if len(added) > 0 && (len(q.Arms) > 1 || arm.Distinct) {
		return k, false
	}
	toks := Tokens(s.SQL)
	end := q.End
	if q.Limit != nil && !limit {
		end = limitStart(toks, q)
	}
	k.Added, k.SQL = len(added), s.SQL[q.Start:max(end, q.Start)]
	if len(added) > 0 {
		from := fromStart(toks, arm)
		if from < 0 || from > end {
			return k, false
		}
		k.SQL = s.SQL[q.Start:from] + ", " + strings.Join(added, ", ") + " " + s.SQL[from:end]
	}
	return k, end > arm.Start
}

// fromStart returns the byte at which the FROM of an arm starts, or -1. It ignores FROM within parentheses, which belongs
// to a sub-query or a function.
func fromStart(toks []Token, arm *Select) int {
	depth := 0
	for _, t := range toks {
		switch {
		case t.Start < arm.Start || t.End > arm.End:
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Kind == Word && strings.EqualFold(t.Text, "FROM"):
			return t.Start
		}
	}
	return -1
}

// limitStart returns the byte at which the LIMIT of a query starts, or -1: the last LIMIT before its expressions. In
// "LIMIT 5, 10" the offset comes before the count.
func limitStart(toks []Token, q *Query) int {
	start := -1
	for _, t := range toks {
		if t.Start >= q.Limit.Start || q.Offset != nil && t.Start >= q.Offset.Start {
			break
		}
		if t.Kind == Word && strings.EqualFold(t.Text, "LIMIT") {
			start = t.Start
		}
	}
	return start
}

// ResultColumn returns the position of the result column that an ORDER BY key names by number, by alias or by its text, or
// -1 where it names none. It finds no name after a star, which stands for an unknown number of columns. known is false for
// a number that is not a column's.
func (s *Stmt) ResultColumn(arm *Select, key *Expr) (at int, known bool) {
	if key.Kind == Literal && key.Lit == Integer {
		n, err := strconv.Atoi(key.Name)
		return n - 1, err == nil && n >= 1
	}
	star := false
	for i, c := range arm.Columns {
		if star = star || c.Expr.Kind == Star; star {
			continue
		}
		if key.Kind == Name && key.Table == "" && c.Alias != "" && strings.EqualFold(c.Alias, key.Name) ||
			strings.EqualFold(s.Text(c.Expr.Span), s.Text(key.Span)) {
			return i, true
		}
	}
	return -1, true
}
