// Package fix repairs queries that fail when they are run, by asking the model again.
//
// A [Fixer] runs a candidate's query. If the query fails, or returns no rows where the settings count that as a
// failure, the fixer shows the model the query with its outcome, runs the query of the answer, and repeats that up to a
// number of tries. This is the query fixer of CHASE-SQL (Pourreza et al., ICLR 2025, section 2.4 and Algorithm 4). The
// wording of the prompt is assay's own.
//
// A fixer must never replace a query that runs and returns rows, and never see gold.
package fix

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the template below
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/outcome"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
)

//go:embed prompts/fix.tmpl
var promptText string

var prompts = template.Must(template.New("fix").Parse(promptText))

// PromptHash identifies the text that this package puts into prompts: "sha256:" and the hexadecimal SHA-256 of its
// template and of what packages render and outcome add.
func PromptHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "fix %d\n%srender %s\noutcome %s\n", len(promptText), promptText, render.Hash(), outcome.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Fixer repairs candidates one at a time. It is read-only once made and safe for concurrent use.
type Fixer struct {
	kit *prompting.Kit // nil where the fixer is off
	box sandbox.Runner
	set configs.Fixer
	arm configs.Arm
}

// New makes the fixer of an arm's settings; with tries 0 it returns every candidate as it is. It asks the arm's own
// model, with the parameters of that stage and without the stop sequences: those end an answer in the generators'
// forms, and would cut one that says what was wrong before it gives the query.
func New(d prompting.Deps, arm configs.Arm, seed int64) (*Fixer, error) {
	f := &Fixer{box: d.Box, set: arm.Fixer, arm: arm}
	if f.set.Tries == 0 {
		return f, nil
	}
	if err := f.ready(d, seed); err != nil {
		return nil, fmt.Errorf("fix: arm %q: %w", arm.Name, err)
	}
	return f, nil
}

func (f *Fixer) ready(d prompting.Deps, seed int64) (err error) {
	if d.Box == nil {
		return errors.New("no sandbox to run candidates in")
	}
	if !Unfixed.Has(f.set.OnUnfixed) {
		return fmt.Errorf("on_unfixed %q is unknown (there are %s)", f.set.OnUnfixed, strings.Join(Unfixed.IDs(), ", "))
	}
	if len(f.set.Triggers) == 0 {
		return errors.New("no triggers: nothing would be repaired")
	}
	for _, t := range f.set.Triggers {
		if !Triggers.Has(t) {
			return fmt.Errorf("trigger %q is unknown (there are %s)", t, strings.Join(Triggers.IDs(), ", "))
		}
	}
	f.arm.Model = f.arm.Stages.Fix.Over(f.arm.Model)
	f.arm.Model.Stop = nil
	arm := f.arm
	arm.Exemplars = configs.Exemplars{} // the prompt has no demonstrations
	f.kit, err = prompting.NewKit("fix", d, arm, seed)
	return err
}

// keep is the setting that leaves a candidate that could not be repaired in the pool.
const keep = "keep"

var (
	// Unfixed lists what may happen to a candidate that could not be repaired.
	Unfixed = configs.Choices{
		{ID: keep, Shows: "it stays, as the first of its queries that ran, or else as it came"},
		{ID: "drop", Shows: "it leaves the pool, as the paper's Algorithm 4 prints it"},
	}
	// Triggers lists what sets the fixer off.
	Triggers = configs.Choices{{ID: Error, Shows: "the query does not run"}, {ID: Empty, Shows: "it returns no rows"}}
)

// What Candidate.Trigger says.
const (
	Error = "error" // the query did not run: SQLite's error, a deadline or cap, a refusal of the sandbox, no query at all
	Empty = "empty" // it returned no rows
)

// trigger returns why an outcome needs a repair, or "" where it needs none.
func (f *Fixer) trigger(o outcome.Outcome) string {
	why := ""
	switch {
	case o.Unknown(): // the database's fault
	case !o.OK():
		why = Error
	case o.Empty():
		why = Empty
	}
	if slices.Contains(f.set.Triggers, why) {
		return why
	}
	return ""
}

// attempt is a query with what came of it.
type attempt struct {
	sql, rule string
	outcome   outcome.Outcome
}

// Fix runs the candidate's query and, where it fails, asks for a better one up to the settings' number of tries, each
// being shown the last query and what came of it. A candidate whose completion failed is returned as it is, and so is
// one whose database cannot be read.
//
// ok is false where the candidate still fails and such are to be dropped, which is the paper's Algorithm 4 as printed.
// Where they are kept, its query is the first that ran, or else the original one: a try cannot make a candidate worse
// that returned no rows. In both cases fixed reports what was done.
//
// A try whose prompt would be the one before, because the model repeated the query or gave none, is not made of a model
// that does not sample: its answer is known. The calls have stages "fix 1", "fix 2" and so on, and the candidate's
// sample. The error is for what ends the run.
func (f *Fixer) Fix(ctx context.Context, q prompting.Question, c prompting.Candidate) (fixed prompting.Candidate, calls []prompting.Call, ok bool, err error) {
	if f.kit == nil || c.Failure != "" {
		return c, nil, true, ctx.Err()
	}
	fixed, calls, ok, err = f.fix(ctx, q, c)
	if err != nil {
		err = fmt.Errorf("fix: candidate %d of %q: %w", c.Sample, q.ID, err)
	}
	return fixed, calls, ok, err
}

func (f *Fixer) fix(ctx context.Context, q prompting.Question, c prompting.Candidate) (fixed prompting.Candidate, calls []prompting.Call, ok bool, err error) {
	first := attempt{sql: c.SQL, rule: c.Rule}
	if first.outcome, err = outcome.Run(ctx, f.box, q.Database, c.SQL); err != nil {
		return c, nil, false, err
	}
	if c.Trigger = f.trigger(first.outcome); c.Trigger == "" {
		return c, nil, true, nil
	}
	best, calls, err := f.repair(ctx, q, &c, first)
	if err != nil {
		return c, calls, false, err
	}
	if best.sql != first.sql {
		c.SQL, c.Rule, c.Original = best.sql, best.rule, first.sql
	}
	return c, calls, c.Fixed || f.set.OnUnfixed == keep, nil
}

// repair makes the tries and counts them in c. best is the query that no longer fails, or else the first that ran, or
// else the first.
func (f *Fixer) repair(ctx context.Context, q prompting.Question, c *prompting.Candidate, first attempt) (best attempt, calls []prompting.Call, err error) {
	last, best := first, first
	var before []llm.Message
	for try := range f.set.Tries {
		messages, err := f.messages(q, last)
		if err != nil {
			return best, calls, err
		}
		if slices.EqualFunc(messages, before, llm.Message.Equal) && f.arm.Model.Temperature == 0 {
			break
		}
		before = messages
		next, call, err := f.try(ctx, q, c.Sample, try, messages, last)
		if err != nil {
			return best, calls, err
		}
		calls, c.Tries = append(calls, call), c.Tries+1
		if call.Failure != "" {
			break
		}
		last = next
		if f.trigger(last.outcome) == "" {
			c.Fixed = true
			return last, calls, nil
		}
		if last.outcome.OK() && !best.outcome.OK() {
			best = last
		}
	}
	return best, calls, nil
}

// try asks once and runs the query of the answer. A completion without SQL leaves the query unchanged.
func (f *Fixer) try(ctx context.Context, q prompting.Question, sample, try int, messages []llm.Message, last attempt) (attempt, prompting.Call, error) {
	r, err := f.kit.Ask(ctx, fmt.Sprintf("fix %d", try+1), q.ID, sample, messages)
	if err != nil {
		return last, r.Call, err
	}
	if r.Failure != "" {
		return last, r.Call, nil
	}
	found := extract.SQL(r.Response.Text, extract.Options{})
	if found.SQL == "" {
		r.Call.Note = "no SQL"
		return last, r.Call, nil
	}
	next := attempt{sql: found.SQL, rule: found.Rule}
	if next.outcome, err = outcome.Run(ctx, f.box, q.Database, next.sql); err != nil {
		return last, r.Call, err
	}
	r.Call.Note = f.note(last, next)
	return next, r.Call, nil
}

// note returns what the trace says of a try.
func (f *Fixer) note(last, next attempt) string {
	was, is := f.trigger(last.outcome), f.trigger(next.outcome)
	if is == "" {
		return "mends: " + was
	}
	if next.sql == last.sql {
		return "repeats the query: " + is
	}
	return "still fails: " + is
}

// messages returns the reflection prompt. The schema is not shuffled: it is the generators that want variety.
func (f *Fixer) messages(q prompting.Question, a attempt) ([]llm.Message, error) {
	if q.Schema == nil {
		return nil, errors.New("the question has no schema")
	}
	sql := outcome.Flat(a.sql)
	if sql == "" {
		sql = "(none was found in the answer)"
	}
	return f.prompt(q, sql, a.outcome.Text())
}

func (f *Fixer) prompt(q prompting.Question, sql, result string) ([]llm.Message, error) {
	schema, err := render.Schema(q.Schema, f.arm.Schema)
	if err != nil {
		return nil, err
	}
	system, err := prompting.Fill(prompts, "system", nil)
	if err != nil {
		return nil, err
	}
	input, err := prompting.Fill(prompts, "input", map[string]any{"Schema": strings.TrimRight(schema, "\n"), "SQL": sql, "Result": result,
		"Question": prompting.OneLine(q.Text), "Evidence": prompting.OneLine(q.Evidence)})
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: input}}, err
}
