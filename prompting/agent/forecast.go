package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/prompting"
	"assay/prompting/llm"
)

// errUnknown ends a replay: the completion that comes next is not held.
var errUnknown = errors.New("the completion is not held")

// Forecast replays the dialogues with the completions that held returns, tools included, up to the first that it lacks.
// The number of turns after that is open.
func (m *method) Forecast(q prompting.Question, held prompting.Held) (o prompting.Outlook, err error) {
	if q.Schema == nil {
		return o, fmt.Errorf("agent: forecast %q: question %q has no schema", q.ID, q.ID)
	}
	set, err := m.toolset(q)
	if err != nil {
		return o, fmt.Errorf("agent: forecast %q: %w", q.ID, err)
	}
	for sample := range m.Samples() {
		r := replay{method: m, held: held, out: &o}
		var trace []prompting.Call
		if _, err := m.sample(context.Background(), q, set, sample, r.ask, &trace); err != nil && !errors.Is(err, errUnknown) {
			return o, fmt.Errorf("agent: forecast %q: %w", q.ID, err)
		} else if err != nil {
			o.Open = append(o.Open, r.open()...)
		}
	}
	return o, nil
}

// replay is a model that answers a dialogue from held completions alone.
type replay struct {
	*method
	held  prompting.Held
	out   *prompting.Outlook
	begun int           // dialogues begun
	turns int           // turns begun in the last of them
	stuck []llm.Message // the prompt whose completions are not all known
	after string        // key of the first that is not
}

// ask looks every completion of a turn up, and lists them all.
func (r *replay) ask(_ context.Context, stage, item string, first, n int, messages []llm.Message, tools []llm.Tool) (out []prompting.Reply, err error) {
	if r.turns++; strings.HasSuffix(stage, "turn 1") {
		r.begun, r.turns = r.begun+1, 1
	}
	for i := range n {
		req := r.Request(stage, item, first+i, messages)
		req.Tools = tools
		resp, ok, err := r.out.See(strings.TrimRight(stage, " 0123456789"), req, r.held)
		if err != nil {
			return nil, err
		}
		r.out.Known[len(r.out.Known)-1].Shared = i > 0
		if !ok && r.stuck == nil {
			r.stuck, r.after = messages, req.Key()
		}
		out = append(out, prompting.Reply{Response: resp, Call: prompting.Call{Stage: stage, Sample: req.Sample, Key: req.Key(), Usage: resp.Usage}})
	}
	if r.stuck != nil {
		return nil, errUnknown
	}
	return out, nil
}

// open returns the turns after the one whose completions are not known: at least one where that is the first, which
// ends no dialogue, and at most all that are left, of this dialogue and of those that may take its place.
func (r *replay) open() []prompting.Open {
	votes, all := max(r.agent.Votes, 1), max(r.agent.Turns, 1)
	left, tries := all-r.turns, r.agent.Redo+1-r.begun
	calls, grown := 0, 0 // and the observations in their prompts that are not known yet
	for i := 1; i <= left; i++ {
		calls, grown = calls+votes, grown+votes*i
	}
	for range tries {
		for i := range all {
			calls, grown = calls+votes, grown+votes*i
		}
	}
	if calls == 0 {
		return nil
	}
	o := prompting.Open{Stage: "turn", After: r.after, High: calls, Echoes: grown,
		Why: fmt.Sprintf("at most %d turns a dialogue with %s each, begun again at most %d times", all, completions(votes), r.agent.Redo)}
	if r.turns == 1 && left > 0 && r.agent.Bad > 1 {
		o.Low = votes
	}
	least := r.stuck[:2]
	if left > 0 {
		least = seen(r.stuck, 1, "")
	}
	for range max(o.Low, 1) {
		o.Least = append(o.Least, least)
		o.Most = append(o.Most, seen(r.stuck, (grown+calls-1)/calls, strings.Repeat("x", maxObservation+longestEnd)))
	}
	return []prompting.Open{o}
}

// longestEnd bounds, in bytes, what follows a bounded observation.
const longestEnd = 8

// seen returns a prompt with n more observations.
func seen(messages []llm.Message, n int, text string) []llm.Message {
	out := append([]llm.Message(nil), messages...)
	for range n {
		out = append(out, llm.Message{Role: llm.User, Text: "Observation: " + text})
	}
	return out
}

func completions(n int) string {
	if n == 1 {
		return "1 completion"
	}
	return fmt.Sprintf("%d completions", n)
}
