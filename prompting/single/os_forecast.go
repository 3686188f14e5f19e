package single

import (
	"context"
	"fmt"
	"slices"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/sql/schema"
)

// Prompts returns the messages that Answer sends first for sample 0.
func (s *synthetic) Prompts(q prompting.Question) ([]llm.Message, error) {
	o, err := s.forecast(q, func(llm.Request) (llm.Response, bool, error) { return llm.Response{}, false, nil })
	if err != nil {
		return nil, fmt.Errorf("single: prompt %q: %w", q.ID, err)
	}
	return o.Known[0].Request.Messages, nil
}

// Forecast lists the calls that choose columns and write examples, and one per sample for the query. A prompt that
// repeats a completion that is not known is open.
func (s *synthetic) Forecast(q prompting.Question, held prompting.Held) (prompting.Outlook, error) {
	o, err := s.forecast(q, held)
	if err != nil {
		return o, fmt.Errorf("single: forecast %q: %w", q.ID, err)
	}
	return o, nil
}

func (s *synthetic) forecast(q prompting.Question, held prompting.Held) (o prompting.Outlook, err error) {
	if q.Schema == nil {
		return o, fmt.Errorf("question %q has no schema", q.ID)
	}
	v := &view{synthetic: s, q: q, held: held, out: &o}
	if err := v.ask(); err != nil {
		return o, err
	}
	if v.unknown > 0 {
		return o, v.open()
	}
	return o, v.generate()
}

// view is the state of one forecast.
type view struct {
	*synthetic
	q    prompting.Question
	held prompting.Held
	out  *prompting.Outlook

	sure    []Example // the prompts for the query will show them
	likely  []Example // they may
	unknown int       // requests for examples whose completions are not known
	after   string    // key of the first request whose completion is not known
}

// ask forecasts the requests before those for the query.
func (v *view) ask() error {
	db, known, err := v.choose()
	if err != nil {
		return err
	}
	requests, err := v.first(v.q)
	if err != nil {
		return err
	}
	if v.set.Source == fromModel && v.set.Tables > 0 && known {
		r, err := v.tables(v.q, db)
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	for _, r := range requests {
		if err := v.see(r); err != nil {
			return err
		}
	}
	if !known {
		if err := v.openTables(); err != nil {
			return err
		}
	}
	given, err := v.given(v.q)
	v.likely = append(v.likely, given...)
	if v.unknown == 0 {
		v.sure = append(v.sure, given...)
	}
	return err
}

// choose forecasts the choice of columns; known reports whether its outcome is.
func (v *view) choose() (db *schema.Database, known bool, err error) {
	if v.chooser == nil || v.q.Whole != nil {
		return v.q.Schema, true, nil
	}
	chosen, known, err := v.chooser.Forecast(v.q, v.held, v.out)
	for _, k := range v.out.Known {
		if !k.Held && v.after == "" {
			v.after = k.Request.Key()
		}
	}
	return chosen.Schema, known, err
}

// see forecasts one request for examples.
func (v *view) see(r request) error {
	call := v.writer.Request(r.stage, r.about, 0, r.messages)
	resp, ok, err := v.out.See(r.stage, call, v.held)
	if err != nil {
		return err
	}
	if !ok {
		v.unknown++
		if v.after == "" {
			v.after = call.Key()
		}
		return nil
	}
	kept, _, err := v.keep(context.Background(), v.q, r, resp.Text)
	v.likely = append(v.likely, kept...)
	if v.unknown == 0 {
		v.sure = append(v.sure, kept...)
	}
	return err
}

// openTables returns the request over columns that are not known yet: over none at least, over all at most.
func (v *view) openTables() error {
	least, err := v.tables(v.q, &schema.Database{Name: v.q.Schema.Name})
	if err != nil {
		return err
	}
	most, err := v.tables(v.q, v.q.Schema)
	v.unknown++
	v.out.Open = append(v.out.Open, prompting.Open{Stage: "tables", After: v.after, Low: 1, High: 1,
		Least: [][]llm.Message{least.messages}, Most: [][]llm.Message{most.messages}})
	return err
}

// open returns the calls for the query where not all examples are known: each shows those of at most so many
// completions.
func (v *view) open() error {
	n := v.Samples()
	o := prompting.Open{Stage: "generate", After: v.after, Low: n, High: n, Echoes: n * v.unknown}
	for sample := range n {
		least, err := v.messages(v.q, sample, distinct(v.sure))
		if err != nil {
			return err
		}
		most, err := v.messages(v.q, sample, append(distinct(v.likely), Example{}))
		if err != nil {
			return err
		}
		o.Least, o.Most = append(o.Least, least), append(o.Most, most)
	}
	v.out.Open = append(v.out.Open, o)
	return nil
}

// generate returns the calls for the query where all examples are known.
func (v *view) generate() error {
	var before []llm.Message
	for sample := range v.Samples() {
		messages, err := v.messages(v.q, sample, distinct(v.likely))
		if err != nil {
			return err
		}
		if _, _, err := v.out.See("generate", v.Request("generate", v.q.ID, sample, messages), v.held); err != nil {
			return err
		}
		v.out.Known[len(v.out.Known)-1].Shared = sample > 0 && slices.EqualFunc(messages, before, llm.Message.Equal)
		before = messages
	}
	return nil
}
