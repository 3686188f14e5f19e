package runner

import (
	"fmt"
	"strings"

	"assay/prompting"
	"assay/prompting/sql/tree"
)

// What is kept of the texts of an answer, in bytes: a run's files are read back row by row, and a row has a bound. Methods,
// programs and files of predictions can make them of any length.
const (
	mostSQL  = 2 * tree.MaxBytes // what is longer than tree.MaxBytes does not run, and neither does what is kept of it
	mostText = 64 << 10          // of a name, a note, or a reason
)

// bound shortens what is longer.
func bound(a *prompting.Answer) {
	for _, list := range [][]prompting.Candidate{a.Candidates, a.Dropped} {
		for i := range list {
			c := &list[i]
			shorten(mostSQL, &c.SQL, &c.Original)
			shorten(mostText, &c.Generator, &c.Rule, &c.Failure, &c.Silence)
		}
	}
	for i := range a.Trace {
		c := &a.Trace[i]
		shorten(mostText, &c.Stage, &c.Note, &c.Failure, &c.Finish)
	}
	shorten(mostText, &a.Why)
}

// shorten cuts texts at a number of bytes, and says so at their ends: SQL whose rest was cut off must not become another query.
func shorten(most int, texts ...*string) {
	for _, s := range texts {
		if n := len(*s) - most; n > 0 {
			*s = strings.ToValidUTF8((*s)[:most], "") + fmt.Sprintf(" -- assay: %d bytes are left out", n)
		}
	}
}
