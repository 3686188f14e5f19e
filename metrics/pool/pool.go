// Package pool tells what a pool of candidates could do: bounds, pass@k, selection.
//
// Everything is computed from stored candidates, without a call. A candidate that was not scored (a model-error, or
// the gold failed) is left out of its pool; an item without a scored candidate is left out, and counted.
package pool

import (
	"fmt"
	"slices"
)

// Confidence is that of every interval here.
const Confidence = 0.95

// Candidate is one SQL of an item's pool.
type Candidate struct {
	Generator string
	Sample    int
	SQL       string // read by the Shortest rule alone
	Scored    bool
	Correct   bool   // meaningless unless Scored
	Digest    string // of the result: equal digests are one cluster; empty on error
	Chosen    bool   // it became the item's answer
}

// Item is a question with its pool, candidates in the order they were made.
type Item struct {
	ID          string
	GoldInDoubt bool
	Candidates  []Candidate
}

// Scored is the item's scored candidates.
func (it Item) Scored() []Candidate {
	var out []Candidate
	for _, c := range it.Candidates {
		if c.Scored {
			out = append(out, c)
		}
	}
	return out
}

// right is how many of the candidates are correct.
func right(cs []Candidate) int {
	n := 0
	for _, c := range cs {
		if c.Correct {
			n++
		}
	}
	return n
}

// Generators names the generators in the order of their first candidates.
func Generators(items []Item) []string {
	var out []string
	for _, it := range items {
		for _, c := range it.Candidates {
			if !slices.Contains(out, c.Generator) {
				out = append(out, c.Generator)
			}
		}
	}
	return out
}

// Only is the items with the candidates of one generator alone.
func Only(items []Item, generator string) []Item {
	out := make([]Item, len(items))
	for i, it := range items {
		out[i] = Item{ID: it.ID, GoldInDoubt: it.GoldInDoubt}
		for _, c := range it.Candidates {
			if c.Generator == generator {
				out[i].Candidates = append(out[i].Candidates, c)
			}
		}
	}
	return out
}

// Group is what was measured of the items of one group.
type Group[T any] struct {
	Name  string
	Items int
	Value T
}

// By measures each group of items apart: by difficulty, hardness, database, or whatever name gives. Groups come in the
// order of their first items.
func By[T any](items []Item, name func(Item) string, measure func([]Item) T) []Group[T] {
	var order []string
	groups := map[string][]Item{}
	for _, it := range items {
		n := name(it)
		if _, ok := groups[n]; !ok {
			order = append(order, n)
		}
		groups[n] = append(groups[n], it)
	}
	out := make([]Group[T], len(order))
	for i, n := range order {
		out[i] = Group[T]{n, len(groups[n]), measure(groups[n])}
	}
	return out
}

func mustBe(ok bool, format string, args ...any) {
	if !ok {
		panic("pool: " + fmt.Sprintf(format, args...))
	}
}
