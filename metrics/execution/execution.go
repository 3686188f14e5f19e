// Package execution scores SQL by the results that it returns.
//
// A metric rewrites the gold query and the prediction as its reference evaluator does, runs both on each database
// through a [Cache], compares the two results, and returns the score. [New] makes one metric of the table, [Rows] lists
// them. A metric must never change a result, and must give the same verdict in every run; those that measure time are
// advisory.
//
// Three evaluators in use are all called EX; here each has an id of its own. "ex" is that of the test-suite evaluator
// (Zhong et al. 2020) on the original database, and "ts" the same on every database of a suite: a prediction right
// under ts is right under ex. Either has a form with that evaluator's flags: "-keep-distinct" leaves DISTINCT in the
// queries, "-plug-value" forgives wrong literals, "-keep-distinct-plug-value" does both, and "-strict" compares without its
// leniency. "ex-bird", "soft-f1",
// "ves" and "r-ves" are BIRD's; the last two time statements, and are advisory. "ex-spider18" is that of Spider's first
// evaluator. README.md of the folder above lists where each differs from its reference.
//
// Where an evaluator of the field stops or scores by accident, this gives a status: a gold query that fails on any of
// the databases is a gold-error whatever the prediction, and a blank prediction is no-sql, though evaluators would
// score it 1 on a gold query that returns nothing.
package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/configs/input"
	"assay/metrics"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/sqlite"
)

// Options of a metric. The zero value is ready.
type Options struct {
	Cache *Cache        // results already known; nil means a cache of the metric's own
	Runs  int           // how often ves and r-ves time each statement; 0 means 100, as the reference
	Time  time.Duration // how long ves and r-ves may time one item, the last run over it included; 0 means a minute
}

// metric is one line of the table at work.
type metric struct {
	settings
	box   *sandbox.Box
	cache *Cache
}

var _ metrics.Metric = (*metric)(nil)

// New returns the metric with this id, one of Rows, running SQL in box. A box that truncates results will not do.
func New(id string, opts Options, box *sandbox.Box) (metrics.Metric, error) {
	i := slices.IndexFunc(table, func(s settings) bool { return s.id == id })
	if i < 0 {
		known := make([]string, len(table))
		for i, s := range table {
			known[i] = s.id
		}
		return nil, fmt.Errorf("execution: new metric %q: not one of %s", id, strings.Join(known, ", "))
	}
	if box.Options().Truncate {
		return nil, fmt.Errorf("execution: new metric %q: the sandbox truncates results", id)
	}
	m := metric{settings: table[i], box: box, cache: opts.Cache}
	if m.cache == nil {
		m.cache = NewCache(0)
	}
	if m.make != nil {
		return m.make(m, opts), nil
	}
	return &m, nil
}

// ID returns the id given to New.
func (m *metric) ID() string { return m.id }

// Fingerprint names the comparator, its flags, SQLite's version and the caps on a statement.
func (m *metric) Fingerprint() string {
	return fmt.Sprintf("%s: %s; comparator=%s suite=%t keep-distinct=%t plug-value=%t; %s",
		m.id, m.about, m.family.name, m.suite, m.keepDistinct, m.plugValue, Conditions(m.box))
}

// Conditions names what results depend on besides the statement and the database, as fingerprints have it: SQLite's version and
// the caps on a statement.
func Conditions(box *sandbox.Box) string {
	o := box.Options()
	return fmt.Sprintf("sqlite=%s timeout=%s rows=%d bytes=%d value=%d", sqlite.Version(), o.Timeout, o.MaxRows, o.MaxBytes, o.MaxValue)
}

// Score runs the gold query on every database, then the prediction, in the order of the databases and up to the first
// on which it is not right: that one gives the status.
func (m *metric) Score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	score, err := m.score(ctx, c)
	if err != nil {
		return metrics.Score{}, fmt.Errorf("execution: score %q: %w", c.Item, err)
	}
	return score, nil
}

func (m *metric) score(ctx context.Context, c metrics.Case) (metrics.Score, error) {
	if c.Database.None() {
		return metrics.Score{Status: metrics.GoldError, Why: "the dataset has no database for this item"}, nil
	}
	gold := m.family.gold(strings.TrimSpace(c.Gold), &m.settings)
	t := trial{databases: m.databases(c)}
	pred := strings.TrimSpace(c.Predicted)
	if pred != "" {
		pred = m.family.pred(pred, &m.settings)
	}
	m.fetch(ctx, t.databases, gold, pred)
	ordered := m.family.ordered(gold)
	empty := true
	for _, db := range t.databases {
		res, err := m.cached(ctx, db, gold)
		if err != nil {
			e, judged := failed(err)
			if !judged {
				return metrics.Score{}, err
			}
			return metrics.Score{Status: metrics.GoldError, Why: reason(db, c, "gold: ", e)}, nil
		}
		empty = empty && len(res.Rows) == 0
		o := order{ordered: ordered}
		if ordered && m.family.ties {
			if res, o, err = m.tied(ctx, db, gold, res); err != nil {
				return metrics.Score{}, err
			}
		}
		t.expected, t.orders = append(t.expected, res), append(t.orders, o)
	}
	if pred == "" {
		return metrics.Score{Status: metrics.NoSQL, Why: "no SQL"}, nil
	}
	score, err := m.try(ctx, c, t, pred, m.ahead(t.databases, pred))
	if err == nil && m.plugValue && (score.Status == metrics.Wrong || score.Status == metrics.SQLError) {
		score, err = m.plug(ctx, c, t, gold, pred, score)
	}
	if err == nil && score.Status == metrics.Correct && empty {
		score.Warnings = append(score.Warnings, "the gold query returns no rows")
	}
	if err == nil && score.Value > 0 && m.family != strict { // which is nobody else's
		score.Warnings = append(score.Warnings, sqlite.Newer(c.Predicted)...)
	}
	return score, err
}

// databases returns the files to judge c on: the original first, then the others of its suite.
func (m *metric) databases(c metrics.Case) []engine.DB {
	if m.suite {
		return c.Databases()
	}
	return []engine.DB{c.Database}
}

// trial is what a prediction is up against.
type trial struct {
	databases []engine.DB
	expected  []*engine.Result // by database
	orders    []order          // by database
}

// cached is box.Run through the cache.
func (m *metric) cached(ctx context.Context, db engine.DB, sql string) (*engine.Result, error) {
	return m.cache.rows(ctx, m.box, db, sql)
}

// fetch runs a gold query on all databases, and a prediction, where there is one, on the first.
func (m *metric) fetch(ctx context.Context, databases []engine.DB, gold, pred string) {
	jobs := make([]sandbox.Job, 0, len(databases)+1)
	for _, db := range databases {
		jobs = append(jobs, sandbox.Job{DB: db, SQL: gold})
	}
	if pred != "" {
		jobs = append(jobs, sandbox.Job{DB: databases[0], SQL: pred})
	}
	m.cache.fetch(ctx, m.box, jobs)
}

// atOnce is on how many more databases a prediction is run at once that was right so far: one that is wrong on any of
// them was run on the rest in vain.
const atOnce = 16

// ahead is cached for one statement on the databases in their order: it runs it on the next few at once.
func (m *metric) ahead(databases []engine.DB, sql string) runner {
	next := 1
	return func(ctx context.Context, db engine.DB, _ string) (*engine.Result, error) {
		if next < len(databases) && db == databases[next] {
			few := databases[next:min(next+atOnce, len(databases))]
			jobs := make([]sandbox.Job, len(few))
			for i, db := range few {
				jobs[i] = sandbox.Job{DB: db, SQL: sql}
			}
			m.cache.fetch(ctx, m.box, jobs)
			next += len(few)
		}
		return m.cached(ctx, db, sql)
	}
}

// runner runs a statement on a database: through the cache, or anew each time, as timing needs it.
type runner func(ctx context.Context, db engine.DB, sql string) (*engine.Result, error)

// try judges one text of a prediction. The first database on which it is not right gives the score.
func (m *metric) try(ctx context.Context, c metrics.Case, t trial, pred string, run runner) (metrics.Score, error) {
	score := metrics.Score{Value: 1, Status: metrics.Correct}
	for i, db := range t.databases {
		res, err := run(ctx, db, pred)
		if err != nil {
			e, judged := failed(err)
			if !judged {
				return metrics.Score{}, err
			}
			return metrics.Score{Status: statusOf(e), Why: reason(db, c, "", e)}, nil
		}
		value, verdict := m.family.grade(t.expected[i], res, t.orders[i])
		if verdict.Equal {
			continue
		}
		score = metrics.Score{Value: value, Status: metrics.Wrong, Why: on(db, c, verdict.Why)}
		if verdict.Undecided {
			score.Warnings = []string{"counted as wrong, but undecided: " + verdict.Why}
		}
		return score, nil
	}
	return score, nil
}

// failed returns the sandbox's verdict on a statement or its database, if err is one. A context that ended is none, nor is
// trouble of the machine.
func failed(err error) (*engine.Error, bool) {
	e, ok := errors.AsType[*engine.Error](err)
	return e, ok && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// reason says what went wrong, after what: the statement, or the database, which is no fault of the statement.
func reason(db engine.DB, c metrics.Case, what string, e *engine.Error) string {
	if e.Kind == engine.Unavailable {
		return fmt.Sprintf("the database %s cannot be read: %v", db.Label(), input.Cause(e.Err))
	}
	return on(db, c, what+e.Err.Error())
}

func statusOf(e *engine.Error) metrics.Status {
	switch e.Kind {
	case engine.Unavailable:
		return metrics.GoldError
	case engine.Timeout:
		return metrics.SQLTimeout
	case engine.Rejected:
		return metrics.Rejected
	}
	return metrics.SQLError
}

// on says on which database of the suite something happened, if it was not the original.
func on(db engine.DB, c metrics.Case, what string) string {
	if db == c.Database {
		return what
	}
	return db.Label() + ": " + what
}
