package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/wire"
)

// Batches are the Message Batches of the API, which it answers within a day for half the price.
type Batches struct{ c *Client }

var _ batch.Service = (*Batches)(nil)

// NewBatches returns the batches of a server; it makes no call.
func NewBatches(o Options) (*Batches, error) {
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Batches{c}, nil
}

// batchesPath is the address of batches below the base URL.
const batchesPath = "/v1/messages/batches"

// batchLine is a request of a batch.
type batchLine struct {
	ID     string          `json:"custom_id"`
	Params json.RawMessage `json:"params"`
}

// Line implements [batch.Format].
func (b *Batches) Line(customID string, r llm.Request) ([]byte, error) {
	params, err := b.c.body(r)
	if err != nil {
		return nil, named(err, "write the request to", r.Model)
	}
	line, err := json.Marshal(batchLine{customID, params})
	return append(line, '\n'), err
}

// Limits implements [batch.Format] by the documented bounds of a batch: 100,000 requests and 256 MB, less what stands
// around and between them.
func (b *Batches) Limits() batch.Limits {
	return batch.Limits{Requests: 100_000, Bytes: 256_000_000 - 1000}
}

// resultLine is an answer of a batch.
type resultLine struct {
	Result struct {
		Type    string          `json:"type"`
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
	} `json:"result"`
}

// Read implements [batch.Format] by the code that reads the answer of a call.
func (b *Batches) Read(line []byte, r llm.Request) (llm.Response, error) {
	var l resultLine
	if err := json.Unmarshal(line, &l); err != nil {
		return llm.Response{}, &llm.Failure{Reason: wire.Malformed, Err: errors.New(b.c.key.Clip(err.Error())), Retryable: true}
	}
	switch l.Result.Type {
	case "succeeded":
		return b.c.result(l.Result.Message, r)
	case "expired", "canceled":
		return llm.Response{}, batch.ErrLeftOut
	case "errored":
		return llm.Response{}, named(b.c.errored(l.Result.Error), "batch with", r.Model)
	}
	return llm.Response{}, &llm.Failure{Reason: wire.Malformed, Err: fmt.Errorf("a result of the type %q", b.c.key.Clip(l.Result.Type)), Retryable: true}
}

// Send implements [batch.Service].
func (b *Batches) Send(ctx context.Context, out batch.Outgoing) (string, error) {
	text, size, err := out.Text(`{"requests":[`, ",", "]}")
	if err != nil {
		return "", err
	}
	defer text.Close()
	var made messageBatch
	if err := b.do(ctx, http.MethodPost, batchesPath, text, size, &made); err != nil {
		return "", err
	}
	if made.ID == "" {
		return "", &llm.Failure{Reason: wire.Malformed, Err: errors.New("the new batch has no id")}
	}
	return made.ID, nil
}

// messageBatch is a batch as the API describes it.
type messageBatch struct {
	ID      string                                                          `json:"id"`
	Status  string                                                          `json:"processing_status"`
	Created time.Time                                                       `json:"created_at"`
	Results string                                                          `json:"results_url"`
	Counts  struct{ Processing, Succeeded, Errored, Canceled, Expired int } `json:"request_counts"`
}

// ended is the status after which nothing more comes.
const ended = "ended"

func (m messageBatch) done() int {
	return m.Counts.Succeeded + m.Counts.Errored + m.Counts.Canceled + m.Counts.Expired
}

// Bounds on looking for a batch in the list.
const (
	listPage  = 100
	listPages = 100
	clockSkew = time.Hour // of the server's clock and ours
)

// Find implements [batch.Service]. The API has no place for a mark, so a batch is known by its answers alone: one that was
// made since ours was first sent, has as many requests and is not known otherwise may be it, and has ended before that is
// certain.
func (b *Batches) Find(ctx context.Context, out batch.Outgoing) (remote string, sure bool, err error) {
	after, maybe := "", ""
	for range listPages {
		var list struct {
			Data []messageBatch `json:"data"`
			More bool           `json:"has_more"`
			Last string         `json:"last_id"`
		}
		if err := b.do(ctx, http.MethodGet, fmt.Sprintf("%s?limit=%d%s", batchesPath, listPage, after), nil, 0, &list); err != nil {
			return "", false, err
		}
		older := false
		for _, m := range list.Data {
			switch older = m.Created.Before(out.Created.Add(-clockSkew)); {
			case older || out.Known(m.ID) || m.done()+m.Counts.Processing != out.Requests:
			case m.Status != ended:
				maybe = m.ID
			default:
				if is, err := b.answers(ctx, m.ID, out); err != nil || is {
					return m.ID, is, err
				}
			}
		}
		if !list.More || list.Last == "" || older {
			break
		}
		after = "&after_id=" + url.QueryEscape(list.Last)
	}
	return maybe, maybe == "", nil
}

// answers reports whether the answers of a batch are to our requests: the first one tells.
func (b *Batches) answers(ctx context.Context, id string, out batch.Outgoing) (is bool, err error) {
	first := errors.New("one is enough")
	err = b.Results(ctx, id, func(line []byte) error {
		var l batchLine
		is = json.Unmarshal(line, &l) == nil && out.Has(l.ID)
		return first
	})
	if err == first {
		err = nil
	}
	return is, err
}

// Status implements [batch.Service].
func (b *Batches) Status(ctx context.Context, remote string) (batch.Status, error) {
	var m messageBatch
	if err := b.do(ctx, http.MethodGet, batchesPath+"/"+url.PathEscape(remote), nil, 0, &m); err != nil {
		return batch.Status{}, err
	}
	return batch.Status{Word: b.c.key.Clip(m.Status), Ended: m.Status == ended, Complete: m.Status == ended,
		Done: m.done(), Total: m.done() + m.Counts.Processing, Files: []string{remote}}, nil
}

// Results implements [batch.Service]; a file is a batch's id. The address that the API names for the results is not used: the
// key goes to no other host.
func (b *Batches) Results(ctx context.Context, file string, each func(line []byte) error) error {
	var own error
	call := &wire.Call{Stream: func(body io.Reader) (read error) {
		read, own = batch.Lines(body, each)
		return read
	}}
	defer call.Done()
	if err := b.exchange(ctx, call, http.MethodGet, batchesPath+"/"+url.PathEscape(file)+"/results", nil, 0); err != nil {
		return err
	}
	return own
}

// Cancel implements [batch.Service].
func (b *Batches) Cancel(ctx context.Context, remote string) error {
	return b.do(ctx, http.MethodPost, batchesPath+"/"+url.PathEscape(remote)+"/cancel", nil, 0, &messageBatch{})
}

// do makes one call and decodes the answer.
func (b *Batches) do(ctx context.Context, method, path string, body io.Reader, size int64, to any) error {
	call := &wire.Call{}
	defer call.Done()
	if err := b.exchange(ctx, call, method, path, body, size); err != nil {
		return err
	}
	return b.c.key.Decode(call, to)
}

// exchange sends a request once, with a body of size bytes or none, and returns the error of its answer.
func (b *Batches) exchange(ctx context.Context, call *wire.Call, method, path string, body io.Reader, size int64) error {
	return b.c.key.Error(named(b.c.exchange(ctx, call, method, path, body, size), method, path))
}

// Warnings implements [llm.Warner].
func (b *Batches) Warnings() []string { return b.c.Warnings() }
