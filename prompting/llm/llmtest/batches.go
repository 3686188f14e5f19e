package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/prompting/llm"
)

// Step is a kind of call to a service of batches.
type Step string

// The steps. Files are OpenAI's alone.
const (
	Upload  Step = "upload"
	Create  Step = "create"
	List    Step = "list"
	Status  Step = "status"
	Results Step = "results" // OpenAI's output file, and Anthropic's results
	Errors  Step = "errors"  // OpenAI's file of errors
	Cancel  Step = "cancel"
	File    Step = "file" // what a file is
)

// When is a moment of a step at which a hook is called.
type When string

// The moments of a step.
const (
	Before   When = "before it is handled"
	Handled  When = "handled, unanswered"
	Half     When = "half answered"
	Answered When = "answered"
)

// Outcome is what becomes of one request of a batch.
type Outcome string

// The outcomes.
const (
	Succeeds Outcome = ""
	Expires  Outcome = "expired"
	Fails    Outcome = "500"         // in a way that may pass
	Refuses  Outcome = "400"         // and will be again
	Missing  Outcome = "missing"     // there is no line
	Doubled  Outcome = "twice"       // the second answer differs
	Garbled  Outcome = "no JSON"     // the line cannot be read
	Cut      Outcome = "cut"         // the file ends in the middle of this line
	Foreign  Outcome = "and another" // with a line for a request that nobody sent
)

// Batches is a fake service of batches, in OpenAI's form or, as Kind Anthropic, in that of Message Batches. Its fields may be
// set before the first call. A batch ends when it was asked about more than Wait times.
type Batches struct {
	URL  string // to be used as a provider's base URL
	Kind Kind

	Model llm.Model // answers the requests; nil: as [Server] does
	// Outcome decides what becomes of a request of the batch with this number, from 0; nil: all succeed.
	Outcome func(batch int, customID string) Outcome
	// EndAs is the status that a batch ends with, "failed" with the refusal; nil: "completed".
	EndAs func(batch int) (status, refusal string)
	Wait  int
	// Hook is called at every moment of every step, and returns a status to answer in place of the answer, Lost to reset the
	// connection there, or 0. Nil: 0.
	Hook func(s Step, w When) int
	// NoMetadata drops the metadata of batches, as some gateways do.
	NoMetadata bool

	mu      sync.Mutex
	files   map[string][]byte
	names   map[string]string
	batches []*fakeBatch
	calls   map[Step]int
	done    map[string]int // how often each request was worked on, by custom_id
}

// Lost is a Hook's answer that resets the connection.
const Lost = -1

// fakeBatch is a batch of the service.
type fakeBatch struct {
	id, input, status string
	number, polls     int
	metadata          any
	created           time.Time
	lines             []fakeLine
	output, errors    []byte
	counts            map[string]int
	refusal           string
}

type fakeLine struct {
	ID     string          `json:"custom_id"`
	Body   json.RawMessage `json:"body"`   // OpenAI's
	Params json.RawMessage `json:"params"` // Anthropic's
	URL    string          `json:"url"`
}

// StartBatches runs a service until the test ends.
func StartBatches(t testing.TB, b *Batches) *Batches {
	t.Helper()
	b.files, b.names, b.calls, b.done = map[string][]byte{}, map[string]string{}, map[Step]int{}, map[string]int{}
	h := httptest.NewServer(b)
	t.Cleanup(h.Close)
	if b.URL = h.URL + "/v1"; b.Kind == Anthropic {
		b.URL = h.URL
	}
	return b
}

// Calls returns how often a step was called.
func (b *Batches) Calls(s Step) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[s]
}

// Done returns how many requests were worked on, and how many of them more than once.
func (b *Batches) Done() (requests, twice int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.done {
		if n > 1 {
			twice++
		}
	}
	return len(b.done), twice
}

// Count returns how many batches there are.
func (b *Batches) Count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.batches)
}

// ServeHTTP implements http.Handler.
func (b *Batches) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1"), "/messages")
	step, id := stepOf(r.Method, path)
	b.mu.Lock()
	b.calls[step]++
	b.mu.Unlock()
	if b.hook(w, step, Before) {
		return
	}
	status, answer := b.handle(step, id, r, raw)
	if b.hook(w, step, Handled) {
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
	if w.Header().Set("Content-Type", "application/json"); step == Results || step == Errors {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer[:len(answer)/2])
	_ = http.NewResponseController(w).Flush()
	if b.hook(w, step, Half) {
		return
	}
	_, _ = w.Write(answer[len(answer)/2:])
	_ = http.NewResponseController(w).Flush()
	b.hook(w, step, Answered)
}

// hook calls the hook, and reports whether the answer has been given.
func (b *Batches) hook(w http.ResponseWriter, s Step, when When) bool {
	if b.Hook == nil {
		return false
	}
	switch status := b.Hook(s, when); status {
	case 0:
		return false
	case Lost:
		resetConn(w)
	default:
		w.WriteHeader(status)
		_, _ = w.Write(openaiFormat.refusal(status, "fault", "the hook says so", 0))
	}
	return true
}

// stepOf names the step of a call, and what it is about.
func stepOf(method, path string) (Step, string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	id, last := "", parts[len(parts)-1]
	if len(parts) > 1 {
		id = parts[1]
	}
	switch {
	case parts[0] == "files" && method == http.MethodPost:
		return Upload, ""
	case parts[0] == "files" && last == "content" && strings.HasPrefix(id, "err"):
		return Errors, strings.TrimPrefix(id, "err-")
	case parts[0] == "files" && last == "content":
		return Results, strings.TrimPrefix(id, "out-")
	case parts[0] == "files":
		return File, id
	case last == "cancel":
		return Cancel, id
	case last == "results":
		return Results, id
	case id != "":
		return Status, id
	case method == http.MethodPost:
		return Create, ""
	}
	return List, ""
}

// handle does a step, and returns the answer.
func (b *Batches) handle(s Step, id string, r *http.Request, raw []byte) (int, []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var answer any
	f := b.find(id)
	switch {
	case s == Upload:
		answer = b.upload(r, raw)
	case s == Create:
		answer = b.create(raw)
	case s == List:
		answer = b.list(r)
	case s == File && b.names[id] != "":
		answer = map[string]any{"id": id, "object": "file", "filename": b.names[id], "purpose": "batch"}
	case f != nil && s == Cancel:
		f.polls = b.Wait
		if f.refusal = "cancel"; f.status == "in_progress" {
			f.status = "cancelling"
		}
		answer = b.describe(f)
	case f != nil && s == Status:
		if f.polls++; f.polls > b.Wait {
			b.end(f)
		}
		answer = b.describe(f)
	case f != nil && s == Results:
		return http.StatusOK, f.output
	case f != nil && s == Errors:
		return http.StatusOK, f.errors
	}
	if answer == nil {
		return http.StatusNotFound, openaiFormat.refusal(http.StatusNotFound, "not_found", "no such "+string(s)+": "+r.URL.Path, 0)
	}
	text, _ := json.Marshal(answer)
	return http.StatusOK, text
}

func (b *Batches) find(id string) *fakeBatch {
	for _, f := range b.batches {
		if f.id == id {
			return f
		}
	}
	return nil
}

// upload keeps a file.
func (b *Batches) upload(r *http.Request, raw []byte) any {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil
	}
	form, err := multipart.NewReader(bytes.NewReader(raw), params["boundary"]).ReadForm(1 << 30)
	if err != nil || len(form.File["file"]) != 1 || len(form.Value["purpose"]) != 1 || form.Value["purpose"][0] != "batch" {
		return nil
	}
	h := form.File["file"][0]
	file, err := h.Open()
	if err != nil {
		return nil
	}
	defer file.Close()
	text, _ := io.ReadAll(file)
	id := fmt.Sprintf("file-%d", len(b.files)+1)
	b.files[id], b.names[id] = text, h.Filename
	return map[string]any{"id": id, "object": "file", "bytes": len(text), "filename": h.Filename, "purpose": "batch", "status": "processed"}
}

// create makes a batch.
func (b *Batches) create(raw []byte) any {
	var q struct {
		Input    string     `json:"input_file_id"`
		Endpoint string     `json:"endpoint"`
		Window   string     `json:"completion_window"`
		Metadata any        `json:"metadata"`
		Requests []fakeLine `json:"requests"`
	}
	if json.Unmarshal(raw, &q) != nil {
		return nil
	}
	f := &fakeBatch{id: fmt.Sprintf("batch-%d", len(b.batches)+1), number: len(b.batches), input: q.Input, status: "in_progress",
		created: time.Now(), lines: q.Requests, metadata: q.Metadata, counts: map[string]int{}}
	if b.NoMetadata {
		f.metadata = nil
	}
	if b.Kind != Anthropic {
		if b.files[q.Input] == nil || q.Window != "24h" {
			return nil
		}
		for line := range bytes.Lines(b.files[q.Input]) {
			var l fakeLine
			if json.Unmarshal(line, &l) != nil || l.URL != q.Endpoint {
				return nil
			}
			f.lines = append(f.lines, l)
		}
	}
	seen := map[string]bool{}
	for _, l := range f.lines {
		if l.ID == "" || len(l.ID) > 64 || seen[l.ID] {
			return nil
		}
		seen[l.ID] = true
	}
	b.batches = append(b.batches, f)
	return b.describe(f)
}

// list returns a page of the batches, the newest first.
func (b *Batches) list(r *http.Request) any {
	q := r.URL.Query()
	after := q.Get("after") + q.Get("after_id")
	limit := 20
	_, _ = fmt.Sscan(q.Get("limit"), &limit)
	data, past := []any{}, after == ""
	last, more := "", false
	for i := len(b.batches) - 1; i >= 0; i-- {
		f := b.batches[i]
		if f.polls++; f.polls > b.Wait {
			b.end(f)
		}
		if past && len(data) == limit {
			more = true
			break
		}
		if past {
			data, last = append(data, b.describe(f)), f.id
		}
		past = past || f.id == after
	}
	return map[string]any{"object": "list", "data": data, "has_more": more, "last_id": last}
}

// describe returns a batch as the service does.
func (b *Batches) describe(f *fakeBatch) any {
	ended := f.status != "in_progress" && f.status != "cancelling"
	if b.Kind == Anthropic {
		status := map[bool]string{true: "ended", false: "in_progress"}[ended]
		counts := map[string]int{"processing": len(f.lines), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
		if ended {
			counts["processing"], counts["succeeded"] = 0, len(f.lines)
		}
		return map[string]any{"id": f.id, "type": "message_batch", "processing_status": status, "request_counts": counts, "created_at": f.created.UTC().Format(time.RFC3339Nano), "results_url": nil}
	}
	out := map[string]any{"id": f.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": f.input, "status": f.status, "created_at": f.created.Unix(),
		"metadata": f.metadata, "request_counts": map[string]int{"total": len(f.lines), "completed": f.counts["ok"], "failed": f.counts["failed"]}, "errors": nil}
	if len(f.output) > 0 {
		out["output_file_id"] = "out-" + f.id
	}
	if len(f.errors) > 0 {
		out["error_file_id"] = "err-" + f.id
	}
	if f.status == "failed" {
		code, message, _ := strings.Cut(f.refusal, ": ")
		out["errors"] = map[string]any{"object": "list", "data": []any{map[string]any{"code": code, "message": message, "line": nil}}}
	}
	return out
}

// end works on the requests of a batch, the last first, and ends it.
func (b *Batches) end(f *fakeBatch) {
	if f.status != "in_progress" && f.status != "cancelling" {
		return
	}
	cancelled := f.status == "cancelling"
	f.status = "completed"
	if b.EndAs != nil {
		f.status, f.refusal = b.EndAs(f.number)
	}
	if cancelled {
		f.status = "cancelled"
	}
	if f.status == "failed" {
		return
	}
	for i := len(f.lines) - 1; i >= 0; i-- {
		l := f.lines[i]
		outcome := Succeeds
		if b.Outcome != nil {
			outcome = b.Outcome(f.number, l.ID)
		}
		if cancelled && i%2 == 0 {
			outcome = Expires
		}
		b.write(f, l, outcome)
	}
	if at := bytes.Index(f.output, []byte(cutHere)); at >= 0 {
		f.output = f.output[:at]
	}
}
