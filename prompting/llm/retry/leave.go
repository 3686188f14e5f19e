package retry

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Leave lets the calls in flight finish for a moment when the run that makes them is cancelled, because the provider bills
// them, and counts what came of them. Waits, further attempts and new calls end at once. A nil Leave cuts calls off. One
// Leave may serve several models at once.
type Leave struct {
	Wait time.Duration // how long a call may go on after its run was cancelled

	arrived, lost, failed atomic.Int64
}

// Flight is what became of the calls that were in flight when their run was cancelled.
type Flight struct {
	Arrived int64 // answered within the moment
	Lost    int64 // cut off at its end; the provider may bill them
	Failed  int64 // answered with an error
}

// Calls returns how many there were.
func (f Flight) Calls() int64 { return f.Arrived + f.Lost + f.Failed }

// Flight returns what became of the calls so far. It is complete once every call has returned.
func (l *Leave) Flight() Flight {
	return Flight{l.arrived.Load(), l.lost.Load(), l.failed.Load()}
}

// call makes a call with a context that ends when ctx is done, or where ctx was cancelled once Wait has passed since. The end
// of a deadline is no stop of a run, and cuts the call off at once.
func (l *Leave) call(ctx context.Context, call func(context.Context) error) error {
	if l == nil {
		return call(ctx)
	}
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
			return
		}
		time.AfterFunc(l.Wait, cancel)
	})()
	err := call(longer)
	switch {
	case ctx.Err() == nil:
	case err == nil:
		l.arrived.Add(1)
	case longer.Err() != nil:
		l.lost.Add(1)
	default:
		l.failed.Add(1)
	}
	return err
}
