package gemini

import (
	"encoding/json"
	"fmt"
	"maps"

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
	// field is the field of thinkingConfig that says how much the model may reason, and amount its value; empty for none.
	field  string
	amount any
}

// reason sets how much the model may reason.
func (a *additions) reason(p llm.Params) {
	tokens, isBudget := p.Budget()
	switch {
	case isBudget, p.Reasoning == "none":
		a.field, a.amount = thinkingBudget, tokens
	case p.Reasoning != "":
		a.field, a.amount = thinkingLevel, p.Reasoning
	}
}

// Efforts are the efforts of reasoning that the API has a word for: its thinking levels, and none, which is a budget of 0.
// Which of them a model takes, and whether it takes a budget in place of a level, depends on the model.
var Efforts = []string{"none", "minimal", "low", "medium", "high"}

// Owned are the fields of generationConfig that [llm.Params] sets itself, with the key of an experiment that states each.
var Owned = map[string]string{"temperature": "model.temperature", "topP": "model.top_p", "topK": "model.top_k", "maxOutputTokens": "model.max_tokens",
	"stopSequences": "model.stop", "seed": "model.seed", "candidateCount": "model.samples", "responseLogprobs": "model.logprobs",
	thinking + "." + thinkingBudget: "model.reasoning", thinking + "." + thinkingLevel: "model.reasoning"}

// The fields of generationConfig that say how much a model may reason. The API refuses a level next to a budget.
const (
	thinking       = "thinkingConfig"
	thinkingBudget = "thinkingBudget"
	thinkingLevel  = "thinkingLevel"
)

// top are the extra parameters that belong next to generationConfig and not in it.
var top = map[string]bool{"safetySettings": true, "toolConfig": true}

// check refuses an extra parameter that would override one of llm.Params, because the key would then state another
// value.
func (a additions) check() error {
	for name := range a.extra {
		if Owned[name] != "" {
			return fmt.Errorf("the extra parameter %q has a field of its own", name)
		}
	}
	config, isTable := a.extra[thinking].(map[string]any)
	if a.field != "" && (a.extra[thinking] != nil && !isTable || config[thinkingBudget] != nil || config[thinkingLevel] != nil) {
		return fmt.Errorf("the extra parameter %q is sent as the reasoning says", thinking)
	}
	return llm.CheckTools(a.tools)
}

// none reports whether the SDK's request can be sent unchanged.
func (a additions) none() bool {
	return a.seed == nil && !a.logprobs && a.field == "" && len(a.turns)+len(a.tools)+len(a.extra) == 0
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
	if a.field != "" {
		config, _ := a.extra[thinking].(map[string]any)
		config = maps.Clone(config)
		if config == nil {
			config = map[string]any{}
		}
		config[a.field] = a.amount
		cfg[thinking] = config
	}
	if len(a.turns) > 0 {
		doc["contents"] = contents(a.turns)
	}
	if len(a.tools) > 0 {
		doc["tools"] = []any{map[string]any{"functionDeclarations": a.tools}}
	}
}
