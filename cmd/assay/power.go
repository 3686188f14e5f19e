package main

import (
	"encoding/json"
	"fmt"
	"math"

	"assay/experiments/catalog"
	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/metrics/stats"
	"assay/plots/table"
	"assay/plots/versus"

	"github.com/spf13/cobra"
)

// powering holds the flags of power.
type powering struct {
	diff       float64 // in points
	discordant float64
	items      int
	design     stats.Design
	runA, runB string
	arms       []string
	options    compare.Options
}

// forecast is the answer of power for one pair of arms, or for a given discordant share.
type forecast struct {
	Pilot      *compare.Pilot `json:"pilot,omitempty"`
	Discordant float64        `json:"discordant"`
	Level      float64        `json:"level"`
	Power      float64        `json:"power"`

	Diff   float64 `json:"diff,omitempty"`   // the difference to show, as a share
	Needed int     `json:"needed,omitempty"` // items that are enough to show Diff
	Connor int     `json:"connor,omitempty"` // the same by the normal approximation
	Exact  bool    `json:"exact,omitempty"`  // Needed is by the exact test

	Items    int     `json:"items,omitempty"`
	PowerAt  float64 `json:"power_at_items,omitempty"`
	Smallest float64 `json:"smallest,omitempty"` // difference that Items show, as a share; 0: none
	Seeds    int     `json:"seeds,omitempty"`    // with which Items show Diff; 0: not known, or no number does
}

func (a *app) powerCmd() *cobra.Command {
	var p powering
	c := &cobra.Command{
		Use:   "power",
		Short: "How many items or seeds show a difference, and what difference so many items can show",
		Long: `McNemar's test compares two arms by their discordant items: those that are right under one arm alone. How many items
show a difference depends on the share of discordant items. --discordant states it, or two runs of the same kind
(--run A --run B) give it. The numbers are the exact power of McNemar's exact test, with a binomial number of discordant
items; those of Connor's formula (Biometrics 43, 1987) are printed beside them.

Runs under several seeds also show how much the choice of exemplars moves the difference, and so how many seeds are
worth running: more seeds average out the variance between seeds, but never the variance between items.`,
		Example: `  assay power --diff 2 --discordant 0.2
  assay power --items 1034 --discordant 0.15
  assay power --diff 2 --run baseline-run --run new-run --arm standard=cot`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			runs, _ := cmd.Flags().GetStringArray("run")
			if len(runs) == 2 {
				p.runA, p.runB = runs[0], runs[1]
			}
			if err := p.check(len(runs), cmd.Flags().Changed("discordant")); err != nil {
				return usageError{err}
			}
			return a.power(&p)
		},
	}
	f := c.Flags()
	f.Float64Var(&p.diff, "diff", 0, "difference to show, in points")
	f.Float64Var(&p.discordant, "discordant", 0.2, "share of the items that are right under one arm alone")
	f.StringArray("run", nil, "two runs to learn the discordant share from: `RUN`, given twice")
	f.StringArrayVar(&p.arms, "arm", nil, "pair arm X of the first run with arm Y of the second, as `X=Y` (repeatable)")
	f.StringVar(&p.options.Metric, "metric", "", "metric id (default: the first that both runs have)")
	f.BoolVar(&p.options.Force, "force", false, "learn from the common part of runs that diff would refuse")
	f.IntVar(&p.items, "items", 0, "items there are (default: those of the runs)")
	f.Float64Var(&p.design.Power, "power", 0.8, "wanted chance of a significant result")
	f.Float64Var(&p.design.Level, "level", 0.05, "level of the two-sided test")
	return c
}

// check fails on flags that are not allowed. runs is the number of --run flags; stated says that --discordant was given.
func (p *powering) check(runs int, stated bool) (err error) {
	share := func(name string, v float64) {
		if err == nil && !(v > 0 && v < 1) {
			err = fmt.Errorf("--%s %v: want a share between 0 and 1", name, v)
		}
	}
	share("power", p.design.Power)
	share("level", p.design.Level)
	share("discordant", p.discordant)
	switch {
	case err != nil:
	case runs != 0 && runs != 2:
		err = fmt.Errorf("--run: want two runs, --run A --run B, given %d", runs)
	case runs == 2 && stated:
		err = fmt.Errorf("--discordant and --run exclude each other: the runs give the discordant share")
	case math.Abs(p.diff) > 100:
		err = fmt.Errorf("--diff %v: want points, from 0 to 100", p.diff)
	case p.items < 0 || p.items > 10_000_000:
		err = fmt.Errorf("--items %d: want a number of items, at most 10000000", p.items)
	}
	if err == nil {
		p.options.Arms, err = armFlags(p.arms)
	}
	return err
}

// power prints one forecast per pair of arms of the two runs, or the forecast of the stated share.
func (a *app) power(p *powering) error {
	var out []forecast
	if p.runA == "" {
		out = []forecast{p.forecast(nil)}
	} else {
		pilots, err := a.pilots(p)
		if err != nil {
			return err
		}
		for i := range pilots {
			out = append(out, p.forecast(&pilots[i]))
		}
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(out)
	}
	for i, f := range out {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := a.printForecast(p, f); err != nil {
			return err
		}
	}
	return nil
}

// pilots reads the two runs and returns one pilot per pair of arms.
func (a *app) pilots(p *powering) ([]compare.Pilot, error) {
	var runs [2]*record.Run
	for i, name := range []string{p.runA, p.runB} {
		dir, err := a.find(name)
		if err != nil {
			return nil, err
		}
		if runs[i], err = record.ReadItems(dir, catalog.Known); err != nil {
			return nil, err
		}
	}
	return compare.Pilots(runs[0], runs[1], p.options)
}

// leastDiscordant replaces a share of 0, from runs that agree on every item: with none the power is not defined.
const leastDiscordant = 1e-4

// forecast computes power and sizes for a pilot; nil means the discordant share of the flags.
func (p *powering) forecast(pilot *compare.Pilot) forecast {
	f := forecast{Pilot: pilot, Discordant: p.discordant, Level: p.design.Level, Power: p.design.Power, Items: p.items, Diff: math.Abs(p.diff) / 100}
	if pilot != nil {
		f.Discordant = max(leastDiscordant, pilot.Discordant)
		if f.Items == 0 {
			f.Items = pilot.Items
		}
	}
	d := p.at(f)
	if f.Diff > 0 {
		f.Needed, f.Exact = d.Items(f.Diff)
		f.Connor = int(min(1e15, d.Connor(f.Diff))) // a tiny difference overflows an int
	}
	if f.Items > 0 {
		if s, ok := d.Smallest(f.Items); ok {
			f.Smallest = s
		}
		if f.Diff > 0 {
			f.PowerAt = d.PowerAt(f.Items, f.Diff)
			if pilot != nil && pilot.Seeded() {
				f.Seeds, _ = pilot.Seeds(f.Diff, f.Items, f.Level, f.Power)
			}
		}
	}
	return f
}

// at is the design of the flags with the discordant share of a forecast.
func (p *powering) at(f forecast) stats.Design {
	d := p.design
	d.Discordant = f.Discordant
	return d
}

// printForecast prints a forecast in sentences, then the table of sizes and, for runs with several seeds, that of seeds.
func (a *app) printForecast(p *powering, f forecast) error {
	if f.Pilot != nil {
		fmt.Fprintf(a.out, "%s: difference %.1f points over %d items\n",
			versus.Arm(compare.Pair{ArmA: f.Pilot.ArmA, ArmB: f.Pilot.ArmB, Point: f.Pilot.Point, PointB: f.Pilot.PointB}), 100*f.Pilot.Diff, f.Pilot.Items)
	}
	fmt.Fprintf(a.out, "Two-sided test at level %g, power %g %%, %.1f %% of the items discordant.\n", f.Level, 100*f.Power, 100*f.Discordant)
	if f.Diff > 0 {
		how := fmt.Sprintf("McNemar's exact test; Connor: %d", f.Connor)
		if !f.Exact {
			how = "Connor's formula"
		}
		fmt.Fprintf(a.out, "A difference of %g points needs %d items (%s).\n", 100*f.Diff, f.Needed, how)
	}
	if f.Items > 0 && f.Smallest > 0 {
		fmt.Fprintf(a.out, "%d items show a difference of %.1f points or more.\n", f.Items, 100*f.Smallest)
	} else if f.Items > 0 {
		fmt.Fprintf(a.out, "%d items show no difference, however large.\n", f.Items)
	}
	if f.Items > 0 && f.Diff > 0 {
		fmt.Fprintf(a.out, "They show one of %g points with a chance of %.0f %%.\n", 100*f.Diff, 100*f.PowerAt)
	}
	fmt.Fprintln(a.out)
	if err := a.text(p.sizes(f)); err != nil {
		return err
	}
	if f.Pilot == nil {
		return nil
	}
	if !f.Pilot.Seeded() {
		fmt.Fprintln(a.out, "- The runs share one seed: the effect of more seeds is not known.")
		return nil
	}
	if f.Diff > 0 {
		says := fmt.Sprintf("%d seeds", f.Seeds)
		if f.Seeds == 0 {
			says = "no number of seeds"
		}
		fmt.Fprintf(a.out, "\nWith %d items a difference of %g points needs %s.\n", f.Items, 100*f.Diff, says)
	}
	fmt.Fprintln(a.out)
	return a.text(p.seedTable(f))
}

// sizes tabulates how many items show differences from 0.5 to 20 points.
func (p *powering) sizes(f forecast) *table.Table {
	t := &table.Table{ID: "power", Title: "Items that show a difference", Columns: []table.Column{
		{Name: "points", Align: table.Right, Key: true}, {Name: "items", Align: table.Right}, {Name: "Connor", Align: table.Right}}}
	d := p.at(f)
	for _, points := range []float64{0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20} {
		n, exact := d.Items(points / 100)
		items := fmt.Sprint(n)
		if !exact {
			items = "-"
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(fmt.Sprint(points)), table.Text(items), table.Text(fmt.Sprint(int(d.Connor(points / 100))))})
	}
	t.Notes = []string{"For one seed. A difference cannot exceed the discordant share: for a larger one the share is taken to be the difference."}
	return t
}

// seedTable tabulates the smallest difference that is shown, by number of items and of seeds.
func (p *powering) seedTable(f forecast) *table.Table {
	seeds := []int{1, 2, 3, 5, 10, 20}
	t := &table.Table{ID: "power/seeds", Title: "Smallest difference in points, by items and seeds", Columns: []table.Column{{Name: "items", Align: table.Right, Key: true}}}
	for _, s := range seeds {
		t.Columns = append(t.Columns, table.Column{Name: fmt.Sprint(s), Group: "seeds", Align: table.Right})
	}
	for _, n := range []int{max(1, f.Items/4), max(1, f.Items/2), f.Items, 2 * f.Items, 4 * f.Items} {
		row := []table.Cell{table.Text(fmt.Sprint(n))}
		for _, s := range seeds {
			row = append(row, table.Text(fmt.Sprintf("%.1f", 100*f.Pilot.Smallest(n, s, f.Level, f.Power))))
		}
		t.Rows = append(t.Rows, row)
	}
	v := f.Pilot.Variance
	t.Notes = append([]string{fmt.Sprintf("Normal approximation from %d seeds. The difference varies by items with SD %.1f points, by seeds with SD %.1f, and by both with SD %.1f.",
		v.Seeds, 100*math.Sqrt(v.Item), 100*math.Sqrt(v.Seed), 100*math.Sqrt(v.ItemSeed)),
		"These differences hold for exemplars of any seed; the test of assay diff is about the seeds that were run."}, v.Warnings...)
	return t
}
