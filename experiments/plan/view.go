package plan

import (
	"context"
	"slices"
	"strings"

	"assay/configs"
	"assay/experiments/cost"
	"assay/prompting"
	"assay/prompting/llm"
)

// echoFrame bounds the tokens that a method writes around a completion that it repeats in a prompt, such as quotes and a
// heading.
const echoFrame = 8

// view is the forecast of one question under one cell and seed, with its tokens counted.
type view struct {
	known []known
	open  []open
	why   string
}

// known is a call whose prompt is known.
type known struct {
	stage        string
	key          string // empty where only the prompt is known
	tokens       int64  // 0 where held
	frames       []identity
	held, shared bool
}

// open is a group of calls that depend on a completion that the ledger lacks.
type open struct {
	stage, why  string
	low, high   int64
	least, most []int64 // tokens of each prompt, at least and at most, without repeated completions
	echoes      int64   // how often the prompts repeat a completion of unknown length
	same, frame identity
	anyQuestion bool // its prompt does not contain the question, so another question may make the same call
}

// view forecasts one question.
func (f *forecaster) view(ctx context.Context, m prompting.Method, c cell, seed int64, q prompting.Question) (v view, err error) {
	o, why, err := f.calls(ctx, m, q)
	if err != nil {
		return v, err
	}
	v.why = why
	for _, k := range o.Known {
		x := known{stage: k.Stage, held: k.Held, shared: k.Shared}
		if why == "" {
			x.key = k.Request.Key()
			if x.frames, err = frames(k.Request.Author, k.Request.Params.Seed != nil, seed, k.Request.Messages); err != nil {
				return v, err
			}
		}
		if !k.Held {
			if x.tokens, err = c.of(k.Stage).tokens(ctx, k.Request); err != nil {
				return v, err
			}
		}
		v.known = append(v.known, x)
	}
	for _, p := range o.Open {
		x, err := c.open(seed, q, o, p)
		if err != nil {
			return v, err
		}
		v.open = append(v.open, x)
	}
	return v, nil
}

// open counts the tokens of calls that depend on a completion, and identifies them.
func (c cell) open(seed int64, q prompting.Question, o prompting.Outlook, p prompting.Open) (x open, err error) {
	x = open{stage: p.Stage, why: p.Why, low: int64(p.Low), high: int64(p.High), echoes: int64(p.Echoes)}
	x.least = c.of(p.Stage).eachPrompt(p.Least)
	x.most = x.least
	if p.Most != nil {
		x.most = c.of(p.Stage).eachPrompt(p.Most)
	}
	x.anyQuestion = !slices.ContainsFunc(p.Least[0], func(m llm.Message) bool { return strings.Contains(m.Text, prompting.OneLine(q.Text)) })
	if x.same, err = same(c.arm, seed, q, o, p); err != nil {
		return x, err
	}
	x.frame, err = framed(c.arm, seed, p)
	return x, err
}

// eachPrompt counts the tokens of prompts that are not known to the last byte. They are counted here, as a provider could
// only count a prompt that will be sent.
func (r rates) eachPrompt(prompts [][]llm.Message) []int64 {
	out := make([]int64, len(prompts))
	for i, messages := range prompts {
		out[i] = r.counter.Prompt(Messages(messages))
	}
	return out
}

// sum adds up the views of one cell.
type sum struct{ lines []cost.Line }

// line returns the line of a stage, and adds it where it is new.
func (s *sum) line(stage string, r rates) *cost.Line {
	i := slices.IndexFunc(s.lines, func(l cost.Line) bool { return l.Stage == stage })
	if i < 0 {
		i = len(s.lines)
		s.lines = append(s.lines, cost.Line{Stage: stage, Exact: r.exact(), USD: cost.Money{Unknown: !r.priced}})
	}
	return &s.lines[i]
}

// add counts a view of a cell, given with its position. A call equal to one that r has counted, in any cell, costs nothing:
// the ledger answers it.
func (s *sum) add(v view, c cell, number int, r *repeats) {
	pays := false // an earlier call with the same prompt pays for it
	for _, k := range v.known {
		rate := c.of(k.stage)
		l := s.line(k.stage, rate)
		l.Calls = l.Calls.Plus(cost.Exactly(1))
		l.Why = v.why
		pays = pays && k.shared
		if k.held || !r.first(k.key, number) {
			l.Ledger++
			continue
		}
		least := k.tokens
		if pays && rate.shares {
			least = 0
		}
		pays = true
		l.Ask = l.Ask.Plus(cost.Exactly(1))
		l.Prompt = l.Prompt.Plus(cost.Range{Low: least, High: k.tokens})
		l.Output += rate.output
		l.USD.Low += rate.price.Sum(k.tokens, least, 0)
		l.USD.High += rate.price.USD(k.tokens, rate.output)
	}
	repeated, sure := r.opens(v)
	for i, o := range v.open {
		s.addOpen(o, c.of(o.stage), c.own.output+echoFrame, repeated[i], sure[i])
	}
}

// addOpen counts calls that depend on an unknown completion, which adds at most echo tokens where a prompt repeats it. It
// counts none where they repeat calls already counted, otherwise at least those that are surely calls of their own.
func (s *sum) addOpen(o open, r rates, echo int64, repeated bool, sure int64) {
	l := s.line(o.stage, r)
	l.Calls = l.Calls.Plus(cost.Range{Low: o.low, High: o.high})
	if o.why != "" {
		l.Why = o.why
	}
	if repeated {
		l.Ledger += o.low
		return
	}
	l.Ask = l.Ask.Plus(cost.Range{Low: sure, High: o.high})
	for _, n := range slices.Sorted(slices.Values(o.least[:o.low]))[:sure] {
		l.Prompt.Low += n
		l.USD.Low += r.price.USD(n, 0)
	}
	var last, most int64
	for i, n := range o.most {
		last = max(last, n)
		if int64(i) < o.low {
			most += n
		}
	}
	most += (o.high-o.low)*last + o.echoes*echo
	l.Prompt.High += most
	l.Output += o.high * r.output
	l.USD.High += r.price.Sum(last+o.high*echo, most, o.high*r.output)
}

// finish fills in the arm, model and sweep point of the lines.
func (s *sum) finish(c configs.Cell, items int) []cost.Line {
	for i := range s.lines {
		l := &s.lines[i]
		l.Arm, l.Label, l.Model, l.Items = c.Arm.Name, c.Arm.Label, cost.ModelName(cost.ModelOf(c.Arm, l.Stage)), items
		l.Point = c.Values()
	}
	return s.lines
}
