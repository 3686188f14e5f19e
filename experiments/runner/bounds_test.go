package runner

import (
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/sql/tree"
)

func TestBound(t *testing.T) {
	long := strings.Repeat("é", mostSQL)
	a := prompting.Answer{Why: long, Candidates: []prompting.Candidate{{SQL: "SELECT '" + long, Original: long, Generator: long, Failure: long}},
		Dropped: []prompting.Candidate{{SQL: "SELECT 1"}}, Trace: []prompting.Call{{Note: long}}}
	bound(&a)
	c := a.Candidates[0]
	if tree.Oversize(c.SQL) == nil || !strings.HasSuffix(c.SQL, "bytes are left out") {
		t.Errorf("SQL of %d bytes", len(c.SQL))
	}
	for _, s := range []string{a.Why, c.Generator, c.Failure, a.Trace[0].Note} {
		if len(s) > mostText+100 || !strings.Contains(s, "left out") {
			t.Errorf("a text of %d bytes", len(s))
		}
	}
	if a.Dropped[0].SQL != "SELECT 1" {
		t.Errorf("a short one: %+v", a.Dropped)
	}
}
