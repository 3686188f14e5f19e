package join

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/compare"
	"assay/experiments/record"
)

// An answer counts once: an arm that two runs have with the same settings, on the same data, is one arm of the joined run
// where the runs' answers agree, and two with names of their own where they do not.

// group is an arm of the joined run: an arm of one run, or of several runs that agree in it.
type group struct {
	arm     string // its name in the runs
	runs    []int  // the first is the one whose settings and rows go first
	name    string // its name in the joined run
	answers map[record.Key]string
}

// groups returns the arms of the joined run, in the order of the runs and their arms. doubts warns of the arms that runs share.
func groups(runs []*record.Run, indexes []*record.Index, metrics []record.Metric) (out []*group, doubts []string) {
	for i, r := range runs {
		all := answers(indexes[i], metrics)
		for _, arm := range armNames(indexes[i]) {
			own := all[arm]
			like := func(g *group) bool { return g.arm == arm && sameArm(runs[g.runs[0]], r, arm) }
			agreed := slices.IndexFunc(out, func(g *group) bool { return like(g) && agree(g.answers, own) })
			if agreed >= 0 {
				g := out[agreed]
				maps.Copy(g.answers, own)
				g.runs = append(g.runs, i)
				continue
			}
			if k := slices.IndexFunc(out, like); k >= 0 {
				doubts = append(doubts, fmt.Sprintf("arm %q of %s and %s has the same settings but other answers: the two are kept apart",
					arm, name(runs[out[k].runs[0]]), name(r)))
			}
			out = append(out, &group{arm: arm, runs: []int{i}, answers: own})
		}
	}
	for _, g := range out {
		if len(g.runs) > 1 {
			doubts = append(doubts, fmt.Sprintf("arm %q of %s is the same arm with the same answers: each answer counts once", g.arm, names(runs, g.runs)))
		}
	}
	return out, doubts
}

func names(runs []*record.Run, at []int) string {
	list := make([]string, len(at))
	for k, i := range at {
		list[k] = name(runs[i])
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// armNames returns the arms of a run: those of its experiment, then those that only its rows have.
func armNames(x *record.Index) (out []string) {
	known := map[string]bool{}
	add := func(arm string) {
		if !known[arm] {
			known[arm] = true
			out = append(out, arm)
		}
	}
	for _, a := range x.Run.Resolved.Arms {
		add(a.Name)
	}
	for _, s := range x.Series {
		add(s.Arm)
	}
	return out
}

// sameArm reports whether an arm of two runs is one: its settings, those that no arm has, and every identity of
// the runs are equal. Names and descriptions of arms and experiments do not matter.
func sameArm(a, b *record.Run, arm string) bool {
	ma, mb := a.Manifest, b.Manifest
	a, b = placeless(a, b)
	return maps.Equal(arms(a)[arm], arms(b)[arm]) && len(compare.Configs(apartFromArms(a), apartFromArms(b), nil)) == 0 &&
		ma.Dataset == mb.Dataset && ma.DatasetHash == mb.DatasetHash && ma.PromptHash == mb.PromptHash && ma.ExemplarsHash == mb.ExemplarsHash && ma.SQLite == mb.SQLite
}

// answers returns a run's answers by arm and key, each as one text: status, SQL and scores of the answer, and of every
// candidate of its pool.
func answers(x *record.Index, metrics []record.Metric) map[string]map[record.Key]string {
	values := scores(metrics, x.Run)
	out := map[string]map[record.Key]string{}
	for _, arm := range armNames(x) {
		out[arm] = map[record.Key]string{}
	}
	for _, a := range x.Answers {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %q %v\n", a.Item.Status, a.Item.SQL, values(a.Item.Values))
		for _, c := range a.Candidates {
			fmt.Fprintf(&b, "%d %q %s %q %v %d\n", c.Sample, c.Generator, c.Status, c.SQL, values(c.Values), c.Chosen)
		}
		out[a.Item.Arm][a.Item.Key()] = b.String()
	}
	return out
}

// agree reports whether all runs have the same answer for each key.
func agree(a, b map[record.Key]string) bool {
	for at, answer := range b {
		if other, ok := a[at]; ok && other != answer {
			return false
		}
	}
	return true
}

// nameGroups gives every group a unique name: the arm's own where no other group with answers has it, otherwise followed by
// the differences of its first run, and by that run's id where this is not enough.
func nameGroups(all []*group, runs []*record.Run, suffix []string) {
	having, taken := map[string]int{}, map[string]bool{}
	for _, g := range all {
		if len(g.answers) > 0 {
			having[g.arm]++
		}
	}
	for _, g := range all {
		if having[g.arm] <= 1 && len(g.answers) > 0 {
			g.name, taken[g.arm] = g.arm, true
		}
	}
	for _, g := range all {
		if g.name != "" {
			continue
		}
		first := g.runs[0]
		if g.name = g.arm + " (" + suffix[first] + ")"; taken[g.name] {
			g.name = g.arm + " (" + suffix[first] + ", run " + runs[first].Manifest.ID + ")"
		}
		taken[g.name] = true
	}
}
