// Package compare pairs runs with a baseline item by item: what changed, by how much, and whether it is more than chance.
//
// # The model
//
// Items are the units: an item's score is its mean over seeds, and a difference is the mean over items of B less A.
// Where both sides have the same seeds, answers are paired by them, and one without a score on both sides counts on
// neither. Where they have not, each side's score is the mean over all of its own seeds: restricted to shared seeds,
// a side would have another mean in each comparison. Seeds of one item are not independent of each
// other, so they are never counted as pairs of their own. With Options.Cluster databases are the units, as items
// of one database are not independent either; a group within one database has its items as units, and its result holds
// for that database alone.
//
//	test       McNemar's exact test where every item has one pair of 0/1 scores; elsewhere sign flips of the units'
//	           differences (stats.SignFlip), of which McNemar's is a special case
//	interval   Newcombe's score interval where every item has one pair of 0/1 scores; elsewhere a bootstrap over the units,
//	           paired, or a score interval where all units differ by the same
//	smallest   the difference that as many items would show with a chance of Options.Power, given the share of items that
//	           distinguish the runs: from the exact power of McNemar's test, or (z + z') times the standard error over the
//	           units; before Holm's correction
//
// Holm's correction is per family: all pairs of arms, sweep points and runs of the report are one family, and all groups of
// one axis of Options.By, over all those pairs, are another.
//
// Draws are of one fixed seed, and in the order of A's items, so that a pair of arms has the same interval and p wherever it is
// compared: in a comparison of two runs, within one, or in a table.
//
// Runs come in read from disk; the common items are found, or the comparison is refused; answers are paired, each pair of
// arms is tested, and the flips are explained. Nothing here runs a query or asks a model, and no number depends on which
// other runs are in the report, except Holm's correction.
//
// # Within a run
//
// Within compares the arms of one run with its first, and Ablations compares arms that have blocks of their prompts or params
// changed with what they were. The statistics are those above, and the pairs of each are one family.
// Effects and Interactions say what a value of an axis is worth over all others: differences within pairs of cells that are
// alike but for it are averaged item by item, and items stay the units.
//
// # Reasons of flips
//
// Each flip has a class, the first of the constants [Ran] to [Conditions] that holds, and a reason in words. Two
// statements are compared as trees, with aliases resolved and spelling ignored.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"assay/experiments/axes"
	"assay/experiments/cost"
	"assay/experiments/record"
)

// Options says what is compared.
type Options struct {
	Metric  string            // metric id; empty: the first of the baseline's that all have
	Arms    map[string]string // pairs an arm of A with one of B; empty: equal names, or the only arm of each
	By      []axes.Axis       // axes of the items to break the results down by
	Over    []string          // axes of the sweep, or ArmAxis: the results per value of one, averaged over the others; see Marginal
	Cluster bool              // databases are the units instead of items
	Force   bool              // compare the common part of runs that would be refused
	Level   float64           // confidence level; 0 means 0.95
	Power   float64           // of the smallest difference; 0 means 0.8

	effects bool // the scores are effects and no shares, even where all are 0 or 1
}

// filled returns the options with their defaults.
func (o Options) filled() Options {
	o.Level, o.Power = cmp.Or(o.Level, 0.95), cmp.Or(o.Power, 0.8)
	return o
}

// Report is a comparison of runs with one baseline, a value that commands print or encode.
type Report struct {
	Metric      string        `json:"metric"`
	Level       float64       `json:"level"`
	Power       float64       `json:"power"`
	Cluster     bool          `json:"cluster"`
	Base        Side          `json:"base"`
	Comparisons []*Comparison `json:"comparisons"`
	Families    []Family      `json:"families"`
	Patterns    []Patterns    `json:"patterns,omitempty"` // of two or more runs compared with the baseline
}

// Family is the groups whose p-values are corrected together.
type Family struct {
	Axis  string `json:"axis"` // empty: the groups of all items
	Tests int    `json:"tests"`
}

// Comparison is one run compared with the baseline.
type Comparison struct {
	A         Side         `json:"a"` // the baseline
	B         Side         `json:"b"`
	Config    []Difference `json:"config"`    // keys of the resolved experiments that differ
	Warnings  []string     `json:"warnings"`  // why the numbers may not be comparable
	Notes     []string     `json:"notes"`     // what differs by intent: prompts, seeds
	Identical bool         `json:"identical"` // every compared row has the same score and the same SQL
	Pairs     []Pair       `json:"pairs"`
	Marginals []Marginal   `json:"marginals,omitempty"`
}

// Side names one run.
type Side struct {
	Label    string          `json:"label"` // A is the baseline, B, C and so on the others in the order given
	Name     string          `json:"name"`
	Dir      string          `json:"dir"`
	Manifest record.Manifest `json:"manifest"`
	// Seconds is the wall-clock time of all starts of the run that made calls, for all arms together; 0 where unknown.
	Seconds float64 `json:"seconds,omitempty"`
}

// Difference is a config key whose value differs; a side that lacks it is empty.
type Difference struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`
}

// Pair is one arm of A compared with one of B, each at one sweep point.
type Pair struct {
	ArmA    string       `json:"arm_a"`
	ArmB    string       `json:"arm_b"`
	Axes    []string     `json:"axes,omitempty"`    // what A sweeps
	Point   []string     `json:"point,omitempty"`   // its values there
	AxesB   []string     `json:"axes_b,omitempty"`  // what B sweeps
	PointB  []string     `json:"point_b,omitempty"` // its values there: the same where both runs have the point
	All     Group        `json:"all"`
	By      []Breakdown  `json:"by,omitempty"`
	SpentA  Spending     `json:"spent_a"`
	SpentB  Spending     `json:"spent_b"`
	Flips   []Flip       `json:"flips"`   // losses first, in the order of the items
	Reasons []ClassCount `json:"reasons"` // the flips by class
}

// Breakdown is a pair's items divided into groups by one axis.
type Breakdown struct {
	Axis   string  `json:"axis"`
	Groups []Group `json:"groups"`
}

// Against compares runs with the baseline. It refuses an unfair comparison with a *refusedError, unless o.Force asks for the
// common part. The items of the runs are priced, see [cost.PriceItems]. A run that shares no scored pair of rows with the
// baseline is an error.
func Against(base *record.Run, others []*record.Run, o Options) (*Report, error) {
	o = o.filled()
	metric, err := commonMetric(append([]*record.Run{base}, others...), o.Metric)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	o.Metric = metric
	for _, run := range append([]*record.Run{base}, others...) {
		if err := cost.PriceItems(run); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
	}
	r := &Report{Metric: metric, Level: o.Level, Power: o.Power, Cluster: o.Cluster, Base: side(base)}
	r.Base.Label = label(0)
	for _, b := range others {
		if err := sweptBy(o.Over, base.Manifest.Axes, b.Manifest.Axes); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
	}
	x := base.Index()
	labels, further := []string{r.Base.Label}, [][]stratum(nil)
	for i, b := range others {
		c, strata, err := runs(x, b, label(i+1), o)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		r.Comparisons = append(r.Comparisons, c)
		labels, further = append(labels, c.B.Label), append(further, strata)
	}
	r.Patterns = patterns(labels, base.Manifest.Axes, further)
	r.correct(o)
	return r, nil
}

// Runs compares b with a, the baseline.
func Runs(a, b *record.Run, o Options) (*Comparison, error) {
	r, err := Against(a, []*record.Run{b}, o)
	if err != nil {
		return nil, err
	}
	return r.Comparisons[0], nil
}

// runs compares b, under the label, with the indexed run, and returns the compared answers too; p-values are not yet corrected.
func runs(x *record.Index, b *record.Run, as string, o Options) (*Comparison, []stratum, error) {
	a := x.Run
	ia, ib := slices.Index(a.Manifest.MetricIDs(), o.Metric), slices.Index(b.Manifest.MetricIDs(), o.Metric)
	c := &Comparison{A: side(a), B: side(b), Identical: true}
	c.A.Label, c.B.Label = label(0), as
	items, reasons := common(a, b, ia, ib, as)
	if len(reasons) > 0 && !o.Force {
		return nil, nil, &refusedError{A: c.A.Name, B: c.B.Name, Label: as, Reasons: reasons}
	}
	if len(items) == 0 {
		return nil, nil, fmt.Errorf("%s and %s have no item in common", c.A.Name, c.B.Name)
	}
	c.Warnings, c.Notes = warningsOf(a, b, as)
	if len(reasons) > 0 {
		c.Warnings = append(c.Warnings, reasons...)
		c.Warnings = append(c.Warnings, fmt.Sprintf("compared on the common part, %d items", len(items)))
	}
	arms, err := armPairs(a, b, o.Arms)
	if err != nil {
		return nil, nil, err
	}
	ca, cb := Placeless(a, b)
	c.Config = withoutRenames(Configs(ca, cb, arms), ca, cb, arms, a.Resolved.Known)
	ra, rb := newCompared(x, ia, items), newCompared(b.Index(), ib, items)
	var strata []stratum
	for _, p := range arms {
		paired, err := c.pairArms(ra, rb, p, o)
		if err != nil {
			return nil, nil, err
		}
		strata = append(strata, paired...)
	}
	c.Marginals = marginals(strata, a.Manifest.Axes, b.Manifest.Axes, o)
	return c, strata, c.something(len(items), o)
}

// pairArms adds the pairs of one arm of each run, one per pair of sweep points, and returns their answers.
func (c *Comparison) pairArms(a, b compared, arms [2]string, o Options) (out []stratum, err error) {
	note := func(text string) {
		if text != "" && !slices.Contains(c.Notes, text) {
			c.Notes = append(c.Notes, text)
		}
	}
	points, noted, err := pairPoints(a.sweeping(c.A.Manifest.Axes, arms[0]), b.sweeping(c.B.Manifest.Axes, arms[1]))
	if err != nil {
		return nil, fmt.Errorf("%s and %s have nothing to pair: arm %s: %w", c.A.Name, c.B.Name, arms[0], err)
	}
	note(noted)
	for _, point := range points {
		s := stratum{a: a.at(arms[0], point[0]), b: b.at(arms[1], point[1])}
		s.matched = match(s.a, s.b)
		pair := newPair(s, c.B.Label, o)
		pair.Axes, pair.AxesB = c.A.Manifest.Axes, c.B.Manifest.Axes
		c.Identical = c.Identical && s.identical && len(s.units) > 0
		c.Pairs = append(c.Pairs, pair)
		note(s.note)
		out = append(out, s)
	}
	return out, nil
}

// something fails where no pair has an item scored on both sides: an empty comparison would print as "no difference".
func (c *Comparison) something(items int, o Options) error {
	if slices.ContainsFunc(c.Pairs, func(p Pair) bool { return p.All.Items > 0 }) {
		return nil
	}
	return fmt.Errorf("%s and %s have nothing to pair: no item has a score under %s in both, of %d; `assay show` prints what became of an item",
		c.A.Name, c.B.Name, o.Metric, items)
}

// label is the letter of run i: A to Z, then AA.
func label(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return label(i/26-1) + label(i%26)
}

func side(r *record.Run) Side {
	s := Side{Name: r.Manifest.Experiment + "-" + r.Manifest.ID, Dir: r.Dir, Manifest: r.Manifest}
	if seconds, err := cost.ReadSeconds(r.Dir); err == nil { // a comparison need not fail because a time is missing
		s.Seconds = seconds
	}
	return s
}
