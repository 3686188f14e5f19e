package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/choose"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

// replay is a model that answers from held completions alone. The context carries its session, because the pipeline's
// parts are shared between questions.
type replay struct{}

// errUnknown ends a replay: the completion that comes next is not held.
var errUnknown = errors.New("the completion is not held")

// session is one replay: the completions held, and the requests made.
type session struct {
	held  prompting.Held
	asked []prompting.Foreseen // their stages are those of at: empty before fixer and selection
}

type sessionKey struct{}
type stageKey struct{}

// at says in which stage the calls below are made.
func at(ctx context.Context, stage string) context.Context {
	if ctx.Value(sessionKey{}) == nil { // a replay alone wants to know
		return ctx
	}
	return context.WithValue(ctx, stageKey{}, stage)
}

// Generate answers from what is held.
func (replay) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return llm.Response{}, errUnknown
	}
	stage, _ := ctx.Value(stageKey{}).(string)
	resp, ok, err := s.held(r)
	s.asked = append(s.asked, prompting.Foreseen{Stage: stage, Request: r, Held: ok})
	if err == nil && !ok {
		err = errUnknown
	}
	return resp, err
}

// Forecast replays the question with the held completions. After the first completion that is missing, it adds the
// calls whose requests are known all the same, and bounds for those that depend on the missing one.
//
// A replay runs the queries of held candidates, as Answer does, because fixer and selection depend on their results.
func (p *pipeline) Forecast(q prompting.Question, held prompting.Held) (prompting.Outlook, error) {
	o, err := p.forecast(q, held)
	if err != nil {
		return o, fmt.Errorf("pipeline: forecast %q: %w", q.ID, err)
	}
	return o, nil
}

func (p *pipeline) forecast(q prompting.Question, held prompting.Held) (o prompting.Outlook, err error) {
	if q.Schema == nil {
		return o, fmt.Errorf("question %q has no schema", q.ID)
	}
	s := &session{held: held}
	a, err := p.again.answer(context.WithValue(context.Background(), sessionKey{}, s), q)
	switch {
	case err == nil:
		return named(s.asked, a.Trace), nil
	case !errors.Is(err, errUnknown):
		return o, err
	}
	if q, err = described(q, p.descriptions); err != nil {
		return o, err
	}
	v := &view{pipeline: p, held: held, out: &o, least: q, most: q, exact: true}
	for _, part := range []func() error{v.values, v.choice, v.candidates} {
		if err := part(); err != nil {
			return o, err
		}
	}
	return o, v.rest(s)
}

// named returns a replay's requests the stages of its trace.
func named(asked []prompting.Foreseen, trace []prompting.Call) (o prompting.Outlook) {
	stages := map[string]string{}
	for _, c := range trace {
		stages[c.Key] = c.Stage
	}
	for i, k := range asked {
		k.Stage = strings.TrimRight(stages[k.Request.Key()], " 0123456789")
		k.Shared = i > 0 && k.Request.Sample != asked[i-1].Request.Sample && slices.EqualFunc(k.Request.Messages, asked[i-1].Request.Messages, llm.Message.Equal)
		o.Known = append(o.Known, k)
	}
	return o
}

// view is the forecast of a question whose replay met a missing completion.
type view struct {
	*pipeline
	held prompting.Held
	out  *prompting.Outlook

	least, most prompting.Question // the question as the next part sees it, with the least and with the most in its schema
	exact       bool               // they are one
	after       string             // key of the first request whose completion is not known
}

// meet notes the first request that is not held.
func (v *view) meet() {
	for _, k := range v.out.Known {
		if !k.Held && v.after == "" {
			v.after = k.Request.Key()
		}
	}
}

// values forecasts the look-up of values.
func (v *view) values() error {
	if v.finder == nil {
		return nil
	}
	words, known, err := v.finder.forecast(v.least, v.held, v.out)
	if err != nil {
		return err
	}
	v.meet()
	if !known {
		v.exact = false
		v.least.Schema, v.most.Schema = bare(v.least.Schema, v.finder.set.Show), crowded(v.most.Schema, v.finder.set)
		return nil
	}
	v.least, err = v.finder.find(context.Background(), v.least, words, &prompting.Answer{})
	v.most = v.least
	return err
}

// forecast adds the call for keywords to a forecast; known reports whether the keywords are.
func (f *finder) forecast(q prompting.Question, held prompting.Held, o *prompting.Outlook) (words []string, known bool, err error) {
	if !f.asks(q) {
		return nil, true, nil
	}
	messages, err := f.messages(q)
	if err != nil {
		return nil, false, err
	}
	resp, known, err := o.See("keywords", f.kit.Request("keywords", q.ID, 0, messages), held)
	return values.ParseKeywords(resp.Text), known, err
}

// bare returns the schema with no value found and without the examples that values may replace: no schema of the
// question is shorter.
func bare(db *schema.Database, show string) *schema.Database {
	if show == showInstead {
		show = showOnly
	}
	return withValues(db, nil, show)
}

// crowded returns the schema with as many values as are shown, as long as they are printed, in the columns with the
// longest names, and with the examples that they may replace: no schema of the question is longer.
func crowded(db *schema.Database, set configs.Values) *schema.Database {
	if set.Show == showInstead {
		set.Show = showFirst
	}
	all := db.Columns()
	slices.SortStableFunc(all, func(a, b schema.ColumnName) int { return len(b.Table+b.Column) - len(a.Table+a.Column) })
	var found []prompting.LinkedValue
	for i := range set.K {
		if len(all) > 0 {
			c := all[i%len(all)]
			found = append(found, prompting.LinkedValue{ColumnName: c, Value: fmt.Sprint(i, strings.Repeat(" long", 20))})
		}
	}
	return withValues(db, found, set.Show)
}

// choice forecasts the choice of columns.
func (v *view) choice() error {
	if v.columns == nil {
		return nil
	}
	if v.exact {
		chosen, known, err := v.columns.Forecast(v.least, v.held, v.out)
		v.meet()
		if known {
			v.least = cut(v.least, chosen.Schema)
			v.most = v.least
			return err
		}
		v.exact = false
		v.narrow()
		return err
	}
	least, err := v.columns.Prompts(v.least)
	if err != nil {
		return err
	}
	most, err := v.columns.Prompts(v.most)
	if err != nil {
		return err
	}
	v.out.Open = append(v.out.Open, prompting.Open{Stage: v.columns.Stage(), After: v.after, Low: len(least), High: len(least), Least: least, Most: most})
	v.narrow()
	return nil
}

// narrow is what a choice of columns may leave: nothing at least, everything at most.
func (v *view) narrow() {
	v.least = cut(v.least, &schema.Database{Name: v.least.Schema.Name})
	v.most = cut(v.most, v.most.Schema)
}

// candidates forecasts the generators.
func (v *view) candidates() error {
	for _, g := range v.generators {
		f, ok := g.Method.(prompting.Forecaster)
		if !ok {
			return fmt.Errorf("method %q tells nothing of its calls", g.name)
		}
		if err := v.generator(g, f); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) generator(g generator, f prompting.Forecaster) error {
	if v.exact {
		o, err := f.Forecast(v.least, v.held)
		for _, k := range o.Known {
			k.Stage = v.stage(g, k.Stage)
			v.out.Known = append(v.out.Known, k)
		}
		for _, c := range o.Open {
			c.Stage = v.stage(g, c.Stage)
			v.out.Open = append(v.out.Open, c)
		}
		v.meet()
		return err
	}
	nothing := func(llm.Request) (llm.Response, bool, error) { return llm.Response{}, false, nil }
	least, err := f.Forecast(v.least, nothing)
	if err != nil {
		return err
	}
	most, err := f.Forecast(v.most, nothing)
	if err != nil {
		return err
	}
	for _, c := range open(least, most) {
		c.Stage, c.After = v.stage(g, c.Stage), v.after
		v.out.Open = append(v.out.Open, c)
	}
	return nil
}

// open is two forecasts of the same calls, one with the least in its prompts and one with the most, as bounds.
func open(least, most prompting.Outlook) (out []prompting.Open) {
	for i, k := range least.Known {
		if i == 0 || k.Stage != least.Known[i-1].Stage {
			out = append(out, prompting.Open{Stage: k.Stage})
		}
		c := &out[len(out)-1]
		c.Low, c.High = c.Low+1, c.High+1
		c.Least = append(c.Least, k.Request.Messages)
		c.Most = append(c.Most, most.Known[min(i, len(most.Known)-1)].Request.Messages)
	}
	for i, c := range least.Open {
		if i < len(most.Open) {
			m := most.Open[i]
			c.Most, c.High, c.Echoes = m.Bound(), max(c.High, m.High), max(c.Echoes, m.Echoes)
		}
		out = append(out, c)
	}
	return out
}

// rest bounds the calls of fixer and selection. If the replay reached them, their first requests are known.
func (v *view) rest(s *session) error {
	q, n := uncut(v.most), v.samples*len(v.generators)
	fixing := true
	for _, k := range s.asked {
		if k.Stage != "" {
			v.out.Known = append(v.out.Known, k)
			fixing = k.Stage == "fix"
		}
	}
	v.meet()
	if fixing {
		opens, err := v.fixer.Forecast(q, v.after)
		if err != nil {
			return err
		}
		for _, c := range opens {
			c.Low, c.High, c.Echoes = 0, c.High*n, c.Echoes*n
			v.out.Open = append(v.out.Open, c)
		}
	}
	if f, ok := v.chooser.(choose.Forecaster); ok {
		opens, err := f.Forecast(q, n, v.after)
		v.out.Open = append(v.out.Open, opens...)
		return err
	}
	return nil
}
