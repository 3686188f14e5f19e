package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/prompting/llm"
)

// geminiFormat follows the reference of the Gemini API (v1beta, REST): generateContent, countTokens and
// batchEmbedContents, with errors in the form of google.rpc.Status.
var geminiFormat = format{
	parse:   parseGemini,
	answer:  answerGemini,
	key:     func(h http.Header) string { return h.Get("x-goog-api-key") },
	tooLong: [2]string{"INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed."},
	refusal: func(status int, code, message string, wait time.Duration) []byte {
		e := map[string]any{"code": status, "message": message, "status": strings.ToUpper(code)}
		if wait > 0 {
			e["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%gs", wait.Seconds())}}
		}
		b, _ := json.Marshal(map[string]any{"error": e})
		return b
	},
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
		Call *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		Signature string `json:"thoughtSignature"`
		Result    *struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Response struct {
				Result string `json:"result"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"parts"`
}

// turns returns the content's turns: one, or one per tool result.
func (c geminiContent) turns() (out []llm.Message) {
	said := llm.Message{Role: llm.User, Text: c.text()}
	if c.Role == "model" {
		said.Role = llm.Assistant
	}
	for _, p := range c.Parts {
		if p.Result != nil {
			out = append(out, llm.Message{Role: llm.ToolResult, Text: p.Result.Response.Result, CallID: p.Result.ID, Tool: p.Result.Name})
		}
		if p.Call != nil {
			said.Calls = append(said.Calls, llm.ToolCall{ID: p.Call.ID, Name: p.Call.Name, Arguments: string(p.Call.Args), Signature: p.Signature})
		}
	}
	if len(out) == 0 {
		out = []llm.Message{said}
	}
	return out
}

func (c geminiContent) text() string {
	var b strings.Builder
	for _, p := range c.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

type geminiRequest struct {
	Contents          []geminiContent `json:"contents"`
	SystemInstruction geminiContent   `json:"systemInstruction"`
	GenerationConfig  struct {
		Temperature     *float64 `json:"temperature"`
		TopP            *float64 `json:"topP"`
		TopK            *int     `json:"topK"`
		MaxOutputTokens int      `json:"maxOutputTokens"`
		StopSequences   []string `json:"stopSequences"`
		Seed            *int64   `json:"seed"`
		CandidateCount  int      `json:"candidateCount"`
		Logprobs        bool     `json:"responseLogprobs"`
	} `json:"generationConfig"`
	Tools []struct {
		Functions []llm.Tool `json:"functionDeclarations"`
	} `json:"tools"`
}

func (r geminiRequest) asked() Asked {
	g := r.GenerationConfig
	a := Asked{System: r.SystemInstruction.text(), Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK,
		MaxTokens: g.MaxOutputTokens, Stop: g.StopSequences, Seed: g.Seed, N: g.CandidateCount, Logprobs: g.Logprobs}
	for _, c := range r.Contents {
		a.Turns = append(a.Turns, c.turns()...)
	}
	for _, t := range r.Tools {
		a.Tools = append(a.Tools, t.Functions...)
	}
	return a
}

// parseGemini parses a request; false for an unknown path or body.
func parseGemini(path string, body []byte) (a Asked, ok bool) {
	name, ok := strings.CutPrefix(path, "/v1beta/")
	model, method, found := strings.Cut(name, ":")
	if !ok || !found {
		return Asked{}, false
	}
	var r struct {
		geminiRequest
		Inner    geminiRequest `json:"generateContentRequest"`
		Requests []struct {
			Content    geminiContent `json:"content"`
			Dimensions int           `json:"outputDimensionality"`
		} `json:"requests"`
	}
	if json.Unmarshal(body, &r) != nil {
		return Asked{}, false
	}
	switch method {
	case "generateContent":
		a = r.asked()
		ok = len(a.Turns) > 0
	case "countTokens":
		a = r.Inner.asked()
		a.Count = true
	case "batchEmbedContents":
		for _, e := range r.Requests {
			a.Embed, a.Dimensions = append(a.Embed, e.Content.text()), e.Dimensions
		}
	default:
		ok = false
	}
	a.Model = strings.TrimPrefix(model, "models/")
	return a, ok
}

func geminiCalls(a Asked) (parts []any) {
	for i, c := range called(a) {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": json.RawMessage(c.Arguments)},
			"thoughtSignature": fmt.Sprintf("c2lnbmVk%d", i)})
	}
	return parts
}

func geminiLogprobs(text string) any {
	chosen := make([]any, tokens(text))
	for i := range chosen {
		chosen[i] = map[string]any{"token": "x", "tokenId": i, "logProbability": logprob}
	}
	return map[string]any{"chosenCandidates": chosen}
}

// answerGemini returns the answer to a request, to be encoded as JSON.
func answerGemini(s *Server, a Asked) any {
	switch {
	case a.Count:
		return map[string]any{"totalTokens": promptTokens(a)}
	case len(a.Embed) > 0:
		list := make([]any, len(a.Embed))
		for i, t := range a.Embed {
			list[i] = map[string]any{"values": Vector(t, a.Dimensions)}
		}
		return map[string]any{"embeddings": list}
	}
	n := max(a.N, 1)
	if s.IgnoreN {
		n = 1
	}
	in, out := promptTokens(a), 0
	candidates := make([]any, n)
	for i := range candidates {
		text, finish := reply(s, a, i)
		out += tokens(text)
		reason := map[string]string{"stop": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "blocked": "SAFETY"}[finish]
		c := map[string]any{"index": i, "finishReason": reason}
		if finish == "tools" {
			c["content"] = map[string]any{"role": "model", "parts": geminiCalls(a)}
		} else if reason != "SAFETY" {
			c["content"] = map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}}
		}
		if a.Logprobs && !s.NoLogprobs {
			c["avgLogprobs"], c["logprobsResult"] = logprob, geminiLogprobs(text)
		}
		candidates[i] = c
	}
	return map[string]any{"candidates": candidates, "modelVersion": a.Model + "-001",
		"usageMetadata": map[string]any{"promptTokenCount": in, "candidatesTokenCount": out, "totalTokenCount": in + out}}
}
