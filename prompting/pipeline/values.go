package pipeline

import (
	"context"
	_ "embed" // for the template below
	"fmt"
	"slices"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/sql/engine"
	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

//go:embed prompts/keywords.tmpl
var keywordsText string

var keywords = template.Must(template.New("keywords").Parse(keywordsText))

// byModel is the setting by which the model extracts the keywords.
const byModel = "model"

var (
	// ValueColumns lists the ways to choose the columns whose values are searched.
	ValueColumns = configs.Choices{
		{ID: values.Content, Shows: "columns that hold names or words, whatever type they declare"},
		{ID: values.Chess, Shows: "CHESS's rule: columns declared TEXT, less those excluded by name and length"},
	}
	// Keywords lists the ways to extract the keywords that are looked up.
	Keywords = configs.Choices{{ID: "rules", Shows: "rules over the question's words, offline"}, {ID: byModel, Shows: "the model, in one call a question"}}
)

// finder looks up the values that a question mentions. It is safe for concurrent use.
type finder struct {
	set  configs.Values
	kit  *prompting.Kit // asks for keywords; nil where rules find them
	open func(ctx context.Context, db engine.DB, o values.Options) (*values.Index, error)
	own  bool // an index that open returns is to be closed after use
}

func newFinder(d prompting.Deps, arm configs.Arm, seed int64) (*finder, error) {
	f := &finder{set: arm.Values, open: d.Values}
	if f.open == nil {
		f.open, f.own = values.Open, true
	}
	if f.set.Keywords != byModel {
		return f, nil
	}
	arm.Exemplars = configs.Exemplars{}
	arm.Model = arm.Stages.Keywords.Over(arm.Model)
	arm.Model.Stop = nil // what ends a generator's answer need not end a list
	var err error
	f.kit, err = prompting.NewKit("values", d, arm, seed)
	return f, err
}

// asks reports whether a call finds the keywords of a question.
func (f *finder) asks(q prompting.Question) bool { return f.kit != nil && !q.Database.None() }

// messages returns the prompt that asks for keywords.
func (f *finder) messages(q prompting.Question) ([]llm.Message, error) {
	system, err := prompting.Fill(keywords, "system", nil)
	if err != nil {
		return nil, err
	}
	user, err := prompting.Fill(keywords, "input", map[string]string{"Question": prompting.OneLine(q.Text), "Evidence": prompting.OneLine(q.Evidence)})
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}, err
}

// attach puts the values that are found into the question's schema, and what was asked and found into a. A question
// without a database file has none. Where the model gives no keywords, the rules do.
func (f *finder) attach(ctx context.Context, q prompting.Question, a *prompting.Answer) (prompting.Question, error) {
	if !f.asks(q) {
		return f.find(ctx, q, nil, a)
	}
	messages, err := f.messages(q)
	if err != nil {
		return q, err
	}
	r, err := f.kit.Ask(ctx, "keywords", q.ID, 0, messages)
	if err != nil {
		return q, err
	}
	words := values.ParseKeywords(r.Response.Text)
	q, err = f.find(ctx, q, words, a)
	r.Call.Note = strings.Join(words, " | ")
	if len(words) == 0 {
		r.Call.Note = "no keywords: by rules"
	}
	if n := len(a.Linked); n > 0 {
		r.Call.Note += fmt.Sprintf(" (%d values)", len(a.Linked[n-1].Values))
	}
	a.Trace = append(a.Trace, r.Call)
	return q, err
}

// find looks keywords up, or those of the rules where there are none, and records in a what it found.
func (f *finder) find(ctx context.Context, q prompting.Question, words []string, a *prompting.Answer) (prompting.Question, error) {
	if q.Database.None() {
		return q, nil
	}
	index, err := f.open(ctx, q.Database, values.Options{Columns: f.set.Columns})
	if err != nil {
		return q, err
	}
	if f.own {
		defer index.Close()
	}
	matches, err := index.Find(ctx, values.Query{Question: q.Text, Evidence: q.Evidence, Keywords: words, K: f.set.K}, nil)
	if err != nil {
		return q, err
	}
	found := make([]prompting.LinkedValue, len(matches))
	for i, m := range matches {
		found[i] = prompting.LinkedValue{ColumnName: m.ColumnName, Value: m.Value}
	}
	a.Linked = append(a.Linked, prompting.Linked{Stage: "values", Values: found})
	q.Schema = withValues(q.Schema, found, f.set.Show)
	return q, nil
}

// withValues returns a copy of a description whose columns have the values found in them, the best first, as prompts of
// an arm that looks values up show it. Show is values.show: which examples are shown besides them.
func withValues(db *schema.Database, found []prompting.LinkedValue, show string) *schema.Database {
	out := *db
	out.Examples = examples[show]
	out.Tables = slices.Clone(db.Tables)
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Columns = slices.Clone(t.Columns)
		for j := range t.Columns {
			c := &t.Columns[j]
			c.Found = nil
			for _, v := range found {
				if strings.EqualFold(v.Table, t.Name) && strings.EqualFold(v.Column, c.Name) && !slices.Contains(c.Found, v.Value) {
					c.Found = append(c.Found, v.Value)
				}
			}
		}
	}
	return &out
}
