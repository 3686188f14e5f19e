package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/configs/output"
	"assay/experiments/axes"
	"assay/experiments/predictions"
	"assay/experiments/runner"
	"assay/experiments/summary"
	"assay/metrics/execution"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

// evaluation holds the scored answers, and how long loading and scoring took.
type evaluation struct {
	summary.Answers
	places           []predictions.Place // of the items in their interactions; nil where there are none
	loading, scoring time.Duration
}

// byTurn returns the scores by turn; ok is false where the items are in no interactions.
func (e *evaluation) byTurn() (s summary.Summary, ok bool) {
	if len(e.places) == 0 {
		return s, false
	}
	return e.ByTurn(e.places), true
}

func (a *app) evalCmd() *cobra.Command {
	var p predicting
	var format, items string
	var by []string
	var parts bool
	c := &cobra.Command{
		Use:   "eval",
		Short: "Score a file of predicted SQL as the field's evaluators do, and faster",
		Long: `Score predictions against a dataset's gold queries: by hardness (BIRD: difficulty), with Wilson intervals, and with the
status of each item. Predictions are one SQL per line, in the dataset's order (a tab and the database's id may follow),
BIRD's JSON, or JSONL of {"id": ..., "candidates": [{"sql": ..., "source": ...}]}, of which the first candidate is
scored. A gold query that fails is counted and reported; it does not stop the evaluation. A gold file with a blank line
between interactions, as SParC's and CoSQL's have it, gives scores by turn and by interaction too. --pred also takes an
imported run: its answers are scored again, on its dataset and by its metrics unless a flag says otherwise.

The official evaluators' own command lines are taken by assay eval-spider and assay eval-bird.`,
		Example: "  assay eval --dataset spider --data spider --pred predicted.txt\n  assay eval --dataset bird --data bird --split mini_dev \\\n    --pred predict.json --items verdicts.csv",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				format = "json"
			}
			if !slices.Contains([]string{"text", "csv", "json"}, format) {
				return usageError{fmt.Errorf("--format %q: want text, csv or json", format)}
			}
			breakdown, err := axes.FindAll(by)
			if err != nil {
				return usageError{fmt.Errorf("--by: %w", err)}
			}
			begin := time.Now()
			// Names: eval stores nothing, so that it loads only what metrics read.
			o := a.planned()
			o.Names = true
			made, err := p.plan(cmd.Context(), a, "eval", o)
			if err != nil {
				return err
			}
			defer made.Close()
			e := &evaluation{Answers: summary.Answers{Plan: made}, places: p.places, loading: time.Since(begin)}
			if err := runner.Score(cmd.Context(), made, e.Add); err != nil {
				return err
			}
			e.scoring = time.Since(begin) - e.loading
			if items != "" {
				if err := output.Write(cmd.Context(), items, a.out, e.WriteItems); err != nil || output.IsStandard(items) {
					return err
				}
			}
			return a.printEval(e, breakdown, parts, format)
		},
	}
	p.register(c)
	a.allows(c)
	a.answerOfficial(c)
	c.Flags().StringVar(&format, "format", "text", "text, csv or json")
	c.Flags().StringSliceVar(&by, "by", nil, "axes to break the scores down by, one table per axis: "+axisNames()+" (default hardness; bird: difficulty)")
	c.Flags().StringVar(&items, "items", "", "`FILE` to write every item's verdicts to, as CSV; - is the standard output, without the tables")
	c.Flags().BoolVar(&parts, "parts", false, "accuracy, recall and F1 of the parts of exact match too, by the first axis, as test-suite-sql-eval has them (text and json)")
	return c
}

// axisNames lists the axes for the help of a flag.
func axisNames() string {
	var names []string
	for _, x := range axes.List() {
		names = append(names, x.Name)
	}
	return strings.Join(names, ", ")
}

// summaries returns one summary per axis; without axes, one by the dataset's own labels. before asks for the scores without
// the overrides.
func summaries(e *evaluation, by []axes.Axis, before bool) []summary.Summary {
	if len(by) == 0 {
		return []summary.Summary{e.Summary(before)}
	}
	out := make([]summary.Summary, len(by))
	for i, x := range by {
		out[i] = e.SummaryBy(x, before)
	}
	return out
}

// printEval prints an evaluation as text tables, CSV or JSON. Text ends with the time that loading and scoring took.
func (a *app) printEval(e *evaluation, by []axes.Axis, withParts bool, format string) error {
	all := summaries(e, by, false)
	parts, err := partsOf(e, withParts, by, all)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return a.evalJSON(e, all, by, parts)
	case "csv":
		return evalCSV(all).WriteCSV(a.out)
	}
	for _, n := range e.Plan.Manifest.Warnings {
		a.note("warning: %s", n)
	}
	tables := evalTables(e, all, by)
	if parts != nil {
		tables = append(tables, emPartsTables(parts)...)
	}
	for _, t := range tables {
		if err := a.text(t); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	_, err = fmt.Fprintf(a.out, "%d items in %.2f s: %.2f s loading, %.2f s scoring\n", len(e.Rows),
		(e.loading + e.scoring).Seconds(), e.loading.Seconds(), e.scoring.Seconds())
	return err
}

// evalTables returns the scores by each axis, with and without overrides, the statuses, and the advisory scores by each
// axis. Advisory metrics have tables of their own, because they are not reproducible.
func evalTables(e *evaluation, all []summary.Summary, by []axes.Axis) (tables []*table.Table) {
	title := func(s summary.Summary, end string) string {
		return fmt.Sprintf("%s by %s, percent%s", e.Plan.Set.Name, s.Leveling, end)
	}
	with := ""
	if e.Plan.Overrides.Len() > 0 {
		for _, s := range summaries(e, by, true) {
			tables = append(tables, evalTable("before", title(s, ", without the overrides"), s, reproducible))
		}
		with = fmt.Sprintf(", with %d overrides", e.Plan.Overrides.Len())
	}
	for _, s := range all {
		tables = append(tables, evalTable("eval", title(s, with), s, reproducible))
	}
	last := tables[len(tables)-1]
	last.Notes = []string{"In brackets the 95 % Wilson interval. gold-error and model-error are not scored."}
	if s, ok := e.byTurn(); ok {
		t := evalTable("turns", title(s, with), s, reproducible)
		t.Notes = []string{"An interaction is right where each of its questions is."}
		tables = append(tables, t)
	}
	tables = append(tables, statusTable(all[0]))
	for _, s := range all {
		if t := evalTable("advisory", "Advisory: these depend on the machine", s, execution.Advisory); len(t.Columns) > 2 {
			tables = append(tables, t)
		}
	}
	return tables
}

// evalCSV returns the scores as one table. With several axes, a column before the group names the axis.
func evalCSV(all []summary.Summary) *table.Table {
	for i := range all {
		all[i].Heads = all[i].Metrics // programs find columns by metric id
	}
	t := evalTable("eval", "Scores by "+all[0].Leveling, all[0], anyMetric)
	if len(all) == 1 {
		return t
	}
	t.Columns = slices.Concat([]table.Column{{Name: "by", Key: true}, {Name: "group", Key: true}}, t.Columns[1:])
	t.Rows = nil
	for _, s := range all {
		for _, r := range evalTable("eval", "", s, anyMetric).Rows {
			t.Rows = append(t.Rows, append([]table.Cell{table.Text(s.Leveling)}, r...))
		}
	}
	return t
}

// anyMetric accepts every metric.
func anyMetric(string) bool { return true }

// reproducible reports whether a metric has the same value on every machine.
func reproducible(id string) bool { return !execution.Advisory(id) }

// evalTable has one row per level, and one column per metric that show accepts.
func evalTable(id, title string, s summary.Summary, show func(id string) bool) *table.Table {
	t := &table.Table{ID: id, Title: title, Columns: []table.Column{{Name: s.Leveling, Key: true}, {Name: "items", Align: table.Right}}}
	for i, m := range s.Metrics {
		if show(m) {
			t.Columns = append(t.Columns, table.Column{Name: s.Heads[i], Align: table.Right})
		}
	}
	for _, l := range s.Levels {
		row := []table.Cell{table.Text(l.Name), table.Count(l.Items)}
		for m, id := range s.Metrics {
			if show(id) {
				row = append(row, evalCell(l.Scores[m]))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// evalCell is a mean in percent with its interval; empty where no item was scored.
func evalCell(s summary.Score) table.Cell {
	if s.Scored == 0 {
		return table.Cell{}
	}
	return table.Measured(table.Number{Value: 100 * s.Mean, Low: 100 * s.Low, High: 100 * s.High, HasInterval: s.HasInterval, N: s.Scored, Decimals: 1})
}

// statusTable has one row per status, and one column per metric. It lists the first kinds of warnings as notes; a dataset
// can have dozens, which would push the table off the screen.
func statusTable(s summary.Summary) *table.Table {
	t := &table.Table{ID: "statuses", Title: "Status of the items", Columns: []table.Column{{Name: "status", Key: true}}}
	for _, m := range s.Heads {
		t.Columns = append(t.Columns, table.Column{Name: m, Align: table.Right})
	}
	for _, st := range s.Statuses {
		row := []table.Cell{table.Text(string(st.Status))}
		for _, n := range st.Items {
			row = append(row, table.Count(n))
		}
		t.Rows = append(t.Rows, row)
	}
	const shown = 6
	for i, d := range s.Doubts {
		if i == shown {
			t.Notes = append(t.Notes, fmt.Sprintf("And %d further kinds of warning.", len(s.Doubts)-shown))
			break
		}
		t.Notes = append(t.Notes, d.String())
	}
	return t
}

// evalScore is a score in JSON. A mean of no items is left out: JSON has no NaN.
type evalScore struct {
	Metric   string   `json:"metric"`
	Level    string   `json:"level"`
	Items    int      `json:"items"`
	Scored   int      `json:"scored"`
	Score    *float64 `json:"score,omitempty"` // 0 to 1
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Advisory bool     `json:"advisory,omitempty"`
}

// evalScores lists every metric's score in every level.
func evalScores(s summary.Summary) []evalScore {
	out := []evalScore{}
	for m, id := range s.Metrics {
		for _, l := range s.Levels {
			x := l.Scores[m]
			one := evalScore{Metric: id, Level: l.Name, Items: l.Items, Scored: x.Scored, Advisory: execution.Advisory(id)}
			if !math.IsNaN(x.Mean) {
				one.Score = &x.Mean
			}
			if x.HasInterval {
				one.Low, one.High = &x.Low, &x.High
			}
			out = append(out, one)
		}
	}
	return out
}

// evalBreakdowns lists the scores by each of several axes, for JSON.
func evalBreakdowns(all []summary.Summary) []any {
	var out []any
	for _, s := range all {
		out = append(out, map[string]any{"by": s.Leveling, "scores": evalScores(s)})
	}
	return out
}

// evalJSON prints the evaluation as one JSON object. The fingerprints of the metrics say which implementation scored.
func (a *app) evalJSON(e *evaluation, all []summary.Summary, by []axes.Axis, parts []summary.PartLevel) error {
	s := all[0]
	fingerprints, statuses := map[string]string{}, map[string]map[string]int{}
	for m, x := range e.Plan.Metrics {
		fingerprints[x.ID()] = x.Fingerprint()
		statuses[x.ID()] = map[string]int{}
		for _, st := range s.Statuses {
			if st.Items[m] > 0 {
				statuses[x.ID()][string(st.Status)] = st.Items[m]
			}
		}
	}
	out := map[string]any{"dataset": e.Plan.Set.Name, "items": len(e.Rows), "by": s.Leveling, "scores": evalScores(s),
		"statuses": statuses, "metrics": fingerprints, "warnings": orEmpty(e.Plan.Manifest.Warnings), "doubts": orEmpty(s.Doubts), "overrides": e.Plan.Overrides.Len(),
		"seconds": (e.loading + e.scoring).Seconds()}
	if len(all) > 1 {
		out["breakdowns"] = evalBreakdowns(all)
	}
	if s, ok := e.byTurn(); ok {
		out["turns"] = evalScores(s)
	}
	if parts != nil {
		out["parts"] = partsJSON(parts)
	}
	if e.Plan.Overrides.Len() > 0 {
		before := summaries(e, by, true)
		out["scores_without_overrides"] = evalScores(before[0])
		if len(all) > 1 {
			out["breakdowns_without_overrides"] = evalBreakdowns(before)
		}
	}
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", " ")
	return enc.Encode(out)
}

// orEmpty returns an empty list for nil, which JSON would write as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// nameOf makes a run's name from a file's name.
func nameOf(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return table.Slug(base, "-")
}
