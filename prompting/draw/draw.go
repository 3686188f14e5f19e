// Package draw derives random generators and numbers from a run's seed and the purpose of the draw. It hashes both, so
// that equal arguments give equal draws in any order of execution. It must never depend on the clock, on global state,
// or on what was drawn before.
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Rand returns a generator that depends only on the seed and the purpose: equal arguments give equal draws on every
// machine. Each part of the purpose is delimited by its length, so ("ab", "c") differs from ("a", "bc").
func Rand(seed int64, purpose ...string) *rand.Rand {
	sum := hash(seed, purpose)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
}

// Bits returns a number of so many bits, 1 to 63, that depends only on the seed and the purpose, as Rand does.
func Bits(bits int, seed int64, purpose ...string) int64 {
	return int64(binary.BigEndian.Uint64(hash(seed, purpose)) >> (64 - bits))
}

func hash(seed int64, purpose []string) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%d", seed)
	for _, p := range purpose {
		fmt.Fprintf(h, " %d:%s", len(p), p)
	}
	return h.Sum(nil)
}
