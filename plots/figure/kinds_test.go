package figure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func scatter(n, series int, name func(int) string) *Scatter {
	rng := rand.New(rand.NewPCG(3, 1))
	s := &Scatter{ID: "test", Title: "Accuracy against tokens", XLabel: "tokens an item", YLabel: "EX, percent", LogX: true, Front: true,
		Caption: []string{"Error bars: 95 % Wilson interval over 1034 items."}}
	for k := range series {
		s.Series = append(s.Series, Cloud{Name: []string{"one call", "several calls", "agent"}[k%3]})
	}
	for i := range n {
		x := 400 * math.Pow(2, 6*rng.Float64())
		y := 50 + 4*math.Log2(x/400) + 6*rng.Float64()
		r := &s.Series[i%series]
		r.Dots = append(r.Dots, Dot{Label: name(i), X: x, Y: y, YRange: Interval{y - 3, y + 3, true}, OK: true})
	}
	return s
}

func heat(rows, columns int, name func(int) string) *Heat {
	rng := rand.New(rand.NewPCG(4, 1))
	h := &Heat{ID: "test", Title: "Accuracy by arm and database", XLabel: "database", YLabel: "arm", Unit: "EX, percent", High: 100, Places: 1}
	for k := range columns {
		h.Columns = append(h.Columns, []string{"concert_hall", "city_library", "university_courses", "soccer", "a_database_with_a_name_far_longer_than_any_other"}[k%5])
	}
	for i := range rows {
		h.Rows = append(h.Rows, name(i))
		var r []Cell
		for range columns {
			r = append(r, Cell{100 * rng.Float64(), rng.Float64() > 0.1})
		}
		h.Cells = append(h.Cells, r)
	}
	h.Cells[0][0] = Cell{100, true}
	return h
}

func outcomes(rows int, name func(int) string) *Stack {
	s := &Stack{ID: "test", Title: "What became of the answers", Label: "percent of items", Share: true, Places: 1}
	for i := range rows {
		s.Rows = append(s.Rows, name(i))
	}
	for k, part := range []string{"correct", "wrong", "sql-error", "sql-timeout", "no-sql"} {
		p := Part{Name: part}
		for i := range rows {
			p.Values = append(p.Values, []float64{610 + 20*float64(i%9), 300, 90, 0, 34}[k])
		}
		s.Parts = append(s.Parts, p)
	}
	return s
}

func forest(rows int, name func(int) string) *Forest {
	f := &Forest{ID: "test", Title: "Difference to the baseline", XLabel: "difference in EX, points", Places: 1,
		Caption: []string{"Paired bootstrap, 95 %; Holm over all rows."}}
	for i := range rows {
		v := float64(i%7) - 2.2
		f.Rows = append(f.Rows, Effect{Group: []string{"hardness", "database"}[min(i/4, 1)], Name: name(i), Value: v,
			Range: Interval{v - 2, v + 2, true}, Significant: math.Abs(v) > 2, Note: fmt.Sprintf("p %.3f", 0.5/float64(i+1)), OK: i != 2})
	}
	return f
}

func seeds(arms, n int, name func(int) string) *Seeds {
	rng := rand.New(rand.NewPCG(5, 1))
	s := &Seeds{ID: "test", Title: "What the choice of exemplars does", XLabel: "EX, percent", Places: 1,
		Caption: []string{"n = 1034 items a seed."}}
	for a := range arms {
		r := SeedArm{Name: name(a), Expected: Interval{64.5 + float64(a%6), 67.5 + float64(a%6), true}}
		for range n {
			r.Values = append(r.Values, 66+float64(a%6)+3*rng.NormFloat64())
		}
		s.Arms = append(s.Arms, r)
	}
	return s
}

// overlap counts at random what sets share.
func overlap(n int, name func(int) string) *Sets {
	rng := rand.New(rand.NewPCG(6, uint64(n)))
	s := &Sets{ID: "test", Title: "Items that the arms answer right", Counts: make([]int, 1<<n)}
	for i := range n {
		s.Names = append(s.Names, name(i))
	}
	for m := range s.Counts {
		s.Counts[m] = int(120 * rng.Float64() * rng.Float64())
	}
	return s
}

// panels are lines of which the last panel lacks some; its values lie lower than the others'.
func panels(n int, name func(int) string) *Panels {
	p := &Panels{ID: "test", Title: "Bounds by pool size", XLabel: "candidates", YLabel: "EX, percent", Caption: []string{"Four generators."}}
	for i := range n {
		one := sweep(3, 6, false)
		one.Title, one.XLabel = name(i), ""
		for k := range one.Series {
			for g := range one.Series[k].Points {
				one.Series[k].Points[g].Y -= float64(5 * i)
				one.Series[k].Points[g].HasRange = false
			}
		}
		one.Series = one.Series[i/3:]
		p.Panels = append(p.Panels, one)
	}
	return p
}

func barPanels(n int, name func(int) string) *Panels {
	p := &Panels{ID: "test", Title: "EX by hardness", YLabel: "EX, percent"}
	for i := range n {
		one := made(Bars, 4, 5, name)
		one.Title, one.XLabel = name(i), "hardness"
		p.Panels = append(p.Panels, one)
	}
	return p
}

func venn3(counts ...int) *Sets {
	return &Sets{ID: "test", Title: "Items that three arms answer right", Names: []string{"Standard", "CoT", "QDecomp"}, Counts: counts}
}

// others are the figures of all kinds but Spec.
func others() map[string]Drawing {
	upright := outcomes(5, short)
	upright.Upright, upright.Share, upright.Label, upright.Places = true, false, "items", 0
	hard := outcomes(3, func(int) string { return "日本語 ✗ <b>&" })
	for k := range hard.Parts {
		hard.Parts[k].Values[1] = 0
	}
	bare := seeds(4, 5, short)
	bare.Arms[1].Values, bare.Arms[2].Values = nil, bare.Arms[2].Values[:1]
	bare.Arms[3].Expected = Interval{}
	plain := scatter(6, 1, short)
	plain.LogX, plain.Front = false, false
	plain.Series[0].Dots[2].OK = false
	plain.Series[0].Dots[3].XRange = Interval{plain.Series[0].Dots[3].X - 900, plain.Series[0].Dots[3].X + 900, true}
	four := panels(4, short)
	four.Panels[2].Series[0].Points[1] = Point{}
	clear(four.Panels[3].Series[0].Points)
	return map[string]Drawing{
		"panels":        four,
		"panels-bars":   barPanels(3, long),
		"scatter-log":   scatter(9, 2, short),
		"scatter-plain": plain,
		"scatter-long":  scatter(12, 3, long),
		"heat":          heat(5, 8, short),
		"heat-one":      heat(1, 1, short),
		"stack":         outcomes(5, short),
		"stack-upright": upright,
		"stack-zero":    hard,
		"forest":        forest(9, short),
		"forest-long":   forest(5, long),
		"seeds":         seeds(4, 5, short),
		"seeds-bare":    bare,
		"venn-2":        overlap(2, short),
		"venn-3":        venn3(120, 40, 60, 90, 30, 50, 45, 410),
		"venn-odd":      venn3(0, 100, 100, 60, 100, 60, 60, 2),
		"venn-apart":    venn3(9, 50, 20, 0, 10, 0, 0, 0),
		"venn-within":   venn3(9, 50, 0, 20, 0, 0, 0, 10),
		"venn-not":      venn3(0, 0, 0, 90, 0, 90, 0, 0),
		"upset-5":       overlap(5, short),
	}
}

// painted are the figures of which the image is kept too.
var painted = map[string]bool{"scatter-log": true, "heat": true, "stack": true, "forest": true, "seeds": true, "venn-3": true, "upset-5": true}

func TestKindsGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden images are amd64's: others may round floats differently in the last place")
	}
	check := func(name, format string, write func(io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if dir := os.Getenv("ASSAY_FIGURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+"."+format), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if format == "pdf" || format == "png" && !painted[name] {
			return
		}
		path := filepath.Join("testdata", name+"."+format)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s.%s: %d bytes that differ from the golden file's %d (%v); look at them after go test -update", name, format, b.Len(), len(want), err)
		}
	}
	for name, d := range others() {
		check(name, "svg", as(SVG, d))
		check(name, "pdf", as(PDF, d))
		if painted[name] || os.Getenv("ASSAY_FIGURES") != "" {
			check(name, "png", as(PNG, d))
		}
	}
}

func TestKindsPages(t *testing.T) {
	for name, d := range others() {
		checkPage(t, name, d)
	}
	names := map[string]func(int) string{"short": short, "long": long, "one word": func(i int) string { return strings.Repeat("x", 90) },
		"empty": func(int) string { return "" }, "unicode": func(int) string { return "日本語 naïve ± <b>&\x00\xff" }}
	for label, name := range names {
		for _, n := range []int{1, 2, 20} {
			at := fmt.Sprintf("%s, %d: ", label, n)
			checkPage(t, at+"scatter", scatter(n, 1, name))
			checkPage(t, at+"scatter of series", scatter(3*n, min(n, MostSeries), name))
			checkPage(t, at+"heat rows", heat(n, 1, name))
			checkPage(t, at+"heat columns", heat(1, n, name))
			checkPage(t, at+"heat", heat(n, 2*n, name))
			checkPage(t, at+"stack", outcomes(n, name))
			up := outcomes(n, name)
			up.Upright = true
			checkPage(t, at+"upright stack", up)
			checkPage(t, at+"forest", forest(n, name))
			checkPage(t, at+"seeds", seeds(n, n, name))
			checkPage(t, at+"panels", panels(min(n, 8), name))
			checkPage(t, at+"panels of bars", barPanels(min(n, 8), name))
			checkPage(t, at+"sets", overlap(min(n, 10), name))
			bars := overlap(min(n, 3), name)
			bars.Bars = true
			checkPage(t, at+"set bars", bars)
		}
		checkPage(t, label+": three sets", overlap(3, name))
	}
	same := scatter(60, 2, short) // all at one place
	for k := range same.Series {
		for i := range same.Series[k].Dots {
			same.Series[k].Dots[i].X, same.Series[k].Dots[i].Y, same.Series[k].Dots[i].YRange = 1000, 0, Interval{}
		}
	}
	checkPage(t, "scatter at one place", same)
	text := forest(5, short)
	text.Title, text.XLabel = strings.Repeat("a title of many words ", 12), strings.Repeat("a very long axis label ", 10)
	text.Rows[0].Note, text.Rows[1].Group = strings.Repeat("a long note ", 9), strings.Repeat("a long group ", 20)
	checkPage(t, "forest of words", text)
	words := heat(2, 2, short)
	words.XLabel, words.YLabel, words.Unit = text.XLabel, text.XLabel, text.XLabel
	checkPage(t, "heat of words", words)
}

// TestKindsSameBytes draws everything twice, from values made twice.
func TestKindsSameBytes(t *testing.T) {
	again := others()
	for name, d := range others() {
		for format, write := range map[string][2]func(io.Writer) error{
			"svg": {as(SVG, d), as(SVG, again[name])}, "pdf": {as(PDF, d), as(PDF, again[name])}} {
			var a, b bytes.Buffer
			if err := errors.Join(write[0](&a), write[1](&b)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s.%s: two drawings differ, or %v", name, format, err)
			}
			if format == "pdf" && !bytes.Contains(a.Bytes(), []byte("/FontFile2")) {
				t.Errorf("%s.pdf has no font in it", name)
			}
		}
	}
}

// TestVenn checks areas against a count of points on a grid, which shares nothing with the solver.
func TestVenn(t *testing.T) {
	measured := func(cs []circle) (areas [8]float64) { // of each combination, in others or not
		const step = 0.04
		for x := -40.0; x < 40; x += step {
			for y := -40.0; y < 40; y += step {
				in := 0
				for k, c := range cs {
					if (x-c.x)*(x-c.x)+(y-c.y)*(y-c.y) < c.r*c.r {
						in |= 1 << k
					}
				}
				for mask := range areas {
					if in&mask == mask {
						areas[mask] += step * step
					}
				}
			}
		}
		return areas
	}
	check := func(s *Sets, masks ...int) {
		t.Helper()
		v := solveVenn(s)
		areas := measured(v.circles)
		for _, m := range masks {
			if got, want := areas[m], float64(s.within(m)); math.Abs(got-want) > 0.01*want+0.3 {
				t.Errorf("%v: %s covers %.1f, want %.0f", s.Counts, combination(m), got, want)
			}
		}
	}
	check(venn3(0, 40, 60, 90, 30, 50, 45, 110), 1, 2, 3, 4, 5, 6)
	check(venn3(0, 50, 20, 0, 10, 0, 0, 0), 1, 2, 3, 4, 5, 6)
	check(venn3(0, 50, 0, 20, 0, 0, 0, 10), 1, 2, 3, 4, 5, 6)
	check(venn3(0, 10, 10, 0, 100, 20, 20, 0), 1, 2, 3, 4, 5, 6)
	check(&Sets{Names: []string{"a", "b"}, Counts: []int{0, 30, 50, 20}}, 1, 2, 3)
	check(&Sets{Names: []string{"a", "b"}, Counts: []int{0, 0, 50, 20}}, 1, 2, 3)
	check(&Sets{Names: []string{"a", "b"}, Counts: []int{0, 0, 0, 20}}, 1, 2, 3)
}

func TestVennNotes(t *testing.T) {
	check := func(s *Sets, want string, there bool) {
		t.Helper()
		if got := strings.Join(solveVenn(s).notes(), " "); strings.Contains(got, want) != there {
			t.Errorf("%v: %q is in %q: %v", s.Counts, want, got, !there)
		}
	}
	check(venn3(0, 50, 20, 0, 10, 0, 0, 0), "cannot", false)
	check(venn3(0, 100, 100, 60, 100, 60, 60, 2), "A, B and C has 2 and is drawn as", true)
	check(venn3(0, 0, 0, 90, 0, 90, 0, 0), "No three circles can share what these sets do", true) // two halves of A
}

func TestKindErrors(t *testing.T) {
	check := func(want string, d Drawing) {
		t.Helper()
		for _, write := range []func(io.Writer) error{as(SVG, d), as(PNG, d), as(PDF, d)} {
			if err := write(io.Discard); err == nil || !strings.HasPrefix(err.Error(), "figure: write ") || !strings.HasSuffix(err.Error(), `"test": `+want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
	nan := math.NaN()
	for _, d := range []Drawing{&Scatter{ID: "test"}, &Panels{ID: "test"}, &Heat{ID: "test"}, &Stack{ID: "test"}, &Forest{ID: "test"}, &Seeds{ID: "test"},
		&Sets{ID: "test", Names: []string{"a"}, Counts: []int{4, 0}}, &Forest{ID: "test", Rows: []Effect{{Name: "x"}}},
		&Heat{ID: "test", Rows: []string{"a"}, Columns: []string{"b"}, Cells: [][]Cell{{{}}}},
		&Stack{ID: "test", Rows: []string{"a"}, Parts: []Part{{"p", []float64{0}}}}} {
		check("no values to draw", d)
	}
	dots := func(d ...Dot) *Scatter { return &Scatter{ID: "test", LogX: true, Series: []Cloud{{"s", d}}} }
	check(`point "p" has a value that is not a number`, dots(Dot{Label: "p", X: nan, OK: true}))
	check(`point "p" has x 0, which a logarithmic axis cannot show`, dots(Dot{Label: "p", OK: true}))
	check(`point "p" has an interval from 2 to 1`, dots(Dot{Label: "p", X: 1, YRange: Interval{2, 1, true}, OK: true}))
	check(`1 rows of cells for 0 rows`, &Heat{ID: "test", Cells: make([][]Cell, 1)})
	check(`row "a" has 0 cells for 1 columns`, &Heat{ID: "test", Rows: []string{"a"}, Columns: []string{"c"}, Cells: make([][]Cell, 1)})
	check(`row "a" has a value that is not a number`, &Heat{ID: "test", Rows: []string{"a"}, Columns: []string{"c"}, Cells: [][]Cell{{{nan, true}}}})
	check(`a scale from 2 to 1`, &Heat{ID: "test", Rows: []string{"a"}, Columns: []string{"c"}, Cells: [][]Cell{{{1, true}}}, Low: 2, High: 1})
	check(`7 decimals; 0 to 6 can be printed`, &Forest{ID: "test", Rows: []Effect{{OK: true}}, Places: 7})
	check(`9 parts, of which 8 can be told apart`, &Stack{ID: "test", Parts: make([]Part, 9)})
	check(`9 series, of which 8 can be told apart`, &Scatter{ID: "test", Series: make([]Cloud, 9)})
	check(`9 series in all panels, of which 8 can be told apart`, &Panels{ID: "test", Panels: []*Spec{made(Lines, 5, 1, short), made(Lines, 4, 1, long)}})
	check(`panel 1, "Execution accuracy by hardness": unknown kind 9`, &Panels{ID: "test", Panels: []*Spec{made(9, 1, 1, short)}})
	check(`part "p" has 1 values for 0 rows`, &Stack{ID: "test", Parts: []Part{{"p", []float64{0}}}})
	check(`part "p" has the value -1`, &Stack{ID: "test", Rows: []string{"a"}, Parts: []Part{{"p", []float64{-1}}}})
	check(`row "x" has a value that is not a number`, &Forest{ID: "test", Rows: []Effect{{Name: "x", Value: nan, OK: true}}})
	check(`arm "x" has a value that is not a number`, &Seeds{ID: "test", Arms: []SeedArm{{Name: "x", Values: []float64{math.Inf(1)}}}})
	check(`0 sets; 1 to 16 can be drawn`, &Sets{ID: "test"})
	check(`1 counts for the 2 combinations of 1 sets`, &Sets{ID: "test", Names: []string{"a"}, Counts: []int{1}})
	check(`combination 1 has the count -1`, &Sets{ID: "test", Names: []string{"a"}, Counts: []int{1, -1}})
}

func TestRulers(t *testing.T) {
	check := func(r ruler, want string) {
		t.Helper()
		var got []string
		for _, k := range r.ticks {
			got = append(got, k.Label)
			if x := r.at(k.Value, 0, 1); x < 0 || x > 1 {
				t.Errorf("tick %s stands at %v", k.Label, x)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("ticks %s, want %s", s, want)
		}
	}
	check(linear(61, 68), "61 62 63 64 65 66 67 68")
	check(linear(0, 100), "0 20 40 60 80 100")
	check(linear(0), "-1 0 1")
	check(logarithmic(100, 5000), "100 200 500 1000 2000 5000")
	check(logarithmic(1, 1e6), "1 10 100 1000 10000 100000 1000000")
	check(logarithmic(0.002, 0.1), "0.002 0.005 0.01 0.02 0.05 0.1")
}

// TestNumbersStayAtTheirPoints holds that a number goes across error bars where there is no way round them.
func TestNumbersStayAtTheirPoints(t *testing.T) {
	s := &Scatter{ID: "test", Series: []Cloud{{Name: "s"}}}
	for i := range 6 { // error bars as high as the plot, closer than a number is wide
		s.Series[0].Dots = append(s.Series[0].Dots, Dot{Label: long(i), X: 1000 + 9*float64(i), Y: 50, YRange: Interval{0, 100, true}, OK: true})
	}
	s.Series[0].Dots = append(s.Series[0].Dots, Dot{X: 0, Y: 0, OK: true}, Dot{X: 2000, Y: 100, OK: true})
	if got := strings.Join(s.arrange(Look{}).caption, " "); strings.Contains(got, "want of room") {
		t.Error(got)
	}
}

// TestPanelsScale holds that panels of lines have the axis that one of them would have, and panels of bars begin at zero.
func TestPanelsScale(t *testing.T) {
	check := func(kind Kind, want float64) {
		t.Helper()
		one := made(kind, 1, 2, short)
		for i, y := range []float64{61, 68} {
			one.Series[0].Points[i] = Point{Y: y, OK: true}
		}
		if got := (&Panels{Panels: []*Spec{one, one}}).ruler(); got.lo != want {
			t.Errorf("kind %d: from %v, want %v", kind, got.lo, want)
		}
	}
	check(Lines, 61)
	check(Bars, 0)
}

func TestFront(t *testing.T) {
	s := &Scatter{Series: []Cloud{{"s", []Dot{{X: 2, Y: 1, OK: true}, {X: 1, Y: 2, OK: true}, {X: 3, Y: 5, OK: true}, {X: 4, Y: 4, OK: true}}}}}
	p := s.scales()
	p.box.Max.X, p.box.Max.Y = 100, 100
	p.locate()
	line := p.front(p.box.Min)
	if want := []vg.Point{p.on(1, 2), p.on(3, 5)}; !slices.Equal(line, want) {
		t.Errorf("the front is %v, want %v", line, want)
	}
	for i, want := range []bool{true, false, false, true} {
		if p.dominated(p.dots[i]) != want {
			t.Errorf("point %d is dominated: %v", i, !want)
		}
	}
}

// TestHeatColours: a map is readable without colours: more is darker, and numbers have enough contrast.
func TestHeatColours(t *testing.T) {
	last := 2.0
	for i := range 101 {
		l := luminance(heatColour(float64(i) / 100))
		if l >= last {
			t.Errorf("at %d %% the scale is no darker than before: %.3f after %.3f", i, l, last)
		}
		onBlack, onWhite := (l+0.05)/0.05, 1.05/(l+0.05)
		if contrast := map[bool]float64{true: onWhite, false: onBlack}[l < 0.179]; contrast < 4.5 {
			t.Errorf("at %d %% numbers have the contrast %.2f", i, contrast)
		}
		last = l
	}
}

// TestNamesStayApart holds that names which differ at their ends are not cut to the same letters.
func TestNamesStayApart(t *testing.T) {
	check := func(kind string, a, b []string) {
		t.Helper()
		if x, y := strings.Join(a, " "), strings.Join(b, " "); x == y {
			t.Errorf("%s: both names read %q", kind, x)
		}
	}
	word := func(i int) string { return strings.Repeat("demonstration_", 20) + fmt.Sprint(i) }
	for _, name := range []func(int) string{long, word} {
		both := []string{name(1), name(2)}
		r := newRail(both, nameWide)
		check("row", r.names[0], r.names[1])
		f := newFooting(both, 30, 200)
		check("foot", f.names[:1], f.names[1:])
		e := newFrame(Look{}, 200, 100, "", nil, []entry{{name: both[0]}, {name: both[1]}}).legend
		check("legend", []string{e[0].name}, []string{e[1].name})
	}
}

func BenchmarkVenn(b *testing.B) {
	s := venn3(0, 0, 0, 90, 0, 90, 0, 0)
	for b.Loop() {
		solveVenn(s)
	}
}
