package single

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/columns"
	"assay/prompting/draw"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/sql/sandbox"
	"assay/prompting/sql/schema"
)

// The sources of examples, as configs.Synthetic.Source has them.
const (
	fromModel  = "os" // as the method
	fromTrain  = "train"
	fromCodes  = "codes"
	fromNobody = "none"
)

// Sources lists where the examples come from (CHASE-SQL, tables 8 and 9).
var Sources = []configs.Source{
	{Choice: configs.Choice{ID: fromModel, Shows: "written by the model for this question: SQL features, then the columns needed"}},
	{Choice: configs.Choice{ID: fromTrain, Shows: "demonstrations of `exemplars.file` (such as train) whose questions are nearest, of other databases"}, Demos: true},
	{Choice: configs.Choice{ID: fromCodes, Shows: "CodeS's augmentation: questions that the model asks of the schema, then templates filled from the schema"}},
	{Choice: configs.Choice{ID: fromNobody, Shows: "no examples"}},
}

// mostShown is how many examples for another database a prompt shows.
const mostShown = 10

// synthetic is method os: examples written for the question's own database, then the query (CHASE-SQL, Algorithm 2).
//
// The examples are made once per question, and its samples share them. Those for SQL features depend on the schema
// alone: all questions of a database send the same request, which the ledger answers from the second on. The examples
// replace the demonstrations. Those of the arm's settings appear in the requests for examples, as examples for another
// database.
type synthetic struct {
	*method
	writer  *prompting.Kit // asks for examples: without the stop sequences that end an answer
	pool    *exemplar.Pool
	box     sandbox.Runner
	chooser *columns.Selector // of the columns for the second kind of examples; nil: all columns
	set     configs.Synthetic
	seed    int64
}

var _ prompting.Method = (*synthetic)(nil)

// newSynthetic makes method os around what asks for the query.
func newSynthetic(m *method, d prompting.Deps, arm configs.Arm, seed int64) (*synthetic, error) {
	s := &synthetic{method: m, pool: d.Pool, box: d.Box, set: arm.Synthetic, seed: seed}
	if s.set.Source == "" {
		s.set.Source = fromModel
	}
	if !configs.ChoicesOf(Sources).Has(s.set.Source) {
		return nil, fmt.Errorf("synthetic.source %q is unknown (there are %s)", s.set.Source, strings.Join(configs.ChoicesOf(Sources).IDs(), ", "))
	}
	if s.set.Runnable && s.box == nil {
		return nil, fmt.Errorf("synthetic.runnable: no sandbox to run examples in")
	}
	if s.set.Source == fromTrain && len(s.pool.Demos()) == 0 {
		return nil, fmt.Errorf("synthetic.source %q: there are no demonstrations", fromTrain)
	}
	own := arm
	own.Model = arm.Stages.Examples.Over(arm.Model)
	own.Model.Stop = nil
	var err error
	if s.writer, err = prompting.NewKit(m.ID, d, own, seed); err != nil {
		return nil, err
	}
	if use := s.set.Columns; s.set.Source == fromModel && s.set.Tables > 0 && use != "" && use != columns.None {
		s.chooser, err = columns.New(use, d, arm, seed)
	}
	return s, err
}

// request is one call that asks for examples.
type request struct {
	stage    string
	about    string // what is asked about: the question's ID, or the database where nothing else is shown
	n        int    // examples asked for
	messages []llm.Message
}

// whole returns the question's schema before columns were chosen.
func whole(q prompting.Question) *schema.Database {
	if q.Whole != nil {
		return q.Whole
	}
	return q.Schema
}

// ask returns a request for n examples over a schema.
func (s *synthetic) ask(stage, about string, n int, db *schema.Database, data map[string]any) (r request, err error) {
	if data == nil {
		data = map[string]any{}
	}
	text, err := render.Schema(db, s.Arm().Schema)
	if err != nil {
		return r, err
	}
	data["Schema"], data["N"] = strings.TrimRight(text, "\n"), n
	system, err := prompting.Fill(s.text, stage+"-system", data)
	if err != nil {
		return r, err
	}
	user, err := prompting.Fill(s.text, stage+"-input", data)
	return request{stage, about, n, []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}}, err
}

// tables returns the request for examples over the columns that the question needs. It shows examples for another
// database: the one of the first demonstration chosen for the question, where any are.
func (s *synthetic) tables(q prompting.Question, db *schema.Database) (request, error) {
	demos, err := s.Demos(q)
	if err != nil {
		return request{}, err
	}
	data := map[string]any{"Shown": []Example(nil)}
	if len(demos) > 0 {
		text, err := render.Schema(demos[0].Schema, s.Arm().Schema)
		if err != nil {
			return request{}, err
		}
		data["Other"], data["Shown"] = strings.TrimRight(text, "\n"), s.shown(demos[0].DB)
	}
	return s.ask("tables", q.ID, s.set.Tables, db, data)
}

// shown returns the first demonstrations of a database, as examples.
func (s *synthetic) shown(db string) (out []Example) {
	for _, d := range s.pool.Demos() {
		if d.DB == db && len(out) < mostShown {
			out = append(out, demoExample(d))
		}
	}
	return out
}

func demoExample(d exemplar.Demo) Example {
	e := Example{prompting.OneLine(d.Question), prompting.OneLine(d.SQL)}
	if d.Evidence != "" {
		e.Question += " (Hint: " + prompting.OneLine(d.Evidence) + ")"
	}
	return e
}

// given returns the examples that no call is needed for.
func (s *synthetic) given(q prompting.Question) ([]Example, error) {
	switch s.set.Source {
	case fromTrain:
		return s.nearest(q)
	case fromCodes:
		return fill(whole(q), s.set.Tables, draw.Rand(s.seed, "universal", q.ID)), nil
	}
	return nil, nil
}

// nearest returns the demonstrations of other databases whose questions are nearest, the nearest last.
func (s *synthetic) nearest(q prompting.Question) (out []Example, err error) {
	n := 0
	for _, d := range s.pool.Demos() {
		if !strings.EqualFold(d.DB, q.DB) {
			n++
		}
	}
	demos, err := s.pool.Select(exemplar.Query{Text: q.Text, DB: q.DB, Schema: q.Schema}, s.seed,
		configs.Exemplars{Strategy: exemplar.Nearest, K: min(n, s.set.Features+s.set.Tables)})
	for _, d := range demos {
		out = append(out, demoExample(d))
	}
	return out, err
}

// first returns the requests for examples that depend on no other answer.
func (s *synthetic) first(q prompting.Question) (out []request, err error) {
	stage := map[string]string{fromModel: "features", fromCodes: "questions"}[s.set.Source]
	if stage == "" || s.set.Features == 0 {
		return nil, nil
	}
	r, err := s.ask(stage, q.DB, s.set.Features, whole(q), nil)
	return []request{r}, err
}

// keep reads the examples of a completion: as many as were asked for at most, and those that run where that is wanted.
// The note says how many.
func (s *synthetic) keep(ctx context.Context, q prompting.Question, r request, completion string) ([]Example, string, error) {
	found := Examples(completion)
	note := fmt.Sprintf("%d of %d examples", min(len(found), r.n), r.n)
	found = found[:min(len(found), r.n)]
	if !s.set.Runnable || q.Database.None() {
		return found, note, nil
	}
	var kept []Example
	for _, e := range found {
		res, err := s.box.Run(ctx, q.Database, e.SQL)
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if err == nil && len(res.Rows) > 0 {
			kept = append(kept, e)
		}
	}
	return kept, note + fmt.Sprintf(", %d of them return rows", len(kept)), nil
}

// messages builds the prompt of one sample around the examples.
func (s *synthetic) messages(q prompting.Question, sample int, examples []Example) ([]llm.Message, error) {
	input, err := s.input(q, sample)
	if err != nil {
		return nil, err
	}
	system, err := prompting.Fill(s.text, "system", map[string]any{"Examples": len(examples), "Own": s.set.Source != fromTrain})
	if err != nil {
		return nil, err
	}
	if len(examples) > 0 {
		text, err := prompting.Fill(s.text, "examples", map[string]any{"Examples": examples})
		if err != nil {
			return nil, err
		}
		input = text + input
	}
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: input}}, nil
}

// Prompts returns the messages that Answer sends first for sample 0.
func (s *synthetic) Prompts(q prompting.Question) ([]llm.Message, error) {
	messages, err := s.opening(q)
	if err != nil {
		return nil, fmt.Errorf("single: prompt %q: %w", q.ID, err)
	}
	return messages, nil
}

func (s *synthetic) opening(q prompting.Question) ([]llm.Message, error) {
	if q.Schema == nil {
		return nil, fmt.Errorf("question %q has no schema", q.ID)
	}
	if s.chooser != nil && q.Whole == nil {
		if all, err := s.chooser.Prompts(q); err != nil || len(all) > 0 {
			return slices.Concat(all[:min(1, len(all))]...), err
		}
	}
	requests, err := s.first(q)
	if err == nil && len(requests) == 0 && s.set.Source == fromModel && s.set.Tables > 0 {
		requests = make([]request, 1)
		requests[0], err = s.tables(q, q.Schema)
	}
	if err != nil {
		return nil, err
	}
	if len(requests) > 0 {
		return requests[0].messages, nil
	}
	examples, err := s.given(q)
	if err != nil {
		return nil, err
	}
	return s.messages(q, 0, distinct(examples))
}

// Answer asks for examples once, then for the query once per sample, and chooses the first sample's. A call that gives
// no examples is in the trace, and the query is asked for without them. The note of the first sample's call has the SQL
// of the examples shown; see exemplar.NotedSQL.
func (s *synthetic) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	a, err := s.answer(ctx, q)
	if err != nil {
		return a, fmt.Errorf("single: answer %q: %w", q.ID, err)
	}
	return a, nil
}

func (s *synthetic) answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	if q.Schema == nil {
		return a, fmt.Errorf("question %q has no schema", q.ID)
	}
	examples, err := s.examples(ctx, q, &a)
	if err != nil {
		return a, err
	}
	asked := make([][]llm.Message, s.Samples())
	for sample := range asked {
		if asked[sample], err = s.messages(q, sample, examples); err != nil {
			return a, err
		}
	}
	replies, err := s.AskAll(ctx, "generate", q.ID, asked)
	if err != nil {
		return a, err
	}
	from := len(a.Trace)
	s.read(replies, &a)
	if made := a.Trace[from:]; len(made) > 0 && made[0].Failure == "" {
		var sql []string
		for _, e := range examples {
			sql = append(sql, e.SQL)
		}
		made[0].Note = exemplar.NoteSQL(made[0].Note, sql)
	}
	return a, nil
}

// examples gathers the examples of every source, in the order in which prompts show them, each once. What was asked and
// chosen for them goes into a.
func (s *synthetic) examples(ctx context.Context, q prompting.Question, a *prompting.Answer) (out []Example, err error) {
	given, err := s.given(q)
	if err != nil {
		return nil, err
	}
	requests, err := s.first(q)
	if err != nil {
		return nil, err
	}
	db, err := s.columns(ctx, q, a)
	if err != nil {
		return nil, err
	}
	if s.set.Source == fromModel && s.set.Tables > 0 {
		r, err := s.tables(q, db)
		if err != nil {
			return nil, err
		}
		requests = append(requests, r)
	}
	for _, r := range requests {
		reply, err := s.writer.Ask(ctx, r.stage, r.about, 0, r.messages)
		if err != nil {
			return nil, err
		}
		if reply.Failure == "" {
			var more []Example
			if more, reply.Call.Note, err = s.keep(ctx, q, r, reply.Response.Text); err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		a.Trace = append(a.Trace, reply.Call)
	}
	return distinct(append(out, given...)), nil
}

// columns returns the schema that the second kind of examples is written for.
func (s *synthetic) columns(ctx context.Context, q prompting.Question, a *prompting.Answer) (*schema.Database, error) {
	if s.chooser == nil || q.Whole != nil {
		return q.Schema, nil
	}
	chosen, err := s.chooser.Select(ctx, q)
	if err != nil {
		return nil, err
	}
	a.Trace, a.Linked = append(a.Trace, chosen.Calls...), append(a.Linked, chosen.Linked("os: columns"))
	return chosen.Schema, nil
}
