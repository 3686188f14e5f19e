package wire

import (
	"context"
	"fmt"
	"io"

	"assay/prompting/memory"
)

// The limits on what is kept of answers, in bytes after decompression. What one process keeps of answers at a time is
// below the sum of free per call in flight, shared and one whole answer, however many calls there are.
const (
	maxAnswer  = 16 << 20  // of one answer; 250 vectors of 4,000 numbers are 15 MB, the longest known completions 1 MB
	maxRefusal = 64 << 10  // read of an answer that is an error, or no JSON: its beginning says why
	free       = 128 << 10 // of one answer, without a share of the memory
	shared     = 16 << 20  // of all answers together, beyond what is free
)

// inFlight is the memory of all answers of the process. They wait for it within the time limits of their calls.
var inFlight = memory.NewPool(shared)

// read reads all of r, up to limit bytes, taking memory as the text grows. The error is a *largeError for a longer
// text, ctx's, or that of r, with what came before it.
func read(ctx context.Context, of *memory.Pool, s *memory.Share, r io.Reader, limit int64) ([]byte, error) {
	body := make([]byte, 0, min(4<<10, limit))
	for {
		if len(body) == cap(body) {
			size := min(2*int64(cap(body)), limit+1) // the last byte is never kept: it shows that there are more
			if err := of.Grow(ctx, s, size-free); err != nil {
				return body, err
			}
			larger := make([]byte, len(body), size)
			copy(larger, body)
			body = larger
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return body[:limit], &largeError{limit}
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, err
		}
	}
}

// largeError is an answer above the limit.
type largeError struct{ limit int64 }

func (e *largeError) Error() string {
	return fmt.Sprintf("the answer has more than %d bytes: is base_url a server of models? bound completions by model.max_tokens", e.limit)
}
