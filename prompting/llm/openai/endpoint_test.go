package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/wire"

	"github.com/google/go-cmp/cmp"
)

// plainly returns a request for a plain completion.
func plainly(text string) llm.Request {
	r := llmtest.Ask(text)
	r.Params.API = llm.Completions
	return r
}

func TestPlainRequestOnTheWire(t *testing.T) {
	c, asked, body := serve(t, 200, `{"model":"m-001","choices":[{"text":" 1","finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7}}`)
	r := plainly("-- one\nSELECT")
	topP, topK, seed := 0.5, 7, int64(42)
	r.Params = llm.Params{Temperature: 0.7, TopP: &topP, TopK: &topK, MaxTokens: 99, Stop: []string{";"}, Seed: &seed, Logprobs: true, API: llm.Completions,
		Extra: map[string]any{"min_p": 0.1}}
	resp, err := c.Generate(context.Background(), r)
	if want := (llm.Response{Text: " 1", Finish: "stop", Model: "m-001", Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 7}}); err != nil || cmp.Diff(want, resp) != "" {
		t.Errorf("%+v, %v", resp, err)
	}
	if asked.URL.String() != "/api/v1/completions" {
		t.Errorf("asked %s", asked.URL)
	}
	want := map[string]any{"model": "m-1", "prompt": "-- one\nSELECT", "temperature": 0.7, "top_p": 0.5, "top_k": 7.0, "max_tokens": 99.0,
		"stop": []any{";"}, "seed": float64(*r.SentSeed()), "logprobs": 1.0, "min_p": 0.1}
	if d := cmp.Diff(want, *body); d != "" {
		t.Error(d)
	}
	if _, err := c.GenerateN(context.Background(), r, []int{0, 1, 2}); err != nil || (*body)["n"] != 3.0 {
		t.Errorf("n %v, %v", (*body)["n"], err)
	}
}

func TestPlainAnswers(t *testing.T) {
	check := func(choice, want, finish string) {
		t.Helper()
		c, _, _ := serve(t, 200, `{"choices":[`+choice+`]}`)
		resp, err := c.Generate(context.Background(), plainly("x"))
		var f *llm.Failure
		if errors.As(err, &f) {
			resp.Finish = f.Reason
		} else if err != nil {
			t.Fatal(err)
		}
		if resp.Text != want || resp.Finish != finish {
			t.Errorf("%s: %q %q", choice, resp.Text, resp.Finish)
		}
	}
	check(`{"text":" name\nFROM t","finish_reason":"stop"}`, " name\nFROM t", "stop")
	check(`{"text":"a","finish_reason":"length"}`, "a", "length")
	check(`{"text":"a","finish_reason":null,"logprobs":7}`, "a", "stop")
	check(`{"text":"a"}`, "a", "stop")
	check(`{"text":"","finish_reason":"stop"}`, "", "stop")
	check(`{"text":null,"finish_reason":"length"}`, "", "length")
	check(`{"finish_reason":"stop"}`, "", "stop")
	check(`{"text":"half of it","finish_reason":"content_filter"}`, "", "blocked: content_filter")
	check(`{"text":"","finish_reason":"abort"}`, "", "finish: abort")
	check(`{"text":7,"finish_reason":"stop"}`, "", wire.Malformed)
	check(`{"text":"`+plantedKey+`"}`, "[key]", "stop")
}

// TestTextBesideAConversation: a field that only plain completions have costs no answer of a conversation.
func TestTextBesideAConversation(t *testing.T) {
	c, _, _ := serve(t, 200, `{"choices":[{"text":{"value":"x"},"message":{"content":"a"}}]}`)
	if resp, err := c.Generate(context.Background(), llmtest.Ask("x")); err != nil || resp.Text != "a" {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestPlainWithoutEndpoint(t *testing.T) {
	check := func(status int, r llm.Request, hinted bool) {
		t.Helper()
		c, _, _ := serve(t, status, `{"error":{"message":"no"}}`)
		_, err := c.Generate(context.Background(), r)
		if err == nil || strings.Contains(err.Error(), `model.api = "chat"`) != hinted {
			t.Errorf("%d: %v", status, err)
		}
	}
	check(http.StatusNotFound, plainly("x"), true)
	check(http.StatusMethodNotAllowed, plainly("x"), true)
	check(http.StatusUnauthorized, plainly("x"), false)
	check(http.StatusNotFound, llmtest.Ask("x"), false)
}

func TestUnknownAPI(t *testing.T) {
	c, asked, _ := serve(t, 200, say(`"a"`, "stop"))
	r := llmtest.Ask("x")
	r.Params.API = "telegraph"
	if _, err := c.Generate(context.Background(), r); err == nil || !strings.Contains(err.Error(), "telegraph") || asked.URL != nil {
		t.Errorf("err = %v", err)
	}
}
