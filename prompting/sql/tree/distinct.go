package tree

import "strings"

// WithoutDistinct removes every DISTINCT of a query, those of aggregates too, as the official evaluator of test suites
// does. The DISTINCT of IS DISTINCT FROM is another word and stays.
func WithoutDistinct(sql string) string {
	var b strings.Builder
	from, before := 0, ""
	for _, t := range Tokens(sql) {
		if t.Keyword == "DISTINCT" && before != "IS" && before != "NOT" {
			b.WriteString(sql[from:t.Start])
			from = t.End
		}
		before = t.Keyword
	}
	return b.String() + sql[from:]
}
