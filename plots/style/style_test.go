package style

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// luminance is the relative luminance of a colour such as #a3260f (WCAG 2.2).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%s is no colour", hex)
	}
	part := func(shift int) float64 {
		c := float64(n>>shift&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: what is read has 4.5:1, what is only seen (focus, borders of controls) 3:1, in both themes (WCAG 2.2, AA).
func TestContrast(t *testing.T) {
	light, dark := map[string]string{}, map[string]string{}
	for _, c := range Colours() {
		light[c.Name], dark[c.Name] = c.Light, c.Dark
	}
	check := func(front, ground string, want float64) {
		t.Helper()
		for theme, of := range map[string]map[string]string{"light": light, "dark": dark} {
			got := contrast(t, of[front], of[ground])
			t.Logf("%-5s %-5s on %-8s %.1f", theme, front, ground, got)
			if got < want {
				t.Errorf("%s: %s on %s has %.2f, want %.1f", theme, front, ground, got, want)
			}
		}
	}
	for _, ground := range []string{"bg", "shade", "odd-bg"} {
		check("fg", ground, 4.5)
	}
	for _, ground := range []string{"bg", "shade"} {
		for _, front := range []string{"soft", "link", "good", "bad", "odd"} {
			check(front, ground, 4.5)
		}
		check("focus", ground, 3)
	}
	for _, front := range []string{"good", "bad", "odd"} {
		check(front, front+"-bg", 4.5)
	}
}

// TestColours: the rules use the colours that there are and no others, and the sheet fetches nothing.
func TestColours(t *testing.T) {
	sheet := CSS()
	for _, c := range Colours() {
		if !strings.Contains(rules, "var(--"+c.Name+")") {
			t.Errorf("no rule uses %s", c.Name)
		}
		if n := strings.Count(sheet, "--"+c.Name+": "); n != 3 {
			t.Errorf("%s is set %d times, want in light, in dark, and in dark by choice", c.Name, n)
		}
	}
	for _, use := range strings.Split(sheet, "var(--")[1:] {
		name, _, _ := strings.Cut(use, ")")
		if !strings.Contains(sheet, "--"+name+": ") {
			t.Errorf("%s is used and not set", name)
		}
	}
	for _, bad := range []string{"url(", "@import", "</", "expression"} {
		if strings.Contains(sheet+Theme(), bad) {
			t.Errorf("there is %q", bad)
		}
	}
}

func TestHash(t *testing.T) {
	// printf '' | openssl dgst -sha256 -binary | base64
	if got, want := Hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
