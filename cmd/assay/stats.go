package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"assay/configs"
	"assay/configs/output"
	"assay/experiments/axes"
	"assay/experiments/catalog"
	"assay/experiments/census"
	"assay/experiments/cost"
	"assay/experiments/dataset"
	"assay/experiments/public"
	"assay/metrics/spreadsheet"
	"assay/plots/table"

	"github.com/gocarina/gocsv"
	"github.com/spf13/cobra"
)

// counting holds the flags of stats.
type counting struct {
	judging
	by, tokens, schema, format, items string
}

func (a *app) statsCmd() *cobra.Command {
	var s counting
	c := &cobra.Command{
		Use:   "stats [DATASET...]",
		Short: "Count what datasets are made of: items, schemas, tables and values of gold queries",
		Long: `Count what datasets are made of, in the three tables that Interactive-T2S (Xiong et al. 2024) prints of its datasets:
items, databases, and the values in gold queries; schemas; and tables per gold query. A DATASET is an experiment (its
dataset is counted), the word sample, or KIND/SPLIT=DIR, such as spider/dev=data/spider; without one the flags name it.

CVR is the share of gold queries with a value constraint, CVCR the share of such values that appear in the question.
Both are counted in two ways: from the parsed SQL, with every literal that is compared with a column and with case,
numbers, dates and patterns allowed for; and by the textual rule that gives the published figures. The row below a whole
dataset has the figures that the paper prints of it. experiments/census/README.md says how each number is counted, and
why it may differ.`,
		Example: `  assay stats quickstart
  assay stats --dataset spider --data data/spider --items items.csv
  assay stats spider/dev=data/spider spider/dk=data/spider_dk \
    --databases data/spider/database --format markdown`,
		RunE: func(cmd *cobra.Command, datasets []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				s.format = "json"
			}
			if !slices.Contains([]string{"text", "csv", "json", "markdown"}, s.format) {
				return usageError{fmt.Errorf("--format %q: want text, csv, json or markdown", s.format)}
			}
			return a.stats(cmd.Context(), &s, datasets)
		},
	}
	s.judging.register(c)
	for _, unused := range []string{"suite", "timeout", "workers"} {
		_ = c.Flags().MarkHidden(unused) // flags of judging that have no use here: nothing is executed
	}
	f := c.Flags()
	f.StringVar(&s.by, "by", "", "count the groups of this axis too: "+axisNames())
	f.StringVar(&s.tokens, "tokenizer", census.Tokenizer, "OpenAI model whose vocabulary counts the tokens of schemas")
	f.StringVar(&s.schema, "schema", "createtable", "form of the schema whose tokens are counted: "+strings.Join(catalog.Known.Choices("formats").IDs(), ", "))
	f.StringVar(&s.format, "format", "text", "text, csv, json or markdown")
	f.StringVar(&s.items, "items", "", "`FILE` to write every item's tables and values to, as CSV; - is the standard output, without the tables")
	return c
}

// counted is one row of the tables: a dataset or a group of its items, with the published figures of it.
type counted struct {
	*census.Census
	printed census.Printed
}

// groupAxis finds the axis that --by names; the empty one for none.
func groupAxis(by string) (axis axes.Axis, err error) {
	if by == "" {
		return axis, nil
	}
	if axis, err = axes.Find(by); err != nil {
		return axis, usageError{fmt.Errorf("--by: %w", err)}
	}
	return axis, nil
}

// loaded loads a dataset, and prints its warnings.
func (a *app) loaded(ctx context.Context, d configs.Dataset, o dataset.Options) (*dataset.Set, error) {
	set, err := dataset.Load(ctx, d, o)
	if err != nil {
		return nil, err
	}
	for _, w := range dataset.Describe(set.Warnings) {
		a.note("warning: %s", w)
	}
	return set, nil
}

// stats loads and counts the datasets, and the groups of each where --by is given.
func (a *app) stats(ctx context.Context, s *counting, names []string) error {
	axis, err := groupAxis(s.by)
	if err != nil {
		return err
	}
	sets, err := s.datasets(names)
	if err != nil {
		return usageError{err}
	}
	var all []counted
	var whole []*census.Census
	for _, d := range sets {
		set, err := a.loaded(ctx, d, dataset.Options{Bare: true})
		if err != nil {
			return err
		}
		c, err := census.Take(ctx, set, census.Options{Schema: configs.Schema{Format: s.schema},
			Model: cost.Tokenizer(s.tokens)})
		if err != nil {
			return err
		}
		whole = append(whole, c)
		one := counted{Census: c}
		if isWhole(d) && isPublic(c) {
			if one.printed, err = census.PrintedOf(set.Name); err != nil {
				return err
			}
		}
		all = append(all, one)
		if s.by != "" {
			for _, part := range c.Split(set, axis) {
				all = append(all, counted{Census: part})
			}
		}
	}
	if s.items != "" {
		write := func(w io.Writer) error { return writeStatItems(w, whole) }
		if err := output.Write(ctx, s.items, a.out, write); err != nil || output.IsStandard(s.items) {
			return err
		}
	}
	return a.printStats(all, s.format)
}

// isPublic reports whether the databases are those of the public dataset of that name. Published figures next to other data
// of the same name would mislead.
func isPublic(c *census.Census) bool {
	var names []string
	for _, b := range c.Databases {
		names = append(names, b.DB)
	}
	return public.Is(c.Name, names)
}

// isWhole reports whether no filter, limit or sample is set: published figures are of whole datasets.
func isWhole(d configs.Dataset) bool {
	f := d.Filter
	return d.Limit == 0 && d.Strata.By == "" && len(f.DB)+len(f.Hardness)+len(f.Difficulty)+len(f.IDs)+len(f.Features) == 0
}

// datasets returns those named on the command line, or the one that the flags name.
func (s *counting) datasets(names []string) ([]configs.Dataset, error) {
	if len(names) == 0 {
		e, err := s.experiment("stats", nil)
		return []configs.Dataset{e.Dataset}, err
	}
	var out []configs.Dataset
	for _, name := range names {
		e, err := s.named(name)
		if err != nil {
			return nil, err
		}
		out = append(out, e.Dataset)
	}
	return out, nil
}

// named loads an experiment's dataset, or the one of a name such as spider/dev=data/spider or sample.
func (s *counting) named(name string) (configs.Experiment, error) {
	kind, dir, cut := strings.Cut(name, "=")
	if !cut && !catalog.Known.Kind(name).Embedded {
		limit := &s.limit
		if s.limit == 0 {
			limit = nil
		}
		if at, err := os.Stat(name); err == nil && at.IsDir() {
			return configs.Experiment{}, fmt.Errorf("stats: %q is a folder: state its kind and split, as in spider/dev=%s", name, name)
		}
		return configs.Load(name, catalog.Known, configs.Options{Set: s.set, Data: s.data, Limit: limit})
	}
	j := s.judging
	j.data, j.given = dir, func(string) bool { return true } // the name counts as given, and not the flags
	j.dataset, j.split, _ = strings.Cut(kind, "/")
	return j.experiment("stats", nil)
}

// printStats prints the tables as text or Markdown, or all numbers as CSV or JSON.
func (a *app) printStats(all []counted, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", " ")
		return enc.Encode(statsJSON(all))
	case "csv":
		return statsLong(all).WriteCSV(a.out)
	}
	for i, t := range statsTables(all) {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		var err error
		if format == "markdown" {
			err = t.WriteMarkdown(a.out)
		} else {
			err = a.text(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// statItem is one row of the CSV that --items writes.
type statItem struct {
	Item       string `csv:"item"`
	Database   string `csv:"database"`
	Parsed     bool   `csv:"parsed"`
	Tables     int    `csv:"tables"`
	Joined     int    `csv:"joined"`
	Values     int    `csv:"values"`
	InQuestion int    `csv:"in_question"`
	InEvidence int    `csv:"in_question_or_evidence"`
	Details    string `csv:"details"`
	Printed    int    `csv:"values_by_text"`
	PrintedIn  int    `csv:"in_question_by_text"`
}

// writeStatItems writes one CSV row per item, with the values found and where each was found.
func writeStatItems(w io.Writer, all []*census.Census) error {
	rows := []statItem{}
	for _, c := range all {
		for _, it := range c.Items {
			r := statItem{Item: it.ID, Database: it.DB, Parsed: it.Parsed, Tables: it.Tables, Joined: it.Joined, Values: len(it.Values), Printed: len(it.Printed)}
			var details []string
			for _, v := range it.Values {
				how := "not in the question"
				switch {
				case v.Found != "":
					r.InQuestion++
					how = string(v.Found)
				case v.FoundWithEvidence:
					how = "in the evidence"
				}
				if v.FoundWithEvidence {
					r.InEvidence++
				}
				details = append(details, fmt.Sprintf("%s %q %s", v.Kind, v.Text, how))
			}
			for _, v := range it.Printed {
				if v.Found {
					r.PrintedIn++
				}
			}
			r.Details = strings.Join(details, "; ")
			rows = append(rows, r)
		}
	}
	return gocsv.MarshalCSV(rows, spreadsheet.NewWriter(w))
}

// statNumber is a value with its number of decimals.
func statNumber(v float64, decimals int) table.Cell {
	return table.Measured(table.Number{Value: v, Decimals: decimals})
}
