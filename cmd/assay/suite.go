package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"assay/configs/output"
	"assay/metrics"
	"assay/metrics/suite"
	"assay/plots/table"
	"assay/prompting/sql/engine"

	"github.com/spf13/cobra"
)

// suiteCmd groups the verbs on test suites.
func (a *app) suiteCmd() *cobra.Command {
	c := &cobra.Command{Use: "suite", Short: "Make test-suite databases for any dataset",
		Long: "Make test suites: further databases beside the original, on which queries that are right by chance give wrong results."}
	c.AddCommand(a.suiteBuildCmd())
	return c
}

func (a *app) suiteBuildCmd() *cobra.Command {
	var j judging
	var s suite.Options
	var out, items string
	c := &cobra.Command{
		Use:   "build",
		Short: "Fuzz neighbours of each database, and keep those that distinguish gold queries from their mutants",
		Long: `Make a test suite for each of the dataset's databases. Fuzzing that respects types, keys and references makes neighbours
of the database; the few that kill (detect) the most mutants of the gold queries are kept. The suite goes to OUT/<db>/;
pass OUT to --suite or dataset.suite. The same seed gives the same files; a suite that exists already is only read.`,
		Example: "  assay suite build --dataset sample --out suite --seed 1\n  assay eval --dataset sample --suite suite --pred predicted.txt",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return usageError{errors.New("--out is missing: the folder for the suite")}
			}
			s.Workers = j.workers
			cases, err := a.cases(cmd.Context(), &j, "suite")
			if err != nil {
				return err
			}
			reports, err := a.buildSuites(cmd.Context(), s, cases, out)
			if err != nil {
				return err
			}
			if items != "" {
				write := func(w io.Writer) error { return writeReports(w, reports) }
				if err := output.Write(cmd.Context(), items, a.out, write); err != nil || output.IsStandard(items) {
					return err
				}
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(reports)
			}
			return a.text(suiteTable(reports))
		},
	}
	j.register(c)
	f := c.Flags()
	f.StringVar(&out, "out", "", "`DIR` that the suite is written to")
	f.Uint64Var(&s.Seed, "seed", 0, "seed of the fuzzing")
	f.IntVar(&s.MaxDatabases, "neighbours", 0, "neighbours kept per database (default 8)")
	f.IntVar(&s.Tries, "tries", 0, "neighbours made to choose from (default 160)")
	f.IntVar(&s.MaxRows, "rows", 0, "rows of a neighbour's table (default 120)")
	f.StringVar(&j.gold, "gold", "", "`FILE` of gold queries in place of the dataset's")
	f.StringVar(&j.overrides, "overrides", "", "`FILE` of corrected gold queries")
	f.StringVar(&items, "items", "", "`FILE` to write every item's kill rate to, as CSV; - is the standard output, without the tables")
	return c
}

// buildSuites builds one suite per database, in the order in which the items first name them.
func (a *app) buildSuites(ctx context.Context, s suite.Options, cases []metrics.Case, out string) ([]suite.Report, error) {
	queries := map[string][]suite.Gold{}
	bases := map[string]engine.DB{}
	var order []string
	for _, c := range cases {
		if c.Database.None() { // no database file, nothing to fuzz
			continue
		}
		if bases[c.DB].None() {
			bases[c.DB] = c.Database
			order = append(order, c.DB)
		}
		queries[c.DB] = append(queries[c.DB], suite.Gold{Item: c.Item, SQL: c.Gold})
	}
	var reports []suite.Report
	for i, db := range order {
		a.note("%d of %d: %s, %d gold queries", i+1, len(order), db, len(queries[db]))
		r, err := suite.Build(ctx, s, bases[db], queries[db], out)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	a.note("suite: %s", filepath.Clean(out))
	return reports, nil
}

// writeReports writes the items of all databases under one header.
func writeReports(w io.Writer, reports []suite.Report) error {
	for i, r := range reports {
		var buf bytes.Buffer
		if err := r.WriteCSV(&buf); err != nil {
			return err
		}
		if i > 0 {
			_, _ = buf.ReadBytes('\n') // every report begins with the header
		}
		if _, err := buf.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// suiteTable has one row per database, and for each equality of results the mutants and how many of them are killed.
func suiteTable(reports []suite.Report) *table.Table {
	t := &table.Table{ID: "suite", Title: "Mutants that the suite kills", Columns: []table.Column{
		{Name: "database", Key: true}, {Name: "gold queries", Align: table.Right}, {Name: "files", Align: table.Right}}}
	type sum struct{ mutants, killed, original int }
	var equalities []string
	all := map[string]sum{}
	queries, files := 0, 0
	cells := func(mutants, killed, original int) []table.Cell {
		r := suite.Rate{Mutants: mutants, Killed: killed}
		return []table.Cell{table.Count(mutants), table.Count(original), table.Count(killed),
			table.Measured(table.Number{Value: r.Percent(), Decimals: 1})}
	}
	for _, r := range reports {
		row := []table.Cell{table.Text(r.DB), table.Count(len(r.Items)), table.Count(len(r.Databases))}
		queries, files = queries+len(r.Items), files+len(r.Databases)
		for _, x := range r.Totals {
			if _, known := all[x.Equality]; !known {
				equalities = append(equalities, x.Equality)
			}
			s := all[x.Equality]
			all[x.Equality] = sum{s.mutants + x.Mutants, s.killed + x.Killed, s.original + x.Original}
			row = append(row, cells(x.Mutants, x.Killed, x.Original)...)
		}
		t.Rows = append(t.Rows, row)
	}
	last := []table.Cell{table.Text("all"), table.Count(queries), table.Count(files)}
	for _, q := range equalities {
		for _, name := range []string{"mutants", "original", "killed", "%"} {
			t.Columns = append(t.Columns, table.Column{Group: q, Name: name, Align: table.Right})
		}
		last = append(last, cells(all[q].mutants, all[q].killed, all[q].original)...)
	}
	t.Rows = append(t.Rows, last)
	t.Notes = []string{"A mutant is a gold query with one change; original: killed by the original database alone. Mutants equivalent to their gold query cannot be killed."}
	return t
}
