package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/prompting/llm"
	"assay/prompting/llm/batch"
	"assay/prompting/llm/wire"
)

// Batches are the batches of a server: files of requests that it answers within a day, at OpenAI for half the price.
type Batches struct{ c *Client }

var _ batch.Service = (*Batches)(nil)

// NewBatches returns the batches of a server; it makes no call.
func NewBatches(o Options) (*Batches, error) {
	c, err := New(o)
	if err == nil && c.tail != "" {
		err = errors.New("openai: batches: the address is that of one deployment: set model.base_url to https://NAME.openai.azure.com/openai/v1")
	}
	if err != nil {
		return nil, err
	}
	return &Batches{c}, nil
}

// Lines is the format of batches alone, as a kind of server takes its requests: for files that a program answers without a
// server, as `vllm run-batch` does.
func Lines(s Server) batch.Format { return &Batches{&Client{server: s}} }

// batchLine is a request in a file.
type batchLine struct {
	ID     string         `json:"custom_id"`
	Method string         `json:"method"`
	URL    string         `json:"url"`
	Body   map[string]any `json:"body"`
}

// version is the part of an address that the url of a batch's line begins with.
const version = "/v1"

// Line implements [batch.Format].
func (b *Batches) Line(customID string, r llm.Request) ([]byte, error) {
	// A batch cannot learn the name of the bound on tokens from a refusal before a day has passed: OpenAI's own models all
	// take the newer one.
	body, err := build(b.c.server, r, 1, r.Params.API == "" && (b.c.base == DefaultBaseURL || b.c.newer.Has(r.Model)))
	if err != nil {
		return nil, named(err, "batch", r.Model)
	}
	line, err := json.Marshal(batchLine{customID, http.MethodPost, version + endpoints[r.Params.API].path, body})
	return append(line, '\n'), err
}

// Limits implements [batch.Format] by the documented bounds of a batch: 50,000 requests and 200 MB.
func (b *Batches) Limits() batch.Limits { return batch.Limits{Requests: 50_000, Bytes: 200_000_000} }

// answerLine is an answer in a file. vllm run-batch puts the error of a refused request beside an empty body.
type answerLine struct {
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// leftOut are the codes of requests that the server did not work on.
var leftOut = []string{"batch_expired", "batch_cancelled"}

// Read implements [batch.Format] by the code that reads the answer of a call.
func (b *Batches) Read(line []byte, r llm.Request) (llm.Response, error) {
	got, err := b.read(line, r)
	if refuses(err, "max_tokens") && r.Params.API == "" && !b.c.newer.Has(r.Model) {
		b.c.newer.Add(r.Model) // the next batch has the other name
		return llm.Response{}, &llm.Failure{Reason: "http 400", Err: err, Retryable: true, Status: http.StatusBadRequest}
	}
	if err != nil {
		err = named(err, "batch", r.Model)
	}
	all, err := b.c.key.Answer(got, err)
	if err != nil {
		return llm.Response{}, err
	}
	return all[0], nil
}

func (b *Batches) read(line []byte, r llm.Request) ([]llm.Response, error) {
	var a answerLine
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, &llm.Failure{Reason: wire.Malformed, Err: errors.New(b.c.key.Clip(err.Error())), Retryable: true}
	}
	call := &wire.Call{Status: http.StatusOK}
	if a.Response != nil && a.Response.Status != 0 {
		call.Status = a.Response.Status
	}
	if a.Response != nil && len(a.Response.Body) > 0 && string(a.Response.Body) != "null" {
		call.Body = a.Response.Body
	}
	if call.Body == nil || len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, b.failed(call, a.Error)
	}
	if err := b.c.outcome(context.Background(), call, nil); err != nil {
		return nil, err
	}
	return b.c.read(call, r, 1)
}

// failed returns the error of a line without an answer.
func (b *Batches) failed(call *wire.Call, raw json.RawMessage) error {
	e := b.errorOf(raw)
	word := e.word()
	if slices.Contains(leftOut, word) {
		return batch.ErrLeftOut
	}
	if call.Body != nil && call.Status/100 != 2 {
		return b.c.outcome(context.Background(), call, nil)
	}
	switch status := e.status(); {
	case call.Status/100 != 2:
	case status != 0:
		call.Status = status
	default: // "request_timeout", and whatever else may come: the request was not answered, and may be
		return &llm.Failure{Reason: "batch: " + b.c.key.Clip(word), Err: errors.New(b.c.key.Clip(e.Message)), Retryable: true}
	}
	return b.c.refused(call, e)
}

// errorOf reads an error: OpenAI's object, that in an "error" of its own as servers send it, or any other text.
func (b *Batches) errorOf(raw json.RawMessage) (e apiError) {
	var within struct {
		Error *apiError `json:"error"`
	}
	if json.Unmarshal(raw, &within) == nil && within.Error != nil {
		return *within.Error
	}
	if json.Unmarshal(raw, &e) != nil || e.Message == "" && e.word() == "" {
		e.Message = string(raw)
	}
	return e
}

// mark is the name under which a batch carries its id, and beginning that of its file.
const (
	mark      = "assay_batch"
	beginning = "assay-"
)

// Send implements [batch.Service]: it uploads the file and makes the batch of it. A file without its batch costs nothing.
func (b *Batches) Send(ctx context.Context, out batch.Outgoing) (string, error) {
	var file struct {
		ID string `json:"id"`
	}
	if err := b.upload(ctx, out, &file); err != nil {
		return "", err
	}
	var made batchObject
	err := b.do(ctx, http.MethodPost, "/batches", map[string]any{"input_file_id": file.ID, "endpoint": version + endpoints[out.API].path,
		"completion_window": "24h", "metadata": map[string]string{mark: out.ID}}, &made)
	if err == nil && made.ID == "" {
		err = &llm.Failure{Reason: wire.Malformed, Err: errors.New("the new batch has no id")}
	}
	return made.ID, err
}

// upload sends the lines as a file.
func (b *Batches) upload(ctx context.Context, out batch.Outgoing, to *struct {
	ID string `json:"id"`
}) error {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("purpose", "batch") // a buffer takes all
	if _, err := w.CreateFormFile("file", beginning+out.ID+".jsonl"); err != nil {
		return err
	}
	head := form.Len()
	_ = w.Close()
	text, size, err := out.Text(form.String()[:head], "\n", "\n"+form.String()[head:])
	if err != nil {
		return err
	}
	defer text.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.c.base+"/files", text)
	if err != nil {
		return err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", w.FormDataContentType())
	if err := b.exchange(ctx, req, &wire.Call{}, to); err != nil {
		return err
	}
	if to.ID == "" {
		return &llm.Failure{Reason: wire.Malformed, Err: errors.New("the uploaded file has no id"), Retryable: true}
	}
	return nil
}

// batchObject is a batch as the server describes it.
type batchObject struct {
	ID       string                           `json:"id"`
	Status   string                           `json:"status"`
	Created  int64                            `json:"created_at"`
	Metadata aside[map[string]string]         `json:"metadata"`
	Input    string                           `json:"input_file_id"`
	Output   string                           `json:"output_file_id"`
	Errors   string                           `json:"error_file_id"`
	Refusals aside[struct{ Data []apiError }] `json:"errors"`
	Counts   aside[struct {
		Total     count `json:"total"`
		Completed count `json:"completed"`
		Failed    count `json:"failed"`
	}] `json:"request_counts"`
}

// Bounds on looking for a batch in the server's list.
const (
	listPage  = 100
	listPages = 100
	clockSkew = time.Hour // of the server's clock and ours
)

// Find implements [batch.Service] by the mark in the metadata or, where a gateway dropped that, by the name of the file.
func (b *Batches) Find(ctx context.Context, out batch.Outgoing) (remote string, sure bool, err error) {
	after := ""
	for range listPages {
		var list struct {
			Data []batchObject `json:"data"`
			More bool          `json:"has_more"`
		}
		if err := b.do(ctx, http.MethodGet, fmt.Sprintf("/batches?limit=%d%s", listPage, after), nil, &list); err != nil {
			return "", false, err
		}
		older := false
		for _, o := range list.Data {
			older = older || o.Created != 0 && time.Unix(o.Created, 0).Before(out.Created.Add(-clockSkew))
			if is, err := b.is(ctx, o, out, older); err != nil || is {
				return o.ID, is, err
			}
		}
		if !list.More || len(list.Data) == 0 || older {
			break
		}
		after = "&after=" + url.QueryEscape(list.Data[len(list.Data)-1].ID)
	}
	return "", true, nil
}

// is reports whether a batch of the server's list is the one that was sent.
func (b *Batches) is(ctx context.Context, o batchObject, out batch.Outgoing, older bool) (bool, error) {
	if id := o.Metadata.v[mark]; id != "" || older || out.Known(o.ID) || o.Input == "" {
		return id == out.ID, nil
	}
	var file struct {
		Name string `json:"filename"`
	}
	err := b.do(ctx, http.MethodGet, "/files/"+url.PathEscape(o.Input), nil, &file)
	var f *llm.Failure
	if err != nil && !(errors.As(err, &f) && f.Retryable) {
		return false, nil // its file was deleted; ours is new
	}
	return file.Name == beginning+out.ID+".jsonl", err
}

// ended are the statuses after which nothing more comes.
var ended = []string{"completed", "failed", "expired", "cancelled"}

// Status implements [batch.Service].
func (b *Batches) Status(ctx context.Context, remote string) (batch.Status, error) {
	var o batchObject
	if err := b.do(ctx, http.MethodGet, "/batches/"+url.PathEscape(remote), nil, &o); err != nil {
		return batch.Status{}, err
	}
	st := batch.Status{Word: b.c.key.Clip(o.Status), Ended: slices.Contains(ended, o.Status), Complete: o.Status == "completed",
		Done: int(o.Counts.v.Completed) + int(o.Counts.v.Failed), Total: int(o.Counts.v.Total)}
	for _, file := range []string{o.Output, o.Errors} {
		if file != "" {
			st.Files = append(st.Files, file)
		}
	}
	if o.Status == "failed" {
		st.Refusal = b.refusal(o)
	}
	return st, nil
}

// refusal describes why a batch was refused as a whole.
func (b *Batches) refusal(o batchObject) string {
	if len(o.Refusals.v.Data) == 0 {
		return "failed, without a reason"
	}
	e := o.Refusals.v.Data[0]
	return b.c.key.Clip(strings.TrimPrefix(e.word()+": "+e.Message, ": "))
}

// Results implements [batch.Service].
func (b *Batches) Results(ctx context.Context, file string, each func(line []byte) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.c.base+"/files/"+url.PathEscape(file)+"/content", nil)
	if err != nil {
		return err
	}
	var own error
	call := &wire.Call{Stream: func(body io.Reader) (read error) {
		read, own = batch.Lines(body, each)
		return read
	}}
	if err := b.exchange(ctx, req, call, nil); err != nil {
		return err
	}
	return own
}

// Cancel implements [batch.Service].
func (b *Batches) Cancel(ctx context.Context, remote string) error {
	return b.do(ctx, http.MethodPost, "/batches/"+url.PathEscape(remote)+"/cancel", map[string]any{}, nil)
}

// do makes one call with a JSON body, or none if it is nil, and decodes the answer into to unless that is nil.
func (b *Batches) do(ctx context.Context, method, path string, body map[string]any, to any) error {
	var raw io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		raw = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.c.base+path, raw)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return b.exchange(ctx, req, &wire.Call{}, to)
}

// exchange sends a request once, and returns the error of its answer.
func (b *Batches) exchange(ctx context.Context, req *http.Request, call *wire.Call, to any) error {
	defer call.Done()
	req.Header.Set("Accept", "application/json")
	resp, sent := b.c.http.Do(req.WithContext(wire.With(ctx, call)))
	if sent == nil {
		sent = resp.Body.Close()
	}
	if err := b.c.outcome(ctx, call, sent); err != nil {
		if call.Status == http.StatusNotFound || call.Status == http.StatusMethodNotAllowed {
			err = fmt.Errorf("%w; a server may have no batches: `assay batch export` writes the requests to a file", err)
		}
		return fmt.Errorf("openai: batch: %w", err)
	}
	if to == nil {
		return nil
	}
	return b.c.key.Decode(call, to)
}

// Warnings implements [llm.Warner].
func (b *Batches) Warnings() []string { return b.c.Warnings() }
