package paper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/experiments/compare"
	"assay/experiments/record"
	"assay/plots/figure"
	"assay/plots/table"
	"assay/plots/versus"

	"github.com/google/go-cmp/cmp"
)

// TestEffectTables: k is worth 0, 0, 1, 1 in a and 1, 1, 1, 1 in b; see the derivations beside compare.Effects.
func TestEffectTables(t *testing.T) {
	sweep := abc + "[sweep]\nk = [1, 8]\n"
	r := scoredRun(t, "[0]", sweep, [2]string{"a@1", "-+--"}, [2]string{"a@8", "-+++"}, [2]string{"b@1", "----"}, [2]string{"b@8", "++++"})
	e := one(t, r, "effects").Table
	var got []string
	for _, row := range e.Rows {
		var words []string
		for _, i := range []int{0, 1, 2, 3, 4, 5, 6} {
			words = append(words, row[i].String())
		}
		got = append(got, strings.Join(append(words, fmt.Sprintf("%.1f", row[7].Num.Value), row[10].Text), " "))
	}
	if d := cmp.Diff([]string{"arm B A 2 4 50.0 50.0 0.0 ~ 1.000", "k 8 1 2 4 12.5 87.5 75.0 ~ 0.250"}, got); d != "" {
		t.Error(d)
	}
	i := one(t, r, "interactions").Table.Rows
	if len(i) != 1 || i[0][0].Text != "k = 8" || i[0][1].Text != "B" || i[0][4].Num.Value != 100 || i[0][5].Num.Value != 50 || i[0][6].Num.Value != 50 {
		t.Errorf("%v", i)
	}
	single := scoredRun(t, "[0]", abc, [2]string{"a", "-+--"}, [2]string{"b", "-+++"})
	if _, err := made(single, "effects"); err == nil || !strings.Contains(err.Error(), "varies one thing alone") {
		t.Errorf("%v", err)
	}
}

// TestOneIntervalPerPair: a pair of arms has the same difference, interval and p in a diff, in the table of differences, in the
// forest plots, in the ablation and in a sheet's gain.
func TestOneIntervalPerPair(t *testing.T) {
	r := scoredCells(t, mineArm+strings.ReplaceAll(strings.ReplaceAll(mineArm, `"mine"`, `"b"`), `"Mine"`, `"B"`)+"blocks.rules = \"\"\n", "+-?+-+-++-", "-++--?++++")
	r.Items[3].Values[0].V = 0.4 // a graded score, so that the interval is drawn
	for _, it := range r.Items[:10] {
		r.Questions = append(r.Questions, record.Question{Item: it.Item})
	}
	a, b := r.Index().Series[0].Arm, r.Index().Series[1].Arm
	want := func(g compare.Group) string {
		return fmt.Sprintf("%v [%v, %v] %s n=%d", 100*g.Diff, 100*g.Low, 100*g.High, probability(g.P), g.Items)
	}
	cs, err := newView(r).contrasts()
	if err != nil || len(cs) != 1 || cs[0].Interval != compare.DrawItems {
		t.Fatalf("%+v, %v", cs, err)
	}
	all := want(cs[0].Group)
	same := func(name, got string) {
		t.Helper()
		if got != all {
			t.Errorf("%s has %s, differences %s", name, got, all)
		}
	}
	report, err := compare.Against(r, []*record.Run{r}, compare.Options{Arms: map[string]string{a: b}})
	if err != nil {
		t.Fatal(err)
	}
	same("diff", want(report.Comparisons[0].Pairs[0].All))
	number := func(n *table.Number) string { return fmt.Sprintf("%v [%v, %v]", n.Value, n.Low, n.High) }
	effect := func(e figure.Effect) string { return fmt.Sprintf("%v [%v, %v]", e.Value, e.Range.Low, e.Range.High) }
	all, _, _ = strings.Cut(all, "]")
	all += "]"
	same("diff's forest", effect(versus.Forest(report).Rows[0]))
	same("forest", effect(drawn[*figure.Forest](t, r, "forest").Rows[0]))
	same("ablation's forest", effect(drawn[*figure.Forest](t, r, "forest-ablation").Rows[0]))
	for _, name := range []string{"differences", "ablation"} {
		x := one(t, r, name).Table
		at := slices.IndexFunc(x.Columns, func(c table.Column) bool { return c.Name == "difference" })
		same(name, number(x.Rows[0][at].Num))
	}
	v := newView(r)
	same("a gain", number(v.gain(v.rows[0], v.rows[1]).Num))
}
