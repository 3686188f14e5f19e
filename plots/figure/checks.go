package figure

import (
	"errors"
	"fmt"
	"strings"
)

// errEmpty is the error for a figure without any value.
var errEmpty = errors.New("no values to draw")

// listed returns one paragraph that lists names, or nil if there are none.
func listed(before string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{before + strings.Join(names, ", ") + "."}
}

// checkPlaces refuses more decimals than anyone reads.
func checkPlaces(n int) error {
	if n < 0 || n > 6 {
		return fmt.Errorf("%d decimals; 0 to 6 can be printed", n)
	}
	return nil
}
