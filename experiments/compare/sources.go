package compare

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/record"
	"assay/metrics/stats"
)

// The sources of chance in a run, the outermost first: which demonstrations were annotated, which were drawn of them, how they
// were ordered. Each is nested in those before it, since a draw of another pool is another draw.
var sourcesOfChance = []struct{ name, axis string }{ // the name is also the axis's short one
	{"pool", "exemplars.pool_seed"}, {"draw", "exemplars.draw"}, {"order", "exemplars.order"},
}

// Split is the sources of chance of an arm at a point of the other axes.
type Split struct {
	Arm     string
	Point   []string // values of Splits.Axes
	Config  configs.Arm
	Of      string   // Answers or Samples
	Names   []string // of the sources; one that the run's seed carries names all that it carries
	Seeded  bool     // the run's seed carries a source, and not sampling alone
	Dropped int      // items left out, because a score of theirs is missing
	stats.Nested
}

// Splits are the sources of chance of a run.
type Splits struct {
	Axes []string // of the sweep that are no sources
	Rows []Split
}

// Sources splits the variance of a run's scores into what pool, draw and order of the demonstrations give, and sampling; see
// stats.Nested for the model. A source varies where the run sweeps its key, or where it follows the run's seed and there
// are several; otherwise several seeds are samples. An arm without a source that varies has no row. An empty metric is the
// run's first.
func Sources(x *record.Index, metric string) (*Splits, error) {
	m, err := column(x.Run, metric)
	if err != nil {
		return nil, err
	}
	out := &Splits{}
	for _, a := range x.Run.Manifest.Axes {
		if !IsSource(a) {
			out.Axes = append(out.Axes, a)
		}
	}
	rest := func(s *record.Series) []string {
		var point []string
		for i, a := range x.Run.Manifest.Axes {
			if !IsSource(a) && i < len(s.Point) {
				point = append(point, s.Point[i])
			}
		}
		return point
	}
	for _, part := range partitioned(x.Series, func(s *record.Series) string { return s.Arm + "\x00" + strings.Join(rest(s), "\x00") }) {
		if d := newDesign(x.Run, part); len(d.levels) > 0 {
			row := d.split(part, m)
			row.Point = rest(part[0])
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}

// IsSource reports whether an axis of a sweep is a source of chance.
func IsSource(axis string) bool {
	for _, s := range sourcesOfChance {
		if axis == s.name || axis == s.axis {
			return true
		}
	}
	return false
}

// column returns the place of a metric among a run's.
func column(r *record.Run, metric string) (int, error) {
	m := 0
	if metric != "" {
		m = slices.Index(r.Manifest.MetricIDs(), metric)
	}
	if m < 0 || len(r.Manifest.Metrics) == 0 {
		return 0, fmt.Errorf("compare: variance of %q: no metric %q, there are %s", side(r).Name, metric, strings.Join(r.Manifest.MetricIDs(), ", "))
	}
	return m, nil
}

// varied is a source that varies: the place of its axis among a point's values, or -1 for the run's seed.
type varied struct {
	name   string
	at     int
	values []string
}

// value is the value of the source in an answer.
func (l varied) value(s *record.Series, seed int64) string {
	if l.at < 0 {
		return fmt.Sprint(seed)
	}
	return s.Point[l.at]
}

// design is the nested design of one arm.
type design struct {
	levels []varied
	seeded bool
}

// newDesign finds the sources that vary in series of one arm which differ in nothing else.
func newDesign(r *record.Run, part []*record.Series) *design {
	d, x := &design{}, part[0].Config.Exemplars
	chooses := r.Resolved.Known.Chooses(x)
	known := part[0].Known && x.K > 0 && !chooses.None
	var carried []string
	seedAt := 0
	for _, s := range sourcesOfChance {
		l := varied{name: s.name, at: slices.IndexFunc(r.Manifest.Axes, func(a string) bool { return a == s.name || a == s.axis })}
		if l.at >= 0 {
			if l.values = valuesOf(l, part); len(l.values) > 1 {
				d.levels = append(d.levels, l)
			}
			continue
		}
		if known && follows(s.name, x, chooses) {
			if carried == nil {
				seedAt = len(d.levels)
			}
			carried = append(carried, s.name)
		}
	}
	seed := varied{name: strings.Join(carried, " and "), at: -1}
	if seed.values = valuesOf(seed, part); carried != nil && len(seed.values) > 1 {
		d.levels, d.seeded = slices.Insert(d.levels, seedAt, seed), true
	}
	return d
}

// follows reports whether a source takes its value from the run's seed. An order that is not stated is the draw's.
func follows(source string, x configs.Exemplars, by configs.Strategy) bool {
	switch source {
	case "pool":
		return x.PoolSize > 0 && x.PoolSeed == nil
	case "draw":
		return x.Draw == nil && !by.Nearest
	}
	return false
}

func valuesOf(l varied, part []*record.Series) (out []string) {
	for _, s := range part {
		for _, seed := range s.Seeds {
			if v := l.value(s, seed); !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// split estimates the components: of samples, where an arm's candidates are samples of one generator, equally many for every
// item and cell, and of answers elsewhere.
func (d *design) split(part []*record.Series, m int) Split {
	row := Split{Arm: part[0].Arm, Config: part[0].Config, Of: Samples, Seeded: d.seeded}
	var sizes []int
	for _, l := range d.levels {
		row.Names, sizes = append(row.Names, l.name), append(sizes, len(l.values))
	}
	answers, samples, one := &cellGrid{design: d}, &cellGrid{design: d}, true
	for _, s := range part {
		a, b, single := newGrid(s, m)
		one = one && single
		answers.add(s, a)
		samples.add(s, b)
	}
	scores, dropped, many := samples.balanced()
	if !one || !many {
		row.Of = Answers
		scores, dropped, _ = answers.balanced()
	}
	row.Dropped, row.Nested = dropped, stats.VarianceNested(sizes, scores, splitConfidence, 0, drawSeed)
	return row
}

// splitConfidence is that of the intervals of a Split.
const splitConfidence = 0.95

// cellGrid is the scores of an arm by item and cell of its design.
type cellGrid struct {
	design *design
	items  []string
	at     map[string]map[int][]record.Value
}

// add adds the scores of a series: those of seeds that carry no source are one cell's.
func (g *cellGrid) add(s *record.Series, from *grid) {
	if g.at == nil {
		g.at = map[string]map[int][]record.Value{}
	}
	for _, item := range from.items {
		if g.at[item] == nil {
			g.at[item] = map[int][]record.Value{}
			g.items = append(g.items, item)
		}
		for _, seed := range from.seeds {
			cell := 0
			for _, l := range g.design.levels {
				cell = cell*len(l.values) + slices.Index(l.values, l.value(s, seed))
			}
			g.at[item][cell] = append(g.at[item][cell], from.at[record.Key{Item: item, Cell: from.cell, Seed: seed}]...)
		}
	}
}

// balanced returns the items with all their scores, and the number of the others. many is true where a cell has several.
func (g *cellGrid) balanced() (scores [][][]float64, dropped int, many bool) {
	cells := 1
	for _, l := range g.design.levels {
		cells *= len(l.values)
	}
	times := map[int]int{}
	most := 0
	for _, of := range g.at {
		for _, vs := range of {
			if times[len(vs)]++; times[len(vs)] > times[most] || times[len(vs)] == times[most] && len(vs) > most {
				most = len(vs)
			}
		}
	}
	for _, item := range g.items {
		if row := complete(g.at[item], cells, most); row != nil {
			scores = append(scores, row)
		} else {
			dropped++
		}
	}
	return scores, dropped, most > 1 && len(scores) >= 2
}

// complete returns an item's scores by cell; nil where one is missing.
func complete(of map[int][]record.Value, cells, most int) (out [][]float64) {
	for c := range cells {
		var xs []float64
		for _, v := range of[c] {
			if v.OK {
				xs = append(xs, v.V)
			}
		}
		if len(xs) != most || len(of[c]) != most || most == 0 {
			return nil
		}
		out = append(out, xs)
	}
	return out
}
