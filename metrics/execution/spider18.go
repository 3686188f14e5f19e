package execution

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/rows"
	"assay/prompting/sql/engine"
)

// The execution match of Spider's first evaluator (evaluation.py, eval_exec_match). It names the columns of a result
// after the values of the parsed select list, and wants the same names with the same values in the same rows on both
// sides. So columns may permute and rows may not, whatever the query says about order; a right query that selects
// something else fails even where both results are empty; and only the first column of SELECT * is looked at, and only
// the last of two values that have one name, as max(a) and min(a) do.
type spider18 struct {
	metric
	reader *exact.Metric
}

var _ metrics.Metric = (*spider18)(nil)

// errNoSchema is the caller's: the select lists cannot be read without the names of the database.
var errNoSchema = errors.New("no schema")

func newSpider18(m metric, _ Options) metrics.Metric {
	return &spider18{metric: m, reader: exact.New(exact.Options{KeepValue: true})}
}

// Score judges as the metrics of the table do. A gold query outside Spider's grammar is a gold-error, and a prediction
// outside it wrong.
func (m *spider18) Score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	if c.Schema == nil {
		return metrics.Score{}, fmt.Errorf("execution: score %q: %w", c.Item, errNoSchema)
	}
	gold, err := m.reader.SelectKeys(strings.TrimSpace(c.Gold), c.Schema)
	if err != nil {
		return metrics.Score{Status: metrics.GoldError, Why: "gold: outside the grammar of Spider's evaluator: " + err.Error()}, nil
	}
	judge, f := m.metric, *m.family
	f.grade = func(g, p *engine.Result, _ order) (float64, rows.Verdict) {
		pred, err := m.reader.SelectKeys(strings.TrimSpace(c.Predicted), c.Schema)
		if err != nil {
			return 0, rows.Verdict{Why: "outside the grammar of Spider's evaluator: " + err.Error()}
		}
		return byName(g, p, gold, pred)
	}
	judge.family = &f
	return judge.Score(ctx, c)
}

// byName grades two results whose columns have these names. The reference fails, and counts or stops, on text that is
// not UTF-8 and on a result with fewer columns than names; nothing is equal then.
func byName(gold, pred *engine.Result, goldNames, predNames []string) (float64, rows.Verdict) {
	g, whyG := columnsByName(gold, goldNames)
	p, whyP := columnsByName(pred, predNames)
	switch {
	case whyP != "":
		return 0, rows.Verdict{Why: "the prediction has " + whyP}
	case whyG != "":
		return 0, rows.Verdict{Why: "the gold query has " + whyG}
	case len(g) != len(p):
		return 0, rows.Verdict{Why: fmt.Sprintf("selects %d different values, the gold query %d", len(p), len(g))}
	}
	for i, name := range goldNames {
		if _, ok := p[name]; !ok {
			return 0, rows.Verdict{Why: fmt.Sprintf("does not select what is column %d of the gold result", i+1)}
		}
	}
	if len(gold.Rows) != len(pred.Rows) {
		return 0, rows.Verdict{Why: fmt.Sprintf("%d rows, the gold query has %d", len(pred.Rows), len(gold.Rows))}
	}
	for i := range gold.Rows {
		for _, name := range goldNames {
			if gold.Rows[i][g[name]].Canonical() != pred.Rows[i][p[name]].Canonical() {
				return 0, rows.Verdict{Why: fmt.Sprintf("row %d differs in column %d of the gold result", i+1, g[name]+1)}
			}
		}
	}
	return 1, rows.Verdict{Equal: true}
}

// columnsByName returns the place of each name, the last where one repeats; or why the reference does not get that far.
func columnsByName(r *engine.Result, names []string) (at map[string]int, why string) {
	for _, row := range r.Rows {
		for _, v := range row {
			if v.Kind() == engine.Text && !utf8.ValidString(v.Bytes()) {
				return nil, "text that is not UTF-8"
			}
		}
	}
	if len(r.Rows) > 0 && len(names) > len(r.Columns) {
		return nil, fmt.Sprintf("%d columns where Spider's grammar reads %d", len(r.Columns), len(names))
	}
	at = make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at, ""
}
