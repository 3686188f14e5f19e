// Package paper makes the named tables and figures of a report from a stored run. The run's index becomes a view, with one row
// per arm and sweep point; a maker, or the description of a published table (folder tables) with its frame and measures, turns
// the view into a table or a figure; Make gathers them into a Report, with what they have in common said once; Write saves
// them and the page. The package never calls a model, never opens a database,
// and imports nothing of prompting: every number comes from the run's files, so that a
// report can be made again anywhere, at any time.
package paper

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
)

// Output is one table or one figure; the other is nil.
type Output struct {
	Name   string
	Table  *table.Table
	Figure figure.Drawing
	Aside  bool // nobody named it, and few need it: it has files and a place on the page, and none in a terminal
}

// Info describes one name, and says whether the run can give it.
type Info struct {
	Name   string
	Title  string
	Source string // who defined the table: a paper, or assay
	Figure bool   // it is a figure, not a table
	Why    string // why the run cannot give it; empty where it can
}

// maker makes one table or figure.
type maker struct {
	name   string
	title  string
	source string
	figure bool
	why    func(*view) string // returns why the run cannot give it, or ""
	common func(*view) bool   // reports whether a report has it when the experiment names none
	make   func(*view) (Output, error)
}

const ours = "assay"

// makers returns every maker in the order in which a report shows them: those for any run first, then those of papers.
func makers() []maker {
	return slices.Concat(ownForms, effectMakers, claimMakers, componentMakers, stepMakers, turnMakers, withheldMakers, figureMakers, poolMakers, tokenMakers, describedMakers())
}

// ownForms are the tables and figures that any run may have.
var ownForms = []maker{
	{"arms", "What each arm scored", ours, false, always, common, arms},
	{"sweep", "Accuracy at each point of the sweep", ours, false, whyNoSweep, common, sweep},
	{"hardness", "Accuracy by hardness or difficulty", ours, false, whyNoLevels, common, hardness},
	{"statuses", "What became of the answers", ours, false, always, common, statuses},
	{"differences", "Differences from the first arm, with intervals and tests", ours, false, whyNoDifferences, severalArms, differences},
	{"ablation", "What each part of a prompt and each param is worth", ours, false, whyNoAblation, common, ablationTable},
	{"cost", "Tokens and money by arm and stage", ours, false, whyNoCost, costs, costTable},
	{"variance", "What the accuracy varies by: items, exemplar seed, sampling", ours, false, whyNoVariance, onDemand, varianceTable},
	{"sources", "What the ± is made of: pool, draw and order of demonstrations, sampling", ours, false, whyNoSources, sweepsSources, sourcesTable},
	{"demonstrations", "Demonstrations: the pool, and what two draws of it share", ours, false, whyNoDemonstrations, choosesDemonstrations, demonstrationsTable},
	{"schema-linking", "Columns chosen, against those of the gold query", ours, false, whyNoLinking, common, schemaLinking},
	{"values", "Values found, against the texts of the gold query", ours, false, whyNoValues, common, valuesTable},
	{"bars-hardness", "Accuracy by hardness or difficulty", ours, true, whyNoBars, common, barsHardness},
	{"sweep-line", "Accuracy along the sweep", ours, true, whyNoSweepLine, common, sweepLine},
	{fidelityName, "How near the experiment is to the paper that it repeats", ours, false, whyNoFidelity, never, fidelityTable},
	{errorsName, "Why answers are wrong, as rules suggest", ours, false, whyNoErrors, never, errorsTable},
}

func always(*view) string { return "" }
func common(*view) bool   { return true }
func never(*view) bool    { return false }

// List describes every table and figure, and says which of them the run can give. With a nil run it lists the names alone.
func List(run *record.Run) []Info {
	var v *view
	if run != nil {
		v = newView(run)
	}
	all := makers()
	if run != nil {
		all = append(all, ownMakers(run.Resolved)...)
	}
	for _, a := range axes.List() {
		all = append(all, byMaker(a))
	}
	out := make([]Info, len(all))
	for i, m := range all {
		out[i] = Info{Name: m.name, Title: m.title, Source: m.source, Figure: m.figure}
		if v != nil {
			out[i].Why = m.refusal(v)
		}
	}
	return out
}

// Reports are the names of all tables and figures, for the check of an experiment's report table.
func Reports() (out configs.Choices) {
	for _, one := range List(nil) {
		out = append(out, configs.Choice{ID: one.Name, Shows: one.Title})
	}
	return out
}

// Swept names those of Reports that only an experiment with a sweep has: they refuse a run by whyNoSweep.
func Swept() []string { return []string{"sweep", "sweep-line"} }

// Default returns the names that a report of the run has when the experiment's report table names none.
func Default(run *record.Run) []string {
	v := newView(run)
	var names []string
	for _, m := range append(ownMakers(run.Resolved), makers()...) {
		if m.refusal(v) == "" && m.common(v) {
			names = append(names, m.name)
		}
	}
	return names
}

// details are tables of a report that nobody named which few need at first sight.
var details = []string{"statuses", "schema-linking", "values", "bounds", "generators", "fixer", "selection", "components", "steps", "first-errors", "propagation", "turns", "withheld", "generator-pairs", "generator-order"}

// Names returns the names in the experiment's report table, or Default where it has none.
func Names(run *record.Run) []string {
	r := run.Resolved.Report
	if len(r.Tables)+len(r.Figures) == 0 {
		return Default(run)
	}
	return append(slices.Clone(r.Tables), r.Figures...)
}

// By returns the name of the table that breaks scores down by an axis; see package axes.
func By(a axes.Axis) string { return byPrefix + a.Name }

// find returns the maker with that name: one of makers, one of the experiment's own tables, or by/ with an axis.
func find(name string, own []maker) (maker, error) {
	if axis, ok := strings.CutPrefix(name, byPrefix); ok {
		a, err := axes.Find(axis)
		if err != nil {
			return maker{}, fmt.Errorf("paper: make %q: %w", name, err)
		}
		return byMaker(a), nil
	}
	all := slices.Concat(makers(), own)
	i := slices.IndexFunc(all, func(m maker) bool { return m.name == name })
	if i < 0 {
		return maker{}, fmt.Errorf("paper: make %q: unknown name%s", name, nearest(name, all))
	}
	return all[i], nil
}

func (m maker) refusal(v *view) string {
	if len(v.rows) == 0 {
		return "the run has no answers"
	}
	return m.why(v)
}

// nearest returns the end of the error about an unknown name: the closest name, or all of them.
func nearest(name string, makers []maker) string {
	var all []string
	for _, m := range makers {
		all = append(all, m.name)
	}
	if best := configs.Nearest(name, all); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; there are " + strings.Join(all, ", ") + ", and " + byPrefix + " with an axis"
}
