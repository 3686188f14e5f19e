package execution

import (
	"assay/metrics/rows"
	"assay/prompting/sandbox"
)

// settings is one metric of this package.
type settings struct {
	id           string
	about        string // for a person, and in the fingerprint
	suite        bool   // judge on every database of the suite, not on the original alone
	keepDistinct bool
	family       *family
}

// family is what metrics of one evaluator have in common.
type family struct {
	name       string
	gold, pred func(sql string, s *settings) string // the text that is run
	ordered    func(gold string) bool               // whether the order of rows counts; gold is the text that is run
	grade      func(gold, pred *sandbox.Result, ordered bool) (float64, rows.Verdict)
}

var spider = &family{
	name:    "spider-result-eq",
	gold:    func(sql string, s *settings) string { return spiderGold(sql, s.keepDistinct) },
	pred:    func(sql string, s *settings) string { return spiderPrediction(sql, s.keepDistinct) },
	ordered: mentionsOrder,
	grade:   pass(rows.Spider),
}

// pass grades 1 where results are equal, and otherwise 0.
func pass(equality func(gold, pred *sandbox.Result, ordered bool) rows.Verdict) func(gold, pred *sandbox.Result, ordered bool) (float64, rows.Verdict) {
	return func(gold, pred *sandbox.Result, ordered bool) (float64, rows.Verdict) {
		v := equality(gold, pred, ordered)
		if v.Equal {
			return 1, v
		}
		return 0, v
	}
}

// table is every metric of this package.
var table = []settings{
	{id: "ex", about: "test-suite evaluator on the original database, DISTINCT dropped", family: spider},
	{id: "ts", about: "test-suite evaluator on every database of the suite, DISTINCT dropped", family: spider, suite: true},
}

// IDs are the metrics New makes, in the order of the table.
func IDs() []string {
	ids := make([]string, len(table))
	for i, s := range table {
		ids[i] = s.id
	}
	return ids
}
