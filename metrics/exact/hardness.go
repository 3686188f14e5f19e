package exact

import (
	"fmt"

	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// The hardness levels of Spider.
const (
	easy   = "easy"
	medium = "medium"
	hard   = "hard"
	extra  = "extra"
)

// Hardness gives Spider's hardness label of a gold query: easy, medium, hard or extra. It is hardnessOf without the
// word on how it was found.
func Hardness(sql string, s *schema.Database) (string, error) {
	label, _, err := hardnessOf(sql, s)
	return label, err
}

// hardnessOf gives Spider's hardness label, and whether it is the official one. It is official where Spider's own
// grammar can read the query; the schema s decides about names, and may be nil: then any name will do. Other SQL is
// counted by the same rules over SQLite's grammar, with sub-queries of the select list and CTEs counted as nested
// queries. The error is for what is no single SELECT statement. (Spider's evaluation.py, eval_hardness.)
func hardnessOf(sql string, s *schema.Database) (label string, official bool, err error) {
	if q, err := parse(sql, namesOf(s)); err == nil {
		return level(q), true, nil
	}
	stmt, err := tree.Parse(sql)
	if err != nil {
		return "", false, fmt.Errorf("exact: hardness: %w", err)
	}
	if stmt.Query == nil {
		return "", false, fmt.Errorf("exact: hardness %q: not a SELECT", sql)
	}
	return treeCounts(stmt.Query).level(), false, nil
}

// parse reads a query by Spider's grammar. A text that is too large for a statement is outside of it: the official
// reader would run out of stack or of patience.
func parse(sql string, n *names) (*query, error) {
	if over := tree.Oversize(sql); over != nil {
		return nil, over
	}
	words, err := cut(sql)
	if err != nil {
		return nil, err
	}
	return read(words, n)
}

// counts are the three numbers that decide the level.
type counts struct {
	clauses int // WHERE, GROUP BY, ORDER BY, LIMIT, joins, ORs, LIKEs
	nested  int // sub-queries in conditions, and set operations
	others  int // of: several aggregates, columns, conditions, groupings
}

func (c counts) level() string {
	switch {
	case c.nested == 0 && c.clauses <= 1 && c.others == 0:
		return easy
	case c.nested == 0 && ((c.others <= 2 && c.clauses <= 1) || (c.clauses <= 2 && c.others < 2)):
		return medium
	case c.nested == 0 && ((c.others > 2 && c.clauses <= 2) || (c.clauses == 3 && c.others <= 2)),
		c.nested <= 1 && c.clauses <= 1 && c.others == 0:
		return hard
	}
	return extra
}

func level(q *query) string {
	return counts{clauses: q.clauseCount(), nested: q.nestedCount(), others: q.otherCount()}.level()
}

// clauseCount leaves the conditions of sub-queries out.
func (q *query) clauseCount() int {
	n := count(len(q.where) > 0, len(q.group) > 0, q.dir != "", q.limit)
	n += max(0, len(q.tables)-1)
	for _, list := range [][]cond{q.joinOn, q.where, q.having} {
		for _, c := range connectives(list) {
			n += count(c.unit == nil && c.connective == "or")
		}
		for _, c := range units(list) {
			n += count(c.unit != nil && c.unit.op == "like")
		}
	}
	return n
}

func (q *query) nestedCount() int {
	n := len(q.next)
	for _, list := range [][]cond{q.joinOn, q.where, q.having} {
		for _, c := range units(list) {
			if c.unit != nil {
				n += count(c.unit.v1.sub != nil, c.unit.v2.sub != nil)
			}
		}
	}
	return n
}

// otherCount counts aggregates as the official evaluator does: in conditions it looks at the first part of each, which
// is the NOT; in HAVING it takes the connectives for conditions, and any of them counts.
func (q *query) otherCount() int {
	aggs := 0
	for _, s := range q.columns {
		aggs += count(s.agg != "")
	}
	for _, c := range units(q.where) {
		aggs += count(c.unit == nil || c.unit.not)
	}
	for _, g := range q.group {
		aggs += count(g.agg != "")
	}
	for _, v := range q.order {
		aggs += count(v.left.agg != "", v.right != nil && v.right.agg != "")
	}
	for _, c := range q.having {
		aggs += count(c.unit == nil || c.unit.not)
	}
	return count(aggs > 1, len(q.columns) > 1, len(q.where) > 1, len(q.group) > 1)
}

func count(facts ...bool) int {
	n := 0
	for _, f := range facts {
		if f {
			n++
		}
	}
	return n
}
