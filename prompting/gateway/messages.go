package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"assay/prompting/llm"
)

// anthropicProvider is the provider whose own parameters have Anthropic's form.
const anthropicProvider = "anthropic"

// toolChoice is the field by which both APIs say whether a tool must be called, each in a form of its own.
const toolChoice = "tool_choice"

// messages answers /v1/messages.
func (c *call) messages() error {
	f, err := object(c.body)
	if err != nil {
		return err
	}
	o, how, err := c.message(f)
	if err != nil {
		return err
	}
	got, err := c.exchange.ask(c.r.Context(), o)
	if err != nil {
		return err
	}
	messageReply(c, got[0], o, how)
	return nil
}

// countTokens answers /v1/messages/count_tokens with an estimate.
func (c *call) countTokens() error {
	f, err := object(c.body)
	if err != nil {
		return err
	}
	o, _, err := c.message(f)
	if err != nil {
		return err
	}
	c.exchange.warn("the tokens of a prompt were asked for, and estimated at four characters per token")
	sendJSON(c.w, http.StatusOK, map[string]any{"input_tokens": llm.EstimateUsage(o.request, "").PromptTokens})
	return nil
}

// message reads a request of Anthropic's API, under the session's settings.
func (c *call) message(f *fields) (o order, how manner, err error) {
	e := c.exchange
	if o, err = c.begun(f); err != nil {
		return o, how, err
	}
	p := &o.request.Params
	p.API = ""
	if n, ok := whole(f, "max_tokens"); ok {
		p.MaxTokens = tokens(f, "max_tokens", n)
	}
	stop(p, f, "stop_sequences")
	how.stream, _ = take[bool](f, "stream")
	thinking(p, f)
	for _, name := range []string{"metadata", "service_tier"} {
		e.drop(f, name)
	}
	f.refuse("servers of tools are not called", "mcp_servers", "container")
	if c.r.Header.Get("Anthropic-Beta") != "" {
		e.warn("the header anthropic-beta is not sent")
	}
	system, _ := take[json.RawMessage](f, "system")
	turns, _ := take[[]messageTurn](f, "messages")
	tools, _ := take[[]messageTool](f, "tools")
	if err := e.finish(&o, f); err != nil {
		return o, how, err
	}
	if o.request.Messages, err = e.turns(system, turns); err != nil {
		return o, how, err
	}
	o.request.Tools, err = e.messageTools(tools)
	return o, how, err
}

// thinking reads how much the model may reason. What has no such meaning stays among the fields that are sent on.
func thinking(p *llm.Params, f *fields) {
	var t struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	}
	if raw, ok := f.of["thinking"]; ok && json.Unmarshal(raw, &t) == nil {
		switch {
		case t.Type == "enabled" && t.Budget > 0:
			p.Reasoning = strconv.Itoa(t.Budget)
			delete(f.of, "thinking")
		case t.Type == "disabled":
			p.Reasoning = "none"
			delete(f.of, "thinking")
		}
	}
	var config map[string]string // of an effort alone
	if raw, ok := f.of["output_config"]; ok && json.Unmarshal(raw, &config) == nil && len(config) == 1 && config["effort"] != "" {
		p.Reasoning = config["effort"]
		delete(f.of, "output_config")
		if t.Type == "adaptive" { // an effort says as much
			delete(f.of, "thinking")
		}
	}
	for _, own := range []string{"thinking", "output_config"} { // in place of what the arm says
		if _, ok := f.of[own]; ok {
			p.Reasoning = ""
		}
	}
}

// messageTurn is a message of Anthropic's API.
type messageTurn struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// block is a part of a message in Anthropic's API, as it is received.
type block struct {
	Type    string          `json:"type"`
	Text    *string         `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
	Cache   json.RawMessage `json:"cache_control"`
}

// blocks reads a content: a text is one block.
func (e *Exchange) blocks(raw json.RawMessage) ([]block, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: &text}}, nil
	}
	var out []block
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("a content is neither text nor a list of blocks")
	}
	for _, b := range out {
		if b.Cache != nil {
			e.warn("cache_control is not sent: it decides nothing of a completion")
		}
	}
	return out, nil
}

// turns returns a conversation as messages.
func (e *Exchange) turns(system json.RawMessage, in []messageTurn) (out []llm.Message, err error) {
	if len(system) > 0 {
		blocks, err := e.blocks(system)
		if err != nil {
			return nil, bad("system", err.Error())
		}
		text, err := textOf(blocks)
		if err != nil {
			return nil, bad("system", err.Error())
		}
		out = append(out, llm.Message{Role: llm.System, Text: text})
	}
	for i, t := range in {
		at := fmt.Sprintf("messages[%d]", i)
		blocks, err := e.blocks(t.Content)
		switch {
		case err != nil:
		case t.Role == "user":
			out, err = e.fromUser(out, blocks)
		case t.Role == "assistant":
			out, err = e.fromAssistant(out, blocks)
		default:
			err = fmt.Errorf("the role %q is neither user nor assistant", clip(t.Role))
		}
		if err != nil {
			return nil, bad(at, err.Error())
		}
	}
	return out, ends(out)
}

// textOf joins the texts of blocks, each on lines of its own.
func textOf(blocks []block) (string, error) {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		if b.Type != "text" || b.Text == nil {
			return "", noText(b.Type)
		}
		texts[i] = *b.Text
	}
	return strings.Join(texts, "\n"), nil
}

// fromUser adds a user's turn: the results of tools, each a message of its own, and the texts between them.
func (e *Exchange) fromUser(out []llm.Message, blocks []block) ([]llm.Message, error) {
	var texts []block
	flush := func() error {
		if len(texts) == 0 {
			return nil
		}
		text, err := textOf(texts)
		out, texts = append(out, llm.Message{Role: llm.User, Text: text}), nil
		return err
	}
	for _, b := range blocks {
		if b.Type != "tool_result" {
			texts = append(texts, b)
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
		text, err := content(b.Content)
		if err != nil {
			return nil, err
		}
		if b.IsError {
			e.warn("is_error is not sent with the result of a tool")
		}
		m, err := answered(out, b.CallID, text)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	err := flush()
	return out, err
}

// fromAssistant adds an assistant's turn. Its thinking is not sent: what a provider needs of it comes with the tools that it
// called.
func (e *Exchange) fromAssistant(out []llm.Message, blocks []block) ([]llm.Message, error) {
	m := llm.Message{Role: llm.Assistant}
	var texts []block
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			var args bytes.Buffer
			if err := json.Compact(&args, b.Input); err != nil {
				return nil, fmt.Errorf("the call of the tool %q has no input", clip(b.Name))
			}
			m.Calls = append(m.Calls, e.recalled(llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: args.String()}))
		case "thinking", "redacted_thinking":
		default:
			texts = append(texts, b)
		}
	}
	var err error
	m.Text, err = textOf(texts)
	return append(out, m), err
}

// messageTool is a tool of Anthropic's API.
type messageTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       json.RawMessage `json:"cache_control"`
}

// messageTools returns the tools that a model may call.
func (e *Exchange) messageTools(in []messageTool) (out []llm.Tool, err error) {
	for _, t := range in {
		if t.Type != "" && t.Type != "custom" {
			return nil, bad("tools", fmt.Sprintf("a tool of type %q: only functions of the client can be called", clip(t.Type)))
		}
		if t.Cache != nil {
			e.warn("cache_control is not sent: it decides nothing of a completion")
		}
		out = append(out, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	return out, checkTools(out)
}

// chosen returns a choice of tools in the form of the provider that is asked, from that of either API.
func chosen(choice any, forAnthropic bool) any {
	word, named := "", ""
	switch c := choice.(type) {
	case string: // of OpenAI's
		word = c
	case map[string]any:
		word, _ = c["type"].(string)
		named, _ = c["name"].(string)
		if f, ok := c["function"].(map[string]any); ok {
			named, _ = f["name"].(string)
		}
	}
	for _, w := range choices {
		if word != w.openAI && word != w.anthropic {
			continue
		}
		switch {
		case named != "" && forAnthropic:
			return map[string]any{"type": w.anthropic, "name": named}
		case named != "":
			return map[string]any{"type": w.openAI, "function": map[string]any{"name": named}}
		case forAnthropic:
			return map[string]any{"type": w.anthropic}
		}
		return w.openAI
	}
	return choice
}

// choices are the words of both APIs for whether a tool is called.
var choices = []struct{ openAI, anthropic string }{{"auto", "auto"}, {"none", "none"}, {"required", "any"}, {"function", "tool"}}
