package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay/metrics/goldcheck"
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
		Short: "Test the golds before they judge: errors, time-outs, empty results, and what their results hang on",
		Long: `Run every gold on its database and its test suite, and read it: golds that fail, stop or return nothing, that hang on a
choice of SQLite's such as a tie at a LIMIT, or that compare numbers with texts. What is wrong can be mended or left
out with a file of overrides, under which eval and import score with and without.`,
		Example: "  assay check-gold --dataset spider --data spider --items findings.csv",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cases, err := a.cases(cmd.Context(), &j, "check-gold")
			if err != nil {
				return err
			}
			box := sandbox.New(sandbox.Options{Timeout: j.timeout})
			defer box.Close()
			found, err := goldcheck.Check(cmd.Context(), box, cases)
			if err != nil {
				return err
			}
			if items != "" {
				if err := writeTo(items, func(w io.Writer) error { return writeFindings(w, found) }); err != nil {
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
	c.Flags().StringVar(&j.gold, "gold", "", "`FILE` of golds in place of the dataset's")
	c.Flags().StringVar(&j.overrides, "overrides", "", "`FILE` of corrected golds, checked in place of those they correct")
	c.Flags().StringVar(&items, "items", "", "`FILE` to write every finding to, as CSV")
	c.Flags().IntVar(&examples, "examples", 2, "findings printed a rule")
	return c
}

func writeFindings(w io.Writer, found []goldcheck.Finding) error {
	out := csv.NewWriter(w)
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

func (a *app) printFindings(golds int, found []goldcheck.Finding, examples int) error {
	t := &table.Table{ID: "check-gold", Title: fmt.Sprintf("What %d golds are doubtful for", golds), Columns: []table.Column{
		{Name: "rule", Key: true}, {Name: "severity"}, {Name: "items", Align: table.Right}, {Name: "findings", Align: table.Right}}}
	for _, r := range goldcheck.ByRule(found) {
		t.Rows = append(t.Rows, []table.Cell{table.Text(r.ID), table.Text(string(r.Severity)), table.Count(r.Items), table.Count(r.Findings)})
	}
	t.Notes = []string{"fatal: the gold cannot judge; risk: it may call a right prediction wrong, or a wrong one right; note: worth a look."}
	if err := t.WriteText(a.out, a.textOptions()); err != nil {
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
