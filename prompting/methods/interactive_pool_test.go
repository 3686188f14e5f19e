package methods_test

import (
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/methodtest"
)

// TestDialoguesOfThePool: with agent.family = "pool" the prompt shows the dialogues of the demonstrations that are drawn, and
// there must be as many as agent.demos says.
func TestDialoguesOfThePool(t *testing.T) {
	w := newStock(t)
	demos := methodtest.Pool(6).Demos()
	check := func(k int, want string) {
		t.Helper()
		pool, err := exemplar.NewPool(demos)
		if err != nil {
			t.Fatal(err)
		}
		m := &llm.Scripted{Reply: always(say("Done()"))}
		d := w.deps(m)
		d.Pool = pool
		arm := agentArm(func(a *configs.Agent) { a.Family, a.Demos = configs.PoolFamily, 2 })
		arm.Exemplars.K = k
		method, err := generator(d, arm, 0)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if _, err = method.Answer(t.Context(), w.question(t, "city_library", "How many books are there?")); err != nil {
			said = err.Error()
		} else {
			said = methodtest.Text(m.Asked()[0].Messages)
		}
		if !strings.Contains(said, want) {
			t.Errorf("k %d: no %q in\n%s", k, want, said)
		}
	}
	check(4, "0 of the demonstrations drawn have a dialogue, and agent.demos is 2")
	for i := range demos {
		demos[i].Dialogue = []exemplar.Turn{{Thought: "I count.", Action: `ExecuteSQL("SELECT 1")`, Observation: "[(1,)]"}, {Thought: "So be it.", Action: "Done()"}}
	}
	check(4, "Thought: I count.\nAction: ExecuteSQL(\"SELECT 1\")")
	check(1, "1 of the demonstrations drawn have a dialogue, and agent.demos is 2")
}
