package figure

import (
	"bytes"
	"errors"
	"flag"
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
)

var update = flag.Bool("update", false, "write the golden files")

// as binds a figure to a way of writing.
func as(write func(io.Writer, Drawing, Look) error, d Drawing) func(io.Writer) error {
	return func(w io.Writer) error { return write(w, d, Look{}) }
}

// made is a figure of arms by groups with seeded values.
func made(kind Kind, arms, groups int, name func(int) string) *Spec {
	rng := rand.New(rand.NewPCG(7, 1))
	s := &Spec{ID: "test", Title: "Execution accuracy by hardness", YLabel: "EX, percent", Kind: kind,
		Caption: []string{"Bars are means over 5 seeds, error bars the sample standard deviation. spider/dev, n = 1034."}}
	for g := range groups {
		s.Groups = append(s.Groups, []string{"easy (248)", "medium (446)", "hard (174)", "extra (166)", "all (1034)"}[g%5])
	}
	for a := range arms {
		r := Series{Name: name(a)}
		for g := range groups {
			y := 80 - 12*float64(g%5) + float64(2*a%15) + 4*rng.Float64()
			r.Points = append(r.Points, Point{Y: y, Low: y - 3, High: y + 3, OK: true, HasRange: true})
		}
		s.Series = append(s.Series, r)
	}
	return s
}

func short(i int) string {
	return []string{"Standard", "CoT", "L2M", "L2M (G3)", "QDecomp", "+InterCOL", "+InterCOL (G3)"}[i%7]
}

func long(i int) string {
	return fmt.Sprintf("Question decomposition with intercolumn hints, eight demonstrations, preset G%d", i)
}

// sweep is a figure over numbers.
func sweep(arms, points int, bands bool) *Spec {
	s := made(Lines, arms, points, short)
	s.Title, s.XLabel, s.Bands = "Accuracy by temperature", "temperature", bands
	for i := range s.Groups {
		v := float64(i) * 0.25
		s.X, s.Groups[i] = append(s.X, v), fmt.Sprint(v)
	}
	return s
}

// valued is bars with their values, of which one bar is missing.
func valued(arms, groups int) *Spec {
	s := made(Bars, arms, groups, short)
	s.Values, s.Places = true, 1
	s.Series[arms-1].Points[groups/2] = Point{}
	return s
}

func cases() map[string]*Spec {
	gaps := made(Bars, 3, 5, short)
	gaps.Series[1].Points[2] = Point{}
	gaps.Series[2].Points[3] = Point{OK: true}
	holes := sweep(3, 6, false)
	holes.Series[0].Points[2] = Point{}
	categories := made(Lines, 3, 4, short)
	categories.Groups = []string{"random", "hardness-balanced", "hardness-only", "similarity"}
	categories.XLabel = "strategy"
	odd := made(Bars, 2, 3, func(i int) string { return []string{"日本語 <b>&\x00", "ok"}[i] })
	odd.Groups = []string{"<script>alert(1)</script>", "naïve ± 3", "a b c d e f g h i j k l m n o p q r s t u v w x y z"}
	odd.XLabel = strings.Repeat("a very long axis label ", 10)
	odd.YLabel = odd.XLabel
	odd.Title = strings.Repeat("a title of many words ", 12)
	tilt := made(Bars, 2, 8, short)
	tilt.XLabel = "database"
	for i := range tilt.Groups {
		tilt.Groups[i] = []string{"a_database_with_a_name_far_longer_than_any_other", "city_library", "university_courses (104)", "soccer_league"}[i%4]
	}
	tight := sweep(2, 8, false)
	tight.X = []float64{1, 2, 3, 4, 8, 16, 64, 128}
	tight.Groups = []string{"1", "2", "3", "4", "8", "16", "64", "128"}
	fan := sweep(4, 5, false)
	fan.Title, fan.XLabel, fan.X, fan.Groups = "Bounds of a pool by its size", "candidates in the pool", []float64{1, 3, 5, 9, 21}, []string{"1", "3", "5", "9", "21"}
	for i, name := range []string{"lower bound (all right)", "self-consistency", "pairwise selection", "upper bound (one right)"} {
		fan.Series[i].Name = name
		for g := range fan.Groups {
			y := 60 + float64([]int{-5, 1, 2, 4}[i]*g)
			fan.Series[i].Points[g] = Point{Y: y, Low: y - 1.5, High: y + 1.5, OK: true, HasRange: i == 1 || i == 2}
		}
	}
	fan.Series[2].Points[3] = Point{}
	fan.Fills = []Fill{{Low: 0, High: 3, Name: "what a selection can reach"}}
	boxes := *fan
	boxes.X, boxes.Title = nil, "Bounds by temperature, as names"
	return map[string]*Spec{
		"bars-values":     valued(2, 5),
		"lines-fan":       fan,
		"lines-fan-boxes": &boxes,
		"bars-7x5":        made(Bars, 7, 5, short),
		"bars-1x5":        made(Bars, 1, 5, short),
		"bars-1x1":        made(Bars, 1, 1, short),
		"bars-long":       made(Bars, 4, 5, long),
		"bars-8x8":        made(Bars, 8, 8, func(i int) string { return fmt.Sprintf("arm %d", i) }),
		"bars-gaps":       gaps,
		"bars-odd":        odd,
		"bars-tilt":       tilt,
		"lines-2x6":       sweep(2, 6, false),
		"lines-7x12":      sweep(7, 12, false),
		"lines-bands":     sweep(3, 12, true),
		"lines-one-point": sweep(2, 1, false),
		"lines-holes":     holes,
		"lines-tight":     tight,
		"lines-category":  categories,
	}
}

func TestGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden images are amd64's: others may round floats differently in the last place")
	}
	check := func(name string, write func(io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s: %d bytes that differ from the golden file's %d; look at them after go test -update", name, b.Len(), len(want))
		}
	}
	for _, name := range []string{"bars-values", "bars-1x5", "bars-gaps", "bars-odd", "bars-tilt", "lines-holes", "lines-bands", "lines-category", "lines-tight", "lines-fan-boxes"} {
		check(name+".svg", as(SVG, cases()[name]))
	}
	for _, name := range []string{"bars-7x5", "bars-long", "lines-7x12", "lines-category", "lines-fan"} {
		check(name+".png", as(PNG, cases()[name]))
	}
}

// TestDrawsAll draws every case; ASSAY_FIGURES names a folder in which to look at them, as PNG too.
func TestDrawsAll(t *testing.T) {
	check := func(name string, write func(io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil || b.Len() == 0 {
			t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
		}
		if dir := os.Getenv("ASSAY_FIGURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, s := range cases() {
		check(name+".svg", as(SVG, s))
		check(name+".pdf", as(PDF, s))
		if os.Getenv("ASSAY_FIGURES") != "" {
			check(name+".png", as(PNG, s))
		}
	}
}

func TestSameBytes(t *testing.T) {
	check := func(name string, a, b func(io.Writer) error) {
		t.Helper()
		var x, y bytes.Buffer
		if err := errors.Join(a(&x), b(&y)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Errorf("%s: two drawings of the same figure differ", name)
		}
	}
	one, two := cases()["bars-7x5"], cases()["bars-7x5"]
	check("svg", as(SVG, one), as(SVG, two))
	check("png", as(PNG, one), as(PNG, two))
	check("pdf", as(PDF, one), as(PDF, two))
	var b bytes.Buffer
	if err := PDF(&b, one, Look{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("/CreationDate (D:20000101000000")) {
		t.Error("the PDF file has a date that is not the fixed one")
	}
}

func TestErrors(t *testing.T) {
	check := func(want string, s *Spec) {
		t.Helper()
		err := SVG(io.Discard, s, Look{})
		if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), `figure: write svg "test": `) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	check("no values to draw", &Spec{ID: "test"})
	check("no values to draw", &Spec{ID: "test", Groups: []string{"a"}, Series: []Series{{"x", []Point{{}}}}})
	check(`series "x" has 0 points for 1 groups`, &Spec{ID: "test", Groups: []string{"a"}, Series: []Series{{Name: "x"}}})
	check(`series "x" has a value that is not a number`, &Spec{ID: "test", Groups: []string{"a"}, Series: []Series{{"x", []Point{{Y: math.NaN(), OK: true}}}}})
	check(`series "x" has the bar -1 below zero`, &Spec{ID: "test", Groups: []string{"a"}, Series: []Series{{"x", []Point{{Y: -1, OK: true}}}}})
	check("1 positions for 2 groups", &Spec{ID: "test", Groups: []string{"a", "b"}, X: []float64{1}})
	check(`fill "f" is between series 0 and 1 of 1`, &Spec{ID: "test", Groups: []string{"a"}, Series: []Series{{"x", []Point{{OK: true}}}}, Fills: []Fill{{0, 1, "f"}}})
	check("the page would have 13074 by 354 points, and 4000 is the most: draw fewer", made(Bars, 1, 1000, short))
	check("9 series, of which 8 can be told apart", made(Lines, 9, 1, short))
	check("unknown kind 9", &Spec{ID: "test", Kind: 9})
}

func TestScale(t *testing.T) {
	check := func(kind Kind, lo, hi, wantLo, wantHi float64, first, last string) {
		t.Helper()
		s := &Spec{Kind: kind, Groups: []string{"a", "b"}, Series: []Series{{"x", []Point{{Y: lo, OK: true}, {Y: hi, OK: true}}}}}
		gotLo, gotHi, ticks := s.scale()
		if math.Abs(gotLo-wantLo) > 1e-9 || math.Abs(gotHi-wantHi) > 1e-9 || ticks[0].Label != first || ticks[len(ticks)-1].Label != last {
			t.Errorf("%v to %v: %v to %v, %q to %q", lo, hi, gotLo, gotHi, ticks[0].Label, ticks[len(ticks)-1].Label)
		}
	}
	check(Bars, 12, 88, 0, 100, "0", "100")
	check(Bars, 40, 100, 0, 100, "0", "100")
	check(Lines, 61, 68, 61, 68, "61", "68")
	check(Lines, 50, 50, 0, 50, "0", "50") // the neighbourhood of one value would say nothing
	check(Lines, -50, -50, -51, -49, "-51", "-49")
	check(Lines, 0.1, 0.15, 0.1, 0.15, "0.10", "0.15") // steps of 0.01
	check(Lines, 0.1, 0.3, 0, 0.3, "0.00", "0.30")     // zero costs no more than half
	check(Bars, 0, 0, 0, 1, "0.0", "1.0")
}

func BenchmarkPNG(b *testing.B) {
	s := cases()["bars-7x5"]
	for b.Loop() {
		if err := PNG(io.Discard, s, Look{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCountsHaveWholeTicks(t *testing.T) {
	check := func(most float64, counts bool, want ...string) {
		t.Helper()
		s := &Spec{Kind: Bars, Groups: []string{"a"}, Counts: counts, Series: []Series{{Points: []Point{{Y: most, OK: true}}}}}
		_, _, ticks := s.scale()
		var got []string
		for _, x := range ticks {
			got = append(got, x.Label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("up to %v: ticks %q, want %q", most, got, want)
		}
	}
	check(0, true, "0", "1")
	check(1, true, "0", "1")
	check(2, true, "0", "1", "2")
	check(3, false, "0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0")
	check(3, true, "0", "1", "2", "3")
	check(30, true, "0", "5", "10", "15", "20", "25", "30")
	if r := counting(0, 2); len(r.ticks) != 3 || r.ticks[1].Label != "1" {
		t.Errorf("ticks %v", r.ticks)
	}
}
