package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/script/star"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// message is one turn of a conversation.
type message struct {
	base
	m llm.Message
}

func (m *message) String() string      { return fmt.Sprintf("%s(%q)", m.m.Role, m.m.Text) }
func (m *message) Type() string        { return "message" }
func (m *message) AttrNames() []string { return []string{"role", "text"} }

// Attr returns the role or the text.
func (m *message) Attr(name string) (starlark.Value, error) {
	switch name {
	case "role":
		return starlark.String(m.m.Role), nil
	case "text":
		return starlark.String(m.m.Text), nil
	}
	return nil, nil
}

// messages is a conversation: what prompt() returns. It can be compared with ==, and extended with + [user(text)].
type messages struct {
	base
	all []llm.Message
}

var (
	_ starlark.Comparable = (*messages)(nil)
	_ starlark.HasBinary  = (*messages)(nil)
	_ starlark.Sequence   = (*messages)(nil)
)

func (m *messages) String() string             { return fmt.Sprintf("%d messages", len(m.all)) }
func (m *messages) Type() string               { return "messages" }
func (m *messages) Len() int                   { return len(m.all) }
func (m *messages) Index(i int) starlark.Value { return &message{m: m.all[i]} }
func (m *messages) Size() int                  { return sizeOf(m.all) }
func (m *messages) Iterate() starlark.Iterator { return list(m.all, messageOf).Iterate() }

// mostMessages bounds a conversation.
const mostMessages = 10_000

// sizeOf is the bytes of messages.
func sizeOf(all []llm.Message) (n int) {
	for _, m := range all {
		n += 128 + len(m.Text)
	}
	return n
}

func messageOf(m llm.Message) starlark.Value { return &message{m: m} }

// CompareSameType implements == and !=.
func (m *messages) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	equal := slices.EqualFunc(m.all, y.(*messages).all, llm.Message.Equal)
	switch op {
	case syntax.EQL:
		return equal, nil
	case syntax.NEQ:
		return !equal, nil
	}
	return false, fmt.Errorf("messages are only compared with == and !=")
}

// Binary implements + with a list of messages, or with more of them.
func (m *messages) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if op != syntax.PLUS || side == starlark.Right {
		return nil, nil
	}
	more, err := conversation(y)
	if err != nil {
		return nil, err
	}
	if len(m.all)+len(more) > mostMessages {
		return nil, fmt.Errorf("a conversation of more than %d messages", mostMessages)
	}
	return &messages{all: slices.Concat(m.all, more)}, nil
}

// conversation reads messages: what prompt() returned, or a list of system(t), user(t), assistant(t) and tool_result(c, t).
func conversation(v starlark.Value) (out []llm.Message, err error) {
	if m, ok := v.(*messages); ok {
		return m.all, nil
	}
	seq, ok := v.(starlark.Sequence)
	if !ok {
		return nil, fmt.Errorf("want a template's name, or messages, not a %s", v.Type())
	}
	it := seq.Iterate()
	defer it.Done()
	for x := starlark.Value(nil); it.Next(&x); {
		m, ok := x.(*message)
		if !ok {
			return nil, fmt.Errorf("want messages, system(t), user(t), assistant(t) or tool_result(call, t), not a %s", x.Type())
		}
		out = append(out, m.m)
	}
	return out, nil
}

// completion is what ask() returns.
type completion struct {
	base
	response  llm.Response
	call      *prompting.Call
	continues bool // the prompt ended in the word SELECT, which the completion goes on after
	once      sync.Once
	sql       extract.Found
	frozen    bool // samples share it
}

// Freeze implements starlark.Value.
func (c *completion) Freeze() { c.frozen = true }

func (c *completion) String() string { return fmt.Sprintf("completion(%q)", c.response.Text) }
func (c *completion) Type() string   { return "completion" }
func (c *completion) AttrNames() []string {
	return []string{"calls", "failure", "finish", "key", "logprob", "note", "note_examples", "observe", "reasoning", "rule", "sql", "text", "truncated"}
}

// found returns the SQL of the completion.
func (c *completion) found() extract.Found {
	c.once.Do(func() { c.sql = extract.SQL(c.response.Text, extract.Options{Continuation: c.continues}) })
	return c.sql
}

// Attr returns an attribute. Of a refusal, text and sql are empty, and failure says why.
func (c *completion) Attr(name string) (starlark.Value, error) {
	text := func(s string) (starlark.Value, error) { return starlark.String(s), nil }
	switch name {
	case "text":
		return text(c.response.Text)
	case "reasoning":
		return text(c.response.Reasoning)
	case "sql":
		return text(c.found().SQL)
	case "rule":
		return text(c.found().Rule)
	case "truncated":
		return starlark.Bool(c.found().Truncated), nil
	case "finish":
		return text(c.response.Finish)
	case "key":
		return text(c.call.Key)
	case "failure":
		return text(c.call.Failure)
	case "logprob":
		if c.response.Logprob == nil {
			return starlark.None, nil
		}
		return starlark.Float(c.response.Logprob.Total), nil
	case "calls":
		return list(c.response.ToolCalls, func(t llm.ToolCall) starlark.Value { return &toolCall{call: t} }), nil
	case "note":
		return method(c.note).named(name), nil
	case "note_examples":
		return method(c.noteExamples).named(name), nil
	case "observe":
		return method(c.observe).named(name), nil
	}
	return nil, nil
}

// errFrozen is of what prepare() returned: samples share it, and would write over each other.
var errFrozen = errors.New("the completion is of prepare(), and samples share it: note what there is to note within prepare()")

// mostNoted bounds what a trace says of one completion, in bytes.
const mostNoted = 1 << 20

// add adds a text to the call's note.
func (c *completion) add(sep, text string) {
	if text != "" && c.call.Note != "" {
		text = c.call.Note + sep + text
	}
	c.call.Note = cmp.Or(text, c.call.Note)
}

// noted holds texts that go into the trace, for the length of the call.
func noted(t *starlark.Thread, all ...string) error {
	s, ok := t.Local(star.HostKey).(*session)
	if !ok {
		return nil
	}
	n := 0
	for _, text := range all {
		n += len(text)
	}
	return s.hold(n)
}

// note is c.note(*parts, sep = "; "): what the trace says of the completion.
func (c *completion) note(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	sep := "; "
	if c.frozen {
		return nil, errFrozen
	}
	if err := starlark.UnpackArgs("note", nil, named, "sep?", &sep); err != nil {
		return nil, err
	}
	for _, a := range args {
		text, ok := starlark.AsString(a)
		if !ok {
			text = a.String()
		}
		if len(c.call.Note)+len(text) > mostNoted {
			return nil, fmt.Errorf("note: more than %d bytes about one completion", mostNoted)
		}
		if err := noted(t, text); err != nil {
			return nil, err
		}
		c.add(sep, text)
	}
	return starlark.None, nil
}

// noteExamples is c.note_examples(sqls): the queries of examples that the prompt shows, for reports on them.
func (c *completion) noteExamples(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var sqls *starlark.List
	if c.frozen {
		return nil, errFrozen
	}
	if err := starlark.UnpackArgs("note_examples", args, named, "sqls", &sqls); err != nil {
		return nil, err
	}
	all, err := texts(sqls)
	if err == nil {
		err = noted(t, all...)
	}
	if err == nil && c.call.Failure == "" {
		c.call.Note = exemplar.NoteSQL(c.call.Note, all)
	}
	return starlark.None, err
}

// observe is c.observe(text): what a tool answered to the completion.
func (c *completion) observe(t *starlark.Thread, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	if c.frozen {
		return nil, errFrozen
	}
	var text string
	err := starlark.UnpackArgs("observe", args, named, "text", &text)
	if err == nil {
		err = noted(t, text)
	}
	if err == nil {
		c.call.Observation = strings.Clone(text) // perhaps a piece of a longer one
	}
	return starlark.None, err
}

// toolCall is a call that the model made by the provider's function calling.
type toolCall struct {
	base
	call llm.ToolCall
}

func (c *toolCall) String() string      { return c.call.Name + c.call.Arguments }
func (c *toolCall) Type() string        { return "tool_call" }
func (c *toolCall) AttrNames() []string { return []string{"arguments", "name"} }

// Attr returns the tool's name, or the arguments as the model wrote them: JSON.
func (c *toolCall) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(c.call.Name), nil
	case "arguments":
		return starlark.String(c.call.Arguments), nil
	}
	return nil, nil
}

// candidate is one SQL of a pool, or what candidate(sql) makes.
type candidate struct {
	base
	c       prompting.Candidate
	index   int
	of      *candidate // that it was handed in as; nil for what candidate() made
	dropped bool       // the fixer removes it from the pool
}

// poolOf returns candidates as a part gets them.
func poolOf(cs []prompting.Candidate) []*candidate {
	out := make([]*candidate, len(cs))
	for i, c := range cs {
		out[i] = &candidate{c: c, index: i}
		out[i].of = out[i]
	}
	return out
}

func (c *candidate) String() string { return fmt.Sprintf("candidate(%q)", c.c.SQL) }
func (c *candidate) Type() string   { return "candidate" }
func (c *candidate) AttrNames() []string {
	return []string{"failure", "generator", "index", "rule", "sample", "sql"}
}

// Attr returns an attribute.
func (c *candidate) Attr(name string) (starlark.Value, error) {
	switch name {
	case "sql":
		return starlark.String(c.c.SQL), nil
	case "rule":
		return starlark.String(c.c.Rule), nil
	case "failure":
		return starlark.String(c.c.Failure), nil
	case "generator":
		return starlark.String(c.c.Generator), nil
	case "sample":
		return starlark.MakeInt(c.c.Sample), nil
	case "index":
		return starlark.MakeInt(c.index), nil
	}
	return nil, nil
}

// newCandidate is candidate(sql = "", rule = "method", failure = "").
func newCandidate(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c prompting.Candidate
	if err := starlark.UnpackArgs(b.Name(), args, named, "sql?", &c.SQL, "rule?", &c.Rule, "failure?", &c.Failure); err != nil {
		return nil, err
	}
	switch {
	case c.Failure != "": // as of a refusal that ends the sample
		c.SQL, c.Rule = "", ""
	case c.Rule == "" || c.SQL == "" && c.Rule == byMethod:
		c.Rule = ruleOf(c.SQL)
	}
	return &candidate{c: c}, nil
}

// byMethod is the rule of SQL that the method states.
const byMethod = "method"

// ruleOf is the rule of a text that a method returns as SQL.
func ruleOf(sql string) string {
	if sql == "" {
		return extract.None
	}
	return byMethod
}

// replace is replace(c, sql = , rule = , trigger = , tries = , fixed = ): the candidate as a fixer leaves it.
func replace(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c *candidate
	if len(args) == 0 {
		return nil, fmt.Errorf("%s: want a candidate first", b.Name())
	}
	c, ok := args[0].(*candidate)
	if !ok {
		return nil, fmt.Errorf("%s: want a candidate first, not a %s", b.Name(), args[0].Type())
	}
	out := *c
	x := &out.c
	if err := starlark.UnpackArgs(b.Name(), args[1:], named, "sql?", &x.SQL, "rule?", &x.Rule, "trigger?", &x.Trigger, "tries?", &x.Tries, "fixed?", &x.Fixed); err != nil {
		return nil, err
	}
	if x.SQL == "" && c.c.SQL != "" {
		return nil, fmt.Errorf("%s: sql is empty, and the candidate has a query: return c as it is, or drop(c)", b.Name())
	}
	if x.SQL != c.c.SQL {
		x.Original = c.c.SQL
	} else {
		x.Rule = c.c.Rule
	}
	return &out, nil
}

// drop is drop(c): the candidate leaves the pool.
func drop(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var c *candidate
	if err := starlark.UnpackArgs(b.Name(), args, named, "c", &c); err != nil {
		return nil, err
	}
	out := *c
	out.dropped = true
	return &out, nil
}

// choice is what choose() returns.
type choice struct {
	base
	index int
	why   string
	c     *candidate // nil where there are no candidates
}

// chosen returns the index and the reason of what choose() returned, which must be one of the pool as it was handed in: the
// query of another would be silently left out.
func (s *session) chosen(v starlark.Value) (int, string, error) {
	c, ok := v.(*choice)
	switch {
	case !ok:
		return 0, "", s.part.returned(v, "choice(c, why)")
	case c.c == nil && len(s.pool) > 0:
		return 0, "", fmt.Errorf("choose() returned a choice of None among %d candidates: return choice(c, why)", len(s.pool))
	case c.c != nil && !slices.Contains(s.pool, c.c):
		return 0, "", errors.New("choose() returned a candidate that is none of cs: it can choose, and not change one or make another")
	}
	return c.index, c.why, nil
}

func (c *choice) String() string      { return fmt.Sprintf("choice(%d)", c.index) }
func (c *choice) Type() string        { return "choice" }
func (c *choice) AttrNames() []string { return []string{"candidate", "why"} }

// Attr returns the candidate, None where there is none, or the reason.
func (c *choice) Attr(name string) (starlark.Value, error) {
	switch {
	case name == "why":
		return starlark.String(c.why), nil
	case name != "candidate":
		return nil, nil
	case c.c == nil:
		return starlark.None, nil
	}
	return c.c, nil
}

// newChoice is choice(c, why): None where there are no candidates.
func newChoice(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	out := &choice{index: -1}
	if err := starlark.UnpackArgs(b.Name(), args, named, "c", &v, "why", &out.why); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case starlark.NoneType:
	case *candidate:
		out.index, out.c = v.index, v
	default:
		return nil, fmt.Errorf("%s: want one of the candidates, or None, not a %s", b.Name(), v.Type())
	}
	return out, nil
}

// mostVotes bounds the comparisons of one question: those of 300 candidates.
const mostVotes = 100_000

// vote is vote(a, b, winner, by, key = ""): one comparison of two candidates, a shown first. winner is a, b or None; by
// is "execution", "model" or "reused".
func vote(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	s, err := host(t, b)
	if err != nil {
		return nil, err
	}
	var first, second *candidate
	var winner starlark.Value
	v := prompting.Vote{Winner: -1, Order: "forward"}
	if err := starlark.UnpackArgs(b.Name(), args, named, "a", &first, "b", &second, "winner", &winner, "by", &v.DecidedBy, "key?", &v.Key); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"execution", "model", "reused"}, v.DecidedBy) {
		return nil, fmt.Errorf("%s: by = %q: want execution, model or reused", b.Name(), v.DecidedBy)
	}
	if s.pool != nil && !(slices.Contains(s.pool, first) && slices.Contains(s.pool, second)) {
		return nil, fmt.Errorf("%s: a and b must be two of the candidates that choose() was given", b.Name())
	}
	if v.A, v.B = first.index, second.index; v.B < v.A {
		v.Order = "reverse"
	}
	w, ok := winner.(*candidate)
	switch {
	case ok && (w == first || w == second):
		v.Winner = w.index
	case winner != starlark.None:
		return nil, fmt.Errorf("%s: winner = %v: want a, b or None", b.Name(), winner)
	}
	if len(s.votes) == mostVotes {
		return nil, fmt.Errorf("%s: more than %d votes about one question", b.Name(), mostVotes)
	}
	s.votes = append(s.votes, v)
	return starlark.None, nil
}

// lastLine returns the last line of a text.
func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
