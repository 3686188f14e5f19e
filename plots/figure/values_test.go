package figure

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// printed returns the texts of a figure.
func printed(d Drawing, l Look) (out []string) {
	p := d.arrange(l)
	tr := &tracer{now: matrix{a: 1, d: 1}}
	p.paint(draw.NewCanvas(tr, p.width, p.height))
	for _, b := range tr.texts {
		out = append(out, b.text)
	}
	return out
}

// TestValues holds that bars have their values where these fit, and otherwise none.
func TestValues(t *testing.T) {
	check := func(arms, groups int, l Look, turned, want bool) {
		t.Helper()
		s := valued(arms, groups)
		first := s.text(s.Series[0].Points[0])
		if got := slices.Contains(printed(s, l), first); got != want {
			t.Errorf("%d arms, %d groups: the value %s is printed: %v", arms, groups, first, got)
		}
		if got := s.layout(l.wide()-2*margin).print.turn != 0; got != turned {
			t.Errorf("%d arms, %d groups: upright: %v", arms, groups, got)
		}
		s.Values = false
		if slices.Contains(printed(s, l), first) {
			t.Errorf("%d arms, %d groups: values that nobody asked for", arms, groups)
		}
	}
	check(2, 5, Look{}, false, true)
	check(5, 5, Look{}, true, true)
	check(8, 8, Look{Width: Page}, false, false)
	check(2, 5, Look{Width: Column}, true, true)
}

// TestDoubts holds that what does not show in a figure is said.
func TestDoubts(t *testing.T) {
	check := func(name string, groups int, l Look, want ...string) {
		t.Helper()
		got, err := Doubts(made(Lines, 1, groups, func(int) string { return name }), l)
		if err != nil || len(got) != len(want) {
			t.Errorf("%q, %d groups, %+v: %q, %v", name, groups, l, got, err)
			return
		}
		for i, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%q, %d groups, %+v: %q has no %q", name, groups, l, got[i], w)
			}
		}
	}
	check("ok", 4, Look{Width: Column, Bare: true})
	check("ok", 40, Look{})
	check("日本語", 4, Look{})
	check("日本語", 4, Look{Bare: true}, "question mark")
	check("日本語", 40, Look{Width: Column, Bare: true}, "in wide, not 3.3 in", "question mark")
	check("ok", 40, Look{Width: Page}, "not 6.3 in")
	if got, err := Doubts(overlap(7, short), Look{Width: Column}); err != nil || got != nil { // it draws what fits
		t.Errorf("127 combinations: %q, %v", got, err)
	}
	if _, err := Doubts(&Spec{ID: "test", Kind: 9}, Look{}); err == nil {
		t.Error("a figure that cannot be drawn has no error")
	}
}

// TestCaptionOfLacking holds that the words of a bare figure say where letters lack in it, and in it alone.
func TestCaptionOfLacking(t *testing.T) {
	check := func(name, title string, want bool) {
		t.Helper()
		s := made(Bars, 1, 1, func(int) string { return name })
		s.Title = title
		got, err := Caption(s, Look{Bare: true})
		if err != nil || strings.Contains(strings.Join(got, " "), "question mark") != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	check("日本語", "ok", true)
	check("ok", "日本語", false)
}

// TestSettingsStayTogether holds that no line ends at the equals sign of a setting.
func TestSettingsStayTogether(t *testing.T) {
	check := func(text string, letters int, want ...string) {
		t.Helper()
		sty := tickStyle()
		if got := wrapped(text, sty, sty.Width(strings.Repeat("m", letters))); !slices.Equal(got, want) {
			t.Errorf("%q in %d letters: %q", text, letters, got)
		}
	}
	check("Standard, k = 4", 8, "Standard,", "k = 4")
	check("k = 4, strategy = random", 12, "k = 4,", "strategy = random")
	check("a = b", 1, "a", "=", "b")
	check("a =", 1, "a", "=")
}

// TestNamesOfCircles holds that no line to a name or a count of a diagram goes through another.
func TestNamesOfCircles(t *testing.T) {
	check := func(names [3]string, counts ...int) {
		t.Helper()
		s := &Sets{ID: "test", Names: names[:], Counts: counts}
		v := solveVenn(s)
		v.scale(275, 245)
		v.label(275, 245)
		for i, a := range v.labels {
			for k, b := range v.labels {
				half := b.half()
				if i != k && a.lead != nil && crosses(*a.lead, vg.Rectangle{Min: b.mid.Sub(half), Max: b.mid.Add(half)}) {
					t.Errorf("%v: the line to %q goes through %q", counts, a.text, b.text)
				}
			}
		}
	}
	check([3]string{"Interactive-T2S", "Zero-shot w/o kg", "Interactive-T2S w/o kg"}, 218, 1, 8, 0, 0, 11, 0, 52)
	check([3]string{"The model itself", "temperature 1", "one direction"}, 217, 0, 4, 0, 0, 7, 0, 62)
	check([3]string{"Standard", "QDecomp", "QDecomp+InterCOL"}, 238, 0, 0, 3, 0, 0, 1, 48)
}
