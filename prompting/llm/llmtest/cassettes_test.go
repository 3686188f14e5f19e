package llmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/anthropic"
	"assay/prompting/llm/gemini"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/openai"
)

const cassettes = "testdata/cassettes"

// replay returns the provider that a cassette answers, and a request that its interactions are about.
func replay(t *testing.T, name string) (provider, llm.Request) {
	t.Helper()
	o := llmtest.LoadCassette(t, filepath.Join(cassettes, name+".json")).Client()
	r := llm.Request{Author: llm.Author{Provider: "test", Model: "gpt-4o-mini"}, Messages: []llm.Message{{Role: llm.User, Text: "How many boats?"}}}
	if strings.HasPrefix(name, "anthropic/") {
		c, err := anthropic.New(anthropic.Options{Key: plantedKey, BaseURL: "http://server", HTTP: o})
		if err != nil {
			t.Fatal(err)
		}
		r.Model = "claude-sonnet-4-5"
		return c, r
	}
	if !strings.HasPrefix(name, "gemini/") {
		c, err := openai.New(openai.Options{Key: plantedKey, BaseURL: "http://server/v1", HTTP: o})
		if err != nil {
			t.Fatal(err)
		}
		return c, r
	}
	c, err := gemini.New(context.Background(), gemini.Options{Key: plantedKey, BaseURL: "http://server", HTTP: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	r.Model = "gemini-2.5-flash"
	return c, r
}

// outcomeLine describes the outcome of a call, in one line.
func outcomeLine(got []llm.Response, err error) string {
	var f *llm.Failure
	switch {
	case errors.As(err, &f):
		s := "failure " + f.Reason
		if f.Retryable {
			s += ", again"
		}
		if f.RetryAfter > 0 {
			s += " after " + f.RetryAfter.String()
		}
		return s
	case err != nil:
		return "ends the run: " + err.Error()
	}
	var parts []string
	for _, r := range got {
		s := fmt.Sprintf("%q %s %d+%d", r.Text, r.Finish, r.Usage.PromptTokens, r.Usage.CompletionTokens)
		if u := r.Usage; u.ReasoningTokens+u.CachedTokens > 0 {
			s += fmt.Sprintf(" (%d reasoning, %d cached)", u.ReasoningTokens, u.CachedTokens)
		}
		if n := r.Usage.CacheWriteTokens; n > 0 {
			s += fmt.Sprintf(" (%d to the cache)", n)
		}
		if r.Tier != "" {
			s += " by " + r.Tier
		}
		if r.Reasoning != "" {
			s += fmt.Sprintf(" after %q", r.Reasoning)
		}
		for _, c := range r.ToolCalls {
			s += fmt.Sprintf(" %s %s(%s)", c.ID, c.Name, c.Arguments)
		}
		if r.Logprob != nil {
			s += fmt.Sprintf(" %g/%d", r.Logprob.Total, r.Logprob.Tokens)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

// ask is what a line of the table asks for beyond one completion.
type ask struct {
	n        int
	logprobs bool
	tools    bool
	plain    bool
	then     string // the tools' result to go on with
	reason   string // Params.Reasoning, with the temperature 1
}

// ended is the beginning of an error of anthropic's that ends the run.
const ended = `ends the run: anthropic: generate with "claude-sonnet-4-5": http `

// played are the cassettes of completions, with what comes of each; a want that ends in "..." is a beginning.
var played = []struct {
	name string
	ask  ask
	want string
}{
	{"gemini/normal", ask{}, `"SELECT count(*) FROM boat" stop 11+27 (20 reasoning, 0 cached) after "Counting the rows of boat."`},
	{"gemini/blocked-prompt", ask{}, "failure blocked: PROHIBITED_CONTENT"},
	{"gemini/safety", ask{}, "failure finish: SAFETY"},
	{"gemini/recitation", ask{}, "failure finish: RECITATION"},
	{"gemini/max-tokens", ask{}, `"SELECT count(*" length 9+4`},
	{"gemini/max-tokens-in-thought", ask{}, `"" length 9+64 (64 reasoning, 0 cached)`},
	{"gemini/empty-candidates", ask{}, "failure no candidates"},
	{"gemini/malformed-function-call", ask{tools: true}, `"" tool_calls 9+0`},
	{"gemini/candidates", ask{n: 3}, `"SELECT 1" stop 9+3; "SELECT 22" stop 0+3`},
	{"gemini/logprobs", ask{logprobs: true}, `"SELECT 1" stop 9+3 -0.875/3`},
	{"gemini/tools", ask{tools: true, then: "12"}, `"" tool_calls 40+9 #1 count_rows({"table":"boat"}); "There are 12." stop 60+5`},
	{"gemini/error-400", ask{}, "failure http 400"},
	{"gemini/error-400-long", ask{}, "failure prompt too long"},
	{"gemini/error-400-key", ask{}, `ends the run: gemini: generate with "gemini-2.5-flash": http 400: API_KEY_INVALID...`},
	{"gemini/error-403", ask{}, `ends the run: gemini: generate with "gemini-2.5-flash": http 403: PERMISSION_DENIED...`},
	{"gemini/error-404", ask{}, `ends the run: gemini: generate with "gemini-2.5-flash": http 404: NOT_FOUND...`},
	{"gemini/error-429-minute", ask{}, "failure http 429, again after 37.5s"},
	{"gemini/error-429-day", ask{}, `ends the run: gemini: generate with "gemini-2.5-flash": http 429: GenerateRequestsPerDayPerProjectPerModel-FreeTier: the day's quota is spent...`},
	{"gemini/error-500", ask{}, "failure http 500, again"},
	{"gemini/error-503", ask{}, "failure http 503, again"},

	{"openai/normal", ask{}, `"SELECT count(*) FROM boat" stop 13+5`},
	{"openai/n2", ask{n: 2}, `"SELECT 1" stop 13+3; "SELECT 22" stop 0+3`},
	{"openai/length", ask{}, `"SELECT count(*" length 13+5`},
	{"openai/reasoning-length", ask{}, `"" length 13+64 (64 reasoning, 0 cached)`},
	{"openai/content-filter", ask{}, "failure blocked: content_filter"},
	{"openai/refusal", ask{}, `"I cannot help with that." stop 13+5`},
	{"openai/tool-unasked", ask{}, `"" tool_calls 13+5`},
	{"openai/tool-refusal", ask{tools: true}, `"I cannot call that." stop 13+5`},
	{"openai/tools", ask{tools: true, then: "12"}, `"" tool_calls 50+15 call_abc123 count_rows({"table":"boat"}); "There are 12." stop 80+5`},
	{"openai/logprobs", ask{logprobs: true}, `"SELECT 1" stop 13+5 -0.875/3`},
	{"openai/error-400", ask{}, "failure http 400"},
	{"openai/error-400-long", ask{}, "failure prompt too long"},
	{"openai/error-400-temperature", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 400: unsupported_value...`},
	{"openai/error-401", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 401: invalid_api_key...`},
	{"openai/error-404", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 404: model_not_found...`},
	{"openai/error-429", ask{}, "failure http 429, again after 1.25s"},
	{"openai/error-429-quota", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 429: insufficient_quota...`},
	{"openai/error-500", ask{}, "failure http 500, again"},
	{"openai/plain-error-404", ask{plain: true}, `ends the run: openai: generate with "gpt-4o-mini": http 404: invalid_request_error...`},
	{"openai/error-502-html", ask{}, "failure http 502, again"},

	{"ollama/reasoning", ask{}, `"SELECT 1" stop 26+12 after "One row will do."`},
	{"ollama/think-tags", ask{}, `"SELECT 1" stop 26+14 after "<think>\nOne row will do.\n</think>"`},
	{"ollama/empty", ask{}, `"" stop 4+0`},
	{"ollama/ignores-n", ask{n: 3}, `"SELECT 1" stop 26+9`},
	{"ollama/tools", ask{tools: true}, `"" tool_calls 26+9 call_9xkq count_rows({"table":"boat"})`},
	{"ollama/plain", ask{plain: true, n: 3}, `" 1 FROM" length 26+3`},
	{"ollama/error-404", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 404: not_found_error: model "qwen3:8b" not found...`},
	{"ollama/error-404-plain", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 404: model 'qwen3:8b' not found...`},
	{"ollama/error-500", ask{}, "failure http 500, again"},

	{"llamacpp/normal", ask{}, `"SELECT 1" stop 20+6`},
	{"llamacpp/reasoning", ask{}, `"SELECT 1" stop 20+6 after "One row will do."`},
	{"llamacpp/tools", ask{tools: true}, `"" tool_calls 20+6 call00001 count_rows({"table":"boat"})`},
	{"llamacpp/plain", ask{plain: true, n: 3, logprobs: true}, `" authors" stop 6+2 (0 reasoning, 5 cached) -1.125/2; " 2" stop 0+1 -2/2; " authors" length 0+2 -1.125/2`},
	{"llamacpp/plain-error-400-n", ask{plain: true}, "failure http 400"},
	{"llamacpp/error-400-long", ask{}, "failure prompt too long"},
	{"llamacpp/error-200-long", ask{}, "failure prompt too long"},
	{"llamacpp/error-500-long", ask{}, "failure prompt too long"},
	{"llamacpp/error-503", ask{}, "failure http 503, again"},
	{"llamacpp/error-401", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 401: authentication_error: Invalid API Key...`},

	{"vllm/normal", ask{}, `"SELECT 1" stop 30+8 after "One row will do."`},
	{"vllm/logprobs", ask{logprobs: true}, `"SELECT 1" stop 30+8 -0.875/3`},
	{"vllm/plain", ask{plain: true, logprobs: true}, `" 1" stop 30+3 -0.875/2`},
	{"vllm/tools", ask{tools: true}, `"" tool_calls 30+8 chatcmpl-tool-1 count_rows({"table": "boat"})`},
	{"vllm/error-400-long-old", ask{}, "failure prompt too long"},
	{"vllm/error-400-long", ask{}, "failure prompt too long"},
	{"vllm/error-404", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 404: NotFoundError: The model...`},

	{"anthropic/normal", ask{}, `"SELECT count(*) FROM boat" stop 13+9`},
	{"anthropic/thinking", ask{reason: "4096"}, `"SELECT 1" stop 40+90 (81 reasoning, 0 cached) after "One table holds boats."`},
	{"anthropic/effort", ask{reason: "low"}, `"SELECT 1" stop 40+90 (81 reasoning, 0 cached)`},
	{"anthropic/no-thinking", ask{reason: "none"}, `"SELECT 1" stop 13+4`},
	{"anthropic/max-tokens", ask{}, `"SELECT count(*" length 13+4`},
	{"anthropic/max-tokens-in-thought", ask{}, `"" length 13+64 (64 reasoning, 0 cached) after "One table holds boats."`},
	{"anthropic/context-window", ask{}, `"SELECT count(*" length 199990+10`},
	{"anthropic/stop-sequence", ask{}, `"SELECT 1" stop 13+4`},
	{"anthropic/empty", ask{}, `"" stop 13+3`},
	{"anthropic/refusal", ask{}, "failure blocked: refusal"},
	{"anthropic/pause-turn", ask{}, `"SELECT 1" pause_turn 13+4`},
	{"anthropic/future", ask{}, `"SELECT 1" new_reason 13+4`},
	{"anthropic/cached", ask{}, `"SELECT 1" stop 2110+4 (0 reasoning, 1800 cached) (300 to the cache)`},
	{"anthropic/batch", ask{}, `"SELECT 1" stop 13+4 by batch`},
	{"anthropic/tools", ask{tools: true, then: "12"}, `"I count." tool_calls 380+90 toolu_01 count_rows({"table":"boat"}) toolu_02 count_rows({"table":"ship"}); "There are 24." stop 480+8`},
	{"anthropic/tools-thinking", ask{tools: true, then: "12", reason: "2048"}, `"I count." tool_calls 380+190 (80 reasoning, 0 cached) after "One table holds boats.\n\nAnd ships." toolu_01 count_rows({"table":"boat"}) toolu_02 count_rows({"table":"ship"}); "There are 24." stop 580+8`},
	{"anthropic/tool-unasked", ask{}, `"" tool_calls 13+9`},
	{"anthropic/error-400", ask{}, "failure http 400"},
	{"anthropic/error-400-long", ask{}, "failure prompt too long"},
	{"anthropic/error-400-window", ask{}, "failure prompt too long"},
	{"anthropic/error-400-credit", ask{}, ended + `400: invalid_request_error: Your credit balance...`},
	{"anthropic/error-400-limit", ask{}, ended + `400: invalid_request_error: You have reached your specified API usage limits...`},
	{"anthropic/error-400-temperature", ask{}, ended + "400: invalid_request_error: `temperature` is deprecated for this model.: the model does not take this model.temperature: set model.temperature to 1, the API's own, which is not sent"},
	{"anthropic/error-400-top-p", ask{}, ended + "400: invalid_request_error: `temperature` and `top_p` cannot both be specified for this model. Please use only one.: the model takes one of the two..."},
	{"anthropic/error-400-thinking-temperature", ask{}, ended + "400: invalid_request_error: `temperature` may only be set to 1 when thinking is enabled.: with reasoning the model..."},
	{"anthropic/error-400-budget", ask{}, ended + `400: invalid_request_error: "thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.: the model takes an effort and no budget...`},
	{"anthropic/error-400-adaptive", ask{}, ended + `400: invalid_request_error: adaptive thinking is not supported on this model: the model takes a budget and no effort...`},
	{"anthropic/error-400-effort", ask{}, ended + `400: invalid_request_error: This model does not support the effort parameter.: the model does not take this effort...`},
	{"anthropic/error-400-max-tokens", ask{}, ended + `400: invalid_request_error: max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022: set model.max_tokens...`},
	{"anthropic/error-400-extra", ask{}, ended + `400: invalid_request_error: min_p: Extra inputs are not permitted: the API has no such parameter...`},
	{"anthropic/error-400-signature", ask{}, "failure http 400"},
	{"anthropic/error-401", ask{}, ended + `401: authentication_error: Invalid API key: check the key`},
	{"anthropic/error-402", ask{}, ended + `402: billing_error...`},
	{"anthropic/error-403", ask{}, ended + `403: permission_error...`},
	{"anthropic/error-404", ask{}, ended + `404: not_found_error: model: claude-sonnet-4-5: check base_url and the model's name...`},
	{"anthropic/error-413", ask{}, "failure prompt too long"},
	{"anthropic/error-429", ask{}, "failure http 429, again after 7s"},
	{"anthropic/error-429-reset", ask{}, "failure http 429, again after 23s"},
	{"anthropic/error-429-limit", ask{}, ended + `429: rate_limit_error: You have reached your specified workspace API usage limits....`},
	{"anthropic/error-500", ask{}, "failure http 500, again"},
	{"anthropic/error-504", ask{}, "failure http 504, again"},
	{"anthropic/error-529", ask{}, "failure http 529, again"},
	{"anthropic/error-200", ask{}, "failure http 529, again"},
	{"anthropic/error-200-unknown", ask{}, "failure error in the answer"},
	{"anthropic/error-502-html", ask{}, "failure http 502, again"},

	{"mistral/parts", ask{}, `"SELECT 1" stop 10+9`},
	{"mistral/error-401", ask{}, `ends the run: openai: generate with "gpt-4o-mini": http 401: Unauthorized...`},
	{"mistral/plain-error-405", ask{plain: true}, `ends the run: openai: generate with "gpt-4o-mini": http 405: Method Not Allowed...`},
	{"mistral/error-422", ask{}, "failure http 422"},
}

// other are the cassettes of other calls, which tests of their own play.
var other = []string{"anthropic/count-tokens", "gemini/count-tokens", "gemini/embed", "openai/embeddings"}

func TestCassettes(t *testing.T) {
	for _, line := range played {
		t.Run(line.name, func(t *testing.T) {
			m, r := replay(t, line.name)
			got := line.ask.of(t, m, r)
			head, open := strings.CutSuffix(line.want, "...")
			if got != line.want && !(open && strings.HasPrefix(got, head)) {
				t.Errorf("got  %s\nwant %s", got, line.want)
			}
			t.Logf("| %s | %s |", line.name, got)
			if strings.Contains(got, plantedKey) {
				t.Error("the key is shown")
			}
		})
	}
}

// of makes the line's calls and describes their outcomes.
func (a ask) of(t *testing.T, m provider, r llm.Request) string {
	ctx := context.Background()
	r.Params.Logprobs = a.logprobs
	if a.reason != "" {
		r.Params.Reasoning, r.Params.Temperature = a.reason, 1
	}
	if a.plain {
		r.Params.API = llm.Completions
	}
	if a.tools {
		r.Tools = []llm.Tool{{Name: "count_rows", Description: "Counts the rows of a table.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"table":{"type":"string"}},"required":["table"]}`)}}
	}
	samples := make([]int, max(a.n, 1))
	for i := range samples {
		samples[i] = i
	}
	got, err := several(ctx, m, r, samples)
	if a.then != "" && err == nil && len(got[0].ToolCalls) > 0 {
		r.Messages = append(r.Messages, got[0].Answered())
		for _, c := range got[0].ToolCalls {
			r.Messages = append(r.Messages, c.Answered(a.then))
		}
		var next llm.Response
		next, err = m.Generate(ctx, r)
		got = append(got, next)
	}
	return outcomeLine(got, err)
}

func TestCassettesOfCountedTokens(t *testing.T) {
	check := func(name string, want int) {
		t.Helper()
		m, r := replay(t, name)
		c := m.(interface {
			CountTokens(context.Context, llm.Request) (int, error)
		})
		if n, err := c.CountTokens(context.Background(), r); err != nil || n != want {
			t.Errorf("%s: %d tokens, %v", name, n, err)
		}
	}
	check("gemini/count-tokens", 11)
	check("anthropic/count-tokens", 14)
}

func TestCassettesOfEmbeddings(t *testing.T) {
	check := func(name, model string) {
		t.Helper()
		m, _ := replay(t, name)
		got, err := m.(llm.EmbeddingModel).Vectors(context.Background(), llm.EmbeddingRequest{Author: llm.Author{Model: model}, Texts: []string{"boats", "harbours"}})
		if err != nil || len(got.Vectors) != 2 || !slices.Equal(got.Vectors[0].Values, []float32{0.25, -0.5, 1}) || !slices.Equal(got.Vectors[1].Values, []float32{0.125, 0, -1}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	check("gemini/embed", "gemini-embedding-001")
	check("openai/embeddings", "text-embedding-3-small")
}

// secret is what no cassette may hold: keys as the providers make them, the headers and parameters they travel in.
var secret = regexp.MustCompile(`(?i)AIza[0-9A-Za-z_-]{8}|sk-[0-9A-Za-z]|bearer |authorization|x-goog-api-key|api-key|[?&]key=|planted`)

func TestEveryCassetteIsPlayedAndHoldsNoKey(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(cassettes, "*", "*.json"))
	if err != nil || len(found) < 60 {
		t.Fatalf("%d cassettes, %v", len(found), err)
	}
	for _, path := range found {
		rel, _ := filepath.Rel(cassettes, path)
		name := strings.TrimSuffix(filepath.ToSlash(rel), ".json")
		known := slices.Contains(other, name)
		for _, line := range played {
			known = known || line.name == name
		}
		if !known {
			t.Errorf("no test plays %s", name)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := secret.Find(text); m != nil {
			t.Errorf("%s holds %q", name, m)
		}
	}
	if !secret.MatchString("x-goog-api-key: AIzaSyA0123456789") {
		t.Error("the test would not know a key")
	}
}
