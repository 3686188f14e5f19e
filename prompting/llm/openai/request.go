package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// owned are the fields of a request that [llm.Request] sets itself, or whose answers this package does not read.
var owned = []string{"model", "messages", "prompt", "echo", "temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "stop",
	"seed", "n", "stream", "stream_options", "logprobs", "tools", "functions"}

// post sends a body as JSON to a path below the base URL, or sends a GET if the body is nil. call receives the answer
// or the error of the exchange; the returned error is that of a request that could not be written.
func (c *Client) post(ctx context.Context, path string, body map[string]any, call *wire.Call) error {
	return c.send(ctx, c.base+path+c.tail, body, call)
}

// send is post to a whole address.
func (c *Client) send(ctx context.Context, address string, body map[string]any, call *wire.Call) error {
	method, raw := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		method = http.MethodPost
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(wire.With(ctx, call), method, address, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// build returns the request for n completions of a server's kind. newer sends the bound on tokens as
// max_completion_tokens.
func build(s Server, r llm.Request, n int, newer bool) (map[string]any, error) {
	p := r.Params
	body := map[string]any{"model": r.Model}
	if !p.DefaultTemperature {
		body["temperature"] = p.Temperature
	}
	to, known := endpoints[p.API]
	if !known {
		return nil, fmt.Errorf("there is no API %q", p.API)
	}
	if err := to.write(r, body); err != nil {
		return nil, err
	}
	if p.TopP != nil {
		body["top_p"] = *p.TopP
	}
	if p.TopK != nil {
		body["top_k"] = *p.TopK
	}
	if p.MaxTokens > 0 && newer {
		body["max_completion_tokens"] = p.MaxTokens
	} else if p.MaxTokens > 0 {
		body["max_tokens"] = p.MaxTokens
	}
	if len(p.Stop) > 0 {
		body["stop"] = p.Stop
	}
	if seed := r.SentSeed(); seed != nil {
		body["seed"] = *seed
	}
	if n > 1 {
		body["n"] = n
	}
	for name, v := range p.Extra {
		if name == "" || slices.Contains(owned, name) {
			return nil, fmt.Errorf("the extra parameter %q has a field of its own, or no name", name)
		}
		body[name] = v
	}
	return body, s.reason(p, body)
}

// reason adds how much the model may reason.
func (s Server) reason(p llm.Params, body map[string]any) error {
	if p.Reasoning == "" {
		return nil
	}
	field, value := s.Effort, any(p.Reasoning)
	if tokens, isBudget := p.Budget(); isBudget {
		field, value = s.Budget, tokens
	}
	if field == "" {
		return fmt.Errorf("reasoning %q cannot be sent to a server of the kind %s", p.Reasoning, s.ID)
	}
	name, entry, inTable := strings.Cut(field, ".")
	if !inTable {
		entry = ""
	}
	return put(body, name, entry, value)
}

// put sets a field, or the entry of a field that is a table. What Extra has of that table is copied and kept, and may not
// have the entry.
func put(body map[string]any, name, entry string, value any) error {
	had, has := body[name]
	if entry == "" && !has {
		body[name] = value
		return nil
	}
	table, isTable := had.(map[string]any)
	if _, twice := table[entry]; entry == "" || has && !isTable || twice {
		return fmt.Errorf("the extra parameter %q is sent as the reasoning says", name)
	}
	table = maps.Clone(table)
	if table == nil {
		table = map[string]any{}
	}
	table[entry] = value
	body[name] = table
	return nil
}

// function is a tool as it is sent. Its parameters keep their order, because models read them in it.
type function struct {
	Type     string   `json:"type"`
	Function llm.Tool `json:"function"`
}

// functions returns the tools as they are sent.
func functions(tools []llm.Tool) []function {
	out := make([]function, len(tools))
	for i, t := range tools {
		out[i] = function{"function", t}
	}
	return out
}

// message is a turn as it is sent. An assistant's turn that only calls tools has no content.
type message struct {
	Role    string     `json:"role"`
	Content *string    `json:"content,omitempty"`
	Calls   []sentCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

type sentCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function sentFunction `json:"function"`
}

type sentFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// messages returns the conversation as it is sent.
func messages(in []llm.Message) ([]message, error) {
	if n := len(in); n == 0 || in[n-1].Role != llm.User && in[n-1].Role != llm.ToolResult {
		return nil, errors.New("the last message is not the user's, nor a tool's result")
	}
	out := make([]message, len(in))
	for i, m := range in {
		out[i] = message{Role: string(m.Role), Content: &m.Text, CallID: m.CallID}
		switch m.Role {
		case llm.System, llm.User, llm.ToolResult:
		case llm.Assistant:
			for _, c := range m.Calls {
				out[i].Calls = append(out[i].Calls, sentCall{c.ID, "function", sentFunction{c.Name, c.Arguments}})
			}
			if len(m.Calls) > 0 && m.Text == "" {
				out[i].Content = nil
			}
		default:
			return nil, fmt.Errorf("message %d has the unknown role %q", i, m.Role)
		}
	}
	return out, nil
}
