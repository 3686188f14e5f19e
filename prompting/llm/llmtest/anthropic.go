package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"assay/prompting/llm"
)

// anthropicFormat follows Anthropic's API reference: messages and messages/count_tokens. It refuses what the API is
// documented to refuse: a request without max_tokens, a tool without a schema, a text of white space, roles that do not take
// turns, a call without its result, an id with other letters.
var anthropicFormat = format{
	parse:   parseAnthropic,
	answer:  answerAnthropic,
	key:     func(h http.Header) string { return h.Get("X-Api-Key") },
	tooLong: [2]string{"invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"},
	refusal: func(status int, _, message string, _ time.Duration) []byte {
		b, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": anthropicWord(status), "message": message}, "request_id": "req_test"})
		return b
	},
}

// anthropicWord returns the documented type of an error with that status.
func anthropicWord(status int) string {
	words := map[int]string{401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error"}
	switch word := words[status]; {
	case word != "":
		return word
	case status >= 500:
		return "api_error"
	}
	return "invalid_request_error"
}

// anthropicID is what ids of calls may be.
var anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

type anthropicText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type anthropicBlock struct {
	anthropicText
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"`
	Content []anthropicText `json:"content"`
}

type anthropicRequest struct {
	Model    string          `json:"model"`
	System   []anthropicText `json:"system"`
	Messages []struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	TopK        *int     `json:"top_k"`
	Stop        []string `json:"stop_sequences"`
}

// parseAnthropic parses a request; false for an unknown path or body.
func parseAnthropic(path string, body []byte) (Asked, bool) {
	var r anthropicRequest
	if json.Unmarshal(body, &r) != nil {
		return Asked{}, false
	}
	a := Asked{Model: r.Model, Temperature: r.Temperature, TopP: r.TopP, TopK: r.TopK, MaxTokens: r.MaxTokens, Stop: r.Stop,
		Count: path == "/v1/messages/count_tokens"}
	for _, t := range r.Tools {
		tool := llm.Tool{Name: t.Name, Description: t.Description}
		if len(t.Schema) == 0 {
			return Asked{}, false
		}
		if string(t.Schema) != `{"type":"object"}` {
			tool.Parameters = t.Schema
		}
		a.Tools = append(a.Tools, tool)
	}
	var system []string
	for _, t := range r.System {
		system = append(system, t.Text)
	}
	a.System = strings.Join(system, "\n\n")
	ok := r.turns(&a)
	return a, ok && (a.Count || path == "/v1/messages" && r.MaxTokens > 0)
}

// turns adds the conversation: a turn per text or result of the user's, and one per message of the model's. ok is false
// for a conversation that the API refuses.
func (r anthropicRequest) turns(a *Asked) (ok bool) {
	open := map[string]string{} // calls without a result: id to name
	for i, m := range r.Messages {
		if i > 0 && m.Role == r.Messages[i-1].Role || len(m.Content) == 0 {
			return false
		}
		said := llm.Message{Role: llm.Assistant}
		for _, b := range m.Content {
			text := strings.TrimSpace(b.Text) != ""
			switch {
			case b.Type == "text" && text && m.Role == "user":
				a.Turns = append(a.Turns, llm.Message{Role: llm.User, Text: b.Text})
			case b.Type == "text" && text:
				said.Text += b.Text
			case b.Type == "tool_use" && anthropicID.MatchString(b.ID):
				open[b.ID] = b.Name
				said.Calls = append(said.Calls, llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
			case b.Type == "tool_result" && open[b.CallID] != "":
				a.Turns = append(a.Turns, b.result(open[b.CallID]))
				delete(open, b.CallID)
			default:
				return false
			}
		}
		if m.Role == "assistant" {
			a.Turns = append(a.Turns, said)
		} else if len(open) > 0 {
			return false
		}
	}
	return len(r.Messages) > 0
}

func (b anthropicBlock) result(tool string) llm.Message {
	m := llm.Message{Role: llm.ToolResult, CallID: b.CallID, Tool: tool}
	for _, c := range b.Content {
		m.Text += c.Text
	}
	return m
}

// answerAnthropic returns the answer to a request, to be encoded as JSON.
func answerAnthropic(s *Server, a Asked) any {
	if a.Count {
		return map[string]any{"input_tokens": promptTokens(a)}
	}
	text, finish := reply(s, a, 0)
	content := []any{}
	if text != "" {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	if finish == "tools" {
		for i, c := range called(a) {
			use := map[string]any{"type": "tool_use", "name": c.Name, "input": json.RawMessage(c.Arguments)}
			if !s.NoIDs {
				use["id"] = fmt.Sprintf("toolu_%d_%d", len(a.Turns), i)
			}
			content = append(content, use)
		}
	}
	reason := map[string]string{"stop": "end_turn", "tools": "tool_use", "length": "max_tokens", "blocked": "refusal"}[finish]
	return map[string]any{"id": "msg_test", "type": "message", "role": "assistant", "model": a.Model + "-001", "content": content,
		"stop_reason": reason, "stop_sequence": nil, "usage": map[string]any{"input_tokens": promptTokens(a),
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": tokens(text), "service_tier": "standard"}}
}
