// Package llm defines the vocabulary for language models: a Request, a Response, and the Model that answers one with
// the other.
//
// A method builds a Request; [assay/prompting/llm/ledger] answers it from disk or passes it on through
// [assay/prompting/llm/retry] to a provider ([assay/prompting/llm/gemini], [assay/prompting/llm/openai],
// [assay/prompting/llm/anthropic], or the embedded default [assay/prompting/llm/baseline]). [Scripted] is the test double.
// The package itself calls nothing, and nothing may decide a completion that is not in the Request, because the Request's
// Key is the completion's identity.
package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Role says who wrote a Message.
type Role string

// The roles of a conversation.
const (
	System     Role = "system"
	User       Role = "user"
	Assistant  Role = "assistant"
	ToolResult Role = "tool" // the result of a tool that the model called
)

// Message is one turn of the conversation sent to a model.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`

	Calls  []ToolCall `json:"calls,omitempty"`   // in an Assistant's turn: the tools it called, as in its Response
	CallID string     `json:"call_id,omitempty"` // in a ToolResult: the ID of the call that Text answers
	Tool   string     `json:"tool,omitempty"`    // in a ToolResult: the tool's name
}

// Params are the generation parameters. A nil pointer means "not sent": the provider's default applies.
type Params struct {
	Temperature float64  `json:"temperature"`          // sent, 0 included, unless DefaultTemperature is set
	TopP        *float64 `json:"top_p,omitempty"`      // nucleus mass, 0 to 1
	TopK        *int     `json:"top_k,omitempty"`      // tokens considered
	MaxTokens   int      `json:"max_tokens,omitempty"` // bound on the completion; 0 is not sent
	Stop        []string `json:"stop,omitempty"`       // sequences that end the completion, not part of it
	Seed        *int64   `json:"seed,omitempty"`       // identifies the stream that samples are drawn from, see DrawSeed; nil: no seed is sent
	// FixedSeed is a seed that the experiment states, in place of Seed: sample n is sent FixedSeed + n.
	FixedSeed *int64 `json:"fixed_seed,omitempty"`
	// Reasoning says how much the model may reason before it answers: an effort ("none", "minimal", "low", "medium",
	// "high", "xhigh", "max") or a budget in tokens as a decimal number ("4096"); empty: nothing is sent. See Budget.
	Reasoning string `json:"reasoning,omitempty"`
	// DefaultTemperature leaves the temperature to the provider: none is sent, and Temperature is 0.
	DefaultTemperature bool `json:"default_temperature,omitempty"`

	// Extra holds further parameters under the provider's own names ("min_p", "safetySettings", "responseMimeType"),
	// sent unchanged. They influence the completion, so they are part of the request's identity.
	Extra map[string]any `json:"extra,omitempty"`

	// Logprobs asks for the log-probabilities of the completion's tokens; Response.Logprob has their sum.
	Logprobs bool `json:"logprobs,omitempty"`

	// API says how the model is asked: empty for a conversation, in which the provider puts the messages into the
	// model's own chat template, or Completions. It decides the text that the model reads.
	API string `json:"api,omitempty"`
}

// Budget returns the budget that Reasoning states, in tokens; ok is false if it states none, but an effort or nothing.
func (p Params) Budget() (tokens int, ok bool) {
	tokens, err := strconv.Atoi(p.Reasoning)
	return tokens, err == nil
}

// Author identifies who is asked for a completion. The same model name behind another address is another author,
// because the weights may differ.
type Author struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // under the name that is sent to the provider
	// Server is the address that answers, without a slash at its end; empty if it is the provider's own.
	Server string `json:"server,omitempty"`
	// As is the name that the experiment gives the author, in place of its model and address, so that the same weights
	// behind other addresses are one author; empty if it gives none.
	As string `json:"as,omitempty"`
}

// Identity returns the author as a request's key has it: a name that the experiment gives replaces model and address.
func (a Author) Identity() Author {
	if a.As != "" {
		a.Model, a.Server = "", ""
	}
	return a
}

// String returns the author in readable form: "openai/m", "openai/m at http://127.0.0.1:8080/v1", or "openai/m-q4" if
// the experiment names the author.
func (a Author) String() string {
	switch {
	case a.As != "":
		return a.Provider + "/" + a.As
	case a.Server != "":
		return a.Provider + "/" + a.Model + " at " + a.Server
	}
	return a.Provider + "/" + a.Model
}

// Request is everything that influences a completion. It is one value, and its Key is the identity of the completion.
type Request struct {
	Author
	Params   Params    `json:"params"`
	Messages []Message `json:"messages"`
	Sample   int       `json:"sample"`          // 0-based number of the completion; samples of one prompt differ only in it
	Tools    []Tool    `json:"tools,omitempty"` // that the model may call; without tools the key is that of older ledgers
}

// Key returns "sha256:" and the hexadecimal SHA-256 of the request's canonical JSON (fields in declared order, lengths
// delimited by JSON itself, so no two requests share an encoding). For a named author the key holds the name, and
// neither model nor address.
func (r Request) Key() string {
	r.Author = r.Author.Identity()
	b, err := json.Marshal(r)
	if err != nil { // unreachable but for a NaN temperature, which the config loader refuses
		b = fmt.Appendf(nil, "%#v", r)
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Usage counts tokens. Estimated is set if the provider did not count and assay estimated.
type Usage struct {
	PromptTokens     int  `json:"prompt_tokens"`
	CompletionTokens int  `json:"completion_tokens"` // reasoning included
	Estimated        bool `json:"estimated,omitempty"`

	CachedTokens    int `json:"cached_tokens,omitempty"`    // part of PromptTokens: read from the provider's own prompt cache
	ReasoningTokens int `json:"reasoning_tokens,omitempty"` // part of CompletionTokens: written before the answer; 0 if not reported

	// CacheWriteTokens are the part of PromptTokens that was written to the provider's own prompt cache, where the
	// provider counts it apart (Anthropic, at a price of its own). They and CachedTokens do not overlap.
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"`
}

// Add returns the sum of two usages; it is an estimate if either is.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens, u.Estimated || v.Estimated,
		u.CachedTokens + v.CachedTokens, u.ReasoningTokens + v.ReasoningTokens, u.CacheWriteTokens + v.CacheWriteTokens}
}

// Response is one finished completion.
type Response struct {
	Text   string `json:"text"`
	Finish string `json:"finish"` // why the text ended: "stop", "length", or the provider's own word
	Usage  Usage  `json:"usage"`
	Model  string `json:"model,omitempty"` // the version that answered, according to the provider
	Cached bool   `json:"-"`               // answered by the ledger, without a call
	Stored int64  `json:"-"`               // second since 1970 in which the ledger stored it, the same whenever it answers; 0: none did

	// Reasoning is what the model wrote before its answer, from the provider's own field or from a <think> block. It is
	// not part of Text. Usage.ReasoningTokens counts it if the provider does.
	Reasoning string `json:"reasoning,omitempty"`
	Print     string `json:"print,omitempty"` // the provider's system fingerprint; empty if it reports none
	// Card is the server's entry for the model in its list of models: canonical JSON, empty if it lists none.
	Card string `json:"card,omitempty"`

	// Tier names the service whose price the call had: Batch, or empty for the provider's standard price.
	Tier      string     `json:"tier,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"` // in the model's order; if any, Text may be empty, and Finish is FinishTools
	Logprob   *Logprob   `json:"logprob,omitempty"`    // nil if not asked for or not given
}

// Silence returns why an answer is empty, as a sentence without a full stop; "" if the answer is not empty.
func (r Response) Silence() string {
	switch {
	case strings.TrimSpace(r.Text) != "" || len(r.ToolCalls) > 0:
		return ""
	case r.Finish == FinishLength && (r.Reasoning != "" || r.Usage.ReasoningTokens > 0):
		return fmt.Sprintf("the answer is empty: reasoning used up the tokens it may have (%d)", r.Usage.CompletionTokens)
	case r.Finish == FinishLength:
		return fmt.Sprintf("the answer is empty, and was cut at the tokens it may have (%d)", r.Usage.CompletionTokens)
	case r.Finish == FinishTools:
		return "the answer is empty but for the call of a tool that was not offered, or cannot be read"
	case r.Reasoning != "" || r.Usage.ReasoningTokens > 0:
		return "the answer is empty after the reasoning"
	}
	return "the answer is empty: the model ended it at once"
}

// Batch is the Tier of a completion that a provider's batch gave.
const Batch = "batch"

// The Finish of a response that calls tools, and of one that was truncated at the bound on its tokens.
const (
	FinishTools  = "tool_calls"
	FinishLength = "length"
)

// Voice is the responder: who answered a request, in the provider's own words. It may change within one run, because a
// provider can replace the weights behind a name.
type Voice struct {
	Author Author // the Identity of who was asked
	Model  string // Response.Model
	Print  string // Response.Print
	Card   string // Response.Card
}

// VoiceOf returns who gave a response.
func VoiceOf(a Author, r Response) Voice { return Voice{a.Identity(), r.Model, r.Print, r.Card} }

// Model answers requests. Implementations are safe for concurrent use.
//
// A completion that the provider did not give (blocked, or no answer after retries) is a [*Failure]. An answer that is
// empty is a [Response] without Text, because it arrived and was paid for. Any other error (a cancelled context, a
// request the offline ledger lacks) ends the run.
type Model interface {
	Generate(ctx context.Context, r Request) (Response, error)
}

// Embedder computes vectors of one fixed length, one per text and in the order of the texts. Implementations are safe
// for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Failure is a completion that the model did not give, after all retries. An item that needed it has status
// model-error: it is counted, but not scored, because nothing is known about the SQL that the model would have written.
type Failure struct {
	Reason string // short and stable: "blocked: SAFETY", "http 500", "finish: RECITATION"
	Err    error  // the provider's error, without secrets; may be nil

	Status     int           // the HTTP status if it was not 200; else 0
	Retryable  bool          // the same request may succeed later (overload, a lost connection, a timeout)
	RetryAfter time.Duration // how long the provider asked to wait; 0 if it did not say

	// Usage is the provider's count for a completion that it made and then blocked; zero if it counted nothing.
	Usage Usage
}

// Error returns the reason and its cause.
func (f *Failure) Error() string {
	if f.Err == nil {
		return "llm: no completion: " + f.Reason
	}
	return "llm: no completion: " + f.Reason + ": " + f.Err.Error()
}

// Unwrap returns the provider's error.
func (f *Failure) Unwrap() error { return f.Err }
