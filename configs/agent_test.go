package configs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const agentHead = "name = \"a\"\n[dataset]\nkind = \"sample\"\n"

// interactive resolves an experiment whose last arm is interactive, whatever Methods says.
func interactive(t *testing.T, text string, o Options) Experiment {
	t.Helper()
	e, err := parse(agentHead+text, o)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, e)
	return e
}

// TestAgentPresets: what no one states is the preset's, of the agent and of the model.
func TestAgentPresets(t *testing.T) {
	check := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	a := interactive(t, "[[arm]]\nname = \"x\"\nmethod = \"interactive\"\n", Options{}).Arms[0]
	check("paper: votes, redo, tokens, temperature, top_p", []any{a.Agent.Votes, a.Agent.Redo, a.Model.MaxTokens, a.Model.Temperature, *a.Model.TopP}, []any{3, 0, 384, 0.7, 0.95})
	check("the paper's are also those of no loader", (*Agent)(nil).OrPaper(), *a.Agent)

	a = interactive(t, "[agent]\npreset = \"code\"\nturns = 5\n[model]\ntemperature = 0\n[[arm]]\nname = \"x\"\nmethod = \"interactive\"\nagent.redo = 0\n", Options{}).Arms[0]
	check("code, with keys of one's own", []any{a.Agent.Votes, a.Agent.Turns, a.Agent.Redo, a.Model.MaxTokens, a.Model.Temperature}, []any{1, 5, 0, 512, 0.0})

	e := interactive(t, "[[arm]]\nname = \"x\"\nmethod = \"interactive\"\nagent.preset = \"code\"\n[[arm]]\nname = \"y\"\nmethod = \"standard\"\n", Options{})
	check("an arm's own preset", []any{e.Arms[0].Agent.Answer, e.Arms[0].Model.MaxTokens}, []any{"last-non-star", 512})
	check("an arm without an agent", []any{e.Arms[1].Agent == nil, e.Agent == nil, e.Arms[1].Model.MaxTokens, e.Arms[1].Model.Temperature}, []any{true, true, 0, 0.0})

	e = interactive(t, "[[arm]]\nname = \"x\"\nmethod = \"interactive\"\n[sweep]\ntemperature = [0.2]\n\"agent.preset\" = [\"paper\", \"code\"]\n", Options{})
	for i, want := range []int{3, 1} {
		c := e.Cells()[i].Arm
		check("a swept preset, then what is swept beside it", []any{c.Agent.Votes, c.Model.Temperature}, []any{want, 0.2})
	}
}
