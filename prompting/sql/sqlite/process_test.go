package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"assay/prompting/sql/engine"
)

// shelf makes a file with a table of three rows.
func shelf(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shelf.sqlite")
	if err := Create(t.Context(), path, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	return path
}

var wide = engine.Limits{Time: 30 * time.Second, MaxRows: 1000, MaxBytes: 1 << 20, MaxValue: 1_000_000}

// TestWorkersThatDie: a worker that ends by itself costs no statement its answer, whenever it ends.
func TestWorkersThatDie(t *testing.T) {
	path, p := shelf(t), newWorkers(2)
	answer := func(f func(w *worker)) (rows int, err error) {
		err = p.do(t.Context(), 30*time.Second, 0, always, func(w *worker, heap int64) error {
			if f != nil {
				f(w)
			}
			res, err := conversation{w, path, heap, wide}.result(opRun, "SELECT * FROM t", false)
			if err == nil {
				rows = len(res.Rows)
			}
			return err
		})
		return rows, err
	}
	check := func(what string, f func(w *worker)) {
		t.Helper()
		if rows, err := answer(f); rows != 3 || err != nil {
			t.Errorf("%s: %d rows, %v", what, rows, err)
		}
	}
	dies := func(times int, signal syscall.Signal) func(w *worker) {
		return func(w *worker) {
			if times--; times >= 0 {
				w.process.Signal(signal)
			}
		}
	}
	check("one that lives", nil)
	p.idle[0].process.Kill()
	check("one that died at rest", nil)
	check("one that dies at work", dies(1, syscall.SIGKILL))
	check("or crashes", dies(1, syscall.SIGSEGV))
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		check("one that the terminal tells to end", dies(1, s))
	}
	_, err := answer(dies(2, syscall.SIGSEGV))
	if e, ok := errors.AsType[*engine.Error](err); !ok || e.Kind != engine.SQL {
		t.Errorf("a statement that crashes every worker: %v", err)
	}
	if _, err = answer(dies(2, syscall.SIGKILL)); err == nil || errors.As(err, new(*engine.Error)) {
		t.Errorf("workers that somebody kills: %v", err)
	}
	if n := len(p.idle); n > 2 {
		t.Errorf("%d workers at rest, want at most 2", n)
	}
	p.drop()
	check("after all were ended", nil)
	p.drop()
}

// TestStopped: a job ends with its context, also one that waits for its turn.
func TestStopped(t *testing.T) {
	path, p := shelf(t), newWorkers(1)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
	ctx, stop := context.WithCancel(t.Context())
	begun := make(chan bool)
	ended := make(chan error)
	run := func(ctx context.Context) {
		ended <- p.do(ctx, time.Hour, 0, always, func(w *worker, heap int64) error {
			begun <- true
			_, err := conversation{w, path, heap, wide}.result(opRun, endless, false)
			return err
		})
	}
	go run(ctx)
	<-begun
	waiting, giveUp := context.WithCancel(t.Context())
	go run(waiting)
	giveUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one that waits: %v", err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one that runs: %v", err)
	}
}

// TestMemoryOfAll: a statement that meets its share of memory has all of it when it runs again, and the same verdict
// whatever its share was.
func TestMemoryOfAll(t *testing.T) {
	path, p := shelf(t), newWorkers(8)
	run := func(sql string) (heaps []int64, err error) {
		err = p.do(t.Context(), 30*time.Second, 0, always, func(w *worker, heap int64) error {
			heaps = append(heaps, heap)
			_, err := conversation{w, path, heap, wide}.result(opRun, sql, false)
			return err
		})
		return heaps, err
	}
	heaps, err := run("SELECT count(*) FROM t")
	if len(heaps) != 1 || heaps[0] != heapOfAll/8 || err != nil {
		t.Errorf("a small one: %v, %v", heaps, err)
	}
	heaps, err = run("SELECT length(hex(zeroblob(490000))" + repeat(" || ''", 2) + ")" + repeat(", hex(zeroblob(490000))", 36))
	if e, ok := errors.AsType[*engine.Error](err); len(heaps) != 2 || heaps[1] != heapOfAll || !ok || e.Limit != engine.ByteCap {
		t.Errorf("a large one: %v, %v", heaps, err)
	}
	heaps, err = run("SELECT 1" + repeat(", hex(zeroblob(499999))", 1999))
	if e, ok := errors.AsType[*engine.Error](err); len(heaps) != 2 || !ok || e.Limit != engine.MemoryCap {
		t.Errorf("one too large: %v, %v", heaps, err)
	}
	p.drop()
}

func repeat(s string, n int) string {
	var b []byte
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

// FuzzAnswer: whatever arrives from a process, it is an answer or an error.
func FuzzAnswer(f *testing.F) {
	e := binary.NativeEndian
	short := append(e.AppendUint32([]byte{'C'}, 1), append(e.AppendUint32(nil, 1), 'a')...)
	short = append(short, 'R', 2, 3, 0, 0, 0, 'x', 'y', 'z', 'E', 0)
	f.Add(append(short, make([]byte, 20)...))
	f.Add(e.AppendUint32([]byte{'C'}, 1<<31))
	f.Add(append(e.AppendUint32([]byte{'C'}, 1), 255, 255, 255, 255))
	f.Add([]byte{'R', 'E', 5})
	f.Fuzz(func(t *testing.T, answer []byte) {
		var w wire
		w.from = func(b []byte) (int, error) {
			if len(answer) == 0 {
				return 0, errGone
			}
			n := copy(b, answer[:min(len(answer), 7)])
			answer = answer[n:]
			return n, nil
		}
		w.begin()
		if _, err := w.columns(); err != nil {
			return
		}
		if _, err := wide.Gather(nil, w.next); err == nil && !w.ended {
			t.Error("an answer without an end")
		}
		w.verdict()
	})
}
