package runner_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/plan"
	"assay/experiments/runner"
	"assay/experiments/store"
)

// BenchmarkRun measures the whole path (prompt, HTTP, ledger, extraction, execution, scores, files) against a server on
// loopback that answers at once, and the same run again from the ledger. completions/s is the figure to read.
func BenchmarkRun(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop",
			"message":{"role":"assistant","content":"SELECT count(*) FROM sqlite_schema"}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`)
	}))
	defer s.Close()
	e, err := configs.Load("quickstart", catalog.Known, configs.Options{Set: []string{"model.provider=openai", "model.name=m", "model.base_url=" + s.URL,
		"workers=8", "seeds=[0,1,2,3]"}})
	if err != nil {
		b.Fatal(err)
	}
	p, err := plan.Make(context.Background(), e, plan.Options{Cache: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	run := func(b *testing.B, st store.Store) {
		res, err := runner.Run(context.Background(), p, runner.Options{Store: st})
		if err != nil {
			b.Fatal(err)
		}
		n := float64(res.Counts.Called + res.Counts.Cached)
		b.ReportMetric(n/res.Duration.Seconds(), "completions/s")
		b.ReportMetric(n, "completions")
	}
	b.Run("http", func(b *testing.B) {
		for b.Loop() {
			run(b, store.Open(b.TempDir()))
		}
	})
	st := store.Open(b.TempDir())
	run(b, st)
	b.Run("ledger", func(b *testing.B) {
		for b.Loop() {
			run(b, st)
		}
	})
}
