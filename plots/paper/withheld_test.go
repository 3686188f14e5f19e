package paper

import (
	"strings"
	"testing"

	"assay/experiments/record"
	"assay/metrics"
)

// withheldRun is an agent over three items, and the same with one turn, or one tool, withheld; worked by hand.
func withheldRun(t *testing.T) *record.Run {
	t.Helper()
	e := experiment(t, "[0]", "kind = \"sample\"", `[[arm]]
name = "all"
method = "interactive"
[[arm]]
name = "turn-1"
method = "interactive"
agent.withhold_turn = 1
[[arm]]
name = "turn-2"
method = "interactive"
agent.withhold_turn = 2
[[arm]]
name = "no-column"
method = "interactive"
agent.withhold = ["SearchColumn"]
[[arm]]
name = "other"
method = "interactive"
agent.turns = 3
agent.withhold_turn = 1
`)
	r := &record.Run{Resolved: e, Manifest: record.Manifest{ID: "0123456789", Experiment: "demo", Complete: true, Dataset: "sample/dev", Items: 3,
		Metrics: []record.Metric{{ID: "ex"}}}}
	// Right, by arm and item; the query is the arm's own where wrong.
	right := map[string][3]bool{"all": {true, true, false}, "turn-1": {false, true, false}, "turn-2": {true, true, true}, "no-column": {false, true, false}, "other": {}}
	for i, id := range []string{"sample/dev/1", "sample/dev/2", "sample/dev/3"} {
		r.Questions = append(r.Questions, record.Question{Item: id, DB: "ferry", Gold: "SELECT 1"})
		for _, arm := range []string{"all", "turn-1", "turn-2", "no-column", "other"} {
			it := record.Item{Item: id, DB: "ferry", Arm: arm, Status: metrics.Wrong, SQL: "SELECT 2", Values: []record.Value{{OK: true}}}
			if right[arm][i] {
				it.Status, it.SQL, it.Values[0].V = metrics.Correct, "SELECT  1", 1
			}
			r.Items = append(r.Items, it)
			for n, note := range []string{"SearchColumn('x')", "ExecuteSQL('SELECT 1')", "Done() (end: done)"} {
				r.Calls = append(r.Calls, record.Call{Item: id, Arm: arm, Stage: []string{"turn 1", "turn 2", "turn 3"}[n], Note: note, Observation: "seen", PromptTokens: record.CountOf(10 * (n + 1))})
			}
		}
	}
	return r
}

func TestWithheld(t *testing.T) {
	check := func(r *record.Run, begins string, want map[string]string) {
		t.Helper()
		row := csvRow(t, r, "withheld", begins)
		for h, w := range want {
			if row[h] != w {
				t.Errorf("%s: %s is %q, want %q in %v", begins, h, row[h], w, row)
			}
		}
	}
	r := withheldRun(t)
	check(r, "all,one call,SearchColumn,", map[string]string{"dialogues": "3", "right_lost": "1", "right_found": "0", "other_query_pct": "33.333333333333336", "points": "-33.33333333333333", "idle_tokens_pct": "66.66666666666667"})
	check(r, "all,one call,ExecuteSQL,", map[string]string{"dialogues": "3", "right_lost": "0", "right_found": "1", "points": "33.33333333333333"})
	check(r, "all,one call,all,", map[string]string{"dialogues": "6", "right_lost": "1", "right_found": "1", "changed_pct": "33.333333333333336", "points": "0"})
	check(r, "all,each call,SearchColumn,", map[string]string{"dialogues": "3", "right_lost": "1"})
	r.Items[1].Status = metrics.ModelError // of turn-1: the ledger does not have the rest of the dialogue
	check(r, "all,one call,SearchColumn,", map[string]string{"dialogues": "2", "right_lost": "0"})
	if got := said(t, r, "withheld"); !strings.Contains(got, "1 pair has an answer that could not be scored") {
		t.Error(got)
	}
	// Two runs joined have each arm twice, with seeds of their own.
	r = withheldRun(t)
	for _, a := range r.Resolved.Arms {
		a.Name += "-2"
		r.Resolved.Arms = append(r.Resolved.Arms, a)
	}
	for _, it := range r.Items {
		it.Arm, it.Seed = it.Arm+"-2", 1
		r.Items = append(r.Items, it)
	}
	for _, c := range r.Calls {
		c.Arm, c.Seed = c.Arm+"-2", 1
		r.Calls = append(r.Calls, c)
	}
	for _, arm := range []string{"all (all)", "all (all-2)"} {
		check(r, arm+",one call,all,", map[string]string{"dialogues": "6", "right_lost": "1"})
	}
	r = withheldRun(t)
	r.Calls = nil
	if rep, err := Make(r, Options{Names: []string{"withheld"}}); err != nil || len(rep.Outputs) > 0 && len(rep.Outputs[0].Table.Rows) > 0 {
		t.Errorf("a run without calls: %v", err)
	}
	r = withheldRun(t)
	r.Resolved.Arms = r.Resolved.Arms[1:]
	if rep, err := Make(r, Options{Names: []string{"withheld"}}); err != nil || len(rep.Missing) != 1 || !strings.Contains(rep.Missing[0].Err.Error(), "agent.withhold") {
		t.Errorf("a run without the arm that withholds nothing: %v", err)
	}
}
