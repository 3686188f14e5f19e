package spreadsheet

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	check := func(text string, guarded bool) {
		t.Helper()
		want := text
		if guarded {
			want = "'" + text
		}
		if got := Guard(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := Exact(Guard(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
	for _, s := range []string{"=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1", `"=1`, `' "=1`, "\u00a0=1", "\u200b=1",
		"＝1", "＋1", "－1", "＠a", "﹦1", "+InterCOL", "-- list\nSELECT 1", "--", "+49 170", "-2+3+cmd|' /C calc'!A0", "-1,5",
		"-1.5\n=1", "+1e5x", "'=1", "''=1", "“=1", "\x00=1", "\ufeff=1", "-Inf", "=", "@", "\tx"} {
		check(s, true)
	}
	for _, s := range []string{"", "SELECT 1", "1.5", "-1.5", "+3", "-.5", "+1e-05", "-12%", "-", "+", "'", "'SELECT'", "'-1.5", "it's = 1",
		"a=1", "日本語", "\xff=1", "(=1)", "' '", "{=1}"} {
		check(s, false)
	}
}

// FuzzGuard checks that the cell of every text is no formula, and gives the text back, also through a file.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{"", "=1", "'=1", "''=1", "-1", "a\r\nb", "\r\r\n", "\n", "\ufeff", "\xff'=", `"`, `\.`, ",;\t=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := Guard(text)
		if Exact(cell) != text {
			t.Errorf("%q -> %q -> %q", text, cell, Exact(cell))
		}
		if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) && !number.MatchString(cell) {
			t.Errorf("%q is a formula", cell)
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		record := []string{"head", text, "=x", text}
		for range 2 {
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		all, err := NewReader(&b).ReadAll()
		if err != nil || len(all) != 2 || !slices.Equal(all[0], record) || !slices.Equal(all[1], record) {
			t.Errorf("%q: read back %q, %v", text, all, err)
		}
	})
}

func TestReader(t *testing.T) {
	check := func(file string, want ...[]string) {
		t.Helper()
		got, err := NewReader(strings.NewReader(file)).ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %q, %v, want %q", file, got, err, want)
		}
	}
	check("a,b\n\"x\r\ny\",'=1\n", []string{"a", "b"}, []string{"x\r\ny", "=1"})
	check("\ufeffa,b\r\n\"x\r\ny\",'=1\r\n", []string{"a", "b"}, []string{"x\ny", "=1"}) // saved by a spreadsheet
	check("")
}
