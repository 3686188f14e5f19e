package gemini

import (
	"encoding/json"
	"fmt"

	"assay/prompting/llm"
)

// additions are what the SDK cannot send: earlier turns (its one-shot call takes a single turn, and its chat streams,
// which loses the usage), a seed, and parameters it has no field for.
type additions struct {
	history []llm.Message
	seed    *int64
	extra   map[string]any
}

// owned are the fields of generationConfig that [llm.Params] has itself.
var owned = map[string]bool{"temperature": true, "topP": true, "topK": true, "maxOutputTokens": true,
	"stopSequences": true, "seed": true, "candidateCount": true}

// top are the extra parameters that stand beside generationConfig.
var top = map[string]bool{"safetySettings": true}

func (a additions) check() error {
	for name := range a.extra {
		if owned[name] {
			return fmt.Errorf("the extra parameter %q has a field of its own", name)
		}
	}
	return nil
}

// edit adds to the SDK's request, which countTokens wraps once more.
func (a additions) edit(raw []byte) ([]byte, error) {
	if a.seed == nil && len(a.history) == 0 && len(a.extra) == 0 {
		return raw, nil
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	if inner, ok := doc["generateContentRequest"].(map[string]any); ok {
		a.amend(inner)
	} else {
		a.amend(doc)
	}
	return json.Marshal(doc)
}

func (a additions) amend(doc map[string]any) {
	cfg, ok := doc["generationConfig"].(map[string]any)
	if !ok {
		cfg = map[string]any{}
		doc["generationConfig"] = cfg
	}
	if a.seed != nil {
		cfg["seed"] = *a.seed
	}
	for name, v := range a.extra {
		if top[name] {
			doc[name] = v
		} else {
			cfg[name] = v
		}
	}
	var contents []any
	for _, m := range a.history {
		role := "user"
		if m.Role == llm.Assistant {
			role = "model"
		}
		contents = append(contents, map[string]any{"role": role, "parts": []any{map[string]any{"text": m.Text}}})
	}
	last, _ := doc["contents"].([]any)
	doc["contents"] = append(contents, last...)
}
