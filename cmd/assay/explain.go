package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/queryplan"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"

	"github.com/spf13/cobra"
)

func (a *app) explainCmd() *cobra.Command {
	var db string
	var raw bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "explain --db FILE SQL",
		Short: "Print SQLite's plan of a query in numbered steps",
		Long: `Print what SQLite would do for a query, in numbered steps: preparation; matching, filtering and counting; delivering.
The query is compiled, not run. The demonstrations of the query-plan generator (qp-cot) use the same text.`,
		Example: `  assay explain --db shop.sqlite "SELECT city, count(*) FROM orders GROUP BY 1"`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			base, err := database(cmd, db)
			if err != nil {
				return err
			}
			box := sandbox.New(sandbox.Options{Timeout: timeout})
			x, err := box.Explain(cmd.Context(), base, given[0])
			if err != nil {
				return err
			}
			return a.printPlan(x, raw)
		},
	}
	c.Flags().StringVar(&db, "db", "", "the SQLite file")
	c.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "deadline of the compilation")
	c.Flags().BoolVar(&raw, "raw", false, "print SQLite's own listings too")
	return c
}

// database is that of a verb's --db, which names a SQLite file.
func database(cmd *cobra.Command, path string) (engine.DB, error) {
	if path == "" {
		return engine.DB{}, usageError{fmt.Errorf("%s: --db is missing: name the SQLite file (usage: %s)", cmd.Name(), cmd.UseLine())}
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return engine.DB{}, usageError{fmt.Errorf("%s: --db %q: no such file", cmd.Name(), path)}
	}
	return sqlite.DB(path), nil
}

// printPlan prints an explanation as steps, with raw SQLite's own listings below them.
func (a *app) printPlan(x *engine.Explanation, raw bool) error {
	plan := queryplan.Read(x)
	if a.json {
		out := struct {
			queryplan.Plan
			QueryPlan [][]string `json:"query_plan,omitempty"`
			Program   [][]string `json:"program,omitempty"`
		}{Plan: plan}
		if raw {
			out.QueryPlan, out.Program = cells(x.Plan), cells(x.Program)
		}
		return json.NewEncoder(a.out).Encode(out)
	}
	if _, err := io.WriteString(a.out, plan.Text()); err != nil || !raw {
		return err
	}
	if err := listing(a.out, "EXPLAIN QUERY PLAN", x.Plan); err != nil {
		return err
	}
	return listing(a.out, "EXPLAIN", x.Program)
}

// listing prints one of SQLite's own listings, one line per row, with tabs between columns.
func listing(w io.Writer, title string, r *engine.Result) error {
	_, err := fmt.Fprintf(w, "\n%s\n%s\n", title, strings.Join(r.Columns, "\t"))
	for _, row := range cells(r) {
		if err == nil {
			_, err = fmt.Fprintln(w, strings.Join(row, "\t"))
		}
	}
	return err
}

// cells returns the rows of a result as text. Line breaks within a value become spaces; NULL is empty.
func cells(r *engine.Result) [][]string {
	out := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		for _, v := range row {
			s := ""
			if v.Kind() != engine.Null {
				s = strings.Join(strings.Fields(v.String()), " ")
			}
			out[i] = append(out[i], s)
		}
	}
	return out
}
