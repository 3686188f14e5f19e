package paper

import (
	"slices"
	"strings"
	"testing"

	"assay/experiments/diagnosis"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
)

// wrongRun is the run four with queries: items 2 and 3 have a right candidate that was passed over, item 4 has none, and
// item 5 has no score.
func wrongRun(t *testing.T) *record.Run {
	t.Helper()
	r := four(t)
	for i, q := range [][2]string{1: {"SELECT a FROM t", "SELECT b FROM t"}, {"SELECT a FROM t WHERE b > 1", "SELECT a FROM t"},
		{"SELECT a FROM t JOIN u ON t.x = u.x", "SELECT a FROM t"}} {
		r.Questions[i].Gold, r.Items[i].SQL = q[0], q[1]
	}
	return r
}

// cellsOf makes one table, and a check of its cells.
func cellsOf(t *testing.T, r *record.Run, o ErrorOptions, name string) (*table.Table, func(keys, column, want string)) {
	t.Helper()
	outs, err := madeWith(r, Options{Names: []string{name}, Errors: o})
	if err != nil {
		t.Fatal(err)
	}
	return outs[0].Table, func(keys, column, want string) {
		t.Helper()
		if got := at(t, outs[0].Table, keys, column); got != want {
			t.Errorf("%s: %s of %s is %q, want %q", name, column, keys, got, want)
		}
	}
}

func TestErrorTables(t *testing.T) {
	r := wrongRun(t)
	tb, check := cellsOf(t, r, ErrorOptions{}, "errors")
	check("chase|chase|wrong-picking", "suggested", "2")
	check("chase|chase|join", "share", "33.3")
	check("chase|it2s|selected-column", "suggested", "1") // item 2
	check("chase|it2s|filtered-column", "suggested", "1") // item 3
	check("chase|it2s|reasoning", "suggested", "1")
	if !slices.ContainsFunc(tb.Notes, func(s string) bool { return strings.HasPrefix(s, "Suggested: by rules") }) {
		t.Error("nothing says that the categories are suggestions")
	}
	_, check = cellsOf(t, r, ErrorOptions{}, "chase/errors")
	check("chase|outcome|right", "suggested", "1")
	check("chase|generation|join", "share", "100.0")
	check("chase|selection|wrong-picking", "share", "100.0")
	_, check = cellsOf(t, r, ErrorOptions{}, "chase/fig8-table")
	check("chase|selection|wrong-picking", "share", "100.0")
	_, check = cellsOf(t, r, ErrorOptions{}, "chase/fig13-table")
	check("chase|generation|join", "share", "100.0")
	for name, part := range map[string]string{"chase/fig8": "wrong-picking", "chase/fig13": "join"} {
		f := one(t, r, name).Figure.(*figure.Stack)
		for _, p := range f.Parts {
			if want := map[bool]float64{true: 100}[p.Name == part]; len(p.Values) != 1 || p.Values[0] != want {
				t.Errorf("%s: %s %v, want %v", name, p.Name, p.Values, want)
			}
		}
	}
	_, check = cellsOf(t, r, ErrorOptions{}, "it2s/table11")
	check("chase|error|selected-column", "suggested", "1")
	check("chase|error|total", "suggested", "3")
	holds(t, r, "it2s/table11-published")("Mismatch|Golden Empty", "Spider-Dev", "35")
	holds(t, r, "it2s/table11-published")("Mismatch|Lacking Info", "Spider-Dev", "")
	holds(t, r, "chase/errors-published")("Figure 13, no right candidate|Schema linking errors", "rank", "1st")
}

// TestJudgedTables: the person agrees on item 4 and not on item 2. The rules say join once of 2, the person twice, so that
// 1/2 of agreement is what chance gives, and kappa 0.
func TestJudgedTables(t *testing.T) {
	r := wrongRun(t)
	judged := diagnosis.Judged{}
	for _, d := range (ErrorOptions{}).Sampled(r) {
		if d.Answer.Item != "3" {
			judged[d.Answer.Key()] = diagnosis.Judgement{Categories: []string{diagnosis.Join}}
		}
	}
	tb, check := cellsOf(t, r, ErrorOptions{Judged: judged}, "errors")
	check("chase|chase|join", "judged", "2")
	check("chase|chase|join", "both", "1")
	check("chase|chase|join", "judged share", "100.0")
	want := "Agreement, chase: 1 of 2 judged answers have the suggested category, Cohen's kappa 0.00 (n = 2)."
	if !slices.Contains(tb.Notes, want) {
		t.Errorf("%q is not among %q", want, tb.Notes)
	}
}

func TestErrorSamples(t *testing.T) {
	r := wrongRun(t)
	if n := len(ErrorOptions{Sample: 2}.Sampled(r)); n != 2 {
		t.Errorf("%d drawn, want 2", n)
	}
	if n := len(ErrorOptions{Arm: "none"}.Sampled(r)); n != 0 {
		t.Errorf("%d of an arm that is not there", n)
	}
	_, check := cellsOf(t, r, ErrorOptions{Sample: 2}, "it2s/table11")
	check("chase|error|total", "suggested", "2")
}
