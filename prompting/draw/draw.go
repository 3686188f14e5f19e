// Package draw derives random generators from a run's seed and what they are for.
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
	h := sha256.New()
	fmt.Fprintf(h, "%d", seed)
	for _, p := range purpose {
		fmt.Fprintf(h, " %d:%s", len(p), p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
}
