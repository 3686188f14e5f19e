package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
	"assay/experiments/record"
)

// swept is a run of one arm at sweep points, "0.7 createtable" a point, each with the same three items.
func swept(name, axes string, points ...string) *record.Run {
	one := run(name, "x", "110")
	out := *one
	out.Items = nil
	out.Manifest.Axes = strings.Fields(axes)
	for _, p := range points {
		for _, it := range one.Items {
			it.Point = strings.Fields(p)
			out.Items = append(out.Items, it)
		}
	}
	return &out
}

// TestWhichPointsArePaired: no comparison of two sweeps is empty, and what is paired is said where it is not the same.
func TestWhichPointsArePaired(t *testing.T) {
	check := func(a, b *record.Run, note string, want ...string) {
		t.Helper()
		c := against(t, a, b, Options{})
		var got []string
		for _, p := range c.Pairs {
			got = append(got, fmt.Sprintf("%s=%s", strings.Join(p.Point, " "), strings.Join(p.PointB, " ")))
			if p.All.Items != 3 {
				t.Errorf("%s: %d items", got, p.All.Items)
			}
		}
		noted := strings.Join(c.Notes, "; ")
		if !slices.Equal(got, want) || !strings.Contains(noted, note) || note == "" && strings.Contains(noted, "point") {
			t.Errorf("paired %q, want %q; noted %q, want %q", got, want, noted, note)
		}
	}
	a := swept("a", "temperature", "0", "0.5")
	check(a, swept("b", "temperature", "0", "0.5"), "", "0=0", "0.5=0.5")
	check(a, swept("b", "temperature", "0.5", "0"), "", "0=0", "0.5=0.5")
	check(a, swept("b", "temperature", "0.5", "1"), "one run alone has are left out: (temperature = 0) of A; (temperature = 1) of the other", "0.5=0.5")
	check(a, swept("b", "temperature", "1", "0.7"), "differ in temperature: (temperature = 0 with temperature = 0.7) (temperature = 0.5 with temperature = 1)", "0=0.7", "0.5=1")
	check(a, swept("b", "temperature", "0.7"), "differ in temperature: (temperature = 0 with temperature = 0.7) (temperature = 0.5 with temperature = 0.7)", "0=0.7", "0.5=0.7")
	check(a, swept("b", "temperature", "1", "2", "3"), "left out: (temperature = 3) of the other", "0=1", "0.5=2")
	check(a, swept("b", "", ""), "A sweeps [temperature], the other []", "0=", "0.5=")
	check(swept("a", "k", "8"), swept("b", "temperature", "0"), "share no sweep point; paired are (k = 8 with temperature = 0)", "8=0")

	two := swept("a", "temperature format", "0 f", "0 g", "1 f", "1 g")
	check(two, swept("b", "format temperature", "g 1", "f 0"), "left out: (temperature = 0, format = g) (temperature = 1, format = f) of A", "0 f=f 0", "1 g=g 1")
	check(two, swept("b", "temperature format", "2 f", "2 g", "3 f", "3 g"), "differ in temperature", "0 f=2 f", "1 f=3 f", "0 g=2 g", "1 g=3 g")
	check(two, swept("b", "temperature format", "0 h"), "differ in format", "0 f=0 h", "0 g=0 h")
	check(two, swept("b", "format", "f", "g"), "the other [format]", "0 f=f", "0 g=g", "1 f=f", "1 g=g")
	check(swept("a", "temperature format", "0 f"), swept("b", "temperature format", "1 g"), "share no sweep point; paired are (temperature = 0, format = f with temperature = 1, format = g)", "0 f=1 g")
}

// TestNothingToPairIsAnError: an empty comparison is no comparison.
func TestNothingToPairIsAnError(t *testing.T) {
	check := func(a, b *record.Run, want string) {
		t.Helper()
		for _, force := range []bool{false, true} {
			if c, err := Runs(a, b, Options{Force: force}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v, %v; want %q", c, err, want)
			}
		}
	}
	check(swept("a", "temperature format", "0 f", "1 g"), swept("b", "temperature format", "2 h", "3 i"),
		"arm x: no sweep points that differ in one axis: A is at (temperature = 0, format = f) (temperature = 1, format = g), the other at (temperature = 2, format = h) (temperature = 3, format = i)")
	check(swept("a", "temperature", "0", "1"), swept("b", "k", "2", "4"), "A is at (temperature = 0) (temperature = 1), the other at (k = 2) (k = 4)")
	check(run("a", "x", "11"), run("b", "x", "--"), "a-id and b-id have nothing to pair: no item has a score under ex in both, of 2;")
	check(run("a", "x", "1-"), run("b", "x", "-0"), "nothing to pair")
}

// TestEachSideIsPricedAtItsPoint: what the sides took is that of their own points.
func TestEachSideIsPricedAtItsPoint(t *testing.T) {
	a, b := swept("a", "temperature", "0"), swept("b", "temperature", "0.7")
	for _, r := range []*record.Run{a, b} {
		e := configs.Experiment{Arms: []configs.Arm{{Name: "x", Model: configs.Model{Provider: "openai", Name: "gpt-4o-mini"}}}}
		e.Sweep = []configs.Axis{{Key: "temperature", Values: []string{r.Items[0].Point[0]}}}
		r.Resolved = e
		for i := range r.Items {
			it := &r.Items[i]
			it.Calls, it.Cached, it.PromptTokens, it.CompletionTokens = record.CountOf(1), record.CountOf(0), record.CountOf(1_000_000), record.CountOf(0)
			r.Calls = append(r.Calls, record.Call{Item: it.Item, Arm: it.Arm, Point: it.Point, Seed: it.Seed, PromptTokens: it.PromptTokens, CompletionTokens: it.CompletionTokens})
		}
	}
	p := against(t, a, b, Options{}).Pairs[0]
	near(t, "USD of A", p.SpentA.USD.V, 0.45, 1e-9) // 3 x 0.15
	near(t, "USD of B", p.SpentB.USD.V, 0.45, 1e-9)
	if p.SpentB.Unpriced != "" {
		t.Error(p.SpentB.Unpriced)
	}
}
