package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
)

// Arms says which arms a report shows, in which order, and what it calls them. The zero value shows all, as the run has them.
type Arms struct {
	Shown  []Arm             // these alone, in this order; empty: all, in the experiment's
	Labels map[string]string // new labels by the arms' names, of arms to which Shown gives none; other names are ignored
	Order  string            // one of Orders; empty: as Shown
}

// Arm is an arm that is shown.
type Arm struct {
	Name  string // its name or label in the run
	Label string // its new label; empty: as it is
}

// Orders are the orders that rows of arms may have: the highest score of the headline metric first, by label, or as the
// experiment lists the arms.
var Orders = configs.Choices{{ID: "score", Shows: "the best under the first metric first"}, {ID: "name", Shows: "by label"},
	{ID: "file", Shows: "as in the experiment"}}

// ParseArm reads an arm as a flag states it, "name" or "name=label". An arm may itself have "=" in its name.
func ParseArm(text string, run *record.Run) Arm {
	text = strings.TrimSpace(text)
	known := func(a configs.Arm) bool { return a.Name == text || a.Label == text }
	if slices.ContainsFunc(run.Resolved.Arms, known) {
		return Arm{Name: text}
	}
	name, label, _ := strings.Cut(text, "=")
	return Arm{strings.TrimSpace(name), strings.TrimSpace(label)}
}

// of returns a copy of the run with the arms that are shown. The first of them is the baseline of differences, whatever the
// order of rows.
func (a Arms) of(run *record.Run) (*record.Run, error) {
	if a.Order != "" && !Orders.Has(a.Order) {
		return run, fmt.Errorf("order %q: want score, name or file", a.Order)
	}
	if len(a.Shown)+len(a.Labels) == 0 {
		return run, nil
	}
	arms, err := a.chosen(run.Resolved.Arms)
	if err != nil {
		return run, err
	}
	out := *run
	out.Resolved.Arms = arms
	rank := map[string]int{}
	for i, arm := range arms {
		rank[arm.Name] = i
	}
	out.Items = onlyOf(rank, run.Items, func(x *record.Item) string { return x.Arm })
	out.Candidates = onlyOf(rank, run.Candidates, func(x *record.Candidate) string { return x.Arm })
	out.Dropped = onlyOf(rank, run.Dropped, func(x *record.Candidate) string { return x.Arm })
	out.Votes = onlyOf(rank, run.Votes, func(x *record.Vote) string { return x.Arm })
	out.Calls = onlyOf(rank, run.Calls, func(x *record.Call) string { return x.Arm })
	out.Links = onlyOf(rank, run.Links, func(x *record.Link) string { return x.Arm })
	out.Steps = onlyOf(rank, run.Steps, func(x *record.Step) string { return x.Arm })
	out.Components = onlyOf(rank, run.Components, func(x *record.Component) string { return x.Arm })
	out.Shown = onlyOf(rank, run.Shown, func(x *record.Shown) string { return x.Arm })
	out.Vectors = onlyOf(rank, run.Vectors, func(x *record.Vector) string { return x.Arm })
	arrange(out.Items, rank)
	return &out, nil
}

// chosen returns the arms that are shown, in their order and under their labels.
func (a Arms) chosen(all []configs.Arm) ([]configs.Arm, error) {
	names := make([]string, len(all))
	labels := map[string]string{}
	var out []configs.Arm
	for i, arm := range all {
		names[i], labels[arm.Name] = arm.Name, a.Labels[arm.Name]
	}
	if len(a.Shown) == 0 {
		out = slices.Clone(all)
	}
	for _, s := range a.Shown {
		i := slices.Index(names, s.Name)
		if i < 0 {
			i = slices.IndexFunc(all, func(x configs.Arm) bool { return x.Label == s.Name })
		}
		if i < 0 {
			return nil, fmt.Errorf("arm %s", configs.Unknown(s.Name, names))
		}
		if slices.ContainsFunc(out, func(x configs.Arm) bool { return x.Name == all[i].Name }) {
			return nil, fmt.Errorf("arm %q is named twice", s.Name)
		}
		out, labels[all[i].Name] = append(out, all[i]), cmp.Or(s.Label, labels[all[i].Name])
	}
	for i, arm := range out {
		out[i].Label = cmp.Or(labels[arm.Name], arm.Label)
	}
	if a.Order == "file" {
		slices.SortFunc(out, func(x, y configs.Arm) int { return slices.Index(names, x.Name) - slices.Index(names, y.Name) })
	}
	return out, nil
}

// onlyOf returns a copy of the rows of the arms in rank.
func onlyOf[R any](rank map[string]int, rows []R, arm func(*R) string) (out []R) {
	for i := range rows {
		if _, shown := rank[arm(&rows[i])]; shown {
			out = append(out, rows[i])
		}
	}
	return out
}

// arrange sorts the rows of an item and sweep point by the arms' ranks.
func arrange(items []record.Item, rank map[string]int) {
	first, points := map[string]int{}, map[record.Cell]int{}
	point := func(it *record.Item) record.Cell { return record.CellOf("", it.Point) }
	for i := range items {
		it := &items[i]
		if _, known := first[it.Item]; !known {
			first[it.Item] = i
		}
		if _, known := points[point(it)]; !known {
			points[point(it)] = i
		}
	}
	slices.SortStableFunc(items, func(x, y record.Item) int {
		return cmp.Or(first[x.Item]-first[y.Item], points[point(&x)]-points[point(&y)], rank[x.Arm]-rank[y.Arm])
	})
}

// sort puts the rows of each sweep point in an order of Orders; without one they stay as they are.
func (v *view) sort(order string) {
	if order != "score" && order != "name" {
		return
	}
	means, points := v.armMeans(), map[record.Cell]int{}
	for i, r := range v.rows {
		if at := record.CellOf("", r.Point); points[at] == 0 {
			points[at] = i + 1
		}
	}
	slices.SortStableFunc(v.rows, func(x, y row) int {
		by := strings.Compare(strings.ToLower(x.label), strings.ToLower(y.label))
		if order == "score" {
			by = cmp.Compare(means[y.Arm], means[x.Arm])
		}
		return cmp.Or(points[record.CellOf("", x.Point)]-points[record.CellOf("", y.Point)], by)
	})
}

// armMeans returns the mean of the headline metric over all scored answers of each arm.
func (v *view) armMeans() map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, r := range v.rows {
		for _, it := range r.items {
			if s := score(it, 0); s.OK {
				sum[r.Arm], n[r.Arm] = sum[r.Arm]+s.V, n[r.Arm]+1
			}
		}
	}
	for arm := range sum {
		sum[arm] /= n[arm]
	}
	return sum
}

// rank returns the place of a row in the order of print; those of other cells come last.
func (v *view) rank(c record.Cell) int {
	if i := slices.IndexFunc(v.rows, func(r row) bool { return r.Cell == c }); i >= 0 {
		return i
	}
	return len(v.rows)
}

// first returns the row that differences are from: that of the run's first arm, wherever it is printed.
func (v *view) first() row { return v.rows[v.rank(v.index.Series[0].Cell)] }
