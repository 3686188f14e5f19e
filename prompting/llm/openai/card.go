package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"assay/prompting/llm/wire"
)

// Bounds on asking a server which models it serves.
const (
	cardWait  = 10 * time.Second
	cardBytes = 16 << 10 // of one model's entry; a longer one is dropped
	listBytes = 1 << 20  // of the list
	listMost  = 1000     // models of it that are looked at
)

// volatile are the fields of a model's entry that change while the model stays the same: llama.cpp's created is the
// time of the answer. They are left out, or the same model would look like another one at every run.
var volatile = []string{"created", "permission"}

// cards holds what a server says about its models at /models. It is asked once, after the first completion, so that two
// servers that use one name for different models can be told apart.
type cards struct {
	mu      sync.Mutex
	asked   bool
	entries []map[string]any
	// defaults are llama.cpp's settings that hold where a request does not state them; nil for other servers.
	defaults map[string]any
}

// card returns what the server says about a model: the entry with that id or alias, or the only entry if there is one,
// because such a server answers to any name. It is canonical JSON, empty if the server lists no models. The provider's
// own address is not asked: its models are identified by their names. The card of a model of llama.cpp also has its
// defaults, which decide a completion as much as what is sent.
func (c *Client) card(ctx context.Context, model string) string {
	if c.server.Own && c.base == c.server.BaseURL || c.base == DefaultBaseURL {
		return ""
	}
	c.cards.mu.Lock()
	defer c.cards.mu.Unlock()
	if !c.cards.asked {
		c.cards.entries, c.cards.asked = c.list(ctx)
		if slices.ContainsFunc(c.cards.entries, func(e map[string]any) bool { return e["owned_by"] == ownedBy }) {
			c.cards.defaults = c.defaults(ctx)
		}
	}
	for _, e := range c.cards.entries {
		if serves(e, model) || len(c.cards.entries) == 1 {
			return c.cards.write(e)
		}
	}
	return ""
}

// list asks for the server's models. done is false if no answer came and a later attempt may get one.
func (c *Client) list(ctx context.Context) (entries []map[string]any, done bool) {
	within, cancel := context.WithTimeout(ctx, cardWait)
	defer cancel()
	call := &wire.Call{Limit: listBytes}
	defer call.Done()
	_ = c.post(within, "/models", nil, call) // call has the answer or the error
	if call.Status != http.StatusOK {
		late := errors.Is(within.Err(), context.DeadlineExceeded) && ctx.Err() == nil
		return nil, call.Status != 0 || late
	}
	var b struct {
		Data json.RawMessage `json:"data"`
	}
	if c.key.Decode(call, &b) != nil {
		return nil, true
	}
	entries, _, _ = wire.List[map[string]any](b.Data, listMost) // none where one is no object
	return entries, true
}

// serves reports whether an entry of the list is the model, by id or alias.
func serves(entry map[string]any, model string) bool {
	aliases, _ := entry["aliases"].([]any)
	return entry["id"] == model || slices.Contains(aliases, any(model))
}

// write returns an entry as canonical JSON without volatile fields and places of files, with the server's defaults; empty
// if it is too long.
func (c *cards) write(entry map[string]any) string {
	kept := map[string]any{}
	for name, v := range entry {
		if !slices.Contains(volatile, name) {
			kept[name] = withoutPlaces(v)
		}
	}
	if c.defaults != nil {
		kept["defaults"] = c.defaults
	}
	b, err := json.Marshal(kept)
	if err != nil || len(b) > cardBytes {
		return ""
	}
	return string(b)
}

// withoutPlaces returns a text, or a list of them, without the places of files.
func withoutPlaces(v any) any {
	switch v := v.(type) {
	case string:
		return wire.Placeless(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = withoutPlaces(x)
		}
		return out
	}
	return v
}
