// Package fidelity says how near an experiment is to the paper that it repeats: a sheet of facts, each with what the paper has
// and where it says so, what the experiment does, and one of five classes. The facts are files in the folder papers, one per
// paper. A fact of a setting is compared with the experiment as it was resolved, so that an override changes the sheet; a fact
// of a text, such as a prompt, states its class itself, since no rule can tell one wording from another.
//
//	papers/*.toml -> facts; Experiment -> Cells -> the value of a fact's key in each; both -> Rows, one per class of a fact
//
// The package must never guess what a paper does not say: such a fact has no text of the paper, and its class is [NotStated].
package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"assay/configs"
)

// The classes of a row, the nearest to the paper first.
const (
	Published = "as published"
	Wording   = "our wording" // the paper's form and stages, worded here
	StandIn   = "stand-in"    // something of the same kind, because the paper's own is not public or not here
	Differs   = "differs"
	NotStated = "not stated" // by the paper
)

// Classes are all classes, in the order in which they are counted.
var Classes = []string{Published, Wording, StandIn, Differs, NotStated}

// Row is one line of a sheet.
type Row struct {
	Source string `json:"paper"` // how the paper is cited
	Paper  string `json:"name"`  // the same in a word or two
	What   string `json:"what"`
	Says   string `json:"as_published,omitempty"` // as the paper has it; empty where it does not say
	Where  string `json:"where"`                  // the place in the paper, or what else is the source
	Here   string `json:"here"`                   // what the experiment does
	Class  string `json:"class"`
	Why    string `json:"why,omitempty"` // why it is not as published
}

// Of returns the sheet of an experiment: the rows of every paper that it repeats, in the order of the papers and of their facts.
// It is empty for an experiment that repeats none. A paper is repeated by an experiment whose report has a table of its, or that
// the paper's file names.
func Of(e configs.Experiment) (out []Row) {
	var s *settings
	for _, p := range papers() {
		if !p.repeatedBy(e) {
			continue
		}
		if s == nil {
			s = read(e)
		}
		s.names = p.names(e)
		for _, f := range p.Facts {
			for _, r := range f.rows(s) {
				r.Source, r.Paper = p.Cite, p.Name
				out = append(out, r)
			}
		}
	}
	return out
}

// Gist returns how many rows each class has, in words; empty for no rows.
func Gist(rows []Row) string {
	var parts []string
	for _, class := range Classes {
		n := 0
		for _, r := range rows {
			if r.Class == class {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(parts, ", ")
}

// Sources lists how the papers of rows are cited, each once.
func Sources(rows []Row) (out []string) {
	for _, r := range rows {
		if !slices.Contains(out, r.Source) {
			out = append(out, r.Source)
		}
	}
	return out
}
