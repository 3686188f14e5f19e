package main

import (
	"cmp"
	"fmt"
	"strings"

	"assay/experiments/record"
)

// fixed prints why the fixer ran on a candidate, and with what result; nothing where it did not run.
func (s *story) fixed(c record.Candidate) {
	if c.Trigger == "" {
		return
	}
	what := map[string]string{"error": "it failed", "empty": "it returned nothing"}[c.Trigger]
	if what == "" {
		what = c.Trigger
	}
	outcome := "not fixed"
	if c.Fixed == 1 {
		outcome = "fixed"
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

// chosen prints the candidates that the fixer dropped, and the rule and votes by which the answer was chosen.
func (s *story) chosen(a *record.Answer) {
	for _, c := range a.Dropped {
		fmt.Fprintf(s.w, "\n- dropped by the fixer: sample %d (%s): %s\n  %s\n", c.Sample, c.Generator, c.Status, cmp.Or(c.SQL, "-"))
		s.fixed(c)
	}
	if a.Item.Choice != "" {
		fmt.Fprintf(s.w, "\nchosen: %s\n", a.Item.Choice)
	}
	if len(a.Votes) == 0 {
		return
	}
	by, wins, last := map[string]int{}, map[int]int{}, 0
	for _, v := range a.Votes {
		by[v.DecidedBy]++
		wins[v.Winner]++
		last = max(last, v.A, v.B)
	}
	var counts []string
	for i := range last + 1 {
		counts = append(counts, fmt.Sprintf("%d: %d", i, wins[i]))
	}
	fmt.Fprintf(s.w, "votes: %d comparisons, %d by equal results, %d by model calls, %d reused; won by candidate %s\n",
		len(a.Votes), by["execution"], by["model"], by["reused"], strings.Join(counts, ", "))
	if n := wins[-1]; n > 0 {
		fmt.Fprintf(s.w, "       %d answers could not be parsed\n", n)
	}
}

// digest returns the digest of the chosen candidate's result; "" where no candidate is chosen.
func digest(a *record.Answer) string {
	for _, c := range a.Candidates {
		if c.Chosen == 1 {
			return c.Digest
		}
	}
	return ""
}

// kept returns the rows that the run stored of a result, for use where the database is not available. The first stored
// line is the header.
func (s *story) kept(digest string) []string {
	r := s.index.Result(s.question.Item, digest)
	if r == nil || digest == "" {
		return []string{"(no result kept)"}
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
