// Package exemplar holds annotated demonstrations and the selectors that choose among them.
//
// Demonstrations come from annotation files ([Parse], and [Shipped] for the embedded ones) or from a dataset's training
// split. [Resolve] fills in the text of those that only name their question, [NewPool] checks them, and [Pool.Select]
// chooses.
package exemplar

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"assay/prompting/schema"
)

// Demo is one demonstration: a solved question with the annotations that the prompting methods print.
type Demo struct {
	ID       string
	DB       string
	Question string
	SQL      string
	Evidence string
	CoT      string // the SQL told clause by clause in execution order, one line; empty where not annotated
	Steps    []Step // decomposition; the last step is the question itself
	Hardness string // easy, medium, hard, extra: set by whoever can compute it from the SQL
	Derived  bool   // CoT or a step's columns were derived from the SQL, not written by a person

	// QuestionSHA256 is [QuestionHash] of a question whose text and SQL stay with their dataset; empty where the
	// demonstration carries its own. [Resolve] fills Question and SQL.
	QuestionSHA256 string

	Schema *schema.Database // the demonstration's own database
}

// Step is one sub-question of a decomposition.
type Step struct {
	Question string
	Columns  string // newly needed columns, "table (col, col), table2 (col)"; empty where nothing is new
	SQL      string // the SQL that answers this sub-question; empty where not annotated
}

// QuestionHash is the lower-case hexadecimal SHA-256 of a question's UTF-8 text, without white space at its ends and
// with every run of white space made one space.
func QuestionHash(question string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(question), " ")))
	return hex.EncodeToString(sum[:])
}

// Resolve returns the demonstrations with question and SQL in place: those that only name a question ask lookup for the
// one of that database and hash. Their last step is the question itself and gets its text and SQL. The ids of those
// that lookup does not know are returned apart, and they are left out. The argument is not changed.
func Resolve(demos []Demo, lookup func(db, sha string) (question, sql string, ok bool)) (resolved []Demo, missing []string) {
	for _, d := range demos {
		if d.Question == "" && d.QuestionSHA256 != "" {
			question, sql, ok := lookup(d.DB, d.QuestionSHA256)
			if !ok {
				missing = append(missing, d.ID)
				continue
			}
			d.Question, d.SQL = question, sql
		}
		resolved = append(resolved, completed(d))
	}
	return resolved, missing
}

// completed gives the last step what it shares with the demonstration, on a copy of the steps.
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
	return d
}
