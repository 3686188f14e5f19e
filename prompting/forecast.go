package prompting

import (
	"assay/prompting/llm"
)

// Forecaster is a Method that tells, before any call, what it is going to ask.
type Forecaster interface {
	// Forecast lists what Answer would ask of q. held answers a request whose completion is known already, and what
	// follows from it is then foreseen too. Nothing is asked.
	Forecast(q Question, held Held) (Outlook, error)
}

// Held looks a request up among the completions there are.
type Held func(llm.Request) (r llm.Response, ok bool, err error)

// Outlook is what a method is going to ask of one question.
type Outlook struct {
	Known []Foreseen // requests known to the last byte, in the order asked
	Open  []Open     // calls that hang on a completion that is not known
}

// Foreseen is a call whose request is known.
type Foreseen struct {
	Stage   string // as Call.Stage has it, without a number: "generate", "reduce", "solve"
	Request llm.Request
	Held    bool // its completion is known
	Shared  bool // it has the prompt of the one before, and is asked in one call with it where the model can
}

// Open is the calls of one stage that a method may make once an unknown completion has come.
type Open struct {
	Stage     string
	After     string          // key of the request whose completion decides
	Low, High int             // how many there are, at least and at most
	Least     [][]llm.Message // the least that each of the Low calls sends; the last stands for those beyond Low as well
	// Most is the most that each of the calls sends but for completions, where that is not Least: of the same form.
	Most [][]llm.Message
	// Echoes bounds what prompts hold beyond these: so many completions, over all High calls.
	Echoes int
	Why    string // what Low and High rest on, one sentence without its end: "1 to 10 sub-questions a question"
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

// Bound is Most, or Least where that stands for both.
func (o Open) Bound() [][]llm.Message {
	if o.Most != nil {
		return o.Most
	}
	return o.Least
}
