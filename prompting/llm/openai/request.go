package openai

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"assay/prompting/llm"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
)

// owned are the fields of a request that [llm.Request] has itself, or whose answers are not read here.
var owned = []string{"model", "messages", "temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "stop",
	"seed", "n", "stream", "stream_options", "logprobs", "tools", "functions"}

// plainName is what an extra field may be called: the SDK reads other names as paths into the request.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// build writes the request for n completions. newer sends the bound on tokens as max_completion_tokens.
func build(r llm.Request, n int, newer bool) (sdk.ChatCompletionNewParams, []option.RequestOption, error) {
	p := sdk.ChatCompletionNewParams{Model: r.Model, Temperature: param.NewOpt(r.Params.Temperature)}
	var err error
	if p.Messages, err = messages(r.Messages); err != nil {
		return p, nil, err
	}
	if r.Params.TopP != nil {
		p.TopP = param.NewOpt(*r.Params.TopP)
	}
	if m := int64(r.Params.MaxTokens); m > 0 && newer {
		p.MaxCompletionTokens = param.NewOpt(m)
	} else if m > 0 {
		p.MaxTokens = param.NewOpt(m)
	}
	if len(r.Params.Stop) > 0 {
		p.Stop.OfStringArray = r.Params.Stop
	}
	if seed := r.SentSeed(); seed != nil {
		p.Seed = param.NewOpt(*seed)
	}
	if n > 1 {
		p.N = param.NewOpt(int64(n))
	}
	if r.Params.Logprobs {
		p.Logprobs = param.NewOpt(true)
	}
	opts, err := extras(r.Params)
	if err == nil && len(r.Tools) > 0 {
		if err = llm.CheckTools(r.Tools); err == nil {
			opts = append(opts, option.WithJSONSet("tools", functions(r.Tools)))
		}
	}
	return p, opts, err
}

// function is a tool on the wire. Its parameters keep their order, which models read.
type function struct {
	Type     string   `json:"type"`
	Function llm.Tool `json:"function"`
}

func functions(tools []llm.Tool) []function {
	out := make([]function, len(tools))
	for i, t := range tools {
		out[i] = function{"function", t}
	}
	return out
}

// extras are the fields that the SDK has no place for, in the order of their names.
func extras(p llm.Params) ([]option.RequestOption, error) {
	var opts []option.RequestOption
	if p.TopK != nil {
		opts = append(opts, option.WithJSONSet("top_k", *p.TopK))
	}
	names := make([]string, 0, len(p.Extra))
	for name := range p.Extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(owned, name) {
			return nil, fmt.Errorf("the extra parameter %q has a field of its own", name)
		}
		if !plainName.MatchString(name) {
			return nil, fmt.Errorf("the extra parameter %q is no plain name", name)
		}
		opts = append(opts, option.WithJSONSet(name, p.Extra[name]))
	}
	return opts, nil
}

func messages(in []llm.Message) ([]sdk.ChatCompletionMessageParamUnion, error) {
	if n := len(in); n == 0 || in[n-1].Role != llm.User && in[n-1].Role != llm.ToolResult {
		return nil, errors.New("the last message is not the user's, nor a tool's result")
	}
	out := make([]sdk.ChatCompletionMessageParamUnion, len(in))
	for i, m := range in {
		switch m.Role {
		case llm.System:
			out[i] = sdk.SystemMessage(m.Text)
		case llm.User:
			out[i] = sdk.UserMessage(m.Text)
		case llm.Assistant:
			out[i] = assistant(m)
		case llm.ToolResult:
			out[i] = sdk.ToolMessage(m.Text, m.CallID)
		default:
			return nil, fmt.Errorf("message %d has the unknown role %q", i, m.Role)
		}
	}
	return out, nil
}

// assistant is the model's own turn, whose content is left out where it only called tools.
func assistant(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	out := sdk.AssistantMessage(m.Text)
	if len(m.Calls) > 0 && m.Text == "" {
		out.OfAssistant.Content = sdk.ChatCompletionAssistantMessageParamContentUnion{}
	}
	for _, c := range m.Calls {
		out.OfAssistant.ToolCalls = append(out.OfAssistant.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{ID: c.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments}}})
	}
	return out
}
