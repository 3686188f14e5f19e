// Package proxy records what a program asks that runs by itself: in a notebook, or as a server under development.
//
// It is an address of the [gateway] with a place for each item. A program reads an item's question there, asks models at the
// address below it, and posts its answer:
//
//	GET  items                 the ids of all items
//	GET  item/ID               the question, as the program of an arm reads it
//	POST item/ID               the same, and the item begins anew: equal requests are counted from the first again
//	     item/ID/v1/...        the APIs, for this item
//	POST item/ID/answer        {"sql": "..."}, or {"candidates": [...], "chosen": 0}
//	     v1/...                the APIs, for no item
//
// ID is the item's, with or without dataset/split/; a number after it, as in item/ID/2, is a sample of it. What is asked
// about an item is recorded as an arm's program would have it recorded, so that the program answers from the ledger once it
// is that. The answers are the [Entry] values of a file of predictions, with the calls that they took.
//
// The package sees questions alone: nothing of a gold query may be said at the address.
package proxy

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"sync"

	"assay/prompting"
	"assay/prompting/command"
	"assay/prompting/gateway"
)

// Options say what a proxy answers about.
type Options struct {
	Server    *gateway.Server
	Method    *command.Method // what a program is told of an item, and what its requests are recorded under
	Questions []prompting.Question
	Seed      int64 // of the answers
	Price     func(prompting.Call) (usd float64, ok bool)
	// Answered is called with each item's answer, one at a time; a later answer to the same item replaces the earlier one. An
	// error is told to the program.
	Answered func(Entry) error
}

// Proxy answers at one address. It is safe for concurrent use.
type Proxy struct {
	o       Options
	ctx     context.Context // of calls
	mount   gateway.Mount
	ids     []string
	items   map[string]prompting.Question // by id, and by what follows dataset/split/ where no other item has that
	outside *gateway.Exchange             // of requests about no item

	mu       sync.Mutex
	open     map[place]*gateway.Exchange
	answers  map[string]map[int]answer // of items, by sample
	warnings map[string]bool
	over     bool
}

// place is a sample of an item.
type place struct {
	item   string
	sample int
}

// Open starts to answer. The context ends the calls; Close ends the proxy.
func Open(ctx context.Context, o Options) *Proxy {
	p := &Proxy{o: o, ctx: ctx, open: map[place]*gateway.Exchange{}, answers: map[string]map[int]answer{}, warnings: map[string]bool{}}
	for _, q := range o.Questions {
		p.ids = append(p.ids, q.ID)
	}
	p.items = byID(o.Questions)
	none := o.Method.Session("", 0)
	none.Calls = 0 // it is not one item that asks
	p.outside = o.Server.Begin(ctx, nil, none)
	p.mount = o.Server.Mount(p.serve)
	return p
}

// byID returns the questions by their ids and short ids.
func byID(all []prompting.Question) map[string]prompting.Question {
	out, count := map[string]prompting.Question{}, map[string]int{}
	for _, q := range all {
		count[path.Base(q.ID)]++
	}
	for _, q := range all {
		if short := path.Base(q.ID); count[short] == 1 {
			out[short] = q
		}
	}
	for _, q := range all {
		out[q.ID] = q
	}
	return out
}

// URL returns the address, without a slash at its end.
func (p *Proxy) URL() string { return p.mount.URL() }

// Key returns the API key of the address.
func (p *Proxy) Key() string { return p.mount.Key() }

// Close ends the address and what is asked there, and returns what was asked for and not done, sorted.
func (p *Proxy) Close() []string {
	p.mount.Close()
	p.mu.Lock()
	p.over = true
	open := slices.Collect(maps.Values(p.open))
	p.mu.Unlock()
	for _, e := range append(open, p.outside) {
		rec, _ := e.End() // an item without an answer has no error either
		p.note(rec)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.warnings))
}

// note keeps the warnings about an exchange.
func (p *Proxy) note(rec gateway.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rec.Offline {
		rec.Warnings = append(rec.Warnings, "embeddings were asked for, and answered by the offline vectors")
	}
	for _, w := range rec.Warnings {
		p.warnings[w] = true
	}
}

// exchange returns the one that is open for a sample of an item, or begins it.
func (p *Proxy) exchange(at place) (*gateway.Exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil, errors.New("the proxy has ended")
	}
	if e := p.open[at]; e != nil {
		return e, nil
	}
	e := p.o.Server.Begin(p.ctx, nil, p.o.Method.Session(at.item, at.sample))
	p.open[at] = e
	return e, nil
}

// end ends the exchange that is open for a sample of an item, if there is one.
func (p *Proxy) end(at place) (gateway.Record, error) {
	p.mu.Lock()
	e := p.open[at]
	delete(p.open, at)
	p.mu.Unlock()
	if e == nil {
		return gateway.Record{}, nil
	}
	rec, err := e.End()
	p.note(rec)
	return rec, err
}

// serve answers a request that was admitted.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, at string, body []byte) {
	to, err := p.find(r.Method, at)
	if err == nil {
		err = to.answer(p, &request{w: w, r: r, body: body, to: to})
	}
	if err != nil {
		gateway.Refuse(w, r, http.StatusBadRequest, err)
	}
}
