package trial

import (
	"context"
	"strings"
	"sync"

	"assay/prompting"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/llm/baseline"
)

// Call is a prompt, and what became of its answer.
type Call struct {
	Stage    string        `json:"stage"`
	Sample   int           `json:"sample"`
	Messages []llm.Message `json:"messages"`
	Reply    string        `json:"reply"`
	SQL      string        `json:"sql"`  // found in the reply; empty where none was
	Rule     string        `json:"rule"` // that found it, or why there is none
	Note     string        `json:"note"` // what the method noted of the reply
	Tools    []string      `json:"tools,omitempty"`
	Seen     string        `json:"seen,omitempty"` // what a tool answered
	Failure  string        `json:"failure,omitempty"`
	Again    bool          `json:"again,omitempty"` // the same request for the same sample was made before: its reply is the same
}

// noting is the baseline, which keeps what it is asked and what it answers. It is safe for concurrent use.
type noting struct {
	model llm.Model
	mu    sync.Mutex
	asked map[string]llm.Request // by key
	said  map[string]llm.Response
}

func newNoting() *noting {
	return &noting{model: baseline.New(), asked: map[string]llm.Request{}, said: map[string]llm.Response{}}
}

// Generate implements [llm.Model].
func (n *noting) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	resp, err := n.model.Generate(ctx, r)
	if err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.asked[r.Key()], n.said[r.Key()] = r, resp
	}
	return resp, err
}

// calls joins a trace with the requests and replies.
func (n *noting) calls(trace []prompting.Call) (out []Call) {
	type asked struct{ stage, key string }
	before := map[asked]bool{}
	for _, c := range trace {
		r, resp := n.asked[c.Key], n.said[c.Key]
		last := ""
		if len(r.Messages) > 0 {
			last = strings.TrimRight(r.Messages[len(r.Messages)-1].Text, "\n")
		}
		found := extract.SQL(resp.Text, extract.Options{Continuation: last[strings.LastIndexByte(last, '\n')+1:] == "SELECT"})
		one := Call{c.Stage, c.Sample, r.Messages, resp.Text, found.SQL, found.Rule, c.Note, nil, c.Observation, c.Failure, before[asked{c.Stage, c.Key}]}
		before[asked{c.Stage, c.Key}] = true
		for _, t := range resp.ToolCalls {
			one.Tools = append(one.Tools, t.Name+t.Arguments)
		}
		out = append(out, one)
	}
	return out
}
