// Package pipeline builds an arm's method out of its parts: what links values and columns, generators, fixer, selection.
//
// How an answer comes about, each part being left out where the arm does not ask for it:
//
//  1. Parts that link look at the question and change its schema: values found are put in, columns not needed cut away.
//  2. Each generator makes its candidates.
//  3. Candidates that fail are repaired, or leave the pool.
//  4. One is chosen.
//
// Every part is a folder ([assay/prompting/methods]) that [assay/prompting/script] runs. With all parts on, this is
// CHASE-SQL (Pourreza et al., ICLR 2025). The package composes parts and must never write a prompt.
package pipeline

import (
	"context"
	"errors"
	"fmt"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/methods"
	"assay/prompting/script"
)

// Pool is the method that gathers the candidates of several.
var Pool = configs.Method{Choice: configs.Choice{ID: "pool", Shows: "the candidates of several methods, see `generators`"}, Pool: true}

// first is the rule of selection that looks at nothing.
const first = "first"

// New makes the method of an arm. An arm that has no part besides its method gets the plain method itself.
func New(d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	p := &pipeline{pool: arm.Row.Pool, descriptions: arm.Schema.Descriptions, embedder: d.Embedder}
	if err := p.build(script.Setup{Deps: d, Arm: arm, Seed: seed, Open: methods.Open}); err != nil {
		return nil, fmt.Errorf("pipeline: arm %q: %w", arm.Name, err)
	}
	if link, fix, choose := arm.Parts(); !p.pool && len(link) == 0 && fix == "" && choose == first && p.descriptions == 0 {
		return p.generators[0], nil
	}
	return p, nil
}

// pipeline is an arm's parts in order.
type pipeline struct {
	links      []*script.Part
	generators []generator
	fixer      *script.Part // nil: no candidate is repaired
	chooser    *script.Part
	pool       bool
	chooses    bool // the generator's own choice stands

	descriptions int          // columns that have them; 0: all
	embedder     llm.Embedder // compares them with the question; nil: the offline vectors
}

var _ prompting.Method = (*pipeline)(nil)

// generator makes candidates.
type generator interface {
	prompting.Method
	Name() string // before its stages, in a pool
}

// program is the generator of an arm with a command.
type program struct {
	prompting.Method
	row configs.Method
}

// Name implements generator.
func (p program) Name() string { return p.row.ID }

// build makes the parts of an arm.
func (p *pipeline) build(s script.Setup) error {
	if p.pool && len(s.Arm.Generators) == 0 {
		return fmt.Errorf("method %q has no generators", s.Arm.Method)
	}
	link, fix, choose := s.Arm.Parts()
	if s.Arm.Row.Program {
		if s.Deps.Program == nil {
			return errors.New("no program answers here")
		}
		p.generators, p.chooses = append(p.generators, program{s.Deps.Program, s.Arm.Row}), choose == first
	}
	for _, id := range s.Arm.Asks() {
		part, err := Part(script.Answer, id, s)
		if err != nil {
			return err
		}
		p.generators = append(p.generators, part)
	}
	for _, id := range link {
		part, err := Part(script.Link, id, s)
		if err != nil {
			return err
		}
		p.links = append(p.links, part)
	}
	var err error
	if fix != "" {
		if p.fixer, err = Part(script.Fix, fix, s); err != nil {
			return err
		}
	}
	p.chooser, err = Part(script.Choose, choose, s)
	return err
}

// Part makes one part of an arm, of a built-in name or of a user's path.
func Part(kind, id string, s script.Setup) (*script.Part, error) {
	f, err := methods.Open(id)
	if err != nil {
		return nil, err
	}
	if s.Open == nil {
		s.Open = methods.Open
	}
	return script.New(f, kind, s)
}

// Answer passes a question through the parts in order.
func (p *pipeline) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	ctx, end := script.Begin(ctx)
	defer end()
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
	q, err = described(ctx, q, p.descriptions, p.embedder)
	if f := (*llm.Failure)(nil); errors.As(err, &f) { // as where a part's model gives no completion
		a.Candidates = []prompting.Candidate{{Generator: p.generators[0].Name(), Failure: f.Why()}}
		return a, nil
	}
	if err != nil {
		return a, err
	}
	for _, l := range p.links {
		linked, calls, links, err := l.Link(ctx, q)
		if err != nil {
			return a, err
		}
		q, a.Trace, a.Linked = linked, append(a.Trace, calls...), append(a.Linked, links...)
	}
	if err := p.generate(ctx, q, &a); err != nil {
		return a, err
	}
	q = uncut(q)
	if err := p.fix(ctx, q, &a); err != nil {
		return a, err
	}
	return a, p.choose(ctx, q, &a)
}

// generate gathers the candidates of every generator. One that lacks a completion in a forecast does not keep the others
// from telling what they would ask.
func (p *pipeline) generate(ctx context.Context, q prompting.Question, a *prompting.Answer) (unknown error) {
	for _, g := range p.generators {
		within := ctx
		if p.pool {
			within = prompting.At(ctx, g.Name())
		}
		made, err := g.Answer(within, q)
		if errors.Is(err, prompting.ErrUnknown) {
			unknown = err
		} else if err != nil {
			return err
		}
		for _, c := range made.Trace {
			c.Stage = p.stage(g, c.Stage)
			a.Trace = append(a.Trace, c)
		}
		a.Chosen, a.Why = made.Chosen, made.Why // a pool chooses later
		a.Candidates = append(a.Candidates, made.Candidates...)
		a.Linked, a.Shown = append(a.Linked, made.Linked...), append(a.Shown, made.Shown...)
	}
	return unknown
}

// stage names a generator's stage: in a pool, with the generator before it.
func (p *pipeline) stage(g generator, stage string) string {
	if p.pool {
		return g.Name() + ": " + stage
	}
	return stage
}

// uncut returns the question with all columns: fixer and selection look at queries that may use any.
func uncut(q prompting.Question) prompting.Question {
	if q.Whole != nil {
		q.Schema, q.Whole = q.Whole, nil
	}
	return q
}

// fix repairs the candidates in order. Where the chosen one leaves the pool, the first of the others takes its place. If all
// of them leave the pool, one without a query replaces them, because an answer always has a candidate.
func (p *pipeline) fix(ctx context.Context, q prompting.Question, a *prompting.Answer) error {
	if p.fixer == nil {
		return nil
	}
	var kept []prompting.Candidate
	chosen := 0
	for i, c := range a.Candidates {
		fixed, calls, ok, err := p.fixer.Fix(ctx, q, c)
		a.Trace = append(a.Trace, calls...)
		if err != nil {
			return err
		}
		if ok {
			if i == a.Chosen {
				chosen = len(kept)
			}
			kept = append(kept, fixed)
		} else {
			a.Dropped = append(a.Dropped, fixed)
		}
	}
	if len(kept) == 0 {
		first := a.Dropped[0]
		kept = []prompting.Candidate{{Sample: first.Sample, Generator: first.Generator, Rule: "dropped"}}
	}
	a.Candidates, a.Chosen = kept, chosen
	return nil
}

func (p *pipeline) choose(ctx context.Context, q prompting.Question, a *prompting.Answer) error {
	if p.chooses {
		return nil
	}
	choice, err := p.chooser.Choose(ctx, q, a.Candidates)
	a.Trace = append(a.Trace, choice.Calls...)
	if err != nil {
		return err
	}
	a.Chosen, a.Votes, a.Why = max(choice.Index, 0), choice.Votes, choice.Why
	return nil
}
