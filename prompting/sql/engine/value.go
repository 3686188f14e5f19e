package engine

import (
	"math"
	"strconv"
	"strings"
)

// Kind is the storage class of a Value.
type Kind uint8

// The storage classes are SQLite's. Another engine maps its decimals to reals and its dates to texts, so that comparators
// know five classes whatever the engine.
const (
	Null Kind = iota
	Int
	Real
	Text
	Blob
)

// String returns the name that SQLite's typeof() gives the class.
func (k Kind) String() string {
	names := [...]string{"null", "integer", "real", "text", "blob"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Value is one cell of a result. The zero Value is NULL. Values are comparable, and == compares class and bits: 1 and 1.0
// differ, because each metric has a rule of its own for when two cells are equal.
type Value struct {
	kind Kind
	bits uint64 // the integer, or the IEEE bits of the real
	str  string // the bytes of a text or blob, not necessarily UTF-8
}

// OfInt returns an integer as a Value.
func OfInt(i int64) Value { return Value{kind: Int, bits: uint64(i)} }

// OfReal returns a real as a Value. NaN becomes NULL, as it does in SQLite, which stores no NaN.
func OfReal(f float64) Value {
	if math.IsNaN(f) {
		return Value{}
	}
	return Value{kind: Real, bits: math.Float64bits(f)}
}

// OfText returns a text as a Value. Its bytes are kept even where they are not UTF-8: databases hold such texts too.
func OfText(s string) Value { return Value{kind: Text, str: s} }

// OfBlob returns a copy of the bytes as a Value.
func OfBlob(b []byte) Value { return Value{kind: Blob, str: string(b)} }

// Kind returns the storage class.
func (v Value) Kind() Kind { return v.kind }

// Int64 returns the number of an Int, and 0 for every other class.
func (v Value) Int64() int64 {
	if v.kind != Int {
		return 0
	}
	return int64(v.bits)
}

// Float64 returns the number of a Real, or an Int rounded to the nearest float, and 0 for every other class.
func (v Value) Float64() float64 {
	switch v.kind {
	case Int:
		return float64(int64(v.bits))
	case Real:
		return math.Float64frombits(v.bits)
	}
	return 0
}

// Bytes returns the content of a Text or Blob, byte for byte, and "" for every other class.
func (v Value) Bytes() string { return v.str }

// Canonical returns the Int that equals a Real, where there is one, and otherwise v. Two values are equal as numbers, as
// texts or as blobs exactly when their Canonical values are ==, so Canonical values can key maps.
func (v Value) Canonical() Value {
	if v.kind != Real {
		return v
	}
	f := math.Float64frombits(v.bits)
	if f == math.Trunc(f) && f >= -(1<<63) && f < 1<<63 { // 1<<63 itself does not fit into an int64
		return OfInt(int64(f))
	}
	return v
}

// String prints the value as CAST(v AS TEXT) would: reals with a decimal point ("1.0", "1.0e+17", "Inf"), texts and blobs
// as their bytes, NULL as "NULL". A real that needs 15 digits or more may have one or two digits more in SQLite, which
// prints 17 digits where fewer identify the number.
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

// formatReal prints f in the layout of SQLite's "%!.17g", with the fewest digits that parse back to f. The exponent
// bounds -4 and 17 are those of %g with 17 digits.
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

// pointed returns s with a decimal point, which tells a real from an integer.
func pointed(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	return s + ".0"
}
