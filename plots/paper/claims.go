package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/plots/table"
)

// claimMakers are the tables that answer what a paper claims in words.
var claimMakers = []maker{
	{"tai2023/claims", "What the poster of Tai et al. (2023) claims of exemplars, formats and methods, tested", "Tai et al. 2023", false, whyNoClaims, onDemand, claimsTable},
}

// claim is a sentence of a paper with what tests it.
type claim struct {
	says  string // the claim, in our words
	holds string // what it says of the contrasts
	ask   func(*view) []compare.Inquiry
}

// What a claim says of its contrasts.
const (
	change   = "they differ from 0"
	noChange = "they do not"
	notWorse = "they are not below 0"
	gain     = "they are above 0"
)

// claims are those of the poster's summary that arms and axes of a run can test. The fifth, that detailed reasoning propagates
// errors, is held against the arms here; where errors begin is a matter of the steps.
var claims = []claim{
	{"selection matters", change, func(v *view) []compare.Inquiry {
		return []compare.Inquiry{{Axis: "exemplars.preset"}, {Axis: "strategy"}}
	}},
	{"format leaves the methods' order", noChange, func(*view) []compare.Inquiry { return []compare.Inquiry{{Axis: "format", Other: compare.ArmAxis}} }},
	{"number leaves the methods' order", noChange, func(*view) []compare.Inquiry {
		return []compare.Inquiry{{Axis: "k", Other: compare.ArmAxis}, {Axis: "exemplars.k", Other: compare.ArmAxis}}
	}},
	{"iteration is not needed", notWorse, func(v *view) []compare.Inquiry {
		return append(v.between("least-to-most", "qdecomp"), v.between("least-to-most", "qdecomp-intercol")...)
	}},
	{"detailed reasoning costs", gain, func(v *view) []compare.Inquiry {
		return append(v.between("cot", "standard"), v.between("cot", "qdecomp")...)
	}},
}

// between asks what one method's arm is worth against another's, without presets of their own; none where the run lacks one.
func (v *view) between(from, to string) []compare.Inquiry {
	arm := func(method string) string {
		i := slices.IndexFunc(v.rows, func(r row) bool { return r.Config.Method == method })
		if i < 0 {
			return ""
		}
		return v.rows[i].Arm
	}
	if a, b := arm(from), arm(to); a != "" && b != "" {
		return []compare.Inquiry{{Axis: compare.ArmAxis, From: a, To: b}}
	}
	return nil
}

// whyNoClaims refuses a run that varies neither selection, nor format, nor number beside methods.
func whyNoClaims(v *view) string {
	axes := v.run.Manifest.Axes
	studied := slices.ContainsFunc(axes, func(a string) bool { return a == "exemplars.preset" || a == "strategy" }) &&
		slices.ContainsFunc(axes, func(a string) bool { return a == "k" || a == "exemplars.k" || a == "format" })
	if !studied || !severalArms(v) {
		return "it is no study of exemplars: it needs several arms, a sweep of strategy or exemplars.preset, and one of k or format"
	}
	return whyNoScores(v)
}

// claimsTable has a row per finding, claim by claim.
func claimsTable(v *view) (Output, error) {
	found := make([][]compare.Finding, len(claims))
	var list []compare.Inquiry
	var of []int
	for i, c := range claims {
		for _, q := range c.ask(v) {
			list, of = append(list, q), append(of, i)
		}
	}
	answers, err := compare.Findings(v.index, list, compare.Options{Metric: v.ids[0], Level: confidence})
	if err != nil {
		return Output{}, err
	}
	var groups []compare.Group
	for i, fs := range answers {
		found[of[i]] = append(found[of[i]], fs...)
	}
	t := &table.Table{ID: "tai2023-claims", Title: fmt.Sprintf("Claims of Tai et al. (2023), tested on %s: %s", v.display(v.ids[0]), v.run.Manifest.Experiment)}
	t.Columns = []table.Column{{Name: "claim", Key: true}, {Name: "contrast", Key: true}, {Name: "cells", Align: table.Right, Extra: true}}
	t.Columns = append(t.Columns, numerals("", "items", "difference", "p, Holm")...)
	t.Columns[3].Short = "n"
	notes := []string{}
	for i, fs := range found {
		for _, f := range fs {
			cells := contrastCells(compare.Contrast{Group: f.Group}) // items, both sides, difference, lost, won, p, shows
			t.Rows = append(t.Rows, []table.Cell{table.Text(claims[i].says), table.Text(v.findingName(f)), table.Count(f.Cells), cells[0], cells[3], cells[6]})
			groups = append(groups, f.Group)
		}
		if s := claims[i].verdict(fs); s != "" {
			notes = append(notes, s)
		}
	}
	notes = append(notes, "Each contrast is a mean over all cells that are alike in everything else; where no demonstrations are shown (k = 0) their choice is not compared. "+
		"A contrast \"X at Y\" is an interaction: what X is worth in arm Y, less what it is worth in the first arm. The claims are the poster's in other words: that methods are sensitive to the selection of examples, that format and number may not change their relative performance, that iterative prompting may not be necessary, and that detailed reasoning may propagate errors.")
	t.Notes = v.notes(append(notes, familyNote(groups))...)
	return Output{Table: t}, nil
}

// findingName names what is compared.
func (v *view) findingName(f compare.Finding) string {
	switch {
	case f.Of.Other != "":
		return v.valueName(f.Of.Axis, f.Of.To) + " at " + v.valueName(f.Of.Other, f.At)
	case f.Of.Axis == compare.ArmAxis:
		return v.labelOf(f.Of.To) + " against " + v.labelOf(f.Of.From)
	}
	return f.Of.To + " against " + f.Of.From
}

// verdict sums up the findings of a claim. Where nothing is significant it says how large a change could be all the same.
func (c claim) verdict(fs []compare.Finding) string {
	tested, up, down, largest, bound := 0, 0, 0, 0.0, 0.0
	for _, f := range fs {
		if f.Items == 0 {
			continue
		}
		tested++
		switch {
		case f.Significant && f.Diff > 0:
			up++
		case f.Significant:
			down++
		}
		if math.Abs(f.Diff) > math.Abs(largest) {
			largest = f.Diff
		}
		bound = max(bound, math.Abs(f.Low), math.Abs(f.High))
	}
	if tested == 0 {
		return ""
	}
	said := strings.ToUpper(c.says[:1]) + c.says[1:]
	of := fmt.Sprintf("%d %s", tested, plural(tested, "contrast", "contrasts"))
	tail := fmt.Sprintf("the largest is %+.1f points", 100*largest)
	if up+down == 0 {
		return fmt.Sprintf("%s: %s. Of %s none is significant; %s, and no interval reaches beyond ±%.1f.", said, c.word(up, down), of, tail, 100*bound)
	}
	return fmt.Sprintf("%s: %s. Of %s, above 0 beyond chance: %d, below: %d; %s.", said, c.word(up, down), of, up, down, tail)
}

// word says whether a claim stands, by how many contrasts are significantly above and below 0. That none is supports no claim:
// it may be for want of items.
func (c claim) word(up, down int) string {
	against, favours := down, up
	switch c.holds {
	case change:
		against, favours = 0, up+down
	case noChange:
		against, favours = up+down, 0
	}
	switch {
	case against > 0:
		return "contradicted"
	case favours > 0:
		return "supported"
	case c.holds == change || c.holds == gain:
		return "not shown"
	}
	return "not contradicted"
}
