package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"assay/prompting/llm"
)

// The exchange file's format, as its header names it.
const (
	exchangeFormat  = "assay-ledger"
	exchangeVersion = 2
)

// header is the first line of an exchange file.
type header struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Completions *int   `json:"completions,omitempty"` // lines that follow; nil if the writer did not know
}

// line is one completion of an exchange file.
type line struct {
	Key      string          `json:"key"`
	Request  form            `json:"request"`
	Response json.RawMessage `json:"response"`
	Sum      string          `json:"sum"` // of Response's bytes
}

// answer is a line's response.
type answer struct {
	Text             string `json:"text,omitempty"`
	Bytes            string `json:"bytes,omitempty"` // base64, in place of a text that is not UTF-8
	Finish           string `json:"finish"`
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
	Estimated        bool   `json:"estimated,omitempty"`
	Model            string `json:"model,omitempty"`
	Created          string `json:"created"`

	ToolCalls []llm.ToolCall `json:"tool_calls,omitempty"`
	Logprob   *llm.Logprob   `json:"logprob,omitempty"`

	CachedTokens     int    `json:"cached_tokens,omitempty"`
	CacheWriteTokens int    `json:"cache_write_tokens,omitempty"`
	ReasoningTokens  int    `json:"reasoning_tokens,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
	Tier             string `json:"tier,omitempty"`
	Print            string `json:"print,omitempty"`
	Card             string `json:"card,omitempty"`
}

// encodeHeader returns the header line; nil leaves the number of completions out.
func encodeHeader(completions *int) []byte {
	b, _ := marshalLine(header{exchangeFormat, exchangeVersion, completions}) // cannot fail: only strings and numbers
	return b
}

// marshalLine returns one value as a line of JSON, leaving <, > and & unescaped.
func marshalLine(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// encodeLine returns one completion as a line of the exchange file, line end included.
func encodeLine(p *pending) ([]byte, error) {
	resp := p.response
	a := answer{Text: resp.Text, Finish: resp.Finish, PromptTokens: resp.Usage.PromptTokens,
		CompletionTokens: resp.Usage.CompletionTokens, Estimated: resp.Usage.Estimated, Model: resp.Model,
		Created: p.created.UTC().Format(time.RFC3339), ToolCalls: resp.ToolCalls, Logprob: resp.Logprob,
		CachedTokens: resp.Usage.CachedTokens, CacheWriteTokens: resp.Usage.CacheWriteTokens, ReasoningTokens: resp.Usage.ReasoningTokens, Reasoning: resp.Reasoning, Print: resp.Print, Card: resp.Card, Tier: resp.Tier}
	if !utf8.ValidString(resp.Text) {
		a.Text, a.Bytes = "", base64.StdEncoding.EncodeToString([]byte(resp.Text))
	}
	raw, err := marshalLine(a)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return marshalLine(line{Key: p.key, Request: p.form, Response: raw, Sum: sumOf(raw)})
}

// sumOf returns the SHA-256 of b in the form of keys.
func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// decodeLine parses one completion and recomputes both of its hashes.
func decodeLine(text []byte) (*pending, error) {
	var l line
	if err := strict(text, &l); err != nil {
		return nil, err
	}
	request, err := l.Request.request()
	if err != nil {
		return nil, err
	}
	if l.Request, err = formOfJSON(l.Request); err != nil {
		return nil, err
	}
	if got, err := l.Request.key(); err != nil {
		return nil, err
	} else if got != l.Key {
		return nil, fmt.Errorf("the request was altered: its key is %s, and the line says %q", got, l.Key)
	}
	if got := sumOf(l.Response); got != l.Sum {
		return nil, fmt.Errorf("the response was altered: its sum is %s, and the line says %q", got, l.Sum)
	}
	var a answer
	if err := strict(l.Response, &a); err != nil {
		return nil, err
	}
	created, err := time.Parse(time.RFC3339, a.Created)
	if err != nil {
		return nil, err
	}
	if a.Bytes != "" {
		b, err := base64.StdEncoding.DecodeString(a.Bytes)
		if err != nil {
			return nil, err
		}
		a.Text = string(b)
	}
	p := &pending{key: l.Key, request: request, form: l.Request, created: created}
	p.response = llm.Response{Text: a.Text, Finish: a.Finish, Model: a.Model, ToolCalls: a.ToolCalls, Logprob: a.Logprob,
		Reasoning: a.Reasoning, Print: a.Print, Card: a.Card, Tier: a.Tier,
		Usage: llm.Usage{PromptTokens: a.PromptTokens, CompletionTokens: a.CompletionTokens, Estimated: a.Estimated,
			CachedTokens: a.CachedTokens, CacheWriteTokens: a.CacheWriteTokens, ReasoningTokens: a.ReasoningTokens}}
	return p, p.check()
}

// formOfJSON rewrites a form's JSON in the canonical spelling that is stored.
func formOfJSON(f form) (form, error) {
	var err error
	if f.Params, err = json.Marshal(f.Params); err == nil {
		f.Messages, err = json.Marshal(f.Messages)
	}
	if err == nil && len(f.Tools) > 0 {
		f.Tools, err = json.Marshal(f.Tools)
	}
	return f, err
}

// check refuses numbers that no call can have given.
func (p *pending) check() error {
	u := p.response.Usage
	if u.PromptTokens < 0 || u.CompletionTokens < 0 || u.CachedTokens < 0 || u.CacheWriteTokens < 0 || u.ReasoningTokens < 0 || p.response.Logprob != nil && p.response.Logprob.Tokens < 0 {
		return errors.New("a number of tokens is negative")
	}
	if p.request.Sample < 0 {
		return errors.New("the sample's number is negative")
	}
	return nil
}

// strict parses exactly one JSON value. Unknown names are errors, and numbers keep their digits.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return errors.New("the JSON is incomplete")
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value on the line")
	}
	return nil
}

// decodeHeader parses the first line of an exchange file.
func decodeHeader(text []byte) (header, error) {
	var h header
	err := decodeJSON(text, &h) // not strict: a later version may add names, and the version number is checked below
	switch {
	case err != nil || h.Format != exchangeFormat:
		return h, errors.New("the file is not an export of a ledger: its first line is not the header (a recording of another program needs --foreign)")
	case h.Version < 1 || h.Version > exchangeVersion:
		return h, fmt.Errorf("the file has version %d of the format and this assay reads 1 to %d", h.Version, exchangeVersion)
	}
	return h, nil
}
