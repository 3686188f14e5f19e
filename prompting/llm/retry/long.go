package retry

import (
	"errors"
	"sync"

	"assay/prompting/llm"
	"assay/prompting/llm/wire"
)

// long holds the prompts that exceeded the model's window: further samples of such a prompt would fail too.
type long struct {
	mu  sync.Mutex
	met map[string]*llm.Failure
}

// prompt identifies what all samples of a request share.
func (l *long) prompt(r llm.Request) string {
	r.Sample, r.Params.Seed = 0, nil
	return r.Key()
}

// of returns the failure that another sample of the prompt met, nil if none.
func (l *long) of(r llm.Request) *llm.Failure {
	l.mu.Lock()
	some := len(l.met) > 0
	l.mu.Unlock()
	if !some { // the usual case, without hashing the prompt
		return nil
	}
	key := l.prompt(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.met[key]
}

// note stores the prompt if err says that it is too long, and returns err.
func (l *long) note(r llm.Request, err error) error {
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != wire.TooLong {
		return err
	}
	key := l.prompt(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.met == nil {
		l.met = map[string]*llm.Failure{}
	}
	l.met[key] = f
	return err
}
