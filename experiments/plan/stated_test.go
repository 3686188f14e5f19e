package plan

import (
	"strings"
	"testing"

	"assay/configs"
)

func TestNotesOfWhatIsStated(t *testing.T) {
	seed := int64(1)
	check := func(m configs.Model, seeds int, want ...string) {
		t.Helper()
		p := &Plan{Experiment: configs.Experiment{Seeds: make([]int64, seeds)}, Cells: []configs.Cell{{Arm: configs.Arm{Model: m}}}}
		got := p.sentNotes()
		if len(got) != len(want) {
			t.Fatalf("%+v: %q", m, got)
		}
		for i := range got {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%+v: %q, want %q", m, got[i], want[i])
			}
		}
	}
	check(configs.Model{Provider: "openai"}, 3)
	check(configs.Model{Provider: "openai", Seed: &seed, Reasoning: "low"}, 1)
	check(configs.Model{Provider: "openai", Seed: &seed}, 3, "the experiment's 3 seeds send the same requests")
	check(configs.Model{Provider: "baseline", Local: true, Seed: &seed}, 3, "no effect on the baseline")
	check(configs.Model{Provider: "baseline", Local: true, Extra: map[string]any{"a": 1}}, 1, "no effect on the baseline")
	check(configs.Model{Provider: "baseline", Local: true}, 3)
}
