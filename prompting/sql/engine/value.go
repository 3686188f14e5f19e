package engine

import (
	"math"
	"strconv"
	"strings"
)

// Kind is the storage class of a Value.
type Kind uint8

// The storage classes, which are SQLite's: the decimals of other engines become reals, their dates texts.
const (
	Null Kind = iota
	Int
	Real
	Text
	Blob
)

// String is the name SQLite's typeof() gives the class.
func (k Kind) String() string {
	names := [...]string{"null", "integer", "real", "text", "blob"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Value is one cell of a result. The zero Value is NULL. Values are comparable: == is identity of class and
// bits, so 1 and 1.0 differ, and a comparator decides for itself what equal means.
type Value struct {
	kind Kind
	bits uint64 // the integer, or the IEEE bits of the real
	str  string // the bytes of a text or blob, not necessarily UTF-8
}

// OfInt is an INTEGER.
func OfInt(i int64) Value { return Value{kind: Int, bits: uint64(i)} }

// OfReal is a REAL. SQLite has no NaN: it becomes NULL, as it does there.
func OfReal(f float64) Value {
	if math.IsNaN(f) {
		return Value{}
	}
	return Value{kind: Real, bits: math.Float64bits(f)}
}

// OfText is a TEXT; its bytes are kept whether or not they are UTF-8.
func OfText(s string) Value { return Value{kind: Text, str: s} }

// OfBlob is a BLOB.
func OfBlob(b []byte) Value { return Value{kind: Blob, str: string(b)} }

// Kind is the storage class.
func (v Value) Kind() Kind { return v.kind }

// Int64 is the number of an Int; 0 for every other class.
func (v Value) Int64() int64 {
	if v.kind != Int {
		return 0
	}
	return int64(v.bits)
}

// Float64 is the number of a Real, or of an Int rounded to the nearest float; 0 for every other class.
func (v Value) Float64() float64 {
	switch v.kind {
	case Int:
		return float64(int64(v.bits))
	case Real:
		return math.Float64frombits(v.bits)
	}
	return 0
}

// Bytes is the content of a Text or Blob, byte for byte; empty for every other class.
func (v Value) Bytes() string { return v.str }

// Canonical is the Int equal to a Real where there is one, and otherwise v: two values are equal as numbers, or as
// texts, or as blobs, exactly where their Canonical values are ==.
func (v Value) Canonical() Value {
	if v.kind != Real {
		return v
	}
	f := math.Float64frombits(v.bits)
	if f == math.Trunc(f) && f >= -(1<<63) && f < 1<<63 {
		return OfInt(int64(f))
	}
	return v
}

// String prints the value as CAST(v AS TEXT) would: reals with a decimal point ("1.0", "1.0e+17", "Inf"), texts
// and blobs as their bytes; NULL as "NULL". Of a real that needs 15 digits or more SQLite may show another digit
// or two that say no more.
func (v Value) String() string {
	switch v.kind {
	case Null:
		return "NULL"
	case Int:
		return strconv.FormatInt(int64(v.bits), 10)
	case Real:
		return formatReal(v.Float64())
	}
	return v.str
}

// formatReal has SQLite's layout ("%!.17g") with the fewest digits that read back as f.
func formatReal(f float64) string {
	if math.IsInf(f, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+")
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if exp, _ := strconv.Atoi(exponent); exp >= -4 && exp < 17 {
		return pointed(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return pointed(mantissa) + "e" + exponent
}

// pointed is s with a decimal point.
func pointed(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	return s + ".0"
}
