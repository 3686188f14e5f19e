package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/vectors"
)

var _ llm.EmbeddingModel = vectorsOf{}

// vectorsOf is the model of a cell's vectors. Cells have different ones, so that each asks for the lists that it compares with, and
// not the one that comes first.
type vectorsOf struct {
	standIn
	cell int
}

// Vectors implements [llm.EmbeddingModel]: by the vectors that the ledger holds or, where it lacks one and the baseline stands
// in, by the offline vectors for all texts, since vectors of two models cannot be compared. Otherwise they are unknown.
func (vectorsOf) Vectors(ctx context.Context, r llm.EmbeddingRequest) (out llm.Embedding, err error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return out, errors.New("plan: a forecast's method embeds under a context that is not its question's")
	}
	lacking := map[string]string{}
	for _, t := range r.Texts {
		key := r.Request(t).Key()
		v, held, err := s.vector(ctx, key)
		if err != nil {
			return out, err
		}
		if !held {
			lacking[key] = t
		}
		out.Vectors = append(out.Vectors, v)
	}
	if len(lacking) > 0 && s.embed != nil {
		s.embed(lacking)
	}
	switch {
	case len(lacking) == 0:
		return out, nil
	case s.baseline != nil:
		return vectors.New(vectors.Options{}).Vectors(ctx, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
	return llm.Embedding{}, prompting.ErrUnknown
}

// vector returns the vector that the ledger holds under a key.
func (s *session) vector(ctx context.Context, key string) (v llm.Vector, held bool, err error) {
	if s.held == nil {
		return v, false, nil
	}
	resp, held, err := s.held(ctx, key)
	if err == nil && held {
		v, err = llm.VectorOf(resp)
	}
	return v, held, err
}

// texts are the texts of a forecast whose vectors the ledger lacks, as they are asked for together.
type texts struct {
	mu       sync.Mutex
	content  map[string]string    // by key
	requests map[string]*together // by what they ask for
}

// together are texts that are asked for at once.
type together struct {
	cell    int      // the first that asks
	certain bool     // some answer needs it whatever the completions that are not known will be
	keys    []string // sorted
}

// before reports whether a request is taken for the earlier of two: a certain one, or the first cell's.
func (r *together) before(o *together) int {
	if r.certain != o.certain {
		if r.certain {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(r.cell, o.cell), slices.Compare(r.keys, o.keys))
}

// noting returns what notes the texts, by key, that a cell asks for at once.
func (x *texts) noting(cell int, certain bool) func(lacking map[string]string) {
	return func(lacking map[string]string) {
		r := &together{cell, certain, slices.Sorted(maps.Keys(lacking))}
		id := strings.Join(r.keys, " ")
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.content == nil {
			x.content, x.requests = map[string]string{}, map[string]*together{}
		}
		maps.Copy(x.content, lacking)
		if same := x.requests[id]; same == nil || r.before(same) < 0 {
			x.requests[id] = r
		}
	}
}

// sums counts what each cell asks for. A text is asked for once, by the first request that has it, since the ledger answers the
// others, and a request makes a call for each batch of the texts that are left to it: the order of the requests does not depend on
// which goroutine came first.
func (x *texts) sums(f *forecaster, scale float64) []sum {
	out, asked := make([]sum, len(f.cells)), map[string]bool{}
	for _, r := range slices.SortedFunc(maps.Values(x.requests), (*together).before) {
		var left llm.EmbeddingRequest
		for _, key := range r.keys {
			if !asked[key] {
				asked[key], left.Texts = true, append(left.Texts, x.content[key])
			}
		}
		tokens, calls := int64(0), 0
		for _, t := range left.Texts {
			tokens += f.cells[r.cell].of(cost.EmbedStage).counter.Text(t)
		}
		for range left.Batches() {
			calls++
		}
		n := embedded{float64(len(left.Texts)), float64(calls), float64(tokens)}
		if s := &out[r.cell]; r.certain {
			s.sure = s.sure.plus(n, 1)
		} else {
			s.rest = s.rest.plus(n, scale)
		}
	}
	return out
}

// lines adds to the lines of a forecast one of its own for the texts of each cell that embeds, in front of the cell's others.
// What was met on the sample alone is scaled. Vectors have no output tokens.
func (x *texts) lines(f *forecaster, lines []cost.Line, scale float64) (out []cost.Line) {
	sums := x.sums(f, scale)
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

// embedded counts texts, the calls for them, and their tokens.
type embedded struct{ texts, calls, tokens float64 }

func (a embedded) plus(b embedded, scale float64) embedded {
	return embedded{a.texts + scale*b.texts, a.calls + scale*b.calls, a.tokens + scale*b.tokens}
}

// sum has what is certain of a cell, and what was met on the sample, scaled.
type sum struct{ sure, rest embedded }

// line is the line of a cell's texts. items is the number of its answers.
func (s sum) line(c cell, items int) cost.Line {
	m, r := c.Arm.Embeddings.Model(), c.of(cost.EmbedStage)
	bill := func(a embedded) cost.Bill {
		return cost.Bill{Ask: int64(math.Ceil(a.calls)), Prompt: whole(a.tokens), USD: r.price.Sum(0, cost.Usage{Prompt: whole(a.tokens)})}
	}
	both := s.sure.plus(s.rest, 1)
	out := cost.Line{Arm: c.Arm.Name, Label: c.Arm.Label, Point: c.Values(), Stage: cost.EmbedStage, Model: cost.ModelName(m),
		Items: items, Exact: r.exact() && s.rest.texts == 0, Unknown: !r.priced}
	out.Certain, out.Likely = bill(s.sure), bill(both)
	out.Most = out.Likely
	live := cost.Way{USD: out.Likely.USD, Known: r.priced || out.Likely.Ask == 0} // no way of asking changes what vectors cost
	out.Cached, out.Cold, out.Batch = live, live, live
	out.Calls = out.Likely.Ask
	out.Estimated = out.Calls - out.Certain.Ask
	if out.Calls > 0 {
		out.Source = fmt.Sprintf("%d texts", whole(both.texts))
	}
	return out
}
