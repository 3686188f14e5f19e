package exemplar

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMakersCountWhatDemonstrationsHave(t *testing.T) {
	steps := []Step{{Question: "Q?"}}
	demos := []Demo{
		{CoT: "c", Steps: steps, By: Provenance{CoT: Rule, Steps: ByModel("p/m")}},
		{CoT: "c", Steps: steps, By: Provenance{CoT: Rule}},
		{CoT: "c", By: Provenance{Steps: Rule, Dialogue: Rule}}, // of annotations that it does not have
	}
	want := map[string]map[string]int{"cot": {Rule: 2, Hand: 1}, "steps": {"model p/m": 1, Hand: 1}}
	if diff := cmp.Diff(want, Makers(demos)); diff != "" {
		t.Error(diff)
	}
	for i, want := range []bool{false, true, true} {
		if got := demos[i].ByPerson(); got != want {
			t.Errorf("demonstration %d: a person made some: %v", i, got)
		}
	}
}
