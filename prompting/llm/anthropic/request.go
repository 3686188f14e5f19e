package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"assay/prompting/llm"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// DefaultMaxTokens is the bound on an answer's tokens that is sent where the experiment has none, because the API requires
// one. It is below the bound above which the API's documentation asks for a stream.
const DefaultMaxTokens = 16_384

// LeastBudget is the smallest budget for reasoning that the API takes, in tokens.
const LeastBudget = 1024

// defaultTemperature is the API's own. It is not sent, because later models refuse the parameter.
const defaultTemperature = 1

// Owned are the fields of a request that [llm.Request] sets itself, or whose answers this package does not read, with the
// key of an experiment that states each. Where the experiment says how much to reason, thinking and the effort of
// output_config are set by that too.
var Owned = map[string]string{"model": "model.name", "messages": "", "system": "", "max_tokens": "model.max_tokens", "temperature": "model.temperature",
	"top_p": "model.top_p", "top_k": "model.top_k", "stop_sequences": "model.stop", "stream": "", "tools": ""}

// Efforts are the values of Params.Reasoning that the API has a word for. Which of them a model takes, and whether it takes
// a budget in place of an effort, depends on the model.
var Efforts = []string{"none", "low", "medium", "high", "xhigh", "max"}

// efforts are the values of reasoning that the API has, by the request's.
var efforts = map[string]sdk.OutputConfigEffort{"low": sdk.OutputConfigEffortLow, "medium": sdk.OutputConfigEffortMedium,
	"high": sdk.OutputConfigEffortHigh, "xhigh": sdk.OutputConfigEffortXhigh, "max": sdk.OutputConfigEffortMax}

// body returns the body of the request to /v1/messages, as JSON: what a batch holds per request.
func (c *Client) body(r llm.Request) (json.RawMessage, error) {
	p, err := c.params(r)
	if err != nil {
		return nil, err
	}
	extra, err := extras(r.Params)
	if err != nil {
		return nil, err
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return json.Marshal(p)
}

// The fields of a request that say how much a model may reason.
const (
	thinkingField = "thinking"
	outputField   = "output_config"
	effortField   = "effort"
)

// extras returns the extra parameters as they are sent: an output_config gets the effort that the request states.
func extras(p llm.Params) (map[string]any, error) {
	out := maps.Clone(p.Extra)
	for name := range out {
		if _, own := Owned[name]; own || name == "" || name == thinkingField && p.Reasoning != "" {
			return nil, fmt.Errorf("the extra parameter %q has a field of its own, or no name", name)
		}
	}
	effort, stated := efforts[p.Reasoning]
	if out[outputField] == nil || !stated {
		return out, nil
	}
	table, ok := out[outputField].(map[string]any)
	if !ok || table[effortField] != nil {
		return nil, fmt.Errorf("the extra parameter %q must be a table without %s, which the reasoning says", outputField, effortField)
	}
	table = maps.Clone(table)
	table[effortField] = effort
	out[outputField] = table
	return out, nil
}

// params returns the request as the SDK's value, without the extra parameters.
func (c *Client) params(r llm.Request) (p sdk.MessageNewParams, err error) {
	if r.Params.API != "" { // the answer to a conversation must not be stored as one of another kind
		return p, fmt.Errorf("there is no API %q: Anthropic answers conversations only (model.api = \"chat\")", r.Params.API)
	}
	if err := llm.CheckTools(r.Tools); err != nil {
		return p, err
	}
	p = sdk.MessageNewParams{Model: r.Model, MaxTokens: int64(r.Params.MaxTokens), StopSequences: sentStops(r.Params.Stop), Tools: tools(r.Tools)}
	if p.System, p.Messages, err = conversation(r.Messages); err != nil {
		return p, err
	}
	if t := r.Params.Temperature; !r.Params.DefaultTemperature && t != defaultTemperature {
		p.Temperature = sdk.Float(t)
	}
	if r.Params.TopP != nil {
		p.TopP = sdk.Float(*r.Params.TopP)
	}
	if r.Params.TopK != nil {
		p.TopK = sdk.Int(int64(*r.Params.TopK))
	}
	err = c.reason(&p, r)
	c.notice(r)
	return p, err
}

// reason sets how much the model may reason, and the bound on tokens, of which reasoning is part.
func (c *Client) reason(p *sdk.MessageNewParams, r llm.Request) error {
	budget, numeric := r.Params.Budget()
	if p.MaxTokens == 0 {
		p.MaxTokens = DefaultMaxTokens + int64(max(budget, 0))
		c.warn(r.Model, "%q must be told how many tokens an answer may have, and the experiment does not say (model.max_tokens): "+fmt.Sprintf("%d are allowed", p.MaxTokens))
	}
	effort, known := efforts[r.Params.Reasoning]
	switch {
	case numeric && budget < LeastBudget:
		return fmt.Errorf("a budget of %d tokens for reasoning is below the least, %d: raise model.reasoning, or set it to \"none\"", budget, LeastBudget)
	case numeric && int64(budget) >= p.MaxTokens:
		return fmt.Errorf("the budget for reasoning, %d tokens, leaves none of the answer's %d: raise model.max_tokens or lower model.reasoning", budget, p.MaxTokens)
	case numeric:
		p.Thinking.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: int64(budget), Display: sdk.ThinkingConfigEnabledDisplaySummarized}
	case known:
		p.OutputConfig.Effort = effort
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	case r.Params.Reasoning == "none":
		p.Thinking.OfDisabled = &sdk.ThinkingConfigDisabledParam{}
	case r.Params.Reasoning != "":
		return fmt.Errorf("there is no effort %q: model.reasoning may be none, low, medium, high, xhigh, max, or a number of tokens", r.Params.Reasoning)
	}
	return nil
}

// notice records what the API does not do of what a request asks.
func (c *Client) notice(r llm.Request) {
	if r.SentSeed() != nil {
		c.warn(r.Model, "%q takes no seed: it is not sent, and another run may get other samples")
	}
	if len(sentStops(r.Params.Stop)) < len(r.Params.Stop) {
		c.warn(r.Model, "%q takes no stop sequence of white space alone: the text is cut there after it has come")
	}
}

// sentStops returns the stop sequences that the API takes: those that are more than white space.
func sentStops(all []string) (sent []string) {
	for _, s := range all {
		if strings.TrimSpace(s) != "" {
			sent = append(sent, s)
		}
	}
	return sent
}

// noArguments is the schema of a tool without arguments, for which the API requires one too.
var noArguments = json.RawMessage(`{"type":"object"}`)

// tools returns the tools as they are sent. The schema keeps its order, because models read it in it.
func tools(list []llm.Tool) (out []sdk.ToolUnionParam) {
	for _, t := range list {
		schema := t.Parameters
		if len(schema) == 0 {
			schema = noArguments
		}
		p := sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if t.Description != "" {
			p.Description = sdk.String(t.Description)
		}
		out = append(out, sdk.ToolUnionParam{OfTool: &p})
	}
	return out
}

var errLast = errors.New("the last message is not the user's, nor a tool's result")
