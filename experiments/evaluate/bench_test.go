package evaluate

import (
	"database/sql/driver"
	"os"
	"path/filepath"
	"testing"

	"assay/configs"
	"assay/prompting/sql/engine"

	"github.com/mattn/go-sqlite3"
)

// real is the folder of the public data sets and predictions.
const real = "../../../shared/data/"

// options evaluates a file of predictions of Spider dev, and skips where the data is not here.
func options(tb testing.TB, pred string, settings ...string) Options {
	tb.Helper()
	if _, err := os.Stat(real + "spider/dev.json"); err != nil {
		tb.Skipf("the data sets are not here: %v", err)
	}
	return Options{Experiment: experiment(tb, append([]string{"dataset.kind=spider", "dataset.path=" + real + "spider"}, settings...)...),
		Pred: real + "predictions/spider_dev/" + pred + ".txt"}
}

func experiment(tb testing.TB, settings ...string) configs.Experiment {
	tb.Helper()
	e, err := Experiment("test", settings)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// BenchmarkSpiderDev is a whole evaluation in this process.
func BenchmarkSpiderDev(b *testing.B) {
	bench := func(name string, settings ...string) {
		b.Run(name, func(b *testing.B) {
			o := options(b, "dail_gpt4", settings...)
			for b.Loop() {
				if _, err := Run(b.Context(), o); err != nil {
					b.Fatal(err)
				}
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
			o := options(b, "dail_gpt4", settings...)
			e := &Evaluation{Experiment: o.Experiment}
			if err := e.gather(b.Context(), o); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				stepAll(b, e, len(settings) > 0)
			}
		})
	}
	floor("ex")
	floor("ts", "dataset.suite="+real+"spider_suite/database")
}

func stepAll(b *testing.B, e *Evaluation, suite bool) {
	conns := map[string]*sqlite3.SQLiteConn{}
	done := map[[2]string]bool{}
	for _, r := range e.Rows {
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
			for _, sql := range []string{r.Example.Gold, r.Entry.First()} {
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
