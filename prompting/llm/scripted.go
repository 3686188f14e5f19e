package llm

import (
	"context"
	"sync"
)

// Scripted is the test double: a Model that answers from a function. Its zero value echoes the request's last message,
// which is enough for a test of what was sent.
type Scripted struct {
	// Reply returns the text for one request; its error is returned unchanged. Nil echoes the last message.
	Reply func(Request) (string, error)

	// Respond, if set, is used instead of Reply: its response is returned unchanged, tool calls included.
	Respond func(Request) (Response, error)

	mu    sync.Mutex
	asked []Request
}

var _ Model = (*Scripted)(nil)

// Generate records the request and returns the answer of Respond or Reply.
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

// EstimateUsage estimates token counts at four characters per token, the usual rule of thumb for English and SQL, for
// models that do not report them. The result is marked as estimated.
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
