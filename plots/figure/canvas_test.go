package figure

import (
	"bytes"
	"image/color"
	"strings"
	"testing"
)

// TestTextsKeepTheirLength holds that each text of an SVG says how long it is, in the order of the texts.
func TestTextsKeepTheirLength(t *testing.T) {
	var b bytes.Buffer
	if err := SVG(&b, made(Bars, 2, 3, short), Look{}); err != nil {
		t.Fatal(err)
	}
	texts, said := 0, 0
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.Contains(l, "<text ") {
			texts++
		}
		if strings.Contains(l, `<text textLength="`) && strings.Contains(l, `lengthAdjust="spacingAndGlyphs"`) {
			said++
		}
	}
	if texts < 10 || said != texts {
		t.Errorf("%d of %d texts have a length", said, texts)
	}
}

// TestLacking holds that a file says where its font lacks letters, and that others do not.
func TestLacking(t *testing.T) {
	check := func(name string, want bool) {
		t.Helper()
		s := made(Bars, 1, 1, func(int) string { return name })
		for _, f := range Formats {
			var b bytes.Buffer
			if err := f.Write(&b, s, Look{}); err != nil {
				t.Errorf("%s of %q: %v", f.Name, name, err)
			}
			if f.Name == "svg" && (strings.Contains(b.String(), "question mark") || !strings.Contains(b.String(), name)) {
				t.Errorf("the SVG of %q has other letters", name)
			}
		}
		with := s.arrange(Look{lacks: want}).caption
		if got := strings.Contains(strings.Join(with, " "), "question mark"); got != want {
			t.Errorf("%q: %q", name, with)
		}
	}
	check("naïve ± 3…", false)
	check("日本語", true)
}

// TestStraightColours holds that transparency does not darken the colours of a PDF.
func TestStraightColours(t *testing.T) {
	r, g, b, a := straight{color.NRGBA{R: 200, G: 100, A: 0x30}}.RGBA()
	if r>>8 != 200 || g>>8 != 100 || b != 0 || a>>8 != 0x30 {
		t.Error(r>>8, g>>8, b>>8, a>>8)
	}
}
