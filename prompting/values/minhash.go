package values

import (
	"slices"

	"assay/prompting/vectors"
)

// hasher makes grams of texts, and finds those that win a permutation.
type hasher struct {
	gram          int
	caseSensitive bool
	mul, add      []uint64 // a permutation is the order of (mul*gram + add) mod 2^64
}

func newHasher(o Options) hasher {
	h := hasher{gram: o.Gram, caseSensitive: o.CaseSensitive}
	state := uint64(0x6173736179) // fixed: an index file must mean the same everywhere
	next := func() uint64 {       // splitmix64
		state += 0x9e3779b97f4a7c15
		return mix(state)
	}
	for range o.Permutations {
		h.mul = append(h.mul, next()|1)
		h.add = append(h.add, next())
	}
	return h
}

// mix spreads each bit over all.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// text returns the form of a text that grams are taken of: folded, with a space at either end.
func (h *hasher) text(s string) string {
	if h.caseSensitive {
		return s
	}
	if s = vectors.Fold(s); s == "" {
		return ""
	}
	return " " + s + " "
}

// grams appends the hashes of a text's distinct grams, in ascending order; a text shorter than a gram is one gram,
// the empty text none.
func (h *hasher) grams(dst []uint32, s string) []uint32 {
	start := len(dst)
	if s == "" {
		return dst
	}
	n, window := 0, make([]rune, 0, 64)
	for _, r := range s {
		n++
		if len(window) == h.gram {
			copy(window, window[1:])
			window = window[:h.gram-1]
		}
		if window = append(window, r); len(window) == h.gram {
			dst = append(dst, gramHash(window))
		}
	}
	if n < h.gram {
		dst = append(dst, gramHash(window))
	}
	own := dst[start:]
	slices.Sort(own)
	return dst[:start+len(slices.Compact(own))]
}

func gramHash(rs []rune) uint32 {
	z := uint64(len(rs))
	for _, r := range rs {
		z = z<<21 ^ z>>43 ^ uint64(r)
	}
	return uint32(mix(z) >> 32)
}

// winners keeps the grams that have the lowest place in at least one permutation, in ascending order. It works in
// place and is stopped as soon as all have won.
func (h *hasher) winners(grams []uint32) []uint32 {
	if len(grams) <= 1 {
		return grams
	}
	won, left := make([]bool, len(grams)), len(grams)
	for i := 0; i < len(h.mul) && left > 0; i++ {
		if best := h.winner(i, grams); !won[best] {
			won[best] = true
			left--
		}
	}
	if left == 0 {
		return grams
	}
	out := grams[:0]
	for i, g := range grams {
		if won[i] {
			out = append(out, g)
		}
	}
	return out
}

// winner returns the position of the gram that a permutation puts first.
func (h *hasher) winner(perm int, grams []uint32) int {
	mul, add := h.mul[perm], h.add[perm]
	best, low := 0, ^uint64(0)
	for i, g := range grams {
		if v := mul*uint64(g) + add; v < low {
			best, low = i, v
		}
	}
	return best
}

// normal returns the form in which a value equals a keyword: folded, punctuation as space, words in the singular.
func normal(s string) string {
	s = vectors.Fold(s)
	out := make([]byte, 0, len(s))
	word := 0 // where the present word begins in out
	end := func() {
		out = singular(out, word)
		if n := len(out); n > 0 && out[n-1] != ' ' {
			out = append(out, ' ')
		}
		word = len(out)
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
		case c >= 0x80 || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '#':
			out = append(out, c)
		default:
			end()
		}
	}
	end()
	if n := len(out); n > 0 {
		out = out[:n-1]
	}
	if len(out) == 0 {
		return s // signs alone
	}
	return string(out)
}

// singular takes the commonest endings of an English plural off the word that begins at the given place.
func singular(out []byte, word int) []byte {
	w := string(out[word:])
	n := len(w)
	switch {
	case n > 4 && w[n-3:] == "ies":
		return append(out[:len(out)-3], 'y')
	case n > 4 && (w[n-4:] == "ches" || w[n-4:] == "shes" || w[n-4:] == "sses" || w[n-3:] == "xes"):
		return out[:len(out)-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		return out[:len(out)-1]
	}
	return out
}

// exactKey returns the hash under which a value's normal form is filed.
func exactKey(s string) uint32 { return uint32(textHash(s) >> 32) }

// textHash is FNV-1a with its bits mixed.
func textHash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}
