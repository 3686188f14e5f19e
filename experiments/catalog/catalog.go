// Package catalog is the literal tables of what exists: a name in an experiment to its constructor.
//
// Everything that an experiment may name is one literal row with the name, a line of help, its traits, and the constructor.
// Rows are in the package that they construct; [Known] gathers them for package configs, which checks files against it and
// takes documentation, completion and errors from it. Nothing here reads a dataset, asks a model or scores, and no package
// may compare a name with one of these: what it would test for is a trait.
//
// To add one of each:
//   - a metric: a row of the table of [assay/metrics/execution] (settings.go); one that is no setting of those families has
//     a package of its own with a Row, which metricRows and Metrics name here. Users' own are programs: [assay/experiments/judge].
//   - a provider: a package under prompting/llm that implements llm.Model, and a row of providers here; one that speaks OpenAI's
//     API is a row of the table of [assay/prompting/llm/openai] (server.go).
//   - a dataset kind: a file in [assay/experiments/dataset] with its row, which kinds in load.go names.
//   - a method, or a part that links, fixes or chooses: a folder in [assay/prompting/methods], and its name in the lists there.
//   - a function that methods can call: a line of hostFunctions in [assay/prompting/script].
//   - a schema format or strategy: a row of the table of its package.
package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/configs"
	"assay/experiments/judge"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/anthropic"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/gemini"
	"assay/prompting/llm/openai"
	"assay/prompting/llm/retry"
	"assay/prompting/llm/wire"
	"assay/prompting/methods"
	"assay/prompting/outcome"
	"assay/prompting/pipeline"
	"assay/prompting/render"
)

// provider is a row of the providers table.
type provider struct {
	configs.Provider
	base    string // where it is asked where the experiment names no address; empty where it has no such place
	own     bool   // base is a service that is the same for everyone, so that the author needs no address
	keyEnv  string // the variable that holds the key where the experiment names none; empty: it needs none
	domain  string // the end of the host names that get the key of keyEnv though the experiment names them; empty: none
	keyless bool   // at an address of the experiment's it takes a key only where the experiment names one, as local servers need none
	// version identifies what answers, in place of the model's name; nil: the name does.
	version func() string
	// open returns the model and makes no call; nil: the provider has none.
	// The model of a provider that Embeds is an llm.EmbeddingModel too.
	open func(ctx context.Context, key, base string) (llm.Model, error)
	// batches opens the provider's batches and makes no call; nil: it has none that can be used from here.
	batches func(key, base string) (batch.Service, error)
	lines   func() batch.Format // of files with its requests that others answer; nil: there is no such format
}

// providers has the rows that are stated here, and one per kind of server that speaks OpenAI's API.
var providers = slices.Concat([]provider{
	{
		Provider: configs.Provider{Choice: configs.Choice{ID: "baseline", Shows: "the embedded rule-based parser: no key, no network, no language model"}, Local: true, Plain: true},
		version:  func() string { return baseline.New().Version() },
		open:     func(context.Context, string, string) (llm.Model, error) { return baseline.New(), nil },
	},
	{
		Provider: configs.Provider{Choice: configs.Choice{ID: "gemini", Shows: "Google's Gemini models"}, Efforts: gemini.Efforts, Budget: true, Owned: gemini.Owned, Embeds: true},
		base:     gemini.DefaultBaseURL, own: true, keyEnv: gemini.DefaultKeyEnv,
		open: func(ctx context.Context, key, base string) (llm.Model, error) {
			return gemini.New(ctx, gemini.Options{Key: key, BaseURL: base})
		},
	},
	{
		Provider: configs.Provider{Choice: configs.Choice{ID: "anthropic", Shows: "Anthropic's Claude models, or any server that speaks its Messages API"}, Efforts: anthropic.Efforts, Budget: true, Least: anthropic.LeastBudget,
			Answer: anthropic.DefaultMaxTokens, Owned: anthropic.Owned, Alone: true},
		base: anthropic.DefaultBaseURL, own: true, keyEnv: anthropic.DefaultKeyEnv, keyless: true,
		open: func(_ context.Context, key, base string) (llm.Model, error) {
			return anthropic.New(anthropic.Options{Key: key, BaseURL: base})
		},
		batches: func(key, base string) (batch.Service, error) {
			return anthropic.NewBatches(anthropic.Options{Key: key, BaseURL: base})
		},
	},
}, compatible(), []provider{
	{Provider: configs.Provider{Choice: configs.Choice{ID: configs.Imported, Shows: "no model: what `assay import` stored; such a run is reported, and not run again"}}},
})

// compatible are the servers that speak OpenAI's API.
func compatible() (out []provider) {
	for _, s := range openai.Servers {
		row := configs.Provider{Choice: configs.Choice{ID: s.ID, Shows: s.Shows}, Plain: true, Embeds: true, Alone: s.Alone, Address: s.BaseURL == "", Budget: s.Budget != "", Owned: s.Owned()}
		if s.Effort != "" {
			row.Efforts = configs.Efforts.IDs()
		}
		p := provider{
			Provider: row, base: s.BaseURL, own: s.Own, keyEnv: s.KeyEnv, keyless: true, domain: s.Domain,
			open: func(_ context.Context, key, base string) (llm.Model, error) {
				return openai.New(openai.Options{Server: s.ID, Key: key, BaseURL: base})
			},
			lines: func() batch.Format { return openai.Lines(s) },
		}
		if s.Batches {
			p.batches = func(key, base string) (batch.Service, error) {
				return openai.NewBatches(openai.Options{Server: s.ID, Key: key, BaseURL: base})
			}
		}
		out = append(out, p)
	}
	return out
}

// model opens the model that the experiment names, with its key.
func (p provider) model(ctx context.Context, m configs.Model) (llm.Model, error) {
	if p.Local {
		return p.open(ctx, "", "")
	}
	key, err := p.key(m)
	if err != nil {
		return nil, err
	}
	return p.open(ctx, key, m.BaseURL)
}

// key reads the key that the experiment names, or the provider's own.
func (p provider) key(m configs.Model) (string, error) {
	env := m.KeyEnv
	if env == "" && m.KeyFile == "" && (!p.keyless || m.BaseURL == "" || p.within(m.BaseURL)) {
		env = p.keyEnv
	}
	return wire.ReadKey(env, m.KeyFile)
}

// within reports whether an address is one of the provider's own domain. An experiment is shared, so that its address must
// not get a key by itself.
func (p provider) within(address string) bool {
	u, err := url.Parse(address)
	return err == nil && p.domain != "" && u.Scheme == "https" && strings.HasSuffix(strings.ToLower(u.Hostname()), p.domain)
}

func findProvider(name string) (provider, error) {
	p, ok := configs.Find(providers, name)
	switch {
	case !ok:
		return p, fmt.Errorf("catalog: no provider %q", name)
	case p.open == nil:
		return provider{}, fmt.Errorf("catalog: provider %q is of stored predictions, which have no model to run: use report and diff", name)
	}
	return p, nil
}

// Author returns the author of a model's completions, as requests carry it: provider and model, the address where that is not
// the provider's own, and the name that the experiment gives. The baseline is its rule set's version, whatever the
// experiment calls it, so that a ledger never answers for an older rule set.
func Author(m configs.Model) (llm.Author, error) {
	p, err := findProvider(m.Provider)
	if err != nil {
		return llm.Author{}, err
	}
	return p.author(llm.Author{Model: m.Name, Server: m.BaseURL, As: m.As})
}

// Canonical returns the canonical spelling of an author that was not named by an experiment, but on a command line or in a
// file. An author of an unknown provider is returned unchanged.
func Canonical(a llm.Author) (llm.Author, error) {
	p, err := findProvider(a.Provider)
	if err != nil || p.Local {
		return a, nil
	}
	return p.author(a)
}

func (p provider) author(a llm.Author) (llm.Author, error) {
	if p.version != nil {
		a.Model = p.version()
	}
	if p.Local {
		return llm.Author{Provider: p.ID, Model: a.Model}, nil
	}
	server, err := wire.BaseURL(a.Server, p.base)
	if err != nil {
		return llm.Author{}, fmt.Errorf("catalog: author: %w", err)
	}
	if p.own && server == p.base {
		server = ""
	}
	return llm.Author{Provider: p.ID, Model: a.Model, Server: server, As: a.As}, nil
}

// Model opens the provider's model, with retries within the limits around one that is asked over a network. It makes no
// call, and fails where a key is missing. o has what the limits do not say, its zero value nothing.
func Model(ctx context.Context, m configs.Model, l configs.Limits, o retry.Options) (llm.Model, error) {
	p, err := findProvider(m.Provider)
	if err != nil {
		return nil, err
	}
	model, err := p.model(ctx, m)
	if err != nil || p.Local {
		return model, err
	}
	o.Concurrency, o.RequestsPerMinute, o.TokensPerMinute = l.InFlight(), l.RequestsPerMinute, l.TokensPerMinute
	o.Attempts, o.GiveUp = l.Attempts, l.GiveUp
	o.Timeout, o.Silence = time.Duration(l.CallTimeout), time.Duration(l.Silence)
	return retry.Wrap(model, o), nil
}

// Embedder returns what computes an arm's vectors by a model: the arm must state [embeddings].
func Embedder(m llm.EmbeddingModel, e configs.Embeddings) (llm.Embedder, error) {
	a, err := Author(e.Model())
	if err == nil && m == nil {
		err = fmt.Errorf("catalog: %q computes vectors, and was not opened", a)
	}
	if err != nil {
		return nil, err
	}
	return llm.Bind(m, a, e.Dimensions), nil
}

// importedRow is the method of imported predictions.
var importedRow = configs.Method{Choice: configs.Choice{ID: configs.Imported, Shows: "predictions of others, stored by `assay import`"}, Imported: true}

// Method constructs the method of an arm for one seed: the folder that it names, with the parts around it.
func Method(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	switch {
	case arm.Method == configs.Imported && d.Imported == nil:
		return nil, fmt.Errorf("catalog: method %q is of stored predictions, which have no model to run: use report and diff", configs.Imported)
	case arm.Method == configs.Imported:
		return d.Imported, nil
	case arm.Schema.HideEvidence:
		return unhinted(d, arm, seed)
	}
	return pipeline.New(d, arm, seed)
}

// PromptHash identifies the text that prompts are made of: the digests of the folders and files that a run's arms use, and
// what is printed in Go: assay's schema formats and the outcomes of queries. It is "sha256:" and hexadecimal digits. The order
// of the digests does not count.
func PromptHash(digests []string) string {
	h := sha256.New()
	for _, d := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		fmt.Fprintln(h, d)
	}
	fmt.Fprintln(h, methods.LibraryDigest(), render.Hash(), outcome.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Metrics constructs the metrics of an experiment, in its order. They share o's box and its results. Those that are programs
// are closed by the caller, also where another cannot be made.
func Metrics(ctx context.Context, e configs.Experiment, o judge.Options) (out []metrics.Metric, err error) {
	for _, id := range e.Metrics {
		var m metrics.Metric
		if own, program := e.OwnMetric(id); program {
			m, err = judge.New(ctx, own, o)
		} else if id == exact.Row.ID {
			m = exact.New(exact.Options{})
		} else {
			m, err = execution.New(id, execution.Options{Cache: o.Results}, o.Box)
		}
		if err != nil {
			return out, err
		}
		out = append(out, m)
	}
	return out, nil
}
