package figure

import (
	"image/color"
	"math"
	"testing"
)

// Matrices on linear RGB of how colours are seen without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
var sights = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns a colour in CIELAB (D65), as that sight has it.
func lab(c color.RGBA, sight [3][3]float64) [3]float64 {
	part := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	in, seen := [3]float64{part(c.R), part(c.G), part(c.B)}, [3]float64{}
	for i, row := range sight {
		seen[i] = min(max(row[0]*in[0]+row[1]*in[1]+row[2]*in[2], 0), 1)
	}
	f := func(r, g, b, white float64) float64 {
		t := (r*seen[0] + g*seen[1] + b*seen[2]) / white
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x, y, z := f(0.4124, 0.3576, 0.1805, 0.9505), f(0.2126, 0.7152, 0.0722, 1), f(0.0193, 0.1192, 0.9505, 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestPalette holds that series stay apart for the colour-blind, and neighbours in a print in grey too. A difference of 2.3
// in CIELAB is just noticed; lines and bars differ by dash, marker and hatch besides.
func TestPalette(t *testing.T) {
	check := func(name string, palette []color.RGBA, distance, lightness float64) {
		t.Helper()
		if len(palette) != MostSeries {
			t.Errorf("%s: %d colours for %d series", name, len(palette), MostSeries)
		}
		for i, a := range palette {
			for k, b := range palette[:i] {
				for sight, m := range sights {
					x, y := lab(a, m), lab(b, m)
					if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < distance {
						t.Errorf("%s %d and %d: %.1f apart as the %s see them", name, k, i, d, sight)
					}
				}
				if x, y := lab(a, sights["normal"]), lab(b, sights["normal"]); i-k == 1 && math.Abs(x[0]-y[0]) < lightness {
					t.Errorf("%s %d and %d: %.1f apart in grey", name, k, i, math.Abs(x[0]-y[0]))
				}
			}
		}
	}
	check("bars", colours, 15, 12)
	check("lines", strokes, 15, 12)
	if len(hatches) != MostSeries || len(dashes) != MostSeries || len(markers) != MostSeries {
		t.Error("a series has no hatch, dash or marker of its own")
	}
}
