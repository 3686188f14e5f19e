package summary

import (
	"database/sql/driver"
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/experiments/plan"
	"assay/experiments/predictions"
	"assay/experiments/runner"
	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// real is the folder of the public data sets and predictions.
const real = "../../../shared/data/"

// spiderDev is a file of predictions of Spider dev to be scored; it skips where the data is not here.
func spiderDev(tb testing.TB, pred string, settings ...string) (configs.Experiment, plan.Options) {
	tb.Helper()
	if _, err := os.Stat(real + "spider/dev.json"); err != nil {
		tb.Skipf("the data sets are not here: %v", err)
	}
	return experiment(tb, append([]string{"dataset.kind=spider", "dataset.path=" + real + "spider"}, settings...)...),
		plan.Options{Names: true, Pred: read(tb, real+"predictions/spider_dev/"+pred+".txt")}
}

func experiment(tb testing.TB, settings ...string) configs.Experiment {
	tb.Helper()
	e, err := predictions.Experiment("test", configs.Options{Set: settings})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func read(tb testing.TB, path string) *predictions.File {
	tb.Helper()
	f, err := predictions.Read(path)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// scored plans and scores.
func scored(tb testing.TB, e configs.Experiment, o plan.Options) *Answers {
	tb.Helper()
	p, err := plan.Make(tb.Context(), e, o)
	if err != nil {
		tb.Fatal(err)
	}
	defer p.Close()
	a := &Answers{Plan: p}
	if err := runner.Score(tb.Context(), p, a.Add); err != nil {
		tb.Fatal(err)
	}
	return a
}

// BenchmarkSpiderDev is a whole evaluation in this process.
func BenchmarkSpiderDev(b *testing.B) {
	bench := func(name string, settings ...string) {
		b.Run(name, func(b *testing.B) {
			e, o := spiderDev(b, "dail_gpt4", settings...)
			for b.Loop() {
				scored(b, e, o)
			}
		})
	}
	bench("ex+em", `metrics=ex,em`)
	bench("ex", `metrics=ex`)
	bench("em", `metrics=em`)
	bench("ts", `metrics=ts`, "dataset.suite="+real+"spider_suite/database")
}

// BenchmarkFloor is what SQLite alone takes for the distinct statements of such an evaluation: one connection a database
// opened as the sandbox does, each statement compiled and stepped to its end, no row kept.
func BenchmarkFloor(b *testing.B) {
	floor := func(name string, settings ...string) {
		b.Run(name, func(b *testing.B) {
			e, o := spiderDev(b, "dail_gpt4", settings...)
			a := scored(b, e, o)
			for b.Loop() {
				stepAll(b, a, len(settings) > 0)
			}
		})
	}
	floor("ex")
	floor("ts", "dataset.suite="+real+"spider_suite/database")
}

func stepAll(b *testing.B, a *Answers, suite bool) {
	conns := map[string]*sqlite3.SQLiteConn{}
	done := map[[2]string]bool{}
	for _, r := range a.Rows {
		all := []engine.DB{r.Example.Question.Database}
		if suite {
			all = r.Example.Suite
		}
		for _, db := range all {
			path := db.Source
			if conns[path] == nil {
				abs, _ := filepath.Abs(path)
				c, err := (&sqlite3.SQLiteDriver{}).Open("file:" + abs + "?mode=ro&immutable=1&_query_only=1&_mutex=no")
				if err != nil {
					b.Fatal(err)
				}
				conns[path] = c.(*sqlite3.SQLiteConn)
				defer c.Close()
			}
			for _, sql := range []string{r.Example.Gold, r.SQL} {
				if key := [2]string{path, sql}; !done[key] {
					done[key] = true
					step(conns[path], sql)
				}
			}
		}
	}
	b.ReportMetric(float64(len(done)), "statements")
}

// step runs a statement; one that fails is a prediction's error, which the evaluation meets too.
func step(c *sqlite3.SQLiteConn, sql string) {
	rows, err := c.Query(sql, nil)
	if err != nil {
		return
	}
	defer rows.Close()
	dest := make([]driver.Value, len(rows.Columns()))
	for rows.Next(dest) == nil {
	}
}
