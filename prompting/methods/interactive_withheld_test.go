package methods_test

import (
	"strings"
	"testing"

	"assay/configs"

	"github.com/google/go-cmp/cmp"
)

// TestWithheld: the model is not shown the observation that is withheld, and all before it is the same request.
func TestWithheld(t *testing.T) {
	w := newStock(t)
	texts := []string{say(`FindShortestPath("customers", "orders")`), say(`ExecuteSQL("SELECT count(*) FROM baker")`), say(`ExecuteSQL("SELECT count(*) FROM bakers")`), say("Done()")}
	_, whole := w.told(t, agentArm(nil), texts...)
	check := func(what string, change func(*configs.Agent), turns ...int) {
		t.Helper()
		a, asked := w.told(t, agentArm(change), texts...)
		if a.Candidates[0].SQL != "SELECT count(*) FROM bakers" || a.Candidates[0].Rule != "last-sql" || len(asked) != len(whole) {
			t.Fatalf("%s: %+v in %d turns", what, a.Candidates, len(asked))
		}
		var got []int
		for i, m := range asked[len(asked)-1].Messages[2:] {
			if strings.Contains(m.Text, "is not shown") {
				got = append(got, i/2+1)
			}
		}
		if d := cmp.Diff(turns, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		for i := range min(turns[0], len(whole)) {
			if d := cmp.Diff(whole[i].Messages, asked[i].Messages); d != "" {
				t.Errorf("%s: turn %d: %s", what, i+1, d)
			}
		}
	}
	turn := func(n int) func(*configs.Agent) { return func(a *configs.Agent) { a.WithholdTurn = n } }
	of := func(tools ...string) func(*configs.Agent) { return func(a *configs.Agent) { a.Withhold = tools } }
	check("the first turn", turn(1), 1)
	check("a complaint", turn(2), 2)
	check("a tool", of("FindShortestPath"), 1)
	check("all calls of a tool", of("ExecuteSQL"), 2, 3)
	check("two tools", of("ExecuteSQL", "FindShortestPath"), 1, 2, 3)
	check("a tool and a turn", func(a *configs.Agent) { a.Withhold, a.WithholdTurn = []string{"ExecuteSQL"}, 1 }, 1, 2, 3)
	if _, asked := w.told(t, agentArm(turn(9)), texts...); len(asked) != len(whole) || cmp.Diff(whole[3].Messages, asked[3].Messages) != "" {
		t.Error("a turn that the dialogue does not have changes it")
	}
}

// TestWithheldRedo: a dialogue that is begun again is whole.
func TestWithheldRedo(t *testing.T) {
	w := newStock(t)
	_, asked := w.told(t, agentArm(func(a *configs.Agent) { a.Redo, a.WithholdTurn = 1, 1 }), say(`ExecuteSQL("SELECT 1 WHERE 0")`), say("Done()"))
	if len(asked) != 4 || !strings.Contains(asked[1].Messages[3].Text, "not shown") || strings.Contains(asked[3].Messages[3].Text, "not shown") {
		t.Errorf("%d requests: %v", len(asked), asked)
	}
}
