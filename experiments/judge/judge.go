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
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/prompting/process"
	"assay/prompting/sql/sandbox"
)

// Options say what a metric's programs may use.
type Options struct {
	Box     *sandbox.Box
	Results *execution.Cache
	Folder  string // where scores are kept from run to run; empty: they are not
	Workers int    // programs at once; below 1: one
	Allowed bool   // programs may be started; otherwise a case that no earlier answer scores is an error
}

// Metric is a program that scores. It is safe for concurrent use.
type Metric struct {
	own      configs.Metric
	o        Options
	identity string
	sources  map[string][]byte
	pool     *process.Pool
	log      *process.Log
	kept     *kept
}

var _ metrics.Metric = (*Metric)(nil)

// New returns the metric that an experiment defines. It reads the program's sources and, where the program says when it is ready
// and may be started, starts it to learn its version.
func New(ctx context.Context, own configs.Metric, o Options) (*Metric, error) {
	m := &Metric{own: own, o: o, log: &process.Log{}}
	programs := process.Of(own.Program)
	programs.Max, programs.Stderr = o.Workers, m.log
	m.pool = process.New(programs)
	var err error
	if m.identity, err = m.identify(ctx); err != nil {
		m.pool.Close()
		return nil, fmt.Errorf("judge: metric %q: %w", own.ID, err)
	}
	m.kept = open(o.Folder, m.Fingerprint())
	return m, nil
}

// identify returns all that decides the program's scores, without the places of files.
func (m *Metric) identify(ctx context.Context) (string, error) {
	argv := slices.Clone(m.own.Command)
	for i, word := range argv {
		if filepath.IsAbs(word) {
			argv[i] = filepath.Base(word)
		}
	}
	text := process.CommandLine(argv)
	files, err := m.own.Files(configs.MostSources)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	m.sources = map[string][]byte{}
	for _, f := range files {
		m.sources[f.Name] = f.Text
		fmt.Fprintf(h, "%q %x\n", f.Name, sha256.Sum256(f.Text))
	}
	if len(files) > 0 {
		text += " files=" + hex.EncodeToString(h.Sum(nil)[:8])
	}
	for _, name := range slices.Sorted(maps.Keys(m.own.Env)) {
		text += fmt.Sprintf(" %s=%q", name, m.own.Env[name])
	}
	if !m.o.Allowed {
		return text, nil
	}
	version, err := m.pool.Version(ctx)
	if version != "" {
		text += fmt.Sprintf(" version=%q", version)
	}
	return text, err
}

// Sources returns the files that identify the program, by name: the words of the command that name files, and its sources.
func (m *Metric) Sources() map[string][]byte { return m.sources }

// Refusal returns the error about the program where it may not be started; nil where it may.
func (m *Metric) Refusal() error {
	if m.o.Allowed {
		return nil
	}
	return fmt.Errorf("judge: metric %q: %w", m.own.ID, process.Refusal(m.own.Program))
}

// LogTo passes on what the programs wrote to standard error, and what they will write; open is called once there is something.
func (m *Metric) LogTo(open func() (io.Writer, error)) { m.log.To(open) }

// ID returns the id that the experiment gave it.
func (m *Metric) ID() string { return m.own.ID }

// Fingerprint names the program and, where it is shown results, what those depend on.
func (m *Metric) Fingerprint() string {
	text := fmt.Sprintf("%s: program %s; results=%t", m.own.ID, m.identity, m.own.Results)
	if m.own.Results {
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
		return metrics.Score{}, fmt.Errorf("judge: score %q by metric %q: %w", c.Item, m.own.ID, err)
	}
	return score, nil
}

func (m *Metric) score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	q := question{Item: c.Item, DB: c.DB, Question: c.Question, Evidence: c.Evidence, Gold: c.Gold, Predicted: c.Predicted}
	var warnings []string
	if m.own.Results {
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
			warnings = append(warnings, "the gold query returns no rows")
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
			return a, process.Refusal(m.own.Program)
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
