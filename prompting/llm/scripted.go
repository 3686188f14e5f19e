package llm

import (
	"context"
	"sync"
)

// Scripted is the test double: a Model that answers from a function. Its zero value answers every request with its
// last message, which is enough to see what was sent.
type Scripted struct {
	// Reply answers one request; an error is returned as it is. Nil echoes the last message.
	Reply func(Request) (string, error)

	// Respond goes before Reply where it is set: its response is returned as it is, tool calls included.
	Respond func(Request) (Response, error)

	mu    sync.Mutex
	asked []Request
}

var _ Model = (*Scripted)(nil)

// Generate records the request and returns what Reply says of it.
func (s *Scripted) Generate(ctx context.Context, r Request) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.mu.Unlock()
	if s.Respond != nil {
		return s.Respond(r)
	}
	text := ""
	if n := len(r.Messages); n > 0 {
		text = r.Messages[n-1].Text
	}
	if s.Reply != nil {
		var err error
		if text, err = s.Reply(r); err != nil {
			return Response{}, err
		}
	}
	return Response{Text: text, Finish: "stop", Usage: EstimateUsage(r, text), Model: "scripted"}, nil
}

// Asked returns the requests received so far, in order of arrival.
func (s *Scripted) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.asked...)
}

// EstimateUsage guesses token counts at four characters a token, the usual rule of thumb for English and SQL, for
// models that do not count. The result is marked as estimated.
func EstimateUsage(r Request, completion string) Usage {
	chars := 0
	for _, m := range r.Messages {
		chars += len(m.Text)
		for _, c := range m.Calls {
			chars += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		chars += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return Usage{PromptTokens: (chars + 3) / 4, CompletionTokens: (len(completion) + 3) / 4, Estimated: true}
}
