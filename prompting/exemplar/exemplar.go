// Package exemplar holds annotated demonstrations and the selectors that choose among them.
//
// Demonstrations come from annotation files ([Parse], and [Shipped] for the embedded ones; [Write] makes them) or from a
// dataset's training split. [Resolve] adds the text of those that only name their question, [NewPool] checks them, and [Pool.Select]
// chooses. The package must never choose a demonstration of the question's own database where the experiment does not ask for
// it, never one that asks for the same query, and the choice must never
// depend on the method, so that methods are compared on the same demonstrations.
package exemplar

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"assay/prompting/sql/schema"
)

// Demo is one demonstration: a solved question with the annotations that the prompting methods print.
type Demo struct {
	ID       string
	DB       string
	Question string
	SQL      string
	Evidence string
	CoT      string // the SQL described clause by clause in execution order, one line; empty if not annotated
	Steps    []Step // decomposition; the last step is the question itself
	Hardness string // easy, medium, hard, extra: set by whoever can compute it from the SQL

	// By says who made each annotation; nothing stated is a person's.
	By Provenance `json:",omitzero"`

	// QuestionSHA256 is [QuestionHash] of a question whose text and SQL are kept only in their dataset; empty if the
	// demonstration has its own. [Resolve] sets Question and SQL.
	QuestionSHA256 string

	// Division is the question divided and conquered; nil if not annotated.
	Division *Division `json:",omitempty"`
	// Plan is the SQL's query plan in numbered steps, with a line break after each; empty if no method asks for it.
	Plan string `json:",omitempty"`
	// Dialogue is an agent's way to the SQL with the database's tools, ended by Done(); nil if not annotated.
	Dialogue []Turn `json:",omitempty"`

	// Naturalness says how much the annotations read as a person's, from 0 to 1; 0 if nobody said.
	Naturalness float64 `json:",omitempty"`
	// Reviewed: a person read the annotations and kept them. Note is what they remarked.
	Reviewed bool   `json:",omitempty"`
	Note     string `json:",omitempty"`
	// Apart are labels of the questions that must not see the demonstration: its query's template, its fold.
	Apart []string `json:",omitempty"`

	Schema *schema.Database // the demonstration's own database
}

// Division is a question divided into parts and assembled again (CHASE-SQL, Algorithm 1). The simplified query is the
// demonstration's SQL.
type Division struct {
	// Parts are the question itself and its sub-questions: each before the parts inside it, those of one question in
	// order.
	Parts    []Part
	Simplify string // how the assembled query becomes the final one, one line
}

// Part is the question, or a sub-question, of a Division.
type Part struct {
	Number   string // its position: "1", "1.1", "2"; empty for the question itself
	Question string
	Analysis string // which tables and columns answer it, and how
	Pseudo   string // SQL in which the answers of the parts inside it are still in words
	SQL      string // SQL that answers the part alone
}

// Assembly returns the parts in the order in which their SQL is assembled: each after the parts inside it.
func (d *Division) Assembly() []Part {
	if len(d.Parts) == 0 {
		return nil
	}
	var out []Part
	var walk func(number string)
	walk = func(number string) {
		for _, p := range d.Parts {
			if p.Number != "" && within(p.Number) == number {
				walk(p.Number)
				out = append(out, p)
			}
		}
	}
	walk("")
	return append(out, d.Parts[0])
}

// within returns the number of the part that contains a part: "1" for "1.2", "" for "1".
func within(number string) string {
	return number[:max(strings.LastIndexByte(number, '.'), 0)]
}

// Step is one sub-question of a decomposition.
type Step struct {
	Question string
	Columns  string // newly needed columns, "table (col, col), table2 (col)"; empty if nothing is new
	SQL      string // the SQL that answers this sub-question; empty if not annotated
}

// QuestionHash returns the lower-case hexadecimal SHA-256 of a question's UTF-8 text, without white space at its ends
// and with every run of white space made one space.
func QuestionHash(question string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(question), " ")))
	return hex.EncodeToString(sum[:])
}

// Original is a question as its dataset has it.
type Original struct{ Question, SQL, Evidence string }

// Resolve returns the demonstrations with question, SQL and evidence set: for those that only name a question it calls lookup
// with their database and hash. Their last step is the question itself and gets its text and SQL. Demonstrations that
// lookup does not know are left out, and missing has their ids. The argument is not changed.
func Resolve(demos []Demo, lookup func(db, sha string) (Original, bool)) (resolved []Demo, missing []string) {
	for _, d := range demos {
		if d.Question == "" && d.QuestionSHA256 != "" {
			from, ok := lookup(d.DB, d.QuestionSHA256)
			if !ok {
				missing = append(missing, d.ID)
				continue
			}
			d.Question, d.SQL, d.Evidence = from.Question, from.SQL, cmp.Or(d.Evidence, from.Evidence)
		}
		resolved = append(resolved, completed(d))
	}
	return resolved, missing
}

// completed copies a demonstration and sets what its last step and first part share with it.
func completed(d Demo) Demo {
	if n := len(d.Steps); n > 0 {
		d.Steps = append([]Step(nil), d.Steps...)
		last := &d.Steps[n-1]
		if last.Question == "" {
			last.Question = d.Question
		}
		if last.SQL == "" {
			last.SQL = d.SQL
		}
	}
	if d.Division != nil && len(d.Division.Parts) > 0 && d.Division.Parts[0].Question == "" {
		parts := append([]Part(nil), d.Division.Parts...)
		parts[0].Question = d.Question
		d.Division = &Division{Parts: parts, Simplify: d.Division.Simplify}
	}
	return d
}
