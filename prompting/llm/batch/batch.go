// Package batch defines the vocabulary of providers' batches: a [Format] writes requests and reads answers line by line, and
// a [Service] takes an [Outgoing] batch, says how far one is ([Status]) and gives its answers.
//
// The providers' packages implement it, and [assay/prompting/llm/batch/desk] uses it. Nothing here may remember anything: what
// was sent is in the ledger.
package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"time"

	"assay/prompting/llm"
)

// Format is how a service writes requests and answers, one JSON object per line each with a custom_id.
type Format interface {
	// Line writes a request under a custom_id. The error is of a request that no call could make either.
	Line(customID string, r llm.Request) ([]byte, error)
	// Read reads the answer to a request, as of a call that was made alone: the error is a [*llm.Failure] of this request,
	// or one that all others would meet. A request that the service left out, because the batch ended, is [ErrLeftOut].
	Read(line []byte, r llm.Request) (llm.Response, error)
	// Limits are the bounds on one batch.
	Limits() Limits
}

// Limits bound a batch.
type Limits struct {
	Requests int   // 0: none may be sent now
	Bytes    int64 // of the lines together
}

// ErrLeftOut is a request that the service did not work on: the batch expired or was cancelled before.
var ErrLeftOut = errors.New("batch: the batch ended before this request")

// Service is a provider's batches. Its methods make one attempt each; their errors are those of a model's calls.
type Service interface {
	Format
	// Send sends a batch and returns the provider's id.
	Send(ctx context.Context, out Outgoing) (remote string, err error)
	// Find looks for a batch that may have arrived although its answer did not. remote is empty where there is none. sure is
	// false where the provider says too little, and it may be another's: it is told by its answers once it has ended.
	Find(ctx context.Context, out Outgoing) (remote string, sure bool, err error)
	// Status asks how far a batch is.
	Status(ctx context.Context, remote string) (Status, error)
	// Results reads one of the files of Status line by line. The error of each ends it.
	Results(ctx context.Context, file string, each func(line []byte) error) error
	// Cancel asks the provider to end a batch early. What it has answered until then stays.
	Cancel(ctx context.Context, remote string) error
}

// Outgoing is a batch on its way.
type Outgoing struct {
	ID       string                          // the mark to be found by
	API      string                          // as [llm.Params].API
	Requests int                             // how many Lines has
	Created  time.Time                       // before it was sent for the first time
	Known    func(remote string) bool        // reports whether a provider's id is that of another batch of ours
	Lines    func() iter.Seq2[[]byte, error] // with their line ends
	Has      func(customID string) bool      // reports whether a request is in it
}

// Text returns the lines as one text with head and tail around them and between in place of each line end but the last, and
// its length. The text is made as it is read: a batch may be larger than memory should be.
func (o Outgoing) Text(head, between, tail string) (text io.ReadCloser, size int64, err error) {
	size = int64(len(head) + len(tail))
	n := 0
	for line, err := range o.Lines() {
		if err != nil {
			return nil, 0, err
		}
		if n++; n > 1 {
			size += int64(len(between))
		}
		size += int64(len(bytes.TrimSuffix(line, newline)))
	}
	next, stop := iter.Pull2(o.Lines())
	return &lineReader{next: next, stop: stop, rest: []byte(head), between: between, tail: tail}, size, nil
}

var newline = []byte{'\n'}

// lineReader reads the text of a batch. An HTTP client may still read it, and close it, after its answer has come.
type lineReader struct {
	mu            sync.Mutex
	closed        bool
	next          func() ([]byte, error, bool)
	stop          func()
	rest          []byte
	between, tail string
	begun, ended  bool
}

// Read implements io.Reader.
func (r *lineReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, fs.ErrClosed
	}
	for len(r.rest) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		line, err, ok := r.next()
		switch {
		case !ok:
			r.ended, r.rest = true, []byte(r.tail)
			continue
		case err != nil:
			return 0, err
		}
		line = bytes.TrimSuffix(line, newline)
		if r.begun {
			line = append([]byte(r.between), line...)
		}
		r.begun, r.rest = true, line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *lineReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.stop()
	return nil
}

// Status is how far a batch is, by its provider.
type Status struct {
	Word        string   // the provider's own
	Ended       bool     // no further answer will come
	Complete    bool     // it ended by itself, so that a request without an answer is the provider's fault
	Done, Total int      // requests, where the provider counts them
	Refusal     string   // why it was refused as a whole; it begins with QueueFull where too much waits already
	Files       []string // of answers, for Service.Results
}

// QueueFull begins the refusal of a batch for which an account has too many tokens waiting, in OpenAI's word.
const QueueFull = "token_limit_exceeded"

// Key returns the ledger's key of a custom_id, and CustomID the custom_id of a key: its 64 hexadecimal digits.
func Key(customID string) string { return prefix + customID }

// CustomID returns the custom_id of a request's key.
func CustomID(key string) string { return strings.TrimPrefix(key, prefix) }

const prefix = "sha256:"

// MostLine bounds a line, in bytes, of answers: more than the longest completion with everything around it.
const MostLine = 16 << 20

// Lines calls each with every line of a text, without its end, until one returns an error. A line that is too long, or cut
// off by the end of the text, is passed on as it is. read is the error of the text, own that of each.
func Lines(r io.Reader, each func(line []byte) error) (read, own error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= MostLine {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err, nil // the connection broke: this line may be half of one
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if own := each(text); own != nil {
				return nil, own
			}
		}
		if line = line[:0]; err == io.EOF {
			return nil, nil
		}
	}
}

// IDOf returns the custom_id of an answer; empty for a line that is none, such as a request.
func IDOf(line []byte) string {
	var l struct {
		ID       string          `json:"custom_id"`
		Response json.RawMessage `json:"response"`
		Error    json.RawMessage `json:"error"`
		Result   json.RawMessage `json:"result"`
	}
	if json.Unmarshal(line, &l) != nil {
		return ""
	}
	for _, part := range []json.RawMessage{l.Response, l.Error, l.Result} {
		if len(part) > 0 && string(part) != "null" {
			return l.ID
		}
	}
	return ""
}
