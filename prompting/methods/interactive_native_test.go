package methods_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

// caller is a model that calls functions: the calls of each turn, and the text beside them.
type caller struct {
	turns [][]llm.ToolCall
	text  string
	asked []llm.Request
}

func (c *caller) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	c.asked = append(c.asked, r)
	n := 0
	for _, m := range r.Messages {
		if m.Role == llm.Assistant {
			n++
		}
	}
	return llm.Response{Text: c.text, ToolCalls: c.turns[min(n, len(c.turns)-1)], Finish: llm.FinishTools}, nil
}

func called(id, name string, args map[string]any) llm.ToolCall {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return llm.ToolCall{ID: id, Name: name, Arguments: string(b)}
}

// TestNative: the tools are offered as functions, and each call of a turn gets a result of its own.
func TestNative(t *testing.T) {
	w := newStock(t)
	model := &caller{text: "I count.", turns: [][]llm.ToolCall{
		{called("1", "FindShortestPath", map[string]any{"start": "customers", "end": []string{"orders"}}), called("2", "Done", nil)},
		{called("3", "ExecuteSQL", map[string]any{"sql": "SELECT count(*) FROM bakers"})},
		{called("4", "Done", nil)},
	}}
	m, err := generator(w.deps(model), agentArm(func(a *configs.Agent) { a.Native = true; a.Off = []string{"SearchValue"} }), 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "How many bakers are there?"))
	if err != nil || a.Candidates[0].SQL != "SELECT count(*) FROM bakers" || a.Candidates[0].Rule != "last-sql" {
		t.Fatalf("got %+v, %v", a.Candidates, err)
	}
	var names []string
	for _, f := range model.asked[0].Tools {
		names = append(names, f.Name)
	}
	if d := cmp.Diff([]string{"SearchColumn", "FindShortestPath", "ExecuteSQL", "Done"}, names); d != "" {
		t.Error(d)
	}
	if err := llm.CheckTools(model.asked[0].Tools); err != nil {
		t.Error(err)
	}
	last := model.asked[2].Messages
	want := []llm.Message{
		{Role: llm.Assistant, Text: "I count.", Calls: model.turns[0]},
		{Role: llm.ToolResult, Text: "customers.customer_id = orders.customer_id", CallID: "1", Tool: "FindShortestPath"},
		{Role: llm.ToolResult, Text: "Not performed: one action a turn.", CallID: "2", Tool: "Done"},
		{Role: llm.Assistant, Text: "I count.", Calls: model.turns[1]},
		{Role: llm.ToolResult, Text: "[(6,)]", CallID: "3", Tool: "ExecuteSQL"},
	}
	if d := cmp.Diff(want, last[2:]); d != "" {
		t.Errorf("what the third turn saw (-want +got):\n%s", d)
	}
	if text := last[0].Text; strings.Contains(text, "Thought: what is known") || strings.Contains(text, "SearchValue") {
		t.Errorf("the instruction:\n%s", text)
	}
}

// TestNativeTroubles: calls of what is not there, arguments that are no JSON, no call at all, the same call again.
func TestNativeTroubles(t *testing.T) {
	w := newStock(t)
	check := func(what, note, rule string, turns ...[]llm.ToolCall) {
		t.Helper()
		model := &caller{turns: turns}
		m, err := generator(w.deps(model), agentArm(func(a *configs.Agent) { a.Native = true }), 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Answer(context.Background(), w.question(t, "bakery_orders", "?"))
		if err != nil || a.Trace[len(a.Trace)-1].Note != note || a.Candidates[0].Rule != rule {
			t.Errorf("%s: %+v, %+v, %v", what, a.Trace[len(a.Trace)-1], a.Candidates, err)
		}
	}
	one := called("1", "ExecuteSQL", map[string]any{"sql": "SELECT 1"})
	check("no call", "the answer is empty but for the call of a tool that was not offered, or cannot be read; no action (end: repeated)", "none", nil)
	check("no such tool", "DropTable(x='1') (end: repeated)", "none", []llm.ToolCall{called("1", "DropTable", map[string]any{"x": "1"})})
	check("no JSON", "no action (end: repeated)", "none", []llm.ToolCall{{ID: "1", Name: "ExecuteSQL", Arguments: "{sql:"}})
	check("the same again", "ExecuteSQL('SELECT 1') (end: repeated)", "last-sql, repeated", []llm.ToolCall{one}, []llm.ToolCall{one})
	check("another, then done", "Done() (end: done)", "last-sql", []llm.ToolCall{one}, []llm.ToolCall{called("2", "Done", nil)})
}
