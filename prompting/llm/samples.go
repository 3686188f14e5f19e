package llm

import "context"

// SampleGenerator is a Model that can give several samples of one request in one call, which pays for the prompt once.
type SampleGenerator interface {
	Model

	// GenerateN asks for the samples numbered in samples; r.Sample is ignored. The responses answer the first
	// len(responses) of them, in order, each a completion of its own. Fewer than asked is no error: a server may ignore
	// the number, or block some; ask for the rest by Generate, which tells why. No completion at all is an error, of
	// the kinds that Generate has.
	GenerateN(ctx context.Context, r Request, samples []int) ([]Response, error)
}

// Warner is a Model that doubts something it met and went on: a server that ignores a seed, a parameter renamed.
type Warner interface {
	// Warnings returns each doubt once, as a sentence, sorted. It holds no secret.
	Warnings() []string
}

// SentSeed returns the seed to send for the request's sample: Seed + Sample, because a server that honours a seed would
// give every sample of one seed the same text. It is nil where no seed is set.
func (r Request) SentSeed() *int64 {
	if r.Params.Seed == nil {
		return nil
	}
	s := *r.Params.Seed + int64(r.Sample)
	return &s
}

// SplitUsage shares out the usage of one call among its completions, so that the parts add up to the total: the prompt
// goes to the first, the completion tokens by length of text (largest remainder first). With more than one text the
// parts are marked as estimated, because only their sum was counted.
func SplitUsage(total Usage, texts []string) []Usage {
	parts := make([]Usage, len(texts))
	if len(texts) == 0 {
		return parts
	}
	chars := len(texts) // one for each, so that an empty text has a weight
	for _, t := range texts {
		chars += len(t)
	}
	given, rest := 0, make([]int, len(texts))
	for i, t := range texts {
		share := total.CompletionTokens * (len(t) + 1)
		parts[i] = Usage{CompletionTokens: share / chars, Estimated: total.Estimated || len(texts) > 1}
		rest[i] = share % chars
		given += share / chars
	}
	for ; given < total.CompletionTokens; given++ {
		most := 0
		for i := range rest {
			if rest[i] > rest[most] {
				most = i
			}
		}
		parts[most].CompletionTokens++
		rest[most] = -1
	}
	parts[0].PromptTokens = total.PromptTokens
	return parts
}
