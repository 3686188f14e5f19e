// Package gemini is Google's Gemini API behind llm.Model, through generative-ai-go.
//
// The key travels in a header and never in a URL, so that no error text can carry it. The SDK retries 503 on its own
// and loses the cause; the transport here turns 503 into an error at once, so that every attempt is counted where
// retries are decided.
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/prompting/llm"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// DefaultKeyEnv is the environment variable that holds the key where the experiment names no other.
const DefaultKeyEnv = "GEMINI_API_KEY"

// DefaultBaseURL is where the public API answers.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// Options says how to reach the API.
type Options struct {
	Key     string       // required
	BaseURL string       // DefaultBaseURL if empty
	HTTP    *http.Client // http.DefaultClient's transport if nil; its timeout is kept
}

// Client is a Gemini client. It is safe for concurrent use.
type Client struct {
	genai *genai.Client
}

var _ llm.Model = (*Client)(nil)

// New returns a client; it makes no call.
func New(ctx context.Context, o Options) (*Client, error) {
	if o.Key == "" {
		return nil, fmt.Errorf("gemini: no API key: set %s, or name the variable that holds it as model.key_env", DefaultKeyEnv)
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	hc := http.Client{}
	if o.HTTP != nil {
		hc = *o.HTTP
	}
	hc.Transport = &transport{key: o.Key, next: hc.Transport}
	g, err := genai.NewClient(ctx, option.WithAPIKey(o.Key), option.WithHTTPClient(&hc),
		option.WithEndpoint(strings.TrimSuffix(o.BaseURL, "/")))
	if err != nil {
		return nil, fmt.Errorf("gemini: new client: %w", err)
	}
	return &Client{genai: g}, nil
}

// Close releases the client's connections.
func (c *Client) Close() error { return c.genai.Close() }

// Generate sends the conversation and returns the first candidate. System messages become the system instruction;
// the last message must be the user's.
//
// A blocked prompt, a candidate that stopped for any reason but its natural end or its token bound, an empty
// candidate and an HTTP error of one request are a [*llm.Failure]. A refused key and an unknown model are plain errors:
// no other request would fare better.
func (c *Client) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	system, turns, err := split(r.Messages)
	if err != nil {
		return llm.Response{}, fmt.Errorf("gemini: generate with %q: %w", r.Model, err)
	}
	m := c.genai.GenerativeModel(r.Model)
	setParams(m, r.Params)
	if system != "" {
		m.SystemInstruction = genai.NewUserContent(genai.Text(system))
	}
	last := len(turns) - 1
	call := &callState{seed: r.Params.Seed, history: turns[:last]}
	_, err = m.GenerateContent(context.WithValue(ctx, callKey{}, call), genai.Text(turns[last].Text))
	if ctx.Err() != nil {
		return llm.Response{}, ctx.Err()
	}
	if resp, ok, bad := readBody(call); ok {
		return resp, bad
	}
	return llm.Response{}, classify(r.Model, err)
}

func setParams(m *genai.GenerativeModel, p llm.Params) {
	m.SetTemperature(float32(p.Temperature))
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

// split joins the system messages and returns the turns, of which the last is the user's.
func split(messages []llm.Message) (system string, turns []llm.Message, err error) {
	var instructions []string
	for _, m := range messages {
		if m.Role == llm.System {
			instructions = append(instructions, m.Text)
		} else {
			turns = append(turns, m)
		}
	}
	if n := len(turns); n == 0 || turns[n-1].Role != llm.User {
		return "", nil, errors.New("the last message is not the user's")
	}
	return strings.Join(instructions, "\n\n"), turns, nil
}

// body is the part of an answer that assay reads itself: the SDK decodes reasons it does not know to "unspecified",
// and drops a whole answer when one candidate is blocked.
type body struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text    string `json:"text"`
				Thought bool   `json:"thought"`
			} `json:"parts"`
		} `json:"content"`
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string `json:"modelVersion"`
}

// readBody turns a 200 answer into a response or a failure; ok is false where no such answer came.
func readBody(call *callState) (resp llm.Response, ok bool, err error) {
	if call.status != http.StatusOK {
		return llm.Response{}, false, nil
	}
	var b body
	if err := json.Unmarshal(call.raw, &b); err != nil {
		return llm.Response{}, true, &llm.Failure{Reason: "malformed answer", Err: err}
	}
	if b.PromptFeedback.BlockReason != "" {
		return llm.Response{}, true, &llm.Failure{Reason: "blocked: " + b.PromptFeedback.BlockReason}
	}
	if len(b.Candidates) == 0 {
		return llm.Response{}, true, &llm.Failure{Reason: "no candidates"}
	}
	c := b.Candidates[0]
	var text strings.Builder
	for _, p := range c.Content.Parts {
		if !p.Thought {
			text.WriteString(p.Text)
		}
	}
	u := llm.Usage{PromptTokens: b.UsageMetadata.Prompt, CompletionTokens: b.UsageMetadata.Candidates + b.UsageMetadata.Thoughts}
	resp = llm.Response{Text: text.String(), Usage: u, Model: b.ModelVersion, Finish: "stop"}
	switch c.FinishReason {
	case "STOP", "":
	case "MAX_TOKENS":
		resp.Finish = "length"
	default:
		return llm.Response{}, true, &llm.Failure{Reason: "finish: " + c.FinishReason}
	}
	if resp.Text == "" {
		return llm.Response{}, true, &llm.Failure{Reason: "empty: finish " + c.FinishReason}
	}
	return resp, true, nil
}

// classify tells a failure of one request from one that every request would meet.
func classify(model string, err error) error {
	var gone *unavailableError
	if errors.As(err, &gone) {
		return &llm.Failure{Reason: "http 503", Err: gone}
	}
	var ge *googleapi.Error
	if !errors.As(err, &ge) {
		return &llm.Failure{Reason: "transport", Err: err}
	}
	fatal := ge.Code == 401 || ge.Code == 403 || ge.Code == 404 ||
		ge.Code == 400 && strings.Contains(ge.Body, "API_KEY_INVALID")
	if fatal {
		return fmt.Errorf("gemini: generate with %q: http %d: %s: check the key and the model's name", model, ge.Code, ge.Message)
	}
	return &llm.Failure{Reason: fmt.Sprintf("http %d", ge.Code), Err: err}
}
