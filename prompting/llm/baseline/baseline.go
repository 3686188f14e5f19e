// Package baseline is a rule-based text-to-SQL parser behind llm.Model. It is the embedded default and not a language
// model.
//
// It uses only the prompt's text: the schema in any of the formats of [assay/prompting/render], the evidence, the
// demonstrations, the last question, and the form in which the method wants the answer. It links the question's words
// to tables, columns and values by general rules of English, builds queries over a small grammar, scores each by
// hand-set weights, and draws one by the request's temperature. Data flows in this order:
//
//  1. prompt.go and ddl.go parse the prompt; base.go and joints.go make a database of it, and guess keys if none are shown.
//  2. link.go and attach.go find the mentions of tables, columns and values.
//  3. parse.go applies the rules of values.go, groups.go, superlatives.go, selects.go to a beam of partial parses.
//  4. demos.go lets the demonstrations vote for the parts of the query, weighted by the similarity of their questions.
//  5. choose.go draws a candidate; answer.go, steps.go, describe.go and reason.go answer in the method's form.
//  6. tasks.go handles prompts for other tasks: relevant.go names columns and keywords, synth.go writes examples,
//     mend.go repairs a query that failed, judge.go compares queries, rivals.go answers the stages of DIN-SQL and ACT-SQL,
//     selectors.go those of C3, MAC-SQL and CHESS.
//  7. agent.go builds a database from what tools have returned in a dialogue, and agentact.go takes the next step.
//
// So demonstrations, schema format, sub-questions and temperature change its answers through the same inputs as a
// language model's, if not for the same reasons. Its figures say nothing about any language model. It must never hold a
// table, column or value name of a dataset, keep state between requests, or see anything that a language model would
// not.
package baseline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/prompting/llm"
)

// Model is the parser. It holds no state and is safe for concurrent use.
type Model struct{}

var _ llm.Model = (*Model)(nil)

// New returns the parser.
func New() *Model { return &Model{} }

// Version names the rule set. It must change whenever an answer changes, so that a completion stored under one version
// is never taken for the answer of other rules. A change that no answer shows (a comment, a name, an import) keeps it,
// so that the completions in ledgers stay valid. TestVersion fails if answers change and the version does not.
func (*Model) Version() string { return version }

// version was once a hash of this package's source. It keeps that value, because ledgers hold completions under it.
const version = "rules-5881d78f"

// Generate answers the last question of the request's messages. Equal requests have equal answers; the sample number
// and the temperature decide the draw among candidates. Usage is estimated at four characters per token. The answer is
// empty for a prompt without a schema or a question.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if r.Params.API == llm.Completions { // it reads the messages either way, but answers nothing that a server could not be asked
		if _, err := r.Plain(); err != nil {
			return llm.Response{}, fmt.Errorf("baseline: generate: %w", err)
		}
	}
	p, ok := readWork(r.Messages, r.Tools)
	if !ok {
		p, ok = readPrompt(r.Messages)
	}
	if !ok {
		return m.silent(r), nil
	}
	p.bound()
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

// silent returns the empty answer, for a prompt that cannot be parsed.
func (m *Model) silent(r llm.Request) llm.Response {
	return llm.Response{Finish: "stop", Usage: llm.EstimateUsage(r, ""), Model: m.Version()}
}

// generator returns a random generator seeded by the request's identity, so that equal requests draw alike.
func generator(r llm.Request) *rand.Rand {
	sum := sha256.Sum256([]byte(r.Key()))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// cut truncates a completion at the first stop sequence and at the bound on its tokens (four bytes each).
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
