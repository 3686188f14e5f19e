package script

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"assay/prompting"
	"assay/prompting/script/star"

	"go.starlark.net/starlark"
)

// siblings are the parts that a part uses by part(name), each made once.
type siblings struct {
	mu   sync.Mutex
	made map[string]*Part
}

// sibling is another part, as part(name, **params) gives it.
type sibling struct {
	base
	s    *session
	id   string
	f    *Folder
	over map[string]any // params
}

func (b *sibling) String() string      { return fmt.Sprintf("part(%q)", b.id) }
func (b *sibling) Type() string        { return "part" }
func (b *sibling) AttrNames() []string { return slices.Clone(b.f.parts) }

// deepestPart bounds parts that use each other.
const deepestPart = 8

// partFunc is part(name, **params): one of assay's parts, with params over those of its table. A user's folder is none: what
// a method does must stand in its own folder, whose bytes are in a run's identity.
func partFunc(s *session, name string, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	id := ""
	if len(args) == 1 {
		id, _ = starlark.AsString(args[0])
	}
	switch {
	case id == "":
		return nil, fmt.Errorf("%s: want one part's name first", name)
	case isFolder(id):
		return nil, fmt.Errorf("%s(%q): only assay's own parts have a name here: state a folder in the experiment, as link, fix or choose", name, id)
	case s.within == deepestPart:
		return nil, fmt.Errorf("%s(%q): parts use each other more than %d deep", name, id, deepestPart)
	}
	over := map[string]any{}
	for _, kv := range named {
		v, err := plain(kv[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		over[string(kv[0].(starlark.String))] = v
	}
	f, err := s.part.open(id)
	return &sibling{s: s, id: id, f: f, over: over}, err
}

// part makes the part of a kind, once per name and params.
func (b *sibling) part(kind string) (*Part, error) {
	from := b.s.part
	from.parts.mu.Lock()
	defer from.parts.mu.Unlock()
	key := fmt.Sprintf("%s %q %#v", kind, b.id, b.over) // quoted: a text may read as another param
	if len(key) > mostParams {
		return nil, fmt.Errorf("part(%q): params of more than %d bytes", b.id, mostParams)
	}
	if made := from.parts.made[key]; made != nil {
		return made, nil
	}
	if len(from.parts.made) == mostParts {
		return nil, fmt.Errorf("part(%q): more than %d parts, or sets of their params", b.id, mostParts)
	}
	k := from.kit
	made, err := newPart(b.f, kind, Setup{Deps: k.deps, Arm: k.arm, Seed: k.seed, Open: from.open}, b.over)
	if err != nil {
		return nil, fmt.Errorf("part(%q): %w", b.id, err)
	}
	from.parts.made[key] = made
	return made, nil
}

// Attr returns link(q), fix(q, c) or choose(q, cs).
func (b *sibling) Attr(name string) (starlark.Value, error) {
	if !slices.Contains(b.f.parts, name) {
		return nil, nil
	}
	switch name {
	case Link:
		return method(b.link).named(name), nil
	case Fix:
		return method(b.fix).named(name), nil
	case Choose:
		return method(b.choose).named(name), nil
	}
	return nil, nil
}

// in returns the part as the call of a thread uses it: what prepare() returned is shared by samples.
func (b *sibling) in(t *starlark.Thread) *sibling {
	s, ok := t.Local(star.HostKey).(*session)
	if !ok {
		return b
	}
	return &sibling{s: s, id: b.id, f: b.f, over: b.over}
}

// mostParts bounds the parts that a part uses, each name and each set of params counted.
const mostParts = 64

// mostParams bounds the params of one of them, in bytes.
const mostParams = 64 << 10

// session returns a call of the part about a question.
func (b *sibling) session(kind string, q *question) (*session, error) {
	p, err := b.part(kind)
	if err != nil {
		return nil, err
	}
	s := &session{ctx: b.s.ctx, part: p, q: q.q, item: b.s.item, sample: b.s.sample, within: b.s.within + 1}
	s.meet = newMeeting(s, 1)
	return s, nil
}

// link is part(name).link(q): its calls join the trace, and what it links is recorded under this part's name and its own.
func (b *sibling) link(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	b = b.in(t)
	var q *question
	if err := starlark.UnpackArgs(Link, args, named, "q", &q); err != nil {
		return nil, err
	}
	inner, err := b.session(Link, q)
	if err != nil {
		return nil, err
	}
	defer inner.drop(0)
	inner.sample = 0
	out, links, err := inner.part.link(inner, &question{s: inner, q: q.q})
	b.s.trace = append(b.s.trace, inner.trace...)
	for _, l := range links {
		l.Stage = b.s.part.name + ": " + l.Stage
		b.s.links = append(b.s.links, l)
	}
	return &question{s: b.s, q: out}, err
}

// fix is part(name).fix(q, c): the candidate as the fixer leaves it; c is a candidate or a completion.
func (b *sibling) fix(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	b = b.in(t)
	var q *question
	var v starlark.Value
	if err := starlark.UnpackArgs(Fix, args, named, "q", &q, "c", &v); err != nil {
		return nil, err
	}
	c, err := candidateOf(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Fix, err)
	}
	inner, err := b.session(Fix, q)
	if err != nil {
		return nil, err
	}
	defer inner.drop(0)
	out, err := inner.part.call(inner, Fix, inner.question(), c)
	b.s.trace = append(b.s.trace, inner.trace...)
	if no := (*refusal)(nil); errors.As(err, &no) {
		return c, nil
	}
	return out, err
}

// choose is part(name).choose(q, cs): the choice among candidates or completions; its .candidate is the one chosen.
func (b *sibling) choose(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	b = b.in(t)
	var q *question
	var cs *starlark.List
	if err := starlark.UnpackArgs(Choose, args, named, "q", &q, "cs", &cs); err != nil {
		return nil, err
	}
	given, all := make([]*candidate, cs.Len()), make([]prompting.Candidate, cs.Len())
	for i := range given {
		c, err := candidateOf(cs.Index(i))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Choose, err)
		}
		given[i], all[i] = c, c.c
	}
	inner, err := b.session(Choose, q)
	if err != nil {
		return nil, err
	}
	defer inner.drop(0)
	inner.sample, inner.pool = 0, poolOf(all)
	out, err := inner.part.call(inner, Choose, inner.question(), list(inner.pool, func(c *candidate) starlark.Value { return c }))
	b.s.trace = append(b.s.trace, inner.trace...)
	made, ok := out.(*choice)
	if err != nil || !ok || made.index < 0 {
		return out, err
	}
	return &choice{index: given[made.index].index, why: made.why, c: given[made.index]}, nil
}

// candidateOf returns a candidate, or a completion as one.
func candidateOf(v starlark.Value) (*candidate, error) {
	switch v := v.(type) {
	case *candidate:
		return v, nil
	case *completion:
		found := v.found()
		return &candidate{c: prompting.Candidate{SQL: found.SQL, Rule: found.Rule, Failure: v.call.Failure, Silence: v.response.Silence()}}, nil
	}
	return nil, fmt.Errorf("want a candidate or a completion, not a %s", v.Type())
}
