package openai

import "assay/prompting/llm"

// usage is a server's report of a call's tokens.
type usage struct {
	Prompt        count `json:"prompt_tokens"`
	Completion    count `json:"completion_tokens"`
	Total         count `json:"total_tokens"`
	PromptDetails aside[struct {
		Cached  count `json:"cached_tokens"`
		Written count `json:"cache_write_tokens"` // at OpenRouter
	}] `json:"prompt_tokens_details"`
	CompletionDetails aside[struct {
		Reasoning count `json:"reasoning_tokens"`
	}] `json:"completion_tokens_details"`
}

// counted returns the usage as [llm.Usage] has it, where the whole includes its parts: prompts what was read from the cache,
// completions the reasoning. It is zero if the server reports none.
func (u *usage) counted() llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	out := llm.Usage{PromptTokens: int(u.Prompt), CompletionTokens: int(u.Completion),
		CachedTokens: int(u.PromptDetails.v.Cached), ReasoningTokens: int(u.CompletionDetails.v.Reasoning)}
	if out.PromptTokens > 0 {
		u.add(&out)
	}
	// The parts are limited to the whole, because servers count inconsistently and the sum must add up.
	out.CachedTokens = min(out.CachedTokens, out.PromptTokens)
	out.CacheWriteTokens = min(int(u.PromptDetails.v.Written), out.PromptTokens-out.CachedTokens)
	out.ReasoningTokens = min(out.ReasoningTokens, out.CompletionTokens)
	return out
}

// add counts the tokens that are in a server's total but in neither of its two parts: reasoning beside the completion (xAI,
// and Gemini, which does not say how much), and a prompt's cached tokens beside the others (gateways to Anthropic).
func (u *usage) add(out *llm.Usage) {
	beside := max(int(u.Total)-out.PromptTokens-out.CompletionTokens, 0)
	cached, reasoned := out.CachedTokens, out.ReasoningTokens
	switch {
	case u.Total == 0 && cached > out.PromptTokens: // a part beyond its whole stands beside it
		out.PromptTokens += cached
	case beside == 0:
	case beside == reasoned || cached == 0:
		out.CompletionTokens += beside
		out.ReasoningTokens = max(reasoned, beside)
	case beside == cached+reasoned:
		out.PromptTokens += cached
		out.CompletionTokens += reasoned
	case beside >= cached: // with what was written to the cache
		out.PromptTokens += beside
	default:
		out.CompletionTokens += beside
		out.ReasoningTokens = max(reasoned, beside)
	}
}
