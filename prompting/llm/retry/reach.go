package retry

import (
	"context"
	"errors"
	"time"

	"assay/prompting/llm"
)

// reachWithin bounds one attempt to reach the server.
const reachWithin = 10 * time.Second

// watch runs while a call is in flight. Each time that nothing was answered for the allowed silence, it checks whether
// the server still accepts connections, because some servers that are stopped keep the old ones open and say nothing
// more. A server that accepts connections may go on working. watch ends with ctx.
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
