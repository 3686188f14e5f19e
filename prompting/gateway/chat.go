package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"assay/configs"
	"assay/prompting/llm"
)

// unsent are the fields that decide nothing of a completion. They are not sent, as they would make equal requests differ.
var unsent = []string{"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}

// most choices of one request, as OpenAI has it.
const mostChoices = 128

// manner is how a completion is to be written.
type manner struct {
	stream bool
	usage  bool // at the end of a stream
	sums   bool // of log-probabilities
}

// chat answers /v1/chat/completions.
func (c *call) chat() error {
	f, err := object(c.body)
	if err != nil {
		return err
	}
	o, how, err := c.order(f)
	if err != nil {
		return err
	}
	turns, _ := take[[]chatTurn](f, "messages")
	tools, _ := take[[]chatTool](f, "tools")
	f.refuse("name the functions as tools", "functions", "function_call")
	f.refuse("assay sends models text alone", "audio", "modalities")
	f.refuse("only the sum of the log-probabilities is kept: leave it out", "top_logprobs")
	if how.sums, _ = take[bool](f, "logprobs"); how.sums {
		o.request.Params.Logprobs = true
	}
	if err := c.exchange.finish(&o, f); err != nil {
		return err
	}
	o.request.Params.API = ""
	if o.request.Messages, err = c.exchange.conversation(turns); err != nil {
		return err
	}
	if o.request.Tools, err = c.exchange.tools(tools); err != nil {
		return err
	}
	got, err := c.exchange.ask(c.r.Context(), o)
	if err != nil {
		return err
	}
	chatReply(c, got, o, how)
	return nil
}

// begun returns an order with what the requests of both APIs say alike: the stage, the model, and how it samples.
func (c *call) begun(f *fields) (o order, err error) {
	e := c.exchange
	o = order{n: 1, request: llm.Request{Author: e.session.Author, Params: e.params()}}
	if o.stage, err = stageOf(c.r); err != nil {
		return o, err
	}
	name, _ := take[string](f, "model")
	e.named(&o.request.Author, name)
	e.sampling(&o.request.Params, f)
	return o, nil
}

// order reads what the completions and the conversations of OpenAI's API have in common, under the session's settings.
func (c *call) order(f *fields) (o order, how manner, err error) {
	e := c.exchange
	if o, err = c.begun(f); err != nil {
		return o, how, err
	}
	p := &o.request.Params
	for _, bound := range []string{"max_tokens", "max_completion_tokens"} {
		if n, ok := whole(f, bound); ok {
			p.MaxTokens = tokens(f, bound, n)
		}
	}
	if seed, ok := whole(f, "seed"); ok {
		p.FixedSeed = &seed
	}
	if n, ok := whole(f, "n"); ok {
		if o.n = int(n); n < 1 || n > mostChoices {
			f.err = bad("n", fmt.Sprintf("n is %d: want 1 to %d", n, mostChoices))
		}
	}
	if effort, ok := take[string](f, "reasoning_effort"); ok {
		p.Reasoning = effort
	}
	stop(p, f, "stop")
	how.stream, _ = take[bool](f, "stream")
	options, _ := take[struct {
		Usage bool `json:"include_usage"`
	}](f, "stream_options")
	how.usage = options.Usage
	for _, name := range unsent {
		e.drop(f, name)
	}
	return o, how, f.err
}

// drop leaves a field out, and warns of it.
func (e *Exchange) drop(f *fields, name string) {
	if _, ok := f.of[name]; ok {
		delete(f.of, name)
		e.warn("%s decides nothing of a completion and is not sent", name)
	}
}

// stageOf returns the stage that a client names.
func stageOf(r *http.Request) (string, error) {
	stage := strings.TrimSpace(r.Header.Get(stageHeader))
	if len(stage) > mostStage || strings.ContainsFunc(stage, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", bad(stageHeader, fmt.Sprintf("the header %s names a stage in at most %d letters, digits and signs", stageHeader, mostStage))
	}
	return stage, nil
}

// params returns the session's parameters, to be changed.
func (e *Exchange) params() llm.Params {
	p := e.session.Params
	p.Stop, p.Extra = slices.Clone(p.Stop), maps.Clone(p.Extra)
	return p
}

// sampling reads the parameters that both APIs name alike.
func (e *Exchange) sampling(p *llm.Params, f *fields) {
	if t, ok := take[float64](f, "temperature"); ok {
		p.Temperature, p.DefaultTemperature = t, false
	}
	if v, ok := take[float64](f, "top_p"); ok {
		p.TopP = &v
	}
	if n, ok := whole(f, "top_k"); ok {
		k := int(n)
		p.TopK = &k
	}
}

// tokens checks a bound on tokens.
func tokens(f *fields, name string, n int64) int {
	if f.err == nil && (n < 1 || n > 1<<31) {
		f.err = bad(name, fmt.Sprintf("%s is %d: want a number of tokens from 1 on", name, n))
	}
	return int(n)
}

// stop reads the sequences that end a completion. An empty list is none.
func stop(p *llm.Params, f *fields, name string) {
	raw, ok := take[json.RawMessage](f, name)
	if !ok {
		return
	}
	texts, err := list(raw)
	if err != nil {
		f.err = bad(name, name+": "+err.Error())
	}
	if p.Stop = texts; len(texts) == 0 {
		p.Stop = nil
	}
}

// finish puts the members that are left over the arm's own.
func (e *Exchange) finish(o *order, f *fields) error {
	extra, err := f.rest()
	if err != nil {
		return err
	}
	if choice, ok := extra[toolChoice]; ok {
		extra[toolChoice] = chosen(choice, o.request.Provider == anthropicProvider)
	}
	p := &o.request.Params
	if p.Extra == nil {
		p.Extra = extra
		return nil
	}
	maps.Copy(p.Extra, extra)
	return nil
}

// named sets who is asked where a request names one of the session's models, and warns of a name that is none of them: the
// name in a program is often that of the models it was written for.
func (e *Exchange) named(a *llm.Author, name string) {
	switch {
	case name == "" || name == a.Model || name == a.As:
	case slices.Contains(e.session.Names, name):
		a.Model, a.As = name, "" // the name that the experiment gives its model is not this one's
	default:
		e.warn("the model %s was asked for, and %s answered", strconv.Quote(configs.Discreet(clip(name))), *a)
	}
}

// clip bounds a text that an error or a warning repeats.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// chatTurn is a message of OpenAI's API.
type chatTurn struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Name    string          `json:"name"`
	Calls   []chatToolCall  `json:"tool_calls"`
	CallID  string          `json:"tool_call_id"`
}

// chatToolCall is a call of a tool in OpenAI's API, sent and received.
type chatToolCall struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// chatRoles are the roles of OpenAI's API.
var chatRoles = map[string]llm.Role{"system": llm.System, "developer": llm.System, "user": llm.User, "assistant": llm.Assistant, "tool": llm.ToolResult}

// conversation returns the turns as messages.
func (e *Exchange) conversation(turns []chatTurn) ([]llm.Message, error) {
	out := make([]llm.Message, 0, len(turns))
	for i, t := range turns {
		role, ok := chatRoles[t.Role]
		at := fmt.Sprintf("messages[%d]", i)
		if !ok {
			return nil, bad(at, fmt.Sprintf("the role %q is none of system, developer, user, assistant and tool", clip(t.Role)))
		}
		text, err := content(t.Content)
		if err != nil {
			return nil, bad(at, err.Error())
		}
		if t.Name != "" {
			e.warn("the name of a message's author is not sent")
		}
		m := llm.Message{Role: role, Text: text}
		for _, x := range t.Calls {
			m.Calls = append(m.Calls, e.recalled(llm.ToolCall{ID: x.ID, Name: x.Function.Name, Arguments: x.Function.Arguments}))
		}
		if role == llm.ToolResult {
			if m, err = answered(out, t.CallID, text); err != nil {
				return nil, bad(at, err.Error())
			}
		}
		out = append(out, m)
	}
	return out, ends(out)
}

// answered returns the result of a tool that a conversation calls.
func answered(before []llm.Message, id, text string) (llm.Message, error) {
	for _, m := range slices.Backward(before) {
		for _, c := range m.Calls {
			if c.ID == id {
				return c.Answered(text), nil
			}
		}
	}
	return llm.Message{}, fmt.Errorf("the result of a tool call %q that no message before it makes", clip(id))
}

// ends checks that a model can answer a conversation.
func ends(turns []llm.Message) error {
	switch n := len(turns); {
	case n == 0:
		return bad("messages", "there is no message")
	case turns[n-1].Role == llm.Assistant:
		return bad("messages", "the last message is the assistant's, to be continued: assay asks models for turns of their own, so put what it must begin with into the user's message, or ask /v1/completions")
	case turns[n-1].Role == llm.System:
		return bad("messages", "the last message is the system's: end with the user's, or a tool's result")
	}
	return nil
}

// recalled returns a tool's call as the model wrote it, where this exchange has seen it: clients give arguments back in
// another spelling, and leave out what belongs to the provider.
func (e *Exchange) recalled(c llm.ToolCall) llm.ToolCall {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.called[c.ID] {
		if x.Name == c.Name && alike(x.Arguments, c.Arguments) {
			return x
		}
	}
	return c
}

// alike reports whether two texts are the same, or the same JSON.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	x, wrong := value(json.RawMessage(a))
	y, too := value(json.RawMessage(b))
	if wrong != nil || too != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// chatTool is a tool of OpenAI's API.
type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		llm.Tool
		Strict *bool `json:"strict"`
	} `json:"function"`
}

// tools returns the tools that a model may call.
func (e *Exchange) tools(in []chatTool) (out []llm.Tool, err error) {
	for _, t := range in {
		if t.Type != "function" {
			return nil, bad("tools", fmt.Sprintf("a tool of type %q: only functions can be called", clip(t.Type)))
		}
		if t.Function.Strict != nil {
			e.warn("strict is not sent with tools")
		}
		out = append(out, t.Function.Tool)
	}
	return out, checkTools(out)
}

func checkTools(tools []llm.Tool) error {
	for i := range tools {
		if string(tools[i].Parameters) == "null" {
			tools[i].Parameters = nil
		}
	}
	if err := llm.CheckTools(tools); err != nil {
		return bad("tools", err.Error())
	}
	return nil
}
