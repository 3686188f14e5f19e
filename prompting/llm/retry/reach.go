package retry

import (
	"context"
	"errors"
	"time"

	"assay/prompting/llm"
)

// reachWithin bounds the meeting.
const reachWithin = 10 * time.Second

// watch looks, while a call is in flight, whether the server is still there each time that nothing was answered for as
// long as a silence may be: some servers that are stopped keep their connections open, and say nothing more. One that
// takes connections is let work. It ends with ctx.
func (m *Model) watch(ctx context.Context, server llm.Reacher) {
	for wait := m.o.Silence; ; {
		if m.o.Clock.Sleep(ctx, wait) != nil {
			return
		}
		if wait = m.trip.calm(m.o.Clock.Now()); wait > 0 {
			continue
		}
		wait = m.o.Silence
		rctx, cancel := context.WithTimeout(ctx, reachWithin)
		err := server.Reach(rctx)
		cancel()
		var f *llm.Failure
		if errors.As(err, &f) && noConnection(f) && ctx.Err() == nil {
			m.trip.gone(f, m.o.Clock.Now())
			return
		}
	}
}
