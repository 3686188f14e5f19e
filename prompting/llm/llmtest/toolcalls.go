package llmtest

import (
	"context"
	"encoding/json"
	"testing"

	"assay/prompting/llm"

	"github.com/google/go-cmp/cmp"
)

var offered = []llm.Tool{
	{Name: "search_value", Description: "finds a value", Parameters: json.RawMessage(
		`{"type":"object","properties":{"text":{"type":"string","description":"what to look for"},"column":{"type":"string","enum":["a","b"]}},"required":["text"]}`)},
	{Name: "done"},
}

// tools calls two tools, answers them, and reads the answer.
func (c conformance) tools(t *testing.T) {
	s, m := c.start(t)
	r := Ask("CALL search_value {\"text\":\"é \\\"q\\\"\",\"column\":\"a\"}\nCALL done {}\nCALL unknown {}")
	r.Messages = append([]llm.Message{{Role: llm.System, Text: "be brief"}}, r.Messages...)
	r.Tools = offered
	resp := generate(t, m, r)
	if d := cmp.Diff(offered, s.Last().Asked.Tools); d != "" {
		t.Errorf("tools sent (-want +got):\n%s", d)
	}
	if resp.Text != "" || resp.Finish != llm.FinishTools || len(resp.ToolCalls) != 2 {
		t.Fatalf("response %+v", resp)
	}
	first, second := resp.ToolCalls[0], resp.ToolCalls[1]
	if first.Name != "search_value" || first.Arguments != `{"text":"é \"q\"","column":"a"}` || second.Name != "done" || second.Arguments != "{}" {
		t.Errorf("calls %+v", resp.ToolCalls)
	}
	if first.ID == "" || first.ID == second.ID {
		t.Errorf("ids %q and %q", first.ID, second.ID)
	}
	r.Messages = append(r.Messages, resp.Answered(), first.Answered("two rows"), second.Answered("bye"))
	if got := generate(t, m, r); got.Text != "result: bye" || got.Finish != "stop" || got.ToolCalls != nil {
		t.Errorf("after the results: %+v", got)
	}
	if d := cmp.Diff(c.seen(r.Messages[1:]), s.Last().Asked.Turns); d != "" {
		t.Errorf("turns (-want +got):\n%s", d)
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: "CALL done {}"})
	if again := generate(t, m, r).ToolCalls; len(again) != 1 || again[0].ID == first.ID || again[0].ID == second.ID {
		t.Errorf("a later call %+v", again)
	}
}

// seen returns turns as the server sees them: OpenAI's results name no tool, and Gemini's calls without an id get one.
func (c conformance) seen(turns []llm.Message) []llm.Message {
	out := append([]llm.Message(nil), turns...)
	for i := range out {
		switch c.kind {
		case OpenAI:
			out[i].Tool = ""
			continue
		case Anthropic:
			continue
		}
		out[i].CallID = ""
		out[i].Calls = append([]llm.ToolCall(nil), out[i].Calls...)
		for k := range out[i].Calls {
			out[i].Calls[k].ID = ""
		}
	}
	return out
}

// noTools checks answers in words, tool calls without ids, and invalid tools.
func (c conformance) noTools(t *testing.T) {
	s, m := c.start(t)
	s.NoIDs = true
	r := Ask("CALL done {}")
	if got := generate(t, m, r); got.Text != "CALL done {}" || got.ToolCalls != nil || s.Last().Asked.Tools != nil {
		t.Errorf("without tools: %+v", got)
	}
	r.Tools = offered
	if got := generate(t, m, r); len(got.ToolCalls) != 1 || got.ToolCalls[0].ID == "" {
		t.Errorf("a server without ids: %+v", got)
	}
	r.Messages[0].Text = "no call"
	if got := generate(t, m, r); got.Text != "no call" || got.Finish != "stop" {
		t.Errorf("an answer in words: %+v", got)
	}
	before := len(s.Calls())
	for _, bad := range [][]llm.Tool{{{Name: "two words"}}, {{Name: ""}}, {{Name: "a"}, {Name: "a"}}, {{Name: "a", Parameters: json.RawMessage(`[]`)}}, {{Name: "a", Parameters: json.RawMessage(`{`)}}} {
		r.Tools = bad
		if _, err := m.Generate(context.Background(), r); err == nil {
			t.Errorf("the tools %+v are taken", bad)
		}
	}
	if n := len(s.Calls()) - before; n != 0 {
		t.Errorf("%d calls with tools that are none", n)
	}
}

// logprobs checks the sum of log-probabilities.
func (c conformance) logprobs(t *testing.T) {
	s, m := c.start(t)
	r := Ask("SELECT 1 FROM t")
	if got := generate(t, m, r); got.Logprob != nil {
		t.Errorf("not asked for: %+v", got.Logprob)
	}
	c.counted(t, m)
	if w, ok := m.(llm.Warner); ok && len(w.Warnings()) != 0 {
		t.Errorf("warnings %q", w.Warnings())
	}
	s.NoLogprobs, r.Params.Logprobs = true, true
	if got := generate(t, m, r); got.Logprob != nil || got.Text != "SELECT 1 FROM t" {
		t.Errorf("a server that gives none: %+v", got)
	}
	if w, ok := m.(llm.Warner); !ok || len(w.Warnings()) != 1 {
		t.Error("there is no warning for a server that gives none")
	}
}
