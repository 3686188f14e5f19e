package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// body holds the fields of an answer that assay uses.
type body struct {
	Candidates     candidates `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string `json:"modelVersion"`
}

// candidates are the first candidates of an answer.
type candidates []candidate

// UnmarshalJSON implements json.Unmarshaler.
func (c *candidates) UnmarshalJSON(raw []byte) (err error) {
	if raw[0] != '[' && string(raw) != "null" {
		return errors.New("the candidates are no list")
	}
	*c, _, err = wire.List[candidate](raw, maxCandidates)
	return err
}

type candidate struct {
	Content struct {
		Parts parts `json:"parts"`
	} `json:"content"`
	FinishReason string `json:"finishReason"`
	Logprobs     struct {
		Chosen json.RawMessage `json:"chosenCandidates"`
	} `json:"logprobsResult"`
}

// More parts, and more tokens, than any candidate has.
const (
	maxParts    = 10_000
	maxLogprobs = 1 << 18
)

// parts are all parts of a candidate: each is a piece of its text, or a call.
type parts []part

// UnmarshalJSON implements json.Unmarshaler.
func (p *parts) UnmarshalJSON(raw []byte) (err error) {
	*p, err = wire.Whole[part](raw, maxParts, "parts of a candidate")
	return err
}

type part struct {
	Text      string        `json:"text"`
	Thought   bool          `json:"thought"`
	Call      *functionCall `json:"functionCall"`
	Signature string        `json:"thoughtSignature"`
}

// read returns the responses of the good candidates in a 200 answer, or the failure of the first bad one if none is
// good.
func (c *Client) read(call *wire.Call, r llm.Request, n int) ([]llm.Response, error) {
	var b body
	if err := c.key.Decode(call, &b); err != nil {
		return nil, err
	}
	u, version := b.UsageMetadata, c.key.Clip(b.ModelVersion)
	total := llm.Usage{PromptTokens: counted(u.Prompt), CompletionTokens: counted(u.Candidates) + counted(u.Thoughts), ReasoningTokens: counted(u.Thoughts)}
	total.CachedTokens = min(counted(u.Cached), total.PromptTokens)
	if b.PromptFeedback.BlockReason != "" {
		return nil, &llm.Failure{Reason: "blocked: " + c.key.Clip(b.PromptFeedback.BlockReason), Usage: total}
	}
	if len(b.Candidates) == 0 {
		return nil, &llm.Failure{Reason: "no candidates"}
	}
	var got []llm.Response
	var first error
	for _, cand := range b.Candidates[:min(n, len(b.Candidates))] {
		resp, err := cand.response(r, c.key)
		if err == nil {
			resp.Model = version
			if r.Params.Logprobs && resp.Logprob == nil {
				c.warnings.Add(fmt.Sprintf("gemini: %q gives no log-probabilities", r.Model))
			}
			got = append(got, resp)
		} else if first == nil {
			first = err
		}
	}
	if len(b.Candidates) < n {
		c.warnings.Add(fmt.Sprintf("gemini: %q gave fewer candidates than asked for: the rest are calls of their own", version))
	}
	if len(got) == 0 {
		if f := (*llm.Failure)(nil); errors.As(first, &f) {
			f.Usage = total
		}
		return nil, first
	}
	share(got, total)
	c.thoughts.Note("gemini", r, got)
	return got, wire.CheckLength(got, n)
}

// counted returns a number of tokens, 0 if it is one that no call can use.
func counted(n int) int {
	const most = 1e8
	if n < 0 || n > most {
		return 0
	}
	return n
}

// share gives each response its part of the call's usage. Reasoning and tool calls count for a candidate's share.
func share(got []llm.Response, total llm.Usage) {
	texts := make([]string, len(got))
	for i, r := range got {
		texts[i] = r.Reasoning + r.Text
		for _, call := range r.ToolCalls {
			texts[i] += call.Name + call.Arguments
		}
	}
	for i, u := range llm.SplitUsage(total, texts) {
		got[i].Usage = u
	}
}

// response returns the answer of a candidate. Whatever arrived is an answer: an empty text, a tool call that cannot be
// parsed. It fails only for what the provider held back.
func (c candidate) response(r llm.Request, key wire.Key) (llm.Response, error) {
	var text, thoughts strings.Builder
	for _, p := range c.Content.Parts {
		if p.Thought {
			thoughts.WriteString(p.Text)
		} else {
			text.WriteString(p.Text)
		}
	}
	resp := llm.Response{Text: text.String(), Reasoning: thoughts.String(), Finish: "stop"}
	if len(r.Tools) > 0 { // without tools no call was asked for
		resp.ToolCalls = c.calls(r, key)
	}
	if len(resp.ToolCalls) > 0 {
		resp.Finish = llm.FinishTools
	}
	if r.Params.Logprobs {
		resp.Logprob = c.logprob()
	}
	switch c.FinishReason {
	case "STOP", "":
	case "MAX_TOKENS":
		resp.Finish = llm.FinishLength
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL":
		resp.Finish = llm.FinishTools
	default:
		return llm.Response{}, &llm.Failure{Reason: "finish: " + key.Clip(c.FinishReason)}
	}
	return resp, nil
}

// refusal is the body of an answer whose status is not 200, in the form of google.rpc.Status.
type refusal struct {
	Error struct {
		Message string `json:"message"`
		Status  string `json:"status"`
		Details []struct {
			Reason     string `json:"reason"`     // ErrorInfo
			RetryDelay string `json:"retryDelay"` // RetryInfo: "22s", "8.9s"
			Violations []struct {
				QuotaID string `json:"quotaId"`
			} `json:"violations"` // QuotaFailure
		} `json:"details"`
	} `json:"error"`
}

// outcome returns the error of a call without a 200 answer.
func (c *Client) outcome(ctx context.Context, call *wire.Call, sdk error) error {
	if err := c.key.Sent(ctx, call, sdk); err != nil || call.Status == http.StatusOK {
		return err
	}
	return c.refused(call)
}

// refused returns the error of an answer whose status is not 200. Google puts the reason and the wait into details of
// the body, not into headers.
func (c *Client) refused(call *wire.Call) error {
	var r refusal
	message := string(call.Body)
	if json.Unmarshal(call.Body, &r) == nil && r.Error.Message != "" {
		message = r.Error.Message
	}
	var delay time.Duration
	for _, d := range r.Error.Details {
		if d.Reason == "API_KEY_INVALID" { // the status is 400, not 401 or 403
			return fmt.Errorf("http %d: %s: %s: check the key", call.Status, d.Reason, c.key.Clip(message))
		}
		if got, err := time.ParseDuration(d.RetryDelay); err == nil {
			delay = got
		}
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") {
				return fmt.Errorf("http %d: %s: the day's quota is spent: %s: run again when it is renewed", call.Status, c.key.Clip(v.QuotaID), c.key.Clip(message))
			}
		}
	}
	err := c.key.Refused(call, r.Error.Status, message)
	if f, ok := err.(*llm.Failure); ok && f.Retryable {
		f.RetryAfter = max(f.RetryAfter, min(delay, 24*time.Hour))
	}
	return err
}
