// Package judge scores cases by programs of the user's.
//
// A [Metric] runs a case's gold query and its prediction, gives their texts and results to a program as a line of JSON, and
// takes the score and its reason from the line that the program answers ([assay/prompting/process]). What was scored once
// is remembered, in the process and in the user's cache, by the content of the question and the identity of the program. A
// program that fails, or answers anything but a score from 0 to 1, ends the run with an error: a failure must never become a
// score. A case without SQL, or whose SQL fails, is scored without asking, and the program never learns which arm or model
// wrote the prediction.
package judge

import (
	"context"
	"fmt"
	"strings"

	"assay/metrics"
	"assay/metrics/execution"
	"assay/prompting/process"
	"assay/prompting/sql/sandbox"
)

// Options say which program scores, and what it is shown.
type Options struct {
	ID       string
	Program  process.Options
	Identity string // all that decides the program's scores: its command line, version, sources and environment
	Rows     bool   // the program compares results; false: texts alone, whether they run or not
	Allowed  bool   // the user lets the experiment's programs run

	Box     *sandbox.Box
	Results *execution.Cache
	Folder  string // where scores are kept from run to run; empty: they are not
}

// Metric is a program that scores. It is safe for concurrent use.
type Metric struct {
	o    Options
	pool *process.Pool
	kept *kept
}

var _ metrics.Metric = (*Metric)(nil)

// New returns the metric. No program runs before the first case.
func New(o Options) *Metric {
	m := &Metric{o: o, pool: process.New(o.Program)}
	m.kept = open(o.Folder, m.Fingerprint())
	return m
}

// ID returns the id that the experiment gave it.
func (m *Metric) ID() string { return m.o.ID }

// Fingerprint names the program and, where it is shown results, what those depend on.
func (m *Metric) Fingerprint() string {
	text := fmt.Sprintf("%s: program %s; results=%t", m.o.ID, m.o.Identity, m.o.Rows)
	if m.o.Rows {
		text += "; " + execution.Conditions(m.o.Box)
	}
	return text
}

// Close ends the programs and keeps the scores.
func (m *Metric) Close() error {
	m.pool.Close()
	return m.kept.close()
}

// Score asks the program, unless the case's status or an earlier answer says the score.
func (m *Metric) Score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	score, err := m.score(ctx, c)
	if err != nil {
		return metrics.Score{}, fmt.Errorf("judge: score %q by metric %q: %w", c.Item, m.o.ID, err)
	}
	return score, nil
}

func (m *Metric) score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	q := question{Item: c.Item, DB: c.DB, Question: c.Question, Evidence: c.Evidence, Gold: c.Gold, Predicted: c.Predicted}
	var warnings []string
	if m.o.Rows {
		gold, predicted, verdict, err := m.o.Results.Results(ctx, m.o.Box, c)
		if err != nil {
			return metrics.Score{}, err
		}
		if verdict != nil {
			return *verdict, nil
		}
		if q.GoldRows, q.PredictedRows = shown(gold), shown(predicted); q.GoldRows.Truncated || q.PredictedRows.Truncated {
			warnings = append(warnings, "the metric's program saw the beginning of a long result alone")
		}
		if len(gold.Rows) == 0 {
			warnings = append(warnings, "the gold returns no rows")
		}
	} else if strings.TrimSpace(c.Predicted) == "" {
		return metrics.Score{Status: metrics.NoSQL, Why: "no SQL"}, nil
	}
	a, err := m.answer(ctx, q, c)
	if err != nil {
		return metrics.Score{}, err
	}
	s := metrics.Score{Value: a.Score, Status: metrics.Wrong, Why: a.Why}
	if a.Score == 1 {
		s.Status = metrics.Correct
	}
	if a.Score > 0 {
		s.Warnings = warnings
	}
	return s, nil
}

// answer returns what the program says, or said before to the same question.
func (m *Metric) answer(ctx context.Context, q question, c metrics.Case) (answer, error) {
	key, err := q.key(c)
	if err != nil {
		return answer{}, err
	}
	return m.kept.get(ctx, key, func() (a answer, err error) {
		if !m.o.Allowed {
			return a, fmt.Errorf("it runs the command %q in %q: allow the commands of experiments that you trust by --allow-commands or ASSAY_ALLOW_COMMANDS=1",
				process.CommandLine(m.o.Program.Argv), m.o.Program.Dir)
		}
		err = m.pool.Do(ctx, func(p *process.Process) error {
			text, err := p.Ask(ctx, q)
			if err != nil {
				return err
			}
			var cause string
			if a, cause = parse(text, q.Item); cause != "" {
				return p.Refuse(text, cause)
			}
			return nil
		})
		return a, err
	})
}
