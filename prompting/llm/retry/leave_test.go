package retry

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"assay/prompting/llm"
)

// slow is a model that answers once it is told to, unless its context ends before.
type slow struct{ begun, answer chan error }

func (s slow) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	s.begun <- nil
	select {
	case err := <-s.answer:
		return llm.Response{Text: "SELECT 1", Finish: "stop"}, err
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

func TestCallsInFlightMayFinish(t *testing.T) {
	// ask makes a call whose run is cancelled while it is in flight; then answer, if it is set, says what the model does.
	ask := func(l *Leave, answer func(chan<- error)) error {
		s := slow{make(chan error, 9), make(chan error, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error)
		go func() {
			_, err := Wrap(s, Options{Leave: l}).Generate(ctx, llm.Request{})
			done <- err
		}()
		<-s.begun
		cancel()
		if answer != nil {
			answer(s.answer)
		}
		err := <-done
		if len(s.begun) > 0 {
			t.Error("a call was made after the run was cancelled")
		}
		return err
	}
	check := func(what string, l *Leave, err error, want Flight, ends error) {
		t.Helper()
		if l != nil && l.Flight() != want {
			t.Errorf("%s: %+v, want %+v", what, l.Flight(), want)
		}
		if !errors.Is(err, ends) {
			t.Errorf("%s: %v, want %v", what, err, ends)
		}
	}
	const long = time.Hour

	l := &Leave{Wait: long}
	check("answered in time", l, ask(l, func(c chan<- error) { c <- nil }), Flight{Arrived: 1}, nil)
	l = &Leave{Wait: long}
	busy := &llm.Failure{Reason: "busy", Status: http.StatusServiceUnavailable, Retryable: true}
	check("an error is not asked again", l, ask(l, func(c chan<- error) { c <- busy }), Flight{Failed: 1}, context.Canceled)
	l = &Leave{Wait: time.Nanosecond}
	check("cut off at the end", l, ask(l, nil), Flight{Lost: 1}, context.Canceled)
	check("nil cuts off at once", nil, ask(nil, nil), Flight{}, context.Canceled)

	l = &Leave{Wait: long}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := Wrap(slow{make(chan error, 9), nil}, Options{Leave: l}).Generate(ctx, llm.Request{})
	check("a deadline is no stop", l, err, Flight{Lost: 1}, context.DeadlineExceeded)
}
