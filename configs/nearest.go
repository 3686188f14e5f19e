package configs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the known name that an unknown name was probably meant to be: the one with the fewest edits, ignoring
// case, and the first of equals. It returns "" where all need more edits than a third of the name's length (at least 2).
func Nearest(name string, known []string) string {
	best, at := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	return best
}

// Unknown returns "" where name is known; otherwise it says that name is unknown, with the nearest known name or all of them.
func Unknown(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	meant := "; there are " + strings.Join(known, ", ")
	if best := Nearest(name, known); best != "" {
		meant = fmt.Sprintf("; did you mean %q?", best)
	}
	return fmt.Sprintf("%q is unknown%s", name, meant)
}

// didYouMean returns the end of an error about an unknown name: the nearest known name, or all of them where there are at
// most 12.
func didYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) > 0 && len(known) <= 12 {
		return "; there are " + strings.Join(known, ", ")
	}
	return ""
}
