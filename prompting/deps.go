package prompting

import (
	"context"
	"time"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/values"
	"assay/prompting/vectors"
)

// Deps has what a method is constructed from besides its settings.
type Deps struct {
	Model  llm.Model
	Author llm.Author     // who answers: part of every request's identity
	Pool   *exemplar.Pool // demonstrations to choose from; nil where none are asked for

	Box sandbox.Runner // runs SQL for the parts that look at results; nil where no part does
	// Selector answers for selection in place of Model; its Model is nil where the arm's own selects.
	Selector Selector
	// Embedder computes the vectors of all texts that the arm compares: values, columns, descriptions, demonstrations. Who
	// makes it counts what it takes. Nil: the offline vectors.
	Embedder     llm.Embedder
	Spaces       *vectors.Spaces // the vectors of demonstrations, shared by arms; nil: a part's own
	EmbedderName string          // what reports call it, "openai/text-embedding-3-small"; empty: the offline vectors' own
	// Values opens the index of a database's values; nil: one that values.Open keeps in the user's cache folder.
	Values func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error)
	// Imported implements the method of that name, which reads predictions from a file; nil in every other run.
	Imported Method
	// Program makes the candidates of an arm with a command; nil for every other arm.
	Program Method
	// Now is the clock of methods that limit their time; nil: time.Now.
	Now func() time.Time
	// Calls bounds the completions of one question: limits.calls_per_item; 0: the methods' own bound.
	Calls int
}

// Selector is the model that selects among candidates, with its identity in requests.
type Selector struct {
	Model  llm.Model
	Author llm.Author
}

// Params returns the generation parameters of a model's settings, without a seed.
func Params(m configs.Model) llm.Params {
	p := llm.Params{Temperature: m.Temperature, TopP: m.TopP, TopK: m.TopK, MaxTokens: m.MaxTokens, Stop: m.Stop, Logprobs: m.Logprobs,
		Reasoning: m.Reasoning, FixedSeed: m.Seed, Extra: m.Extra}
	if m.Plain() { // a conversation is not named, so that keys are those of requests that could be nothing else
		p.API = llm.Completions
	}
	return p
}
