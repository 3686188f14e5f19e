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
	name         string // as tables and figures head it
	shows        string // one line of help
	about        string // part of the fingerprint, so it keeps its first wording when shows changes
	suite        bool   // judge on every database of the suite, not on the original alone
	keepDistinct bool
	plugValue    bool // try the gold query's literals in the prediction's place
	family       *family
	make         func(metric, Options) metrics.Metric // what judges with these settings; nil means the metric itself
	advisory     bool
}

// family is what metrics of one evaluator have in common.
type family struct {
	name       string
	gold, pred func(sql string, s *settings) string // the text that is run
	ordered    func(gold string) bool               // whether the order of rows counts; gold is the text that is run
	ties       bool                                 // grade needs the ties of an ordered gold query
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
	ordered: never, // the comparator compares rows in order in any case
}

func asWritten(sql string, _ *settings) string { return sql }

func never(string) bool { return false }

// orders reports whether the statement itself has an ORDER BY: one outside all parentheses.
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
	{id: "ts", name: "TS", shows: "test-suite accuracy: the Spider comparator on every database of the suite",
		about: "test-suite evaluator on every database of the suite", family: spider, suite: true},
	{id: "ex", name: "EX", shows: "execution accuracy: the Spider comparator on the item's own database",
		about: "test-suite evaluator on the original database", family: spider},
	{id: "ex-bird", name: "EX (BIRD)", shows: "execution accuracy as BIRD counts it: sets of rows",
		about: "BIRD evaluator's EX", family: bird},
	{id: "soft-f1", name: "Soft F1", shows: "BIRD's soft F1",
		about: "BIRD mini-dev evaluator's soft F1", family: softF1},
	{id: "ex-spider18", name: "EX (Spider18)", shows: "execution match of Spider's first evaluator: columns by what the select list names",
		about: "Spider's first evaluator: columns by what the select list names", family: columns, make: newSpider18},
	{id: "ves", name: "VES", shows: "BIRD's valid efficiency score; measures the machine too, so it is advisory",
		about: "BIRD's valid efficiency score: sqrt(gold time / prediction time)", family: bird, make: newVES(math.Sqrt), advisory: true},
	{id: "r-ves", name: "R-VES", shows: "BIRD's reward-based efficiency score; advisory, as ves",
		about: "BIRD mini-dev evaluator's reward-based VES: sqrt(reward)", family: bird, advisory: true,
		make: newVES(func(ratio float64) float64 { return math.Sqrt(reward(ratio)) })},
	{id: "ex-keep-distinct", name: "EX (keep distinct)", shows: "ex, with DISTINCT left in place",
		about: "ex with DISTINCT left in", family: spider, keepDistinct: true},
	{id: "ts-keep-distinct", name: "TS (keep distinct)", shows: "ts, with DISTINCT left in place",
		about: "ts with DISTINCT left in", family: spider, keepDistinct: true, suite: true},
	{id: "ex-plug-value", name: "EX (plug value)", shows: "ex, with the gold's values plugged in",
		about: "ex with the gold's literals plugged in", family: spider, plugValue: true},
	{id: "ts-plug-value", name: "TS (plug value)", shows: "ts, with the gold's values plugged in",
		about: "ts with the gold's literals plugged in", family: spider, plugValue: true, suite: true},
	{id: "ex-keep-distinct-plug-value", name: "EX (keep distinct, plug value)", shows: "ex, with DISTINCT left in place and the gold's values plugged in",
		about: "ex with DISTINCT left in and the gold's literals plugged in", family: spider, keepDistinct: true, plugValue: true},
	{id: "ts-keep-distinct-plug-value", name: "TS (keep distinct, plug value)", shows: "ts, with DISTINCT left in place and the gold's values plugged in",
		about: "ts with DISTINCT left in and the gold's literals plugged in", family: spider, keepDistinct: true, plugValue: true, suite: true},
	{id: "ex-strict", name: "EX (strict)", shows: "execution accuracy as we think right: columns in any order, ties too, duplicates count, reals to nine digits",
		about: "rows as often, in the gold's order but for ties, columns in any order, reals to nine digits", family: strict},
	{id: "ts-strict", name: "TS (strict)", shows: "ex-strict on every database of the suite",
		about: "ex-strict on every database of the suite", family: strict, suite: true},
}

// Advisory reports whether the metric with this id measures the machine as well as the prediction: its values differ
// from run to run, so they belong in a table of their own and decide nothing.
func Advisory(id string) bool {
	return slices.ContainsFunc(table, func(s settings) bool { return s.id == id && s.advisory })
}

// Suite reports whether the metric with this id judges on every database of a test suite.
func Suite(id string) bool {
	return slices.ContainsFunc(table, func(s settings) bool { return s.id == id && s.suite })
}

// Single returns the metric with the same comparator on the item's own database alone, which a metric over a test suite
// is where there is no suite; of any other metric the id itself.
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

// TestSuite returns the metric that judges as the test-suite evaluator does with these switches, on every database of a suite.
func TestSuite(keepDistinct, plugValue bool) string {
	same := func(s settings) bool {
		return s.suite && s.family == spider && s.keepDistinct == keepDistinct && s.plugValue == plugValue
	}
	return table[slices.IndexFunc(table, same)].id
}

// Suited returns the metric with the same comparator over a test suite; "" where there is none.
func Suited(id string) string {
	for _, s := range table {
		if s.suite && Single(s.id) == id {
			return s.id
		}
	}
	return ""
}

// Rows returns the metrics New makes, in the order of the table.
func Rows() []metrics.Row {
	out := make([]metrics.Row, len(table))
	for i, s := range table {
		out[i] = metrics.Row{ID: s.id, Shows: s.shows, Name: s.name}
	}
	return out
}
