// Package join makes one run of several, for tables over several runs such as one run per model.
//
// Runs that cannot share a table are refused; equal arms are merged and every other arm of every run becomes an arm of the
// joined run; then rows are copied under the new names. Differences between the runs go into the arms' names where they are
// few. A difference must never be hidden: one that no name shows would mix settings within a cell, so it is a warning
// (benchstat calls it the residue).
package join

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
)

// Runs joins runs in the order given. They must share a metric and have the same sweep axes. An arm keeps its name where
// no other run has another arm of that name. Otherwise its run's differences follow the name: the differing config keys where
// they are few, or the run's id. An arm with equal settings and equal answers in several runs is one arm, and each of its
// answers counts once. Metrics that some run lacks, or computed differently, are left out with a warning, and where a run's
// headline metric is, its answers get their status by the next one. A single run is returned unchanged.
func Runs(runs []*record.Run) (*record.Run, error) {
	out, err := join(runs)
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	return out, nil
}

func join(runs []*record.Run) (*record.Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs")
	}
	if len(runs) == 1 {
		return runs[0], nil
	}
	first := runs[0]
	out := &record.Run{Manifest: first.Manifest, Config: first.Config, Resolved: first.Resolved}
	out.Dir, out.Joined = first.Dir, true
	out.Manifest.Warnings = slices.Clone(first.Manifest.Warnings)
	for i, r := range runs {
		if slices.ContainsFunc(runs[:i], func(o *record.Run) bool { return o.Manifest.ID == r.Manifest.ID }) {
			return nil, fmt.Errorf("run %q is given twice", r.Manifest.ID)
		}
		if !slices.Equal(r.Manifest.Axes, first.Manifest.Axes) {
			return nil, fmt.Errorf("the sweeps differ: %s has the axes [%s], %s has [%s]", name(first), strings.Join(first.Manifest.Axes, ", "),
				name(r), strings.Join(r.Manifest.Axes, ", "))
		}
	}
	if err := sameQuestions(runs); err != nil {
		return nil, err
	}
	warnings, err := commonMetrics(out, runs)
	if err != nil {
		return nil, err
	}
	suffix, residue := apart(runs)
	indexes := make([]*record.Index, len(runs))
	for i, r := range runs {
		indexes[i] = r.Index()
	}
	all, doubts := groups(runs, indexes, out.Manifest.Metrics)
	nameGroups(all, runs, suffix)
	out.Resolved.Arms, out.Resolved.Sweep = nil, slices.Clone(first.Resolved.Sweep)
	for i, x := range indexes {
		add(out, x, i, all)
	}
	out.Manifest.ID, out.Manifest.Experiment = identity(runs)
	out.Manifest.Items = len(out.Questions)
	out.Manifest.Warnings = slices.Concat(doubts, residue, warnings, out.Manifest.Warnings)
	return out, nil
}

// sameQuestions refuses runs with different questions or gold queries under one item's id: the joined run would show one of
// them next to scores against both.
func sameQuestions(runs []*record.Run) error {
	type origin struct {
		run  *record.Run
		text [3]string
	}
	first := map[string]origin{}
	for _, r := range runs {
		for _, q := range r.Questions {
			text := [3]string{q.Question, q.Evidence, q.Gold}
			before, known := first[q.Item]
			if known && before.text != text {
				return fmt.Errorf("%s and %s ask different things under the id %q (question, evidence or gold query): their answers are of different items",
					name(before.run), name(r), q.Item)
			}
			first[q.Item] = origin{r, text}
		}
	}
	return nil
}

func name(r *record.Run) string { return r.Manifest.Experiment + "-" + r.Manifest.ID }

// identity returns the id of the joined run, made from those of its parts.
func identity(runs []*record.Run) (id, experiment string) {
	var ids, names []string
	for _, r := range runs {
		ids = append(ids, r.Manifest.ID)
		if !slices.Contains(names, r.Manifest.Experiment) {
			names = append(names, r.Manifest.Experiment)
		}
	}
	return strings.Join(ids, "+"), strings.Join(names, " + ")
}

// commonMetrics keeps the metrics that all runs computed alike.
func commonMetrics(out *record.Run, runs []*record.Run) (warnings []string, err error) {
	out.Manifest.Metrics = nil
	for _, m := range runs[0].Manifest.Metrics {
		in := 0
		alike := true
		for _, r := range runs {
			for _, o := range r.Manifest.Metrics {
				if o.ID == m.ID {
					in++
					alike = alike && o.Fingerprint == m.Fingerprint
				}
			}
		}
		switch {
		case in < len(runs):
			warnings = append(warnings, fmt.Sprintf("%s is left out: not every run has it", m.ID))
		case !alike:
			warnings = append(warnings, fmt.Sprintf("%s is left out: the runs computed it differently", m.ID))
		default:
			out.Manifest.Metrics = append(out.Manifest.Metrics, m)
		}
	}
	if len(out.Manifest.Metrics) == 0 {
		return nil, fmt.Errorf("the runs share no metric that all computed alike: %s", strings.Join(warnings, "; "))
	}
	return warnings, nil
}

// most is how many differing keys an arm's name may show.
const most = 2

// apart returns the differences of each run from the first, short enough to follow an arm's name, and warnings of the
// differences that the names do not show.
func apart(runs []*record.Run) (suffix, warnings []string) {
	order, keys := Settings(runs)
	byDataset := namedByDataset(runs, keys)
	if byDataset {
		order = slices.DeleteFunc(order, ofDataset)
	}
	suffix = make([]string, len(runs))
	named := (len(order) > 0 || byDataset) && len(order) <= most
	for i, r := range runs {
		var parts []string
		if byDataset {
			parts = append(parts, r.Manifest.Dataset)
		}
		for _, k := range order {
			parts = append(parts, last(k)+" "+cmp.Or(keys[k][i], "-"))
		}
		if suffix[i] = strings.Join(parts, ", "); !named {
			suffix[i] = r.Manifest.ID
		}
	}
	if !named {
		for _, k := range order {
			warnings = append(warnings, fmt.Sprintf("the runs differ in %s: %s", k, strings.Join(dashed(keys[k]), ", ")))
		}
	}
	return suffix, append(warnings, identities(runs)...)
}

// ofDataset reports whether a key identifies the dataset.
func ofDataset(key string) bool {
	return slices.Contains([]string{"dataset.kind", "dataset.path", "dataset.split", "dataset.questions", "dataset.databases"}, key)
}

// namedByDataset reports whether the datasets' names identify the values of all dataset keys: the names differ, and runs with
// one name have one value of each key.
func namedByDataset(runs []*record.Run, keys map[string][]string) bool {
	differ := false
	for i, a := range runs {
		for j, b := range runs[:i] {
			if a.Manifest.Dataset != b.Manifest.Dataset {
				differ = true
				continue
			}
			for k, values := range keys {
				if ofDataset(k) && values[i] != values[j] {
					return false
				}
			}
		}
	}
	return differ
}

func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

func dashed(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = cmp.Or(s, "-")
	}
	return out
}

// identities warns of hashes and versions that differ: no config key shows them.
func identities(runs []*record.Run) (warnings []string) {
	for _, x := range []struct {
		what string
		of   func(record.Manifest) string
	}{
		{"the datasets", func(m record.Manifest) string { return m.Dataset }},
		{"the items (their hashes)", func(m record.Manifest) string { return m.DatasetHash }},
		{"the prompt templates (their hashes)", func(m record.Manifest) string { return m.PromptHash }},
		{"the demonstrations (their hashes)", func(m record.Manifest) string { return m.ExemplarsHash }},
		{"the SQLite versions", func(m record.Manifest) string { return m.SQLite }},
	} {
		for _, r := range runs[1:] {
			if x.of(r.Manifest) != x.of(runs[0].Manifest) {
				warnings = append(warnings, fmt.Sprintf("%s of the runs differ: a difference between their arms may come from that", x.what))
				break
			}
		}
	}
	return warnings
}
