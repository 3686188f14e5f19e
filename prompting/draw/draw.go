// Package draw derives random generators and numbers from a run's seed and what they are for.
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Rand returns a generator that depends on the seed and the purpose alone: equal arguments give equal draws, on every
// machine and whatever was drawn before. Each part is delimited by its length, so ("ab", "c") is not ("a", "bc").
func Rand(seed int64, purpose ...string) *rand.Rand {
	sum := hash(seed, purpose)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
}

// Bits returns a number of so many bits, 1 to 63, that depends on the seed and the purpose alone, as Rand does.
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
