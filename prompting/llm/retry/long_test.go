package retry

import (
	"context"
	"errors"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// many is a model that gives several samples per call.
type many struct{ *llm.Scripted }

func (m many) GenerateN(ctx context.Context, r llm.Request, samples []int) ([]llm.Response, error) {
	got, err := m.Generate(ctx, r)
	return []llm.Response{got}, err
}

// A prompt that exceeds the window is asked once, whatever else of it is wanted.
func TestAPromptTooLongIsAskedOnce(t *testing.T) {
	seed := func(n int64) *int64 { return &n }
	ask := func(text string) llm.Request {
		return llm.Request{Author: llm.Author{Model: "m"}, Messages: []llm.Message{{Role: llm.User, Text: text}}}
	}
	with := func(change func(*llm.Request)) llm.Request {
		r := ask("long")
		change(&r)
		return r
	}
	refused := &llm.Failure{Reason: wire.TooLong, Err: errors.New("8375 tokens, 512 fit"), Status: 400}
	check := func(what string, calls int64, failure error, requests ...llm.Request) {
		t.Helper()
		for _, several := range []bool{false, true} {
			var inner llm.Model
			base, n := fails(failure, failure, failure, failure)
			if inner = base; several {
				inner = many{base}
			}
			m := Wrap(inner, Options{Clock: newClock(), Attempts: 1})
			for _, r := range requests {
				_, err := m.Generate(t.Context(), r)
				if several {
					_, err = m.GenerateN(t.Context(), r, []int{r.Sample, r.Sample + 1})
				}
				if !errors.Is(err, failure) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if n.Load() != calls {
				t.Errorf("%s: %d calls, want %d", what, n.Load(), calls)
			}
		}
	}
	sample := with(func(r *llm.Request) { r.Sample, r.Params.Seed = 3, seed(17) })
	check("the same again", 1, refused, ask("long"), ask("long"))
	check("another sample, with its own seed", 1, refused, with(func(r *llm.Request) { r.Params.Seed = seed(1) }), sample)
	check("a sample without a seed", 1, refused, sample, ask("long"))
}

// What was learnt of one prompt says nothing of others, and no other failure is learnt.
func TestOtherPromptsAreAsked(t *testing.T) {
	check := func(what string, calls int64, failure *llm.Failure, a, b llm.Request) {
		t.Helper()
		inner, n := fails(failure, failure)
		m := Wrap(inner, Options{Clock: newClock(), Attempts: 1})
		m.Generate(t.Context(), a)
		m.Generate(t.Context(), b)
		if n.Load() != calls {
			t.Errorf("%s: %d calls, want %d", what, n.Load(), calls)
		}
	}
	ask := func(model, text string, most int) llm.Request {
		return llm.Request{Author: llm.Author{Model: model}, Params: llm.Params{MaxTokens: most}, Messages: []llm.Message{{Role: llm.User, Text: text}}}
	}
	long := &llm.Failure{Reason: wire.TooLong, Status: 400}
	base := ask("m", "long", 0)
	check("the same", 1, long, base, base)
	check("another prompt", 2, long, base, ask("m", "short", 0))
	check("another model", 2, long, base, ask("larger", "long", 0))
	check("a shorter completion, which some servers count in", 2, long, base, ask("m", "long", 10))
	check("a block", 2, &llm.Failure{Reason: "blocked: SAFETY"}, base, base)
}
