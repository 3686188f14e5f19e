package demos

import (
	"cmp"
	"slices"

	"assay/prompting/exemplar"
)

// Summary counts what was made, by hardness and over all.
type Summary struct {
	Levels   []Level  `json:"levels"` // easiest first, and all of them last
	Failures []Reason `json:"failures"`
	// Overlap is the expected number of demonstrations that two seeds share of Draws drawn at random from what is kept.
	Overlap float64 `json:"overlap"`
	Draws   int     `json:"draws"`
	Asked   *Asked  `json:"asked,omitempty"` // nil: no model was asked
}

// Asked is what the models were asked, and what that cost.
type Asked struct {
	Called int64  `json:"called"`          // calls that were made
	Cached int64  `json:"cached"`          // completions that the ledger gave
	Failed int64  `json:"failed"`          // calls without an answer
	Spent  string `json:"spent,omitempty"` // by the calls that were made, in words; empty where there were none
}

// Level counts the demonstrations of a hardness; ID is "all" for all of them.
type Level struct {
	ID          string         `json:"hardness"`
	Tried       int            `json:"tried"`
	Kept        int            `json:"kept"`
	With        map[string]int `json:"with"`        // kept ones by kind of annotation
	Steps       float64        `json:"steps"`       // mean number, of those that have any; 0 where none has
	Naturalness float64        `json:"naturalness"` // mean, of those that are rated; 0 where none is
}

// Reason counts a failure.
type Reason struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// draws is the k of few-shot prompts for which the overlap is given.
const draws = 8

// Summarise counts demonstrations.
func Summarise(made []Made) Summary {
	s := Summary{Draws: draws, Failures: []Reason{}}
	for _, id := range append(slices.Clone(exemplar.Levels), "all") {
		s.Levels = append(s.Levels, level(id, made))
	}
	if kept := s.Levels[len(s.Levels)-1].Kept; kept > 0 {
		k := float64(min(draws, kept))
		s.Overlap = k * k / float64(kept)
	}
	counts := map[Failure]int{}
	for _, m := range made {
		for _, f := range m.Failures {
			counts[Failure{Kind: f.Kind, Reason: f.Reason}]++
		}
	}
	for f, n := range counts {
		s.Failures = append(s.Failures, Reason{f.Kind, f.Reason, n})
	}
	slices.SortFunc(s.Failures, func(a, b Reason) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Reason, b.Reason))
	})
	return s
}

// level counts the demonstrations of one hardness.
func level(id string, made []Made) Level {
	l := Level{ID: id, With: map[string]int{}}
	steps, rated := 0, 0
	for _, m := range made {
		if m.Hardness != id && id != "all" {
			continue
		}
		if l.Tried++; !m.Kept {
			continue
		}
		l.Kept++
		for _, k := range Kinds.IDs() {
			if Has(m.Demo, k) {
				l.With[k]++
			}
		}
		steps += len(m.Steps)
		if m.Naturalness > 0 {
			l.Naturalness += m.Naturalness
			rated++
		}
	}
	l.Steps = float64(steps) / float64(max(l.With[Steps], 1))
	l.Naturalness /= float64(max(rated, 1))
	return l
}
