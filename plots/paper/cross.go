package paper

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/table"
)

// side is one row of a cross table, or one group of its columns. A row has answers, and a group of columns says which of them it
// keeps.
type side struct {
	name   string       // of a group of columns
	keys   []table.Cell // of a row
	of     sample
	keep   keep
	line   line
	fields []field // of a group of columns
}

// cross fills a table with rows and groups of columns; pick says which answers a cell is about, false for none.
func (s *sheet) cross(t *table.Table, rows, tops []side, pick func(row, top side) (sample, bool)) {
	var best []int
	for _, top := range tops {
		for _, f := range top.fields {
			if f.Best {
				best = append(best, len(t.Columns))
			}
			t.Columns = append(t.Columns, table.Column{Group: top.name, Name: f.Name, Short: f.Short, Unit: f.unit, Align: table.Right, Parens: f.Parens, Extra: f.Extra})
		}
	}
	for _, r := range rows {
		cells := slices.Clone(r.keys)
		for _, top := range tops {
			x, ok := pick(r, top)
			for _, f := range top.fields {
				c := table.Cell{}
				if f = f.under(r.line); ok || f.Measure == "printed" {
					c = s.cell(f, x)
				}
				cells = append(cells, c)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	s.v.markBest(t, best...)
}

// under returns the field as it is in a row that has a measure of its own.
func (f field) under(l line) field {
	f.row = l.ID
	switch {
	case f.Measure == "":
		f.Measure, f.Of = l.Measure, []string{l.Name}
	case len(f.Of) == 0 && l.Measure != "":
		f.Of = []string{l.Name}
		if measures[f.Measure] == nil {
			f.Of = []string{l.Measure, l.Name}
		}
	}
	return f
}

// arms has one row per arm and sweep point; with by, one per database and one of all.
func (s *sheet) arms(t *table.Table) {
	t.Columns = s.v.keyColumns()
	var rows []side
	for _, x := range s.v.samples() {
		if s.By == "" {
			rows = append(rows, side{keys: x.keys(), of: x})
			continue
		}
		for _, db := range append(slices.Clone(s.v.sets), "all") {
			of := x
			if of.name = db; db != "all" {
				of = of.where(inSet(db))
			}
			rows = append(rows, side{keys: append(x.keys(), table.Text(db)), of: of})
		}
	}
	if s.By != "" {
		t.Columns = append(t.Columns, table.Column{Name: s.By, Key: true})
	}
	var tops []side
	for _, g := range s.Groups {
		tops = append(tops, s.tops(g)...)
	}
	s.cross(t, rows, tops, kept)
}

// tops expands a described group into groups of columns: one, or one per hardness level or database.
func (s *sheet) tops(g group) (out []side) {
	add := func(name string, k keep) {
		out = append(out, side{name: name, keep: k, fields: s.fields(g.Columns, name)})
	}
	switch g.Each {
	case "hardness":
		for _, l := range configs.Levels.IDs() {
			add(l, s.v.atLevel(l))
		}
	case "database":
		for _, db := range s.v.sets {
			add(db, inSet(db))
		}
	default:
		add(g.Name, nil)
	}
	return out
}

// fields are the columns of a group that this run can show, each with its name. Left out are metrics that the run does not
// have or shows already, numbers that the paper does not print, and differences where the two cannot be compared. In the
// name of a file's column {each} becomes the group's level or database.
func (s *sheet) fields(columns []field, each string) (out []field) {
	shown := map[string]bool{}
	for _, f := range columns {
		f.Column = strings.NewReplacer("{split}", s.split(), "{each}", cmp.Or(s.Names[each], each)).Replace(f.Column)
		f.Name = strings.ReplaceAll(f.Name, "{metric}", s.metric(f))
		all := []field{f}
		if f.Beside {
			printed, apart, in := f, f, f
			printed.Name, printed.Short, printed.Measure = "published", "publ.", "printed"
			apart.Name, apart.Short, apart.Measure = "difference", "diff.", "difference"
			in.Name, in.Short, in.Measure, in.Extra = "in interval", "in", "in interval", true
			if f.Measure != "" {
				apart.Of, in.Of = []string{f.Measure}, []string{f.Measure}
			}
			all = append(all, printed, apart, in)
		}
		for _, f := range all {
			s.named(&f)
			if scored := f.Measure == "mean" || f.Measure == "accuracy"; scored && (shown[f.Name] || f.Metric != "" && s.v.metric(f.Metric) < 0) || !s.has(f) {
				continue
			}
			shown[f.Name] = true
			out = append(out, f)
		}
	}
	return out
}

// metric returns the metric of a column as tables print it.
func (s *sheet) metric(f field) string { return s.v.display(cmp.Or(f.Metric, s.v.ids[0])) }

// named gives a column its usual name.
func (s *sheet) named(f *field) {
	switch {
	case f.Name != "":
	case f.Measure == "printed":
		f.Name, f.Short = "published", "publ."
	case measures[f.Measure] != nil:
		f.Name = s.metric(*f)
	default:
		f.Name = f.Measure
	}
}

// has reports whether a column can be shown with this run: a published number only where the two can be compared, the file
// has it and it is of the same databases.
func (s *sheet) has(f field) bool {
	switch f.Measure {
	case "printed gain", "printed over base":
		return s.beside()
	case "printed":
		if !s.beside() {
			return false
		}
		var dbs []string
		for _, db := range s.v.sets {
			dbs = unique(append(dbs, cmp.Or(s.Names[db], db)))
		}
		for _, db := range f.Databases {
			if !slices.Contains(dbs, db) || len(dbs) != len(f.Databases) {
				return false
			}
		}
		return s.printed.Has(f.Column) || f.Column == "" || strings.Contains(f.Column, "{")
	case "difference", "in interval":
		return s.unlike == ""
	}
	return true
}

// ways has one row per way of answering, and one group of columns per arm and sweep point.
func (s *sheet) ways(t *table.Table) {
	t.Columns = []table.Column{{Name: s.Key, Key: true}}
	var tops []side
	for _, x := range s.v.pairedByArm() {
		r := x.row
		name := strings.NewReplacer("{arm}", s.v.name(r), "{label}", r.label,
			"{temperature}", strconv.FormatFloat(r.Config.Model.Temperature, 'f', -1, 64)).Replace(s.Groups[0].Name)
		top := side{name: name, of: x, fields: s.fields(s.Groups[0].Columns, "")}
		for i := range top.fields {
			top.fields[i].Column = strings.ReplaceAll(top.fields[i].Column, "{stated}", r.Config.Published)
		}
		tops = append(tops, top)
	}
	s.cross(t, s.sides(s.Lines), tops, func(_, top side) (sample, bool) { return top.of, true })
}

// pairedByArm returns the samples of one arm after those of another, each arm's points in their order: as papers pair them.
func (v *view) pairedByArm() []sample {
	all := v.samples()
	first := func(x sample) int {
		return slices.IndexFunc(all, func(o sample) bool { return o.Config.Name == x.Config.Name })
	}
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b sample) int { return cmp.Compare(first(a), first(b)) })
	return out
}

func (s *sheet) sides(lines []line) (out []side) {
	for _, l := range lines {
		out = append(out, side{keys: []table.Cell{table.Text(l.Name)}, line: l, name: l.Name})
	}
	return out
}

// grid has the lines and columns of which an arm states a cell; a cell is of the first arm that states it.
func (s *sheet) grid(t *table.Table) {
	t.Columns = []table.Column{{Name: s.Key, Key: true}}
	find := func(head, column string) int {
		return slices.IndexFunc(s.v.rows, func(r row) bool {
			a, b, _ := strings.Cut(r.Config.Published, " ")
			return (head == "" || a == head) && (column == "" || b == column)
		})
	}
	rows := slices.DeleteFunc(s.sides(s.Lines), func(r side) bool { return find(r.line.ID, "") < 0 })
	tops := slices.DeleteFunc(s.sides(s.Columns), func(c side) bool { return find("", c.line.ID) < 0 })
	for i, top := range tops {
		fields := slices.Clone(s.Groups[0].Columns)
		for k := range fields {
			fields[k].Column = top.line.ID
		}
		tops[i].fields = s.fields(fields, "")
	}
	all := s.v.samples()
	s.cross(t, rows, tops, func(row, top side) (sample, bool) {
		i := find(row.line.ID, top.line.ID)
		if i < 0 {
			return sample{}, false
		}
		return all[i], true
	})
}

// dimension groups answers by one of their properties.
type dimension struct {
	name string
	of   func(*record.Item) string
}

// ownPrefix begins the name of a table that the experiment defines in [[table]].
const ownPrefix = "table/"

// ownMakers returns the makers of the tables that the experiment defines.
func ownMakers(e configs.Experiment) (out []maker) {
	for _, t := range e.Tables {
		out = append(out, maker{name: ownPrefix + t.Name, title: cmp.Or(t.Title, t.Name), source: "the experiment", why: always, common: common,
			make: func(v *view) (Output, error) { return v.own(t) }})
	}
	return out
}

// own fills a table that an experiment describes: one row per combination of the row dimensions that occurs, and one
// group of columns per combination of the column dimensions that occurs.
func (v *view) own(t configs.Table) (Output, error) {
	rows, err := v.dimensions(t.Rows)
	if err != nil {
		return Output{}, err
	}
	columns, err := v.dimensions(t.Columns)
	if err != nil {
		return Output{}, err
	}
	all := v.together(t.Arms)
	var keys []table.Column
	for _, d := range rows {
		keys = append(keys, table.Column{Name: d.name, Key: true})
	}
	var heads, tops []side
	for _, values := range combinations(columns, all.items) {
		tops = append(tops, side{name: strings.Join(values, ", "), keep: fits(columns, values), fields: v.ownFields(t)})
	}
	for _, values := range combinations(rows, all.items) {
		head := side{of: all.where(fits(rows, values))}
		for _, x := range values {
			head.keys = append(head.keys, table.Text(x))
		}
		heads = append(heads, head)
	}
	notes := []string{v.spread()}
	if t.Interval {
		notes = append(notes, v.intervalNote())
	}
	return v.plain(ownPrefix+t.Name, cmp.Or(t.Title, t.Name)).own(keys, heads, tops, notes...), nil
}

// ownFields returns the columns of each of the table's groups.
func (v *view) ownFields(t configs.Table) (out []field) {
	for _, c := range t.Cells {
		f := field{Name: v.display(c), Measure: c}
		if v.run.Resolved.Known.Choices("metrics").Has(c) {
			f.Metric, f.Best = c, true
			if f.Measure = "mean"; t.Interval {
				f.Measure = "accuracy"
			}
		}
		out = append(out, f)
	}
	return out
}

// together returns the answers of the named arms, or of all, as one sample.
func (v *view) together(arms []string) sample {
	out := sample{row: row{Series: &record.Series{}}, at: -1}
	for _, r := range v.rows {
		if len(arms) == 0 || slices.Contains(arms, r.Config.Name) {
			out.items = append(out.items, r.items...)
		}
	}
	return out
}

// dimensions finds each named dimension: arm, seed, a sweep key, or an axis of package axes.
func (v *view) dimensions(names []string) (out []dimension, err error) {
	labels := map[string]string{}
	for _, r := range v.rows {
		labels[r.Config.Name] = r.label
	}
	for _, name := range names {
		d := dimension{name: name}
		at := slices.Index(v.run.Manifest.Axes, name)
		switch {
		case name == "arm":
			d.of = func(it *record.Item) string { return labels[it.Arm] }
		case name == "seed":
			d.of = func(it *record.Item) string { return strconv.FormatInt(it.Seed, 10) }
		case at >= 0:
			d.of = func(it *record.Item) string { return it.Point[at] }
		default:
			axis, err := axes.Find(name)
			if err != nil {
				return nil, err
			}
			of, _ := v.groups(axis)
			d.of = func(it *record.Item) string { return of[it.Item] }
		}
		out = append(out, d)
	}
	return out, nil
}

// combinations are those of the dimensions' values that occur: each dimension's values in the order in which axes have
// them, or in which they come, the first dimension slowest.
func combinations(dims []dimension, answers []*record.Item) [][]string {
	out := [][]string{nil}
	for i, d := range dims {
		var values []string
		for _, a := range answers {
			if x := d.of(a); !slices.Contains(values, x) {
				values = append(values, x)
			}
		}
		if axis, err := axes.Find(d.name); err == nil {
			values = axis.Sorted(values)
		}
		var longer [][]string
		for _, head := range out {
			for _, x := range values {
				next := append(slices.Clone(head), x)
				if slices.ContainsFunc(answers, fits(dims[:i+1], next)) {
					longer = append(longer, next)
				}
			}
		}
		out = longer
	}
	return out
}

// fits keeps the answers that have these values in the dimensions.
func fits(dims []dimension, values []string) keep {
	return func(it *record.Item) bool {
		for i, d := range dims {
			if d.of(it) != values[i] {
				return false
			}
		}
		return true
	}
}
