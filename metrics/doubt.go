package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Doubt is a warning that scores carry, with the number of items that have it.
type Doubt struct {
	Metric string `json:"metric"`
	Text   string `json:"text"`
	Items  int    `json:"items"`
}

// DoubtOf returns the kind of a score's warning: its text up to the first colon, since what follows differs from item
// to item. Items is 0.
func DoubtOf(metric, warning string) Doubt {
	text, _, _ := strings.Cut(warning, ":")
	return Doubt{Metric: metric, Text: text}
}

// String returns a line such as "ex: 3 items: the gold query returns no rows".
func (d Doubt) String() string {
	items := "items"
	if d.Items == 1 {
		items = "item"
	}
	return fmt.Sprintf("%s: %d %s: %s", d.Metric, d.Items, items, d.Text)
}

// Doubts lists warnings with their number of items, the most frequent first. A warning that several metrics have on
// equally many items is listed once, under all of their names.
func Doubts(items map[Doubt]int) (out []Doubt) {
	type said struct {
		text  string
		items int
	}
	shared := map[said][]string{}
	for d, n := range items {
		k := said{d.Text, n}
		shared[k] = append(shared[k], d.Metric)
	}
	for k, ids := range shared {
		slices.Sort(ids)
		out = append(out, Doubt{Metric: strings.Join(ids, ", "), Text: k.text, Items: k.items})
	}
	slices.SortFunc(out, func(a, b Doubt) int {
		return cmp.Or(b.Items-a.Items, strings.Compare(a.Metric, b.Metric), strings.Compare(a.Text, b.Text))
	})
	return out
}
