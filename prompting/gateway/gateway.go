// Package gateway answers the requests of other programs: an HTTP server on loopback that speaks OpenAI's and Anthropic's
// APIs and puts every completion to an [llm.Model].
//
// A program that asks models by a client of its own is given an address of the gateway in place of the provider's. What it
// sends comes this way:
//
//  1. The [Server] admits the request (server.go): its host, its address, its key, its size.
//  2. One of the routes (routes.go) reads its JSON into an [llm.Request] under what the [Session] says of the item (chat.go,
//     text.go, messages.go), or answers it without a model (embed.go, models.go).
//  3. The [Exchange] numbers it among its equals, puts it to the session's model, and keeps it for the trace (exchange.go, ask.go).
//  4. The response is written in the form that the client expects, at once or as a stream (reply.go, events.go);
//     so is an error (refusal.go).
//
// As the model is the ledger's, what a program asks is stored, priced, limited, and replayed like the calls of any method. A
// [Door] is an address that stays the same while exchanges change on it.
//
// The gateway must never answer who has no key of it, listen on anything but loopback, make up a completion, send on what it
// cannot show the answer of, or let a clock, a random number or the order of different requests decide what an answer is.
package gateway

import (
	"assay/prompting"
	"assay/prompting/llm"
)

// Options says where a server listens and what it bears. The zero value is a free port and the usual bounds.
type Options struct {
	Port       int // 0: a free one
	Concurrent int // requests that are answered at once, while others wait; 0: 256
}

// Session is what the requests of one item are asked and recorded under.
type Session struct {
	Model  llm.Model
	Author llm.Author
	Params llm.Params // the arm's: what a request leaves out; its own values win
	// Names are further models that a request may name, and that are then asked in place of the author's. Any other name
	// is answered by the author's model, which Record.Warnings says.
	Names []string

	// Seed is the run's, About the item's id and Name the arm's method: what the seed of a request at a temperature above 0
	// is drawn from, where neither the request nor the arm states one. Sample is the arm's, below [SampleStep].
	Seed        int64
	About, Name string
	Sample      int

	Embed     llm.Embedder // nil: the offline vectors
	EmbedName string       // of Embed's model
	Calls     int          // bound on completions asked for; 0: 100,000
}

// SampleStep is the distance of the samples that equal requests of one exchange are asked as: the first has the session's
// own number, the next that and SampleStep, and so on. An arm has fewer samples.
const SampleStep = 10_000

// Record is what an exchange was asked.
type Record struct {
	// Trace has every call, in the order of requests. Where some were made at once, which arrive in another order each time,
	// all are in the order in which the ledger stored their answers, and those of one second in an order that depends on
	// nothing but what they say. Those whose stages differ only in a number at their end stand together, in the order of
	// these numbers.
	Trace    []prompting.Call
	Offline  bool     // the offline vectors answered a request for embeddings
	Warnings []string // what was asked for and not done, as sentences, each once, sorted
}
