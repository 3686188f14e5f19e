package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

	"assay/metrics"
	"assay/metrics/suite"
	"assay/plots/table"
	"assay/prompting/sql/engine"

	"github.com/spf13/cobra"
)

func (a *app) suiteCmd() *cobra.Command {
	c := &cobra.Command{Use: "suite", Short: "Make test-suite databases for any dataset",
		Long: "Make and keep test suites: databases beside the original, on which queries that are right by luck go wrong."}
	c.AddCommand(a.suiteBuildCmd())
	return c
}

func (a *app) suiteBuildCmd() *cobra.Command {
	var j judging
	var s suite.Options
	var out, items string
	c := &cobra.Command{
		Use:   "build",
		Short: "Fuzz neighbours of each database, and keep those that tell the golds from their mutants",
		Long: `Make a test suite of the dataset's databases: neighbours by fuzzing that respects types, keys and references, of which
the few are kept that find out (kill) the most mutants of the golds. The suite goes to OUT/<db>/, to be named by --suite
or dataset.suite. The same seed gives the same files; a database whose suite is there already is only read.`,
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
				if err := writeTo(items, func(w io.Writer) error { return writeReports(w, reports) }); err != nil {
					return err
				}
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(reports)
			}
			return suiteTable(reports).WriteText(a.out, a.textOptions())
		},
	}
	j.register(c)
	f := c.Flags()
	f.StringVar(&out, "out", "", "`DIR` that the suite is written to")
	f.Uint64Var(&s.Seed, "seed", 0, "seed of the fuzzing")
	f.IntVar(&s.MaxDatabases, "neighbours", 0, "neighbours kept a database (default 8)")
	f.IntVar(&s.Tries, "tries", 0, "neighbours made to choose from (default 160)")
	f.IntVar(&s.MaxRows, "rows", 0, "rows of a neighbour's table (default 120)")
	f.StringVar(&j.gold, "gold", "", "`FILE` of golds in place of the dataset's")
	f.StringVar(&j.overrides, "overrides", "", "`FILE` of corrected golds")
	f.StringVar(&items, "items", "", "`FILE` to write every item's kill rate to, as CSV")
	return c
}

// buildSuites builds a suite for each database, in the order in which the items first ask them.
func (a *app) buildSuites(ctx context.Context, s suite.Options, cases []metrics.Case, out string) ([]suite.Report, error) {
	golds := map[string][]suite.Gold{}
	bases := map[string]engine.DB{}
	var order []string
	for _, c := range cases {
		if c.Database.None() {
			continue
		}
		if bases[c.DB].None() {
			bases[c.DB] = c.Database
			order = append(order, c.DB)
		}
		golds[c.DB] = append(golds[c.DB], suite.Gold{Item: c.Item, SQL: c.Gold})
	}
	var reports []suite.Report
	for i, db := range order {
		a.note("%d of %d: %s, %d golds", i+1, len(order), db, len(golds[db]))
		r, err := suite.Build(ctx, s, bases[db], golds[db], out)
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
			_, _ = buf.ReadBytes('\n')
		}
		if _, err := buf.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// suiteTable has a row a database, and under each equality the mutants and how many of them are killed.
func suiteTable(reports []suite.Report) *table.Table {
	t := &table.Table{ID: "suite", Title: "Mutants that the suite kills", Columns: []table.Column{
		{Name: "database", Key: true}, {Name: "golds", Align: table.Right}, {Name: "files", Align: table.Right}}}
	type sum struct{ mutants, killed, original int }
	var equalities []string
	all := map[string]sum{}
	golds, files := 0, 0
	cells := func(mutants, killed, original int) []table.Cell {
		r := suite.Rate{Mutants: mutants, Killed: killed}
		return []table.Cell{table.Count(mutants), table.Count(original), table.Count(killed),
			table.Measured(table.Number{Value: r.Percent(), Decimals: 1})}
	}
	for _, r := range reports {
		row := []table.Cell{table.Text(r.DB), table.Count(len(r.Items)), table.Count(len(r.Databases))}
		golds, files = golds+len(r.Items), files+len(r.Databases)
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
	last := []table.Cell{table.Text("all"), table.Count(golds), table.Count(files)}
	for _, q := range equalities {
		for _, name := range []string{"mutants", "original", "killed", "%"} {
			t.Columns = append(t.Columns, table.Column{Group: q, Name: name, Align: table.Right})
		}
		last = append(last, cells(all[q].mutants, all[q].killed, all[q].original)...)
	}
	t.Rows = append(t.Rows, last)
	t.Notes = []string{"A mutant is a gold with one change; original: killed by the original database alone. Mutants that mean the same as their gold cannot be killed."}
	return t
}
