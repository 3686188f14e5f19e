package execution

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/configs/input"
	"assay/metrics"
	"assay/prompting/sql/engine"
)

// BIRD's efficiency scores (mini-dev's evaluation_ves.py, compute_ves and iterated_execute_sql; VES as in the paper, Li
// et al. 2023). A prediction that ex-bird calls right is run by turns with its gold query, and the ratio of their
// times, gold over prediction, is averaged without its outliers. The value of an item is the square root of that ratio
// (ves), or of the reward for it (r-ves), so that the mean of values times 100 is the reference's score. It may be
// above 1: a prediction four times as fast as its gold query has a ves of 2, and sqrt(1.25) is the most that r-ves
// gives.
type ves struct {
	metric
	runs  int
	most  time.Duration // of all timed runs of one item
	value func(ratio float64) float64
	run   runner // without the cache
}

var _ metrics.Metric = (*ves)(nil)

const (
	vesRuns = 100
	vesTime = time.Minute
)

// timing is held while statements are timed: concurrent runs would slow each other down.
var timing = make(chan struct{}, 1)

func newVES(value func(ratio float64) float64) func(metric, Options) metrics.Metric {
	return func(m metric, o Options) metrics.Metric {
		v := &ves{metric: m, runs: o.Runs, most: o.Time, value: value, run: m.box.Run}
		if v.runs <= 0 {
			v.runs = vesRuns
		}
		if v.most <= 0 {
			v.most = vesTime
		}
		return v
	}
}

// reward returns what r-ves gives for a ratio. The ladder is the reference's.
func reward(ratio float64) float64 {
	switch {
	case ratio >= 2:
		return 1.25
	case ratio >= 1:
		return 1
	case ratio >= 0.5:
		return 0.75
	case ratio >= 0.25:
		return 0.5
	}
	return 0.25
}

// Fingerprint says how often statements are run, too.
func (m *ves) Fingerprint() string {
	return fmt.Sprintf("%s runs=%d time=%s", m.metric.Fingerprint(), m.runs, m.most)
}

// Score judges as ex-bird does, and times what is right.
func (m *ves) Score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	score, err := m.metric.Score(ctx, c)
	if err != nil || score.Status != metrics.Correct {
		return score, err
	}
	if score, err = m.time(ctx, c, score); err != nil {
		return metrics.Score{}, fmt.Errorf("execution: time %q: %w", c.Item, err)
	}
	return score, nil
}

// time measures a right prediction and returns its value. It waits until no other item is timed.
func (m *ves) time(ctx context.Context, c metrics.Case, score metrics.Score) (metrics.Score, error) {
	select {
	case <-ctx.Done():
		return score, ctx.Err()
	case timing <- struct{}{}:
		defer func() { <-timing }()
	}
	gold, pred := strings.TrimSpace(c.Gold), strings.TrimSpace(c.Predicted)
	ratios := make([]float64, 0, m.runs)
	for spent := time.Duration(0); len(ratios) < m.runs && (spent < m.most || len(ratios) == 0); {
		p, err := m.once(ctx, c.Database, pred)
		if err != nil {
			return failedRun(err, "")
		}
		g, err := m.once(ctx, c.Database, gold)
		if err != nil {
			return failedRun(err, metrics.GoldError)
		}
		spent += p + g
		ratios = append(ratios, float64(g)/float64(p))
	}
	if len(ratios) < m.runs {
		score.Warnings = append(score.Warnings, fmt.Sprintf("timed %d times instead of %d", len(ratios), m.runs))
	}
	ratio, varied := trimmedMean(ratios)
	if !varied {
		score.Warnings = append(score.Warnings, "the ratio of the times never varies: the reference divides by zero here, and gives 0")
	}
	score.Value = m.value(ratio)
	return score, nil
}

// failedRun returns the score of an item whose statement ran when it was judged and fails when it is timed: as status
// says, or as the failure does.
func failedRun(err error, status metrics.Status) (metrics.Score, error) {
	e, judged := failed(err)
	if !judged {
		return metrics.Score{}, err
	}
	if status == "" {
		status = statusOf(e)
	}
	return metrics.Score{Status: status, Why: "while timed: " + input.Cause(e.Err).Error()}, nil
}

// once returns the time of one run, at least a nanosecond.
func (m *ves) once(ctx context.Context, db engine.DB, sql string) (time.Duration, error) {
	res, err := m.run(ctx, db, sql)
	if err != nil {
		return 0, err
	}
	return max(res.Duration, 1), nil
}

// trimmedMean returns the mean of those values that are less than three standard deviations (of the population) from
// the mean of all. Where all are equal none is: then it is any of them, and varied is false.
func trimmedMean(list []float64) (mean float64, varied bool) {
	if slices.Min(list) == slices.Max(list) {
		return list[0], false
	}
	all := average(list)
	squares := make([]float64, len(list))
	for i, x := range list {
		squares[i] = (x - all) * (x - all)
	}
	reach := 3 * math.Sqrt(average(squares))
	var kept []float64
	for _, x := range list {
		if x < all+reach && x > all-reach {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 { // they differ by no more than rounding does
		return all, true
	}
	return average(kept), true
}

func average(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
