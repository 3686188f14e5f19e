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
	Columns   []string      // names as the engine gives them; may repeat
	Rows      [][]Value     // each as long as Columns
	Truncated bool          // rows are missing because Limits.Truncate met a cap
	Duration  time.Duration // from start of execution to the last row; not part of any digest
}

// valueBytes is the memory of one Value besides its text.
const valueBytes = int64(unsafe.Sizeof(Value{}))

// Bytes is about how much memory the rows hold.
func (r *Result) Bytes() int64 {
	var n int64
	for _, row := range r.Rows {
		n += rowBytes(row)
	}
	return n
}

func rowBytes(row []Value) int64 {
	n := int64(24) // the slice header
	for _, v := range row {
		n += valueBytes + int64(len(v.str))
	}
	return n
}

// Digest is the SHA-256, in hex, of the number of columns and of every value in row order. Column names do not
// count. A real equal to an integer digests as that integer, so results that differ in 1 and 1.0 alone are one.
func (r *Result) Digest() string {
	h := sha256.New()
	writeUint(h, uint64(len(r.Columns)))
	for _, row := range r.Rows {
		writeRow(h, row)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// MultisetDigest is Digest regardless of the order of rows: rows are hashed one by one and their hashes sorted.
// Repeated rows count.
func (r *Result) MultisetDigest() string {
	return r.digestOf(r.sums())
}

// SetDigest is MultisetDigest with repeated rows counted once.
func (r *Result) SetDigest() string {
	return r.digestOf(slices.Compact(r.sums()))
}

// sums is the hash of every row, sorted.
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

// writeRow writes each value as its kind, then eight bytes of number or of length, then its text.
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
