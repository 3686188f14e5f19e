package values

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// mostExact bounds the values that equal one search string: one a column, and some that differ in accents alone.
const mostExact = 1000

// scratch is the memory of one search, kept for the next. counts has a place for every value and is all zero between
// searches.
type scratch struct {
	counts  []uint8
	touched []uint32
	grams   []uint32
	other   []uint32
	cands   []candidate
	spans   []span // where the values looked for are; nil: everywhere
}

// candidate is a value that may be what a search string means.
type candidate struct {
	id      uint32
	jaccard float32 // of the sets of filed grams
}

func (x *Index) scratch() *scratch {
	if s, ok := x.pool.Get().(*scratch); ok {
		return s
	}
	return &scratch{counts: make([]uint8, x.file.n)}
}

// equal lists the values whose normal form is that of the search string, by number; with spans, those inside.
func (x *Index) equal(search string, spans []span) []uint32 {
	form := normal(search)
	var out []uint32
	x.file.filed(exactKey(form), func(id uint32) bool {
		if (spans == nil || inside(spans, id)) && normal(string(x.file.text(id))) == form {
			out = append(out, id)
		}
		return len(out) < mostExact
	})
	return out
}

// similar lists the values nearest to a search string by their grams, the nearest first, ties by number. It stops after
// Options.TopN different texts; a text that occurs in several columns counts once. The result belongs to the scratch.
func (x *Index) similar(search string, s *scratch) []candidate {
	s.grams = x.hash.winners(x.hash.grams(s.grams[:0], x.hash.text(search)))
	whole := x.count(s)
	if whole {
		s.cands = x.best(s, 64*x.opts.TopN)
	} else {
		s.cands = x.best(s, 10*x.opts.TopN)
		x.recount(s)
	}
	slices.SortFunc(s.cands, byJaccard)
	return x.topTexts(s.cands)
}

// topTexts cuts sorted candidates to those of the first TopN texts.
func (x *Index) topTexts(cands []candidate) []candidate {
	texts := make([][]byte, 0, x.opts.TopN)
	out := cands[:0]
	for _, c := range cands {
		t := x.file.text(c.id)
		if !slices.ContainsFunc(texts, func(u []byte) bool { return bytes.Equal(t, u) }) {
			if len(texts) == x.opts.TopN {
				continue
			}
			texts = append(texts, t)
		}
		out = append(out, c)
	}
	return out
}

// count reads the lists of the search string's grams, the shortest first, and counts for each value how many have it.
// The two shortest are read whole, the others while Options.MaxPostings lasts; the result reports whether all were.
func (x *Index) count(s *scratch) (whole bool) {
	lists := make([]list, 0, len(s.grams))
	for _, g := range s.grams {
		if l := x.file.find(g); l.count > 0 {
			lists = append(lists, l)
		}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return a.count - b.count })
	left := x.opts.MaxPostings
	for i, l := range lists {
		if i >= 2 && l.count > left {
			return false
		}
		left -= l.count
		x.countOne(l, s)
	}
	return true
}

func (x *Index) countOne(l list, s *scratch) {
	id, b := uint64(0), l.bytes
	for range l.count {
		d, n := uint64(0), 1
		if len(b) > 0 && b[0] < 0x80 { // most differences have one byte
			d = uint64(b[0])
		} else if d, n = binary.Uvarint(b); n <= 0 {
			return
		}
		b = b[n:]
		if id += d; id >= uint64(len(s.counts)) {
			return
		}
		if s.counts[id] == 0 {
			s.touched = append(s.touched, uint32(id))
		}
		s.counts[id]++
	}
}

// best picks up to the given number of the counted values with the highest Jaccard index, of equal ones those of the
// lowest number; and clears the counts. Where many values were counted, those that share the fewest grams are passed
// over without a look at their index: four times as many as asked for are left.
func (x *Index) best(s *scratch, most int) []candidate {
	var shared [256]int
	if s.spans != nil {
		s.narrow()
	}
	for _, id := range s.touched {
		shared[s.counts[id]]++
	}
	floor, n := uint8(255), shared[255]
	for floor > 1 && n < 4*most {
		floor--
		n += shared[floor]
	}
	out := s.cands[:0]
	for _, id := range s.touched {
		if c := s.counts[id]; c >= floor {
			out = append(out, candidate{id, float32(c) / (float32(len(s.grams)) + float32(x.file.sizes[id]) - float32(c))})
		}
		s.counts[id] = 0
	}
	s.touched = s.touched[:0]
	return highest(out, most)
}

// narrow forgets the counted values outside the spans.
func (s *scratch) narrow() {
	s.touched = slices.DeleteFunc(s.touched, func(id uint32) bool {
		out := !inside(s.spans, id)
		if out {
			s.counts[id] = 0
		}
		return out
	})
}

// levels is the fineness of the first cut by Jaccard index.
const levels = 256

// highest cuts the candidates to the given number, in no order. It sorts those alone that the last level is cut in.
func highest(cands []candidate, most int) []candidate {
	if len(cands) <= most {
		return cands
	}
	level := func(c candidate) int { return min(max(int(c.jaccard*levels), 0), levels-1) }
	var histogram [levels]int
	for _, c := range cands {
		histogram[level(c)]++
	}
	floor, n := levels, 0
	for floor > 0 && n < most {
		floor--
		n += histogram[floor]
	}
	out, low := cands[:0], make([]candidate, 0, histogram[floor])
	for _, c := range cands {
		switch l := level(c); {
		case l > floor:
			out = append(out, c)
		case l == floor:
			low = append(low, c)
		}
	}
	slices.SortFunc(low, byJaccard)
	return append(out, low[:most-len(out)]...)
}

func byJaccard(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.jaccard, a.jaccard), cmp.Compare(a.id, b.id))
}

// recount replaces the counted Jaccard indexes, too low where lists were left out, by those of the texts themselves.
func (x *Index) recount(s *scratch) {
	for i, c := range s.cands {
		s.other = x.hash.grams(s.other[:0], x.hash.text(string(x.file.text(c.id))))
		if len(s.other) != int(x.file.sizes[c.id]) { // else all of them won
			s.other = x.hash.winners(s.other)
		}
		both := common(s.grams, s.other)
		s.cands[i].jaccard = float32(both) / float32(max(1, len(s.grams)+len(s.other)-both))
	}
}

// common counts what two ascending lists share.
func common(a, b []uint32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
