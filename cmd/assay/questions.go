package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/dataset"
	"assay/experiments/predictions"
	"assay/metrics"
	"assay/metrics/goldcheck"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

func (a *app) questionsCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "questions",
		Short: "Look after a file of your own questions",
		Long:  "Look after a file of your own questions, such as assay init writes.",
	}
	c.AddCommand(a.questionsCheckCmd())
	return c
}

func (a *app) questionsCheckCmd() *cobra.Command {
	var dbs []string
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "check FILE | DIR",
		Short: "Check a file of your own questions: each row, and what its gold query returns",
		Long: `Check each row of a file of your own questions, and run its gold query. Reported are rows that cannot be asked (no
question, an unknown database, an id that another row has, cells that are split wrongly), questions that are there
twice or have no gold query, and gold queries that fail, take too long, return no rows, or whose result SQLite is free to
choose: an order that is not decided, a tie at a LIMIT. Each is printed with its line.

FILE is a CSV file, whose databases are those of --db or in its folder, or an experiment; DIR is a folder with one, such
as assay init makes. Exits with 1 where a row cannot be asked or a gold query cannot judge.`,
		Example: "  assay questions check shop\n  assay questions check mine.csv --db shop.sqlite",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := sqlite.Check(); err != nil {
				return err
			}
			d, err := ownDataset(given[0], dbs)
			if err != nil {
				return err
			}
			return a.questionsCheck(cmd.Context(), d, timeout)
		},
	}
	c.Flags().StringArrayVar(&dbs, "db", nil, "a SQLite `FILE`, or a folder of them (repeatable)")
	c.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "deadline of one gold query")
	return c
}

// ownDataset is the dataset of a CSV file, of an experiment, or of the experiment in a folder, with all its items.
func ownDataset(path string, dbs []string) (configs.Dataset, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return configs.Dataset{}, fmt.Errorf("questions: no file or folder %q: name a CSV file of questions, or the folder of one", path)
	case info.IsDir():
		if path, err = ownExperiment(path); err != nil {
			return configs.Dataset{}, err
		}
	case !strings.EqualFold(filepath.Ext(path), ".toml"):
		return ownFile(path, dbs)
	}
	e, err := configs.Load(path, known(), configs.Options{})
	if err != nil {
		return configs.Dataset{}, err
	}
	d := e.Dataset
	if d.Kind != dataset.Own {
		return d, fmt.Errorf("questions: the dataset of %s is of kind %q, not %q: `assay check-gold` checks its gold queries", path, d.Kind, dataset.Own)
	}
	if len(dbs) > 0 {
		d.Databases = dbs
	}
	d.Limit, d.Filter, d.Strata = 0, configs.Filter{}, configs.Strata{}
	return d, nil
}

// ownExperiment finds the experiment in a folder.
func ownExperiment(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("questions: %w", err)
	}
	var found []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".toml" && e.Type().IsRegular() {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("questions: no experiment (*.toml) in %q: `assay init DIR --db FILE` makes one, or name the CSV file and --db", dir)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("questions: %d experiments in %q: name one: %s", len(found), dir, strings.Join(found, ", "))
}

// ownFile is the dataset of a CSV file by itself.
func ownFile(path string, dbs []string) (configs.Dataset, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return configs.Dataset{}, err
	}
	set := []string{"dataset.kind=" + dataset.Own, "dataset.path=" + filepath.Dir(abs), "dataset.questions=" + abs}
	if len(dbs) > 0 {
		set = append(set, "dataset.databases="+list(dbs))
	}
	e, err := predictions.Experiment("questions", configs.Options{Set: set})
	return e.Dataset, err
}

// rowFinding is what was found in one row of a file of questions; line 0 is the file.
type rowFinding struct {
	Line int `json:"line"`
	goldcheck.Finding
}

// The rules about rows, beside those about gold queries.
const (
	ruleRow    = "row"
	ruleTwice  = "twice"
	ruleNoGold = "no-gold"
	ruleColumn = "column"
)

// rowRules says what they mean.
var rowRules = []goldcheck.Rule{
	{ID: ruleRow, Severity: goldcheck.Fatal, Doc: "The row cannot be asked, and nothing can be run before it is mended."},
	{ID: ruleTwice, Severity: goldcheck.Risk, Doc: "The same question is asked of the same database twice, and counts twice."},
	{ID: ruleNoGold, Severity: goldcheck.Note, Doc: "There is no gold query, so the question is asked and not scored."},
	{ID: ruleColumn, Severity: goldcheck.Note, Doc: "Columns that mean nothing to assay are not read."},
}

// errFindings is the error of a file that cannot be used as it is.
var errFindings = errors.New("the questions cannot be used as they are: see above")

// questionsCheck checks the rows, then the gold queries of those that can be asked, and prints what it finds by line.
func (a *app) questionsCheck(ctx context.Context, d configs.Dataset, timeout time.Duration) error {
	asked, err := dataset.ReadOwn(d)
	if err != nil {
		return err
	}
	asked.Path = near(asked.Path)
	found := rowFindings(asked)
	more, err := a.goldFindings(ctx, d, asked, timeout)
	if err != nil {
		return err
	}
	found = append(found, more...)
	slices.SortStableFunc(found, func(x, y rowFinding) int { return cmp.Compare(x.Line, y.Line) })
	if a.json {
		err = json.NewEncoder(a.out).Encode(map[string]any{"file": asked.Path, "questions": len(asked.Rows), "findings": orEmpty(found)})
	} else {
		err = a.printRows(asked, found)
	}
	if err == nil && slices.ContainsFunc(found, func(f rowFinding) bool { return f.Severity == goldcheck.Fatal }) {
		err = errFindings
	}
	return err
}

// near returns a path as seen from the working directory, where it is in it.
func near(path string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// rowFindings are what the rows themselves show.
func rowFindings(asked *dataset.Asked) (out []rowFinding) {
	add := func(line int, rule goldcheck.Rule, item, text string) {
		out = append(out, rowFinding{line, goldcheck.Finding{Item: item, Rule: rule.ID, Severity: rule.Severity, Text: text}})
	}
	for _, f := range asked.Faults {
		add(f.Line, rowRules[0], "", f.Text)
	}
	if len(asked.Unread) > 0 {
		add(1, rowRules[3], "", "not read: "+shortened(strings.Join(asked.Unread, ", "), helpWidth))
	}
	first := map[string]int{}
	for _, r := range asked.Rows {
		key := r.DB + "\x00" + strings.ToLower(strings.Join(strings.Fields(r.Question), " "))
		if line := first[key]; line > 0 {
			add(r.Line, rowRules[1], r.ID, fmt.Sprintf("the question of line %d again", line))
		} else {
			first[key] = r.Line
		}
		if r.Gold == "" {
			add(r.Line, rowRules[2], r.ID, "no gold query")
		}
	}
	return out
}

// goldFindings are what the gold queries of the rows show.
func (a *app) goldFindings(ctx context.Context, d configs.Dataset, asked *dataset.Asked, timeout time.Duration) (out []rowFinding, err error) {
	if len(asked.Rows) == 0 {
		return nil, nil
	}
	rows := make([]dataset.Row, len(asked.Rows))
	for i, r := range asked.Rows {
		rows[i] = r.Row
	}
	set, err := dataset.Load(ctx, d, dataset.Options{Names: true, Rows: rows})
	if err != nil {
		return nil, err
	}
	var cases []metrics.Case
	lines, ids := map[string]int{}, map[string]string{}
	for i, x := range set.Examples {
		lines[x.Question.ID], ids[x.Question.ID] = asked.Rows[i].Line, asked.Rows[i].ID
		if x.Gold != "" {
			cases = append(cases, x.Case())
		}
	}
	found, err := goldcheck.Check(ctx, sandbox.New(sandbox.Options{Timeout: timeout}), cases)
	for _, f := range found {
		line := lines[f.Item]
		f.Item = ids[f.Item]
		out = append(out, rowFinding{line, f})
	}
	return out, err
}

// printRows prints the findings by line, and what their rules mean.
func (a *app) printRows(asked *dataset.Asked, found []rowFinding) error {
	seen, lines := map[string]bool{}, map[int]bool{}
	for _, f := range found {
		place := asked.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", asked.Path, f.Line)
		}
		seen[f.Rule], lines[f.Line] = true, true
		fmt.Fprintf(a.out, "%s: %s, %s: %s\n", place, f.Severity, f.Rule, strings.Join(strings.Fields(f.Text), " "))
	}
	clean := 0
	for _, r := range asked.Rows {
		if !lines[r.Line] {
			clean++
		}
	}
	if len(found) > 0 {
		fmt.Fprintln(a.out)
	}
	for _, r := range slices.Concat(rowRules, goldcheck.Rules()) {
		if seen[r.ID] {
			fmt.Fprint(a.out, indented("  ", r.ID+": "+r.Doc, helpWidth))
		}
	}
	if len(found) > 0 {
		fmt.Fprintln(a.out)
	}
	_, err := fmt.Fprintf(a.out, "%s can be asked, %d without a finding\n", plural(len(asked.Rows), "question"), clean)
	return err
}
