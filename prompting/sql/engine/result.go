package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"time"
	"unsafe"
)

// Result is what a query returned.
type Result struct {
	Columns   []string      // names as the engine gives them; a name may occur more than once
	Rows      [][]Value     // each as long as Columns
	Truncated bool          // rows are missing: Limits.Truncate is set and a limit was met
	Duration  time.Duration // from the start of execution to the last row; no digest includes it
}

// valueBytes is the memory of one Value without its text.
const valueBytes = int64(unsafe.Sizeof(Value{}))

// Bytes returns the approximate memory of the rows, as Limits.MaxBytes counts it.
func (r *Result) Bytes() int64 {
	var n int64
	for _, row := range r.Rows {
		n += rowBytes(row)
	}
	return n
}

func rowBytes(row []Value) int64 {
	n := int64(24) // the slice header, on 64-bit machines
	for _, v := range row {
		n += valueBytes + int64(len(v.str))
	}
	return n
}

// Digest returns the SHA-256, in hex, of the number of columns and of every value in row order. It ignores column names,
// because two right queries name their columns differently. A real that equals an integer counts as that integer:
// results that differ only in 1 and 1.0 have the same digest.
func (r *Result) Digest() string {
	h := sha256.New()
	writeUint(h, uint64(len(r.Columns)))
	for _, row := range r.Rows {
		writeRow(h, row)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// MultisetDigest is Digest regardless of row order: it hashes each row and sorts the hashes. Repeated rows count.
func (r *Result) MultisetDigest() string {
	return r.digestOf(r.sums())
}

// SetDigest is MultisetDigest with every repeated row counted once.
func (r *Result) SetDigest() string {
	return r.digestOf(slices.Compact(r.sums()))
}

// sums returns the hash of every row, sorted.
func (r *Result) sums() [][sha256.Size]byte {
	sums := make([][sha256.Size]byte, len(r.Rows))
	h := sha256.New()
	for i, row := range r.Rows {
		h.Reset()
		writeRow(h, row)
		h.Sum(sums[i][:0])
	}
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	return sums
}

func (r *Result) digestOf(sums [][sha256.Size]byte) string {
	h := sha256.New()
	writeUint(h, uint64(len(r.Columns)))
	for i := range sums {
		h.Write(sums[i][:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeUint(h hash.Hash, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

// writeRow writes each value as its kind, then eight bytes of number or of length, then its text. The length keeps
// ("ab", "c") and ("a", "bc") apart.
func writeRow(h hash.Hash, row []Value) {
	for _, v := range row {
		v = v.Canonical()
		h.Write([]byte{byte(v.kind)})
		switch v.kind {
		case Int, Real:
			writeUint(h, v.bits)
		case Text, Blob:
			writeUint(h, uint64(len(v.str)))
			h.Write([]byte(v.str))
		}
	}
}
