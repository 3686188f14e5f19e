package paper

import (
	"math"
	"slices"

	"assay/experiments/record"
	"assay/metrics/stats"
	"assay/plots/table"
)

// itemScore is an item's score under one seed, as a share of 1; some metrics exceed that.
type itemScore struct {
	item  string
	value float64
}

// scores returns the row's scores under metric m, one list per seed that has any.
func (v *view) scores(r row, m int, k keep) (out [][]itemScore) {
	for _, seed := range v.seeds { // a row of an own table is of several, so that it has none itself
		var one []itemScore
		for _, it := range r.items {
			if it.Seed != seed || k != nil && !k(it) {
				continue
			}
			if s := score(it, m); s.OK {
				one = append(one, itemScore{it.Item, s.V})
			}
		}
		if len(one) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// shares returns the mean of each seed in percent, and the number of answers.
func shares(seeds [][]itemScore) (out []float64, answers int) {
	for _, one := range seeds {
		sum := 0.0
		for _, a := range one {
			sum += a.value
		}
		out = append(out, 100*sum/float64(len(one)))
		answers += len(one)
	}
	return out, answers
}

// mean returns the accuracy in percent: the mean over seeds of the share over scored items, with the sample standard
// deviation over seeds where there are two or more. The cell is blank where nothing was scored.
func (v *view) mean(r row, m int, k keep, decimals int) table.Cell {
	all, n := shares(v.scores(r, m, k))
	if len(all) == 0 {
		return table.Cell{}
	}
	return table.Measured(summary(all, n, decimals))
}

func summary(shares []float64, scores, decimals int) table.Number {
	s := stats.Summarize(shares)
	n := table.Number{Value: s.Mean, N: scores, Decimals: decimals}
	if !math.IsNaN(s.SD) {
		n.SD, n.HasSD = s.SD, true
	}
	return n
}

// confidence of every interval in a report.
const confidence = 0.95

// ranged is mean with an interval.
func (v *view) ranged(r row, m int, k keep, decimals int) table.Cell {
	return ranged(v.scores(r, m, k), decimals)
}

// ranged returns the mean over seeds in percent, with the deviation over seeds and the interval of every table and figure of
// shares: stats.Share over items, each item being its mean over seeds. It has no interval where a score exceeds 1, since it is
// then no share, and is blank where there are no scores.
func ranged(seeds [][]itemScore, decimals int) table.Cell {
	all, answers := shares(seeds)
	if len(all) == 0 {
		return table.Cell{}
	}
	n := summary(all, answers, decimals)
	if units, ok := unitsOf(seeds); ok {
		i := stats.Share(units, confidence)
		n.Low, n.High, n.HasInterval = min(100*i.Low, n.Value), max(100*i.High, n.Value), true
	}
	return table.Measured(n)
}

// unitsOf gathers the answers by item, in the order in which items come; an answer weighs what it does in the mean over
// seeds. It is false where a score is no share.
func unitsOf(seeds [][]itemScore) (out []stats.Unit, ok bool) {
	at := map[string]int{}
	for _, one := range seeds {
		for _, a := range one {
			if !(0 <= a.value && a.value <= 1) { // nor NaN
				return nil, false
			}
			i, seen := at[a.item]
			if !seen {
				i = len(out)
				at[a.item], out = i, append(out, stats.Unit{})
			}
			w := 1 / float64(len(one))
			out[i].Weight += w
			out[i].Mean += w * a.value
		}
	}
	for i := range out {
		out[i].Mean = min(1, out[i].Mean/out[i].Weight)
	}
	return out, true
}

// intervalNote names the interval in brackets.
func (v *view) intervalNote() string {
	s := "In brackets " + v.intervalName() + "."
	switch least, most := v.seedCounts(); {
	case most < 2:
		return s
	case least < 2:
		return s + " Over several seeds it is Wilson's formula carried over to such means, and about other items under these seeds: how seeds differ is the ±."
	}
	return s + " It is Wilson's formula carried over to such means, and about other items under these seeds: how seeds differ is the ±."
}

// bracketed gives a table with intervals the note that says what they are, where none of its notes does, and marks it.
func (v *view) bracketed(t *table.Table) {
	is := func(r []table.Cell) bool { return slices.ContainsFunc(r, table.Cell.Ranges) }
	if !slices.ContainsFunc(t.Rows, is) {
		return
	}
	for _, pair := range [][2]string{{v.spread(), v.intervalNote()}, {v.shareNote(), poolIntervalNote}} {
		cells, brackets := pair[0], pair[1]
		at := slices.Index(t.Notes, cells)
		if at >= 0 && !slices.Contains(t.Notes, brackets) {
			t.Notes = slices.Insert(slices.Clone(t.Notes), at+1, brackets)
		}
		if slices.Contains(t.Notes, brackets) {
			t.Brackets = brackets
		}
	}
}

// intervalName describes the interval of ranged.
func (v *view) intervalName() string {
	one := "the 95 % Wilson interval over the scored items"
	if v.graded() {
		one = "the 95 % interval over the scored items, Wilson's, of graded scores its formula carried over"
	}
	switch least, most := v.seedCounts(); {
	case most < 2:
		return one
	case least < 2:
		return one + " where an arm has one seed, and where it has several the 95 % interval over items, each its mean over them"
	}
	return "the 95 % interval over items, each its mean over " + v.overMeans()
}

// graded reports whether a score lies between 0 and 1.
func (v *view) graded() bool {
	between := func(x record.Value) bool { return x.OK && 0 < x.V && x.V < 1 }
	return slices.ContainsFunc(v.run.Items, func(it record.Item) bool { return slices.ContainsFunc(it.Values, between) })
}

// errorBars describes the error bars that point draws.
func (v *view) errorBars() string {
	return "error bars: " + v.ranges()
}

// ranges describes what point draws: the deviation over seeds, or the interval of one seed.
func (v *view) ranges() string {
	const deviation = "one sample standard deviation over seeds"
	switch least, most := v.seedCounts(); {
	case most < 2:
		return v.intervalName()
	case least < 2:
		return deviation + ", and of arms of one seed the 95 % Wilson interval over the scored items"
	}
	return deviation
}

// proportion is a share of things that items have several of, such as comparisons or texts: of each item how many there
// are and how many of them are counted, over all of its answers.
type proportion struct {
	at          map[string]int
	part, whole []int
}

func (t *proportion) add(item string, part, whole int) {
	i, seen := t.at[item]
	if !seen {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.part)
		t.at[item], t.part, t.whole = i, append(t.part, 0), append(t.whole, 0)
	}
	t.part[i] += part
	t.whole[i] += whole
}

// cell returns the share of all things in percent, with an interval over items, because things of one item are not independent.
// It is blank where there are none.
func (t *proportion) cell() table.Cell {
	var units []stats.Unit
	part, n := 0, 0
	for i, w := range t.whole {
		part += t.part[i]
		if n += w; w > 0 {
			units = append(units, stats.Unit{Mean: float64(t.part[i]) / float64(w), Weight: float64(w)})
		}
	}
	if n == 0 {
		return table.Cell{}
	}
	i := stats.Share(units, confidence)
	x := 100 * float64(part) / float64(n)
	return table.Measured(table.Number{Value: x, Low: min(100*i.Low, x), High: max(100*i.High, x), HasInterval: true, N: n, Decimals: 1})
}

// proportionNote names the interval of a proportion.
const proportionNote = "In brackets the 95 % interval over items: Wilson's where each item has one, carried over to their means where they have several."
