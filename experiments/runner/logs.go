package runner

import (
	"io"
	"sync"

	"assay/experiments/record"
)

// logs are the files of what the programs of a run write to standard error. Programs may outlast them: what they write then
// is lost.
type logs struct {
	dir string

	mu     sync.Mutex
	files  []io.Closer
	closed bool
}

// open opens the file of an arm, or of a metric.
func (l *logs) open(arm string) (io.Writer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return io.Discard, nil
	}
	f, err := record.Log(l.dir, arm)
	if err != nil {
		return nil, err
	}
	l.files = append(l.files, f)
	return f, nil
}

func (l *logs) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, f := range l.files {
		_ = f.Close() // a log is no result
	}
}
