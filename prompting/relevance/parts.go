package relevance

import (
	"fmt"
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// Part is a part of the score that can be left out, to see what it is worth.
type Part struct{ Name, Does string }

// The names of the parts.
const (
	stemming     = "stems"
	shortForms   = "short-forms"
	spelling     = "spelling"
	tables       = "tables"
	descriptions = "descriptions"
	associations = "associations"
	priors       = "priors"
	spread       = "spread"
)

// Parts lists the parts of the score.
func Parts() []Part {
	return []Part{
		{stemming, "words of the same stem are one word (Snowball's English stemmer)"},
		{shortForms, "a column's word may be a short form of one in the text: dept, qty, prof"},
		{spelling, "cosine of the character n-grams of text and column"},
		{tables, "the words of the table's name"},
		{descriptions, "what the dataset says of the column: its full name, description and values"},
		{associations, "what words stand for in Spider's training questions: old, age"},
		{priors, "how often Spider's training queries use columns of such a name"},
		{spread, "a word counts less once a column listed has it"},
	}
}

// Without returns a Ranker that leaves parts out.
func Without(db *schema.Database, parts ...string) (*Ranker, error) {
	off := map[string]bool{}
	for _, name := range parts {
		if !slices.ContainsFunc(Parts(), func(p Part) bool { return p.Name == name }) {
			var all []string
			for _, p := range Parts() {
				all = append(all, p.Name)
			}
			return nil, fmt.Errorf("relevance: leave out %q: there is no such part; there are %s", name, strings.Join(all, ", "))
		}
		off[name] = true
	}
	return newRanker(db, off), nil
}
