package gateway

import (
	"cmp"
	"net/http"

	"assay/prompting/vectors"
)

// listed are the models that a request may name: those that complete, and the one that embeds.
func (e *Exchange) listed() (names []string) {
	if e.session.Author.Model != "" {
		names = append(names, e.session.Author.Model)
	}
	names = append(names, e.session.Names...)
	if e.session.Embed == nil {
		return append(names, vectors.Name)
	}
	return append(names, e.session.EmbedName)
}

// models answers /v1/models.
func (c *call) models() error {
	names := c.exchange.listed()
	data := make([]any, len(names))
	for i, name := range names {
		data[i] = c.card(name)
	}
	list := map[string]any{"object": "list", "data": data}
	if c.r.Header.Get("Anthropic-Version") != "" {
		list = map[string]any{"data": data, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]}
	}
	sendJSON(c.w, http.StatusOK, list)
	return nil
}

// model answers /v1/models/NAME. Any name is one that may be asked, so any is there.
func (c *call) model() error {
	name, err := c.name("v1/models/")
	if err != nil {
		return err
	}
	sendJSON(c.w, http.StatusOK, c.card(name))
	return nil
}

// card returns a model as the client's API lists it. There is no time at which it was made.
func (c *call) card(name string) any {
	if c.r.Header.Get("Anthropic-Version") != "" {
		return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
	}
	return map[string]any{"id": name, "object": "model", "created": created, "owned_by": cmp.Or(c.exchange.session.Author.Provider, "assay")}
}
