package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/ledger"
)

// Gatherer is the model of a run whose calls are batches. It makes no call: it notes a request, and answers
// [prompting.ErrUnknown], so that the method goes on with what does not depend on the answer. It is safe for concurrent use.
type Gatherer struct {
	ledger *ledger.Ledger
	format batch.Format

	mu  sync.Mutex
	buf []ledger.Gathered
}

var (
	_ llm.SampleGenerator = (*Gatherer)(nil)
	_ llm.Warner          = (*Gatherer)(nil)
)

// NewGatherer returns a gatherer of requests that will be written in a format.
func NewGatherer(l *ledger.Ledger, f batch.Format) *Gatherer { return &Gatherer{ledger: l, format: f} }

// gatherAtOnce is how many requests are stored in one transaction.
const gatherAtOnce = 64

// Generate implements [llm.Model]; its error is [prompting.ErrUnknown], or that of a request that cannot be written.
func (g *Gatherer) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	line, err := g.format.Line(batch.CustomID(r.Key()), r)
	if err != nil {
		return llm.Response{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.buf = append(g.buf, ledger.Gathered{Request: r, Group: group(r), Place: place(r), Bytes: len(line)}); len(g.buf) >= gatherAtOnce {
		err = g.flush(ctx)
	}
	if err == nil {
		err = prompting.ErrUnknown
	}
	return llm.Response{}, err
}

// GenerateN implements [llm.SampleGenerator]: every sample is a request of its own.
func (g *Gatherer) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	var err error
	for _, r.Sample = range samples {
		if _, err = g.Generate(ctx, r); err != prompting.ErrUnknown {
			return nil, err
		}
	}
	return nil, err
}

// Flush stores what was noted.
func (g *Gatherer) Flush(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flush(ctx)
}

func (g *Gatherer) flush(ctx context.Context) error {
	err := g.ledger.Gather(ctx, g.buf)
	g.buf = nil
	return err
}

// group names what may be in one batch: providers take one model and one kind of call in each.
func group(r llm.Request) string { return fmt.Sprintf("%q %q", r.Author, r.Params.API) }

// marks are where the text of a request is cut for its place, in bytes.
var marks = []int{1 << 10, 4 << 10, 16 << 10}

// place orders a batch so that requests that begin alike are neighbours, for servers that keep the beginnings of prompts. It
// depends on the request alone.
func place(r llm.Request) string {
	text, _ := json.Marshal(r.Messages) // strings always encode
	out := ""
	for _, at := range marks {
		sum := sha256.Sum256(text[:min(at, len(text))])
		out += hex.EncodeToString(sum[:4])
	}
	return out + batch.CustomID(r.Key())
}

// Warnings returns those of the format.
func (g *Gatherer) Warnings() []string {
	if w, ok := g.format.(llm.Warner); ok {
		return w.Warnings()
	}
	return nil
}
