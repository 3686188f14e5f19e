package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"

	"github.com/spf13/cobra"
)

func (a *app) diffCmd() *cobra.Command {
	var o compare.Options
	var arms []string
	var flips int
	var fail bool
	c := &cobra.Command{
		Use:   "diff RUN_A RUN_B",
		Short: "Compare two runs item by item: what changed, by how much, is it significant, which items flipped",
		Long: `Pair the items of two runs by id and compare the second with the first. The interval is a bootstrap over items, each
with all its seeds; p is McNemar's exact test over the pairs that only one side got right. "~" marks a difference
that is not significant. Exits 3 under --fail-on-regression where a pair of arms is significantly worse.`,
		Example: "  assay diff baseline-run new-run\n  assay diff A B --arm standard=qdecomp --metric ex",
		Args:    args(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, given []string) error {
			var err error
			if o.Arms, err = armFlags(arms); err != nil {
				return usageError{err}
			}
			ra, err := a.store().Read(given[0])
			if err != nil {
				return err
			}
			rb, err := a.store().Read(given[1])
			if err != nil {
				return err
			}
			cmp, err := compare.Runs(ra, rb, o)
			if err != nil {
				return err
			}
			return a.printDiff(cmp, flips, fail)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Metric, "metric", "", "metric id (default: the first that both runs have)")
	f.StringArrayVar(&arms, "arm", nil, "pair arm X of A with arm Y of B, as `X=Y` (repeatable)")
	f.IntVar(&flips, "flips", 20, "flipped items listed a pair of arms; -1 for all")
	f.BoolVar(&fail, "fail-on-regression", false, "exit 3 where B is significantly worse")
	return c
}

func armFlags(pairs []string) (map[string]string, error) {
	m := map[string]string{}
	for _, p := range pairs {
		x, y, ok := strings.Cut(p, "=")
		if !ok || x == "" || y == "" {
			return nil, fmt.Errorf("--arm %q: want X=Y", p)
		}
		m[x] = y
	}
	return m, nil
}

func (a *app) printDiff(c *compare.Comparison, flips int, fail bool) error {
	if a.json {
		if err := json.NewEncoder(a.out).Encode(c); err != nil {
			return err
		}
	} else if err := a.diffText(c, flips); err != nil {
		return err
	}
	for _, g := range c.Groups {
		if fail && g.Significant && g.Diff < 0 {
			return fmt.Errorf("%w: %s: %.1f points (p = %.3g)", errRegression, groupName(g), 100*g.Diff, g.P)
		}
	}
	return nil
}

func groupName(g compare.Group) string {
	name := g.ArmA
	if g.ArmB != g.ArmA {
		name += " -> " + g.ArmB
	}
	if len(g.Point) > 0 {
		name += " @ " + strings.Join(g.Point, ", ")
	}
	return name
}

func (a *app) diffText(c *compare.Comparison, flips int) error {
	fmt.Fprintf(a.out, "A  %s (%s, %d items)\nB  %s (%s, %d items)\n", c.A.Name, c.A.Manifest.Dataset, c.A.Manifest.Items,
		c.B.Name, c.B.Manifest.Dataset, c.B.Manifest.Items)
	for _, w := range c.Warnings {
		fmt.Fprintf(a.out, "warning: %s\n", w)
	}
	for _, d := range c.Config {
		fmt.Fprintf(a.out, "config %s: %s -> %s\n", d.Key, orDash(d.A), orDash(d.B))
	}
	if c.Identical {
		fmt.Fprintf(a.out, "The two runs agree on every paired item: the same SQL, the same %s.\n", c.Metric)
	}
	t := &table.Table{Title: fmt.Sprintf("%s, percent; interval %g %%; p: McNemar exact", c.Metric, 100*c.Level),
		Columns: []table.Column{{Name: "Arm"}, {Name: "Pairs", Align: table.Right}, {Name: "A", Align: table.Right}, {Name: "B", Align: table.Right},
			{Name: "B-A", Align: table.Right}, {Name: "Interval", Align: table.Right}, {Name: "Lost", Align: table.Right}, {Name: "Won", Align: table.Right}, {Name: "p", Align: table.Right}}}
	for _, g := range c.Groups {
		diff := fmt.Sprintf("%+.1f", 100*g.Diff)
		if !g.Significant {
			diff = "~ " + diff
		}
		row := []string{groupName(g), fmt.Sprint(g.Pairs), fmt.Sprintf("%.1f", 100*g.MeanA), fmt.Sprintf("%.1f", 100*g.MeanB), diff,
			fmt.Sprintf("%+.1f..%+.1f", 100*g.Low, 100*g.High), fmt.Sprint(g.OnlyA), fmt.Sprint(g.OnlyB), fmt.Sprintf("%.3g", g.P)}
		cells := make([]table.Cell, len(row))
		for i, s := range row {
			cells[i] = table.Text(s)
		}
		t.Rows = append(t.Rows, cells)
		if g.Unpaired > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d rows have no partner or no score on one side.", groupName(g), g.Unpaired))
		}
		if g.Pairs > g.Items {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d pairs of %d items under several seeds are not independent: trust the interval before p.", groupName(g), g.Pairs, g.Items))
		}
	}
	if err := t.WriteText(a.out, a.textOptions()); err != nil {
		return err
	}
	for _, g := range c.Groups {
		a.listFlips(g, flips)
	}
	return nil
}

func (a *app) listFlips(g compare.Group, limit int) {
	if len(g.Flips) == 0 || limit == 0 {
		return
	}
	fmt.Fprintf(a.out, "\n%s: %d flips\n", groupName(g), len(g.Flips))
	for i, f := range g.Flips {
		if i == limit {
			fmt.Fprintf(a.out, "  ... and %d more (--flips -1 lists all)\n", len(g.Flips)-limit)
			return
		}
		fmt.Fprintf(a.out, "  %s (%s, seed %d): %s -> %s\n    A: %s\n    B: %s\n", f.Item, f.Hardness, f.Seed, f.StatusA, f.StatusB, orDash(f.SQLA), orDash(f.SQLB))
	}
}
