package script

import (
	"errors"
	"fmt"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/script/star"
	"assay/prompting/steps"

	"go.starlark.net/starlark"
)

// asking is the arguments of ask() besides the template's variables.
type asking struct {
	stage, settings, about string
	n                      *int
	sample                 *int
	params                 llm.Params
	tools                  []llm.Tool
	mayFail                bool
	vars                   variables
}

// question of ask() that is sent, with what its completions are read as.
type asked struct {
	*query
	many, mayFail, continues bool
}

// askFunc is ask(template_or_messages, stage = , n = , settings = , temperature = , max_tokens = , stop = , tools = ,
// sample = , about = , may_fail = False, **vars): one completion, or with n a list of them.
func askFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, err := host(t, b)
	if err != nil {
		return nil, err
	}
	a, err := s.asking(b.Name(), args, named)
	if err != nil {
		return nil, err
	}
	if err := s.send(a.query); err != nil {
		return nil, err
	}
	return a.completions()
}

// pending is what call() returns: the arguments of a request that ask_all sends.
type pending struct {
	base
	a *asked
}

// Size implements star.Sized.
func (p *pending) Size() int { return sizeOf(p.a.request.Messages) }

func (p *pending) String() string { return fmt.Sprintf("call(%q)", p.a.stage) }
func (p *pending) Type() string   { return "call" }

// callFunc is call(...), with the arguments of ask(): a request for ask_all().
func callFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, err := host(t, b)
	if err != nil {
		return nil, err
	}
	a, err := s.asking(b.Name(), args, named)
	return &pending{a: a}, err
}

// askAll is ask_all([call(...), ...]): independent requests at once, their completions in order.
func askAll(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, err := host(t, b)
	if err != nil {
		return nil, err
	}
	var calls *starlark.List
	if err := starlark.UnpackArgs(b.Name(), args, named, "calls", &calls); err != nil {
		return nil, err
	}
	var all []*pending
	var queries []*query
	for i := range calls.Len() {
		p, ok := calls.Index(i).(*pending)
		if !ok {
			return nil, fmt.Errorf("%s: want what call(...) returns, not a %s", b.Name(), calls.Index(i).Type())
		}
		again := *p.a.query // a call may be listed twice
		all = append(all, &pending{a: &asked{&again, p.a.many, p.a.mayFail, p.a.continues}})
		queries = append(queries, &again)
	}
	if err := s.send(queries...); err != nil {
		return nil, err
	}
	out := make([]starlark.Value, len(all))
	for i, p := range all {
		if out[i], err = p.a.completions(); err != nil {
			return nil, err
		}
	}
	return starlark.NewList(out), nil
}

// completions returns the replies as ask() gives them. A refusal that was not reckoned with is an error, which ends the
// sample.
func (a *asked) completions() (starlark.Value, error) {
	out := make([]starlark.Value, len(a.replies))
	for i, r := range a.replies {
		if r.call.Failure != "" && !a.mayFail {
			return nil, &refusal{r.call.Failure}
		}
		r.call.Steps = steps.Read(r.call.Stage, r.response.Text, a.continues)
		out[i] = &completion{response: r.response, call: r.call, continues: a.continues}
	}
	if a.many {
		return starlark.NewList(out), nil
	}
	return out[0], nil
}

// asking reads the arguments of ask() and fills the template.
func (s *session) asking(name string, args starlark.Tuple, named []starlark.Tuple) (*asked, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("%s: want one template's name, or messages, first", name)
	}
	o, err := s.options(name, named)
	if err != nil {
		return nil, err
	}
	var turns []llm.Message
	if template, ok := starlark.AsString(args[0]); ok {
		if turns, err = s.fill(template, o.vars); o.stage == "" {
			o.stage = stageOf(template)
		}
	} else if len(o.vars.all) > 0 {
		return nil, fmt.Errorf("%s: messages are filled already: give the variables to prompt(...)", name)
	} else {
		turns, err = conversation(args[0])
	}
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, fmt.Errorf("%s: there is no message", name)
	}
	if n := sizeOf(turns); n > mostAsked {
		return nil, fmt.Errorf("%s: a prompt of %d bytes: %d are the most", name, n, mostAsked)
	}
	if o.stage == "" {
		o.stage = s.part.kind
	}
	q := &query{request: s.part.kit.request(o.about, o.stage, *o.sample, o.params, turns), stage: o.stage, n: 1}
	q.request.Tools = o.tools
	if o.n != nil {
		q.n = *o.n
	}
	return &asked{q, o.n != nil, o.mayFail, lastLine(turns[len(turns)-1].Text) == "SELECT"}, nil
}

// generate is the stage of a template named prompt: the one call of most methods.
const generate = "generate"

// stageOf names the stage of a template's calls.
func stageOf(template string) string {
	if template == "prompt" {
		return generate
	}
	return template
}

// simple is what a folder of one template asks: prompt.jinja with the demonstrations that the arm chooses.
func (s *session) simple() (starlark.Value, error) {
	demos, err := s.demos(s.q, s.part.kit.arm.Exemplars)
	if err != nil {
		return nil, err
	}
	turns, err := s.fill("prompt", variables{all: map[string]any{"demos": toJinja(demos)}})
	if err != nil {
		return nil, err
	}
	k := s.part.kit
	q := &query{request: k.request(s.q.ID, generate, s.sample, prompting.Params(k.model), turns), stage: generate, n: 1}
	if err := s.send(q); err != nil {
		return nil, err
	}
	return (&asked{q, false, true, lastLine(turns[len(turns)-1].Text) == "SELECT"}).completions()
}

// options reads the named arguments of ask(): its own, and the template's variables.
func (s *session) options(name string, named []starlark.Tuple) (o asking, err error) {
	var settings, stage, about starlark.String
	var n, sample, temperature, maxTokens, stop, tools starlark.Value
	var mayFail bool
	own := map[string]any{"stage": &stage, "settings": &settings, "about": &about, "n": &n, "sample": &sample, "temperature": &temperature,
		"max_tokens": &maxTokens, "stop": &stop, "tools": &tools, "may_fail": &mayFail}
	for _, kv := range named {
		key := string(kv[0].(starlark.String))
		to, ok := own[key]
		if !ok {
			if err := o.vars.add(s, key, kv[1]); err != nil {
				return o, err
			}
			continue
		}
		if err := starlark.UnpackArgs(name, nil, []starlark.Tuple{kv}, key, to); err != nil {
			return o, err
		}
	}
	o.stage, o.settings, o.about, o.mayFail = string(stage), string(settings), string(about), mayFail
	if o.about == "" {
		o.about = s.q.ID
	}
	return o, s.numbers(name, &o, n, sample, temperature, maxTokens, stop, tools)
}

// numbers reads the arguments that change the request.
func (s *session) numbers(name string, o *asking, n, sample, temperature, maxTokens, stop, tools starlark.Value) error {
	settings := o.settings
	if settings == "" && s.part.kind == Fix {
		settings = Fix
	}
	model, err := s.part.kit.stage(settings)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	o.params = prompting.Params(model)
	number := s.sample
	if n != nil && n != starlark.None {
		o.n = new(int)
		if err := whole64(name, "n", n, 1, o.n); err != nil {
			return err
		}
		number *= *o.n // samples that each ask for several share none
	}
	if err := whole64(name, "sample", sample, 0, &number); err != nil {
		return err
	}
	o.sample = &number
	if err := whole64(name, "max_tokens", maxTokens, 0, &o.params.MaxTokens); err != nil {
		return err
	}
	if temperature != nil {
		t, ok := starlark.AsFloat(temperature)
		if !ok || !(t >= 0 && t <= 2) {
			return fmt.Errorf("%s: temperature = %v: want a number from 0 to 2", name, temperature)
		}
		o.params.Temperature = t
	}
	if stop != nil && stop != starlark.None {
		if o.params.Stop, err = texts(stop); err != nil {
			return fmt.Errorf("%s: stop: %w", name, err)
		}
		if len(o.params.Stop) == 0 {
			o.params.Stop = nil
		}
	}
	o.tools, err = toolsOf(tools)
	return err
}

// mostAsked bounds a prompt, in bytes.
const mostAsked = 4 << 20

// most bounds what n, sample and max_tokens may be.
const most = 1 << 30

// whole64 reads a whole number of at least low; none leaves the number as it is.
func whole64(name, arg string, v starlark.Value, low int, to *int) error {
	if v == nil || v == starlark.None {
		return nil
	}
	n, err := starlark.AsInt32(v)
	if err != nil || n < low || n > most {
		return fmt.Errorf("%s: %s = %v: want a whole number of at least %d", name, arg, v, low)
	}
	*to = n
	return nil
}

// tool is a function that the model may call.
type tool struct {
	base
	t llm.Tool
}

func (t *tool) String() string { return t.t.Name }
func (t *tool) Type() string   { return "tool" }

// toolsOf reads the tools offered.
func toolsOf(v starlark.Value) (out []llm.Tool, err error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	seq, ok := v.(starlark.Sequence)
	if !ok {
		return nil, fmt.Errorf("tools: want a list of tool(name, description), not a %s", v.Type())
	}
	it := seq.Iterate()
	defer it.Done()
	for x := starlark.Value(nil); it.Next(&x); {
		t, ok := x.(*tool)
		if !ok {
			return nil, fmt.Errorf("tools: want tool(name, description), not a %s", x.Type())
		}
		out = append(out, t.t)
	}
	return out, nil
}

// promptFunc is prompt(template, **vars): the messages that ask() would send.
func promptFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, template, vars, err := filling(t, b, args, named)
	if err != nil {
		return nil, err
	}
	turns, err := s.fill(template, vars)
	return &messages{all: turns}, err
}

// textFunc is text(template, **vars): the filled template as one text.
func textFunc(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, template, vars, err := filling(t, b, args, named)
	if err != nil {
		return nil, err
	}
	out, err := s.text(template, vars)
	return starlark.String(out), err
}

// filling reads the arguments of prompt() and text().
func filling(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (s *session, template string, vars variables, err error) {
	if s, err = host(t, b); err != nil {
		return nil, "", vars, err
	}
	if len(args) == 1 {
		template, _ = starlark.AsString(args[0])
	}
	if template == "" {
		return nil, "", vars, fmt.Errorf("%s: want one template's name first", b.Name())
	}
	for _, kv := range named {
		if err := vars.add(s, string(kv[0].(starlark.String)), kv[1]); err != nil {
			return nil, "", vars, err
		}
	}
	return s, template, vars, nil
}

// variables are what a template is filled with, as Jinja sees it.
type variables struct {
	all   map[string]any
	bytes int // that are held for them, until the template is filled
}

// add adds a value of Starlark, written out anew.
func (v *variables) add(s *session, name string, x starlark.Value) error {
	bytes, err := star.Bound(x)
	if err == nil {
		err = s.hold(bytes)
	}
	if err != nil {
		return err
	}
	if v.all == nil {
		v.all = map[string]any{}
	}
	v.bytes += bytes
	v.all[name] = toJinja(x)
	return nil
}

// fill fills a template of the folder as messages.
func (s *session) fill(template string, vars variables) ([]llm.Message, error) {
	defer s.drop(s.held - vars.bytes)
	t, err := s.part.template(template)
	if err != nil {
		return nil, err
	}
	parts, err := t.Metered(&s.work, s.hold).Messages(s.scope(vars.all))
	if err == nil {
		err = s.filled()
	}
	if err != nil {
		return nil, err
	}
	out := make([]llm.Message, len(parts))
	for i, m := range parts {
		out[i] = llm.Message{Role: llm.Role(m.Role), Text: m.Text}
	}
	return out, nil
}

// text fills a template of the folder as one text.
func (s *session) text(template string, vars variables) (string, error) {
	defer s.drop(s.held - vars.bytes)
	t, err := s.part.template(template)
	if err != nil {
		return "", err
	}
	if s.depth++; s.depth > deepest {
		return "", fmt.Errorf("text: templates name each other more than %d deep", deepest)
	}
	defer func() { s.depth-- }()
	out, err := t.Metered(&s.work, s.hold).Text(s.scope(vars.all))
	if err == nil {
		err = s.filled()
	}
	return out, err
}

// mostWork bounds what filling templates may take in a call of a part: about ten seconds.
const mostWork = 640 << 20

// filled refuses to go on where templates took too much work.
func (s *session) filled() error {
	if s.work > mostWork {
		return errors.New("the templates of this call do too much work: they loop too long or make too much text")
	}
	return nil
}

// deepest bounds templates that name each other by text().
const deepest = 20
