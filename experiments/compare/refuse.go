package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/experiments/record"
)

// refusedError reports a comparison that would not be fair: over different items, data or metrics.
type refusedError struct {
	A, B    string // names of the runs
	Label   string // of B, which the reasons use; A is "A"
	Reasons []string
}

// Error lists the reasons and says how to compare all the same.
func (e *refusedError) Error() string {
	return fmt.Sprintf("%s (A) and %s (%s) cannot be compared: %s (--force compares the common part)", e.A, e.B, e.Label, strings.Join(e.Reasons, "; "))
}

// commonMetric finds the metric that all runs have.
func commonMetric(all []*record.Run, want string) (string, error) {
	var held []string
	for _, r := range all {
		held = append(held, fmt.Sprintf("%s has %s", side(r).Name, strings.Join(r.Manifest.MetricIDs(), ", ")))
	}
	for _, id := range all[0].Manifest.MetricIDs() {
		missing := slices.ContainsFunc(all, func(r *record.Run) bool { return !slices.Contains(r.Manifest.MetricIDs(), id) })
		if !missing && (want == "" || want == id) {
			return id, nil
		}
	}
	if want == "" {
		return "", fmt.Errorf("the runs have no metric in common: %s", strings.Join(held, ", "))
	}
	return "", fmt.Errorf("metric %q is not in all runs: %s", want, strings.Join(held, ", "))
}

// common returns the items that both runs have with the same gold query, and the reasons why the runs are no fair pair, if
// any; label is b's.
func common(a, b *record.Run, ia, ib int, label string) (items map[string]*record.Question, reasons []string) {
	ma, mb := a.Manifest, b.Manifest
	if ma.Dataset != mb.Dataset {
		reasons = append(reasons, fmt.Sprintf("the datasets differ: %s and %s", ma.Dataset, mb.Dataset))
	}
	if x, y := ma.Metrics[ia], mb.Metrics[ib]; x.Fingerprint != y.Fingerprint {
		reasons = append(reasons, fmt.Sprintf("metric %s was computed differently: %q and %q", x.ID, x.Fingerprint, y.Fingerprint))
	}
	items = map[string]*record.Question{}
	for i := range a.Questions {
		items[a.Questions[i].Item] = &a.Questions[i]
	}
	left, onlyB, otherGold, questions := maps.Clone(items), 0, 0, 0
	for _, q := range b.Questions {
		p, ok := items[q.Item]
		switch {
		case !ok:
			onlyB++
		case p.Gold != q.Gold:
			otherGold++ // stays in left, and so is taken out below
			continue
		case p.Question != q.Question || p.Evidence != q.Evidence:
			questions++
		}
		delete(left, q.Item)
	}
	for id := range left {
		delete(items, id)
	}
	onlyA := len(left) - otherGold
	add := func(n int, format string) {
		if n > 0 {
			reasons = append(reasons, fmt.Sprintf(format, n))
		}
	}
	add(onlyA, "the items differ: %d are in A alone")
	add(onlyB, "the items differ: %d are in "+label+" alone")
	add(otherGold, "%d items have another gold query, and are left out")
	add(questions, "%d items have another question")
	if ma.Dataset == mb.Dataset && ma.DatasetHash != mb.DatasetHash && onlyA+onlyB+otherGold+questions == 0 {
		reasons = append(reasons, fmt.Sprintf("the databases of %s differ, or its files: the questions and gold queries are the same, its hash is not", ma.Dataset))
	}
	return items, reasons
}

// warningsOf returns what may make a comparison of two runs unfair, and in notes what differs by intent.
func warningsOf(a, b *record.Run, label string) (warnings, notes []string) {
	ma, mb := a.Manifest, b.Manifest
	add := func(list *[]string, differ bool, format string, args ...any) {
		if differ {
			*list = append(*list, fmt.Sprintf(format, args...))
		}
	}
	add(&warnings, ma.SQLite != mb.SQLite, "the SQLite versions differ: %s and %s", ma.SQLite, mb.SQLite)
	add(&warnings, !ma.Complete, "run A is incomplete")
	add(&warnings, !mb.Complete, "run %s is incomplete", label)
	add(&warnings, !slices.Equal(ma.Axes, mb.Axes), "the sweep axes differ: [%s] and [%s]",
		strings.Join(ma.Axes, ", "), strings.Join(mb.Axes, ", "))
	for _, doubt := range record.Doubts(slices.Concat(ma.Answered, mb.Answered)) {
		own := slices.Contains(ma.Warnings, doubt) || slices.Contains(mb.Warnings, doubt)
		add(&warnings, !own, "between A and %s: %s", label, strings.TrimSuffix(doubt, "."))
	}
	add(&notes, ma.ID != "" && ma.ID == mb.ID, "A and %s are the same run", label)
	add(&notes, ma.PromptHash != mb.PromptHash, "the prompt templates differ")
	add(&notes, ma.ExemplarsHash != mb.ExemplarsHash, "the demonstrations' files differ")
	return warnings, notes
}

// armPairs pairs arms as requested, otherwise by name, otherwise the only arm of each.
func armPairs(a, b *record.Run, asked map[string]string) ([][2]string, error) {
	namesA, namesB := arms(a.Items), arms(b.Items)
	var out [][2]string
	for _, x := range namesA {
		y, ok := asked[x]
		if !ok && len(asked) == 0 && slices.Contains(namesB, x) {
			y, ok = x, true
		}
		if ok {
			if !slices.Contains(namesB, y) {
				return nil, fmt.Errorf("no arm %q in %s, which has %s", y, side(b).Name, strings.Join(namesB, ", "))
			}
			out = append(out, [2]string{x, y})
		}
	}
	for _, x := range slices.Sorted(maps.Keys(asked)) {
		if !slices.Contains(namesA, x) {
			return nil, fmt.Errorf("no arm %q in %s, which has %s", x, side(a).Name, strings.Join(namesA, ", "))
		}
	}
	if len(out) == 0 && len(namesA) == 1 && len(namesB) == 1 {
		return [][2]string{{namesA[0], namesB[0]}}, nil
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no arm of the same name (%s; %s): pair them with --arm X=Y", strings.Join(namesA, ", "), strings.Join(namesB, ", "))
	}
	return out, nil
}

func arms(items []record.Item) (names []string) {
	last := ""
	for _, it := range items {
		if it.Arm != last && !slices.Contains(names, it.Arm) {
			names = append(names, it.Arm)
		}
		last = it.Arm
	}
	return names
}
