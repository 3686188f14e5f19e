// Package baseline is a rule-based text-to-SQL parser behind llm.Model: the embedded default, and no language model.
//
// It reads the prompt's text and nothing else: the schema in any of the formats of [assay/prompting/render], the
// evidence, the demonstrations, the last question, and the form in which the method wants the answer. It links the
// question's words to tables, columns and values by general rules of English, builds queries over a small grammar,
// scores each by hand-set weights, and draws one by the request's temperature:
//
//  1. prompt.go and ddl.go read the prompt; base.go and joints.go make a database of it, guessing keys where none are shown.
//  2. link.go and attach.go find the mentions of tables, columns and values.
//  3. parse.go applies the rules of values.go, groups.go, superlatives.go, selects.go to a beam of partial readings.
//  4. demos.go lets the demonstrations vote for the parts of the query, by how alike their questions are.
//  5. choose.go draws a candidate; answer.go, steps.go, describe.go and reason.go answer in the method's form.
//  6. tasks.go knows the prompts that ask for something else: relevant.go names columns and keywords, synth.go writes
//     examples, mend.go mends a query that failed, judge.go compares queries.
//  7. agent.go puts a database together from what tools have shown in a dialogue, and agentact.go takes the next step.
//
// Demonstrations, schema format, sub-questions and temperature therefore change its answers by the same roads, if not
// for the same reasons, as they do a language model's. Its figures say nothing about any language model.
package baseline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"assay/prompting/llm"
)

// Model is the parser. It holds no state and is safe for concurrent use.
type Model struct{}

var _ llm.Model = (*Model)(nil)

// New returns the parser.
func New() *Model { return &Model{} }

// Version names the rule set: another name whenever an answer changes, so that a completion kept under one is never taken
// for the answer of other rules. A change that no answer shows (a comment, a name, an import) keeps it, and with it what
// ledgers hold. TestVersion notices a change of answers without one of the name.
func (*Model) Version() string { return version }

// version was a hash of this package's text once; what ledgers hold is kept under that.
const version = "rules-5881d78f"

// Generate answers the last question of the request's messages. Equal requests have equal answers; the sample number
// and the temperature decide the draw among candidates. Usage is estimated at four characters a token. To a prompt
// without a schema or a question the answer is empty.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	p, ok := readWork(r.Messages, r.Tools)
	if !ok {
		p, ok = readPrompt(r.Messages)
	}
	if !ok {
		return m.silent(r), nil
	}
	p.base.finish(tokenize(p.question))
	s := &session{prompt: p, chooser: chooser{params: r.Params, rng: generator(r)}}
	if len(p.demos) > 0 {
		s.advice = advise(p.question, p.demos)
	}
	if p.work != nil {
		resp := s.response(r)
		resp.Model = m.Version()
		return resp, nil
	}
	text, ok := s.answer()
	if !ok {
		return m.silent(r), nil
	}
	text, finish := cut(text, r.Params)
	return llm.Response{Text: text, Finish: finish, Usage: llm.EstimateUsage(r, text), Model: m.Version()}, nil
}

// silent is the answer to what cannot be read.
func (m *Model) silent(r llm.Request) llm.Response {
	return llm.Response{Finish: "stop", Usage: llm.EstimateUsage(r, ""), Model: m.Version()}
}

// generator derives the random numbers of a request from its identity.
func generator(r llm.Request) *rand.Rand {
	sum := sha256.Sum256([]byte(r.Key()))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// cut ends a completion at the first stop sequence, and at the bound on its tokens (four bytes each).
func cut(text string, p llm.Params) (string, string) {
	for _, s := range p.Stop {
		if at := strings.Index(text, s); s != "" && at >= 0 {
			text = text[:at]
		}
	}
	if p.MaxTokens > 0 && (len(text)+3)/4 > p.MaxTokens {
		return strings.ToValidUTF8(text[:4*p.MaxTokens], ""), "length"
	}
	return text, "stop"
}
