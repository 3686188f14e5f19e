package predictions

import (
	"fmt"
	"slices"
	"strings"
)

// named returns the file as errors name it: with the flag that it was given by, where it was.
func (f *File) named() string {
	if f.Flag == "" {
		return fmt.Sprintf("%q", f.Path)
	}
	return fmt.Sprintf("%s %q", f.Flag, f.Path)
}

// misfit returns the error about a wrong number of entries, with what is likely wrong; of names where the items are from.
func (f *File) misfit(want int, of string) error {
	blank, last := 0, 0
	for _, e := range f.Entries {
		last = e.Line
		if e.blank {
			blank++
		}
	}
	what, word := "predictions", "few"
	if f.Form == Lines {
		what = "lines"
	}
	if blank > 0 {
		what += fmt.Sprintf(" (%d without the blank ones)", len(f.Entries)-blank)
	}
	if len(f.Entries) > want {
		word = "many"
	}
	return fmt.Errorf("too %s: %d %s for the %d items of %s%s", word, len(f.Entries), what, want, of, f.guess(want, last))
}

// guess says what is likely wrong with a file of another length; last is the line of its last entry.
func (f *File) guess(want, last int) string {
	if f.Form == Lines {
		if at := slices.IndexFunc(f.Entries, continues); at >= 0 {
			word, _, _ := strings.Cut(f.Entries[at].First(), " ")
			return fmt.Sprintf("; line %d begins with %s: put a query that takes several lines on one", f.Entries[at].Line, word)
		}
	}
	if len(f.Entries) < want {
		return fmt.Sprintf("; the last is on line %d: the file may be cut off, or of other items (--split, --limit %d)", last, len(f.Entries))
	}
	return fmt.Sprintf("; the last is on line %d: the file may be of other items (--split), or have some that a filter leaves out", last)
}

// clauses are words that a query goes on with, and that none begins with.
var clauses = []string{"FROM", "WHERE", "JOIN", "LEFT", "INNER", "CROSS", "ON", "AND", "OR", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", ")", "THEN", "ELSE", "WHEN", "END"}

// continues reports whether a line is not the first of its query.
func continues(e Entry) bool {
	word, _, _ := strings.Cut(e.First(), " ")
	return slices.Contains(clauses, strings.ToUpper(word))
}
