package choose

import (
	"context"
	"fmt"
	"strings"

	"assay/prompting"
	"assay/prompting/llm"
	"assay/prompting/outcome"
	"assay/prompting/render"
	"assay/prompting/sql/schema"
)

// entry is one candidate as selection sees it.
type entry struct {
	index  int    // in the pool
	sql    string // as a prompt prints it
	result string // identity of what running it gave
	ran    bool
	text   string // what running it gave, as a prompt prints it
	uses   []schema.ColumnName
}

// entries runs the candidates at these positions, equal ones once. Two results are one where they have the same rows,
// in whatever order. Two errors are one where SQLite says the same of both: to Algorithm 3 an error is a result like
// another. Without a database file nothing is known, and only queries that read the same are taken to return the same.
func (s *setup) entries(ctx context.Context, q prompting.Question, cs []prompting.Candidate, pool []int) ([]entry, error) {
	var out []entry
	known := map[string]entry{}
	for _, i := range pool {
		e, ok := known[cs[i].SQL]
		if !ok {
			var err error
			if e, err = s.entry(ctx, q, cs[i].SQL); err != nil {
				return nil, err
			}
			known[cs[i].SQL] = e
		}
		e.index = i
		out = append(out, e)
	}
	return out, nil
}

func (s *setup) entry(ctx context.Context, q prompting.Question, sql string) (e entry, err error) {
	o, err := outcome.Run(ctx, s.box, q.Database, sql)
	if err != nil {
		return e, err
	}
	e = entry{sql: outcome.Flat(sql), ran: o.OK(), text: o.Text()}
	switch {
	case o.OK():
		e.result = "rows " + o.Result.MultisetDigest()
	case o.Unknown():
		e.result, e.text = "unknown "+e.sql, "not run"
	default:
		e.result = "error " + o.Err.Err.Error()
	}
	e.uses, err = s.uses(ctx, q, sql)
	return e, err
}

// view is a candidate as templates see it.
type view struct{ Name, SQL, Result string }

// messages builds the prompt that shows these candidates under these names, with the union of what they use.
func (s *setup) messages(q prompting.Question, shown []entry, names []string) ([]llm.Message, error) {
	var views []view
	var uses [][]schema.ColumnName
	for i, e := range shown {
		views = append(views, view{names[i], e.sql, e.text})
		uses = append(uses, e.uses)
	}
	text, err := render.Schema(union(q.Schema, uses...), s.arm.Schema)
	if err != nil {
		return nil, err
	}
	return s.prompt(q, text, views)
}

func (s *setup) prompt(q prompting.Question, schema string, views []view) ([]llm.Message, error) {
	system, err := prompting.Fill(s.text, "system", nil)
	if err != nil {
		return nil, err
	}
	input, err := prompting.Fill(s.text, "input", map[string]any{"Schema": strings.TrimRight(schema, "\n"),
		"Question": prompting.OneLine(q.Text), "Evidence": prompting.OneLine(q.Evidence), "Candidates": views})
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: input}}, err
}

// maxEcho bounds, in characters, how much of an answer that cannot be read is repeated to the model.
const maxEcho = 200

// ask sends the messages, and once more with a reminder where read cannot read the answer. The note of each call says
// what was read.
func (s *setup) ask(ctx context.Context, item string, messages []llm.Message, what string, read func(string) string) (calls []prompting.Call, answer string, err error) {
	for range 2 {
		r, err := s.kit.Ask(ctx, "choose", item, 0, messages)
		if err != nil {
			return calls, "", err
		}
		if r.Failure == "" {
			answer = read(r.Response.Text)
			r.Call.Note = fmt.Sprintf("%s: %s", what, answer)
		}
		if r.Failure == "" && answer == "" {
			r.Call.Note = what + ": an answer that cannot be read"
		}
		calls = append(calls, r.Call)
		if r.Failure != "" || answer != "" {
			break
		}
		if messages, err = s.reminded(messages, r.Response.Text); err != nil {
			return calls, "", err
		}
	}
	return calls, answer, nil
}

// reminded adds the answer and a reminder of its form.
func (s *setup) reminded(messages []llm.Message, answer string) ([]llm.Message, error) {
	text, err := prompting.Fill(s.text, "reminder", nil)
	echo := []rune(prompting.OneLine(strings.ToValidUTF8(answer, "\uFFFD")))
	if len(echo) > maxEcho {
		echo = append(echo[:maxEcho], '.', '.', '.')
	}
	if len(echo) == 0 {
		echo = []rune("...")
	}
	return append(messages[:len(messages):len(messages)],
		llm.Message{Role: llm.Assistant, Text: string(echo)}, llm.Message{Role: llm.User, Text: text}), err
}

// tied breaks a tie between entries, given by position: the earliest, or the one whose result most share, then the
// earliest. Queries that do not run share nothing.
func (s *setup) tied(entries []entry, best []int) int {
	if s.arm.Selection.Tie != byConsistency {
		return best[0]
	}
	pick, most := best[0], -1
	for _, i := range best {
		if n := shares(entries, i); n > most {
			pick, most = i, n
		}
	}
	return pick
}

// shares returns how many candidates ran and returned what the one at i did, itself included.
func shares(entries []entry, i int) int {
	n := 0
	for _, e := range entries {
		if e.ran && e.result == entries[i].result {
			n++
		}
	}
	return n
}
