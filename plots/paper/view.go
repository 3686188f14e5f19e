package paper

import (
	"slices"

	"assay/configs"
	"assay/experiments/record"
)

// view is a run prepared for printing, with one row per arm and sweep point.
type view struct {
	run      *record.Run
	index    *record.Index
	ids      []string // metric ids, the headline first
	seeds    []int64  // of any row, ascending; runs joined may have other seeds each
	rows     []row
	leveling string // "hardness" or "difficulty": the label that levels are of
	levels   []string
	sets     []string // databases, in the order of the questions
	errors   ErrorOptions
	contents map[string]string // contentOf the run's questions, by split

	gathered [][]pooled // see pools; nil until something needs them
}

// row is one arm at one sweep point.
type row struct {
	*record.Series
	label   string
	items   []*record.Item // of the answers
	endings endings
}

// newView prepares a run. Arms, points and databases keep the order of the run's files, so that two reports of one run have
// their rows in the same order.
func newView(r *record.Run) *view {
	v := &view{run: r, index: r.Index(), ids: r.Manifest.MetricIDs()}
	for _, s := range v.index.Series {
		one := row{Series: s, items: make([]*record.Item, len(s.Answers))}
		for i, a := range s.Answers {
			one.items[i] = a.Item
			one.endings.add(a.Calls)
		}
		v.rows, v.seeds = append(v.rows, one), append(v.seeds, s.Seeds...)
	}
	for _, it := range r.Items {
		if !slices.Contains(v.sets, it.DB) {
			v.sets = append(v.sets, it.DB)
		}
	}
	slices.Sort(v.seeds)
	v.seeds = slices.Compact(v.seeds)
	v.labelRows()
	v.findLevels()
	return v
}

// labelRows gives each arm its label, followed by its name where two arms share a label: rows must differ in print.
func (v *view) labelRows() {
	names := map[string][]string{}
	for i := range v.rows {
		a := v.rows[i].Config
		if v.rows[i].label = a.Label; a.Label == "" {
			v.rows[i].label = a.Name
		}
		if l := v.rows[i].label; !slices.Contains(names[l], a.Name) {
			names[l] = append(names[l], a.Name)
		}
	}
	for i := range v.rows {
		if len(names[v.rows[i].label]) > 1 {
			v.rows[i].label += " (" + v.rows[i].Config.Name + ")"
		}
	}
}

// findLevels chooses BIRD's difficulty where items have one, since it was judged by people, and Spider's hardness elsewhere.
func (v *view) findLevels() {
	known := configs.Levels.IDs()
	v.leveling = "hardness"
	for _, r := range v.rows {
		if slices.ContainsFunc(r.items, func(it *record.Item) bool { return it.Difficulty != "" }) {
			v.leveling, known = "difficulty", configs.Difficulties.IDs()
			break
		}
	}
	found := map[string]bool{}
	for _, r := range v.rows {
		for _, it := range r.items {
			if l := v.level(it); l != "" && !found[l] {
				found[l] = true
				if !slices.Contains(known, l) {
					known = append(known, l)
				}
			}
		}
	}
	for _, l := range known {
		if found[l] {
			v.levels = append(v.levels, l)
		}
	}
}

func (v *view) level(it *record.Item) string {
	if v.leveling == "difficulty" {
		return it.Difficulty
	}
	return it.Hardness
}

// metric returns the position of a metric id, or -1.
func (v *view) metric(id string) int { return slices.Index(v.ids, id) }

// score returns an item's score under metric m; it is not OK where the run has none.
func score(it *record.Item, m int) record.Value {
	if m < 0 || m >= len(it.Values) {
		return record.Value{}
	}
	return it.Values[m]
}

// keep chooses items; nil keeps all.
type keep func(*record.Item) bool

func (v *view) atLevel(l string) keep {
	return func(it *record.Item) bool { return v.level(it) == l }
}

func inSet(db string) keep { return func(it *record.Item) bool { return it.DB == db } }
