package compare

import (
	"math"
	"testing"
)

func TestAPilotOfOneSeed(t *testing.T) {
	a, b := run("a", "x", "1110000000"), run("b", "x", "1101100000")
	pilots, err := Pilots(a, b, Options{})
	if err != nil || len(pilots) != 1 {
		t.Fatal(pilots, err)
	}
	p := pilots[0]
	if p.Items != 10 || p.Seeded() {
		t.Errorf("%+v", p)
	}
	near(t, "discordant", p.Discordant, 0.3, 1e-12)
	near(t, "difference", p.Diff, 0.1, 1e-12)
}

func TestAPilotOfSeeds(t *testing.T) {
	// Differences by item and seed: 1 1, 0 1, 0 0, 0 0; item mean squares 2·(0.625²+0.125²+2·0.375²)/3 = 11/24, seeds
	// 4·2·(1/8)² = 1/8, all 15/8, so that the rest has (15/8 - 11/8 - 1/8)/3 = 1/8. Item is (11/24 - 1/8)/2 = 1/6; seed 0.
	a, b := run("a", "x", "0011"), run("b", "x", "1011")
	again(a, 1, "0011")
	again(b, 1, "1111")
	pilots, err := Pilots(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := pilots[0]
	near(t, "item", p.Variance.Item, 1.0/6, 1e-12)
	near(t, "rest", p.Variance.ItemSeed, 1.0/8, 1e-12)
	near(t, "discordant", p.Discordant, 3.0/8, 1e-12)
	const z = 1.959963985 + 0.841621234
	near(t, "smallest", p.Smallest(100, 4, .05, .8), z*math.Sqrt(1.0/600+1.0/3200), 1e-8)
	// Endless seeds leave sqrt(1/6/100): 11.4 points.
	if _, ok := p.Seeds(0.11, 100, .05, .8); ok {
		t.Error("seeds make up for items")
	}
	n, ok := p.Seeds(0.12, 100, .05, .8)
	if !ok || p.Smallest(100, n, .05, .8) > 0.12 || p.Smallest(100, n-1, .05, .8) <= 0.12 {
		t.Errorf("%d, %v", n, ok)
	}
}
