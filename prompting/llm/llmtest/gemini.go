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
	} `json:"parts"`
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
	} `json:"generationConfig"`
}

func (r geminiRequest) asked() Asked {
	g := r.GenerationConfig
	a := Asked{System: r.SystemInstruction.text(), Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK,
		MaxTokens: g.MaxOutputTokens, Stop: g.StopSequences, Seed: g.Seed, N: g.CandidateCount}
	for _, c := range r.Contents {
		role := llm.User
		if c.Role == "model" {
			role = llm.Assistant
		}
		a.Turns = append(a.Turns, llm.Message{Role: role, Text: c.text()})
	}
	return a
}

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
			Content geminiContent `json:"content"`
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
			a.Embed = append(a.Embed, e.Content.text())
		}
	default:
		ok = false
	}
	a.Model = strings.TrimPrefix(model, "models/")
	return a, ok
}

func answerGemini(s *Server, a Asked) any {
	switch {
	case a.Count:
		return map[string]any{"totalTokens": promptTokens(a)}
	case len(a.Embed) > 0:
		list := make([]any, len(a.Embed))
		for i, t := range a.Embed {
			list[i] = map[string]any{"values": vector(t)}
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
		reason := map[string]string{"stop": "STOP", "length": "MAX_TOKENS", "blocked": "SAFETY"}[finish]
		c := map[string]any{"index": i, "finishReason": reason}
		if reason != "SAFETY" {
			c["content"] = map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}}
		}
		candidates[i] = c
	}
	return map[string]any{"candidates": candidates, "modelVersion": a.Model + "-001",
		"usageMetadata": map[string]any{"promptTokenCount": in, "candidatesTokenCount": out, "totalTokenCount": in + out}}
}
