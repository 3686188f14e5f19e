package main

import (
	"fmt"
	"strings"

	"assay/experiments/cost"
	"assay/experiments/record"
	"assay/prompting/llm"
	"assay/prompting/llm/ledger"
)

// call prints one call of an item: its tokens and cost, prompt, completion and observation. Each turn of a dialogue sends
// the whole dialogue again; only what is new is printed, so that it reads from top to bottom.
func (s *story) call(c record.Call) error {
	fmt.Fprintf(s.w, "\n--- call %q, sample %d, %s + %s tokens", c.Stage, c.Sample, c.PromptTokens, c.CompletionTokens)
	if c.USD.OK {
		fmt.Fprintf(s.w, ", %s USD", cost.Dollars(c.USD.V))
	}
	if c.Key == "" { // imported, without its prompt
		fmt.Fprintln(s.w)
		return nil
	}
	fmt.Fprintf(s.w, ", %s\n", c.Key)
	if noteworthy(c) {
		fmt.Fprintf(s.w, "note: %s\n", c.Note)
	}
	if c.Failure != "" {
		fmt.Fprintf(s.w, "no completion: %s\n", c.Failure)
		return nil
	}
	if s.ledger == nil {
		fmt.Fprintln(s.w, "(the store has no ledger: the texts cannot be shown)")
		s.observation(c)
		return nil
	}
	e, ok, err := s.ledger.Entry(s.ctx, c.Key)
	if err != nil {
		return err
	}
	if !ok {
		fmt.Fprintf(s.w, "(not in %s)\n", s.ledger.Path())
		s.observation(c)
		return nil
	}
	if !s.excerpt.replies {
		s.prompt(e.Request.Messages)
	}
	s.completion(e)
	s.observation(c)
	return nil
}

// noteworthy reports whether a call's note says more than its completion. The note of a dialogue's turn names the action
// taken, which the completion shows already; only refused actions and the end of the dialogue are news.
func noteworthy(c record.Call) bool {
	return c.Note != "" && (c.Observation == "" || strings.HasPrefix(c.Note, "not taken: ") || strings.Contains(c.Note, "(end: "))
}

// prompt prints the messages that were not printed before. A prompt that shares only the system message with the one
// before is a new prompt and is printed whole.
func (s *story) prompt(messages []llm.Message) {
	printed := 0
	for printed < len(s.before) && printed < len(messages) && s.before[printed].Equal(messages[printed]) {
		printed++
	}
	switch {
	case len(s.before) == 0 || printed < len(s.before) || printed < 2:
		printed = 0
	case printed == len(messages):
		fmt.Fprintln(s.w, "(the same prompt)")
	default:
		printed = len(messages) // the new messages are the completion and observation printed above
	}
	for _, m := range messages[printed:] {
		fmt.Fprintf(s.w, "[%s]\n%s\n", m.Role, strings.TrimRight(m.Text, "\n"))
	}
	s.before = messages
}

// completion prints what the model answered, function calls included.
func (s *story) completion(e ledger.Entry) {
	if thoughts := strings.TrimSpace(e.Response.Reasoning); thoughts != "" {
		fmt.Fprintf(s.w, "[reasoning, no part of the answer]\n%s\n", thoughts)
	}
	fmt.Fprintf(s.w, "[completion, %s]\n", strings.Join(ending(e.Response), ", "))
	if text := strings.TrimRight(e.Response.Text, "\n"); text != "" || len(e.Response.ToolCalls) == 0 {
		fmt.Fprintln(s.w, text)
	}
	for _, t := range e.Response.ToolCalls {
		fmt.Fprintf(s.w, "call %s %s\n", t.Name, t.Arguments)
	}
}

// ending lists why a completion ended, how many of its tokens were reasoning, and how many prompt tokens the provider had
// cached.
func ending(r llm.Response) []string {
	parts := []string{r.Finish}
	if n := r.Usage.ReasoningTokens; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tokens are reasoning", n, r.Usage.CompletionTokens))
	}
	if n := r.Usage.CachedTokens; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d prompt tokens from the provider's cache", n, r.Usage.PromptTokens))
	}
	return parts
}

// observation prints what a tool returned for the action in the completion.
func (s *story) observation(c record.Call) {
	if c.Observation != "" {
		fmt.Fprintf(s.w, "[observation]\n%s\n", c.Observation)
	}
}
