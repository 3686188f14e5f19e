package paper

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/table"
)

// unit is a row of this run in a list: an arm, with its answers on each of its datasets.
type unit struct {
	label string
	all   []sample
}

// on returns the unit's answers on one dataset, or on its first where none is named.
func (u unit) on(dataset string) (sample, bool) {
	i := slices.IndexFunc(u.all, func(x sample) bool { return dataset == "" || datasetOf(x.row) == dataset })
	if i < 0 {
		return sample{}, false
	}
	return u.all[i], true
}

// units returns the rows of this run.
func (s *sheet) units() (out []unit) {
	for _, x := range s.v.samples() {
		if s.Method != "" && x.Config.Method != s.Method || s.Only == "votes" && votesIn(s.v.pools()[x.at]) == 0 {
			continue
		}
		out = append(out, unit{s.v.name(x.row), []sample{x}})
	}
	switch s.Units {
	case "arms":
		return s.v.overDatasets(out)
	case "families":
		return overFamilies(out)
	}
	return out
}

// overDatasets joins rows that are the same arm on different datasets. What joining runs added to the arm's name is left out of
// the label, unless two labels would then be equal.
func (v *view) overDatasets(rows []unit) (out []unit) {
	for _, u := range rows {
		x := u.all[0]
		i := slices.IndexFunc(out, func(o unit) bool {
			_, known := o.on(datasetOf(x.row))
			return !known && sameArm(o.all[0].row, x.row)
		})
		if i < 0 {
			out = append(out, u)
			continue
		}
		out[i].all = append(out[i].all, x)
	}
	for i := range out {
		first := out[i].all[0].row
		plain := first
		plain.label = plainLabel(first)
		twin := func(o unit) bool {
			return plainLabel(o.all[0].row) == plain.label && slices.Equal(o.all[0].Point, first.Point)
		}
		if !slices.ContainsFunc(slices.Concat(out[:i], out[i+1:]), twin) {
			out[i].label = v.name(plain)
		}
	}
	return out
}

// overFamilies joins arms over the datasets of a family: their answers in a joined run count as one arm's, and each item counts
// once, since variants of a dataset may repeat items.
func overFamilies(rows []unit) (out []unit) {
	for _, u := range rows {
		x := u.all[0]
		u.label = plainLabel(x.row)
		i := slices.IndexFunc(out, func(o unit) bool { return family(o) == family(u) && sameArm(o.all[0].row, x.row) })
		if i < 0 {
			u.all[0].items = slices.Clone(x.items)
			out = append(out, u)
			continue
		}
		to := &out[i].all[0]
		for _, it := range x.items {
			if !slices.ContainsFunc(to.items, func(o *record.Item) bool { return o.Item == it.Item && o.Seed == it.Seed }) {
				to.items = append(to.items, it)
			}
		}
	}
	return out
}

// family names the datasets that published shares put together: Spider with its variants, BIRD.
func family(u unit) string {
	set := datasetOf(u.all[0].row)
	if strings.HasSuffix(set, private) {
		return set
	}
	switch kind, _, _ := strings.Cut(set, "/"); kind {
	case "spider":
		return "Spider"
	case "bird":
		return "BIRD"
	}
	return set
}

const (
	mine   = "this run"
	theirs = "published"
)

// texts returns the key texts of a row of this run.
func (s *sheet) texts(u unit) (out []string) {
	x := u.all[0]
	selector, _ := x.Config.Selector()
	of := map[string]string{"arm": u.label, "arm and model": u.label + " + " + modelOf(x.Config.Model), "arm and selector": u.label + " (" + modelOf(selector) + ")",
		"items": datasetOf(x.row), "family": family(u), "evidence": s.v.evidence(x.row), "source": mine}
	for _, h := range s.heads() {
		out = append(out, of[h.Of])
	}
	return out
}

// printedTexts returns the key texts of a published row.
func (s *sheet) printedTexts(i int) (out []string) {
	for _, h := range s.heads() {
		x := s.printed.Rows[i][h.Column]
		if h.Of == "source" && h.Column == "" {
			x = theirs
		}
		out = append(out, x)
	}
	return out
}

// listed collects the rows of a list in order.
type listed struct {
	rows         [][]table.Cell
	ours, theirs []int // positions in rows of this run's rows and of the paper's
}

func (l *listed) add(texts []string, cells []table.Cell) {
	var row []table.Cell
	for _, x := range texts {
		row = append(row, table.Text(x))
	}
	l.rows = append(l.rows, append(row, cells...))
}

// list has the rows of this run and those of the paper. Below an arm follow the published row that it repeats, their difference,
// and whether the published number lies in the interval, or each row has these in two further columns. The other published rows
// come last.
func (s *sheet) list(t *table.Table) {
	units := s.units()
	fields := s.slots(units)
	if s.held = s.holds(units, fields); !s.beside() {
		fields = s.answered(units, fields)
	}
	for _, h := range s.heads() {
		t.Columns = append(t.Columns, table.Column{Name: h.Name, Key: h.Key})
	}
	for _, f := range fields {
		t.Columns = append(t.Columns, table.Column{Group: f.group, Name: f.Name, Short: f.Short, Align: table.Right, Extra: f.Extra})
	}
	var l listed
	sections := []string{""}
	if s.Evidence {
		sections = []string{"with", "without"}
	}
	for _, section := range sections {
		shown := map[int]bool{}
		for _, u := range units {
			if s.Evidence && s.v.evidence(u.all[0].row) != section {
				continue
			}
			l.ours = append(l.ours, len(l.rows))
			ours := s.unitCells(u, fields)
			l.add(s.texts(u), ours)
			if s.Compare == "below" {
				if i := s.below(&l, u, fields, ours); i >= 0 {
					shown[i] = true
				}
			}
			if with, ok := s.partner(units, u); ok {
				l.add(s.gainTexts(s.texts(u)), s.gains(with, u, fields))
			}
		}
		for i, r := range s.printed.Rows {
			if !s.beside() || shown[i] || s.Evidence && r["evidence"] != section {
				continue
			}
			l.theirs = append(l.theirs, len(l.rows))
			l.add(s.printedTexts(i), s.printedCells(i, fields))
			s.printedGain(&l, i, fields)
		}
	}
	if t.Rows = l.rows; s.Compare == "columns" && s.unlike == "" {
		s.compareColumns(t, l, fields)
	}
}

// holds reports whether any number of the units can be compared with the published ones. Why others cannot is kept for the notes.
func (s *sheet) holds(units []unit, fields []field) (any bool) {
	if s.Compare != "below" {
		return false
	}
	for _, u := range units {
		for _, f := range fields {
			if x, ok := u.on(f.Dataset); ok && f.Column != "" && s.compares(u, f) {
				why := s.unlikeOn(x, f)
				if any = any || why == ""; why != "" {
					s.reasons = append(s.reasons, why)
				}
			}
		}
	}
	return any
}

// compares reports whether a unit has a number in a column that the paper has one in.
func (s *sheet) compares(u unit, f field) bool {
	return (f.Metric == "" || s.v.metric(f.Metric) >= 0) && (f.Dataset != "" || s.rowOf(u.all[0].name, u.all[0]) >= 0)
}

// unlikeOn returns why the sample's number in a column cannot be held against a published one; empty where it can.
func (s *sheet) unlikeOn(x sample, f field) string {
	set := datasetOf(x.row)
	return s.v.unlike(set, s.v.questionsOf(set), []row{x.row}, s.index(f))
}

// answered keeps the columns in which a unit has a number, or all where none has; the others are the paper's alone.
func (s *sheet) answered(units []unit, fields []field) (out []field) {
	for i, f := range fields {
		if slices.ContainsFunc(units, func(u unit) bool { return s.unitCells(u, fields)[i].String() != "" }) {
			out = append(out, f)
		}
	}
	if out == nil {
		return fields
	}
	return out
}

// heads are the columns that say what a row is: whose numbers they are where there are several.
func (s *sheet) heads() []headed {
	if s.beside() {
		return s.Heads
	}
	return slices.DeleteFunc(slices.Clone(s.Heads), func(h headed) bool { return h.Of == "source" || h.Of == "" })
}

// slots returns the columns of numbers. Where they are per dataset, the datasets that only the run has come first, with the same
// metrics.
func (s *sheet) slots(units []unit) (out []field) {
	var own []field
	var metrics []string
	for _, g := range s.Groups {
		for _, f := range g.Columns {
			f.Name, f.group = strings.ReplaceAll(f.Name, "{metric}", s.metric(f)), g.Name
			own = append(own, f)
			if f.Measure == "accuracy" { // others, such as calls, have no metric
				metrics = unique(append(metrics, f.Metric))
			}
		}
	}
	if len(own) == 0 || own[0].Dataset == "" {
		return own
	}
	for _, u := range units {
		for _, x := range u.all {
			set := datasetOf(x.row)
			if slices.ContainsFunc(slices.Concat(own, out), func(f field) bool { return f.Dataset == set }) {
				continue
			}
			for _, m := range metrics {
				f := field{Measure: "accuracy", Dataset: set, Metric: m}
				f.Name = set + " " + s.metric(f)
				out = append(out, f)
			}
		}
	}
	return append(out, own...)
}

// unitCells returns this run's numbers of a unit.
func (s *sheet) unitCells(u unit, fields []field) []table.Cell {
	out := make([]table.Cell, len(fields))
	for i, f := range fields {
		x, ok := u.on(f.Dataset)
		if ok && (f.Metric == "" || s.v.metric(f.Metric) >= 0) && (f.Split == "" || f.Split == s.split()) {
			out[i] = s.measured(f, x.where(s.atLevel(f.Level)))
		}
	}
	return out
}

// printedCells returns the published numbers of a row.
func (s *sheet) printedCells(i int, fields []field) []table.Cell {
	out := make([]table.Cell, len(fields))
	for k, f := range fields {
		if out[k] = numberIn(s.printed.Rows[i], f.Column, s.printedPlaces(f)); out[k].Num == nil {
			out[k] = table.Text(s.printed.Rows[i][f.Column])
		}
	}
	return out
}

// below adds the published row that a unit repeats, where the two have a number that can be compared, and returns its position
// in the file, or -1.
func (s *sheet) below(l *listed, u unit, fields []field, ours []table.Cell) int {
	at := s.rowOf(u.all[0].name, u.all[0])
	held := slices.Clone(ours)
	for i, f := range fields {
		if x, ok := u.on(f.Dataset); ok && f.Column != "" && ours[i].Num != nil && s.compares(u, f) && s.unlikeOn(x, f) != "" {
			held[i] = table.Cell{}
		}
	}
	if at < 0 {
		return -1
	}
	printed := s.printedCells(at, fields)
	apart, inside, any := make([]table.Cell, len(held)), make([]table.Cell, len(held)), false
	for i := range held {
		apart[i], inside[i] = difference(held[i], printed[i]), within(held[i], printed[i])
		any = any || apart[i].Num != nil
	}
	if !any {
		return -1
	}
	s.compared = true
	under := func(what string) []string {
		out := s.texts(u)
		out[0], out[len(out)-1] = "", what
		return out
	}
	l.add(s.printedTexts(at), printed)
	l.add(under("difference"), apart)
	l.add(under("in interval"), inside)
	return at
}

// compareColumns adds two columns for each row of this run: the difference to each published number, and whether that lies in
// the interval.
func (s *sheet) compareColumns(t *table.Table, l listed, fields []field) {
	at := len(s.Heads) + slices.IndexFunc(fields, func(f field) bool { return f.Split == "" || f.Split == s.split() })
	for i, o := range l.ours {
		t.Columns = append(t.Columns, numerals("published and "+t.Rows[o][0].Text, "difference", "in interval")...)
		for k := range t.Rows {
			cells := []table.Cell{{}, {}}
			if slices.Contains(l.theirs, k) {
				cells = []table.Cell{difference(t.Rows[l.ours[i]][at], t.Rows[k][at]), within(t.Rows[l.ours[i]][at], t.Rows[k][at])}
			}
			t.Rows[k] = append(t.Rows[k], cells...)
		}
	}
}

// partner returns the unit that a unit's gain is over: the arm that repeats the base row with the same model and sweep point.
func (s *sheet) partner(units []unit, u unit) (unit, bool) {
	x := u.all[0]
	if s.Gain == "" || x.name != s.Gain {
		return unit{}, false
	}
	i := slices.IndexFunc(units, func(o unit) bool {
		y := o.all[0]
		return y.name == s.Base && family(o) == family(u) && slices.Equal(x.Point, y.Point) && reflect.DeepEqual(x.Config.Model, y.Config.Model)
	})
	if i < 0 {
		return unit{}, false
	}
	return units[i], true
}

// gainTexts returns the key texts of the gain of a row.
func (s *sheet) gainTexts(texts []string) []string {
	for i, h := range s.heads() {
		if h.Of == "arm" {
			texts[i] = "gain"
		}
	}
	return texts
}

// gains are what one unit has over another, paired.
func (s *sheet) gains(with, without unit, fields []field) (out []table.Cell) {
	pair := func(k keep) table.Cell { return s.v.gain(without.all[0].where(k).row, with.all[0].where(k).row) }
	for _, f := range fields {
		if f.Measure == "mean of levels" {
			out = append(out, s.overLevels(f, pair))
			continue
		}
		out = append(out, pair(s.atLevel(f.Level)))
	}
	return out
}

// printedGain puts below a printed row what the row before has over it, where the description is of that.
func (s *sheet) printedGain(l *listed, i int, fields []field) {
	if s.Gain == "" || s.printed.Rows[i]["method"] != s.Gain {
		return
	}
	with, without := s.printedCells(i-1, fields), s.printedCells(i, fields)
	cells := make([]table.Cell, len(fields))
	for k := range fields {
		cells[k] = difference(with[k], without[k])
		cells[k].Published = with[k].Published && without[k].Published
	}
	l.add(s.gainTexts(s.printedTexts(i)), cells)
}

// axis returns the axis of the description's levels.
func (d *description) axis() axes.Axis {
	a, err := axes.Find(d.Axis)
	if err != nil {
		panic(err) // an embedded description is wrong, which a test finds
	}
	return a
}

// levels returns the levels that have a column.
func (s *sheet) levels() (out []string) {
	for _, g := range s.Groups {
		for _, f := range g.Columns {
			if f.Level != "" {
				out = append(out, f.Level)
			}
		}
	}
	return out
}

// atLevel keeps the answers at a level of the axis. An empty level keeps those at any level with a column; a description without
// an axis keeps all.
func (s *sheet) atLevel(level string) keep {
	if s.Axis == "" {
		return nil
	}
	of, _ := s.v.groups(s.axis())
	return func(it *record.Item) bool {
		return of[it.Item] == level || level == "" && slices.Contains(s.levels(), of[it.Item])
	}
}

// listNotes names the origin of the published numbers, and says which are compared with this run's and why others are not.
func (s *sheet) listNotes() []string {
	says, why := s.filled(s.Says), unique(s.reasons)
	switch {
	case s.Incomparable != "":
		return []string{s.elsewhereNote(s.Incomparable)}
	case !s.held && len(why) == 0 && slices.ContainsFunc(s.v.datasets(), s.prints):
		return []string{s.elsewhereNote("No arm of this run repeats one of them by its metric")}
	case !s.held && s.Compare == "below":
		return []string{s.elsewhereNote(cmp.Or(strings.Join(why, "; "), "This run's items are "+strings.Join(s.v.datasets(), ", ")))}
	case !s.held:
		return []string{s.elsewhereNote("")}
	case !s.compared && len(why) > 0:
		return []string{says + " " + cannot(why...) + " No arm of this run repeats one of the others by its metric, so that no difference is shown."}
	case !s.compared:
		return []string{says + " No arm of this run repeats one of them by its metric, so that no difference is shown."}
	case len(why) == 0:
		return []string{insideNote, says}
	}
	return []string{insideNote, says + " " + strings.Join(why, "; ") + ": no difference is shown there."}
}

// prints reports whether the paper's table has numbers of a dataset.
func (s *sheet) prints(set string) bool {
	return s.printed.Find("dataset", set) != nil || slices.ContainsFunc(s.Groups, func(g group) bool {
		return slices.ContainsFunc(g.Columns, func(f field) bool { return f.Dataset == set })
	})
}

// groupsNote counts the items per level and dataset.
func (s *sheet) groupsNote() string {
	of, _ := s.v.groups(s.axis())
	var parts []string
	for _, set := range s.v.datasets() {
		var counts []string
		for _, l := range s.levels() {
			n := 0
			for _, q := range s.v.questionsOf(set) {
				if of[q.Item] == l {
					n++
				}
			}
			counts = append(counts, fmt.Sprintf("%d of %s", n, l))
		}
		parts = append(parts, set+" "+strings.Join(counts, ", "))
	}
	return "Items: " + strings.Join(parts, "; ") + "."
}
