package batch_test

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"sync"
	"testing"

	"assay/prompting/llm/batch"
)

// A server may answer before it has read a batch: the text is closed while the connection still reads it, and closed again.
func TestATextIsClosedWhileItIsRead(t *testing.T) {
	out := batch.Outgoing{Lines: func() iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for range 10_000 {
				if !yield([]byte("{}\n"), nil) {
					return
				}
			}
		}
	}}
	text, size, err := out.Text("[", ",", "]")
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(text, first); err != nil || first[0] != '[' || size != 10_000*3+1 {
		t.Errorf("%q of %d bytes, %v", first, size, err)
	}
	var all sync.WaitGroup
	all.Go(func() { _, _ = io.Copy(io.Discard, text) })
	all.Go(func() { text.Close() })
	text.Close()
	all.Wait()
	if n, err := text.Read(make([]byte, 9)); n != 0 || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%d bytes after the end, %v", n, err)
	}
}
