package gemini

import (
	"encoding/json"
	"fmt"

	"assay/prompting/llm"
)

// additions is what the SDK cannot send: several turns (its one-shot call takes one, and its chat streams, which loses
// the usage), a seed, log-probabilities, tools with their schema unchanged, and parameters for which it has no field.
type additions struct {
	turns    []llm.Message // nil if the SDK's own single turn is enough
	tools    []llm.Tool
	seed     *int64
	logprobs bool
	extra    map[string]any
}

// owned are the fields of generationConfig that [llm.Params] sets itself.
var owned = map[string]bool{"temperature": true, "topP": true, "topK": true, "maxOutputTokens": true,
	"stopSequences": true, "seed": true, "candidateCount": true, "responseLogprobs": true}

// top are the extra parameters that belong next to generationConfig and not in it.
var top = map[string]bool{"safetySettings": true, "toolConfig": true}

// check refuses an extra parameter that would override one of llm.Params, because the key would then state another
// value.
func (a additions) check() error {
	for name := range a.extra {
		if owned[name] {
			return fmt.Errorf("the extra parameter %q has a field of its own", name)
		}
	}
	return llm.CheckTools(a.tools)
}

// none reports whether the SDK's request can be sent unchanged.
func (a additions) none() bool {
	return a.seed == nil && !a.logprobs && len(a.turns)+len(a.tools)+len(a.extra) == 0
}

// edit adds to the SDK's request, which countTokens wraps in one more object.
func (a additions) edit(raw []byte) ([]byte, error) {
	if a.none() {
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

// amend adds to one generateContent request.
func (a additions) amend(doc map[string]any) {
	cfg, ok := doc["generationConfig"].(map[string]any)
	if !ok {
		cfg = map[string]any{}
		doc["generationConfig"] = cfg
	}
	if a.seed != nil {
		cfg["seed"] = *a.seed
	}
	if a.logprobs {
		cfg["responseLogprobs"] = true
	}
	for name, v := range a.extra {
		if top[name] {
			doc[name] = v
		} else {
			cfg[name] = v
		}
	}
	if len(a.turns) > 0 {
		doc["contents"] = contents(a.turns)
	}
	if len(a.tools) > 0 {
		doc["tools"] = []any{map[string]any{"functionDeclarations": a.tools}}
	}
}
