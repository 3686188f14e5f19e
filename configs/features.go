package configs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Features are the SQL features counted in a gold query, its sub-queries included. Package tree counts them. Items can be
// filtered, and scores broken down, by each.
var Features = Choices{
	{"joins", "sources after the first of each FROM, however they are joined"},
	{"predicates", "comparisons, LIKE, IN, BETWEEN, IS, EXISTS"},
	{"aggregates", "COUNT, SUM, AVG, MIN, MAX and other aggregate functions; not with OVER"},
	{"scalars", "other function calls, CAST included"},
	{"subqueries", "queries inside the statement, those of CTEs not included"},
	{"set-ops", "UNION, UNION ALL, INTERSECT, EXCEPT"},
	{"maths", "+ - * / % and sign changes of anything but a number"},
	{"connectives", "AND, OR, NOT"},
	{"distinct", "SELECT DISTINCT, and DISTINCT in a call"},
	{"like", "LIKE, GLOB, REGEXP, MATCH"},
	{"order-by", "ORDER BY clauses, but for those of windows"},
	{"group-by", "GROUP BY clauses"},
	{"having", "HAVING clauses"},
	{"limit", "LIMIT clauses"},
	{"case", "CASE expressions"},
	{"windows", "calls with OVER"},
	{"ctes", "common table expressions"},
	{"tables", "distinct tables, each counted once however often it is read"},
}

// Condition is one element of dataset.filter.features: it compares the count of a feature with a number.
type Condition struct {
	Feature string // one of Features
	Op      string // = != < <= > >=
	N       int
}

var conditionForm = regexp.MustCompile(`^\s*([A-Za-z_-]+)\s*(=|!=|<=|<|>=|>)\s*([0-9]{1,9})\s*$`)

// ParseCondition parses a condition such as "joins>=2"; blanks are allowed between its parts.
func ParseCondition(text string) (Condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf(`configs: condition %q: want a feature, one of = != < <= > >=, and a number, such as "joins>=2"`, text)
	}
	if why := Unknown(m[1], Features.IDs()); why != "" {
		return Condition{}, fmt.Errorf("configs: condition %q: feature %s", text, why)
	}
	n, err := strconv.Atoi(m[3])
	if err != nil {
		return Condition{}, fmt.Errorf("configs: condition %q: %w", text, err)
	}
	return Condition{Feature: m[1], Op: m[2], N: n}, nil
}

// Holds reports whether the count n meets the condition.
func (c Condition) Holds(n int) bool {
	switch c.Op {
	case "=":
		return n == c.N
	case "!=":
		return n != c.N
	case "<":
		return n < c.N
	case "<=":
		return n <= c.N
	case ">":
		return n > c.N
	case ">=":
		return n >= c.N
	}
	return false
}

// conditions checks a list of conditions.
func conditions(v any) string {
	for _, s := range v.([]string) {
		if _, err := ParseCondition(s); err != nil {
			return strings.TrimPrefix(err.Error(), "configs: ")
		}
	}
	return list(v)
}
