package main

import (
	"fmt"
	"slices"
	"strings"

	"assay/experiments/record"
)

// of tells whether a row of the run's files is of one of its items.
func of(it record.Item, item, arm string, point []string, seed int64) bool {
	return item == it.Item && arm == it.Arm && seed == it.Seed && slices.Equal(point, it.Point)
}

// fixed prints what the fixer did with a candidate.
func (s *story) fixed(c record.Candidate) {
	if c.Trigger == "" {
		return
	}
	what := map[string]string{"error": "it failed", "empty": "it returned nothing"}[c.Trigger]
	if what == "" {
		what = c.Trigger
	}
	outcome := "not mended"
	if c.Fixed == 1 {
		outcome = "mended"
	}
	tries := "1 try"
	if c.Tries != 1 {
		tries = fmt.Sprintf("%d tries", c.Tries)
	}
	fmt.Fprintf(s.w, "  fixer: %s; %s in %s", what, outcome, tries)
	if c.Original != "" {
		fmt.Fprintf(s.w, "; before (%s): %s", c.OriginalStatus, strings.Join(strings.Fields(c.Original), " "))
	}
	fmt.Fprintln(s.w)
}

// chosen prints what left the pool, and what the choice among the rest rested on.
func (s *story) chosen(it record.Item) {
	for _, c := range s.run.Dropped {
		if of(it, c.Item, c.Arm, c.Point, c.Seed) {
			fmt.Fprintf(s.w, "\n- dropped by the fixer: sample %d (%s): %s\n  %s\n", c.Sample, c.Generator, c.Status, orDash(c.SQL))
			s.fixed(c)
		}
	}
	if it.Choice != "" {
		fmt.Fprintf(s.w, "\nchosen: %s\n", it.Choice)
	}
	by, wins := map[string]int{}, map[int]int{}
	total, last := 0, 0
	for _, v := range s.run.Votes {
		if !of(it, v.Item, v.Arm, v.Point, v.Seed) {
			continue
		}
		total++
		by[v.By]++
		wins[v.Winner]++
		last = max(last, v.A, v.B)
	}
	if total == 0 {
		return
	}
	var counts []string
	for i := range last + 1 {
		counts = append(counts, fmt.Sprintf("%d: %d", i, wins[i]))
	}
	fmt.Fprintf(s.w, "votes: %d comparisons, %d by equal results, %d asked, %d remembered; won by candidate %s\n",
		total, by["execution"], by["asked"], by["remembered"], strings.Join(counts, ", "))
	if n := wins[-1]; n > 0 {
		fmt.Fprintf(s.w, "       %d answers could not be read\n", n)
	}
}

// digest is that of the answer's result.
func (s *story) digest(it record.Item) string {
	for _, c := range s.run.Candidates {
		if c.Chosen == 1 && of(it, c.Item, c.Arm, c.Point, c.Seed) {
			return c.Digest
		}
	}
	return ""
}

// kept are the rows of a query's result that the run kept, for where its database cannot be had.
func (s *story) kept(digest string) []string {
	for _, r := range s.run.Results {
		if r.Item != s.question.Item || r.Digest != digest || digest == "" {
			continue
		}
		lines := r.Lines()
		if len(lines) < 2 {
			return []string{"(no rows)"}
		}
		var out []string
		for _, l := range lines[1:] {
			out = append(out, strings.Join(l, ", "))
		}
		if r.Rows > len(out) {
			out = append(out, fmt.Sprintf("... of %d rows", r.Rows))
		}
		return out
	}
	return []string{"(no result kept)"}
}
