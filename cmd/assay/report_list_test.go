package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListIsAligned(t *testing.T) {
	check := func(all []listed, width int, heads bool, want string) {
		t.Helper()
		if d := cmp.Diff(want, listText(all, width, heads)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	all := []listed{
		{Run: "a-1", Name: "arms", Kind: "table", Title: "What each arm scored"},
		{Run: "a-1", Name: "bounds-temperature", Kind: "figure", Title: "Bounds by temperature", WhyNot: "its sweep has no temperature"},
		{Run: "b-2", Name: "table/a-name-longer-than-the-column", Kind: "table", Title: "Own"},
	}
	check(all, 50, false, `arms                table   What each arm scored
bounds-temperature  figure  Bounds by temperature
                            not from this run: its
                            sweep has no
                            temperature
table/a-name-longer-than-the-column
                    table   Own
`)
	check(all[1:], 80, true, `a-1
bounds-temperature  figure  Bounds by temperature
                            not from this run: its sweep has no temperature

b-2
table/a-name-longer-than-the-column
                    table   Own
`)
	check(nil, 80, false, "")
}
