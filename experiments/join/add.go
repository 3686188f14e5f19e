package join

import (
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
)

// add puts the rows of one run into the joined one.
func add(out, r *record.Run, run int, suffix string, shared map[string]bool) {
	renamed := func(arm string) string {
		if shared[arm] {
			return arm + " (" + suffix + ")"
		}
		return arm
	}
	for _, a := range r.Resolved.Arms {
		if shared[a.Name] {
			if a.Label == "" {
				a.Label = a.Name
			}
			a.Name, a.Label = renamed(a.Name), a.Label+" ("+suffix+")"
		}
		out.Resolved.Arms = append(out.Resolved.Arms, a)
	}
	addPoints(out, r, run)
	values := scores(out, r)
	for _, it := range r.Items {
		it.Arm, it.Values = renamed(it.Arm), values(it.Values)
		out.Items = append(out.Items, it)
	}
	for _, c := range r.Candidates {
		c.Arm, c.Values = renamed(c.Arm), values(c.Values)
		out.Candidates = append(out.Candidates, c)
	}
	for _, c := range r.Dropped {
		c.Arm, c.Values = renamed(c.Arm), values(c.Values)
		out.Dropped = append(out.Dropped, c)
	}
	for _, v := range r.Votes {
		v.Arm = renamed(v.Arm)
		out.Votes = append(out.Votes, v)
	}
	for _, c := range r.Calls {
		c.Arm = renamed(c.Arm)
		out.Calls = append(out.Calls, c)
	}
	addQuestions(out, r)
	if run == 0 {
		return // its manifest is the joined one's beginning
	}
	if sets := strings.Split(out.Manifest.Dataset, " + "); !slices.Contains(sets, r.Manifest.Dataset) {
		out.Manifest.Dataset += " + " + r.Manifest.Dataset
	}
	out.Manifest.Complete = out.Manifest.Complete && r.Manifest.Complete
	for _, w := range r.Manifest.Warnings {
		if !slices.Contains(out.Manifest.Warnings, w) {
			out.Manifest.Warnings = append(out.Manifest.Warnings, w)
		}
	}
}

// scores gives the values of a row in the columns of the joined run.
func scores(out, r *record.Run) func([]record.Value) []record.Value {
	from := r.Manifest.MetricIDs()
	return func(in []record.Value) []record.Value {
		kept := make([]record.Value, len(out.Manifest.Metrics))
		for i, m := range out.Manifest.Metrics {
			kept[i] = in[slices.Index(from, m.ID)]
		}
		return kept
	}
}

// addPoints adds the values that the run's sweep has and the joined one has not.
func addPoints(out, r *record.Run, run int) {
	for i, a := range r.Resolved.Sweep {
		if run == 0 {
			continue
		}
		have := &out.Resolved.Sweep[i]
		*have = configs.Axis{Key: have.Key, Values: slices.Clone(have.Values)}
		for _, x := range a.Values {
			if !slices.Contains(have.Values, x) {
				have.Values = append(have.Values, x)
			}
		}
	}
}

// addQuestions adds the run's questions and results that are not there yet. The same item of two runs is one question.
func addQuestions(out, r *record.Run) {
	known := map[string]bool{}
	for _, q := range out.Questions {
		known[q.Item] = true
	}
	for _, q := range r.Questions {
		if !known[q.Item] {
			out.Questions = append(out.Questions, q)
		}
	}
	results := map[[2]string]bool{}
	for _, x := range out.Results {
		results[[2]string{x.Item, x.Digest}] = true
	}
	for _, x := range r.Results {
		if !results[[2]string{x.Item, x.Digest}] {
			out.Results = append(out.Results, x)
		}
	}
}
