package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDoubts(t *testing.T) {
	const empty = "the gold query returns no rows"
	ex, ts := DoubtOf("ex", empty+": nothing tells it from another"), DoubtOf("ts", empty)
	newer := DoubtOf("ex", "concat() is newer than SQLite 3.40.1")
	var got []string
	for _, d := range Doubts(map[Doubt]int{newer: 1, ex: 3, ts: 3, DoubtOf("em", "x"): 1}) {
		got = append(got, d.String())
	}
	want := []string{"ex, ts: 3 items: " + empty, "em: 1 item: x", "ex: 1 item: concat() is newer than SQLite 3.40.1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
