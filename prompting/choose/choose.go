// Package choose selects one candidate from a question's pool.
//
// A [Chooser] receives the candidates of all generators, after the fixer. Depending on its rule it runs their queries,
// groups equal results, asks a model to compare them, and returns the index of one candidate with the reason, the votes
// and the calls. The rules are those that CHASE-SQL (Pourreza et al., ICLR 2025, section 2.5) compares:
// self-consistency in three published forms, pairwise selection (Algorithm 3), and a ranker that sees all candidates at
// once. The first and a random candidate serve as baselines. The wording of the prompts is assay's own.
//
// A rule must never change a candidate, and never see gold.
package choose

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/outcome"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
)

// Chooser picks one candidate of a question's pool. Implementations are safe for concurrent use.
//
// The error is for what ends the run. Completions that the model would not give, answers that cannot be read and
// queries that do not run are part of a Choice.
type Chooser interface {
	Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error)
}

// Choice is the candidate selected, with how it was selected.
type Choice struct {
	Index int              // into the candidates; -1 where there are none
	Calls []prompting.Call // every call, in the order made; their stage is "choose"
	Votes []Vote           // pairwise: every comparison, in the order of Algorithm 3
	Note  string           // the rule, and the reason for the choice
}

// Vote is one comparison of two candidates.
type Vote = prompting.Vote

// What Vote.Order and Vote.DecidedBy say.
const (
	forward = "forward" // A comes before B in the pool
	reverse = "reverse" // A comes after B

	byExecution = "execution" // both returned the same, so A wins without a call
	byModel     = "model"     // a call decided
	byReuse     = "reused"    // the call about an equal pair of the pool, made before, decided
)

// setup is what a rule is made from.
type setup struct {
	rule string
	kit  *prompting.Kit // of the model that selects; nil where the rule asks none
	box  sandbox.Runner
	text *template.Template // the rule's prompts; nil where it has none
	arm  configs.Arm
	seed int64
}

// kind is one line of the table of rules.
type kind struct {
	configs.Choice
	runs bool // it runs the candidates
	asks bool // it asks the model: its templates are prompts/<ID>.tmpl
	make func(setup) Chooser
}

// kinds is every rule.
var kinds = []kind{
	{Choice: configs.Choice{ID: First, Shows: "the first that there is"}, make: func(setup) Chooser { return first{} }},
	{Choice: configs.Choice{ID: drawn, Shows: "one drawn by the seed"}, make: func(s setup) Chooser { return random{s.seed} }},
	{Choice: configs.Choice{ID: "consistency-dail", Shows: "self-consistency as DAIL-SQL breaks ties"}, runs: true,
		make: func(s setup) Chooser { return &consistency{s, dail} }},
	{Choice: configs.Choice{ID: "consistency-chess", Shows: "self-consistency as CHESS breaks ties: the shortest SQL"}, runs: true,
		make: func(s setup) Chooser { return &consistency{s, chess} }},
	{Choice: configs.Choice{ID: "consistency-first", Shows: "self-consistency, the first of the largest cluster"}, runs: true,
		make: func(s setup) Chooser { return &consistency{s, plain} }},
	{Choice: configs.Choice{ID: inPairs, Shows: "the model compares every pair (CHASE-SQL, Algorithm 3)"}, runs: true, asks: true,
		make: func(s setup) Chooser { return &pairwise{s} }},
	{Choice: configs.Choice{ID: "ranker", Shows: "the model sees all candidates in one prompt"}, runs: true, asks: true,
		make: func(s setup) Chooser { return &ranker{s} }},
}

// The rules that others refer to.
const (
	First   = "first" // runs no query and makes no call
	drawn   = "random"
	inPairs = "pairwise"
)

// Rules lists the rules in the order of their table.
func Rules() configs.Choices { return configs.ChoicesOf(kinds) }

// byConsistency is the tie that the candidates' results break.
const byConsistency = "consistency"

// Ties lists which of equal scores wins.
var Ties = configs.Choices{
	{ID: "first", Shows: "the earliest candidate"},
	{ID: byConsistency, Shows: "the one whose result more candidates share, then the earliest"},
}

// New makes the chooser of a rule from an arm's settings of selection. The model that selects is d.Selector, or d.Model
// where that has none.
func New(rule string, d prompting.Deps, arm configs.Arm, seed int64) (Chooser, error) {
	k, ok := configs.Find(kinds, rule)
	if !ok {
		return nil, fmt.Errorf("choose: rule %q: unknown (there are %s)", rule, strings.Join(Rules().IDs(), ", "))
	}
	c, err := k.chooser(d, arm, seed)
	if err != nil {
		return nil, fmt.Errorf("choose: rule %q: %w", rule, err)
	}
	return c, nil
}

func (k kind) chooser(d prompting.Deps, arm configs.Arm, seed int64) (Chooser, error) {
	if k.runs && d.Box == nil {
		return nil, errors.New("no sandbox to run candidates in")
	}
	s := setup{rule: k.ID, box: d.Box, arm: arm, seed: seed}
	if !k.asks {
		return k.make(s), nil
	}
	if !Ties.Has(arm.Selection.Tie) {
		return nil, fmt.Errorf("tie %q is unknown (there are %s)", arm.Selection.Tie, strings.Join(Ties.IDs(), ", "))
	}
	var err error
	if s.kit, err = selecting(d, arm, seed); err != nil {
		return nil, err
	}
	s.text, err = template.ParseFS(prompts, "prompts/"+k.ID+".tmpl")
	return k.make(s), err
}

// selecting returns the kit that asks the model which selects: without demonstrations, without the stop sequences that
// the generators' prompts need.
func selecting(d prompting.Deps, arm configs.Arm, seed int64) (*prompting.Kit, error) {
	arm.Model, _ = arm.Selector()
	arm.Model.Stop = nil
	arm.Exemplars = configs.Exemplars{}
	if s := d.Selector; s.Model != nil {
		d.Model, d.Author = s.Model, s.Author
	}
	return prompting.NewKit("choose", d, arm, seed)
}

//go:embed prompts/*.tmpl
var prompts embed.FS

// PromptHash identifies the text that this package puts into prompts: "sha256:" and the hexadecimal SHA-256 of its
// templates and of what packages render and outcome add.
func PromptHash() string {
	h := sha256.New()
	for _, k := range kinds {
		if !k.asks {
			continue
		}
		b, err := prompts.ReadFile("prompts/" + k.ID + ".tmpl")
		if err != nil { // unreachable: the templates are embedded
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%s %d\n", k.ID, len(b))
		h.Write(b)
	}
	fmt.Fprintf(h, "render %s\noutcome %s\n", render.Hash(), outcome.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// first picks the first candidate, whatever it holds.
type first struct{}

func (first) Choose(ctx context.Context, _ prompting.Question, cs []prompting.Candidate) (Choice, error) {
	if len(cs) == 0 {
		return none(First), ctx.Err()
	}
	return Choice{Note: First}, ctx.Err()
}

// random picks one of the candidates that have SQL, uniformly. The draw depends on the seed and the item alone.
type random struct{ seed int64 }

func (r random) Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error) {
	c, pool, done := start(drawn, cs)
	if !done {
		c.Index = pool[draw.Rand(r.seed, "choose", q.ID).IntN(len(pool))]
		c.Note = fmt.Sprintf("random: one of %d", len(pool))
	}
	return c, ctx.Err()
}

// none returns the choice among no candidates.
func none(rule string) Choice { return Choice{Index: -1, Note: rule + ": no candidates"} }

// start lists the candidates that have SQL. Without two of them there is nothing to choose, and c is the choice.
func start(rule string, cs []prompting.Candidate) (c Choice, pool []int, done bool) {
	for i, x := range cs {
		if x.SQL != "" && x.Failure == "" {
			pool = append(pool, i)
		}
	}
	switch {
	case len(cs) == 0:
		return none(rule), nil, true
	case len(pool) == 0:
		return Choice{Note: rule + ": no candidate has SQL: the first"}, nil, true
	case len(pool) == 1:
		return Choice{Index: pool[0], Note: rule + ": the only candidate with SQL"}, nil, true
	}
	return Choice{}, pool, false
}
