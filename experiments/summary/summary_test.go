package summary

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"assay/experiments/axes"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/runner"
	"assay/metrics"
	"assay/metrics/goldcheck"

	"github.com/google/go-cmp/cmp"
)

// sampled scores predictions of the first items of the sample.
func sampled(t *testing.T, pred string, settings ...string) *Answers {
	t.Helper()
	f, err := predictions.Parse("file", []byte(pred))
	if err != nil {
		t.Fatal(err)
	}
	return scored(t, experiment(t, append([]string{"metrics=ex,em"}, settings...)...), plan.Options{Names: true, Cache: cache, Pred: f})
}

var cache string // of the sample's databases

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "summary")
	if err != nil {
		panic(err)
	}
	cache = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func TestSummary(t *testing.T) {
	score := func(v float64, s metrics.Status) []metrics.Score { return []metrics.Score{{Value: v, Status: s}} }
	row := func(level string, after, before []metrics.Score) runner.Scored {
		r := runner.Scored{Scores: after, Given: before}
		r.Example.Hardness = level
		return r
	}
	right, wrong, bad := score(1, metrics.Correct), score(0, metrics.Wrong), score(0, metrics.GoldError)
	e := sampled(t, "SELECT 1\n", "dataset.limit=1", "metrics=ex")
	e.Rows = []runner.Scored{row("hard", right, right), row("easy", right, wrong), row("easy", bad, wrong), row("", wrong, wrong)}
	s := e.Summary(false)
	check := func(i int, name string, items, scored int, mean float64) {
		t.Helper()
		l := s.Levels[i]
		if x := l.Scores[0]; l.Name != name || l.Items != items || x.Scored != scored || math.Abs(x.Mean-mean) > 1e-9 || x.Low > mean || x.High < mean {
			t.Errorf("level %d: %+v", i, l)
		}
	}
	check(0, "easy", 2, 1, 1)
	check(1, "hard", 1, 1, 1)
	check(2, "(none)", 1, 1, 0)
	check(3, "all", 4, 3, 2.0/3)
	if d := cmp.Diff([]Status{{metrics.Correct, []int{2}}, {metrics.Wrong, []int{1}}, {metrics.GoldError, []int{1}}}, s.Statuses); d != "" {
		t.Error(d)
	}
	s = e.Summary(true)
	check(3, "all", 4, 4, 0.25)
}

// TestSummaryBy: the gold queries of four rows have no join, one, two, and do not parse; the override of the first has one.
func TestSummaryBy(t *testing.T) {
	e := sampled(t, "SELECT 1\n", "dataset.limit=1", "metrics=ex")
	right, wrong := []metrics.Score{{Value: 1, Status: metrics.Correct}}, []metrics.Score{{Status: metrics.Wrong}}
	row := func(gold, db string, scores []metrics.Score) runner.Scored {
		r := runner.Scored{Scores: scores, Given: scores}
		r.Example.Gold, r.Example.Question.DB = gold, db
		return r
	}
	e.Rows = []runner.Scored{row("SELECT a FROM t", "y", right), row("SELECT a FROM t JOIN u", "x", wrong),
		row("SELECT a FROM t, u, v", "y", right), row("SELEC", "y", wrong)}
	check := func(axis string, want string) {
		t.Helper()
		a, err := axes.Find(axis)
		if err != nil {
			t.Fatal(err)
		}
		s, got := e.SummaryBy(a, false), ""
		for _, l := range s.Levels {
			got += fmt.Sprintf("%s %d %.2f; ", l.Name, l.Items, l.Scores[0].Mean)
		}
		if got != want || s.Leveling != axis {
			t.Errorf("%s: %s, want %s", axis, got, want)
		}
	}
	check("joins", "0 1 1.00; 1 1 0.00; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
	check("database", "y 3 0.67; x 1 0.00; all 4 0.50; ")
	check("limit", "0 3 0.67; (none) 1 0.00; all 4 0.50; ")
	check("difficulty", "(none) 4 0.50; all 4 0.50; ")
	e.Rows[0].Override = &goldcheck.Override{SQL: "SELECT a FROM t JOIN u"}
	check("joins", "1 2 0.50; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
	e.Rows[0].Override = &goldcheck.Override{Exclude: true}
	check("joins", "0 1 1.00; 1 1 0.00; 2+ 1 1.00; (none) 1 0.00; all 4 0.50; ")
}

// TestByTurn: two interactions, of which the second has a question that is not scored, and one with five turns.
func TestByTurn(t *testing.T) {
	e := sampled(t, "SELECT 1\n", "dataset.limit=1", "metrics=ex")
	e.Rows = nil
	var places []predictions.Place
	for session, turns := range []string{"rw", "rg", "rrrrr", "g"} {
		for k, c := range turns {
			s := metrics.Score{Status: metrics.Wrong}
			switch c {
			case 'r':
				s = metrics.Score{Value: 1, Status: metrics.Correct}
			case 'g':
				s = metrics.Score{Status: metrics.GoldError}
			}
			e.Rows = append(e.Rows, runner.Scored{Scores: []metrics.Score{s}})
			places = append(places, predictions.Place{Session: session, Turn: k + 1})
		}
	}
	got := ""
	for _, l := range e.ByTurn(places).Levels {
		got += fmt.Sprintf("%s %d/%d %.2f; ", l.Name, l.Scores[0].Scored, l.Items, l.Scores[0].Mean)
	}
	want := "question match 8/10 0.88; interaction match 3/4 0.67; turn 1 3/4 1.00; turn 2 2/3 0.50; turn 3 1/1 1.00; turn 4 1/1 1.00; turn > 4 1/1 1.00; "
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHeads: test-suite accuracy where no item has a suite is headed by what it then is.
func TestHeads(t *testing.T) {
	e := sampled(t, "SELECT 1\nSELECT 1\n", "dataset.limit=2", "metrics=ts,ex,ts-strict")
	check := func(what, want string) {
		t.Helper()
		if got := strings.Join(e.Summary(false).Heads, "; "); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("the sample has suites", "ts; ex; ts-strict")
	for i := range e.Plan.Set.Examples {
		e.Plan.Set.Examples[i].Suite = e.Plan.Set.Examples[i].Suite[:1]
	}
	check("without any", "ts = ex (no suite); ex; ts-strict = ex-strict (no suite)")
}

// TestWidthIsInvisible: the file of items is the same however many workers there were.
func TestWidthIsInvisible(t *testing.T) {
	all, _, err := plan.GoldQueries(t.Context(), experiment(t), plan.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i, c := range all {
		if i%3 == 0 {
			c.Gold = "SELECT 1"
		}
		fmt.Fprintf(&lines, "%s\t%s\n", strings.Join(strings.Fields(c.Gold), " "), c.DB)
	}
	items := func(workers int) string {
		var buf bytes.Buffer
		if err := sampled(t, lines.String(), fmt.Sprintf("workers=%d", workers)).WriteItems(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	if d := cmp.Diff(items(1), items(7)); d != "" {
		t.Error(d)
	}
}
