// Package pipeline builds an arm's method out of its parts: value retrieval, column selection, generators, fixer,
// selection.
//
// How an answer comes about, each part being left out where the arm does not ask for it:
//
//  1. Keywords of the question are looked up among the database's values ([assay/prompting/values]), and what is found
//     is put into the schema.
//  2. The model chooses columns ([assay/prompting/columns]), and the schema is cut down to them.
//  3. Each generator makes its candidates ([assay/prompting/single], [assay/prompting/iterate]).
//  4. Candidates that fail are repaired, or leave the pool ([assay/prompting/fix]).
//  5. One is chosen ([assay/prompting/choose]).
//
// With all parts on, this is CHASE-SQL (Pourreza et al., ICLR 2025). The package composes parts and must never write a
// prompt of its own, except the one that asks for keywords.
package pipeline

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the template below
	"encoding/hex"
	"fmt"
	"slices"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/choose"
	"assay/prompting/columns"
	"assay/prompting/fix"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
)

// Pool is the method that gathers the candidates of several.
var Pool = configs.Method{Choice: configs.Choice{ID: "pool", Shows: "the candidates of several methods, see `generators`"}, Pool: true}

// Make constructs a plain method by its name.
type Make func(name string, d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error)

// New makes the method of an arm. An arm that has no part besides its method gets the plain method itself.
func New(d prompting.Deps, arm configs.Arm, seed int64, plain Make) (prompting.Method, error) {
	if !composed(arm) {
		return plain(arm.Method, d, arm, seed)
	}
	p, err := newPipeline(d, arm, seed, plain)
	if err != nil {
		return nil, fmt.Errorf("pipeline: arm %q: %w", arm.Name, err)
	}
	return p, nil
}

// composed reports whether an arm asks for more than a plain method.
func composed(arm configs.Arm) bool {
	return arm.Row.Pool || arm.Values.Use || arm.Schema.Descriptions > 0 || arm.Columns.Use != "" && arm.Columns.Use != columns.None ||
		arm.Fixer.Tries > 0 || arm.Selection.Rule != "" && arm.Selection.Rule != choose.First
}

// PromptHash identifies the text that this package puts into prompts, and that of the parts it puts together but for
// the generators: "sha256:" and a hexadecimal SHA-256.
func PromptHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "keywords %d\n%s\n%s\n%s\n%s\n", len(keywordsText), keywordsText, columns.PromptHash(), fix.PromptHash(), choose.PromptHash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// pipeline is an arm's parts in order.
type pipeline struct {
	finder     *finder           // nil: no values are looked up
	columns    *columns.Selector // nil: all columns are shown
	generators []generator
	fixer      *fix.Fixer
	chooser    choose.Chooser
	pool       bool
	samples    int

	descriptions int // columns that have them; 0: all
}

type generator struct {
	name string
	prompting.Method
}

var _ prompting.Method = (*pipeline)(nil)

func newPipeline(d prompting.Deps, arm configs.Arm, seed int64, plain Make) (p *pipeline, err error) {
	p = &pipeline{pool: arm.Row.Pool, samples: max(arm.Model.Samples, 1), descriptions: arm.Schema.Descriptions}
	if p.pool && len(arm.Generators) == 0 {
		return nil, fmt.Errorf("method %q has no generators", arm.Method)
	}
	for _, name := range arm.Asks() {
		own := arm
		own.Method, own.Row, own.Generators = name, configs.Method{}, nil
		m, err := plain(name, d, own, seed)
		if err != nil {
			return nil, err
		}
		p.generators = append(p.generators, generator{name, m})
	}
	if arm.Values.Use {
		if p.finder, err = newFinder(d, arm, seed); err != nil {
			return nil, err
		}
	}
	if use := arm.Columns.Use; use != "" && use != columns.None {
		if p.columns, err = columns.New(use, d, arm, seed); err != nil {
			return nil, err
		}
	}
	if p.fixer, err = fix.New(d, arm, seed); err != nil {
		return nil, err
	}
	rule := arm.Selection.Rule
	if rule == "" {
		rule = choose.First
	}
	p.chooser, err = choose.New(rule, d, arm, seed)
	return p, err
}

// Answer passes a question through the parts in order.
func (p *pipeline) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	a, err := p.answer(ctx, q)
	if err != nil {
		return a, fmt.Errorf("pipeline: answer %q: %w", q.ID, err)
	}
	return a, nil
}

func (p *pipeline) answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	if q.Schema == nil {
		return a, fmt.Errorf("question %q has no schema", q.ID)
	}
	if q, err = described(q, p.descriptions); err != nil {
		return a, err
	}
	if q, err = p.prepare(ctx, q, &a); err != nil {
		return a, err
	}
	for _, g := range p.generators {
		within := ctx
		if p.pool {
			within = prompting.At(ctx, g.name)
		}
		made, err := g.Answer(within, q)
		if err != nil {
			return a, err
		}
		for _, c := range made.Trace {
			c.Stage = p.stage(g, c.Stage)
			a.Trace = append(a.Trace, c)
		}
		a.Candidates = append(a.Candidates, made.Candidates...)
		a.Linked = append(a.Linked, made.Linked...)
	}
	q = uncut(q)
	if err := p.fix(ctx, q, &a); err != nil {
		return a, err
	}
	return a, p.choose(ctx, q, &a)
}

// stage names a generator's stage: in a pool, with the generator before it.
func (p *pipeline) stage(g generator, stage string) string {
	if p.pool {
		return g.name + ": " + stage
	}
	return stage
}

// prepare returns the question as the generators see it: with values, and with the columns that are chosen. What was
// asked and found goes into a.
func (p *pipeline) prepare(ctx context.Context, q prompting.Question, a *prompting.Answer) (_ prompting.Question, err error) {
	if p.finder != nil {
		if q, err = p.finder.attach(ctx, q, a); err != nil {
			return q, err
		}
	}
	if p.columns != nil {
		chosen, err := p.columns.Select(ctx, q)
		if err != nil {
			return q, err
		}
		a.Trace, a.Linked = append(a.Trace, chosen.Calls...), append(a.Linked, chosen.Linked("columns"))
		q = cut(q, chosen.Schema)
	}
	return q, nil
}

// cut returns the question with fewer columns.
func cut(q prompting.Question, to *schema.Database) prompting.Question {
	q.Whole, q.Schema = q.Schema, to
	return q
}

// uncut returns the question with all columns: fixer and selection look at queries that may use any.
func uncut(q prompting.Question) prompting.Question {
	if q.Whole != nil {
		q.Schema, q.Whole = q.Whole, nil
	}
	return q
}

// fix repairs the candidates in order. If all of them leave the pool, one without a query replaces them, because an
// answer always has a candidate.
func (p *pipeline) fix(ctx context.Context, q prompting.Question, a *prompting.Answer) error {
	var kept []prompting.Candidate
	for _, c := range a.Candidates {
		fixed, calls, ok, err := p.fixer.Fix(ctx, q, c)
		a.Trace = append(a.Trace, calls...)
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, fixed)
		} else {
			a.Dropped = append(a.Dropped, fixed)
		}
	}
	if len(kept) == 0 {
		first := a.Dropped[0]
		kept = []prompting.Candidate{{Sample: first.Sample, Generator: first.Generator, Rule: "dropped"}}
	}
	a.Candidates = kept
	return nil
}

func (p *pipeline) choose(ctx context.Context, q prompting.Question, a *prompting.Answer) error {
	choice, err := p.chooser.Choose(ctx, q, a.Candidates)
	a.Trace = append(a.Trace, choice.Calls...)
	if err != nil {
		return err
	}
	a.Chosen, a.Votes, a.Why = max(choice.Index, 0), choice.Votes, choice.Note
	return nil
}

// Prompts returns the messages that Answer sends first for sample 0.
func (p *pipeline) Prompts(q prompting.Question) ([]llm.Message, error) {
	messages, err := p.first(q)
	if err != nil {
		return nil, fmt.Errorf("pipeline: prompt %q: %w", q.ID, err)
	}
	return messages, nil
}

func (p *pipeline) first(q prompting.Question) ([]llm.Message, error) {
	if q.Schema == nil {
		return nil, fmt.Errorf("question %q has no schema", q.ID)
	}
	q, err := described(q, p.descriptions)
	if err != nil {
		return nil, err
	}
	if p.finder != nil {
		if p.finder.asks(q) {
			return p.finder.messages(q)
		}
		if q, err = p.finder.attach(context.Background(), q, &prompting.Answer{}); err != nil {
			return nil, err
		}
	}
	if p.columns != nil {
		if all, err := p.columns.Prompts(q); err != nil || len(all) > 0 {
			return slices.Concat(all[:min(1, len(all))]...), err
		}
	}
	return p.generators[0].Prompts(q)
}
