// Package official prints scores in the layout of the field's official evaluators, byte for byte: programs and people read
// theirs.
//
// [Spider] is what test-suite-sql-eval prints, SParC's and CoSQL's interactions among it; [BIRD] what BIRD mini-dev's
// evaluators print. The verdicts are given: the package counts and prints them, and must never judge a query.
package official

import (
	"fmt"
	"strings"
)

// writeRow writes a name and cells, each padded to 20 characters and parted by a blank; blanks at the end stay.
func writeRow(b *strings.Builder, name string, cells []string) {
	fmt.Fprintf(b, "%-20s", name)
	for _, c := range cells {
		fmt.Fprintf(b, " %-20s", c)
	}
	b.WriteString("\n")
}

// share is n of so many, 0 of none.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
