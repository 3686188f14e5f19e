package baseline_test

import (
	"strings"
	"testing"

	"assay/prompting"
	"assay/prompting/methodtest"
	"assay/prompting/render"
	"assay/prompting/script"
)

// TestSelectors holds that the stages of C3, MAC-SQL and CHESS get answers in their own forms, in every format.
func TestSelectors(t *testing.T) {
	for _, format := range render.Formats().IDs() {
		h := newHarbour(t, format, "What are the names of boats whose length is more than 10?")
		check := func(stage, want string) {
			t.Helper()
			for _, text := range h.model.texts {
				if strings.EqualFold(text, want) { // a format may print names in lower case
					return
				}
			}
			t.Errorf("%s, %s: no %s in %q", format, stage, want, h.model.texts)
		}
		arm := methodtest.Arm("c3", format, 0)
		if c := h.answered("c3", arm); c.SQL != "SELECT name FROM boat WHERE length > 10" {
			t.Errorf("%s: c3 answers %+v", format, c)
		}
		check("tables", `["boat", "stay", "pier"]`)
		check("columns", `{"boat": ["boat_id", "name", "length"], "stay": ["boat_id"]}`)

		arm = methodtest.Arm("mac-sql", format, 0)
		arm.Params = map[string]any{"small_total": int64(1), "style": "bird"}
		if c := h.answered("mac-sql", arm); c.SQL != "SELECT name FROM boat WHERE length > 10" || c.Rule != "fence" {
			t.Errorf("%s: mac-sql answers %+v", format, c)
		}
		check("select", `{"boat": "keep_all", "pier": "drop_all", "stay": "keep_all"}`)
		check("decompose", "Sub-question: What are the names of boats?\n```sql\nSELECT name FROM boat\n```\nSub-question: "+h.q.Text+"\n```sql\nSELECT name FROM boat WHERE length > 10\n```")

		if c := h.answered("resdsql", methodtest.Arm("resdsql", format, 0)); c.Rule != "tag" {
			t.Errorf("%s: resdsql answers %+v", format, c)
		}
		check("skeleton", "**Skeleton:** select _ from _ where _\n<FINAL_ANSWER>\nSELECT name FROM boat WHERE length > 10\n</FINAL_ANSWER>")

		p := h.part(script.Choose, "unit-tests", methodtest.Arm("standard", format, 0))
		c, err := p.Choose(h.Context(), h.q, []prompting.Candidate{{SQL: "SELECT flag FROM boat"}, {SQL: "SELECT name FROM boat"}, {SQL: "SELECT name FROM boat WHERE length > 10"}})
		h.must(err)
		if c.Index != 2 {
			t.Errorf("%s: unit-tests chooses %d: %s", format, c.Index, c.Why)
		}
		check("tests", `["The query has the word 10.", "The query has the word LENGTH.", "The query has the word NAME.", "The query has the word WHERE."]`)
		check("verdicts", "Candidate 1: failed\nCandidate 2: passed\nCandidate 3: passed")
	}
}
