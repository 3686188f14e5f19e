package join

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
)

// add adds the rows of one run to the joined one, except the answers that an earlier run has given for the same group.
func add(out *record.Run, x *record.Index, run int, all []*group) {
	r := x.Run
	groups := map[string]*group{}
	for _, g := range all {
		if slices.Contains(g.runs, run) {
			groups[g.arm] = g
		}
	}
	addArms(out, r, run, groups)
	addPoints(out, r, run)
	addRows(out, x, groups)
	addVectors(out, x.Run, groups)
	addQuestions(out, r)
	if run == 0 {
		return // the joined manifest starts as the first run's
	}
	if sets := strings.Split(out.Manifest.Dataset, " + "); !slices.Contains(sets, r.Manifest.Dataset) {
		out.Manifest.Dataset += " + " + r.Manifest.Dataset
	}
	out.Manifest.Complete = out.Manifest.Complete && r.Manifest.Complete
	out.Manifest.Warnings = union(out.Manifest.Warnings, r.Manifest.Warnings)
	out.Manifest.Similarity = union(out.Manifest.Similarity, r.Manifest.Similarity)
	out.Manifest.Answered = union(out.Manifest.Answered, r.Manifest.Answered)
	out.Manifest.Warnings = union(out.Manifest.Warnings, record.Doubts(out.Manifest.Answered))
}

// union returns a followed by the elements that only b has.
func union[T comparable](a, b []T) []T {
	out := slices.Clip(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// addArms adds the arms of a run that are the first of their groups, under the groups' names.
func addArms(out, r *record.Run, run int, groups map[string]*group) {
	for _, a := range r.Resolved.Arms {
		g := groups[a.Name]
		if g.runs[0] != run {
			continue
		}
		if extra, more := strings.CutPrefix(g.name, a.Name); more && extra != "" {
			a.Label = cmp.Or(a.Label, a.Name) + extra
		}
		a.Name = g.name
		out.Resolved.Arms = append(out.Resolved.Arms, a)
	}
}

// addRows adds the answers that are new with all their rows, each under the name of its arm's group.
func addRows(out *record.Run, x *record.Index, groups map[string]*group) {
	values, status := scores(out.Manifest.Metrics, x.Run), restated(out, x.Run)
	given := make(map[record.Key]bool, len(out.Items))
	for i := range out.Items {
		given[out.Items[i].Key()] = true
	}
	for _, a := range x.Answers {
		it := *a.Item
		it.Arm = groups[it.Arm].name
		if given[it.Key()] {
			continue
		}
		it.Values = values(it.Values)
		it.Status = status(it.Status, it.Values)
		out.Items = append(out.Items, it)
		pooled := func(in []record.Candidate, to *[]record.Candidate) {
			for _, c := range in {
				c.Arm, c.Values = it.Arm, values(c.Values)
				c.Status = status(c.Status, c.Values)
				*to = append(*to, c)
			}
		}
		pooled(a.Candidates, &out.Candidates)
		pooled(a.Dropped, &out.Dropped)
		for _, v := range a.Votes {
			v.Arm = it.Arm
			out.Votes = append(out.Votes, v)
		}
		for _, c := range a.Calls {
			c.Arm = it.Arm
			out.Calls = append(out.Calls, c)
		}
		for _, s := range a.Steps {
			s.Arm = it.Arm
			out.Steps = append(out.Steps, s)
		}
		for _, c := range a.Components {
			c.Arm = it.Arm
			out.Components = append(out.Components, c)
		}
		for _, s := range a.Shown {
			s.Arm = it.Arm
			out.Shown = append(out.Shown, s)
		}
	}
}

// addVectors adds the texts of the arms, each under the name of its arm's group.
func addVectors(out, r *record.Run, groups map[string]*group) {
	type of struct {
		cell record.Cell
		key  string
	}
	given := make(map[of]bool, len(out.Vectors))
	name := func(v record.Vector) of { return of{record.CellOf(v.Arm, v.Point), v.Key} }
	for _, v := range out.Vectors {
		given[name(v)] = true
	}
	for _, v := range r.Vectors {
		if g := groups[v.Arm]; g != nil {
			if v.Arm = g.name; !given[name(v)] {
				out.Vectors = append(out.Vectors, v)
			}
		}
	}
}

// scores returns the values of a row of r for some of its metrics.
func scores(metrics []record.Metric, r *record.Run) func([]record.Value) []record.Value {
	from := r.Manifest.MetricIDs()
	return func(in []record.Value) []record.Value {
		kept := make([]record.Value, len(metrics))
		for i, m := range metrics {
			kept[i] = in[slices.Index(from, m.ID)]
		}
		return kept
	}
}

// addPoints adds the sweep values that the joined run lacks.
func addPoints(out, r *record.Run, run int) {
	for i, a := range r.Resolved.Sweep {
		if run == 0 {
			continue
		}
		have := &out.Resolved.Sweep[i]
		*have = configs.Axis{Key: have.Key, Values: slices.Clone(have.Values), Stated: maps.Clone(have.Stated)}
		for _, x := range a.Values {
			if !slices.Contains(have.Values, x) {
				have.Values = append(have.Values, x)
			}
			if v, ok := a.Stated[x]; ok && have.Stated[x] == nil {
				if have.Stated == nil {
					have.Stated = map[string]any{}
				}
				have.Stated[x] = v
			}
		}
	}
}

// addQuestions adds the questions and results that the joined run lacks. The same item of two runs is one question.
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
