package plan_test

import (
	"fmt"
	"testing"
)

// TestSimilarityIsRecorded: run.toml names what tells how near texts are, for the uses that the arms make of it.
func TestSimilarityIsRecorded(t *testing.T) {
	check := func(want string, set ...string) {
		t.Helper()
		p := makePlan(t, "quickstart", append(set, "dataset.limit=1")...)
		if got := fmt.Sprint(p.Manifest.Similarity); got != want {
			t.Errorf("%v: got %s, want %s", set, got, want)
		}
	}
	check("[]")
	check("[{value retrieval hashed n-grams of their spelling (offline, no embedding model)}]", "values.use=true")
	check("[{demonstrations TF-IDF over words and pairs of words of masked questions (offline, no embedding model)}]", "exemplars.strategy=similarity")
}
