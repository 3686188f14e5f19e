// Package catalog is the literal tables of what exists: a name in an experiment to its constructor.
package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

	"assay/configs"
	"assay/metrics"
	"assay/metrics/exact"
	"assay/metrics/execution"
	"assay/prompting"
	"assay/prompting/iterate"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
	"assay/prompting/llm/gemini"
	"assay/prompting/sandbox"
	"assay/prompting/single"
)

// provider is a row of the providers table.
type provider struct {
	name string
	// model resolves the name that goes into requests: what identifies the completion's author.
	model func(name string) string
	// open returns the model; it makes no call.
	open func(ctx context.Context, m configs.Model) (llm.Model, error)
}

var providers = []provider{
	{
		name:  "baseline",
		model: func(string) string { return baseline.New().Version() },
		open:  func(context.Context, configs.Model) (llm.Model, error) { return baseline.New(), nil },
	},
	{
		name:  "gemini",
		model: func(name string) string { return name },
		open: func(ctx context.Context, m configs.Model) (llm.Model, error) {
			env := m.KeyEnv
			if env == "" {
				env = gemini.DefaultKeyEnv
			}
			return gemini.New(ctx, gemini.Options{Key: os.Getenv(env), BaseURL: m.BaseURL})
		},
	},
}

func findProvider(name string) (provider, error) {
	for _, p := range providers {
		if p.name == name {
			return p, nil
		}
	}
	if name == configs.Imported {
		return provider{}, fmt.Errorf("catalog: provider %q is of stored predictions, which have no model to run: use report and diff", name)
	}
	return provider{}, fmt.Errorf("catalog: no provider %q", name)
}

// ModelName returns the name of the model as requests carry it. For the baseline that is its rule set's version,
// whatever the experiment calls it, so that a ledger never answers for an older rule set.
func ModelName(m configs.Model) (string, error) {
	p, err := findProvider(m.Provider)
	if err != nil {
		return "", err
	}
	return p.model(m.Name), nil
}

// Model opens the provider's model; it makes no call, and fails where a key is missing.
func Model(ctx context.Context, m configs.Model) (llm.Model, error) {
	p, err := findProvider(m.Provider)
	if err != nil {
		return nil, err
	}
	return p.open(ctx, m)
}

// methods are the packages that make methods, each with its own table of names.
var methods = []struct {
	names []string
	new   func(name string, d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error)
	hash  func() string
}{
	{single.Methods, single.New, single.PromptHash},
	{iterate.Methods, iterate.New, iterate.PromptHash},
}

// Method constructs the method of an arm for one seed.
func Method(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	for _, m := range methods {
		if slices.Contains(m.names, arm.Method) {
			return m.new(arm.Method, d, arm, seed)
		}
	}
	return nil, fmt.Errorf("catalog: no method %q", arm.Method)
}

// PromptHash identifies every prompt template that a method may fill: "sha256:" and hexadecimal digits.
func PromptHash() string {
	h := sha256.New()
	for _, m := range methods {
		fmt.Fprintln(h, m.hash())
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Metrics constructs the metrics of an experiment, in its order. They share box, and through cache what it has run.
func Metrics(ids []string, box *sandbox.Box, cache *execution.Cache) ([]metrics.Metric, error) {
	out := make([]metrics.Metric, len(ids))
	for i, id := range ids {
		if em := exact.New(exact.Options{}); id == em.ID() {
			out[i] = em
			continue
		}
		var err error
		if out[i], err = execution.New(id, execution.Options{Cache: cache}, box); err != nil {
			return nil, err
		}
	}
	return out, nil
}
