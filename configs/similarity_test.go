package configs

import (
	"strings"
	"testing"
)

// TestSimilarities: what of an arm rests on how near two texts are.
func TestSimilarities(t *testing.T) {
	check := func(method, want string, set ...string) {
		t.Helper()
		e := must(t, "name = \"x\"\nshows = \"y\"\n[dataset]\nkind = \"sample\"\n[model]\nprovider = \"baseline\"\n[exemplars]\nk = 2\n[[arm]]\nname = \"a\"\nmethod = \""+method+"\"\n", set...)
		if got := strings.Join(known.Similarities(e.Arms[0]), ", "); got != want {
			t.Errorf("%s %v: got %q, want %q", method, set, got, want)
		}
	}
	check("standard", "")
	check("standard", "value retrieval", "values.use=true")
	check("standard", "column descriptions", "schema.descriptions=5")
	check("standard", "demonstrations", "exemplars.strategy=similarity")
	check("standard", "", "exemplars.strategy=similarity", "exemplars.k=0")
	check("interactive", "SearchColumn")
	check("interactive", "", "agent.off=SearchColumn")
	check("os", "")
	check("os", "demonstrations", "synthetic.source=train", "exemplars.k=0")
	check("os", "demonstrations", "synthetic.source=train", "exemplars.file=train")
	check("pool", "value retrieval, SearchColumn, demonstrations", "arm.a.generators=os,interactive", "synthetic.source=train", "values.use=true")
}
