package stats

import (
	"math"
	"strconv"
	"strings"
)

// noise bounds the relative distance of a sum or product of doubles from the decimal number that it approximates.
const noise = 1e-12

// Fixed prints a number with the given decimals, halves rounded away from zero: 1.25 and -1.25 with one decimal are
// "1.3" and "-1.3". A value within rounding error of a half counts as that half, so 100 * 107/4000 is 2.68 with two
// decimals, although the double is below 2.675. Zero has no sign.
func Fixed(f float64, decimals int) string {
	if f != math.Trunc(f) { // a whole number needs no rounding, and the nudge would change a large one
		f += f * noise
	}
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	if !strings.ContainsAny(s, "123456789IN") { // only zeros: neither a digit, nor Inf, nor NaN
		s = strings.TrimPrefix(s, "-")
	}
	return s
}
