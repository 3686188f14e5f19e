package stats

import (
	"math"
	"strconv"
	"strings"
)

// noise is how far, relative to a value, sums and products of doubles may be from the decimal number that they stand for.
const noise = 1e-12

// Fixed prints a number for people with so many decimals, halves away from zero: 1.25 and -1.25 with one are "1.3" and
// "-1.3". A value within rounding error of a half is that half, so that 100 * 107/4000 is 2.68 with two, though the double
// lies below 2.675. Zero has no sign.
func Fixed(f float64, decimals int) string {
	if f != math.Trunc(f) { // a whole number is its own print, which a nudge would change where it is large
		f += f * noise
	}
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	if !strings.ContainsAny(s, "123456789IN") { // nor infinite, nor NaN
		s = strings.TrimPrefix(s, "-")
	}
	return s
}
