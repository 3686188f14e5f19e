package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/prompting/llm"
)

// Foreign is one line of a recording made by another program: JSON lines without a header, one completion per line. It
// lets completions made elsewhere be scored by an offline run. A run looks completions up by the whole request, so
// provider, model, parameters and messages must be those that the run would send; `assay prompt` prints the messages.
//
//	{"messages":[{"role":"system","content":"..."},{"role":"user","content":"..."}],"completion":"SELECT ...",
//	 "provider":"openai","model":"gpt-4o","parameters":{"temperature":0,"max_tokens":512},"sample":0}
//
// Only the prompt (or messages) and the completion are required. An unknown name is an error.
type Foreign struct {
	Messages   []foreignMessage `json:"messages"`
	Prompt     string           `json:"prompt"` // one user message, in place of messages
	System     string           `json:"system"` // a system message before the prompt; with prompt only
	Completion *string          `json:"completion"`

	Provider   string     `json:"provider"`   // ForeignOptions.Provider if empty
	Model      string     `json:"model"`      // ForeignOptions.Model if empty
	Server     string     `json:"server"`     // the address that answered, where that is not the provider's own
	As         string     `json:"as"`         // model.as of the experiment, in place of model and server
	Parameters llm.Params `json:"parameters"` // temperature, top_p, top_k, max_tokens, stop, seed, extra
	Sample     *int       `json:"sample"`     // 0-based; if missing, equal requests without it are numbered in the file's order

	Finish           string `json:"finish"`            // "stop" if empty
	PromptTokens     *int   `json:"prompt_tokens"`     // estimated, and marked so, if either number is missing
	CompletionTokens *int   `json:"completion_tokens"` //
	AnsweredBy       string `json:"answered_by"`       // the version that answered
	Created          string `json:"created"`           // RFC 3339; the time of the import if empty
	Key              string `json:"key"`               // the request's key, checked if present
}

// foreignMessage is a message of a recording; content and text are two names for the same field.
type foreignMessage struct {
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
	Text    string   `json:"text"`
}

// ForeignOptions are defaults for fields that the lines leave out.
type ForeignOptions struct {
	Provider, Model string
}

// foreign decodes the lines of one recording. Samples are counted in a temporary table, not in memory.
type foreign struct {
	ctx context.Context
	tx  *sql.Tx
	o   ForeignOptions
	now time.Time

	author func(llm.Author) (llm.Author, error)
}

// sqlError is an error of the ledger met while parsing a line. It is not the line's fault, so it must end the import.
type sqlError struct{ error }

// newForeign prepares the decoding of one recording within the import's transaction.
func newForeign(ctx context.Context, tx *sql.Tx, o ForeignOptions, author func(llm.Author) (llm.Author, error)) (*foreign, error) {
	if author == nil {
		author = func(a llm.Author) (llm.Author, error) { return a, nil }
	}
	_, err := tx.ExecContext(ctx, "CREATE TEMP TABLE counted (key TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID")
	return &foreign{ctx, tx, o, time.Now(), author}, err
}

// close drops the temporary table. If the transaction is already over, the table is gone and the error is expected.
func (f *foreign) close() { _, _ = f.tx.ExecContext(f.ctx, "DROP TABLE IF EXISTS temp.counted") }

// decode parses one line and computes the key that a run would look it up by.
func (f *foreign) decode(text []byte) (*pending, error) {
	var in Foreign
	if err := strict(text, &in); err != nil {
		return nil, err
	}
	r, err := in.request(f.o)
	if err != nil {
		return nil, err
	}
	if r.Author, err = f.author(r.Author); err != nil {
		return nil, err
	}
	if in.Completion == nil {
		return nil, errors.New("completion is missing")
	}
	if r.Sample, err = f.sample(r, in.Sample); err != nil {
		return nil, err
	}
	p := &pending{key: r.Key(), request: r, created: f.now}
	if in.Key != "" && in.Key != p.key {
		return nil, fmt.Errorf("the key of this request is %s, and the line says %q", p.key, in.Key)
	}
	if in.Created != "" {
		if p.created, err = time.Parse(time.RFC3339, in.Created); err != nil {
			return nil, err
		}
	}
	p.response = in.response(r)
	if p.form, err = formOf(r); err != nil {
		return nil, err
	}
	return p, p.check()
}

// request returns the request of a line, with the options' provider and model if it states none.
func (in *Foreign) request(o ForeignOptions) (llm.Request, error) {
	r := llm.Request{Author: llm.Author{Provider: in.Provider, Model: in.Model, Server: in.Server, As: in.As}, Params: in.Parameters}
	if r.Provider == "" {
		r.Provider = o.Provider
	}
	if r.Model == "" {
		r.Model = o.Model
	}
	switch {
	case r.Provider == "":
		return r, errors.New("provider is missing, and --provider gives none")
	case r.Model == "":
		return r, errors.New("model is missing, and --model gives none")
	case len(in.Messages) == 0 && in.Prompt == "":
		return r, errors.New("prompt or messages are missing")
	case len(in.Messages) > 0 && in.Prompt+in.System != "":
		return r, errors.New("both messages and prompt or system")
	}
	for i, m := range in.Messages {
		switch {
		case m.Content != "" && m.Text != "":
			return r, fmt.Errorf("message %d has both content and text", i+1)
		case m.Role != llm.System && m.Role != llm.User && m.Role != llm.Assistant:
			return r, fmt.Errorf("message %d has role %q: it is system, user or assistant", i+1, m.Role)
		}
		r.Messages = append(r.Messages, llm.Message{Role: m.Role, Text: m.Content + m.Text})
	}
	if in.System != "" {
		r.Messages = append(r.Messages, llm.Message{Role: llm.System, Text: in.System})
	}
	if in.Prompt != "" {
		r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: in.Prompt})
	}
	return r, nil
}

// response returns the completion of a line; token counts that it lacks are estimated.
func (in *Foreign) response(r llm.Request) llm.Response {
	resp := llm.Response{Text: *in.Completion, Finish: in.Finish, Model: in.AnsweredBy, Usage: llm.EstimateUsage(r, *in.Completion)}
	if in.PromptTokens != nil && in.CompletionTokens != nil {
		resp.Usage = llm.Usage{PromptTokens: *in.PromptTokens, CompletionTokens: *in.CompletionTokens}
	}
	if resp.Finish == "" {
		resp.Finish = "stop"
	}
	return resp
}

// sample returns the given number, or else how many equal requests without a number came before.
func (f *foreign) sample(r llm.Request, given *int) (n int, err error) {
	if given != nil {
		return *given, nil
	}
	err = f.tx.QueryRowContext(f.ctx, `INSERT INTO temp.counted VALUES (?, 0)
		ON CONFLICT (key) DO UPDATE SET n = n + 1 RETURNING n`, r.Key()).Scan(&n)
	if err != nil {
		return 0, &sqlError{err}
	}
	return n, nil
}
