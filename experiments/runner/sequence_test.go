package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/experiments/record"
	"assay/prompting"
)

func named(i int) *outcome { return &outcome{item: record.Item{Item: fmt.Sprint(i)}} }

func TestOutcomesComeInOrderHoweverTheyFinish(t *testing.T) {
	const n, window = 500, 7
	var got []string
	s := newSequence(window, func(o *outcome) error {
		got = append(got, o.item.Item)
		return nil
	})
	var wg sync.WaitGroup
	jobs := make(chan int)
	for range 5 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range jobs {
				if err := s.admit(context.Background(), i); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Duration(rng.IntN(50)) * time.Microsecond)
				if err := s.put(i, named(i)); err != nil {
					t.Error(err)
				}
				if held := len(s.snapshot()); held > window {
					t.Errorf("%d outcomes are held back, more than %d", held, window)
				}
			}
		})
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	want := make([]string, n)
	for i := range want {
		want[i] = fmt.Sprint(i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("out of order: %v", got)
	}
}

// snapshot is what is held back now.
func (s *sequence) snapshot() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for i := range s.waiting {
		out = append(out, i)
	}
	return out
}

func TestAStoppedSequenceHandsOnTheRest(t *testing.T) {
	var got []string
	s := newSequence(3, func(o *outcome) error { got = append(got, o.item.Item); return nil })
	for _, i := range []int{0, 2, 1, 4} { // 3 never finishes
		if err := s.put(i, named(i)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if err := s.admit(ctx, 9); !errors.Is(err, context.Canceled) { // waits for 3 until it is cancelled
		t.Errorf("admit: %v", err)
	}
	if err := s.rest(10); err != nil || !slices.Equal(got, []string{"0", "1", "2", "4"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAJobThatCameToNothingIsPassedOver(t *testing.T) {
	var got []string
	s := newSequence(100, func(o *outcome) error {
		got = append(got, o.item.Item)
		return nil
	})
	for _, i := range []int{3, 0, 4, 1} { // 1 and 4 came to nothing; 2 is never put
		o := named(i)
		if i == 1 || i == 4 {
			o = nil
		}
		if err := s.put(i, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.rest(6); err != nil || !slices.Equal(got, []string{"0", "3"}) {
		t.Errorf("handed on %v, %v", got, err)
	}
}

// TestSequenceBytes: where much waits, only the job that it waits for is begun.
func TestSequenceBytes(t *testing.T) {
	passed := 0
	s := newSequence(100, func(*outcome) error { passed++; return nil })
	large := &outcome{answer: prompting.Answer{Candidates: []prompting.Candidate{{SQL: strings.Repeat("x", mostWaiting+1)}}}}
	ctx, cancel := context.WithCancel(t.Context())
	if err := errors.Join(s.admit(ctx, 1), s.put(1, large), s.admit(ctx, 0)); err != nil {
		t.Fatal(err)
	}
	admitted := make(chan error)
	go func() { admitted <- s.admit(ctx, 2) }()
	if err := errors.Join(s.put(0, &outcome{}), <-admitted); err != nil || passed != 2 || s.bytes != 0 {
		t.Errorf("%v, %d passed, %d bytes wait", err, passed, s.bytes)
	}
	if err := s.put(3, large); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.admit(ctx, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("admitted beside what waits: %v", err)
	}
}
