package prompting

import (
	"assay/prompting/llm"
)

// Forecaster is a Method that can list its requests before it makes any call, so that a run's cost can be estimated.
type Forecaster interface {
	// Forecast lists the requests that Answer would make for q, without making them. Where held returns a completion,
	// the forecast continues with the requests that depend on it.
	Forecast(q Question, held Held) (Outlook, error)
}

// Held looks a request up among the completions that are stored already.
type Held func(llm.Request) (r llm.Response, ok bool, err error)

// Outlook is the forecast of a method's requests for one question.
type Outlook struct {
	Known []Foreseen // calls of which every byte of the request is known, in the order of the calls
	Open  []Open     // calls that depend on a completion that is not known
}

// Foreseen is a forecast call of which the request is known.
type Foreseen struct {
	Stage   string // as Call.Stage has it, without a number: "generate", "reduce", "solve"
	Request llm.Request
	Held    bool // its completion is known
	Shared  bool // it has the prompt of the one before, and is asked in one call with it where the model can
}

// Open bounds the calls of one stage that a method may make after a completion that is not known.
type Open struct {
	Stage     string
	After     string          // key of the request whose completion decides
	Low, High int             // the least and the greatest number of calls
	Least     [][]llm.Message // the shortest prompt of each of the Low calls; the last also counts for the calls beyond Low
	// Most has the longest prompts, completions not included, in the form of Least; nil where they are those of Least.
	Most [][]llm.Message
	// Echoes is the greatest number of earlier completions that all High prompts together repeat, beyond Most.
	Echoes int
	Why    string // the reason for Low and High, without a full stop: "1 to 10 sub-questions a question"
}

// See adds a call whose request is known, and returns its completion where held has it.
func (o *Outlook) See(stage string, r llm.Request, held Held) (llm.Response, bool, error) {
	resp, ok, err := held(r)
	if err != nil {
		return llm.Response{}, false, err
	}
	o.Known = append(o.Known, Foreseen{Stage: stage, Request: r, Held: ok})
	return resp, ok, nil
}

// Bound returns Most, or Least where Most is nil.
func (o Open) Bound() [][]llm.Message {
	if o.Most != nil {
		return o.Most
	}
	return o.Least
}
