package openai

import (
	"fmt"
	"slices"

	"assay/prompting/llm"
)

// unread warns of the fields of a request that the server's kind does not read. Each is named once.
func (c *Client) unread(body map[string]any) {
	if c.server.Reads == nil {
		return
	}
	for field := range body {
		if !slices.Contains(c.server.Reads, field) {
			c.warnings.Add(fmt.Sprintf("openai: %q is no field of a request that %s is known to read: it has no effect there", field, c.server.ID))
		}
	}
}

// Bounds on what an answer may tell about the parameters that were sent.
const (
	leastCut = 2048 // tokens of an estimated prompt from which on a cut shows
	cutShare = 2    // a prompt of fewer than one in so many of the estimated tokens was cut
)

// heed records what the answers show of parameters that were not heeded: the reasoning, and a prompt that was cut.
func (c *Client) heed(got []llm.Response, r llm.Request, b body) {
	c.thoughts.Note("openai", r, got)
	estimate := llm.EstimateUsage(r, "").PromptTokens
	counted := b.Usage.v.counted().PromptTokens
	if c.server.Cuts != "" && counted > 0 && estimate >= leastCut && counted < estimate/cutShare {
		c.warnings.Add(fmt.Sprintf("openai: %s with %q counts far fewer tokens than its prompts have: %s", c.base, r.Model, c.server.Cuts))
	}
}

// deaf warns of an effort of reasoning that the model's chat template does not read, as llama.cpp says. It takes the effort
// all the same; "none" it heeds by itself.
func (c *Client) deaf(r llm.Request) {
	_, isBudget := r.Params.Budget()
	if effort := r.Params.Reasoning; effort == "" || effort == "none" || isBudget {
		return
	}
	c.cards.mu.Lock()
	defer c.cards.mu.Unlock()
	if c.cards.defaults[takesEffort] == false {
		c.warnings.Add(fmt.Sprintf("openai: the chat template of %q at %s reads no effort of reasoning: reasoning %q has no effect", r.Model, c.base, r.Params.Reasoning))
	}
}
