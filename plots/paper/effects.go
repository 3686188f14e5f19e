package paper

import (
	"fmt"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"
)

// effectMakers are the tables of what a run varies.
var effectMakers = []maker{
	{"effects", "What each value of an axis is worth, over all others", ours, false, whyNoEffects, common, effectsTable},
	{"interactions", "How far the worth of one axis depends on another", ours, false, whyNoInteractions, fewInteractions, interactionsTable},
}

func whyNoEffects(v *view) string {
	if len(compare.Factors(v.index)) < 2 {
		return "it varies one thing alone, of which the table of differences tells: it needs two axes, or one and several arms"
	}
	return whyNoScores(v)
}

// mostInteractions bounds what a table can have and be read; drawing their intervals takes about 0.03 s each.
const mostInteractions = 400

// usualInteractions is how many a report has that was not asked for them.
const usualInteractions = 24

func whyNoInteractions(v *view) string {
	if why := whyNoEffects(v); why != "" {
		return why
	}
	if n := interactionsOf(v); n > mostInteractions {
		return fmt.Sprintf("it would have %d rows (at most %d can be read); effects has the main effects", n, mostInteractions)
	}
	return ""
}

func fewInteractions(v *view) bool { return interactionsOf(v) <= usualInteractions }

// interactionsOf counts the interactions of a run.
func interactionsOf(v *view) (n int) {
	before := 0
	for _, f := range compare.Factors(v.index) {
		n += before * (len(f.Values) - 1)
		before += len(f.Values) - 1
	}
	return n
}

// valueName names a value of a factor: an arm by its label, and another value with its axis.
func (v *view) valueName(axis, value string) string {
	if axis == compare.ArmAxis {
		return v.labelOf(value)
	}
	return setting(axis, value)
}

// setting is a value of a sweep's axis as rows and legends name it.
func setting(axis, value string) string { return axis + " = " + value }

// effectsTable has one row per value of a factor but its reference.
func effectsTable(v *view) (Output, error) {
	es, err := compare.Effects(v.index, compare.Options{Metric: v.ids[0], Level: confidence})
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "effects", Title: fmt.Sprintf("Main effects on %s: %s", v.display(v.ids[0]), v.run.Manifest.Experiment)}
	t.Columns = []table.Column{{Name: "axis", Key: true}, {Name: "value", Key: true}, {Name: "against", Key: true}, {Name: "cells", Align: table.Right, Extra: true}}
	t.Columns = append(t.Columns, numerals("", "items", "baseline", v.display(v.ids[0]), "difference", "lost", "won", "p, Holm", "shows")...)
	t.Columns[4].Short, t.Columns[5].Short = "n", "base"
	for _, i := range []int{8, 9, 11} {
		t.Columns[i].Extra = true
	}
	t.Columns[8].Note, t.Columns[9].Note = lostNote, lostNote
	groups := make([]compare.Group, len(es))
	alone := 0
	for i, e := range es {
		row := []table.Cell{table.Text(e.Axis), table.Text(e.To), table.Text(e.From), table.Count(e.Cells)}
		if e.Axis == compare.ArmAxis {
			row[1], row[2] = table.Text(v.labelOf(e.To)), table.Text(v.labelOf(e.From))
		}
		t.Rows = append(t.Rows, append(row, contrastCells(compare.Contrast{Group: e.Group})...))
		groups[i], alone = e.Group, alone+e.Alone
	}
	notes := []string{"A value is compared with another over all cells that are alike but for it: pairs of cells with the same " + v.elseSame() + ". An item's difference is its mean over these pairs of cells, " +
		"those where it has a score on both sides; the row is the mean over items, with items as the units.", lostNote}
	if alone > 0 {
		notes = append(notes, fmt.Sprintf("%d %s no partner and %s left out.", alone, plural(alone, "cell has", "cells have"), plural(alone, "is", "are")))
	}
	notes = append(notes, v.withoutNotes(es)...)
	t.Notes = v.notes(append(notes, familyNote(groups))...)
	return Output{Table: t}, nil
}

const lostNote = "Lost and won count items times cells."

// withoutNotes says which arms lack a block or param, and so have no part in what it is worth.
func (v *view) withoutNotes(es []compare.Effect) (notes []string) {
	for _, e := range es {
		if len(e.Without) == 0 {
			continue
		}
		var labels []string
		for _, arm := range e.Without {
			labels = append(labels, v.labelOf(arm))
		}
		notes = append(notes, fmt.Sprintf("%s is not of every arm: without %s.", e.Axis, strings.Join(labels, ", ")))
	}
	return unique(notes)
}

// elseSame lists what pairs of cells have in common: "arm, strategy, k and seed, but for the axis itself".
func (v *view) elseSame() string {
	var parts []string
	for _, f := range compare.Factors(v.index) {
		parts = append(parts, f.Name)
	}
	return strings.Join(parts, ", ") + " and seed, but for the axis itself"
}

// familyNote says how the intervals and tests of a family were computed, and each warning with its number of rows.
func familyNote(groups []compare.Group) string {
	var tests, intervals, warnings []string
	family, unpaired := 0, 0
	count := map[string]int{}
	for _, g := range groups {
		unpaired += g.Unpaired
		if g.Items == 0 {
			continue
		}
		family++
		tests, intervals = append(tests, g.Test), append(intervals, g.Interval)
		var own []string
		for _, w := range g.Warnings {
			own = append(own, fewNote(w, g))
		}
		for _, w := range unique(own) {
			count[w]++
			warnings = append(warnings, w)
		}
	}
	if family == 0 {
		return "No item has a score on both sides."
	}
	s := fmt.Sprintf("Interval (95 %%): %s, not adjusted for the number of rows. p, two-sided: %s; Holm's correction over %d %s, ~: not significant at 0.05.",
		strings.Join(unique(intervals), " or "), strings.Join(unique(tests), " or "), family, plural(family, "row", "rows"))
	for _, w := range unique(warnings) {
		s += fmt.Sprintf(" In %d of %d rows: %s.", count[w], family, w)
	}
	if unpaired > 0 {
		s += fmt.Sprintf(" In all rows together %d %s no partner, or no score on one side.", unpaired, plural(unpaired, "answer has", "answers have"))
	}
	return s
}

// interactionsTable has one row per value of a factor and value of another, but for the references.
func interactionsTable(v *view) (Output, error) {
	is, err := compare.Interactions(v.index, compare.Options{Metric: v.ids[0], Level: confidence})
	if err != nil {
		return Output{}, err
	}
	t := &table.Table{ID: "interactions", Title: fmt.Sprintf("Interactions in %s: %s", v.display(v.ids[0]), v.run.Manifest.Experiment)}
	t.Columns = []table.Column{{Name: "effect of", Key: true}, {Name: "at", Key: true}, {Name: "cells", Align: table.Right, Extra: true}}
	t.Columns = append(t.Columns, numerals("", "items", "there", "at reference", "difference", "p, Holm")...)
	t.Columns[3].Short, t.Columns[5].Short = "n", "at ref."
	groups := make([]compare.Group, len(is))
	for i, e := range is {
		groups[i] = e.Group
		row := []table.Cell{table.Text(v.valueName(e.Axis, e.To)), table.Text(v.valueName(e.Other, e.OtherTo)), table.Count(e.Cells)}
		cells := contrastCells(compare.Contrast{Group: e.Group}) // items, both effects, difference, lost, won, p, shows
		t.Rows = append(t.Rows, append(row, cells[0], cells[2], cells[1], cells[3], cells[6]))
	}
	var references []string
	for _, f := range compare.Factors(v.index) {
		references = append(references, v.valueName(f.Name, f.Values[0]))
	}
	t.Notes = v.notes("In points: what the value of the first column is worth at that of the second (there), and at the second's reference; the difference of the two differences is the interaction. "+
		"References: "+strings.Join(references, "; ")+". An item's differences are within cells that are the same in everything else, and their means are over all such cells; items are the units. "+
		"Where four such cells are not there, or an arm lacks the block or param, the row is empty.", familyNote(groups))
	return Output{Table: t}, nil
}
