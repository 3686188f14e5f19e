package execution

import (
	"math"
	"slices"

	"assay/metrics"
	"assay/metrics/rows"
	"assay/prompting/sql/engine"

	"assay/prompting/sql/tree"
)

// settings is one metric of this package.
type settings struct {
	id           string
	about        string // for a person, and in the fingerprint
	suite        bool   // judge on every database of the suite, not on the original alone
	keepDistinct bool
	plugValue    bool // try the gold's literals in the prediction's place
	family       *family
	make         func(metric, Options) metrics.Metric // what judges with these settings; nil means the metric itself
	advisory     bool
}

// family is what metrics of one evaluator have in common.
type family struct {
	name       string
	gold, pred func(sql string, s *settings) string // the text that is run
	ordered    func(gold string) bool               // whether the order of rows counts; gold is the text that is run
	ties       bool                                 // ties of an ordered gold are told, for grade
	grade      func(gold, pred *engine.Result, o order) (float64, rows.Verdict)
}

var spider = &family{
	name:    "spider-result-eq",
	gold:    func(sql string, s *settings) string { return spiderGold(sql, s.keepDistinct) },
	pred:    func(sql string, s *settings) string { return spiderPrediction(sql, s.keepDistinct) },
	ordered: mentionsOrder,
	grade:   pass(rows.Spider),
}

// pass grades 1 where results are equal, and otherwise 0.
func pass(equality func(gold, pred *engine.Result, ordered bool) rows.Verdict) func(gold, pred *engine.Result, o order) (float64, rows.Verdict) {
	return func(gold, pred *engine.Result, o order) (float64, rows.Verdict) {
		v := equality(gold, pred, o.ordered)
		if v.Equal {
			return 1, v
		}
		return 0, v
	}
}

var bird = &family{
	name:    "bird-set-of-rows",
	gold:    asWritten,
	pred:    asWritten,
	ordered: never,
	grade: pass(func(gold, pred *engine.Result, _ bool) rows.Verdict {
		return rows.BIRD(gold, pred)
	}),
}

var softF1 = &family{
	name:    "bird-soft-f1",
	gold:    asWritten,
	pred:    asWritten,
	ordered: never,
	grade: func(gold, pred *engine.Result, _ order) (float64, rows.Verdict) {
		return rows.SoftF1(gold, pred)
	},
}

var columns = &family{
	name:    "spider18-columns-by-name",
	gold:    asWritten,
	pred:    asWritten,
	ordered: never, // rows are held against each other in their order in any case
}

func asWritten(sql string, _ *settings) string { return sql }

func never(string) bool { return false }

// orders tells whether the statement itself has an ORDER BY: one outside all parentheses.
func orders(sql string) bool {
	depth := 0
	for _, t := range tree.Tokens(sql) {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Keyword == "ORDER":
			return true
		}
	}
	return false
}

// table is every metric of this package.
var table = []settings{
	{id: "ex", about: "test-suite evaluator on the original database", family: spider},
	{id: "ts", about: "test-suite evaluator on every database of the suite", family: spider, suite: true},
	{id: "ex-keep-distinct", about: "ex with DISTINCT left in", family: spider, keepDistinct: true},
	{id: "ts-keep-distinct", about: "ts with DISTINCT left in", family: spider, keepDistinct: true, suite: true},
	{id: "ex-plug-value", about: "ex with the gold's literals plugged in", family: spider, plugValue: true},
	{id: "ts-plug-value", about: "ts with the gold's literals plugged in", family: spider, plugValue: true, suite: true},
	{id: "ex-strict", about: "rows as often, in the gold's order but for ties, columns in any order, reals to nine digits", family: strict},
	{id: "ts-strict", about: "ex-strict on every database of the suite", family: strict, suite: true},
	{id: "ex-bird", about: "BIRD evaluator's EX", family: bird},
	{id: "soft-f1", about: "BIRD mini-dev evaluator's soft F1", family: softF1},
	{id: "ex-spider18", about: "Spider's first evaluator: columns by what the select list names", family: columns, make: newSpider18},
	{id: "ves", about: "BIRD's valid efficiency score: sqrt(gold time / prediction time)", family: bird, make: newVES(math.Sqrt), advisory: true},
	{id: "r-ves", about: "BIRD mini-dev evaluator's reward-based VES: sqrt(reward)", family: bird, advisory: true,
		make: newVES(func(ratio float64) float64 { return math.Sqrt(reward(ratio)) })},
}

// Advisory tells whether the metric with this id measures the machine as well as the prediction: its values differ
// from run to run, so they belong in a table of their own and decide nothing.
func Advisory(id string) bool {
	return slices.ContainsFunc(table, func(s settings) bool { return s.id == id && s.advisory })
}

// Suite tells whether the metric with this id judges on every database of a test suite.
func Suite(id string) bool {
	return slices.ContainsFunc(table, func(s settings) bool { return s.id == id && s.suite })
}

// Single is the metric with the same comparator on the item's own database alone, which a metric over a test suite is
// where there is no suite; of any other metric the id itself.
func Single(id string) string {
	at := slices.IndexFunc(table, func(s settings) bool { return s.id == id && s.suite })
	if at < 0 {
		return id
	}
	m := table[at]
	alone := func(s settings) bool {
		return !s.suite && s.make == nil && s.family == m.family && s.keepDistinct == m.keepDistinct && s.plugValue == m.plugValue
	}
	return table[slices.IndexFunc(table, alone)].id
}

// IDs are the metrics New makes, in the order of the table.
func IDs() []string {
	ids := make([]string, len(table))
	for i, s := range table {
		ids[i] = s.id
	}
	return ids
}
