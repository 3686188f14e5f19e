package sandbox

import (
	"context"
	"sync"
	"testing"
	"time"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/sqlite"
)

// Statements that are killed, that want all memory, or that nobody waits for any more change the answer of no other.
func TestHealthyAmongHostile(t *testing.T) {
	path := library(t)
	short, box := New(Options{Timeout: 150 * time.Millisecond}), New(Options{})
	healthy := []Job{{sqlite.DB(path), "SELECT * FROM book"}, {sqlite.DB(path), "SELECT count(*) FROM loan"}, {sqlite.DB(path), "SELECT nothing"},
		{sqlite.DB(path), "SELECT hex(zeroblob(65536)), 'E', x'4500'"}, {sqlite.DB(path), "DELETE FROM book"}}
	want := make([]string, len(healthy))
	for i, j := range healthy {
		want[i] = told(box.Run(t.Context(), j.DB, j.SQL))
	}
	check := func(i int, res *engine.Result, err error) {
		if got := told(res, err); got != want[i] {
			t.Errorf("%.60s: %.200s, want %.200s", healthy[i].SQL, got, want[i])
		}
	}
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for n := range 4 {
				switch g % 4 {
				case 0:
					short.Run(t.Context(), sqlite.DB(path), hostile[(g*4+n)%len(hostile)].sql)
				case 1: // nobody waits
					ctx, stop := context.WithTimeout(t.Context(), time.Duration(n+1)*3*time.Millisecond)
					box.RunMany(ctx, healthy, func(int, *engine.Result, error) {})
					stop()
				case 2:
					for i, j := range healthy {
						res, err := box.Run(t.Context(), j.DB, j.SQL)
						check(i, res, err)
					}
				default:
					box.RunMany(t.Context(), healthy, check)
				}
			}
		})
	}
	all.Wait()
}
