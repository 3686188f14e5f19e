package compare

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/experiments/record"
)

// Ablation compares an arm that has some blocks of its prompt changed, or some params, with the same arm as it is.
type Ablation struct {
	Contrast              // A is the reference
	Changed  []Difference // the params or blocks that differ, sorted by key, with the values that tables show
	SpentA   Spending     // of the paired answers, as SpentB
	SpentB   Spending
}

// Ablations compares what a run says of blocks and params, one change at a time. Holm's correction is over all of them
// together; the options are those of Within.
//
//	a sweep over blocks or params   per arm that has the entry and per value of the other axes: each value with the reference,
//	                                where the other blocks and params stay at theirs; then all blocks off that can be.
//	                                The reference is "kept" where it is swept, otherwise the first value
//	arms that differ in blocks      each with the first that keeps them all, otherwise with the first
//	arms that differ in params      each with the first
//
// Arms are compared at the reference of what is swept. The Group of a pair without a scored item in common has no items.
func Ablations(x *record.Index, o Options) ([]Ablation, error) {
	o = o.filled()
	found := ablated(x)
	if len(found) == 0 {
		return nil, nil
	}
	all, err := everything(x, o)
	if err == nil {
		err = cost.PriceItems(x.Run)
	}
	if err != nil {
		return nil, err
	}
	out := make([]Ablation, len(found))
	for i, f := range found {
		a, b := all.at(f.from.Arm, f.from.Point), all.at(f.to.Arm, f.to.Point)
		c, units := contrast(a, b, o)
		out[i] = Ablation{Contrast: c, Changed: f.changed, SpentA: spending(a, units, false), SpentB: spending(b, units, true)}
	}
	correctEach(out, func(a *Ablation) *Group { return &a.Group }, o.Level)
	return out, nil
}

// Ablates reports whether the run says anything of blocks or params.
func Ablates(x *record.Index) bool { return len(ablated(x)) > 0 }

// set is a cell with the params and blocks of its arm.
type set struct {
	*record.Series
	values map[string]string // by key, as tables show them
	keys   []string          // sorted
}

// change is one ablation before it is measured.
type change struct {
	from, to set
	changed  []Difference
}

// ablated finds what to compare: the changes of each arm along the sweep, then those from arm to arm.
func ablated(x *record.Index) (out []change) {
	arms, open := settings(x)
	seen := map[record.Cell]bool{} // references of earlier arms and strata
	var references []set
	for _, cells := range arms {
		for _, first := range cells {
			at := reference(cells, first, open)
			if at == nil || seen[at.Cell] {
				continue
			}
			seen[at.Cell], references = true, append(references, *at)
			out = append(out, along(cells, *at, open)...)
		}
	}
	for _, head := range []string{"blocks.", "params."} {
		out = append(out, between(references, head, x.Run.Resolved.Known)...)
	}
	return out
}

// settings returns the known cells of each arm, in the order of the run, and the axes of blocks and params: keys by position;
// "" for other axes.
func settings(x *record.Index) (arms [][]set, open []string) {
	at := map[string]int{}
	for _, s := range x.Series {
		if !s.Known {
			continue
		}
		one := set{Series: s, values: map[string]string{}}
		for _, v := range x.Run.Resolved.Known.Open(s.Config) {
			one.values[v.Key], one.keys = v.Value, append(one.keys, v.Key)
		}
		i, ok := at[s.Arm]
		if !ok {
			i = len(arms)
			at[s.Arm], arms = i, append(arms, nil)
		}
		arms[i] = append(arms[i], one)
	}
	for _, axis := range x.Run.Manifest.Axes {
		if !strings.HasPrefix(axis, "blocks.") && !strings.HasPrefix(axis, "params.") {
			axis = ""
		}
		open = append(open, axis)
	}
	return arms, open
}

// reference returns the arm's cell that has the other axes as the given cell does, and every block and param at its reference;
// nil where the run lacks it.
func reference(cells []set, like set, open []string) *set {
	point := slices.Clone(like.Point)
	for i := range open {
		if open[i] != "" && i < len(point) {
			values := valuesAlong(cells, i)
			point[i] = values[0]
			if strings.HasPrefix(open[i], "blocks.") && slices.Contains(values, configs.BlockKept) {
				point[i] = configs.BlockKept
			}
		}
	}
	return cellAt(cells, point)
}

// valuesAlong lists the values of an axis in the order of the run.
func valuesAlong(cells []set, axis int) (out []string) {
	for _, c := range cells {
		if axis < len(c.Point) && !slices.Contains(out, c.Point[axis]) {
			out = append(out, c.Point[axis])
		}
	}
	return out
}

func cellAt(cells []set, point []string) *set {
	if i := slices.IndexFunc(cells, func(c set) bool { return slices.Equal(c.Point, point) }); i >= 0 {
		return &cells[i]
	}
	return nil
}

// along returns the changes of one arm from its reference: each value of each axis, then all blocks off where that are several.
func along(cells []set, from set, open []string) (out []change) {
	add := func(point []string) {
		to := cellAt(cells, point)
		if to == nil {
			return
		}
		if d := changes(from, *to); len(d) > 0 {
			out = append(out, change{from, *to, d})
		}
	}
	off, blocks := slices.Clone(from.Point), 0
	for i, axis := range open {
		if _, has := from.values[axis]; !has || i >= len(from.Point) {
			continue
		}
		for _, v := range valuesAlong(cells, i) {
			if v == from.Point[i] {
				continue
			}
			point := slices.Clone(from.Point)
			point[i] = v
			add(point)
			if v == configs.BlockOff && strings.HasPrefix(axis, "blocks.") {
				off[i], blocks = v, blocks+1
			}
		}
	}
	if blocks > 1 {
		add(off)
	}
	return out
}

// changes lists the params and blocks in which two cells differ.
func changes(a, b set) (out []Difference) {
	keys := slices.Concat(a.keys, b.keys)
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if a.values[key] != b.values[key] {
			out = append(out, Difference{key, a.values[key], b.values[key]})
		}
	}
	return out
}

// between returns the changes from arm to arm: those that differ in keys under the head alone.
func between(cells []set, head string, known configs.Known) (out []change) {
	families := [][]set{}
	for _, c := range cells {
		i := slices.IndexFunc(families, func(f []set) bool { return alikeBut(f[0], c, head, known) })
		if i < 0 {
			families = append(families, []set{c})
			continue
		}
		families[i] = append(families[i], c)
	}
	for _, f := range families {
		from := slices.IndexFunc(f, func(c set) bool { return head == "blocks." && c.whole() })
		from = max(from, 0)
		for i, to := range f {
			if d := changes(f[from], to); i != from && len(d) > 0 {
				out = append(out, change{f[from], to, d})
			}
		}
	}
	return out
}

// whole reports whether the cell keeps all blocks.
func (s set) whole() bool {
	return !slices.ContainsFunc(s.keys, func(k string) bool { return strings.HasPrefix(k, "blocks.") && s.values[k] != configs.BlockKept })
}

// alikeBut reports whether two cells at one sweep point answer the same items with the same settings, except for names and the
// keys under the head.
func alikeBut(a, b set, head string, known configs.Known) bool {
	own := func(d Difference) bool { return !strings.HasPrefix(d.Key, head) }
	return slices.Equal(a.Point, b.Point) && !slices.ContainsFunc(changes(a, b), own) &&
		reflect.DeepEqual(closed(a.Config, known), closed(b.Config, known)) && shareItem(a, b)
}

// closed returns an arm without its names, params and blocks, and with the content of folders in place of their paths, which
// differ between the runs that a joined run is made of.
func closed(a configs.Arm, known configs.Known) configs.Arm {
	content := func(id string) string {
		if !filepath.IsAbs(id) {
			return id
		}
		return cmp.Or(known.DigestOf("method", id), id)
	}
	all := func(ids []string) (out []string) {
		for _, id := range ids {
			out = append(out, content(id))
		}
		return out
	}
	a.Name, a.Label, a.Published, a.Params, a.Blocks = "", "", "", nil, nil
	a.Method, a.Row, a.Generators, a.Asked = content(a.Method), configs.Method{}, all(a.Generators), nil
	a.Link, a.Fix, a.Choose, a.Schema.Format = all(a.Link), content(a.Fix), content(a.Choose), content(a.Schema.Format)
	return a
}

// shareItem reports whether both cells answer some item, which cells of joined runs may not.
func shareItem(a, b set) bool {
	items := make(map[string]bool, len(a.Answers))
	for _, x := range a.Answers {
		items[x.Item.Item] = true
	}
	return slices.ContainsFunc(b.Answers, func(y *record.Answer) bool { return items[y.Item.Item] })
}
