package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/prompting/llm"
)

func openBench(b *testing.B) *Ledger {
	b.Helper()
	l, err := Open(filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

func BenchmarkGetFromLedger(b *testing.B) {
	l := openBench(b)
	m := l.Wrap(&llm.Scripted{}, Options{})
	r := request(strings.Repeat("schema text ", 300), 0)
	if _, err := m.Generate(context.Background(), r); err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := m.Generate(context.Background(), r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPutParallel(b *testing.B) {
	l := openBench(b)
	var n atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := request(strings.Repeat("schema text ", 100), int(n.Add(1)))
			if err := l.Put(context.Background(), r, llm.Response{Text: "SELECT 1"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGenerateN asks for 20 samples of a prompt at once, each prompt once and new, from 16 workers a CPU.
func BenchmarkGenerateN(b *testing.B) {
	l := openBench(b)
	m := l.Wrap(&many{most: 100}, Options{})
	samples := make([]int, 20)
	for i := range samples {
		samples[i] = i
	}
	var n atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := request(fmt.Sprint(n.Add(1), strings.Repeat(" schema text", 100)), 0)
			if got, err := m.GenerateN(context.Background(), r, samples); err != nil || len(got) != len(samples) {
				b.Fatal(len(got), err)
			}
		}
	})
	b.ReportMetric(float64(b.N*len(samples))/b.Elapsed().Seconds(), "completions/s")
}

// peak samples the heap while f runs and returns the most that was in use, in MB.
func peak(f func()) float64 {
	runtime.GC()
	done, out := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			most = max(most, s.HeapInuse)
			select {
			case <-done:
				out <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	return float64(<-out) / 1e6
}

// BenchmarkExchange exports and imports ledgers of different sizes: peak-MB must not grow with them.
func BenchmarkExchange(b *testing.B) {
	for _, n := range []int{2_000, 20_000, 100_000} {
		dir := b.TempDir()
		src := openBench(b)
		fillWith(b, src, n)
		file := filepath.Join(dir, "x.jsonl.zst")
		each := func(what string, f func(i int) error) {
			b.Run(fmt.Sprintf("%s/%d", what, n), func(b *testing.B) {
				var most float64
				for i := 0; b.Loop(); i++ {
					most = max(most, peak(func() {
						if err := f(i); err != nil {
							b.Fatal(err)
						}
					}))
				}
				b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "completions/s")
				b.ReportMetric(most, "peak-MB")
			})
		}
		each("export", func(int) error {
			_, err := exportFile(src, context.Background(), file, nil)
			return err
		})
		each("import", func(i int) error {
			dst, err := Open(filepath.Join(b.TempDir(), fmt.Sprint(i, ".db")))
			if err != nil {
				return err
			}
			defer dst.Close()
			_, err = dst.Import(context.Background(), file, ImportOptions{})
			return err
		})
		each("verify", func(int) error {
			_, err := src.Verify(context.Background(), func(bad Bad) { b.Error(bad) })
			return err
		})
		each("collect-dry", func(int) error {
			_, err := src.Collect(context.Background(), keysOf(), true)
			return err
		})
	}
}
