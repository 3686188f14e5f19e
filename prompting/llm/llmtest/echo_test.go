package llmtest_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
)

// echoes are good answers with @ in every text that a server chooses. Where a provider joins the pieces of a text, the key
// comes in two, @1 and @2. The second of a kind is blocked, the third an error with status 200.
var echoes = map[llmtest.Kind][]string{
	llmtest.OpenAI: {
		`{"model": "@", "system_fingerprint": "@", "choices": [{"finish_reason": "@", "message": {"reasoning_content": "@", "content": [
			{"type": "text", "text": "a @ b @1"}, {"type": "text", "text": "@2"}],
			"tool_calls": [{"id": "@", "function": {"name": "@", "arguments": "{\"a\": \"@\"}"}}]}}], "usage": {"@": 1}}`,
		`{"model": "@", "choices": [{"finish_reason": "stop", "message": {"content": "", "refusal": "no @"}}]}`,
		`{"model": "@", "choices": [{"finish_reason": "stop", "message": {"content": "<think>@</think>x"}}]}`,
		`{"choices": [{"finish_reason": "@", "message": {"content": ""}}]}`,
		`{"error": {"message": "@", "type": "@", "code": "@"}}`,
		`{"choices": [{"message": {"content": 1}}], "@": "@`,
	},
	llmtest.Plain: {
		`{"model": "@", "system_fingerprint": "@", "choices": [{"finish_reason": "@", "text": "a @ b"}]}`,
		`{"choices": [{"finish_reason": "@", "text": ""}]}`,
	},
	llmtest.Anthropic: {
		`{"model": "@", "content": [{"type": "text", "text": "a @ b @1"}, {"type": "text", "text": "@2"}, {"type": "thinking", "thinking": "@", "signature": "@"},
			{"type": "redacted_thinking", "data": "@"}, {"type": "@"}, {"type": "tool_use", "id": "@", "name": "@", "input": {"@": "@"}}], "stop_reason": "@"}`,
		`{"content": [], "stop_reason": "@"}`,
		`{"content": [], "stop_reason": "refusal", "stop_details": {"category": "@", "explanation": "@"}}`,
		`{"type": "error", "error": {"type": "@", "message": "@"}}`,
		`{"type": "error", "error": {"type": "overloaded_error", "message": "@"}}`,
	},
	llmtest.Gemini: {
		`{"modelVersion": "@", "candidates": [{"content": {"parts": [{"text": "a @ b @1"}, {"text": "@2"}, {"text": "@", "thought": true},
			{"functionCall": {"name": "@", "args": {"@": "@"}}, "thoughtSignature": "@"}]}}]}`,
		`{"candidates": [{"finishReason": "@", "content": {"parts": [{"text": "x"}]}}]}`,
		`{"promptFeedback": {"blockReason": "@"}}`,
	},
}

// TestAnAnswerThatEchoesTheKey checks that nothing of an answer holds the key, in any of the forms that servers write.
func TestAnAnswerThatEchoesTheKey(t *testing.T) {
	forms := map[string]string{
		"as it is":    plantedKey,
		"query":       url.QueryEscape(plantedKey),
		"path":        url.PathEscape(plantedKey),
		"lower query": strings.ToLower(url.QueryEscape(plantedKey)),
		"hex":         hex.EncodeToString([]byte(plantedKey)),
		"header":      "Bearer " + plantedKey,
		"escaped":     strings.ReplaceAll(plantedKey, "/", `\/`),
		"html":        strings.ReplaceAll(plantedKey, "&", "&amp;"),
	}
	for i, before := range []string{"", "x", "xy", "Bearer "} {
		forms[fmt.Sprint("base64 ", i)] = base64.StdEncoding.EncodeToString([]byte(before + plantedKey + ":after"))
		forms[fmt.Sprint("base64 of URLs ", i)] = base64.RawURLEncoding.EncodeToString([]byte(before + plantedKey))
	}
	tools := []llm.Tool{{Name: "f"}}
	for k, bodies := range echoes {
		for name, form := range forms {
			for i, body := range bodies {
				s := llmtest.Start(t, k)
				half := len(form) / 2
				s.Always(llmtest.Fault{Body: strings.NewReplacer("@1", quoted(form[:half]), "@2", quoted(form[half:]), "@", quoted(form)).Replace(body)})
				s.Models = []map[string]any{{"id": "m", "note": form}}
				p := open(t, k, s.URL)
				r := llmtest.Ask("x")
				if k != llmtest.Plain {
					r.Tools = tools
				}
				got, err := several(context.Background(), p, r, []int{0})
				all, _ := json.Marshal(got)
				text := fmt.Sprintf("%s %+v %v %+v %q", all, got, err, err, p.Warnings())
				secret := longest(form)
				if strings.Contains(text, secret) {
					t.Errorf("%s, %s, answer %d: %s", k, name, i, text)
				}
				if !strings.Contains(text, "[key]") && !(k == llmtest.OpenAI && i == 5) { // which does not decode, and quotes nothing
					t.Errorf("%s, %s, answer %d: the answer holds no key: %s", k, name, i, text)
				}
			}
		}
	}
}

// quoted returns a text as it stands within a JSON text.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return strings.Trim(string(b), `"`)
}

// longest returns the middle of a form, which no other text has.
func longest(form string) string { return form[len(form)/4 : len(form)*3/4] }
