// Package llm defines what a language model is to assay: a Request, a Response, and the Model between them.
//
// See [Scripted] for a test double, [assay/prompting/llm/baseline] for the embedded default and
// [assay/prompting/llm/gemini] for a real provider. [assay/prompting/llm/ledger] wraps any of them and remembers.
package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Role says who speaks a Message.
type Role string

// The roles of a conversation.
const (
	System     Role = "system"
	User       Role = "user"
	Assistant  Role = "assistant"
	ToolResult Role = "tool" // what a tool that the model called gave back
)

// Message is one turn of the conversation sent to a model.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`

	Calls  []ToolCall `json:"calls,omitempty"`   // of an Assistant's turn: the tools it called, as its Response had them
	CallID string     `json:"call_id,omitempty"` // of a ToolResult: the ID of the call that Text answers
	Tool   string     `json:"tool,omitempty"`    // of a ToolResult: the tool's name
}

// Params are the generation parameters. A nil pointer means "not sent": the provider's default holds.
type Params struct {
	Temperature float64  `json:"temperature"`          // always sent, 0 included
	TopP        *float64 `json:"top_p,omitempty"`      // nucleus mass, 0 to 1
	TopK        *int     `json:"top_k,omitempty"`      // tokens considered
	MaxTokens   int      `json:"max_tokens,omitempty"` // bound on the completion; 0 is not sent
	Stop        []string `json:"stop,omitempty"`       // sequences that end the completion, not part of it
	Seed        *int64   `json:"seed,omitempty"`       // names the stream that samples are drawn from, see DrawSeed; nil: no seed is sent

	// Extra are further parameters under the provider's own names ("min_p", "safetySettings", "responseMimeType"), sent
	// as they are. They decide the completion, so they are part of the request's identity.
	Extra map[string]any `json:"extra,omitempty"`

	// Logprobs asks for the log-probabilities of the completion's tokens, which come summed up in Response.Logprob.
	Logprobs bool `json:"logprobs,omitempty"`
}

// Author is who is asked for a completion: the same model name behind another address is another author.
type Author struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // as the provider is asked for it
	// Server is the address that answers, without a slash at its end, where that is not the provider's own; else empty.
	Server string `json:"server,omitempty"`
	// As is the name that the experiment gives the author, in place of its model and address, so that the same weights
	// behind other addresses are one author; empty where it gives none.
	As string `json:"as,omitempty"`
}

// Identity is the author as a request's key has it: a name that the experiment gives stands for model and address.
func (a Author) Identity() Author {
	if a.As != "" {
		a.Model, a.Server = "", ""
	}
	return a
}

// String is the author as people read it: "openai/m", "openai/m at http://127.0.0.1:8080/v1", "openai/m-q4" where the
// experiment names it.
func (a Author) String() string {
	switch {
	case a.As != "":
		return a.Provider + "/" + a.As
	case a.Server != "":
		return a.Provider + "/" + a.Model + " at " + a.Server
	}
	return a.Provider + "/" + a.Model
}

// Request is everything that decides a completion. It is one value, and its Key is the identity of the completion.
type Request struct {
	Author
	Params   Params    `json:"params"`
	Messages []Message `json:"messages"`
	Sample   int       `json:"sample"`          // 0-based number of the completion asked for: equal requests differ only in it
	Tools    []Tool    `json:"tools,omitempty"` // that the model may call; none leaves the identity as it was without them
}

// Key returns "sha256:" and the hexadecimal SHA-256 of the request's canonical JSON (fields in declared order,
// lengths delimited by JSON itself, so no two requests share an encoding). Of a named author the key holds the name, and
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

// Usage counts tokens. Estimated is set where the provider did not count and assay estimated.
type Usage struct {
	PromptTokens     int  `json:"prompt_tokens"`
	CompletionTokens int  `json:"completion_tokens"` // reasoning included
	Estimated        bool `json:"estimated,omitempty"`

	CachedTokens    int `json:"cached_tokens,omitempty"`    // of PromptTokens: read from the provider's own cache of prompts
	ReasoningTokens int `json:"reasoning_tokens,omitempty"` // of CompletionTokens: written before the answer; 0 where it is not told
}

// Add returns the sum of two usages; an estimate in either makes the sum one.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens, u.Estimated || v.Estimated,
		u.CachedTokens + v.CachedTokens, u.ReasoningTokens + v.ReasoningTokens}
}

// Response is one finished completion.
type Response struct {
	Text   string `json:"text"`
	Finish string `json:"finish"` // why it ended: "stop", "length", or the provider's own word
	Usage  Usage  `json:"usage"`
	Model  string `json:"model,omitempty"` // the version the provider says answered
	Cached bool   `json:"-"`               // answered by the ledger, without a call

	// Reasoning is what the model wrote before its answer, where the provider gives it or it stood in a <think> block.
	// It is no part of Text. Usage.ReasoningTokens counts it where the provider does.
	Reasoning string `json:"reasoning,omitempty"`
	Print     string `json:"print,omitempty"` // the system fingerprint that the provider names; empty where it names none
	// Card is what the server says of the model where it lists its models: canonical JSON, empty where it says nothing.
	Card string `json:"card,omitempty"`

	ToolCalls []ToolCall `json:"tool_calls,omitempty"` // in the model's order; Text may then be empty, and Finish is FinishTools
	Logprob   *Logprob   `json:"logprob,omitempty"`    // nil where it was not asked for, or not given
}

// Silence says why there is nothing in an answer, one sentence without its end; empty where there is something.
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

// The Finish of a response that calls tools, and of one that a bound on its tokens cut.
const (
	FinishTools  = "tool_calls"
	FinishLength = "length"
)

// Voice is who answered, by the provider's own words.
type Voice struct {
	Author Author // its identity: of a named author the name alone
	Model  string // Response.Model
	Print  string // Response.Print
	Card   string // Response.Card
}

// VoiceOf says who gave a response.
func VoiceOf(a Author, r Response) Voice { return Voice{a.Identity(), r.Model, r.Print, r.Card} }

// Model answers requests. Implementations are safe for concurrent use.
//
// A completion the provider would not give (blocked, or no answer after retries) is a [*Failure]; an answer that is
// empty is a [Response] without a Text: it came, and was paid for. Any other
// error (a cancelled context, a request the offline ledger lacks) ends the run.
type Model interface {
	Generate(ctx context.Context, r Request) (Response, error)
}

// Embedder turns texts into vectors of one fixed length, one a text in order. Implementations are safe for concurrent use.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Failure is a completion that the model did not give, after whatever retries were due. An item that needed it has
// status model-error: it is counted, and not scored.
type Failure struct {
	Reason string // short and stable: "blocked: SAFETY", "http 500", "finish: RECITATION"
	Err    error  // the provider's error, without secrets; may be nil

	Status     int           // the HTTP status that was not 200; 0 where none was
	Retryable  bool          // the same request may succeed later: overload, a lost connection, a timeout
	RetryAfter time.Duration // how long the provider asked to wait; 0 where it did not say

	// Usage is what the provider counted of a completion that it made and held back; zero where it counted nothing.
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
