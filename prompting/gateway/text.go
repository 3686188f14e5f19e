package gateway

import (
	"encoding/json"
	"fmt"

	"assay/prompting/llm"
)

// text answers /v1/completions: one completion of each prompt, or n.
func (c *call) text() error {
	f, err := object(c.body)
	if err != nil {
		return err
	}
	o, how, err := c.order(f)
	if err != nil {
		return err
	}
	raw, _ := take[json.RawMessage](f, "prompt")
	prompts, err := list(raw)
	switch {
	case err != nil:
		return bad("prompt", "prompt: "+err.Error()+"; tokens by their numbers have no meaning here")
	case len(prompts) == 0 || len(prompts)*o.n > mostChoices:
		return bad("prompt", fmt.Sprintf("prompt: want 1 to %d completions in all", mostChoices))
	}
	if echo, _ := take[bool](f, "echo"); echo {
		return bad("echo", "echo: put the prompt before the completion yourself")
	}
	if n, ok := whole(f, "logprobs"); ok {
		if n > 1 {
			return bad("logprobs", "logprobs: only the sum of the log-probabilities is kept: want 0 or 1")
		}
		how.sums, o.request.Params.Logprobs = true, true
	}
	if err := c.exchange.finish(&o, f); err != nil {
		return err
	}
	o.request.Params.API = llm.Completions
	got, err := c.exchange.prompts(c, o, prompts)
	if err != nil {
		return err
	}
	textReply(c, got, o, how)
	return nil
}

// prompts asks for the completions of each prompt in turn.
func (e *Exchange) prompts(c *call, o order, prompts []string) (all []outcome, err error) {
	for _, p := range prompts {
		o.request.Messages = []llm.Message{{Role: llm.User, Text: p}}
		got, err := e.ask(c.r.Context(), o)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}
