package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/prompting"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/tools"
)

// How a dialogue ends.
const (
	endDone     = "done"
	endRepeated = "repeated"
	endBad      = "bad"
	endTurns    = "turns"
	endWall     = "wall"
	endFailure  = "failure"
)

// Observations and notes that do not come from a tool.
const (
	sayNoQuery  = "Error: Done() ends the work only after a query was run by ExecuteSQL. Run the query that answers the question first."
	sayRepeated = "Error: this is word for word what the turn before wrote, so the work ends here."
	sayTurns    = " [No turn is left: the work ends here.]"
	sayWall     = "Error: the time for the question is over, so the work ends here."
	sayBad      = " [No usable action in %d turns in a row: the work ends here.]"
	sayNoFile   = "The database has no file here: the query was noted, and not run."
	sayNoLook   = "Error: the database has no file here, so that there is nothing to look at."
	sayOneCall  = "Not performed: one action a turn."
)

// maxObservation bounds an observation in bytes, whatever a tool says.
const maxObservation = 6 << 10

// query is a statement that a dialogue has run.
type query struct {
	sql  string
	ok   bool // it ran without an error
	void bool // it returned nothing, or next to nothing
}

// dialogue is the state of one dialogue.
type dialogue struct {
	*method
	q        prompting.Question
	sample   int    // number of the candidate
	first    int    // number of the first completion of each turn
	prefix   string // of the stages
	ask      asker
	set      *tools.Set
	deadline time.Time // no turn begins after it; zero: none

	messages []llm.Message
	trace    []prompting.Call
	queries  []query
	before   string // what the turn before wrote
	last     string // the completion of the turn before, all of it
	bad      int    // turns in a row without a usable action
	end      string // how it ended; empty while it goes on
	failure  string // why the model gave no completion
}

// begin starts the try-th dialogue of a sample. Completions are numbered so that no two dialogues of a question share
// one, and more samples leave those before as they are where nothing is begun again.
func (m *method) begin(q prompting.Question, set *tools.Set, sample, try int, at time.Time) (*dialogue, error) {
	messages, err := m.opening(q, sample)
	if err != nil {
		return nil, err
	}
	votes := max(m.agent.Votes, 1)
	d := &dialogue{method: m, q: q, sample: sample, first: (try*m.Samples() + sample) * votes, set: set.Fresh(), messages: messages}
	if m.agent.Wall > 0 {
		d.deadline = at.Add(time.Duration(m.agent.Wall))
	}
	if try > 0 {
		d.prefix = fmt.Sprintf("redo %d: ", try)
	}
	return d, nil
}

// hold conducts the dialogue turn by turn until it ends. The note of the last call says how it ended.
func (d *dialogue) hold(ctx context.Context) error {
	for n := 1; d.end == ""; n++ {
		if d.late() {
			d.end = endWall
			break
		}
		if err := d.turn(ctx, n); err != nil {
			return err
		}
	}
	if n := len(d.trace); n > 0 {
		d.trace[n-1].Note = strings.TrimSpace(d.trace[n-1].Note + " (end: " + d.end + ")")
	}
	return nil
}

// late reports whether the question's time is over.
func (d *dialogue) late() bool { return !d.deadline.IsZero() && !d.now().Before(d.deadline) }

// step is one completion of a turn.
type step struct {
	Turn
	reply     prompting.Reply
	key       string // the action in canonical form; empty where there is none
	performed bool
	seen      tools.Observation
}

// turn asks for the next step, takes one of the completions and performs its action.
func (d *dialogue) turn(ctx context.Context, n int) error {
	replies, err := d.ask(ctx, fmt.Sprintf("%sturn %d", d.prefix, n), d.q.ID, d.first, max(d.agent.Votes, 1), d.messages, d.offered)
	if err != nil {
		return err
	}
	steps := make([]step, len(replies))
	for i, r := range replies {
		steps[i] = d.read(r)
	}
	taken, err := d.take(ctx, steps)
	d.note(steps, taken)
	switch {
	case err != nil:
		return err
	case taken < 0:
		d.end = endFailure
		return nil
	}
	d.goOn(n, &steps[taken], &d.trace[len(d.trace)-len(steps)+taken])
	return nil
}

// read reads a completion.
func (d *dialogue) read(r prompting.Reply) step {
	s := step{reply: r}
	if r.Failure != "" {
		return s
	}
	if d.offered != nil {
		s.Turn = readCalls(r.Response)
	} else {
		s.Turn = readTurn(r.Response.Text)
	}
	if s.Err == nil {
		s.key = s.Action.String()
	}
	return s
}

// note writes the turn into the trace.
func (d *dialogue) note(steps []step, taken int) {
	for i, s := range steps {
		c := s.reply.Call
		switch {
		case s.reply.Failure != "":
		case s.key == "":
			c.Note = "no action"
		default:
			c.Note = s.key
		}
		if i != taken && c.Note != "" {
			c.Note = "not taken: " + c.Note
		}
		c.Observation = s.seen.Text
		d.trace = append(d.trace, c)
	}
}

// goOn appends the step taken to the dialogue, and ends the dialogue where a bound is met.
func (d *dialogue) goOn(n int, s *step, call *prompting.Call) {
	if d.bad++; !s.seen.Bad {
		d.bad = 0
	}
	if s.seen.SQL != "" {
		d.queries = append(d.queries, query{s.seen.SQL, s.seen.Failure == "" && !s.seen.Bad, s.seen.Void || s.seen.Bad})
	}
	d.last = s.reply.Response.Text
	switch {
	case d.end == endWall: // a tool took what was left
	case s.key == tools.Done+"()" && !s.seen.Bad:
		d.end = endDone
	case s.Text == d.before && n > 1:
		d.end, call.Observation = endRepeated, sayRepeated
	case d.bad >= max(d.agent.Bad, 1):
		d.end = endBad
		call.Observation += fmt.Sprintf(sayBad, d.bad)
	case n >= max(d.agent.Turns, 1):
		d.end = endTurns
		call.Observation += sayTurns
	}
	d.before = s.Text
	if d.end == "" {
		d.messages = append(slices.Clip(d.messages), d.exchange(s)...)
	}
}

// exchange returns what a step adds to the prompts after it: what the model wrote, and what came of it.
func (d *dialogue) exchange(s *step) []llm.Message {
	if calls := s.reply.Response.ToolCalls; d.offered != nil && len(calls) > 0 {
		out := []llm.Message{s.reply.Response.Answered(), calls[0].Answered(s.seen.Text)}
		for _, c := range calls[1:] {
			out = append(out, c.Answered(sayOneCall))
		}
		return out
	}
	return []llm.Message{{Role: llm.Assistant, Text: s.Text}, {Role: llm.User, Text: "Observation: " + s.seen.Text}}
}

// perform does what a step asks for. What the model did wrong is said in the observation.
func (d *dialogue) perform(ctx context.Context, s *step) (err error) {
	s.performed = true
	switch name := s.Action.Name; {
	case s.Err == errNone:
		s.seen = tools.Observation{Bad: true, Text: "Error: there is no action in this. End the turn with a line such as Action: " + d.example()}
	case s.Err != nil:
		s.seen = tools.Misread(s.Err)
	case s.key == tools.Done+"()" && len(d.queries) == 0:
		s.seen = tools.Observation{Bad: true, Text: sayNoQuery}
	case d.q.Database.None() && name == tools.ExecuteSQL && len(s.Action.Args) == 1 && !s.Action.Args[0].IsList && !s.Action.Args[0].Bare:
		s.seen = tools.Observation{Text: sayNoFile, SQL: s.Action.Args[0].Text}
	case d.q.Database.None() && (name == tools.ExecuteSQL || name == tools.SearchColumn || name == tools.SearchValue):
		s.seen = tools.Observation{Bad: true, Text: sayNoLook}
	default:
		err = d.call(ctx, s)
	}
	s.seen.Text = bounded(s.seen.Text)
	return err
}

// call lets a tool work, within what is left of the question's time.
func (d *dialogue) call(ctx context.Context, s *step) (err error) {
	within, cancel := ctx, context.CancelFunc(func() {})
	if !d.deadline.IsZero() {
		within, cancel = context.WithTimeout(ctx, d.deadline.Sub(d.now()))
	}
	defer cancel()
	s.seen, err = d.set.Call(within, s.Action)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		d.end, s.seen = endWall, tools.Observation{Text: sayWall, Bad: true}
		return nil
	}
	return err
}

// example returns an action that the tools that are on allow.
func (d *dialogue) example() string {
	if d.has(tools.SearchColumn) {
		return `SearchColumn("year of birth")`
	}
	return `ExecuteSQL("SELECT count(*) FROM ...")`
}

func bounded(text string) string {
	if len(text) > maxObservation {
		return strings.ToValidUTF8(text[:maxObservation], "") + "..."
	}
	return text
}

// chosen returns the query that the answer rule takes; nil where none was run.
func (d *dialogue) chosen() *query {
	if len(d.queries) == 0 {
		return nil
	}
	fits := func(query) bool { return true }
	switch d.agent.Answer {
	case lastNonStar:
		fits = func(q query) bool { return !star(q.sql) }
	case lastValid:
		fits = func(q query) bool { return q.ok }
	}
	for i := len(d.queries) - 1; i >= 0; i-- {
		if fits(d.queries[i]) {
			return &d.queries[i]
		}
	}
	return &d.queries[len(d.queries)-1]
}

// star reports whether a query begins with SELECT * FROM.
func star(sql string) bool {
	words := strings.Fields(sql)
	return len(words) > 2 && strings.EqualFold(words[0], "select") && words[1] == "*" && strings.EqualFold(words[2], "from")
}

// candidate returns the dialogue's answer. Its rule is that of the settings, followed by the end where that is not
// "done". If no query was run, the answer is the SQL of the last completion, if it has any.
func (d *dialogue) candidate() prompting.Candidate {
	c := prompting.Candidate{Sample: d.sample, Generator: d.name}
	if d.end == endFailure {
		c.Failure = d.failure
		return c
	}
	if q := d.chosen(); q != nil {
		c.SQL, c.Rule = q.sql, d.agent.Answer
		if d.end != endDone {
			c.Rule += ", " + d.end
		}
		return c
	}
	found := extract.SQL(d.last, extract.Options{})
	c.SQL, c.Rule = found.SQL, found.Rule
	return c
}

// void reports whether the answer returns nothing, or next to nothing, so that the dialogue is due again.
func (d *dialogue) void() bool {
	q := d.chosen()
	return d.end != endFailure && d.end != endWall && (q == nil || q.void || !q.ok)
}
