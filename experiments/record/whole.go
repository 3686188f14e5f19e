package record

import (
	"fmt"
	"path/filepath"
	"slices"

	"assay/metrics"
)

// checkItems refuses rows that no run writes: a repeated answer, an arm or seed that the experiment does not have, an unknown
// status or impossible score, and missing rows of a complete run. Every mean would be wrong over such rows, silently.
func checkItems(r *Run) error {
	first := make(map[Key]int, len(r.Items))
	bad := func(row int, format string, args ...any) error {
		return fmt.Errorf("record: read %q: data row %d: %s: run the experiment again to restore it", filepath.Join(r.Dir, ItemsFile), row+1, fmt.Sprintf(format, args...))
	}
	arms := make([]string, len(r.Resolved.Arms))
	for i, a := range r.Resolved.Arms {
		arms[i] = a.Name
	}
	for i := range r.Items {
		it := &r.Items[i]
		k := it.Key()
		if before, twice := first[k]; twice {
			return bad(i, "%s under arm %q, seed %d, is in row %d already", it.Item, it.Arm, it.Seed, before+1)
		}
		first[k] = i
		switch {
		case len(arms) > 0 && !slices.Contains(arms, it.Arm):
			return bad(i, "the experiment has no arm %q", it.Arm)
		case len(r.Resolved.Seeds) > 0 && !slices.Contains(r.Resolved.Seeds, it.Seed):
			return bad(i, "the experiment has no seed %d", it.Seed)
		case !slices.Contains(metrics.Statuses, it.Status):
			return bad(i, "there is no status %q", it.Status)
		case len(it.Values) > 0 && it.Values[0].OK && !it.Status.Scored():
			return bad(i, "it has the status %s and a score", it.Status)
		}
		if slices.ContainsFunc(it.Values, func(v Value) bool { return v.OK && v.V < 0 }) {
			return bad(i, "a score is below 0")
		}
	}
	return r.allThere(len(r.Items))
}

// allThere refuses a complete run without the number of answers that its experiment has.
func (r *Run) allThere(answers int) error {
	cells := len(r.Resolved.Cells())
	want := len(r.Questions) * cells * max(len(r.Resolved.Seeds), 1)
	if r.Manifest.Complete && cells > 0 && len(r.Questions) > 0 && answers != want {
		return fmt.Errorf("record: read %q: it has %d rows, and a complete run of %d items, %d arms at their sweep points and %d seeds has %d: run the experiment again to restore it",
			filepath.Join(r.Dir, ItemsFile), answers, len(r.Questions), cells, max(len(r.Resolved.Seeds), 1), want)
	}
	return nil
}
