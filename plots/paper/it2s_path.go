package paper

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/axes"
	"assay/experiments/record"
	"assay/plots/table"
)

// pathTool is the tool whose worth Table 10 shows.
const pathTool = "FindShortestPath"

// pathDoubt is what the printed rows of Table 10 say against its text.
const pathDoubt = "The printed rows of BIRD do not fit the sample that the text describes, 50 questions of each number of tables: their means would be 56.00 and 49.00, not 58.00 and 51.33, and 57 % of 50 is no whole number of questions. The rows of Spider fit."

func joinedAxis() axes.Axis {
	a, err := axes.Find("joined")
	if err != nil {
		panic(err) // there is no such axis: the table above is wrong
	}
	return a
}

func whyNoJoined(v *view) string {
	if why := v.whyNoGroups(joinedAxis()); why != "" {
		return why
	}
	if !slices.ContainsFunc(v.rows, func(r row) bool { return r.arm.Row.Agent }) {
		return "no arm of it has method interactive"
	}
	return ""
}

// family names the datasets that Table 10 draws on together: Spider with its variants, BIRD.
func family(dataset string) string {
	if strings.HasSuffix(dataset, private) {
		return dataset
	}
	switch kind, _, _ := strings.Cut(dataset, "/"); kind {
	case "spider":
		return "Spider"
	case "bird":
		return "BIRD"
	}
	return dataset
}

// familial is an arm on all datasets of a family.
type familial struct {
	family  string
	without bool // FindShortestPath is off
	row
}

// families gathers the interactive arms; the answers of a joined run to a family's datasets count as one arm's.
func (v *view) families() []familial {
	var out []familial
	for _, r := range v.rows {
		if !r.arm.Row.Agent {
			continue
		}
		f := familial{row: r, without: slices.Contains(r.arm.Agent.OrPaper().Off, pathTool)}
		f.family = family(datasetOf(r))
		f.label = plainLabel(r)
		i := slices.IndexFunc(out, func(o familial) bool { return o.family == f.family && sameArm(o.row, r) })
		if i < 0 {
			f.items = slices.Clone(r.items)
			out = append(out, f)
			continue
		}
		for _, it := range r.items {
			known := func(o *record.Item) bool { return o.Item == it.Item && o.Seed == it.Seed }
			if !slices.ContainsFunc(out[i].items, known) {
				out[i].items = append(out[i].items, it)
			}
		}
	}
	return out
}

// sameArm tells whether two rows are one arm in runs that were joined.
func sameArm(a, b row) bool {
	x, y := a.arm, b.arm
	named := base(x.Name) == base(y.Name)
	x.Name, x.Label, y.Name, y.Label = "", "", "", ""
	return named && slices.Equal(a.point, b.point) && reflect.DeepEqual(x, y)
}

// other is the same arm with the tool on: equal in all but that.
func other(all []familial, f familial) (familial, bool) {
	plain := func(r row) configs.Arm {
		a := r.arm
		g := a.Agent.OrPaper()
		g.Off = slices.DeleteFunc(slices.Clone(g.Off), func(t string) bool { return t == pathTool })
		if len(g.Off) == 0 {
			g.Off = nil
		}
		a.Name, a.Label, a.Agent = "", "", &g
		return a
	}
	i := slices.IndexFunc(all, func(o familial) bool {
		return !o.without && o.family == f.family && slices.Equal(o.point, f.point) && reflect.DeepEqual(plain(o.row), plain(f.row))
	})
	if i < 0 {
		return familial{}, false
	}
	return all[i], true
}

// pathGroups are the columns of Table 10: the group of the axis, and its name in the published file.
var pathGroups = [][2]string{{"2", "two"}, {"3", "three"}, {"4+", "four"}}

// it2sTable10 has a row an arm, the gain of the tool, and the published rows: they are over samples that nobody else has, so
// that none stands beside a row of this run.
func it2sTable10(v *view) (Output, error) {
	pub, _, err := chasePublished("it2s-table10.csv")
	if err != nil {
		return Output{}, err
	}
	of, _ := v.groups(joinedAxis())
	t := &table.Table{ID: "it2s/table10", Title: "What " + pathTool + " is worth, by tables joined: " + v.run.Manifest.Experiment,
		Columns: []table.Column{{Name: "items", Key: true}, {Name: "arm", Key: true}, {Name: "whose", Key: true}}}
	for _, g := range pathGroups {
		t.Columns = append(t.Columns, table.Column{Name: g[0] + " tables", Align: table.Right})
	}
	t.Columns = append(t.Columns, numerals("", "average", "all items")...)
	line := func(family, name, whose string, cells []table.Cell) {
		t.Rows = append(t.Rows, append([]table.Cell{table.Text(family), table.Text(name), table.Text(whose)}, cells...))
	}
	all := v.families()
	for _, f := range all {
		line(f.family, f.label, "this run", v.pathCells(f, of))
		if with, ok := other(all, f); f.without && ok {
			line(f.family, "gain", "this run", v.pathGains(f, with, of))
		}
	}
	for _, rest := range [][2]string{{"spider", "Spider-150"}, {"bird", "BIRD-150"}} {
		with, without := printedRow(pub, rest[0]), printedRow(pub, rest[0]+"-without")
		line(rest[1], "Interactive-T2S", "published", with)
		line(rest[1], "w/o findpath", "published", without)
		line(rest[1], "gain", "published", apart(with, without))
	}
	t.Notes = v.notes(slices.Concat([]string{v.spread(), "Tables: " + joinedAxis().Shows + ". Average: the mean of the three groups, each counting the same. " + v.joinedNote(of),
		"Gain: the same arm with the tool less without it, in points, " + gainNote},
		v.it2sNotes("Table 10", false, []string{"The paper does not list the questions that it drew"}, nil), []string{pathDoubt})...)
	return Output{Table: t}, nil
}

func atGroup(of map[string]string, g string) keep {
	return func(it *record.Item) bool { return of[it.Item] == g }
}

// pathCells are the accuracy of each group, their mean, and the accuracy over the items of all of them.
func (v *view) pathCells(f familial, of map[string]string) []table.Cell {
	var out []table.Cell
	sum, n := 0.0, 0
	for _, g := range pathGroups {
		c := v.ranged(f.row, 0, atGroup(of, g[0]), 1)
		if c.Num != nil {
			sum, n = sum+c.Num.Value, n+1
		}
		out = append(out, c)
	}
	average := table.Cell{}
	if n == len(pathGroups) {
		average = table.Measured(table.Number{Value: sum / float64(n), Decimals: 2})
	}
	return append(out, average, v.ranged(f.row, 0, inGroups(of), 1))
}

func inGroups(of map[string]string) keep {
	return func(it *record.Item) bool {
		return slices.ContainsFunc(pathGroups, func(g [2]string) bool { return of[it.Item] == g[0] })
	}
}

// pathGains are the paired differences of each group, their mean, and that over all items.
func (v *view) pathGains(without, with familial, of map[string]string) []table.Cell {
	only := func(f familial, k keep) row {
		r := f.row
		r.items = slices.DeleteFunc(slices.Clone(r.items), func(it *record.Item) bool { return !k(it) })
		return r
	}
	var out []table.Cell
	sum, n := 0.0, 0
	for _, g := range pathGroups {
		c := v.gain(only(without, atGroup(of, g[0])), only(with, atGroup(of, g[0])))
		if c.Num != nil {
			sum, n = sum+c.Num.Value, n+1
		}
		out = append(out, c)
	}
	average := table.Cell{}
	if n == len(pathGroups) {
		average = signed(sum/float64(n), 2)
	}
	return append(out, average, v.gain(only(without, inGroups(of)), only(with, inGroups(of))))
}

func printedRow(pub published, name string) []table.Cell {
	var out []table.Cell
	for _, g := range pathGroups {
		out = append(out, pub.cell(name, g[1], 0))
	}
	return append(out, pub.cell(name, "average", 2), table.Cell{})
}

// apart is a less b, cell by cell; published where both are.
func apart(a, b []table.Cell) []table.Cell {
	out := make([]table.Cell, len(a))
	for i := range a {
		out[i] = difference(a[i], b[i])
		out[i].Published = a[i].Published && b[i].Published
	}
	return out
}

// joinedNote counts the items of each group, by dataset.
func (v *view) joinedNote(of map[string]string) string {
	var parts []string
	for _, set := range v.datasets() {
		var counts []string
		for _, g := range pathGroups {
			n := 0
			for _, q := range v.run.Questions {
				if of[q.Item] == g[0] && strings.HasPrefix(q.Item, set+"/") {
					n++
				}
			}
			counts = append(counts, fmt.Sprintf("%d of %s", n, g[0]))
		}
		parts = append(parts, set+" "+strings.Join(counts, ", "))
	}
	return "Items: " + strings.Join(parts, "; ") + "."
}
