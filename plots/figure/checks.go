package figure

import (
	"errors"
	"fmt"
	"strings"
)

// errEmpty is the error of a figure without a single value.
var errEmpty = errors.New("no values to draw")

// listed is one paragraph that names things, or none.
func listed(before string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{before + strings.Join(names, ", ") + "."}
}

// checkPlaces refuses more places after the point than anyone reads.
func checkPlaces(n int) error {
	if n < 0 || n > 6 {
		return fmt.Errorf("%d places after the point; 0 to 6 can be printed", n)
	}
	return nil
}
