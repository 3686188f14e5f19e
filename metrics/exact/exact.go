// Package exact judges SQL by its clauses: Spider's exact set match and hardness.
//
// A query is split into words by the rules of an English tokenizer (tokens.go), parsed by Spider's own grammar
// (spiderparse.go), which is smaller than SQLite's, rewritten without values and with foreign-key columns unified
// (rebuild.go), and compared clause by clause (match.go). Hardness counts the clauses of the parsed query
// (hardness.go). A text that is too large for a statement is refused before the first of these steps.
//
// The package reproduces the official evaluator, and must never correct it: a query that its grammar refuses gets a
// different score, so even its errors are part of the metric. No database is opened.
package exact

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"assay/metrics"
	"assay/prompting/sql/schema"
)

// errGold says that the gold query is outside Spider's grammar, where the official evaluator stops.
var errGold = errors.New("the gold query is outside the grammar of exact set match")

// Options choose the evaluator to agree with. The zero value is the test-suite evaluator (test-suite-sql-eval).
type Options struct {
	// KeepValue leaves the letters "value" in a prediction. The test-suite evaluator makes them "1", column names
	// and all, before it looks at anything.
	KeepValue bool
}

// Metric is exact set match: 1 where the clauses of prediction and gold agree as sets, else 0. Values, DISTINCT, the
// number of LIMIT, join conditions and the grouping of AND and OR do not count. The official evaluators take the names
// of a case's Schema from the database file, and the foreign keys from the data set's tables.json. A Schema must not
// change once it has been used.
type Metric struct {
	opts  Options
	known sync.Map // *schema.Database -> *prepared
}

var _ metrics.Metric = (*Metric)(nil)

// New makes the metric.
func New(o Options) *Metric { return &Metric{opts: o} }

// Row is the metric's name and help.
var Row = metrics.Row{ID: "em", Shows: "exact set match", Name: "EM"}

// ID is that of Row.
func (m *Metric) ID() string { return Row.ID }

// Fingerprint implements metrics.Metric.
func (m *Metric) Fingerprint() string {
	return fmt.Sprintf("em: spider exact set match, no values, no distinct, foreign keys alike, keep value=%t, version 1",
		m.opts.KeepValue)
}

// Score judges a case by its SQL and Schema; no database is opened. A prediction outside the grammar is wrong, a gold
// query outside it is a GoldError. The error is for a cancelled context or a case without a schema.
func (m *Metric) Score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	if err := ctx.Err(); err != nil {
		return metrics.Score{}, fmt.Errorf("exact: score %q: %w", c.Item, err)
	}
	if c.Schema == nil {
		return metrics.Score{}, fmt.Errorf("exact: score %q: no schema", c.Item)
	}
	match, err := m.Match(c.Predicted, c.Gold, c.Schema)
	if err != nil {
		return metrics.Score{Status: metrics.GoldError, Why: err.Error()}, nil
	}
	s := metrics.Score{Status: metrics.Wrong, Why: match.Why(), Warnings: m.warnings(c.Predicted)}
	if match.Exact {
		s.Status, s.Value = metrics.Correct, 1
	}
	if strings.TrimSpace(c.Predicted) == "" {
		s.Status = metrics.NoSQL
	}
	return s, nil
}

// warnings returns a warning where the official evaluator's substitution of "value" may change the verdict.
func (m *Metric) warnings(predicted string) []string {
	if m.opts.KeepValue || !strings.Contains(predicted, "value") {
		return nil
	}
	return []string{`the official evaluator reads "value" in the prediction as "1"`}
}

// Match judges a prediction part by part. A prediction outside the grammar is compared as an empty query. The error
// wraps errGold.
func (m *Metric) Match(predicted, gold string, s *schema.Database) (Match, error) {
	p := m.prepare(s)
	g := p.gold(gold)
	if g.err != nil {
		return Match{}, fmt.Errorf("exact: match: %w: %w", errGold, g.err)
	}
	if !m.opts.KeepValue {
		predicted = strings.ReplaceAll(predicted, "value", "1")
	}
	q := g
	if predicted != gold {
		q = p.read(predicted)
	}
	if q.err != nil {
		q.rewritten = p.rewrite(&query{})
	}
	match := compare(q.rewritten, g.rewritten)
	match.Parsed = q.err == nil
	if q.err != nil {
		match.Refusal = q.err.Error()
	}
	return match, nil
}

// Hardness is the package's Hardness of a gold query that the metric also judges by: the query is parsed once for both.
func (m *Metric) Hardness(gold string, s *schema.Database) (string, error) {
	if g := m.prepare(s).gold(gold); g.err == nil {
		return level(g.query), nil
	}
	return Hardness(gold, s)
}

// Why returns the first difference in one line, empty for an exact match.
func (m Match) Why() string {
	if !m.Parsed {
		return "outside the grammar of exact set match: " + m.Refusal
	}
	var parts []string
	for i, ok := range m.Parts {
		if !ok {
			parts = append(parts, Part(i).String())
		}
	}
	if !m.Tables {
		parts = append(parts, "tables")
	}
	if len(parts) == 0 {
		return ""
	}
	return "differs in " + strings.Join(parts, ", ")
}

// prepared has what the metric derives from a schema, and the gold queries parsed with it.
type prepared struct {
	names       *names
	keys        map[string]string
	goldQueries sync.Map // SQL -> *parsed
}

// parsed is a query as the official evaluator parses it.
type parsed struct {
	query, rewritten *query
	err              error // why the query is outside the grammar
}

func (m *Metric) prepare(s *schema.Database) *prepared {
	if p, ok := m.known.Load(s); ok {
		return p.(*prepared)
	}
	p := &prepared{names: namesOf(s)}
	if s != nil {
		p.keys = keyMap(s)
	}
	m.known.Store(s, p)
	return p
}

func (p *prepared) read(sql string) *parsed {
	q, err := parse(sql, p.names)
	if err != nil {
		return &parsed{err: err}
	}
	return &parsed{query: q, rewritten: p.rewrite(q)}
}

// gold parses a gold query once for all predictions.
func (p *prepared) gold(sql string) *parsed {
	if r, ok := p.goldQueries.Load(sql); ok {
		return r.(*parsed)
	}
	r, _ := p.goldQueries.LoadOrStore(sql, p.read(sql))
	return r.(*parsed)
}

func (p *prepared) rewrite(q *query) *query {
	return columnsOf(q, p.keys).query(q.withoutValues())
}
