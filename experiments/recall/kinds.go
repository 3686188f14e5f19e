package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/experiments/dataset"
	"assay/metrics/linking"
	"assay/prompting/relevance"
)

// Kind is a kind of retrieval.
type Kind struct {
	Name  string
	Shows string
	Apart bool // it is measured where it is named
	Demos bool // it looks among demonstrations, see Options.Pool
	look  func(w *work, ctx context.Context, x dataset.Example, g linking.Gold) ([]Look, error)
}

// Kinds lists the kinds of retrieval.
func Kinds() []Kind {
	return []Kind{
		{Name: "columns", look: (*work).byQuestion, Shows: "SearchColumn asked with the question: columns of the gold query"},
		{Name: "phrases", look: (*work).byPhrases,
			Shows: "SearchColumn asked with the question's phrases, the first column of each, then the second: columns of the gold query"},
		{Name: "descriptions", look: (*work).described,
			Shows: "descriptions retrieved for the question (schema.descriptions): columns of the gold query that have one"},
		{Name: "values", look: (*work).stored, Shows: "value retrieval for the question: texts of the gold query that one of its columns holds"},
		{Name: "misspelt", look: (*work).misspelt, Apart: true,
			Shows: "the same for those of four letters or more that the question mentions, with a letter of each mention wrong and no evidence"},
		{Name: "demos", look: (*work).masked, Apart: true, Demos: true,
			Shows: "demonstrations by strategy similarity (masked questions): the first whose query has the gold query's skeleton"},
		{Name: "demos-whole", look: (*work).whole, Apart: true, Demos: true, Shows: "the same by the whole questions, nothing masked"},
		{Name: "demos-random", look: (*work).random, Apart: true, Demos: true,
			Shows: fmt.Sprintf("the same by strategy random, a question having one of %d draws", draws)},
	}
}

// chosen returns the kinds of those names; nil: those that are not Apart.
func chosen(of []string) (out []Kind, err error) {
	for _, k := range Kinds() {
		if of == nil && !k.Apart {
			out = append(out, k)
		}
	}
	for _, name := range of {
		i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is no kind of retrieval; there are %s", name, names(Kinds(), func(k Kind) string { return k.Name }))
		}
		out = append(out, Kinds()[i])
	}
	return out, nil
}

// names lists the names of a table's rows.
func names[T any](rows []T, name func(T) string) string {
	var out []string
	for _, r := range rows {
		out = append(out, name(r))
	}
	return strings.Join(out, ", ")
}

// Part is a part of retrieval that can be left out.
type Part struct {
	Name, Does string
	Kinds      []string // of retrieval that have it
	leave      func(*Options)
}

// Evidence is the part that only datasets with evidence have.
const Evidence = "evidence"

// Parts lists the parts of offline retrieval that can be left out: the questions' evidence, those of the ranking of columns, and
// the steps of value retrieval.
func Parts() []Part {
	out := []Part{{Evidence, "the questions' evidence", []string{"columns", "phrases", "descriptions", "values"}, func(o *Options) { o.Bare = true }}}
	for _, p := range relevance.Parts() {
		out = append(out, Part{p.Name, p.Does, []string{"columns", "phrases"}, func(o *Options) { o.unranked = append(slices.Clip(o.unranked), p.Name) }})
	}
	found := []string{"values", "misspelt"}
	return append(out,
		Part{"least-edit", "values of an edit ratio below 0.3 are dropped", found, func(o *Options) { o.Values.MinEdit = -1 }},
		Part{"least-cosine", "values of a cosine below 0.6, or 0.25 offline, are dropped", found, func(o *Options) { o.Values.MinSimilarity = -1 }},
		Part{"best-only", "values below 0.9 of the best edit ratio or cosine of their keyword and column are dropped", found,
			func(o *Options) { o.Values.Keep = -1 }})
}
