package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/configs"
)

// indexed is a run of two items under an arm at two points and an arm that the experiment lacks, each under the seeds 2
// and 1; every answer has two candidates and a call. The run lists the question of item a alone.
func indexed(t testing.TB, items ...string) *Run {
	t.Helper()
	e, err := configs.Parse("t.toml", []byte("name = \"t\"\nseeds = [2, 1]\n[dataset]\nkind = \"sample\"\n[[arm]]\nname = \"x\"\nmethod = \"standard\"\n[sweep]\ntemperature = [0, 1]\n"), known)
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Resolved: e, Questions: []Question{{Item: "a", Gold: "SELECT 1"}}}
	for _, item := range items {
		for _, arm := range []string{"x", "y"} {
			for _, point := range []string{"0", "1"} {
				for _, seed := range []int64{2, 1} {
					r.Items = append(r.Items, Item{Item: item, DB: "db", Arm: arm, Point: []string{point}, Seed: seed})
					for sample := range 2 {
						r.Candidates = append(r.Candidates, Candidate{Item: item, Arm: arm, Point: []string{point}, Seed: seed, Sample: sample})
					}
					r.Calls = append(r.Calls, Call{Item: item, Arm: arm, Point: []string{point}, Seed: seed, Key: fmt.Sprint(item, arm, point, seed)})
				}
			}
		}
	}
	return r
}

func TestIndex(t *testing.T) {
	r := indexed(t, "a", "b")
	r.Calls = append(r.Calls, Call{Item: "c", Arm: "x", Point: []string{"0"}, Seed: 1, Key: "of no answer"})
	r.Results = []Result{{Item: "a", Digest: "d", Rows: 7}}
	r.Columns = []Column{{"db", "t", "x"}, {"db", "t", "y"}, {"db", "u", "x"}}
	x := r.Index()
	fact := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	var cells, questions []string
	for _, s := range x.Series {
		cells = append(cells, s.Arm+s.Point[0])
	}
	for _, q := range x.Questions {
		questions = append(questions, q.Item+q.DB)
	}
	fact("series, in the order of the rows", cells, "[x0 x1 y0 y1]")
	fact("questions, an item without one having what its answers say", questions, "[a bdb]")
	fact("answers", len(x.Answers), len(r.Items))

	first, last := x.Series[0], x.Series[3]
	fact("the arm as it ran at the point", first.Config.Model.Temperature, 0)
	fact("at the next point", x.Series[1].Config.Model.Temperature, 1)
	fact("an arm that the experiment has", first.Known, true)
	fact("an arm that it lacks has its name alone", fmt.Sprint(last.Known, last.Config.Name, last.Config.Method), "falsey")
	fact("seeds ascend", first.Seeds, "[1 2]")
	fact("answers of a series are in the order of the rows", first.Answers[0].Item.Key(), Key{"a", CellOf("x", []string{"0"}), 2})
	fact("and there are as many as items and seeds", len(first.Answers), 4)
	fact("a cell leads to its series", x.At(CellOf("y", []string{"1"})) == last, true)
	fact("a cell without answers to none", x.At(CellOf("y", []string{"2"})) == nil, true)
	fact("cells of two runs are equal", r.Index().Series[1].Cell == x.Series[1].Cell, true)
	fact("and those of two points are not", CellOf("x", []string{"0", "1"}) == CellOf("x", []string{"01", ""}), false)

	a := x.Answers[5]
	fact("an answer's rows are the file's own", &a.Candidates[0] == &r.Candidates[10] && len(a.Candidates) == 2, true)
	fact("it cannot grow into the next answer's", cap(a.Candidates), 2)
	fact("its call", a.Calls[0].Key, "ay01")
	fact("its question", a.Question.Gold, "SELECT 1")
	fact("its series", a.Series == x.Series[2], true)
	fact("no votes, none dropped, no links", len(a.Votes)+len(a.Dropped)+len(a.Links), 0)
	fact("a result by its digest", x.Result("a", "d").Rows, 7)
	fact("a result of another item", x.Result("b", "d") == nil, true)
	fact("tables of a database", len(x.Schema("db").Tables), 2)
	fact("a database that the run has no columns of", x.Schema("other") == nil, true)
}

// TestIndexOfSortedFiles: a person may have sorted the files; each answer still has its own rows, in their file's order.
func TestIndexOfSortedFiles(t *testing.T) {
	rows := func(r *Run) string {
		var out []string
		for _, a := range r.Index().Answers {
			line := fmt.Sprint(a.Item.Key(), ":")
			for _, c := range a.Candidates {
				line += fmt.Sprint(" ", c.at().key() == a.Item.Key(), c.Sample)
			}
			for _, c := range a.Calls {
				line += " " + c.Key
			}
			out = append(out, line)
		}
		return strings.Join(out, "\n")
	}
	r := indexed(t, "a", "b", "c")
	want := rows(r)
	slices.SortStableFunc(r.Candidates, func(a, b Candidate) int { return a.Sample - b.Sample })
	slices.Reverse(r.Calls)
	if got := rows(r); got != want {
		t.Errorf("sorted files give\n%s\nwant\n%s", got, want)
	}
}

// BenchmarkIndex is of 72,000 answers.
func BenchmarkIndex(b *testing.B) {
	items := make([]string, 9000)
	for i := range items {
		items[i] = fmt.Sprint("spider/dev/", i)
	}
	r := indexed(b, items...)
	b.ReportAllocs()
	for b.Loop() {
		r.Index()
	}
}
