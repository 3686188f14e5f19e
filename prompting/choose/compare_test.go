package choose

import (
	"strings"
	"testing"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// TestComparison: a comparison's prompt is the one that the rule sends, whatever the queries.
func TestComparison(t *testing.T) {
	w := newWorld(t)
	for _, format := range []string{"apidocs", "createtable", "bird"} {
		a := arm("pairwise")
		a.Schema.Format = format
		c, err := NewComparison(w.box, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range shelf {
			for _, y := range shelf {
				got, err := c.Prompt(t.Context(), w.q, x, y)
				if err != nil {
					t.Fatal(err)
				}
				_, asked := w.choose(a, 1, func(llm.Request) (string, error) { return "A", nil }, x, y)
				var want []llm.Message
				if len(asked) > 0 {
					want = asked[0].Messages
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s: %q and %q: %s", format, x, y, d)
				}
			}
		}
	}
	w.q.Schema = nil
	c, err := NewComparison(w.box, arm("pairwise"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Prompt(t.Context(), w.q, "a", "b"); err == nil || !strings.HasPrefix(err.Error(), "choose: compare queries of ") {
		t.Errorf("got %v", err)
	}
	if _, err := NewComparison(nil, arm("pairwise")); err == nil {
		t.Error("a comparison without a sandbox")
	}
}
