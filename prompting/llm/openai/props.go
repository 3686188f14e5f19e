package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"assay/prompting/llm/wire"
)

// propsBytes bounds what llama.cpp says of itself, which includes the chat template.
const propsBytes = 1 << 20

// ownedBy marks the models of llama.cpp in a list of models.
const ownedBy = "llamacpp"

// sampled are the defaults of llama.cpp that decide a completion whose request does not state them.
var sampled = []string{"temperature", "dynatemp_range", "top_k", "top_p", "min_p", "top_n_sigma", "typical_p", "xtc_probability", "repeat_penalty",
	"repeat_last_n", "presence_penalty", "frequency_penalty", "dry_multiplier", "mirostat", "adaptive_target", "n_predict", "reasoning_format"}

// props is the part of llama.cpp's answer to GET /props that decides completions.
type props struct {
	Settings struct {
		Params map[string]json.RawMessage `json:"params"`
		Window json.RawMessage            `json:"n_ctx"`
	} `json:"default_generation_settings"`
	File     string `json:"model_path"`
	Template string `json:"chat_template"`
	Caps     struct {
		Effort *bool `json:"supports_reasoning_effort"`
	} `json:"chat_template_caps"`
}

// takesEffort is the name under which a card says whether the model's chat template heeds an effort of reasoning.
const takesEffort = "reasoning_effort"

// defaults asks llama.cpp for the settings that hold where a request does not state them: numbers of samplers, the window,
// the model file's name without its folder, the digest of the chat template and whether that heeds an effort of reasoning.
// It is nil if there is no answer of that form. What changes while they stay the same is left out: seeds, counters,
// addresses of this machine.
func (c *Client) defaults(ctx context.Context) map[string]any {
	within, cancel := context.WithTimeout(ctx, cardWait)
	defer cancel()
	call := &wire.Call{Limit: propsBytes}
	defer call.Done()
	// /props is beside the API, not below it. call has the answer or the error.
	_ = c.send(within, strings.TrimSuffix(c.base, "/v1")+"/props", nil, call)
	var p props
	if call.Status != http.StatusOK || c.key.Decode(call, &p) != nil {
		return nil
	}
	out := map[string]any{}
	for _, name := range sampled {
		add(out, name, p.Settings.Params[name])
	}
	add(out, "n_ctx", p.Settings.Window)
	var samplers []string
	if json.Unmarshal(p.Settings.Params["samplers"], &samplers) == nil && len(samplers) > 0 {
		out["samplers"] = c.key.Clip(strings.Join(samplers, " "))
	}
	if p.File != "" {
		out["file"] = c.key.Clip(wire.Placeless(p.File))
	}
	if p.Caps.Effort != nil {
		out[takesEffort] = *p.Caps.Effort
	}
	if p.Template != "" {
		sum := sha256.Sum256([]byte(p.Template))
		out["chat_template"] = "sha256:" + hex.EncodeToString(sum[:8])
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// add adds a setting that is a number or a text, as the server meant it: llama.cpp writes 0.8 as 0.800000011920929.
func add(out map[string]any, name string, raw json.RawMessage) {
	var text string
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		out[name] = n
	} else if n, err := strconv.ParseFloat(string(raw), 32); err == nil {
		out[name] = json.Number(strconv.FormatFloat(n, 'g', -1, 32))
	} else if json.Unmarshal(raw, &text) == nil && text != "" && len(text) <= 40 {
		out[name] = text
	}
}
