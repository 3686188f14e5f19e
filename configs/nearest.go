package configs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the known name that a name which does not exist was probably meant to be: within a third of its length (at
// least 2 edits), case aside, the first of equals; "" where none is.
func Nearest(name string, known []string) string {
	best, at := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

// Unknown is "" where name is known, and else says so with the nearest right spelling, or with all there are.
func Unknown(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	meant := didYouMean(name, known)
	if meant == "" {
		meant = "; there are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("%q is unknown%s", name, meant)
}

// didYouMean is the end of an error about a name that does not exist: the nearest right spelling, or all there are unless
// they are many.
func didYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) > 0 && len(known) <= 12 {
		return "; there are " + strings.Join(known, ", ")
	}
	return ""
}
