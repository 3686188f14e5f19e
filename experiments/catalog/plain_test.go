package catalog

import (
	"context"
	"strings"
	"testing"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/llmtest"
	"assay/prompting/llm/retry"
)

// TestPlain: a provider answers plain completions where its row says so, and no other does.
func TestPlain(t *testing.T) {
	t.Setenv("PLANTED", "key")
	for _, p := range providers {
		if p.open == nil {
			continue
		}
		s := llmtest.Start(t, llmtest.Plain)
		m := configs.Model{Provider: p.ID, Name: "m", BaseURL: s.URL, KeyEnv: "PLANTED", API: "completions"}
		model, err := Model(context.Background(), m, configs.Limits{}, retry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := llmtest.Ask("SELECT")
		r.Params = prompting.Params(m)
		if _, err := model.Generate(context.Background(), r); (err == nil) != p.Plain {
			t.Errorf("%s, plain %v: %v", p.ID, p.Plain, err)
		}
		r.Tools = []llm.Tool{{Name: "f"}}
		if _, err := model.Generate(context.Background(), r); err == nil || !strings.Contains(err.Error(), `model.api = "chat"`) {
			t.Errorf("%s: plain completions with a tool: %v", p.ID, err)
		}
	}
}
