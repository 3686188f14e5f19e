package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay/configs/output"
	"assay/metrics/goldcheck"
	"assay/metrics/spreadsheet"
	"assay/plots/table"
	"assay/prompting/sql/sandbox"

	"github.com/spf13/cobra"
)

func (a *app) checkGoldCmd() *cobra.Command {
	var j judging
	var items string
	var examples int
	c := &cobra.Command{
		Use:   "check-gold",
		Short: "Test the gold queries before they judge: errors, time-outs, empty results, and what their results depend on",
		Long: `Run every gold query on its database and its test suite, and parse it. Reported are gold queries that fail, time out or
return nothing, that depend on an arbitrary choice of SQLite such as a tie at a LIMIT, or that compare numbers with
texts. A file of overrides corrects or excludes them; eval and import then score with and without it.`,
		Example: "  assay check-gold --dataset spider --data spider --items findings.csv",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cases, err := a.cases(cmd.Context(), &j, "check-gold")
			if err != nil {
				return err
			}
			box := sandbox.New(sandbox.Options{Timeout: j.timeout})
			found, err := goldcheck.Check(cmd.Context(), box, cases)
			if err != nil {
				return err
			}
			if items != "" {
				if err := output.Write(cmd.Context(), items, a.out, func(w io.Writer) error { return writeFindings(w, found) }); err != nil || output.IsStandard(items) {
					return err
				}
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(map[string]any{"golds": len(cases), "findings": orEmpty(found), "rules": goldcheck.ByRule(found)})
			}
			return a.printFindings(len(cases), found, examples)
		},
	}
	j.register(c)
	c.Flags().StringVar(&j.gold, "gold", "", "`FILE` of gold queries in place of the dataset's")
	c.Flags().StringVar(&j.overrides, "overrides", "", "`FILE` of corrected gold queries, checked in place of those they correct")
	c.Flags().StringVar(&items, "items", "", "`FILE` to write every finding to, as CSV; - is the standard output, without the tables")
	c.Flags().IntVar(&examples, "examples", 2, "findings printed per rule")
	return c
}

// writeFindings writes one CSV row per finding.
func writeFindings(w io.Writer, found []goldcheck.Finding) error {
	out := spreadsheet.NewWriter(w)
	if err := out.Write([]string{"item", "rule", "severity", "text"}); err != nil {
		return err
	}
	for _, f := range found {
		if err := out.Write([]string{f.Item, f.Rule, string(f.Severity), f.Text}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// printFindings prints how many items each rule found, then the first examples of each rule.
func (a *app) printFindings(queries int, found []goldcheck.Finding, examples int) error {
	t := &table.Table{ID: "check-gold", Title: fmt.Sprintf("Problems found in %d gold queries", queries), Columns: []table.Column{
		{Name: "rule", Key: true}, {Name: "severity"}, {Name: "items", Align: table.Right}, {Name: "findings", Align: table.Right}}}
	for _, r := range goldcheck.ByRule(found) {
		t.Rows = append(t.Rows, []table.Cell{table.Text(r.ID), table.Text(string(r.Severity)), table.Count(r.Items), table.Count(r.Findings)})
	}
	t.Notes = []string{"fatal: the gold query cannot judge; risk: it may score a right prediction as wrong, or a wrong one as right; note: worth a look."}
	if err := a.text(t); err != nil {
		return err
	}
	for _, r := range goldcheck.ByRule(found) {
		if r.Findings == 0 || examples == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s: %s\n", r.ID, r.Doc)
		left := examples
		for _, f := range found {
			if f.Rule != r.ID {
				continue
			}
			if left--; left < 0 {
				break
			}
			fmt.Fprintf(a.out, "  %s: %s\n", f.Item, strings.Join(strings.Fields(f.Text), " "))
		}
	}
	return nil
}
