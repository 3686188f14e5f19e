package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/vectors"
)

var _ llm.EmbeddingModel = standIn{}

// Vectors implements [llm.EmbeddingModel]: by the vectors that the ledger holds or, where it lacks one and the baseline stands
// in, by the offline vectors for all texts, since vectors of two models cannot be compared. Otherwise they are unknown.
func (standIn) Vectors(ctx context.Context, r llm.EmbeddingRequest) (out llm.Embedding, err error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return out, errors.New("plan: a forecast's method embeds under a context that is not its question's")
	}
	lacking := false
	for _, t := range r.Texts {
		v, held, err := s.vector(ctx, r, t)
		if err != nil {
			return out, err
		}
		lacking = lacking || !held
		out.Vectors = append(out.Vectors, v)
	}
	switch {
	case !lacking:
		return out, nil
	case s.baseline != nil:
		return vectors.New(vectors.Options{}).Vectors(ctx, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
	return llm.Embedding{}, prompting.ErrUnknown
}

// vector returns the vector of a text that the ledger holds, and notes the text where it holds none.
func (s *session) vector(ctx context.Context, r llm.EmbeddingRequest, text string) (v llm.Vector, held bool, err error) {
	key := r.Request(text).Key()
	if s.held != nil {
		var resp llm.Response
		if resp, held, err = s.held(ctx, key); err == nil && held {
			v, err = llm.VectorOf(resp)
		}
	}
	if err == nil && !held && s.text != nil {
		s.text(key, text)
	}
	return v, held, err
}

// texts are the texts of a forecast whose vectors the ledger lacks, each once: the ledger answers the second of two equal
// ones. A text is the first cell's that uses it, whichever goroutine came first.
type texts struct {
	mu  sync.Mutex
	all map[string]text // by key
}

// text is one text to embed.
type text struct {
	cell    int
	certain bool // some answer needs it whatever the completions that are not known will be
	content string
}

// noting returns what notes the texts of a cell.
func (x *texts) noting(cell int, certain bool) func(key, content string) {
	return func(key, content string) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.all == nil {
			x.all = map[string]text{}
		}
		t, known := x.all[key]
		if !known || certain && !t.certain || certain == t.certain && cell < t.cell {
			x.all[key] = text{cell, certain, content}
		}
	}
}

// lines adds to the lines of a forecast one of its own for the texts of each cell that embeds, in front of the cell's others.
// What was met on the sample alone is scaled. A call takes many texts, and its vectors have no output tokens.
func (x *texts) lines(f *forecaster, lines []cost.Line, scale float64) (out []cost.Line) {
	sums := make([]sum, len(f.cells))
	for _, t := range x.all {
		s, r := &sums[t.cell], f.cells[t.cell].of(cost.EmbedStage)
		if n := r.counter.Text(t.content); t.certain {
			s.sure, s.sureTokens = s.sure+1, s.sureTokens+float64(n)
		} else {
			s.rest, s.restTokens = s.rest+scale, s.restTokens+scale*float64(n)
		}
	}
	for i, c := range f.cells {
		if c.Arm.Embeddings.On() {
			out = append(out, sums[i].line(c, len(f.plan.Set.Examples)*len(f.plan.Experiment.Seeds)))
		}
		for _, l := range lines {
			if l.Arm == c.Arm.Name && slices.Equal(l.Point, c.Values()) {
				out = append(out, l)
			}
		}
	}
	return out
}

// sum counts the texts of a cell and their tokens: those that are certain, and those met on the sample, scaled.
type sum struct{ sure, sureTokens, rest, restTokens float64 }

// line is the line of a cell's texts. items is the number of its answers.
func (s sum) line(c cell, items int) cost.Line {
	m, r := c.Arm.Embeddings.Model(), c.of(cost.EmbedStage)
	bill := func(texts, tokens float64) cost.Bill {
		return cost.Bill{Ask: int64(math.Ceil(texts / llm.MostTexts)), Prompt: whole(tokens), USD: r.price.Sum(0, cost.Usage{Prompt: whole(tokens)})}
	}
	out := cost.Line{Arm: c.Arm.Name, Label: c.Arm.Label, Point: c.Values(), Stage: cost.EmbedStage, Model: cost.ModelName(m),
		Items: items, Exact: r.exact() && s.rest == 0, Unknown: !r.priced}
	out.Certain, out.Likely = bill(s.sure, s.sureTokens), bill(s.sure+s.rest, s.sureTokens+s.restTokens)
	out.Most = out.Likely
	live := cost.Way{USD: out.Likely.USD, Known: r.priced || out.Likely.Ask == 0} // no way of asking changes what vectors cost
	out.Cached, out.Cold, out.Batch = live, live, live
	out.Calls = out.Likely.Ask
	out.Estimated = out.Calls - out.Certain.Ask
	if out.Calls > 0 {
		out.Source = fmt.Sprintf("%d texts", whole(s.sure+s.rest))
	}
	return out
}
