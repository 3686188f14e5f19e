// Package summary sums up the scores of a run's answers: by an axis of its items, with intervals, and by status.
//
// Package runner scores a plan and passes on each answer; [Answers] gathers them in the order of the dataset, and they are
// summed up once per axis. Nothing here may score an answer or run a query: two scorers would drift apart.
package summary

import (
	"fmt"
	"io"
	"math"
	"slices"

	"assay/experiments/axes"
	"assay/experiments/plan"
	"assay/experiments/record"
	"assay/experiments/runner"
	"assay/metrics"
	"assay/metrics/execution"
	"assay/metrics/spreadsheet"
	"assay/metrics/stats"
)

// confidence of the intervals of a Summary.
const confidence = 0.95

// Answers are the scored answers of a plan with one arm and one seed.
type Answers struct {
	Plan *plan.Plan
	Rows []runner.Scored // one per item, in the dataset's order
}

// Add adds an answer; runner.Score calls it.
func (a *Answers) Add(s runner.Scored) { a.Rows = append(a.Rows, s) }

// Summary is the scores of answers by group, and the statuses of the items.
type Summary struct {
	Leveling string          // the axis: "hardness", or "difficulty" where the items have BIRD's labels, unless the caller names another
	Metrics  []string        // ids
	Heads    []string        // the ids as column headings: a metric over test suites that no item has also shows its single-database form
	Levels   []Level         // those that items have, in the axis's order; then all of them
	Statuses []Status        // those that occur
	Doubts   []metrics.Doubt // warnings on scores, which they do not change, the most frequent first
}

// Level is the items of one group of the axis.
type Level struct {
	Name   string // "all" for every item
	Items  int
	Scores []Score // one per metric
}

// Score is a metric's mean over the items that it scored.
type Score struct {
	Scored      int
	Mean        float64 // 0 to 1 (ves: see the metric); NaN where nothing is scored
	Low, High   float64 // see stats.Share: Wilson's of 0/1 scores
	HasInterval bool    // false for a metric that can exceed 1, and where nothing is scored
	units       []stats.Unit
	aboveOne    bool
}

// Status is how many items have a status, under each metric.
type Status struct {
	Status metrics.Status
	Items  []int
}

// Summary sums the rows up by hardness, or by difficulty where the items have it: against the gold queries with overrides, or
// as given.
func (a *Answers) Summary(before bool) Summary {
	if slices.ContainsFunc(a.Rows, func(r runner.Scored) bool { return r.Example.Difficulty != "" }) {
		return a.SummaryBy(axes.Difficulty, before)
	}
	return a.SummaryBy(axes.Hardness, before)
}

// labels returns the rows' values on an axis. It parses gold queries only for an axis that needs them.
func (a *Answers) labels(axis axes.Axis) []axes.Labels {
	out := make([]axes.Labels, len(a.Rows))
	for i := range a.Rows {
		x := &a.Rows[i].Example
		out[i] = axes.Labels{DB: x.Question.DB, Hardness: x.Hardness, Difficulty: x.Difficulty}
		if axis.Feature {
			out[i].Features = axes.Features(a.Rows[i].Gold())
		}
	}
	return out
}

// heads is a summary with the metrics' ids and column headings alone.
func (a *Answers) heads() (s Summary) {
	for _, c := range a.Plan.Overrides.Columns(a.Plan.Metrics, a.Plan.Set.Examples)[:len(a.Plan.Metrics)] {
		head := c.ID
		if c.NoSuite == record.AllItems {
			head += " = " + execution.Single(c.ID) + " (no suite)"
		}
		s.Metrics, s.Heads = append(s.Metrics, c.ID), append(s.Heads, head)
	}
	return s
}

// SummaryBy is Summary by any axis. Features are those of the corrected gold query where there is one, for scores without
// overrides too, so that both summaries have the same groups.
func (a *Answers) SummaryBy(axis axes.Axis, before bool) Summary {
	s := a.heads()
	s.Leveling = axis.Name
	labels := a.labels(axis)
	levels := map[string]*Level{}
	all := &Level{Name: "all", Scores: make([]Score, len(a.Plan.Metrics))}
	statuses := map[metrics.Status][]int{}
	doubts := map[metrics.Doubt]int{}
	for i := range a.Rows {
		scores, name := a.Rows[i].Scores, axis.Group(labels[i])
		if before {
			scores = a.Rows[i].Given
		}
		if levels[name] == nil {
			levels[name] = &Level{Name: name, Scores: make([]Score, len(a.Plan.Metrics))}
		}
		levels[name].add(scores)
		all.add(scores)
		for m, x := range scores {
			if statuses[x.Status] == nil {
				statuses[x.Status] = make([]int, len(a.Plan.Metrics))
			}
			statuses[x.Status][m]++
			for _, w := range x.Warnings {
				doubts[metrics.DoubtOf(s.Metrics[m], w)]++
			}
		}
	}
	for _, name := range axis.Groups(labels) {
		levels[name].finish()
		s.Levels = append(s.Levels, *levels[name])
	}
	all.finish()
	s.Levels = append(s.Levels, *all)
	for _, st := range metrics.Statuses {
		if n := statuses[st]; n != nil {
			s.Statuses = append(s.Statuses, Status{st, n})
		}
	}
	s.Doubts = metrics.Doubts(doubts)
	return s
}

func (l *Level) add(scores []metrics.Score) {
	l.Items++
	for m, x := range scores {
		if !x.Status.Scored() {
			continue
		}
		s := &l.Scores[m]
		s.Scored++
		s.units = append(s.units, stats.Unit{Mean: x.Value, Weight: 1})
		s.aboveOne = s.aboveOne || x.Value > 1
	}
}

func (l *Level) finish() {
	for m := range l.Scores {
		s := &l.Scores[m]
		if s.Mean = math.NaN(); s.Scored == 0 {
			continue
		}
		sum := 0.0
		for _, u := range s.units {
			sum += u.Mean
		}
		s.Mean = sum / float64(s.Scored)
		if s.aboveOne {
			continue
		}
		i := stats.Share(s.units, confidence)
		s.Low, s.High, s.HasInterval = i.Low, i.High, true
	}
}

// WriteItems writes one record per item, in the dataset's order: item, db, hardness, difficulty, status (of the first
// metric), and the value of each metric, empty where it has none.
func (a *Answers) WriteItems(w io.Writer) error {
	out := spreadsheet.NewWriter(w)
	line := []string{"item", "db", "hardness", "difficulty", "status"}
	for _, m := range a.Plan.Metrics {
		line = append(line, m.ID())
	}
	if err := out.Write(line); err != nil {
		return fmt.Errorf("summary: write items: %w", err)
	}
	for i := range a.Rows {
		r := &a.Rows[i]
		x := &r.Example
		line = append(line[:0], x.Question.ID, x.Question.DB, x.Hardness, x.Difficulty, string(r.Scores[0].Status))
		for _, s := range r.Scores {
			line = append(line, record.ValueOf(s).String())
		}
		if err := out.Write(line); err != nil {
			return fmt.Errorf("summary: write items: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("summary: write items: %w", err)
	}
	return nil
}
