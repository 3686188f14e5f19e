package llm

import (
	"context"
	"math/bits"
	"strconv"

	"assay/prompting/draw"
)

// SampleGenerator is a Model that can give several samples of one request in one call, so that the prompt is paid for
// once.
type SampleGenerator interface {
	Model

	// GenerateN asks for the samples with the given numbers; r.Sample is ignored. The responses answer the first
	// len(responses) of them, in order. Fewer than asked for is not an error: a server may ignore the number, or block
	// some; ask for the rest by Generate, which says why. No completion at all is an error, of the same kinds as
	// Generate's.
	GenerateN(ctx context.Context, r Request, samples []int) ([]Response, error)
}

// Warner is a Model that collects warnings about conditions that did not stop it: a server that ignores a seed, a
// renamed parameter.
type Warner interface {
	// Warnings returns each warning once, as a sentence, sorted. They hold no secret.
	Warnings() []string
}

// seedBits is the number of bits that all providers accept: Gemini's seed is a signed 32-bit integer, and llama.cpp
// takes the largest 32-bit number to mean "draw a seed".
const seedBits = 31

// DrawSeed returns a value for Params.Seed: the stream of completions of one purpose under a run's seed. purpose names
// the item, the generator and the stage that asks. Streams of neighbouring run seeds have nothing in common. Seeds
// counted up from the run's would overlap: sample 1 of seed 0 would be sample 0 of seed 1.
func DrawSeed(seed int64, purpose ...string) int64 {
	return draw.Bits(seedBits, seed, append([]string{"sampling"}, purpose...)...)
}

// SentSeed returns the seed to send for the request's sample, nil if no seed is set. It differs per sample, because a
// server that honours a seed would give every sample of one seed the same text.
func (r Request) SentSeed() *int64 {
	if r.Params.FixedSeed != nil {
		s := *r.Params.FixedSeed + int64(r.Sample)
		return &s
	}
	if r.Params.Seed == nil {
		return nil
	}
	s := draw.Bits(seedBits, *r.Params.Seed, "sample", strconv.Itoa(r.Sample))
	return &s
}

// SplitUsage divides the usage of one call among its completions, so that the parts add up to the total: the prompt
// goes to the first, completion and reasoning tokens are divided by length of text (largest remainder first). With more
// than one text the parts are marked as estimated, because the provider counted only their sum.
func SplitUsage(total Usage, texts []string) []Usage {
	parts := make([]Usage, len(texts))
	if len(texts) == 0 {
		return parts
	}
	completion, reasoning := split(total.CompletionTokens, texts), split(total.ReasoningTokens, texts)
	for i := range parts {
		parts[i] = Usage{CompletionTokens: completion[i], ReasoningTokens: min(reasoning[i], completion[i]), Estimated: total.Estimated || len(texts) > 1}
	}
	parts[0].PromptTokens, parts[0].CachedTokens, parts[0].CacheWriteTokens = total.PromptTokens, total.CachedTokens, total.CacheWriteTokens
	return parts
}

// split divides n in proportion to the lengths of the texts, by the method of largest remainders.
func split(n int, texts []string) []int {
	chars := len(texts) // one more per text, so that an empty text has a weight
	for _, t := range texts {
		chars += len(t)
	}
	given, parts, rest := 0, make([]int, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		// In 128 bits, because a server may report any number and the product would overflow.
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
