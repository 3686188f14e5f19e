package catalog

import (
	"context"
	"fmt"
	"time"

	"assay/configs"
	"assay/prompting/llm"
	"assay/prompting/llm/retry"
)

// tokenCounter is a provider's model that counts a prompt's tokens without answering it.
type tokenCounter interface {
	CountTokens(ctx context.Context, r llm.Request) (int, error)
}

// Counting opens a model whose responses are empty but for Usage.PromptTokens, which the provider counts, at no charge.
// Retries and limits are those of Model. ok is false where the provider has no such service.
func Counting(ctx context.Context, m configs.Model, l configs.Limits) (model llm.Model, ok bool, err error) {
	p, err := findProvider(m.Provider)
	if err != nil || p.Local {
		return nil, false, err
	}
	inner, err := p.model(ctx, m)
	if err != nil {
		return nil, false, fmt.Errorf("catalog: count tokens: %w", err)
	}
	c, ok := inner.(tokenCounter)
	if !ok {
		return nil, false, nil
	}
	return retry.Wrap(counting{c}, retry.Options{Concurrency: l.InFlight(), RequestsPerMinute: l.RequestsPerMinute,
		Attempts: l.Attempts, Timeout: time.Duration(l.CallTimeout), GiveUp: l.GiveUp, Silence: time.Duration(l.Silence)}), true, nil
}

// counting puts a token counter behind llm.Model.
type counting struct{ tokenCounter }

func (c counting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	n, err := c.CountTokens(ctx, r)
	return llm.Response{Usage: llm.Usage{PromptTokens: n}}, err
}
