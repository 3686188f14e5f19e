package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"assay/configs/input"
	"assay/configs/output"
)

// every is how often a file of answers is written while answers come. What the process made meanwhile is lost where it is
// killed, but for the completions, which are in the ledger.
const every = time.Second

// File is a file of predictions that answers are put into. It is safe for concurrent use.
type File struct {
	path   string
	stdout io.Writer

	mu      sync.Mutex
	order   []string                   // ids, as their first answers came
	lines   map[string]json.RawMessage // by id
	written time.Time
	dirty   bool
}

// OpenFile reads the answers that a file has, to be added to; a file that is not there has none. The error of a line that
// is no answer names it. stdout is written to where the path names it. Without a path answers are counted and not kept.
func OpenFile(path string, stdout io.Writer) (*File, error) {
	f := &File{path: path, stdout: stdout, lines: map[string]json.RawMessage{}}
	if path == "" || output.IsStandard(path) {
		return f, nil
	}
	text, err := input.Text(path, input.Predictions)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("proxy: read %q: %w", path, input.Cause(err))
	}
	n := 0
	for line := range bytes.Lines(text) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil || e.ID == "" {
			return nil, fmt.Errorf("proxy: read %q: line %d is no answer that a proxy wrote: name another file", path, n)
		}
		f.put(e.ID, bytes.TrimSpace(line))
	}
	return f, nil
}

func (f *File) put(id string, line []byte) {
	if _, ok := f.lines[id]; !ok {
		f.order = append(f.order, id)
	}
	f.lines[id] = line
}

// Put sets an item's answer, and writes the file where that was not done for a while.
func (f *File) Put(ctx context.Context, e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(e.ID, line)
	if f.dirty = f.path != ""; !f.dirty || output.IsStandard(f.path) || time.Since(f.written) < every {
		return nil
	}
	return f.write(ctx)
}

// Close writes what was put since the file was written.
func (f *File) Close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.dirty {
		return nil
	}
	return f.write(ctx)
}

// Len returns how many items have an answer.
func (f *File) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.order)
}

func (f *File) write(ctx context.Context) error {
	err := output.Write(ctx, f.path, f.stdout, func(w io.Writer) error {
		for _, id := range f.order {
			if _, err := fmt.Fprintf(w, "%s\n", f.lines[id]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		f.written, f.dirty = time.Now(), false
	}
	return err
}
