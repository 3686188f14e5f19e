package llm

import (
	"context"
	"math/bits"
	"strconv"

	"assay/prompting/draw"
)

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

// seedBits is how much of a seed providers take: Gemini's is a signed 32-bit integer, and llama.cpp reads the largest
// 32-bit number as "draw one".
const seedBits = 31

// DrawSeed is what Params.Seed holds: the stream of completions of one purpose under a run's seed. purpose names the item,
// the generator and the stage that asks. Streams of neighbouring run seeds have nothing in common, which seeds counted up
// from a run's would have: sample 1 of seed 0 would be sample 0 of seed 1.
func DrawSeed(seed int64, purpose ...string) int64 {
	return draw.Bits(seedBits, seed, append([]string{"sampling"}, purpose...)...)
}

// SentSeed returns the seed to send for the request's sample, drawn from the stream that Params.Seed names, because a
// server that honours a seed would give every sample of one seed the same text. It is nil where no seed is set.
func (r Request) SentSeed() *int64 {
	if r.Params.Seed == nil {
		return nil
	}
	s := draw.Bits(seedBits, *r.Params.Seed, "sample", strconv.Itoa(r.Sample))
	return &s
}

// SplitUsage shares out the usage of one call among its completions, so that the parts add up to the total: the prompt
// goes to the first, the completion tokens by length of text (largest remainder first), reasoning with them. With more
// than one text the parts are marked as estimated, because only their sum was counted.
func SplitUsage(total Usage, texts []string) []Usage {
	parts := make([]Usage, len(texts))
	if len(texts) == 0 {
		return parts
	}
	completion, reasoning := split(total.CompletionTokens, texts), split(total.ReasoningTokens, texts)
	for i := range parts {
		parts[i] = Usage{CompletionTokens: completion[i], ReasoningTokens: min(reasoning[i], completion[i]), Estimated: total.Estimated || len(texts) > 1}
	}
	parts[0].PromptTokens, parts[0].CachedTokens = total.PromptTokens, total.CachedTokens
	return parts
}

// split shares n out by length of text, largest remainder first.
func split(n int, texts []string) []int {
	chars := len(texts) // one for each, so that an empty text has a weight
	for _, t := range texts {
		chars += len(t)
	}
	given, parts, rest := 0, make([]int, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		// In 128 bits, and at most n in all: a server may count what it likes.
		high, low := bits.Mul64(uint64(n), uint64(len(t)+1))
		part, remainder := bits.Div64(high, low, uint64(chars))
		parts[i], rest[i] = int(part), int(remainder)
		given += parts[i]
	}
	for ; given < n; given++ {
		most := 0
		for i := range rest {
			if rest[i] > rest[most] {
				most = i
			}
		}
		parts[most]++
		rest[most] = -1
	}
	return parts
}
