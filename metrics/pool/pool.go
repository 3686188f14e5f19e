// Package pool measures what a pool of candidates could do: bounds, pass@k, selection.
//
// Stored candidates are grouped into Items, a Measure scores each item's pool, and the values are averaged with an
// interval. The package must never make a call. A candidate without a score (a model-error, or a gold query that fails)
// is left out of its pool; an item without a scored candidate is left out, and counted.
package pool

import (
	"fmt"
	"slices"
)

// confidence is the confidence of every interval here.
const confidence = 0.95

// Candidate is one SQL of an item's pool.
type Candidate struct {
	Generator string
	Sample    int
	SQL       string // used only by the Shortest rule
	Scored    bool
	Correct   bool   // meaningless unless Scored
	Digest    string // of the result; candidates with equal digests form one cluster; empty on error
	Chosen    bool   // true for the candidate that became the item's answer
}

// Item is a question with its pool; the candidates are in the order in which they were made.
type Item struct {
	ID          string
	GoldInDoubt bool
	Candidates  []Candidate
}

// Scored returns the item's scored candidates.
func (it Item) Scored() []Candidate {
	var out []Candidate
	for _, c := range it.Candidates {
		if c.Scored {
			out = append(out, c)
		}
	}
	return out
}

// right returns the number of correct candidates.
func right(cs []Candidate) int {
	n := 0
	for _, c := range cs {
		if c.Correct {
			n++
		}
	}
	return n
}

// Generators lists the generators in the order of their first candidates.
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

// Only returns the items with only the candidates of one generator.
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

func mustBe(ok bool, format string, args ...any) {
	if !ok {
		panic("pool: " + fmt.Sprintf(format, args...))
	}
}
