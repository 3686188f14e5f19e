package llmtest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"assay/prompting/llm"
)

// plainFormat follows OpenAI's API reference: completions. Errors and embeddings are those of conversations.
var plainFormat = func() format {
	f := openaiFormat
	f.parse, f.answer = parsePlain, answerPlain
	return f
}()

// chatOnly are fields that plain completions do not have.
var chatOnly = []string{"messages", "tools", "max_completion_tokens"}

// parsePlain parses a request. The prompt becomes the one turn.
func parsePlain(path string, body []byte) (Asked, bool) {
	if path != "/v1/completions" {
		return parseOpenAI(path, body)
	}
	var fields map[string]json.RawMessage
	var own struct {
		Prompt   *string `json:"prompt"`
		Logprobs *int    `json:"logprobs"` // a number here: of alternatives
	}
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(body, &own) != nil || own.Prompt == nil {
		return Asked{}, false
	}
	if slices.ContainsFunc(chatOnly, func(name string) bool { return fields[name] != nil }) {
		return Asked{}, false
	}
	delete(fields, "logprobs")
	rest, err := json.Marshal(fields)
	if err != nil {
		return Asked{}, false
	}
	a, _ := parseOpenAI(path, rest)
	a.Turns = []llm.Message{{Role: llm.User, Text: *own.Prompt}}
	a.Logprobs = own.Logprobs != nil && *own.Logprobs > 0
	return a, true
}

// answerPlain returns the answer to a request, to be encoded as JSON.
func answerPlain(s *Server, a Asked) any {
	if len(a.Embed) > 0 {
		return answerOpenAI(s, a)
	}
	return openaiDoc(s, a, "text_completion", func(i int, text, finish string) map[string]any {
		return map[string]any{"index": i, "finish_reason": finish, "logprobs": plainLogprobs(s, a, text), "text": text}
	})
}

func plainLogprobs(s *Server, a Asked, text string) any {
	if !a.Logprobs || s.NoLogprobs || s.AsInChat {
		return openaiLogprobs(s, a, text)
	}
	n := tokens(text)
	return map[string]any{"tokens": slices.Repeat([]string{"x"}, n), "token_logprobs": slices.Repeat([]float64{logprob}, n),
		"top_logprobs": slices.Repeat([]map[string]float64{{"y": logprob / 2}}, n), "text_offset": slices.Repeat([]int{0}, n)}
}

// plain checks the text that is made of messages, and log-probabilities as llama.cpp writes them.
func (c conformance) plain(t *testing.T) {
	s, m := c.start(t)
	check := func(what, want string, messages ...llm.Message) {
		t.Helper()
		r := Ask("")
		r.Messages = messages
		generate(t, m, r)
		if got := s.Last().Asked.Turns[0].Text; got != want {
			t.Errorf("%s: the prompt is %q, want %q", what, got, want)
		}
	}
	user := func(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }
	cue := " \nQ: é \"x\" <b>\r\nA: SELECT"
	check("one message", cue, user(cue))
	check("no text", "", user(""))
	check("an instruction", "be brief\n\none", llm.Message{Role: llm.System, Text: "be brief"}, user("one"))
	check("several turns", "one\n\ntwo\n\nthree", user("one"), llm.Message{Role: llm.Assistant, Text: "two"}, user("three"))

	refused := func(what string, change func(*llm.Request)) {
		t.Helper()
		r, before := Ask("x"), len(s.Calls())
		change(&r)
		if _, err := m.Generate(context.Background(), r); err == nil || len(s.Calls()) != before {
			t.Errorf("%s: %v after %d calls", what, err, len(s.Calls())-before)
		}
	}
	refused("no message", func(r *llm.Request) { r.Messages = nil })
	refused("the model's turn last", func(r *llm.Request) { r.Messages[0].Role = llm.Assistant })
	refused("tools", func(r *llm.Request) { r.Tools = offered })
	refused("a tool's result", func(r *llm.Request) {
		r.Messages = []llm.Message{{Role: llm.ToolResult, Text: "x", CallID: "1"}, r.Messages[0]}
	})
	s.AsInChat = true
	c.counted(t, m)
}

// counted checks the sum of log-probabilities.
func (c conformance) counted(t *testing.T, m llm.Model) {
	t.Helper()
	r := Ask("SELECT 1 FROM t")
	r.Params.Logprobs = true
	if got := generate(t, m, r); got.Logprob == nil || *got.Logprob != (llm.Logprob{Total: 4 * logprob, Tokens: 4}) || got.Logprob.Mean() != logprob {
		t.Errorf("log-probabilities %+v", got.Logprob)
	}
}
