// Package openai is an llm.Model for any server that speaks OpenAI's chat completions or its plain completions (OpenAI,
// Azure, Ollama, llama.cpp, vLLM, OpenRouter, LM Studio, Mistral, gateways).
//
// It writes the request's JSON for the endpoint that the request names (endpoint.go) as the kind of server takes it
// (server.go), package wire sends it once and keeps the raw answer, and this package decodes the answer itself, because
// servers differ in the fields they add and an SDK keeps only those it knows. What a server is seen or known not to heed is
// a warning (heed.go). It must never read the environment, retry, or drop an answer that was paid for because a field next
// to it has an unknown form.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// DefaultKeyEnv is the environment variable that holds the key where the experiment names no other and no base URL.
const DefaultKeyEnv = "OPENAI_API_KEY"

// DefaultBaseURL is where OpenAI's own API answers.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options says how to reach the server.
type Options struct {
	Server  string       // a row of Servers; empty: the first
	Key     string       // none if empty, which local servers accept; see wire.ReadKey for its source
	BaseURL string       // up to and without "/chat/completions" or "/completions"; the row's if empty, which requires a Key if the row's service does
	HTTP    *http.Client // a new client if nil; its transport and timeout are kept
}

// Client is a client of one server. It is safe for concurrent use.
type Client struct {
	http *http.Client
	wire *wire.Transport // used by http
	key  wire.Key
	base string // without the query
	tail string // the query with its question mark, of Azure's older addresses; empty otherwise

	server Server

	cards    cards    // what the server says about its models
	warnings wire.Set // warnings, as sentences
	alone    wire.Set // models that do not give n completions per call
	newer    wire.Set // models that name the bound on tokens max_completion_tokens
	thoughts wire.Thoughts
}

var (
	_ llm.SampleGenerator = (*Client)(nil)
	_ llm.Warner          = (*Client)(nil)
)

// New returns a client; it makes no call.
func New(o Options) (*Client, error) {
	server, ok := FindServer(cmp.Or(o.Server, Servers[0].ID))
	if !ok {
		return nil, fmt.Errorf("openai: there is no kind of server %q", o.Server)
	}
	if o.Key == "" && o.BaseURL == "" && server.KeyEnv != "" {
		return nil, fmt.Errorf("openai: no API key: set %s, name the variable that holds it as model.key_env, or set model.base_url to a server that needs none", server.KeyEnv)
	}
	key, err := wire.NewKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("openai: new client: %w", err)
	}
	base, err := wire.BaseURL(o.BaseURL, server.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("openai: new client: %w", err)
	}
	t := &wire.Transport{Amend: func(r *http.Request) {
		switch {
		case key.Text() == "":
		case server.Header != "":
			r.Header.Set(server.Header, key.Text())
		default:
			r.Header.Set("Authorization", "Bearer "+key.Text())
		}
	}}
	base, query, asked := strings.Cut(base, "?")
	if asked {
		query = "?" + query
	}
	return &Client{http: t.Client(o.HTTP), wire: t, key: key, base: base, tail: query, server: server}, nil
}

// Generate sends the conversation, or its plain prompt where Params.API is [llm.Completions], and returns the one choice.
// Params.Extra holds further fields of the request under
// the server's names ("min_p", "reasoning_effort", "response_format").
//
// A choice that a filter cut, and an HTTP error of one request, are a [*llm.Failure]. A choice that is empty or refuses
// in words is an answer. A refused key, an unknown model, an account without credit and a parameter that the model does
// not take are plain errors, because every other request would fail too.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	got, err := c.ask(ctx, r, 1)
	if err != nil {
		return llm.Response{}, err
	}
	return got[0], nil
}

// maxChoices is how many choices the API gives per call.
const maxChoices = 128

// GenerateN implements [llm.SampleGenerator]. A server that ignores or refuses n, or reports the tokens of only one of
// n choices, is named in Warnings and asked for one completion at a time from then on.
func (c *Client) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	// The sample only decides the seed that is sent; the choices of one call differ without it.
	r.Sample = samples[0]
	n := min(len(samples), maxChoices)
	if n > 1 && c.server.Alone {
		c.oneByOne(r.Model, "ignores n")
	}
	// A seed that the experiment states is one sample's.
	if n == 1 || c.alone.Has(r.Model) || r.Params.FixedSeed != nil {
		return c.ask(ctx, r, 1)
	}
	// 400 (OpenAI) and 422 (Mistral, vLLM) are the statuses of a refused parameter; other errors are not about n.
	got, err := c.ask(ctx, r, n)
	if bad := (*llm.Failure)(nil); !errors.As(err, &bad) || bad.Status != 400 && bad.Status != 422 || bad.Reason == wire.TooLong || bad.Reason == blocked {
		return got, err
	}
	// If the same request for one completion succeeds, the number was the reason for the refusal.
	got, err = c.ask(ctx, r, 1)
	if err == nil {
		c.oneByOne(r.Model, "refuses n")
	}
	return got, err
}

// oneByOne makes the model's later calls ask for one completion each, and records the warning.
func (c *Client) oneByOne(model, verb string) {
	c.alone.Add(model)
	c.warnings.Add(fmt.Sprintf("openai: %s with %q %s: each sample is a call of its own", c.base, model, verb))
}

// ask makes one call, and a second one if the first shows that the model uses the other name for the bound on tokens.
func (c *Client) ask(ctx context.Context, r llm.Request, n int) ([]llm.Response, error) {
	chats := r.Params.API == "" // plain completions know one name
	newer := chats && c.newer.Has(r.Model)
	got, err := c.call(ctx, r, n, newer)
	if refuses(err, "max_tokens") && chats && !newer && r.Params.MaxTokens > 0 {
		c.newer.Add(r.Model)
		c.warnings.Add(fmt.Sprintf("openai: %q takes no max_tokens: max_completion_tokens is sent, which also bounds its reasoning", r.Model))
		got, err = c.call(ctx, r, n, true)
	}
	if err != nil {
		got, err = nil, named(err, "generate", r.Model)
	}
	return c.key.Answer(got, err)
}

// call makes one request and reads its answer. The card is asked for only after an answer, so that a server that is not
// there costs no second timeout.
func (c *Client) call(ctx context.Context, r llm.Request, n int, newer bool) ([]llm.Response, error) {
	body, err := build(c.server, r, n, newer)
	if err != nil {
		return nil, err
	}
	c.unread(body)
	to, call := endpoints[r.Params.API], &wire.Call{} // build refuses an API that is none
	defer call.Done()
	sent := c.post(ctx, to.path, body, call)
	if err := c.outcome(ctx, call, sent); err != nil {
		return nil, to.hinted(call, wire.Bill(err, r, n))
	}
	got, err := c.read(call, r, n)
	if err != nil {
		return nil, err
	}
	card := c.card(ctx, r.Model)
	c.deaf(r)
	for i := range got {
		got[i].Card = card
	}
	return got, nil
}

// Warnings returns the warnings so far: see [llm.Warner].
func (c *Client) Warnings() []string {
	return c.key.Texts(slices.Sorted(slices.Values(slices.Concat(c.warnings.Sorted(), c.thoughts.Warnings()))))
}

// named adds verb and model to a plain error; a failure stays as it is, because its reason is what the run records.
func named(err error, verb, model string) error {
	return wire.Named(err, "openai: "+verb+" with", model)
}
