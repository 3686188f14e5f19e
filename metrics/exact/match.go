package exact

import (
	"slices"
	"strings"
)

// Part is one of the ten partial matches that make an exact set match.
type Part int

// The parts, in the order of the official report.
const (
	SelectPart    Part = iota // the result columns, in any order
	SelectColumns             // the same without their aggregates
	WherePart                 // the conditions, in any order and without values
	WhereColumns              // the same without their operators
	GroupColumns              // the GROUP BY columns, without their tables
	GroupPart                 // GROUP BY and HAVING, in order
	OrderPart                 // ORDER BY with its direction, and whether there is a LIMIT
	AndOrPart                 // which connectives WHERE uses
	SetOpPart                 // the set operation, and its right side in full
	KeywordPart               // which of the keywords occur
	PartCount
)

var partNames = [PartCount]string{"select", "select(no AGG)", "where", "where(no OP)", "group(no Having)", "group",
	"order", "and/or", "IUEN", "keywords"}

// String returns the name of the part in the official report.
func (p Part) String() string {
	if p < 0 || p >= PartCount {
		return "unknown"
	}
	return partNames[p]
}

// Match is a prediction's verdict, part by part.
type Match struct {
	Exact   bool            // every part agrees, and so do the tables
	Parsed  bool            // the prediction is in Spider's grammar; otherwise it was judged as an empty query
	Refusal string          // why it is not
	Parts   [PartCount]bool // F1 of the part: 1 or 0
	Tables  bool            // the FROM tables agree, in any order; not a part of the official report

	pred, gold *query // as rewritten
}

// compare judges two rewritten queries by the parts. (Spider's evaluation.py, eval_partial_match, eval_exact_match.)
func compare(pred, gold *query) Match {
	m := Match{pred: pred, gold: gold, Parts: [PartCount]bool{
		SelectPart:    sameBag(keys(pred.columns), keys(gold.columns)),
		SelectColumns: sameBag(keys(values(pred)), keys(values(gold))),
		WherePart:     sameBag(keys(units(pred.where)), keys(units(gold.where))),
		WhereColumns:  sameBag(lefts(units(pred.where)), lefts(units(gold.where))),
		GroupColumns:  sameBag(bareNames(pred.group), bareNames(gold.group)),
		GroupPart:     sameGroup(pred, gold),
		OrderPart:     sameOrder(pred, gold),
		AndOrPart:     sameBag(distinct(keys(connectives(pred.where))), distinct(keys(connectives(gold.where)))),
		SetOpPart:     sameSetOps(pred, gold),
		KeywordPart:   sameBag(pred.keywords(), gold.keywords()),
	}}
	m.Tables = len(gold.tables) == 0 || sameBag(keys(pred.tables), keys(gold.tables))
	m.Exact = m.Tables
	for _, ok := range m.Parts {
		m.Exact = m.Exact && ok
	}
	return m
}

// sameBag compares without order. The official F1 of a part is 1 exactly then, and 0 otherwise.
func sameBag(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func distinct(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func values(q *query) []valUnit {
	out := make([]valUnit, len(q.columns))
	for i, c := range q.columns {
		out[i] = c.val
	}
	return out
}

func lefts(list []cond) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.connective
		if c.unit != nil {
			out[i] = c.unit.left.key()
		}
	}
	return out
}

func bareNames(list []colUnit) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.column
		if _, name, ok := strings.Cut(c.column, "."); ok {
			out[i] = name
		}
	}
	return out
}

func sameGroup(pred, gold *query) bool {
	if len(pred.group) == 0 || len(gold.group) == 0 {
		return len(pred.group) == len(gold.group) // a HAVING without GROUP BY does not count here
	}
	column := func(c colUnit) string { return c.column }
	return slices.EqualFunc(pred.group, gold.group, func(a, b colUnit) bool { return column(a) == column(b) }) &&
		slices.Equal(keys(pred.having), keys(gold.having))
}

func sameOrder(pred, gold *query) bool {
	if pred.dir == "" || gold.dir == "" {
		return pred.dir == gold.dir // a LIMIT without ORDER BY does not count here
	}
	return pred.orderKey() == gold.orderKey() && pred.limit == gold.limit
}

func sameSetOps(pred, gold *query) bool {
	if len(pred.next) != len(gold.next) {
		return false
	}
	for op, arm := range pred.next {
		if gold.next[op] == nil || !compare(arm, gold.next[op]).Exact {
			return false
		}
	}
	return true
}

// keywords returns the keywords that the official evaluator looks for, each once.
func (q *query) keywords() []string {
	found := map[string]bool{
		"where": len(q.where) > 0, "group": len(q.group) > 0, "having": len(q.having) > 0,
		"order": q.dir != "", "limit": q.limit,
	}
	if q.dir != "" {
		found[q.dir] = true
	}
	for op := range q.next {
		found[op] = true
	}
	for _, list := range [][]cond{q.joinOn, q.where, q.having} {
		for _, c := range connectives(list) {
			found["or"] = found["or"] || c.connective == "or"
		}
		for _, c := range units(list) {
			if c.unit != nil {
				found["not"] = found["not"] || c.unit.not
				found["in"] = found["in"] || c.unit.op == "in"
				found["like"] = found["like"] || c.unit.op == "like"
			}
		}
	}
	var out []string
	for word, is := range found {
		if is {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}
