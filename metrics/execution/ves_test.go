package execution

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
)

// timed is a ves or r-ves whose statements take these times by turns, the last one ever after; the gold's text is
// "SELECT 1".
func timed(t *testing.T, id string, o Options, gold, pred []time.Duration) *ves {
	t.Helper()
	box := sandbox.New(sandbox.Options{})
	m, err := New(id, o, box)
	if err != nil {
		t.Fatal(err)
	}
	v := m.(*ves)
	next := func(list *[]time.Duration) time.Duration {
		d := (*list)[0]
		if len(*list) > 1 {
			*list = (*list)[1:]
		}
		return d
	}
	v.run = func(_ context.Context, _ engine.DB, sql string) (*engine.Result, error) {
		if sql == "SELECT 1" {
			return &engine.Result{Duration: next(&gold)}, nil
		}
		return &engine.Result{Duration: next(&pred)}, nil
	}
	return v
}

func TestVES(t *testing.T) {
	base := orchard(t)
	base.Gold, base.Predicted = "SELECT 1", "SELECT 2 - 1"
	check := func(id string, o Options, gold, pred []time.Duration, value float64, warning string) {
		t.Helper()
		s, err := timed(t, id, o, gold, pred).Score(t.Context(), base)
		if err != nil || s.Status != metrics.Correct || math.Abs(s.Value-value) > 1e-9 || !strings.Contains(strings.Join(s.Warnings, "; "), warning) ||
			(warning == "") != (len(s.Warnings) == 0) {
			t.Errorf("%s: %+v, %v, want %v %q", id, s, err, value, warning)
		}
	}
	ms := func(list ...time.Duration) []time.Duration {
		for i := range list {
			list[i] *= time.Millisecond
		}
		return list
	}
	const same = "never varies"
	check("ves", Options{}, ms(4), ms(1), 2, same)
	check("ves", Options{}, ms(1), ms(4), 0.5, same)
	check("ves", Options{}, ms(2, 1), ms(1), 1, "") // 2 once, 1 in 99 of 100: the 2 is an outlier
	check("ves", Options{Runs: 2}, ms(3, 1), ms(1), math.Sqrt2, "")
	check("ves", Options{Runs: 1}, ms(9), ms(1), 3, same)
	check("ves", Options{}, ms(0), ms(0), 1, same)
	check("ves", Options{Runs: 8, Time: 6 * time.Millisecond}, ms(1), ms(1), 1, "timed 3 times instead of 8")
	check("ves", Options{Runs: 8, Time: 1}, ms(1), ms(1), 1, "timed 1 times instead of 8")
	for _, c := range []struct {
		gold, pred time.Duration
		reward     float64
	}{{200, 100, 1.25}, {199, 100, 1}, {100, 100, 1}, {99, 100, 0.75}, {50, 100, 0.75}, {49, 100, 0.5}, {25, 100, 0.5}, {24, 100, 0.25}, {0, 100, 0.25}} {
		check("r-ves", Options{Runs: 3}, ms(c.gold), ms(c.pred), math.Sqrt(c.reward), same)
	}
}

// What is not right is not timed, and what fails while it is timed has no value.
func TestVESFailures(t *testing.T) {
	c := orchard(t)
	c.Gold, c.Predicted = "SELECT 1", "SELECT 2"
	v := timed(t, "ves", Options{}, nil, nil)
	v.run = func(context.Context, engine.DB, string) (*engine.Result, error) {
		t.Error("timed")
		return nil, errors.New("no")
	}
	if s, err := v.Score(t.Context(), c); err != nil || s.Status != metrics.Wrong || s.Value != 0 {
		t.Errorf("wrong: %+v, %v", s, err)
	}
	c.Predicted = "SELECT 2 - 1"
	check := func(slow string, want metrics.Status) {
		t.Helper()
		v.run = func(_ context.Context, _ engine.DB, sql string) (*engine.Result, error) {
			if sql == slow {
				return nil, &engine.Error{Kind: engine.Timeout, Err: errors.New("deadline")}
			}
			return &engine.Result{Duration: 1}, nil
		}
		if s, err := v.Score(t.Context(), c); err != nil || s.Status != want || s.Value != 0 || !strings.Contains(s.Why, "timed: deadline") {
			t.Errorf("%q fails: %+v, %v, want %s", slow, s, err, want)
		}
	}
	check(c.Predicted, metrics.SQLTimeout)
	check(c.Gold, metrics.GoldError)
	timing <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := v.Score(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a turn: %v", err)
	}
	<-timing
}

// Real runs by many at once take turns.
func TestVESTakesTurns(t *testing.T) {
	c := orchard(t)
	c.Gold = "SELECT count(*) FROM tree"
	box := sandbox.New(sandbox.Options{})
	var busy, runs atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		m, err := New([]string{"ves", "r-ves"}[i%2], Options{Runs: 5}, box)
		if err != nil {
			t.Fatal(err)
		}
		v := m.(*ves)
		inner := v.run
		v.run = func(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
			if busy.Add(1) > 1 {
				t.Error("two at once")
			}
			defer busy.Add(-1)
			runs.Add(1)
			return inner(ctx, db, sql)
		}
		wg.Go(func() {
			c := c
			c.Predicted = fmt.Sprint("SELECT 3 + 0 * ", i)
			s, err := v.Score(t.Context(), c)
			if err != nil || s.Status != metrics.Correct || s.Value <= 0 {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	wg.Wait()
	if runs.Load() != 40 {
		t.Errorf("%d runs, want 40", runs.Load())
	}
}

func TestAdvisory(t *testing.T) {
	var got []string
	for _, row := range Rows() {
		if Advisory(row.ID) {
			got = append(got, row.ID)
		}
	}
	if strings.Join(got, " ") != "ves r-ves" || Advisory("em") || Advisory("") {
		t.Errorf("advisory: %v", got)
	}
}

func FuzzTrimmedMean(f *testing.F) {
	f.Add(1.0, 2.0, 100)
	f.Add(0.1, 0.1, 3)
	f.Fuzz(func(t *testing.T, a, b float64, n int) {
		if !(a > 1e-9 && a < 1e9 && b > 1e-9 && b < 1e9 && n > 0 && n <= 200) {
			t.Skip()
		}
		list := make([]float64, n)
		for i := range list {
			list[i] = a
		}
		list[0] = b
		m, _ := trimmedMean(list)
		if lo, hi := min(a, b), max(a, b); m < lo*(1-1e-12) || m > hi*(1+1e-12) || n == 1 && m != b {
			t.Errorf("mean of %d times %v and %v is %v", n-1, a, b, m)
		}
	})
}
