package paper

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/plots/figure"
	"assay/plots/table"
)

func whyNoAblation(v *view) string {
	if !compare.Ablates(v.index) {
		return "it sweeps no blocks or params that an arm has, and no two arms differ in these alone"
	}
	return whyNoScores(v)
}

func whyNoForestAblation(v *view) string {
	if why := whyNoAblation(v); why != "" {
		return why
	}
	return whyNoRows(v)
}

// ablations are those of the run, with their contrasts alone beside them.
func (v *view) ablations() (all []compare.Ablation, cs []compare.Contrast, err error) {
	all, err = compare.Ablations(v.index, compare.Options{Metric: v.ids[0], Level: confidence})
	for _, a := range all {
		cs = append(cs, a.Contrast)
	}
	return all, cs, err
}

// stratum is the sweep point of a row without the axes that the table has as parts.
func (v *view) stratum(point []string) (axes, values []string) {
	for i, x := range v.run.Manifest.Axes {
		if i < len(point) && !strings.HasPrefix(x, "blocks.") && !strings.HasPrefix(x, "params.") {
			axes, values = append(axes, x), append(values, point[i])
		}
	}
	return axes, values
}

// changedNames returns what differs and its values on both sides, as short as they are clear: "blocks.hint, rules", "kept", "off".
func changedNames(changed []compare.Difference) (part, from, to string) {
	var parts, before, after []string
	head := ""
	for _, d := range changed {
		own, name, _ := strings.Cut(d.Key, ".")
		if own != head {
			name = d.Key
		}
		head = own
		parts, before, after = append(parts, name), append(before, d.A), append(after, d.B)
	}
	list := func(values []string) string {
		if len(unique(values)) == 1 {
			return values[0]
		}
		return strings.Join(values, ", ")
	}
	return strings.Join(parts, ", "), list(before), list(after)
}

// ablationTable has one row per arm and change of its blocks or params.
func ablationTable(v *view) (Output, error) {
	all, cs, err := v.ablations()
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "ablation", Title: v.ablationTitle(), Columns: []table.Column{{Name: "arm", Key: true}}}
	axes, _ := v.stratum(v.run.Manifest.Axes)
	for _, name := range append(axes, "part", "value") {
		t.Columns = append(t.Columns, table.Column{Name: name, Key: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "reference", Short: "ref."})
	t.Columns = append(t.Columns, numerals("", "items", "baseline", v.display(v.ids[0]), "difference", "lost", "won", "p, Holm", "tokens saved")...)
	n := len(t.Columns)
	t.Columns[n-8].Short, t.Columns[n-7].Short, t.Columns[n-1].Short = "n", "base", "saved"
	for _, a := range all {
		part, from, to := changedNames(a.Changed)
		_, at := v.stratum(a.PointB)
		row := append(keys(v.labelOf(a.ArmB), at), table.Text(part), table.Text(to), table.Text(from))
		numbers := contrastCells(a.Contrast)
		numbers[len(numbers)-1] = saved(a)
		t.Rows = append(t.Rows, append(row, numbers...))
	}
	t.Notes = v.notes(append(v.ablationNotes(all, cs),
		"~: not significant. Lost: right at the reference alone; won: right with the change alone. Tokens saved: prompt tokens of the reference less those with the change, a mean over the answers.")...)
	return Output{Table: t}, nil
}

func (v *view) ablationTitle() string {
	return fmt.Sprintf("What each part is worth, by %s: %s", v.display(v.ids[0]), v.run.Manifest.Experiment)
}

// saved is by how many prompt tokens a mean answer became shorter.
func saved(a compare.Ablation) table.Cell {
	switch {
	case a.Items == 0:
		return table.Cell{}
	case !a.SpentA.Prompt.OK || !a.SpentB.Prompt.OK:
		return unknown()
	}
	mean := func(s compare.Spending) float64 { return float64(s.Prompt.N) / float64(s.Answers) }
	return table.Measured(table.Number{Value: mean(a.SpentA) - mean(a.SpentB), N: a.Pairs, Decimals: 1})
}

// ablationNotes explains what is compared with what.
func (v *view) ablationNotes(all []compare.Ablation, cs []compare.Contrast) []string {
	out := []string{"A row changes a part of the prompt, or a param, and leaves the others at their reference; a row of several changes them together. " +
		"A part is worth what is lost without it: a negative difference where it was taken out."}
	if slices.ContainsFunc(all, func(a compare.Ablation) bool { return a.ArmA == a.ArmB && len(a.Changed) > 1 }) {
		out = append(out, "Of several parts together only all of them left out are compared; every other combination is a row of the table \"sweep\".")
	}
	var references []string
	others := map[string][]string{}
	for _, a := range all {
		if a.ArmA != a.ArmB {
			from := v.labelOf(a.ArmA)
			references = unique(append(references, from))
			part, _, _ := changedNames(a.Changed)
			others[from] = append(others[from], v.labelOf(a.ArmB)+" ("+part+")")
		}
	}
	for _, r := range references {
		out = append(out, fmt.Sprintf("Compared with the arm %s: %s.", r, few(unique(others[r]))))
	}
	return append(out, v.differenceNotes(cs, "the reference")...)
}

// forestAblation draws the changes of each arm under a heading.
func forestAblation(v *view) (Output, error) {
	all, cs, err := v.ablations()
	if err != nil {
		return Output{}, err
	}
	f := &figure.Forest{ID: "forest-ablation", Title: v.ablationTitle(), XLabel: v.display(v.ids[0]) + ", difference in points",
		Places: 1, Filled: "significant after Holm's correction", Hollow: "not significant"}
	for _, a := range all {
		part, from, to := changedNames(a.Changed)
		e := effect(fmt.Sprintf("%s: %s for %s", part, to, from), a.Contrast)
		e.Group = v.labelOf(a.ArmB)
		axes, values := v.stratum(a.PointB)
		for i, x := range axes {
			e.Group += ", " + x + " " + values[i]
		}
		f.Rows = append(f.Rows, e)
	}
	if !slices.ContainsFunc(f.Rows, func(e figure.Effect) bool { return e.OK }) {
		return Output{}, errors.New("no change has a scored item in common with its reference")
	}
	f.Caption = v.tail(append(v.ablationNotes(all, cs), intervalsNote)...)
	return Output{Figure: f}, nil
}
