package suite

import (
	"strings"

	"assay/metrics/rows"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/tree"
)

// Equality is how a metric compares results: what a suite is made to serve.
type Equality struct {
	ID      string                                               // names it in reports and manifests
	Text    func(sql string) string                              // what the metric runs for a statement; nil: the statement
	Ordered func(gold string) bool                               // whether the order of rows counts; gold is the text that is run
	Equal   func(gold, mutant *engine.Result, ordered bool) bool // whether the mutant passes
}

// testSuite returns the equality of test-suite accuracy with its default flags: every DISTINCT is dropped before
// statements run, so no suite can kill a mutant that differs in DISTINCT alone.
func testSuite() Equality {
	return Equality{ID: "ts", Text: dropDistinct, Ordered: mentionsOrder, Equal: spider}
}

// keepDistinct returns the equality of test-suite accuracy that keeps DISTINCT.
func keepDistinct() Equality {
	return Equality{ID: "ts-keep-distinct", Ordered: mentionsOrder, Equal: spider}
}

func spider(gold, mutant *engine.Result, ordered bool) bool {
	return rows.Spider(gold, mutant, ordered).Equal
}

func mentionsOrder(gold string) bool { return strings.Contains(strings.ToLower(gold), "order by") }

func dropDistinct(sql string) string {
	var out strings.Builder
	last := 0
	for _, t := range tree.Tokens(sql) {
		if t.Kind == tree.Word && strings.EqualFold(t.Text, "DISTINCT") {
			out.WriteString(sql[last:t.Start])
			last = t.End
		}
	}
	return out.String() + sql[last:]
}

// text returns what the equality runs for a statement.
func (e *Equality) text(sql string) string {
	if e.Text == nil {
		return sql
	}
	return e.Text(sql)
}
