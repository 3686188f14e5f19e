package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/prompting"
	"assay/prompting/gateway"
)

// request is one request of a program.
type request struct {
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	to   target
}

// target is what a request is for.
type target struct {
	question prompting.Question
	sample   int
	rest     string // the path that the APIs read
	answer   func(*Proxy, *request) error
}

// at returns the sample of the item.
func (t target) at() place { return place{t.question.ID, t.sample} }

// mostSamples is below the distance of equal requests' samples.
const mostSamples = gateway.SampleStep - 1

// find reads a path.
func (p *Proxy) find(method, path string) (t target, err error) {
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	switch {
	case parts[0] == "v1":
		return target{rest: path, answer: (*Proxy).pass}, nil
	case path == "items" && method == http.MethodGet:
		return target{answer: (*Proxy).list}, nil
	case parts[0] != "item":
		return t, fmt.Errorf("proxy: %s %q: there are GET items, GET and POST item/ID, POST item/ID/answer, and the APIs below item/ID/v1 and v1", method, path)
	}
	if t.question, parts, err = p.question(parts[1:]); err != nil {
		return t, err
	}
	if len(parts) > 0 {
		if n, err := strconv.Atoi(parts[0]); err == nil {
			if n < 0 || n > mostSamples {
				return t, fmt.Errorf("proxy: sample %d: want 0 to %d", n, mostSamples)
			}
			t.sample, parts = n, parts[1:]
		}
	}
	switch {
	case len(parts) == 0 && method == http.MethodGet:
		t.answer = (*Proxy).show
	case len(parts) == 0 && method == http.MethodPost:
		t.answer = (*Proxy).begin
	case slices.Equal(parts, []string{"answer"}) && method == http.MethodPost:
		t.answer = (*Proxy).settle
	case len(parts) > 0 && parts[0] == "v1":
		t.rest, t.answer = strings.Join(parts, "/"), (*Proxy).passItem
	default:
		return t, fmt.Errorf("proxy: %s %q: an item has GET and POST of itself, POST answer, and the APIs below v1", method, path)
	}
	return t, nil
}

// question returns the item that the parts of a path begin with, and the parts after it. An id has slashes of its own, which
// some clients escape and others do not.
func (p *Proxy) question(parts []string) (q prompting.Question, rest []string, err error) {
	for n := len(parts); n > 0; n-- {
		id, err := url.PathUnescape(strings.Join(parts[:n], "/"))
		if q, ok := p.items[id]; ok && err == nil {
			return q, parts[n:], nil
		}
	}
	return q, nil, fmt.Errorf("proxy: there is no item %q: GET items lists them; an id may lack dataset/split/", strings.Join(parts, "/"))
}

// list answers items.
func (p *Proxy) list(q *request) error {
	return q.send(map[string]any{"items": append([]string{}, p.ids...)})
}

// pass answers a request about no item.
func (p *Proxy) pass(q *request) error {
	p.outside.Serve(q.w, q.r, q.to.rest, q.body)
	return nil
}

// passItem answers a request about an item.
func (p *Proxy) passItem(q *request) error {
	e, err := p.exchange(q.to.at())
	if err != nil {
		return err
	}
	e.Serve(q.w, q.r, q.to.rest, q.body)
	return nil
}

// begin answers POST item/ID.
func (p *Proxy) begin(q *request) error {
	_, _ = p.end(q.to.at()) // what was asked until now is in the ledger
	return p.show(q)
}

// show answers GET item/ID.
func (p *Proxy) show(q *request) error {
	item, err := p.o.Method.Item(q.to.question, q.to.sample)
	if err != nil {
		return fmt.Errorf("proxy: item %q: %w", q.to.question.ID, err)
	}
	base := p.URL() + "/item/" + url.PathEscape(item.ID)
	if q.to.sample > 0 {
		base += "/" + strconv.Itoa(q.to.sample)
	}
	item.BaseURL, item.AnthropicURL, item.Key = base+"/v1", base, p.Key()
	return q.send(item)
}

// send writes an answer.
func (q *request) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("proxy: write: %w", err)
	}
	q.w.Header().Set("Content-Type", "application/json")
	_, err = q.w.Write(append(b, '\n'))
	return err
}
