package pipeline

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
	"assay/prompting/script"

	"github.com/google/go-cmp/cmp"
)

// compared are queries of equal results, of equal text, and of errors.
var compared = []string{"SELECT Guests FROM Trip", "SELECT Guests  FROM Trip;", "SELECT 140 UNION SELECT 20", "SELECT Guest FROM Trip", "SELEC",
	`SELECT "Home Port" FROM Route`, "DELETE FROM Trip", "SELECT 4"}

// TestComparison: a comparison's prompt is the one that the rule sends, whatever the queries.
func TestComparison(t *testing.T) {
	w := newWorld(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		a := methodtest.Arm("standard", format, 0)
		a.Selection = configs.Selection{Rule: "pairwise", Directions: 2, Tie: "first"}
		c, err := NewComparison(w.box, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range compared {
			for _, y := range compared {
				got, err := c.Prompt(t.Context(), w.q, x, y)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(w.sent(a, x, y), got); d != "" {
					t.Fatalf("%s: %q and %q: %s", format, x, y, d)
				}
			}
		}
	}
}

// sent is what the rule sends first of two queries; nil where it asks nothing.
func (w world) sent(a configs.Arm, x, y string) []llm.Message {
	w.Helper()
	model := &llm.Scripted{Reply: func(llm.Request) (string, error) { return "A", nil }}
	a.Selection.Directions = 1
	p, err := Part(script.Choose, "pairwise", script.Setup{Deps: prompting.Deps{Model: model, Box: w.box}, Arm: a, Seed: 1})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := p.Choose(w.Context(), w.q, []prompting.Candidate{{SQL: x}, {SQL: y}}); err != nil {
		w.Fatal(err)
	}
	if asked := model.Asked(); len(asked) > 0 {
		return asked[0].Messages
	}
	return nil
}

func TestComparisonRefused(t *testing.T) {
	w := newWorld(t)
	a := methodtest.Arm("standard", "bird", 0)
	c, err := NewComparison(w.box, a)
	if err != nil {
		t.Fatal(err)
	}
	w.q.Schema = nil
	if _, err := c.Prompt(t.Context(), w.q, "a", "b"); err == nil || !strings.HasPrefix(err.Error(), "pipeline: compare queries of ") {
		t.Errorf("got %v", err)
	}
	a.Schema.Format = "xml"
	if _, err := NewComparison(w.box, a); err == nil || !strings.HasPrefix(err.Error(), "pipeline: comparison of arm ") {
		t.Errorf("got %v", err)
	}
}
