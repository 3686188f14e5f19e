package paper

import (
	"fmt"
	"math"
	"strings"

	"assay/metrics/process"
	"assay/metrics/stats"
	"assay/plots/table"
)

// propagationSeed draws the items of bootstrap intervals; it is fixed, so that a report of the same run has the same numbers.
const propagationSeed = 1

// propagationTable has one row per arm whose steps can be judged: how often its answers are wrong after an error in a step and
// without, and against an arm without steps on the same items.
func propagationTable(v *view) (Output, error) {
	columns := numerals("answers", "with an error", "without")
	columns = append(columns, numerals("wrong %", "with an error", "without")...)
	columns = append(columns, numerals("difference", "points", "ratio", "same level")...)
	columns = append(columns, numerals("gain over an arm without steps", "with an error", "without", "difference")...)
	for i := range columns {
		columns[i].Short = map[string]string{"with an error": "error", "without": "none"}[columns[i].Name]
		columns[i].Extra = columns[i].Name == "ratio" || columns[i].Name == "same level"
	}
	var said, others []string
	t := v.lines("propagation", "Whether an error in a step makes the answer wrong", columns, func(_ int, r row) [][]table.Cell {
		if len(r.paths(true)) == 0 {
			return nil
		}
		other, paired := v.stepless(r)
		p := process.Propagate(v.ways(r, other), confidence, resamples, propagationSeed)
		if said = append(said, v.propagationSaid(r, p)); paired && p.Pairs > 0 {
			others = append(others, v.name(other))
			said = append(said, v.gapSaid(r, other, p))
		}
		return [][]table.Cell{{table.Count(p.Errors), table.Count(p.Clean), points(p.With, p.Errors, false), points(p.Without, p.Clean, false),
			points(p.Difference, p.Errors+p.Clean, true), ratioCell(p), points(p.Within, p.Errors+p.Clean, true),
			points(p.GapWith, p.PairsOfErrors, true), points(p.GapWithout, p.Pairs-p.PairsOfErrors, true), points(p.Excess, p.Pairs, true)}}
	})
	notes := append(said, "With an error: answers of which a step before the answer has one; answers to questions that were not divided are on neither side. Wrong: as the first metric has the query that the steps lead to, before any fixer. "+
		"In brackets 95 % intervals over items: of shares Wilson's, carried over to means where an item has several answers; of differences and ratios these squared and added (Newcombe 1998; Donner and Zou 2012). "+
		"Same level: the difference among items of the same "+v.leveling+", weighted after Mantel and Haenszel; its interval, and those of the gain, draw items anew (bootstrap); that of the difference of gains squares and adds theirs.",
		"This measures how far errors in steps and wrong answers go together, and not that one leads to the other. Difficult questions have more of both; and where steps and answer are of one completion, one misreading shows in both, "+
			"as do the columns of a wrong query that its own steps list. What an error does would show where the step is put right and the answer asked for again.")
	if len(others) > 0 {
		notes = append(notes, "Gain over an arm without steps: how many points more of these same answers are right than that arm's to the same items, which are as difficult. Its difference leaves difficulty out, but is below 0 too where only a slip of this arm, and no propagation, makes both its step and its answer wrong. The arm without steps: "+some(unique(others))+".")
	}
	t.Notes = v.notes(append(notes, stepErrors, stepLess(v))...)
	return Output{Table: t}, nil
}

// points is a share or difference in percent with its interval; blank where it is unknown.
func points(in stats.Interval, n int, signed bool) table.Cell {
	if math.IsNaN(in.Estimate) {
		return table.Cell{}
	}
	x := table.Number{Value: 100 * in.Estimate, N: n, Decimals: 1, Signed: signed}
	if !math.IsNaN(in.Low) {
		x.Low, x.High, x.HasInterval = min(100*in.Low, x.Value), max(100*in.High, x.Value), true
	}
	return table.Measured(x)
}

// ratioCell is the ratio of risks; blank where the answers without an error are all right. One without an upper bound has no
// interval.
func ratioCell(p process.Propagation) table.Cell {
	if math.IsNaN(p.Ratio.Estimate) {
		return table.Cell{}
	}
	x := table.Number{Value: p.Ratio.Estimate, N: p.Errors + p.Clean, Decimals: 2}
	if !math.IsInf(p.Ratio.High, 0) {
		x.Low, x.High, x.HasInterval = p.Ratio.Low, p.Ratio.High, true
	}
	return table.Measured(x)
}

// propagationSaid is the row's finding as a sentence.
func (v *view) propagationSaid(r row, p process.Propagation) string {
	if p.Errors == 0 || p.Clean == 0 {
		side := "has an error in a step"
		if p.Errors > 0 {
			side = "is without an error in a step"
		}
		return fmt.Sprintf("%s: no answer %s, so that nothing can be said of propagation.", v.name(r), side)
	}
	d := p.Difference
	return fmt.Sprintf("%s: answers are wrong in %s %% of %d after an error in a step and in %s %% of %d without, %s points %s (%s to %s), %s.",
		v.name(r), fixed(100*p.With.Estimate), p.Errors, fixed(100*p.Without.Estimate), p.Clean, fixed(100*math.Abs(d.Estimate)),
		moreOrFewer(d.Estimate), signedPoints(d.Low), signedPoints(d.High), finding(d, "errors go with wrong answers", "errors go with right answers", "this run does not show that errors propagate"))
}

// gapSaid is the comparison with an arm without steps as a sentence; empty where one side has no pair.
func (v *view) gapSaid(r, other row, p process.Propagation) string {
	if math.IsNaN(p.Excess.Estimate) {
		return ""
	}
	words := fmt.Sprintf("Against %s on the same items %s has %s points after an error and %s without", v.name(other), v.name(r), signedPoints(p.GapWith.Estimate), signedPoints(p.GapWithout.Estimate))
	if math.IsNaN(p.Excess.Low) {
		return words + "; the answers are too few, or too alike, for an interval."
	}
	return words + fmt.Sprintf(": a difference of %s (%s to %s), %s.", signedPoints(p.Excess.Estimate), signedPoints(p.Excess.Low), signedPoints(p.Excess.High),
		finding(p.Excess, "which is against propagation", "as propagation would have it, and as one slip would that shows in both the step and the answer", "which may be chance"))
}

// finding says on which side of 0 an interval lies.
func finding(in stats.Interval, above, below, across string) string {
	switch {
	case in.Low > 0:
		return above
	case in.High < 0:
		return below
	}
	return "an interval with 0 in it: " + across
}

func moreOrFewer(x float64) string {
	if x < 0 {
		return "fewer"
	}
	return "more"
}

func fixed(x float64) string { return stats.Fixed(x, 1) }

func signedPoints(share float64) string {
	s := fixed(100 * share)
	if share > 0 && !strings.HasPrefix(s, "+") {
		s = "+" + s
	}
	return s
}
