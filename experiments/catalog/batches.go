package catalog

import (
	"context"
	"fmt"
	"time"

	"assay/configs"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/retry"
)

// batchTimeout is how long a call about a batch may take: it may carry hundreds of megabytes.
const batchTimeout = 30 * time.Minute

// Batches opens the batches of the provider that the experiment names. again makes a call of theirs with retries within the
// limits. It makes no call, and fails where a key is missing, or the provider has no batches.
func Batches(m configs.Model, l configs.Limits, o retry.Options) (s batch.Service, again func(context.Context, func(context.Context) error) error, err error) {
	p, err := findProvider(m.Provider)
	if err != nil {
		return nil, nil, err
	}
	if p.batches == nil {
		return nil, nil, fmt.Errorf("catalog: provider %q has no batches, or none that its client library knows: run without --batch%s", p.ID, p.others())
	}
	key, err := p.key(m)
	if err == nil {
		s, err = p.batches(key, m.BaseURL)
	}
	if err != nil {
		return nil, nil, err
	}
	o.Attempts, o.GiveUp, o.RequestsPerMinute = l.Attempts, l.GiveUp, l.RequestsPerMinute
	o.Concurrency, o.Timeout, o.Silence = 1, max(batchTimeout, time.Duration(l.CallTimeout)), time.Duration(l.Silence)
	return s, retry.Wrap(nil, o).Do, nil
}

// others names the way that needs no server, where there is one.
func (p provider) others() string {
	if p.lines == nil {
		return ""
	}
	return ", or write the requests to a file with `assay batch export`"
}

// Lines returns the format of files with requests to a provider that others answer.
func Lines(provider string) (batch.Format, error) {
	p, err := findProvider(provider)
	if err != nil {
		return nil, err
	}
	if p.lines == nil {
		return nil, fmt.Errorf("catalog: provider %q is not asked in the format of such files, which is OpenAI's", p.ID)
	}
	return p.lines(), nil
}
