package paper

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"assay/experiments/record"
	"assay/metrics/pool"
	"assay/plots/figure"
	"assay/plots/table"
)

// generatorNames are the paper's words for its generators.
var generatorNames = map[string]string{"qp-cot": "Query Plan", "os": "Synthetic Example", "dc-cot": "Divide and Conquer"}

func generatorName(g string) string {
	if n := generatorNames[g]; n != "" {
		return n
	}
	return g
}

// several is the first row that has two generators or more, -1 for none.
func (v *view) several() int {
	return slices.IndexFunc(v.rows, func(r row) bool { return len(r.arm.Asks()) > 1 })
}

func whyNoGenerators(v *view) string {
	if v.several() < 0 {
		return "no arm of it has several generators"
	}
	return whyNoPools(v)
}

func whyNoAloneByLevel(v *view) string {
	if why := whyNoLevels(v); why != "" {
		return why
	}
	return whyNoGenerators(v)
}

// withGenerator is the first row that has several candidates of a generator.
func withGenerator(v *view, ps [][]pooled, g string) int {
	return slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(only(p, g)) > 1 })
}

func whyNoFan(g string) func(*view) string {
	return func(v *view) string {
		if withGenerator(v, v.pools(), g) < 0 {
			return "no arm of it has several candidates of " + g
		}
		return ""
	}
}

// generatorFan draws the bounds of one generator's pools.
func generatorFan(id, g string) func(*view) (Output, error) {
	return func(v *view) (Output, error) {
		ps := v.pools()
		i := withGenerator(v, ps, g)
		cut := only(ps[i], g)
		metric := v.display(v.ids[0])
		title := fmt.Sprintf("%s by number of candidates of %s: %s", metric, generatorName(g), v.name(v.rows[i]))
		f := fanOf(v.rows[i], cut[0], everySize(cut[0])).figureOf(id, title, metric, append(v.poolCaption(i, cut), unprinted("Figure 2")))
		return Output{Figure: f}, nil
	}
}

func unprinted(figure string) string {
	return "The paper draws this as its " + figure + " without printing the values."
}

// fig2d draws the upper bound of all generators together, a line a level.
func fig2d(v *view) (Output, error) {
	ps := v.pools()
	i := slices.IndexFunc(ps, func(p []pooled) bool { return len(p) > 0 && largestPool(p) > 1 })
	p := ps[i][0]
	f := &figure.Spec{ID: "chase/fig2d", Kind: figure.Lines, Title: fmt.Sprintf("Upper bound by number of candidates and %s: %s", v.leveling, v.name(v.rows[i])),
		XLabel: "candidates", YLabel: v.display(v.ids[0]) + ", percent", Caption: append(v.poolCaption(i, ps[i]), v.levelNote(), unprinted("Figure 2d"))}
	most := largestPool(ps[i][:1])
	for k := 1; k <= most; k++ {
		f.Groups, f.X = append(f.Groups, fmt.Sprint(k)), append(f.X, float64(k))
	}
	groups := itemsBy(p, v.level)
	groups["all"] = p.items
	for _, l := range append(slices.Clone(v.levels), "all") {
		s := figure.Series{Name: l, Points: make([]figure.Point, most)}
		for k := 1; k <= most; k++ {
			if x := pool.Mean(groups[l], pool.UpperAt(k)); x.Estimate == x.Estimate {
				s.Points[k-1] = figure.Point{Y: 100 * x.Estimate, OK: true}
			}
		}
		f.Series = append(f.Series, s)
	}
	return Output{Figure: f}, nil
}

// solved is which generators solve the items of the first seed of a row.
type solved struct {
	row        int
	generators []string
	counts     []int // of the items that exactly the generators of a mask solve; counts[0] none
	items      int
	masks      []int // an item each; -1 where it has no score
	answers    []*record.Item
}

// solves counts a row's items by who solves them.
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

// names are the generators as the paper calls them.
func (s solved) names() (out []string) {
	for _, g := range s.generators {
		out = append(out, generatorName(g))
	}
	return out
}

// alone counts, by group, the items that each generator alone solves.
func (s solved) alone(group func(*record.Item) string) map[string][]int {
	out := map[string][]int{}
	for i, m := range s.masks {
		g := group(s.answers[i])
		if out[g] == nil {
			out[g] = make([]int, len(s.generators))
		}
		if m > 0 && bits.OnesCount(uint(m)) == 1 {
			out[g][bits.TrailingZeros(uint(m))]++
		}
	}
	return out
}

// solvedNote says which row and seed is shown.
func (v *view) solvedNote(s solved) string {
	out := fmt.Sprintf("Arm %s; %d items with a scored candidate. A generator solves an item where at least one of its candidates is right.", v.name(v.rows[s.row]), s.items)
	if len(v.seeds) > 1 {
		out += fmt.Sprintf(" Seed %d alone.", s.answers[0].Seed)
	}
	return out
}

// tail is what every figure ends with.
func (v *view) tail(own ...string) []string {
	out := append(own, v.dataNote()+" "+v.modelNote())
	return slices.Concat(out, v.troubles(), v.warnings())
}

// vennPublished is what the paper's diagram prints.
const vennPublished = "Published (" + chase + ", Figure 3a, 1534 items of BIRD dev): Query Plan alone 35, Synthetic Example alone 30, Divide and Conquer alone 33; all three 1045; two of the three 38, 72 and 23; none 258."

func fig3a(v *view) (Output, error) {
	s := v.solves()
	f := &figure.Sets{ID: "chase/fig3a", Title: "Which generator solves what: " + v.run.Manifest.Experiment, Names: s.names(), Counts: s.counts,
		Caption: v.tail(v.solvedNote(s), vennPublished)}
	return Output{Figure: f}, nil
}

// fig3aTable has a row a region of the diagram. The paper's text does not say which pair of generators which of its
// numbers is of, so that the pairs are compared as one.
func fig3aTable(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-fig3a.csv")
	if err != nil {
		return Output{}, err
	}
	s := v.solves()
	printed := func(ids ...string) table.Cell {
		sum := 0.0
		for _, id := range ids {
			c := pub.cell(id, "items", 0)
			if c.Num == nil {
				return table.Cell{}
			}
			sum += c.Num.Value
		}
		return table.Published(table.Number{Value: sum})
	}
	a := v.beside(onBird("Figure 3a", "Gemini 1.5 Pro"))
	t := &table.Table{ID: "chase/fig3a-table", Title: "Which generator solves what: " + v.run.Manifest.Experiment,
		Columns: append([]table.Column{{Name: "solved by", Key: true}}, append(numerals("items", "this run", "published"), a.columns("percent", "this run")...)...)}
	add := func(name string, n int, theirs table.Cell) {
		cells := []table.Cell{table.Text(name), table.Count(n), theirs}
		ours, pc := percentOf(n, s.items), table.Cell{}
		if theirs.Num != nil {
			pc = table.Published(table.Number{Value: 100 * theirs.Num.Value / 1534, Decimals: 1})
		}
		t.Rows = append(t.Rows, append(cells, a.cells(ours, pc)...))
	}
	short := map[string]string{"qp-cot": "qp-only", "os": "os-only", "dc-cot": "dc-only"}
	two := 0
	all := len(s.counts) - 1
	for size := 1; size < len(s.generators); size++ {
		for m := 1; m < all; m++ {
			if bits.OnesCount(uint(m)) != size {
				continue
			}
			if size > 1 {
				two += s.counts[m]
			}
			theirs := table.Cell{}
			if size == 1 && s.paper() {
				theirs = printed(short[s.generators[bits.TrailingZeros(uint(m))]])
			}
			add(s.region(m), s.counts[m], theirs)
		}
	}
	if len(s.generators) > 2 {
		add("several, not all", two, s.only(printed("unplaced-a", "unplaced-b", "unplaced-c")))
	}
	add("all", s.counts[all], s.only(printed("all-three")))
	add("none", s.counts[0], s.only(printed("none")))
	t.Notes = v.notes(slices.Concat([]string{v.solvedNote(s)}, a.notes(), []string{upperDoubt})...)
	return Output{Table: t}, nil
}

// paper says whether the generators are the paper's three.
func (s solved) paper() bool {
	return len(s.generators) == 3 && !slices.ContainsFunc(s.generators, func(g string) bool { return generatorNames[g] == "" })
}

// only is a published number, blank where the generators are not the paper's.
func (s solved) only(c table.Cell) table.Cell {
	if !s.paper() {
		return table.Cell{}
	}
	return c
}

// region names the generators of a mask.
func (s solved) region(m int) string {
	var names []string
	for i, n := range s.names() {
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

// aloneBars draws what each generator alone solves, by group.
func (v *view) aloneBars(id, by string, groups []string, group func(*record.Item) string, published string) *figure.Spec {
	s := v.solves()
	alone := s.alone(group)
	f := &figure.Spec{ID: id, Kind: figure.Bars, Title: fmt.Sprintf("Solved by one generator alone, by %s: %s", by, v.run.Manifest.Experiment),
		XLabel: by, YLabel: "items", Counts: true, Groups: groups, Caption: v.tail(v.solvedNote(s), unprinted(published))}
	for k, n := range s.names() {
		x := figure.Series{Name: n}
		for _, g := range groups {
			p := figure.Point{OK: alone[g] != nil}
			if p.OK {
				p.Y = float64(alone[g][k])
			}
			x.Points = append(x.Points, p)
		}
		f.Series = append(f.Series, x)
	}
	if !slices.ContainsFunc(s.masks, func(m int) bool { return m > 0 && bits.OnesCount(uint(m)) == 1 }) {
		f.Caption = append([]string{"No item is solved by one generator alone."}, f.Caption...)
	}
	return f
}

// aloneTable has a row a group.
func (v *view) aloneTable(id, by string, groups []string, group func(*record.Item) string, notes ...string) *table.Table {
	s := v.solves()
	alone := s.alone(group)
	items := map[string]int{}
	for i, m := range s.masks {
		if m >= 0 {
			items[group(s.answers[i])]++
		}
	}
	t := &table.Table{ID: id, Title: fmt.Sprintf("Solved by one generator alone, by %s: %s", by, v.run.Manifest.Experiment),
		Columns: append([]table.Column{{Name: by, Key: true}}, numerals("", append([]string{"items"}, s.names()...)...)...)}
	for _, g := range groups {
		cells := []table.Cell{table.Text(g), table.Count(items[g])}
		for k := range s.generators {
			n := 0
			if alone[g] != nil {
				n = alone[g][k]
			}
			cells = append(cells, table.Count(n))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = v.notes(append([]string{v.solvedNote(s), "Cells count the items that the generator solves and no other does."}, notes...)...)
	return t
}

func fig3b(v *view) (Output, error) {
	return Output{Figure: v.aloneBars("chase/fig3b", v.leveling, v.levels, v.level, "Figure 3b")}, nil
}

func fig3bTable(v *view) (Output, error) {
	return Output{Table: v.aloneTable("chase/fig3b-table", v.leveling, v.levels, v.level,
		"The paper's caption says queries answered by each method, its text those that no other answers; this is the latter.", unprinted("Figure 3b"))}, nil
}

func database(it *record.Item) string { return it.DB }

func fig5(v *view) (Output, error) {
	return Output{Figure: v.aloneBars("chase/fig5", "database", v.sets, database, "Figure 5")}, nil
}

func fig5Table(v *view) (Output, error) {
	return Output{Table: v.aloneTable("chase/fig5-table", "database", v.sets, database, unprinted("Figure 5"))}, nil
}

// outcomeRows are the paper's names of the outcomes of a pool.
var outcomeRows = []struct {
	outcome pool.Outcome
	id      string
}{{pool.Right, "final-answer-correct"}, {pool.NotChosen, "correct-candidate-not-chosen"}, {pool.NotInPool, "no-correct-candidate"}, {pool.GoldInDoubt, "wrong-gold"}}

// outcomesOf counts the items of every seed by outcome.
func outcomesOf(ps []pooled) (counts map[pool.Outcome]int, scored int) {
	counts = map[pool.Outcome]int{}
	for _, p := range ps {
		for i, n := range pool.Split(p.items) {
			counts[pool.Outcomes[i]] += n
			if pool.Outcomes[i] != pool.Unscored {
				scored += n
			}
		}
	}
	return counts, scored
}

// outcomeShare is how many of the items with a scored candidate have the outcome.
func outcomeShare(ps []pooled, o pool.Outcome) table.Cell {
	return acrossSeeds(ps, func(_ int, p pooled) (out []pool.Value) {
		for _, it := range p.items {
			switch it.Outcome() {
			case pool.Unscored:
			case o:
				out = append(out, pool.Value{Item: it.ID, Value: 1})
			default:
				out = append(out, pool.Value{Item: it.ID})
			}
		}
		return out
	})
}

func doubtNote(v *view) string {
	n := 0
	for _, q := range v.run.Questions {
		if q.Override != "" {
			n++
		}
	}
	return fmt.Sprintf("Gold in doubt: answers that are not right where a person corrected the gold or took the item out (dataset.overrides), %d items here; the paper's authors looked at each.", n)
}

// fig6Table has a row an outcome, and columns an arm.
func fig6Table(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-fig6.csv")
	if err != nil {
		return Output{}, err
	}
	ps := v.pools()
	a := v.beside(onBird("Figure 6", "Gemini 1.5 Pro"))
	t := &table.Table{ID: "chase/fig6-table", Title: "What became of each question: " + v.run.Manifest.Experiment, Columns: []table.Column{{Name: "outcome", Key: true}}}
	for _, o := range outcomeRows {
		t.Rows = append(t.Rows, []table.Cell{table.Text(string(o.outcome))})
	}
	for i, r := range v.rows {
		t.Columns = append(t.Columns, numerals(v.name(r), "answers")...)
		t.Columns = append(t.Columns, a.columns(v.name(r), "percent")...)
		counts, _ := outcomesOf(ps[i])
		for k, o := range outcomeRows {
			t.Rows[k] = append(t.Rows[k], table.Count(counts[o.outcome]))
			t.Rows[k] = append(t.Rows[k], a.cells(outcomeShare(ps[i], o.outcome), pub.cell(o.id, "percent", 1))...)
		}
	}
	t.Notes = v.notes(slices.Concat([]string{"Percent of the answers that have a scored candidate. " + v.intervalNote(), doubtNote(v)}, a.notes(),
		[]string{upperDoubt, allDoubt})...)
	return Output{Table: t}, nil
}

// fig6 draws a bar an arm, and one of the paper.
func fig6(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-fig6.csv")
	if err != nil {
		return Output{}, err
	}
	ps := v.pools()
	f := &figure.Stack{ID: "chase/fig6", Title: "What became of each question: " + v.run.Manifest.Experiment, Label: "percent of answers", Places: 1,
		Caption: v.tail("This run's answers that have a scored candidate. "+doubtNote(v), "Published: "+chase+", Figure 6, BIRD dev.", upperDoubt)}
	for _, o := range outcomeRows {
		f.Parts = append(f.Parts, figure.Part{Name: string(o.outcome)})
	}
	add := func(name string, share func(k int) float64) {
		f.Rows = append(f.Rows, name)
		for k := range outcomeRows {
			f.Parts[k].Values = append(f.Parts[k].Values, share(k))
		}
	}
	for i, r := range v.rows {
		counts, n := outcomesOf(ps[i])
		add(v.name(r), func(k int) float64 { return 100 * float64(counts[outcomeRows[k].outcome]) / float64(max(n, 1)) })
	}
	add("published", func(k int) float64 { return pub.cell(outcomeRows[k].id, "percent", 1).Num.Value })
	return Output{Figure: f}, nil
}

// fig7Table has a row a database.
func fig7Table(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-fig7.csv")
	if err != nil {
		return Output{}, err
	}
	ps := v.pools()
	a := v.beside(onBird("Figure 7", "Gemini 1.5 Pro"))
	t := v.partTable("chase/fig7-table", "By database, what exists and what is chosen", "database",
		append(numerals("", "items"), append(a.columns("right exists", "this run"), a.columns("right chosen", "this run")...)...),
		func(i int, r row) (rows [][]table.Cell) {
			for _, db := range append(slices.Clone(v.sets), "all") {
				cut := inDatabase(ps[i], db)
				cells := []table.Cell{table.Text(db), table.Count(itemsIn(cut))}
				cells = append(cells, a.cells(shareOf(cut, pool.Upper), pub.cell(db, "exists", 1))...)
				rows = append(rows, append(cells, a.cells(shareOf(cut, pool.Chosen), pub.cell(db, "chosen", 1))...))
			}
			return rows
		})
	t.Notes = v.poolNotes(ps, append(a.notes(), upperDoubt, allDoubt)...)
	return Output{Table: t}, nil
}

// inDatabase keeps the items of one database; "all" keeps them whole.
func inDatabase(ps []pooled, db string) []pooled {
	if db == "all" {
		return ps
	}
	out := make([]pooled, len(ps))
	for i, p := range ps {
		for k, it := range p.items {
			if p.answers[k].DB == db {
				out[i].items = append(out[i].items, it)
			}
		}
	}
	return out
}

// fig7 draws two bars a database, and the paper's two where it has the database.
func fig7(v *view) (Output, error) {
	pub, _, err := chasePublished("chase-fig7.csv")
	if err != nil {
		return Output{}, err
	}
	all := v.pools()
	i := slices.IndexFunc(all, func(p []pooled) bool { return len(p) > 0 && largestPool(p) > 1 })
	ps := all[i]
	f := &figure.Spec{ID: "chase/fig7", Kind: figure.Bars, Title: fmt.Sprintf("By database, what exists and what is chosen: %s", v.name(v.rows[i])), XLabel: "database",
		YLabel: v.display(v.ids[0]) + ", percent", Groups: append(slices.Clone(v.sets), "all"),
		Caption: v.tail(fmt.Sprintf("Percent of the %d answers with a scored candidate; %s.", itemsIn(ps), v.errorBars()))}
	source := "The paper's Figure 7 has none of these databases."
	for _, c := range []struct {
		name   string
		share  pool.Measure
		column string
	}{{"right exists among candidates", pool.Upper, "exists"}, {"right is chosen", pool.Chosen, "chosen"}} {
		ours, theirs := figure.Series{Name: c.name}, figure.Series{Name: "published: " + c.name}
		has := false
		for _, db := range f.Groups {
			ours.Points = append(ours.Points, point(shareOf(inDatabase(ps, db), c.share)))
			p := figure.Point{}
			if x := pub.cell(db, c.column, 1); x.Num != nil {
				p, has = figure.Point{Y: x.Num.Value, OK: true}, true
			}
			theirs.Points = append(theirs.Points, p)
		}
		if f.Series = append(f.Series, ours); has {
			f.Series = append(f.Series, theirs)
			source = "Published: " + chase + ", Figure 7, BIRD dev."
		}
	}
	f.Caption = slices.Insert(f.Caption, 1, source)
	return Output{Figure: f}, nil
}
