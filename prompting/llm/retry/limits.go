package retry

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits are the allowed requests and tokens per minute, and the pause that the provider asked for.
type limits struct {
	mu       sync.Mutex
	requests *rate.Limiter // nil: no limit
	tokens   *rate.Limiter // nil: no limit
	until    time.Time     // no call before this time
	length   time.Duration // of the pause that ends then
	pauses   int           // number of pauses so far
}

// newLimits spaces requests evenly over the minute, so that no span of a minute has more, wherever it starts. Tokens
// may come in bursts of one second's share.
func newLimits(requests, tokens int) *limits {
	l := &limits{}
	if requests > 0 {
		l.requests = rate.NewLimiter(rate.Limit(float64(requests)/60), 1)
	}
	if tokens > 0 {
		l.tokens = rate.NewLimiter(rate.Limit(float64(tokens)/60), max(tokens/60, 1))
	}
	return l
}

// reserve returns how long a request with so many tokens must wait from now, and the number of the latest pause that
// the wait includes. cancel returns the reservation.
func (l *limits) reserve(now time.Time, tokens int) (wait time.Duration, seen int, cancel func(time.Time)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait = l.pauseLeft(now)
	var held []*rate.Reservation
	if l.requests != nil {
		held = append(held, l.requests.ReserveN(now, 1))
	}
	held = append(held, l.takeTokens(now, tokens)...)
	for _, r := range held {
		wait = max(wait, r.DelayFrom(now))
	}
	return wait, l.pauses, func(now time.Time) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for i := len(held) - 1; i >= 0; i-- {
			held[i].CancelAt(now)
		}
	}
}

// paused returns what is left of a pause that came after the one numbered seen, and its number.
func (l *limits) paused(now time.Time, seen int) (time.Duration, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pauses == seen {
		return 0, seen
	}
	return l.pauseLeft(now), l.pauses
}

// pauseLeft returns what is left of the pause, at most its length: a clock that jumped back would make it endless.
func (l *limits) pauseLeft(now time.Time) time.Duration {
	return min(max(l.until.Sub(now), 0), l.length)
}

// takeTokens reserves n tokens in pieces, because the limiter refuses more than its burst at once.
func (l *limits) takeTokens(now time.Time, n int) (held []*rate.Reservation) {
	if l.tokens == nil {
		return nil
	}
	for piece := l.tokens.Burst(); n > 0; n -= piece {
		held = append(held, l.tokens.ReserveN(now, min(n, piece)))
	}
	return held
}

// charge subtracts tokens that a request used beyond its reservation; later requests wait for them.
func (l *limits) charge(now time.Time, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.takeTokens(now, n)
}

// pause delays every call by d.
func (l *limits) pause(now time.Time, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := now.Add(d); d > 0 && (end.After(l.until) || l.until.Sub(now) > l.length) {
		l.until, l.length = end, d
		l.pauses++
	}
}
