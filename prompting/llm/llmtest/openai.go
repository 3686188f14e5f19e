package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/prompting/llm"
)

// openaiFormat follows OpenAI's API reference: chat/completions and embeddings.
var openaiFormat = format{
	parse:  parseOpenAI,
	answer: answerOpenAI,
	key: func(h http.Header) string {
		return cmp.Or(h.Get("api-key"), strings.TrimPrefix(h.Get("Authorization"), "Bearer "))
	}, // Azure has the first
	tooLong: [2]string{"context_length_exceeded", "The model's maximum context length is exceeded."},
	refusal: func(status int, code, message string, _ time.Duration) []byte {
		kind := "invalid_request_error"
		if status >= 500 {
			kind = "server_error"
		}
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
		return b
	},
}

type openaiCall struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func openaiCalls(s *Server, a Asked, choice int) (out []openaiCall) {
	for i, c := range called(a) {
		call := openaiCall{Type: "function"}
		if !s.NoIDs {
			call.ID = fmt.Sprintf("call_%d_%d_%d", len(a.Turns), choice, i)
		}
		call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
		out = append(out, call)
	}
	return out
}

func openaiLogprobs(s *Server, a Asked, text string) any {
	if !a.Logprobs || s.NoLogprobs {
		return nil
	}
	content := make([]any, tokens(text))
	for i := range content {
		content[i] = map[string]any{"token": "x", "logprob": logprob, "bytes": nil, "top_logprobs": []any{}}
	}
	return map[string]any{"content": content, "refusal": nil}
}

// parseOpenAI parses a request; false for an unknown path or body.
func parseOpenAI(path string, body []byte) (Asked, bool) {
	var r struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string       `json:"role"`
			Content string       `json:"content"`
			Calls   []openaiCall `json:"tool_calls"`
			CallID  string       `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Type     string   `json:"type"`
			Function llm.Tool `json:"function"`
		} `json:"tools"`
		Logprobs    bool     `json:"logprobs"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		TopK        *int     `json:"top_k"`
		MaxTokens   int      `json:"max_tokens"`
		Stop        []string `json:"stop"`
		Seed        *int64   `json:"seed"`
		N           int      `json:"n"`
		Input       []string `json:"input"`
		Dimensions  int      `json:"dimensions"`
	}
	if json.Unmarshal(body, &r) != nil {
		return Asked{}, false
	}
	a := Asked{Model: r.Model, Temperature: r.Temperature, TopP: r.TopP, TopK: r.TopK, MaxTokens: r.MaxTokens,
		Stop: r.Stop, Seed: r.Seed, N: r.N, Embed: r.Input, Dimensions: r.Dimensions, Logprobs: r.Logprobs}
	for _, t := range r.Tools {
		if t.Type != "function" {
			return Asked{}, false
		}
		a.Tools = append(a.Tools, t.Function)
	}
	var system []string
	for _, m := range r.Messages {
		if m.Role == "system" {
			system = append(system, m.Content)
		} else {
			turn := llm.Message{Role: llm.Role(m.Role), Text: m.Content, CallID: m.CallID}
			for _, c := range m.Calls {
				turn.Calls = append(turn.Calls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
			a.Turns = append(a.Turns, turn)
		}
	}
	a.System = strings.Join(system, "\n\n")
	return a, path == "/v1/chat/completions" && len(r.Messages) > 0 || path == "/v1/embeddings" && len(r.Input) > 0
}

// answerOpenAI returns the answer to a request, to be encoded as JSON.
func answerOpenAI(s *Server, a Asked) any {
	if len(a.Embed) > 0 {
		data := make([]any, len(a.Embed))
		for i, t := range a.Embed { // backwards, so that a client must go by the index
			data[len(data)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": Vector(t, a.Dimensions)}
		}
		n := tokens(strings.Join(a.Embed, ""))
		return map[string]any{"object": "list", "model": a.Model + "-001", "data": data, "usage": map[string]any{"prompt_tokens": n, "total_tokens": n}}
	}
	return openaiDoc(s, a, "chat.completion", func(i int, text, finish string) map[string]any {
		message := map[string]any{"role": "assistant", "content": text, "refusal": nil}
		if finish == "tools" {
			finish, message["content"], message["tool_calls"] = "tool_calls", nil, openaiCalls(s, a, i)
		}
		return map[string]any{"index": i, "finish_reason": finish, "logprobs": openaiLogprobs(s, a, text), "message": message}
	})
}

// openaiDoc returns an answer whose choices write makes of number, text and finish reason.
func openaiDoc(s *Server, a Asked, object string, write func(i int, text, finish string) map[string]any) any {
	n := max(a.N, 1)
	if s.IgnoreN {
		n = 1
	}
	out := 0
	choices := make([]any, n)
	for i := range choices {
		text, finish := reply(s, a, i)
		out += tokens(text)
		if finish == "blocked" {
			finish = "content_filter"
		}
		choices[i] = write(i, text, finish)
	}
	in := promptTokens(a)
	doc := map[string]any{"id": fmt.Sprintf("cmpl-%d", in), "object": object, "created": 1700000000,
		"model": a.Model + "-001", "choices": choices,
		"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}}
	if !s.IgnoreSeed {
		doc["system_fingerprint"] = "fp_test"
	}
	return doc
}
