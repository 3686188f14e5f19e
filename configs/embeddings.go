package configs

import (
	"cmp"
	"fmt"
)

// Offline is the value of embeddings.provider by which texts are compared by the offline vectors, as where none is stated.
const Offline = "offline"

// offlineVectors says in lists of choices what Offline is.
var offlineVectors = Choice{Offline, "what is made here, by words and spelling: no key, no network, no language model"}

// Embeddings is the model that computes vectors. Its zero value is the offline vectors.
type Embeddings struct {
	Provider   string `toml:"provider,omitempty"` // one of "embedders"; empty: Offline
	Name       string `toml:"name,omitempty"`
	BaseURL    string `toml:"base_url,omitempty"` // as in Model, as the next three
	As         string `toml:"as,omitempty"`
	KeyEnv     string `toml:"key_env,omitempty"`
	KeyFile    string `toml:"key_file,omitempty"`
	Dimensions int    `toml:"dimensions,omitempty"` // of the vectors; 0: the model's own, not sent
}

// On reports whether a provider computes the vectors.
func (e Embeddings) On() bool { return e.Provider != "" && e.Provider != Offline }

// Model returns the model that computes the vectors, where On.
func (e Embeddings) Model() Model {
	return Model{Provider: e.Provider, Name: e.Name, BaseURL: e.BaseURL, As: e.As, KeyEnv: e.KeyEnv, KeyFile: e.KeyFile, Samples: 1}
}

// Measure names the similarity of two texts by these vectors, where On; it is what reports call it.
func (e Embeddings) Measure() string {
	out := "cosine of the vectors of " + e.Provider + "/" + cmp.Or(e.As, e.Name)
	if e.Dimensions > 0 {
		out += fmt.Sprintf(" in %d dimensions", e.Dimensions)
	}
	return out
}

// embedders are the providers that compute vectors, and the offline vectors.
func (k Known) embedders() Choices {
	return append(Choices{offlineVectors}, choicesWhere(k.Providers, func(p Provider) bool { return p.Embeds })...)
}

// checkEmbeddings refuses an embedding model that is stated in part.
func (l *loader) checkEmbeddings(at origin, where string, e Embeddings) {
	switch {
	case e.Provider == "" && e != (Embeddings{}):
		l.bad(at, "%s: embeddings.provider is missing: one of %s", where, and(l.known.embedders().IDs()))
	case e.On() && e.Name == "":
		l.bad(at, "%s: embeddings.name is missing: which embedding model of %s", where, e.Provider)
	case e.On():
		if why := l.known.Provider(e.Provider).refusesAddress(e.BaseURL); why != "" && !l.src.ran {
			l.bad(at, "%s: embeddings.%s", where, why)
		}
	}
}
