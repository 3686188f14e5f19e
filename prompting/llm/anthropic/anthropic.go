// Package anthropic is an llm.Model for Anthropic's Messages API.
//
// The types of anthropic-sdk-go write the request (request.go, turns.go), package wire sends it once and keeps the raw
// answer (exchange.go), and this package decodes the answer itself (answer.go) and says what an error is about
// (failure.go). The SDK's client is left out: it reads the environment, retries, times calls out, writes to standard
// error, brings the whole of its other services into the program, and loses what it does not know of an answer that was
// paid for. The package must never do any of these.
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// DefaultKeyEnv is the environment variable that holds the key where the experiment names no other and no base URL.
const DefaultKeyEnv = "ANTHROPIC_API_KEY"

// DefaultBaseURL is the address of the public API.
const DefaultBaseURL = "https://api.anthropic.com"

// version is that of the API, by the date that its header has.
const version = "2023-06-01"

// Options says how to reach the API.
type Options struct {
	Key     string       // none if empty, which gateways may accept; see wire.ReadKey for its source
	BaseURL string       // up to "/v1/messages", with "/v1" or without; DefaultBaseURL if empty, which requires a Key
	HTTP    *http.Client // a new client if nil; its transport and timeout are kept
}

// Client is a client of one server. It is safe for concurrent use.
type Client struct {
	http     *http.Client
	wire     *wire.Transport // used by http
	key      wire.Key
	base     string
	warnings wire.Set // warnings, as sentences
	thoughts wire.Thoughts
}

var (
	_ llm.Model   = (*Client)(nil)
	_ llm.Warner  = (*Client)(nil)
	_ llm.Reacher = (*Client)(nil)
)

// New returns a client; it makes no call.
func New(o Options) (*Client, error) {
	if o.Key == "" && o.BaseURL == "" {
		return nil, fmt.Errorf("anthropic: no API key: set %s, name the variable that holds it as model.key_env, or set model.base_url to a server that needs none", DefaultKeyEnv)
	}
	key, err := wire.NewKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("anthropic: new client: %w", err)
	}
	base, err := wire.BaseURL(o.BaseURL, DefaultBaseURL)
	if err != nil {
		return nil, fmt.Errorf("anthropic: new client: %w", err)
	}
	base = strings.TrimSuffix(base, "/v1") // part of the paths here, and of the base URL elsewhere
	t := &wire.Transport{Amend: func(r *http.Request) {
		r.Header.Set("Anthropic-Version", version)
		if key.Text() != "" {
			r.Header.Set("X-Api-Key", key.Text())
		}
	}}
	return &Client{http: t.Client(o.HTTP), wire: t, key: key, base: base}, nil
}

// Generate sends the conversation and returns the answer; each sample is a call of its own. System messages become the
// system prompt; the last message must be the user's or a tool's result. Params.Extra holds further fields of the request
// under the API's names ("cache_control", "output_config", "tool_choice", "service_tier"). The API requires a bound on the
// answer's tokens: without Params.MaxTokens it is DefaultMaxTokens, on top of a budget for reasoning.
//
// A refusal by the provider's classifiers and an HTTP error of one request are a [*llm.Failure]. An empty answer is an
// answer. A refused key, an unknown model, an account without credit and a parameter that the model does not take are
// plain errors, because every other request would fail too.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	got, err := c.ask(ctx, r)
	list, err := c.key.Answer([]llm.Response{got}, named(err, "generate with", r.Model))
	if err != nil {
		return llm.Response{}, err
	}
	return list[0], nil
}

// ask makes one call and reads its answer.
func (c *Client) ask(ctx context.Context, r llm.Request) (llm.Response, error) {
	body, err := c.body(r)
	if err != nil {
		return llm.Response{}, err
	}
	call := &wire.Call{}
	defer call.Done()
	if err := c.post(ctx, call, "/v1/messages", body); err != nil {
		return llm.Response{}, wire.Bill(err, r, 1)
	}
	return c.read(call, r)
}

// Reach implements [llm.Reacher].
func (c *Client) Reach(ctx context.Context) error { return c.wire.Reach(ctx, c.key, c.base) }

// Warnings returns the warnings so far: see [llm.Warner].
func (c *Client) Warnings() []string {
	return c.key.Texts(slices.Sorted(slices.Values(slices.Concat(c.warnings.Sorted(), c.thoughts.Warnings()))))
}

// warn records a warning, in which %q is the model.
func (c *Client) warn(model, text string) {
	c.warnings.Add("anthropic: " + fmt.Sprintf(text, model))
}

// named adds verb and subject to a plain error; a failure stays as it is, because its reason is what the run records.
func named(err error, verb, subject string) error {
	return wire.Named(err, "anthropic: "+verb, subject)
}
