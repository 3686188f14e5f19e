package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/script/jinja"
	"assay/prompting/script/star"
	"assay/prompting/tools"

	"go.starlark.net/starlark"
)

// Part is one part of an arm: a folder with the arm's params and blocks. It is safe for concurrent use.
type Part struct {
	folder    *Folder
	kind      string
	name      string // of the part in requests' seeds, and of a generator's candidates
	kit       *kit
	params    *params
	program   *star.Program // nil for a folder of one template
	templates map[string]*jinja.Template
	filled    map[string]*atomic.Bool // by template: whether it was
	open      Opener                  // of other folders
	texts     map[string]string       // that the experiment supplies, by name
	tools     *tools.Cache            // of columns and statistics, for all questions
	parts     *siblings               // the parts that it uses itself
}

// Opener returns the folder of a built-in name or of a user's path.
type Opener func(id string) (*Folder, error)

// Setup is what parts are made from besides an arm.
type Setup struct {
	Deps prompting.Deps
	Arm  configs.Arm
	Seed int64
	Open Opener
}

// New makes a part of a folder, which must define the kind. It checks the arm's settings, so that a run does not fail
// half-way over a mistake that was there at the start.
func New(f *Folder, kind string, s Setup) (*Part, error) {
	p, err := newPart(f, kind, s, s.Arm.ParamsOf(keyOf(kind)))
	if err != nil {
		return nil, fmt.Errorf("script: %s %q: %w", kind, f.ID, err)
	}
	return p, nil
}

// keyOf is the name under which an experiment sets the params and blocks of a part.
func keyOf(kind string) string {
	if kind == Answer {
		return ""
	}
	return kind
}

// newPart is New with params of the caller.
func newPart(f *Folder, kind string, s Setup, over map[string]any) (*Part, error) {
	if !slices.Contains(f.parts, kind) {
		return nil, fmt.Errorf("the folder defines no %s(): it has %v", kind, f.parts)
	}
	p := &Part{folder: f, kind: kind, name: f.ID, params: &params{}, open: s.Open}
	var err error
	if p.kit, err = newKit(p, s.Deps, s.Arm, s.Seed); err != nil {
		return nil, err
	}
	blocks, err := replacements(s.Arm.BlocksOf(keyOf(kind)))
	if err != nil {
		return nil, err
	}
	if p.texts, err = f.suppliedTexts(kind, blocks); err != nil {
		return nil, err
	}
	if p.templates, err = f.replaced(blocks); err != nil {
		return nil, err
	}
	p.filled = map[string]*atomic.Bool{}
	for name := range p.templates {
		p.filled[name] = new(atomic.Bool)
	}
	p.tools, p.parts = tools.NewCache(mostSets), &siblings{made: map[string]*Part{}}
	if f.files[methodFile] == nil {
		return p, nil
	}
	set := map[string]any{}
	if f.table != "" {
		maps.Copy(set, s.Arm.Table(f.table))
	}
	maps.Copy(set, over)
	p.program, p.params, err = f.load(set)
	return p, err
}

// call runs a function of method.star for a session. A panic is a fault of the host, which what a file holds may bring
// about: it ends the call, and not the process.
func (p *Part) call(s *session, name string, args ...starlark.Value) (v starlark.Value, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s(): fault of the host: %v", name, fault)
		}
	}()
	return p.program.Call(s.ctx, p.program.Function(name), s, s.hold, args, nil)
}

// returned is the error of a function that returned what it cannot, with the place where the function begins.
func (p *Part) returned(v starlark.Value, want string) error {
	at := ""
	if fn := p.program.Function(p.kind); fn != nil {
		at = fmt.Sprintf("%s:%d: ", fn.Position().Filename(), fn.Position().Line)
	}
	what := "a " + v.Type()
	if v == starlark.None {
		what = "None"
	}
	return fmt.Errorf("%s%s() returned %s: return %s", at, p.kind, what, want)
}

// session returns a call of the part about a question.
func (p *Part) session(ctx context.Context, q prompting.Question) (*session, error) {
	if q.Schema == nil {
		return nil, fmt.Errorf("question %q has no schema", q.ID)
	}
	s := &session{ctx: ctx, part: p, q: q, item: itemOf(ctx)}
	s.meet = newMeeting(s, 1)
	return s, nil
}

// fail wraps an error of a part with what it was about.
func (p *Part) fail(q prompting.Question, err error) error {
	return fmt.Errorf("script: %s %s %q: %w", p.name, p.kind, q.ID, err)
}

// calls returns the calls of a trace.
func calls(trace []*prompting.Call) []prompting.Call {
	out := make([]prompting.Call, len(trace))
	for i, c := range trace {
		out[i] = *c
	}
	return out
}

// Answer makes one candidate per sample. Samples run side by side, so that equal requests of theirs are sent as one.
func (p *Part) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	ctx, end := Begin(ctx)
	defer end()
	a, err := p.answer(ctx, q)
	if err != nil {
		return a, p.fail(q, err)
	}
	return a, nil
}

func (p *Part) answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	before, err := p.session(ctx, q)
	if err != nil {
		return a, err
	}
	defer before.drop(0)
	if err := before.hold(sampleSize * max(p.kit.arm.Model.Samples, 1)); err != nil {
		return a, fmt.Errorf("model.samples = %d: %w", p.kit.arm.Model.Samples, err)
	}
	var args []starlark.Value
	all := before.samples(max(p.kit.arm.Model.Samples, 1))
	defer func() {
		for _, s := range all {
			s.drop(0)
		}
	}()
	if p.program != nil && p.program.Function("prepare") != nil {
		prepared, err := p.call(before, "prepare", before.question())
		a.Trace, a.Linked, a.Shown = calls(before.trace), before.links, before.shows.lists()
		var no *refusal
		if errors.As(err, &no) {
			for i := range all {
				a.Candidates = append(a.Candidates, prompting.Candidate{Sample: i, Generator: p.name, Failure: no.why})
			}
			return a, nil
		}
		if err != nil {
			return a, err
		}
		prepared.Freeze() // samples share it
		args = append(args, prepared)
	}
	for _, s := range all {
		s.shows = before.shows.again()
	}
	a.Candidates, err = p.each(ctx, all, args)
	trace := before.trace
	for _, s := range all {
		trace, a.Linked = append(trace, s.trace...), append(a.Linked, s.links...)
		before.shows.with(&s.shows)
	}
	a.Shown = before.shows.lists()
	if a.Trace = calls(trace); err == nil {
		err = before.item.keep(ctx, a.Candidates, trace)
	}
	return a, err
}

// samples returns the sessions of n samples.
func (s *session) samples(n int) []*session {
	out := make([]*session, n)
	meet := newMeeting(s, n)
	for i := range out {
		out[i] = &session{part: s.part, q: s.q, item: s.item, sample: i, meet: meet}
	}
	return out
}

// each answers every sample. The first error that is more than an unknown completion ends all.
func (p *Part) each(ctx context.Context, all []*session, args []starlark.Value) ([]prompting.Candidate, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, errs := make([]prompting.Candidate, len(all)), make([]error, len(all))
	for _, s := range all {
		s.ctx = ctx
	}
	one := func(i int) {
		if out[i], errs[i] = p.one(all[i], args); errs[i] != nil && !errors.Is(errs[i], prompting.ErrUnknown) {
			cancel()
		}
	}
	if len(all) == 1 {
		one(0)
	} else {
		done := make(chan struct{})
		for i := range all {
			go func() {
				defer func() { all[i].meet.leave(); done <- struct{}{} }()
				one(i)
			}()
		}
		for range all {
			<-done
		}
	}
	return out, worst(errs)
}

// worst returns the error that says most: the first that is neither an unknown completion nor a cancellation, which one
// error causes in all other samples; else the first.
func worst(errs []error) (out error) {
	for _, err := range errs {
		switch {
		case err == nil:
		case !errors.Is(err, prompting.ErrUnknown) && !errors.Is(err, context.Canceled):
			return err
		case out == nil || errors.Is(out, prompting.ErrUnknown):
			out = err
		}
	}
	return out
}

// one answers one sample.
func (p *Part) one(s *session, args []starlark.Value) (prompting.Candidate, error) {
	c := prompting.Candidate{Sample: s.sample, Generator: p.name}
	v, err := p.sample(s, args)
	var no *refusal
	if errors.As(err, &no) {
		c.Failure = no.why
		return c, nil
	}
	if err != nil {
		return c, err
	}
	return c, s.candidate(&c, v)
}

// sample returns what answer(q) returns; of a folder of one template, the completion of its one call.
func (p *Part) sample(s *session, args []starlark.Value) (starlark.Value, error) {
	if p.program != nil {
		return p.call(s, Answer, append([]starlark.Value{s.question()}, args...)...)
	}
	return s.simple()
}

// candidate fills in c what a sample returned.
func (s *session) candidate(c *prompting.Candidate, v starlark.Value) error {
	switch v := v.(type) {
	case *completion:
		if v.call.Failure != "" {
			c.Failure = v.call.Failure
			return nil
		}
		found := v.found()
		c.SQL, c.Rule, c.Silence = strings.Clone(found.SQL), found.Rule, v.response.Silence() // not all of the completion is kept
		if found.Truncated && !v.frozen {                                                     // what prepare() made is shared by samples
			v.add("; ", truncated)
		}
		return nil
	case starlark.String:
		if c.Failure = s.refused(); v != "" || c.Failure == "" {
			v = starlark.String(strings.Clone(string(v)))
			c.SQL, c.Rule, c.Failure = string(v), ruleOf(string(v)), ""
		}
		return nil
	case *candidate: // what prepare() made is shared by samples: it stays as it is
		sample, generator := c.Sample, c.Generator
		*c = v.c
		c.SQL = strings.Clone(c.SQL)
		c.Sample, c.Generator = sample, generator
		return nil
	}
	return s.part.returned(v, "one completion of ask(), a text of SQL, or candidate(sql)")
}

// refused is why the sample got no completion, where it asked for some and got none: SQL that is missing then, such as .sql of
// a refusal that may_fail let through, is the model's failure, which is not scored, and no answer without SQL, which is.
func (s *session) refused() (why string) {
	for _, c := range s.trace {
		if why = c.Failure; why == "" {
			return ""
		}
	}
	return why
}

// truncated is the note of a completion whose SQL is cut off.
const truncated = "the completion ends within the SQL"

// Link returns the question as the parts after it see it, with the calls made and what was linked.
func (p *Part) Link(ctx context.Context, q prompting.Question) (prompting.Question, []prompting.Call, []prompting.Linked, error) {
	ctx, end := Begin(ctx)
	defer end()
	s, err := p.session(ctx, q)
	if err != nil {
		return q, nil, nil, p.fail(q, err)
	}
	defer s.drop(0)
	out, links, err := p.link(s, &question{s: s, q: q})
	if err == nil {
		err = s.item.keep(ctx, nil, s.trace)
	}
	if err != nil {
		return q, calls(s.trace), nil, p.fail(q, err)
	}
	return out, calls(s.trace), links, nil
}

func (p *Part) link(s *session, q *question) (prompting.Question, []prompting.Linked, error) {
	v, err := p.call(s, Link, q)
	var no *refusal
	if errors.As(err, &no) {
		return q.q, nil, nil
	}
	if err != nil {
		return q.q, nil, err
	}
	out, ok := v.(*question)
	if !ok {
		return q.q, nil, p.returned(v, "q, q.with_values(...) or q.with_columns(...)")
	}
	return out.q, out.links, nil
}

// Fix returns the candidate as the fixer leaves it, and the calls made. keep is false where it leaves the pool.
func (p *Part) Fix(ctx context.Context, q prompting.Question, c prompting.Candidate) (fixed prompting.Candidate, made []prompting.Call, keep bool, err error) {
	ctx, end := Begin(ctx)
	defer end()
	s, err := p.session(ctx, q)
	if err != nil {
		return c, nil, false, p.fail(q, err)
	}
	defer s.drop(0)
	s.sample = c.Sample
	given := poolOf([]prompting.Candidate{c})[0]
	v, err := p.call(s, Fix, s.question(), given)
	var no *refusal
	if errors.As(err, &no) {
		return c, calls(s.trace), true, nil
	}
	if err != nil {
		return c, calls(s.trace), false, p.fail(q, err)
	}
	out, ok := v.(*candidate)
	if !ok {
		return c, calls(s.trace), false, p.fail(q, p.returned(v, "c, replace(c, ...) or drop(c)"))
	}
	if out.of != given {
		return c, calls(s.trace), false, p.fail(q, errors.New("fix() returned a candidate that is not c: return c, replace(c, ...) or drop(c)"))
	}
	if err := s.item.keep(ctx, []prompting.Candidate{out.c}, s.trace); err != nil {
		return c, calls(s.trace), false, p.fail(q, err)
	}
	return out.c, calls(s.trace), !out.dropped, nil
}

// Choice is the candidate selected, with how it was selected.
type Choice struct {
	Index int              // into the candidates; -1 where there are none
	Calls []prompting.Call // every call, in the order made
	Votes []prompting.Vote // comparisons, in the order made
	Why   string           // the rule, and the reason for the choice
}

// Choose selects one of the candidates. A refusal of the model that the rule does not expect selects the first.
func (p *Part) Choose(ctx context.Context, q prompting.Question, cs []prompting.Candidate) (Choice, error) {
	ctx, end := Begin(ctx)
	defer end()
	s, err := p.session(ctx, q)
	if err != nil {
		return Choice{}, p.fail(q, err)
	}
	defer s.drop(0)
	s.pool = poolOf(cs)
	v, err := p.call(s, Choose, s.question(), list(s.pool, func(c *candidate) starlark.Value { return c }))
	var no *refusal
	if errors.As(err, &no) {
		return Choice{Index: min(len(cs), 1) - 1, Calls: calls(s.trace), Votes: s.votes, Why: p.name + ": " + no.Error() + ": the first"}, nil
	}
	if err != nil {
		return Choice{Calls: calls(s.trace)}, p.fail(q, err)
	}
	index, why, err := s.chosen(v)
	if err != nil {
		return Choice{Calls: calls(s.trace)}, p.fail(q, err)
	}
	if err := s.item.keep(ctx, nil, s.trace); err != nil {
		return Choice{Calls: calls(s.trace)}, p.fail(q, err)
	}
	return Choice{index, calls(s.trace), s.votes, why}, nil
}

// Unfilled lists the templates, without their ending, that no call has filled so far.
func (p *Part) Unfilled() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(p.filled)) {
		if !p.filled[name].Load() {
			out = append(out, name)
		}
	}
	return out
}

// Name returns the part's name: its folder's.
func (p *Part) Name() string { return p.name }
