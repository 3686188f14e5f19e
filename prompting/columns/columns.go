// Package columns lets the model choose the columns that a question needs, and cuts the schema down to them.
//
// A [Selector] prints the schema, asks the model, either once per column or once for all columns, parses the columns
// from the answers, adds those that the question names if the settings say so, and cuts the schema to them and the keys
// that join them. This is the column selection of CHESS (Talaei et al. 2024), which CHASE-SQL adopts for its synthetic
// examples. The wording of the prompts is assay's own.
//
// A failed call, or an answer that cannot be parsed, must never remove a column.
package columns

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

// The ways to choose, as configs.Columns.Use has them.
const (
	None    = "none"
	OneCall = "one-call"
	Each    = "each"
)

// Filters lists the ways to choose.
var Filters = configs.Choices{
	{ID: None, Shows: "all columns"},
	{ID: OneCall, Shows: "one call that lists the columns needed"},
	{ID: Each, Shows: "one call a column, as CHESS does: exact, and costly on wide schemas"},
}

//go:embed prompts/*.tmpl
var prompts embed.FS

// PromptHash identifies the text that this package puts into prompts: "sha256:" and the hexadecimal SHA-256 of its
// templates and of what package render adds.
func PromptHash() string {
	h := sha256.New()
	for _, name := range []string{OneCall, Each} {
		b, err := prompts.ReadFile("prompts/" + name + ".tmpl")
		if err != nil { // unreachable: the templates are embedded
			b = []byte(err.Error())
		}
		fmt.Fprintf(h, "%s %d\n", name, len(b))
		h.Write(b)
	}
	fmt.Fprintf(h, "render %s\n", render.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Selection is what was chosen for a question.
type Selection struct {
	Columns []schema.ColumnName // in the schema's order, with those that the question names where these are kept; empty where no answer named one
	Schema  *schema.Database    // cut down to them and what joins them; the whole where Columns is empty
	Calls   []prompting.Call    // in the order made; a note of each says in [Format] what it chose
}

// Linked returns the selection as an answer records it, under a stage's name.
func (s Selection) Linked(stage string) prompting.Linked {
	return prompting.Linked{Stage: stage, Chosen: s.Columns, Shown: s.Schema.Columns()}
}

// Selector chooses columns. It is safe for concurrent use.
type Selector struct {
	use   string
	names bool // keep the columns whose names the question mentions too
	kit   *prompting.Kit
	text  *template.Template
}

// New makes a selector that asks d.Model in the way named, OneCall or Each, with the parameters of that
// stage and without the stop sequences, which its generators' prompts need.
func New(use string, d prompting.Deps, arm configs.Arm, seed int64) (*Selector, error) {
	if use != OneCall && use != Each {
		return nil, fmt.Errorf("columns: use %q: unknown (there are %s, %s)", use, OneCall, Each)
	}
	arm.Exemplars = configs.Exemplars{}
	arm.Model = arm.Stages.Columns.Over(arm.Model)
	arm.Schema.Shuffle, arm.Model.Stop = false, nil
	kit, err := prompting.NewKit("columns", d, arm, seed)
	if err != nil {
		return nil, fmt.Errorf("columns: use %q: %w", use, err)
	}
	text, err := template.ParseFS(prompts, "prompts/"+use+".tmpl")
	if err != nil {
		return nil, fmt.Errorf("columns: use %q: %w", use, err)
	}
	return &Selector{use, arm.Columns.Names, kit, text}, nil
}

// prompt is one request of a selection, and the column it is about: none where it is about all.
type prompt struct {
	messages []llm.Message
	about    schema.ColumnName
}

// Prompts returns the messages of every call that Select makes, in order. None depends on another's answer.
func (s *Selector) Prompts(q prompting.Question) ([][]llm.Message, error) {
	all, err := s.prompts(q)
	if err != nil {
		return nil, fmt.Errorf("columns: prompt %q: %w", q.ID, err)
	}
	out := make([][]llm.Message, len(all))
	for i, p := range all {
		out[i] = p.messages
	}
	return out, nil
}

func (s *Selector) prompts(q prompting.Question) ([]prompt, error) {
	if q.Schema == nil {
		return nil, fmt.Errorf("question %q has no schema", q.ID)
	}
	system, err := prompting.Fill(s.text, "system", nil)
	if err != nil {
		return nil, err
	}
	if s.use == OneCall {
		input, err := s.kit.Input(q, 0, false)
		if err != nil {
			return nil, err
		}
		return []prompt{{messages: conversation(system, input)}}, nil
	}
	var out []prompt
	for _, t := range q.Schema.Tables {
		for _, c := range t.Columns {
			input, err := prompting.Fill(s.text, "input", s.view(q, t.Name, c))
			if err != nil {
				return nil, err
			}
			out = append(out, prompt{conversation(system, input), schema.ColumnName{Table: t.Name, Column: c.Name}})
		}
	}
	return out, nil
}

func conversation(system, user string) []llm.Message {
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}
}

// view returns a column as the template of Each sees it: every text on one line, values as many as the schema shows
// rows.
func (s *Selector) view(q prompting.Question, table string, c schema.Column) map[string]string {
	shown := append(append([]string(nil), c.Found...), c.Samples[:min(len(c.Samples), render.Others(q.Schema, c, s.kit.Arm().Schema.Rows))]...)
	for i := range shown {
		shown[i] = clip(shown[i], 60)
	}
	return map[string]string{
		"Name": clip(c.Name, 100), "Table": clip(table, 100), "Type": clip(c.Type, 60), "Values": strings.Join(shown, ", "),
		"Meaning": clip(c.Meaning, 200), "Description": clip(c.Description, 200), "Means": clip(c.Values, 200),
		"Evidence": prompting.OneLine(q.Evidence), "Question": prompting.OneLine(q.Text),
	}
}

func clip(text string, n int) string {
	r := []rune(prompting.OneLine(text))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "..."
}

// Select asks the model. The error is for what ends the run: a call that gave no completion, or one that cannot be
// read, drops nothing.
func (s *Selector) Select(ctx context.Context, q prompting.Question) (Selection, error) {
	all, err := s.prompts(q)
	var calls []prompting.Call
	var answers []answer
	for _, p := range all {
		r, aerr := s.kit.Ask(ctx, s.Stage(), q.ID, 0, p.messages)
		if err = aerr; err != nil {
			break
		}
		a := s.read(q.Schema, p, r.Response.Text, r.Failure == "")
		r.Call.Note = a.note
		answers, calls = append(answers, a), append(calls, r.Call)
	}
	if err != nil {
		return Selection{}, fmt.Errorf("columns: select for %q: %w", q.ID, err)
	}
	out := s.gather(q, answers)
	out.Calls = calls
	return out, nil
}

// Stage returns what a trace calls a call of the selector.
func (s *Selector) Stage() string {
	if s.use == Each {
		return "column"
	}
	return "columns"
}

// answer is what one call said.
type answer struct {
	chosen []schema.ColumnName
	note   string
}

// read reads one completion; answered is false where there is none.
func (s *Selector) read(db *schema.Database, p prompt, completion string, answered bool) (a answer) {
	if s.use == OneCall {
		if a.chosen = parse(completion, db); len(a.chosen) == 0 {
			return answer{note: "no columns"}
		}
		return answer{a.chosen, Format(a.chosen)}
	}
	relevant, ok := Relevant(completion)
	switch {
	case !answered || !ok:
		return answer{[]schema.ColumnName{p.about}, Format([]schema.ColumnName{p.about}) + ": no answer, kept"}
	case relevant:
		return answer{[]schema.ColumnName{p.about}, Format([]schema.ColumnName{p.about})}
	}
	return answer{note: "no columns"}
}

// gather puts the answers together, and to what they choose the columns that the question names.
func (s *Selector) gather(q prompting.Question, answers []answer) (out Selection) {
	for _, a := range answers {
		out.Columns = append(out.Columns, a.chosen...)
	}
	if s.names && len(out.Columns) > 0 {
		out.Columns = append(out.Columns, named(q.Schema, values.Keywords(q.Text, q.Evidence))...)
	}
	out.Columns = ordered(q.Schema, out.Columns)
	out.Schema = q.Schema.Cut(q.Schema.Joined(out.Columns))
	return out
}
