package figure_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"assay/plots/figure"
)

// show compares a figure with its image in the gallery, or writes it there where the tests run with -update.
func show(name string, d figure.Drawing) {
	var b bytes.Buffer
	if err := figure.PNG(&b, d, figure.Look{}); err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join("..", "gallery", name)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			fmt.Println(err)
		}
	}
	want, err := os.ReadFile(path)
	if same := bytes.Equal(want, b.Bytes()); err != nil || !same && runtime.GOARCH == "amd64" { // others round otherwise
		fmt.Printf("differs from plots/gallery/%s; look at it after go test -update\n", name)
		return
	}
	fmt.Println("plots/gallery/" + name)
}

// along makes points of values with an interval of that half width; 0: none.
func along(half float64, values ...float64) (out []figure.Point) {
	for _, v := range values {
		out = append(out, figure.Point{Y: v, Low: v - half, High: v + half, OK: true, HasRange: half > 0})
	}
	return out
}

const invented = "Example data: the numbers are invented."

func ExampleSpec_sweep() {
	show("sweep.png", &figure.Spec{ID: "sweep", Kind: figure.Lines, Bands: true,
		Title: "Accuracy by number of exemplars (example data)", XLabel: "exemplars in the prompt", YLabel: "EX, percent",
		Groups: []string{"0", "2", "4", "8", "16"}, X: []float64{0, 2, 4, 8, 16},
		Series: []figure.Series{
			{Name: "similarity", Points: along(1.8, 58.1, 63.4, 66.0, 68.2, 68.9)},
			{Name: "random", Points: along(2.4, 58.1, 60.2, 62.3, 63.0, 63.4)},
		},
		Caption: []string{invented + " Bands: one standard deviation over exemplar seeds."}})
	// Output: plots/gallery/sweep.png
}

func ExampleSpec_fan() {
	show("fan.png", &figure.Spec{ID: "fan", Kind: figure.Lines,
		Title: "What a selection can reach, by pool size (example data)", XLabel: "candidates in the pool", YLabel: "EX, percent",
		Groups: []string{"1", "3", "7", "14", "21"}, X: []float64{1, 3, 7, 14, 21},
		Series: []figure.Series{
			{Name: "upper bound", Points: along(0, 60.4, 67.0, 72.1, 75.3, 76.8)},
			{Name: "pairwise selection", Points: along(1.5, 60.4, 63.6, 66.9, 68.6, 69.4)},
			{Name: "self-consistency", Points: along(1.5, 60.4, 62.1, 64.0, 65.1, 65.3)},
			{Name: "lower bound", Points: along(0, 60.4, 53.8, 47.2, 42.5, 40.3)},
		},
		Fills:   []figure.Fill{{Low: 3, High: 0, Name: "between the bounds"}},
		Caption: []string{invented + " Upper bound: a candidate is right; lower bound: all are."}})
	// Output: plots/gallery/fan.png
}

func ExampleScatter() {
	dot := func(label string, tokens, ex float64) figure.Dot {
		return figure.Dot{Label: label, X: tokens, Y: ex, YRange: figure.Interval{Low: ex - 2.9, High: ex + 2.9, OK: true}, OK: true}
	}
	show("scatter.png", &figure.Scatter{ID: "scatter",
		Title: "Accuracy against tokens (example data)", XLabel: "tokens an item", YLabel: "EX, percent", LogX: true, Front: true,
		Series: []figure.Cloud{
			{Name: "one call", Dots: []figure.Dot{dot("Standard", 420, 58.3), dot("Chain of thought", 780, 61.2), dot("Least-to-most", 1450, 60.1), dot("QDecomp", 990, 63.8)}},
			{Name: "several calls", Dots: []figure.Dot{dot("with fixer", 2400, 66.5), dot("pool of 7, votes", 9200, 67.0), dot("pool of 21, pairwise", 41000, 71.4)}},
		},
		Caption: []string{invented + " Error bars: 95 % Wilson interval."}})
	// Output: plots/gallery/scatter.png
}

func ExampleHeat() {
	cells := func(values ...float64) (out []figure.Cell) {
		for _, v := range values {
			out = append(out, figure.Cell{Value: v, OK: v >= 0})
		}
		return out
	}
	show("heat.png", &figure.Heat{ID: "heat", Title: "Accuracy by arm and database (example data)",
		XLabel: "database", Unit: "EX, percent", High: 100, Places: 1,
		Rows:    []string{"Standard", "Chain of thought", "QDecomp", "QDecomp+InterCOL"},
		Columns: []string{"concert_hall", "city_library", "soccer_league", "university_courses", "flower_shop", "railway"},
		Cells: [][]figure.Cell{
			cells(82.1, 64.0, 45.5, 58.3, 71.2, 33.3), cells(84.6, 61.5, 50.0, 58.3, 73.1, 38.9),
			cells(87.2, 69.2, 54.5, 66.7, 75.0, -1), cells(89.7, 71.8, 52.3, 70.8, 76.9, 44.4),
		},
		Caption: []string{invented + " Hatched: none of the arm's answers could be scored."}})
	// Output: plots/gallery/heat.png
}

func ExampleSets_circles() {
	show("venn.png", &figure.Sets{ID: "venn", Title: "Items that three arms answer right (example data)",
		Names:   []string{"Standard", "Chain of thought", "QDecomp"},
		Counts:  []int{120, 38, 46, 61, 75, 44, 70, 236},
		Caption: []string{invented}})
	// Output: plots/gallery/venn.png
}

func ExampleSets_bars() {
	counts := make([]int, 16)
	for m, n := range map[int]int{0: 41, 1: 9, 2: 6, 3: 14, 4: 8, 6: 11, 7: 22, 8: 19, 9: 3, 11: 7, 12: 16, 13: 5, 14: 28, 15: 101} {
		counts[m] = n
	}
	show("upset.png", &figure.Sets{ID: "upset", Title: "Items that four arms answer right (example data)",
		Names: []string{"Standard", "Chain of thought", "Least-to-most", "QDecomp"}, Counts: counts, Caption: []string{invented}})
	// Output: plots/gallery/upset.png
}

func ExampleStack() {
	show("stack.png", &figure.Stack{ID: "stack", Title: "What became of the answers (example data)", Label: "percent of items", Share: true, Places: 1,
		Rows: []string{"Standard", "Chain of thought", "Least-to-most", "QDecomp+InterCOL"},
		Parts: []figure.Part{
			{Name: "correct", Values: []float64{169, 178, 174, 193}},
			{Name: "wrong", Values: []float64{81, 76, 72, 68}},
			{Name: "sql-error", Values: []float64{31, 24, 27, 22}},
			{Name: "sql-timeout", Values: []float64{2, 2, 5, 1}},
			{Name: "no-sql", Values: []float64{7, 10, 12, 6}},
		},
		Caption: []string{invented}})
	// Output: plots/gallery/stack.png
}

func ExampleForest() {
	effect := func(group, name string, value, half float64, significant bool, note string) figure.Effect {
		return figure.Effect{Group: group, Name: name, Value: value, Range: figure.Interval{Low: value - half, High: value + half, OK: true},
			Significant: significant, Note: note, OK: true}
	}
	show("forest.png", &figure.Forest{ID: "forest", Title: "QDecomp less Standard (example data)", XLabel: "difference in EX, points", Places: 1,
		Rows: []figure.Effect{
			effect("", "all (1034)", 5.5, 2.1, true, "p < 0.001"),
			effect("hardness", "easy (248)", 0.8, 2.6, false, "p 1.00"),
			effect("hardness", "medium (446)", 5.2, 3.1, true, "p 0.006"),
			effect("hardness", "hard (174)", 9.8, 5.2, true, "p 0.002"),
			effect("hardness", "extra (166)", 7.8, 5.9, false, "p 0.052"),
			effect("join", "one table (401)", 1.2, 2.4, false, "p 1.00"),
			effect("join", "two or more (633)", 8.2, 3.0, true, "p < 0.001"),
		},
		Filled: "significant at 0.05 (exact McNemar, Holm)", Caption: []string{invented + " Intervals: 95 %, paired bootstrap over items."}})
	// Output: plots/gallery/forest.png
}

func ExampleSeeds() {
	arm := func(name string, low, high float64, values ...float64) figure.SeedArm {
		return figure.SeedArm{Name: name, Values: values, Expected: figure.Interval{Low: low, High: high, OK: true}}
	}
	show("seeds.png", &figure.Seeds{ID: "seeds", Title: "What the choice of exemplars adds to chance (example data)", XLabel: "EX, percent", Places: 1,
		Arms: []figure.SeedArm{
			arm("Standard", 58.6, 61.7, 55.4, 58.9, 60.3, 61.0, 65.2),
			arm("Chain of thought", 60.3, 63.3, 60.1, 61.2, 61.9, 62.4, 63.5),
			arm("QDecomp", 63.6, 66.6, 62.0, 64.2, 65.0, 66.1, 68.3),
		},
		Expected: "mean ± binomial standard deviation of 1034 items",
		Caption:  []string{invented + " A deviation over seeds that is longer than the striped bar is more than drawing the items again would give."}})
	// Output: plots/gallery/seeds.png
}

func ExamplePanels() {
	p := &figure.Panels{ID: "panels", Title: "Bounds by pool size and generator (example data)", XLabel: "candidates in the pool", YLabel: "EX, percent",
		Caption: []string{invented}}
	for i, name := range []string{"query plan", "divide and conquer", "synthetic examples", "all three"} {
		lift := float64(2 * i)
		p.Panels = append(p.Panels, &figure.Spec{Kind: figure.Lines, Title: name,
			Groups: []string{"1", "3", "5", "7"}, X: []float64{1, 3, 5, 7},
			Series: []figure.Series{
				{Name: "upper bound", Points: along(0, 62+lift, 69+lift, 72+lift, 74+lift)},
				{Name: "lower bound", Points: along(0, 62+lift, 52+lift, 47+lift, 44+lift)},
				{Name: "selection", Points: along(0, 62+lift, 64+lift, 65.5+lift, 66+lift)},
			},
			Fills: []figure.Fill{{Low: 1, High: 0, Name: "what a selection can change"}}})
	}
	show("panels.png", p)
	// Output: plots/gallery/panels.png
}
