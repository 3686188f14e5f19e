package process

import (
	"fmt"
	"strings"
	"testing"

	"assay/prompting/sql/engine"
)

// resultOf makes a result of rows in words: "1 a, 2 b"; "-" for none, "!" for a step that did not run.
func resultOf(t *testing.T, text string) *engine.Result {
	t.Helper()
	r := &engine.Result{Columns: []string{"x"}}
	switch text {
	case "!":
		return nil
	case "-":
		return r
	}
	for row := range strings.SplitSeq(text, ", ") {
		var values []engine.Value
		for _, v := range strings.Fields(row) {
			values = append(values, engine.OfText(v))
		}
		r.Rows, r.Columns = append(r.Rows, values), make([]string, len(values))
	}
	return r
}

func TestMatches(t *testing.T) {
	check := func(reference, steps, want string) {
		t.Helper()
		var all []*engine.Result
		for s := range strings.SplitSeq(reference, "; ") {
			all = append(all, resultOf(t, s))
		}
		ref := ReferenceOf(all)
		var like [][]int
		for s := range strings.SplitSeq(steps, "; ") {
			like = append(like, ref.Like(resultOf(t, s)))
		}
		var got []string
		for _, m := range Matches(like) {
			if m.Found == Yes {
				got = append(got, fmt.Sprint(m.Step))
			} else {
				got = append(got, string(m.Found))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s against %s: %q, want %q", steps, reference, s, want)
		}
	}
	check("1 a; b", "a 1; b; c", "1 2 no")
	check("a, b; c", "b, a; a", "1 no")
	check("a; a; b", "a; a; a; b", "1 2 1 3") // the third repeats one
	check("a; b", "!; -; a", " no 1")
	check("a; -", "-; a", " 1") // no rows are nothing in common
	check("a", "a", "")         // a question without steps
	check("a; !", "a; b", " ")  // a step that does not run
	check("!; !", "a", "")
}
