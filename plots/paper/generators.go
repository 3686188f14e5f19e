package paper

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
)

// generator returns the paper's name of a method that generates candidates.
func (d *description) generator(method string) string {
	return cmp.Or(d.paper.Generators[method], method)
}

// several returns the first row with two generators or more, or -1.
func (v *view) several() int {
	return slices.IndexFunc(v.rows, func(r row) bool { return len(r.Config.Asks()) > 1 })
}

func whyNoGenerators(v *view) string {
	if v.several() < 0 {
		return "no arm of it has several generators"
	}
	return whyNoPools(v)
}

// solved says which generators solve which items, under the first seed of a row.
type solved struct {
	row        int
	generators []string
	counts     []int // of the items that exactly the generators of a mask solve; counts[0] none
	items      int
	masks      []int // one per item; -1 where it has no score
	answers    []*record.Answer
}

// solves counts a row's items by the set of generators that solve them.
func (v *view) solves() solved {
	i := v.several()
	ps := v.pools()[i]
	s := solved{row: i, generators: generators(v.rows[i], ps), answers: ps[0].answers}
	s.counts = make([]int, 1<<len(s.generators))
	for _, it := range ps[0].items {
		cs, mask := it.Scored(), 0
		for _, c := range cs {
			if c.Correct {
				mask |= 1 << slices.Index(s.generators, c.Generator)
			}
		}
		if len(cs) == 0 {
			mask = -1
		} else {
			s.counts[mask]++
			s.items++
		}
		s.masks = append(s.masks, mask)
	}
	return s
}

// single reports whether a mask has exactly one generator.
func single(mask int) bool { return mask > 0 && bits.OnesCount(uint(mask)) == 1 }

// solo counts, by group, the items that each generator alone solves; all, those that each solves, whoever else does.
func (s solved) solo(group func(*record.Item) string) map[string][]int {
	return s.count(group, func(mask, k int) bool { return mask == 1<<k })
}

func (s solved) all(group func(*record.Item) string) map[string][]int {
	return s.count(group, func(mask, k int) bool { return mask >= 0 && mask>>k&1 == 1 })
}

// count counts, by group and generator, the items whose mask counts for the generator.
func (s solved) count(group func(*record.Item) string, counts func(mask, k int) bool) map[string][]int {
	out := map[string][]int{}
	for i, m := range s.masks {
		g := group(s.answers[i].Item)
		if out[g] == nil {
			out[g] = make([]int, len(s.generators))
		}
		for k := range s.generators {
			if counts(m, k) {
				out[g][k]++
			}
		}
	}
	return out
}

// solvedNote says which row and seed is shown.
func (v *view) solvedNote(s solved) string {
	out := fmt.Sprintf("Arm %s; %d items with a scored candidate. A generator solves an item where at least one of its candidates is right.", v.name(v.rows[s.row]), s.items)
	if len(v.seeds) > 1 {
		out += fmt.Sprintf(" Seed %d alone.", s.answers[0].Item.Seed)
	}
	return out
}

// names returns the generators as the paper calls them.
func (s *sheet) names(of solved) (out []string) {
	for _, g := range of.generators {
		out = append(out, s.generator(g))
	}
	return out
}

// regions has one row per set of generators that alone solve items, one for several but not all, one for all, and one for none.
// Published counts are shown only where the generators are the paper's.
func (s *sheet) regions(t *table.Table) {
	of := s.v.solves()
	t.Columns = append([]table.Column{{Name: "solved by", Key: true}}, numerals("items", mine)...)
	percent := s.fields([]field{{Name: mine, Beside: true}}, "")
	if s.beside() {
		t.Columns = append(t.Columns, numerals("items", theirs)...)
	}
	for _, f := range percent {
		t.Columns = append(t.Columns, table.Column{Group: "percent", Name: f.Name, Short: f.Short, Align: table.Right})
	}
	add := func(name string, n int, region string) {
		printed, share := s.region(of, region)
		ours := percentOf(n, of.items)
		cells := []table.Cell{table.Text(name), table.Count(n), ours}
		if s.beside() {
			cells = []table.Cell{table.Text(name), table.Count(n), printed, ours, share, difference(ours, share), within(ours, share)}
		}
		t.Rows = append(t.Rows, cells)
	}
	several, all := 0, len(of.counts)-1
	for size := 1; size < len(of.generators); size++ {
		for m := 1; m < all; m++ {
			switch {
			case bits.OnesCount(uint(m)) != size:
			case size == 1:
				add(s.maskName(of, m), of.counts[m], of.generators[bits.TrailingZeros(uint(m))])
			default:
				several += of.counts[m]
				add(s.maskName(of, m), of.counts[m], "")
			}
		}
	}
	if len(of.generators) > 2 {
		add("several, not all", several, "several")
	}
	add("all", of.counts[all], "all")
	add("none", of.counts[0], "none")
}

// region returns the published count of a region, and its share; blank where the generators are not the paper's.
func (s *sheet) region(of solved, name string) (n, share table.Cell) {
	theirs := func(g string) bool { return s.paper.Generators[g] != "" }
	if len(of.generators) != len(s.paper.Generators) || slices.ContainsFunc(of.generators, func(g string) bool { return !theirs(g) }) || len(s.Regions[name]) == 0 {
		return n, share
	}
	sum := 0.0
	for _, id := range s.Regions[name] {
		x, _ := s.printed.Find("method", id).Number("items")
		sum += x
	}
	return table.Published(table.Number{Value: sum}), table.Published(table.Number{Value: 100 * sum / float64(s.Items), Decimals: 1})
}

// maskName names the generators of a mask.
func (s *sheet) maskName(of solved, m int) string {
	var names []string
	for i, n := range s.names(of) {
		if m>>i&1 == 1 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ") + " alone"
}

// percentOf is a share of one seed's items.
func percentOf(k, n int) table.Cell {
	var p proportion
	for i := range n {
		part := 0
		if i < k {
			part = 1
		}
		p.add(strconv.Itoa(i), part, 1)
	}
	return p.cell()
}

// by returns what items are grouped by: its name, the groups in their order, and the group of an answer.
func (s *sheet) by() (name string, groups []string, of func(*record.Item) string) {
	if s.By == "level" {
		return s.v.leveling, s.v.levels, s.v.level
	}
	return s.By, s.v.sets, database
}

func database(it *record.Item) string { return it.DB }

// solvedBy has one row per group: of each generator, the items that it alone solves, and all that it solves where the
// description counts those.
func (s *sheet) solvedBy(t *table.Table) {
	by, groups, group := s.by()
	of := s.v.solves()
	items := map[string]int{}
	for i, m := range of.masks {
		if m >= 0 {
			items[group(of.answers[i].Item)]++
		}
	}
	counts, heads := []map[string][]int{of.solo(group)}, []string{"alone"}
	if s.Counted == countAll {
		counts, heads = append([]map[string][]int{of.all(group)}, counts...), []string{"solved", "alone"}
	}
	t.Title = s.solvedTitle()
	t.Columns = append([]table.Column{{Name: by, Key: true}}, numerals("", "items")...)
	for i, h := range heads {
		for _, c := range numerals(h, s.names(of)...) {
			c.Extra = i > 0
			t.Columns = append(t.Columns, c)
		}
	}
	for _, g := range groups {
		cells := []table.Cell{table.Text(g), table.Count(items[g])}
		for _, n := range counts {
			for k := range of.generators {
				cells = append(cells, table.Count(nth(n[g], k)))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
}

// nth returns a count of a group that may have none.
func nth(counts []int, k int) int {
	if counts == nil {
		return 0
	}
	return counts[k]
}

// countAll is what a description says that counts all items that a generator solves, and not those that it alone does.
const countAll = "all"

func (s *sheet) solvedTitle() string {
	by, _, _ := s.by()
	what := "Solved by one generator alone"
	if s.Counted == countAll {
		what = "Solved by each generator"
	}
	return fmt.Sprintf("%s, by %s: %s", what, by, s.v.run.Manifest.Experiment)
}

// drawSolved draws what each generator solves, or alone solves, by group.
func (s *sheet) drawSolved() (figure.Drawing, error) {
	by, groups, group := s.by()
	of := s.v.solves()
	counts := of.solo(group)
	if s.Counted == countAll {
		counts = of.all(group)
	}
	f := &figure.Spec{ID: s.Name, Kind: figure.Bars, Title: s.solvedTitle(), XLabel: by, YLabel: "items", Counts: true, Groups: groups, Caption: s.v.tail(s.fill(s.Notes)...)}
	for k, n := range s.names(of) {
		bars := figure.Series{Name: n}
		for _, g := range groups {
			p := figure.Point{OK: counts[g] != nil}
			if p.OK {
				p.Y = float64(counts[g][k])
			}
			bars.Points = append(bars.Points, p)
		}
		f.Series = append(f.Series, bars)
	}
	if s.Counted != countAll && !slices.ContainsFunc(of.masks, single) {
		f.Caption = append([]string{"No item is solved by one generator alone."}, f.Caption...)
	}
	return f.Readable(f.Caption...), nil
}
