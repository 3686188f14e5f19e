// Package gemini is an llm.Model for Google's Gemini API, through generative-ai-go.
//
// The SDK writes the request, package wire sends it once and keeps the raw answer, and this package decodes the answer
// itself. Left to the SDK, a 503 would be retried and its cause lost, unknown finish reasons would become
// "unspecified", and one blocked candidate would drop the whole answer. The key must never be part of a URL, because
// URLs appear in errors: it is sent in a header.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"
)

// DefaultKeyEnv is the environment variable that holds the key where the experiment names no other.
const DefaultKeyEnv = "GEMINI_API_KEY"

// DefaultBaseURL is the address of the public API.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// maxCandidates is how many candidates the API gives per call.
const maxCandidates = 8

// Options says how to reach the API.
type Options struct {
	Key     string       // required; see wire.ReadKey for its source
	BaseURL string       // DefaultBaseURL if empty
	HTTP    *http.Client // a new client if nil; its transport and timeout are kept
}

// Client is a Gemini client. It is safe for concurrent use. A model has the API's name: "gemini-2.5-flash",
// "models/gemini-2.5-flash", or "tunedModels/NAME" for a tuned one.
type Client struct {
	genai    *genai.Client
	wire     *wire.Transport
	key      wire.Key
	base     string
	warnings wire.Set
	thoughts wire.Thoughts
	alone    wire.Set // models that refuse several candidates
}

var (
	_ llm.SampleGenerator = (*Client)(nil)
	_ llm.Warner          = (*Client)(nil)
)

// New returns a client; it makes no call.
func New(ctx context.Context, o Options) (*Client, error) {
	if o.Key == "" {
		return nil, fmt.Errorf("gemini: no API key: set %s, or name the variable that holds it as model.key_env", DefaultKeyEnv)
	}
	key, err := wire.NewKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("gemini: new client: %w", err)
	}
	base, err := wire.BaseURL(o.BaseURL, DefaultBaseURL)
	if err != nil {
		return nil, fmt.Errorf("gemini: new client: %w", err)
	}
	// The SDK puts the key that it is given (a placeholder, below) into the URL. It is removed there, and the real key
	// is sent in the header.
	t := &wire.Transport{Amend: func(r *http.Request) {
		q := r.URL.Query()
		q.Del("key")
		r.URL.RawQuery = q.Encode()
		r.Header.Set("x-goog-api-key", key.Text())
	}}
	// The SDK must be given a key, an HTTP client and an endpoint, or it looks for credentials of its own. The key
	// given here is a placeholder, which it never sends.
	g, err := genai.NewClient(ctx, option.WithAPIKey("in-header"), option.WithHTTPClient(t.Client(o.HTTP)), option.WithEndpoint(base))
	if err != nil {
		return nil, fmt.Errorf("gemini: new client: %s", key.Clip(err.Error()))
	}
	return &Client{genai: g, wire: t, key: key, base: base}, nil
}

// Close releases the client's connections.
func (c *Client) Close() error { return c.genai.Close() }

// Warnings returns the warnings so far: see [llm.Warner].
func (c *Client) Warnings() []string {
	return c.key.Texts(slices.Sorted(slices.Values(slices.Concat(c.warnings.Sorted(), c.thoughts.Warnings()))))
}

// Generate sends the conversation and returns its one candidate. System messages become the system instruction; the
// last message must be the user's or a tool's result. Params.Extra holds fields of generationConfig under the API's
// names ("responseMimeType", "responseSchema", "thinkingConfig"), and "safetySettings" and "toolConfig" of the request
// itself.
//
// A blocked prompt, a candidate that stopped for any reason but its natural end or the bound on its tokens, and an HTTP
// error of one request are a [*llm.Failure]. An empty candidate is an answer. A refused key, an unknown model and a
// spent daily quota are plain errors, because every other request would fail too.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	got, err := c.ask(ctx, r, 1)
	if err != nil {
		return llm.Response{}, err
	}
	return got[0], nil
}

// GenerateN implements [llm.SampleGenerator], with at most maxCandidates per call. A model that refuses more than one
// candidate is named in Warnings and asked for one at a time from then on.
func (c *Client) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	r.Sample = samples[0]
	n := min(len(samples), maxCandidates)
	// A seed that the experiment states is one sample's.
	if n == 1 || c.alone.Has(r.Model) || r.Params.FixedSeed != nil {
		return c.ask(ctx, r, 1)
	}
	got, err := c.ask(ctx, r, n)
	var f *llm.Failure
	// Only a 400 can be about the number of candidates, and a prompt that is too long is one for another reason.
	if !errors.As(err, &f) || f.Status != http.StatusBadRequest || f.Reason == wire.TooLong {
		return got, err
	}
	// If the same request for one candidate succeeds, the number was the reason for the refusal.
	got, err = c.ask(ctx, r, 1)
	if err == nil {
		c.alone.Add(r.Model)
		c.warnings.Add(fmt.Sprintf("gemini: %q refuses several candidates per call: each sample is a call of its own", r.Model))
	}
	return got, err
}

// ask makes one call for n candidates. The SDK's own result is ignored: the transport hands it an empty object.
func (c *Client) ask(ctx context.Context, r llm.Request, n int) ([]llm.Response, error) {
	m, last, call, err := c.prepare(r, n)
	if err != nil {
		return nil, fmt.Errorf("gemini: generate with %q: %w", r.Model, err)
	}
	defer call.Done()
	_, sdk := m.GenerateContent(wire.With(ctx, call), genai.Text(last))
	if err := c.outcome(ctx, call, sdk); err != nil {
		return nil, c.key.Error(named(wire.Bill(err, r, n), "generate", r.Model))
	}
	return c.key.Answer(c.read(call, r, n))
}

// prepare returns the SDK's model with its parameters, the text of the last turn, and the call that adds the rest.
func (c *Client) prepare(r llm.Request, n int) (m *genai.GenerativeModel, last string, call *wire.Call, err error) {
	if r.Params.API != "" { // the answer to a conversation must not be stored as one of another kind
		return nil, "", nil, fmt.Errorf("there is no API %q: Gemini answers conversations only (model.api = \"chat\")", r.Params.API)
	}
	system, turns, err := split(r.Messages)
	if err != nil {
		return nil, "", nil, err
	}
	m = c.genai.GenerativeModel(r.Model)
	setParams(m, r.Params)
	if n > 1 {
		m.SetCandidateCount(int32(n))
	}
	if system != "" {
		m.SystemInstruction = genai.NewUserContent(genai.Text(system))
	}
	more := additions{tools: r.Tools, seed: r.SentSeed(), logprobs: r.Params.Logprobs, extra: r.Params.Extra}
	more.reason(r.Params)
	// A single user turn is what the SDK sends by itself; anything else is written into the body afterwards.
	if len(turns) > 1 || turns[0].Role != llm.User {
		more.turns = turns
	}
	if err := more.check(); err != nil {
		return nil, "", nil, err
	}
	return m, turns[len(turns)-1].Text, &wire.Call{Edit: more.edit}, nil
}

// setParams sets the parameters that the SDK has fields for. What is unset is not sent, so that the API's default
// applies.
func setParams(m *genai.GenerativeModel, p llm.Params) {
	if !p.DefaultTemperature {
		m.SetTemperature(float32(p.Temperature))
	}
	if p.TopP != nil {
		m.SetTopP(float32(*p.TopP))
	}
	if p.TopK != nil {
		m.SetTopK(int32(*p.TopK))
	}
	if p.MaxTokens > 0 {
		m.SetMaxOutputTokens(int32(p.MaxTokens))
	}
	m.StopSequences = p.Stop
}

// split joins the system messages and returns the other turns, of which the last must be the user's or a tool's result.
func split(messages []llm.Message) (system string, turns []llm.Message, err error) {
	var instructions []string
	for _, m := range messages {
		if m.Role == llm.System {
			instructions = append(instructions, m.Text)
		} else {
			turns = append(turns, m)
		}
	}
	if n := len(turns); n == 0 || turns[n-1].Role != llm.User && turns[n-1].Role != llm.ToolResult {
		return "", nil, errors.New("the last message is not the user's, nor a tool's result")
	}
	return strings.Join(instructions, "\n\n"), turns, nil
}

// named adds verb and model to a plain error; a failure stays as it is, because its reason is what the run records.
func named(err error, verb, model string) error {
	return wire.Named(err, "gemini: "+verb+" with", model)
}
