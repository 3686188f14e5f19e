package memory

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestOneGoesOn: however many want more than there is, all get it in turn, and never more is kept than the pool and one
// whole share.
func TestOneGoesOn(t *testing.T) {
	const shares, total, each = 50, 1000, 700
	p := NewPool(total)
	var now, most atomic.Int64
	var all sync.WaitGroup
	for range shares {
		all.Go(func() {
			var s Share
			defer s.Release()
			for size := int64(10); size <= each; size += 10 {
				if err := p.Grow(context.Background(), &s, size); err != nil {
					t.Error(err)
				}
				for n := now.Add(10); ; {
					if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
						break
					}
				}
			}
			now.Add(-each)
		})
	}
	all.Wait()
	if most.Load() > total+each {
		t.Errorf("%d at once, the most is %d", most.Load(), total+each)
	}
	if p.left != total || p.one {
		t.Errorf("%d of %d are left, one takes what it needs: %t", p.left, total, p.one)
	}
}

func TestKeepGivesBack(t *testing.T) {
	p := NewPool(100)
	var s Share
	if err := p.Grow(t.Context(), &s, 80); err != nil {
		t.Fatal(err)
	}
	s.Keep(30)
	s.Keep(90) // more than it has: nothing
	if p.left != 70 {
		t.Errorf("%d of 100 are left", p.left)
	}
	s.Release()
	s.Release()
	if p.left != 100 {
		t.Errorf("%d of 100 are left", p.left)
	}
}

func TestWaitsWithinTheContext(t *testing.T) {
	p := NewPool(0)
	var first, second Share
	if err := p.Grow(t.Context(), &first, 1<<20); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Grow(ctx, &second, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	second.Release()
	first.Release()
	if err := p.Grow(ctx, &second, 1<<20); err != nil {
		t.Errorf("when all is given back: %v", err)
	}
}
