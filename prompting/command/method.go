package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/draw"
	"assay/prompting/gateway"
	"assay/prompting/script"
	"assay/prompting/sql/schema"
)

// Method is the program of an arm at one sweep point and seed. It is safe for concurrent use.
type Method struct {
	host  *Host
	deps  prompting.Deps
	arm   configs.Arm
	seed  int64
	print func(*schema.Database) (string, error)
}

var _ prompting.Method = (*Method)(nil)

// Method makes the method of an arm with a command. It starts nothing.
func (h *Host) Method(s script.Setup) (*Method, error) {
	print, err := script.Schemas(s)
	if err != nil {
		return nil, fmt.Errorf("command: arm %q: %w", s.Arm.Name, err)
	}
	return &Method{h, s.Deps, s.Arm, s.Seed, print}, nil
}

// mostKept bounds what is kept of the answers about one question, in bytes, as for methods.
const mostKept = 8 << 20

// Answer asks the program once a sample. Samples of which the program has no answer are candidates with a failure; where it
// lacks a completion in a forecast, the other samples are asked all the same.
func (m *Method) Answer(ctx context.Context, q prompting.Question) (a prompting.Answer, err error) {
	p, err := m.host.program(m.arm, m.Session(q.ID, 0))
	if err != nil {
		return a, err
	}
	var unknown error
	kept := 0
	for sample := range max(m.arm.Model.Samples, 1) {
		in, err := m.Item(q, sample)
		if err != nil {
			return a, m.fail(q, err)
		}
		got, err := m.host.ask(ctx, p, m.arm.Name, m.Session(q.ID, sample), in)
		if errors.Is(err, prompting.ErrUnknown) {
			unknown = err
		} else if err != nil {
			return a, m.fail(q, err)
		}
		if kept += got.size(); kept > mostKept {
			return a, m.fail(q, fmt.Errorf("the candidates and notes of one question have more than %d MB", mostKept>>20))
		}
		m.add(&a, got, sample)
	}
	return a, unknown
}

func (m *Method) fail(q prompting.Question, err error) error {
	return fmt.Errorf("command: arm %q: answer %q: %w", m.arm.Name, q.ID, err)
}

// Item returns the line that the program reads about a sample of a question, without an address.
func (m *Method) Item(q prompting.Question, sample int) (Item, error) {
	if q.Schema == nil {
		return Item{}, errors.New("the question has no schema")
	}
	if m.arm.Schema.Shuffle {
		q.Schema = q.Schema.Shuffled(draw.Rand(m.seed, "schema", q.ID, strconv.Itoa(sample)))
	}
	text, err := m.print(q.Schema)
	if err != nil {
		return Item{}, err
	}
	in := NewItem(q, text)
	in.Seed, in.Sample, in.Samples = m.seed, sample, max(m.arm.Model.Samples, 1)
	in.Model = m.deps.Author.Model
	if own := m.arm.ParamsOf(""); len(own) > 0 {
		in.Params = own
	}
	return in, nil
}

// Session returns what the program's requests about a sample of an item are recorded under.
func (m *Method) Session(item string, sample int) gateway.Session {
	return gateway.Session{Model: m.deps.Model, Author: m.deps.Author, Params: prompting.Params(m.arm.Model), Names: m.arm.Models,
		Seed: m.seed, About: item, Name: Row.ID, Sample: sample, Calls: m.deps.Calls, Embed: m.deps.Embedder, EmbedName: m.deps.EmbedderName}
}

// add adds what a sample came to. The program's choice among the first sample's candidates is the answer's; its note is the
// reason, and stands at the sample's last call.
func (m *Method) add(a *prompting.Answer, got made, sample int) {
	note := strings.TrimSpace(got.answer.Note)
	for _, c := range got.trace {
		c.Sample = sample
		a.Trace = append(a.Trace, c)
	}
	if len(got.trace) > 0 {
		last := &a.Trace[len(a.Trace)-1]
		last.Note = cmp.Or(last.Note, note)
	}
	failure := cmp.Or(got.failure, got.answer.Error)
	if sample == 0 {
		a.Chosen, a.Why = got.answer.Chosen, note
	}
	if failure != "" {
		a.Candidates = append(a.Candidates, prompting.Candidate{Sample: sample, Generator: Row.ID, Failure: "command: " + failure})
		return
	}
	if got.answer.Candidates == nil || len(*got.answer.Candidates) == 0 {
		a.Candidates = append(a.Candidates, prompting.Candidate{Sample: sample, Generator: Row.ID, Rule: "no candidate"})
		return
	}
	for _, c := range *got.answer.Candidates {
		one := prompting.Candidate{Sample: sample, Generator: cmp.Or(c.Source, Row.ID), SQL: c.SQL, Rule: "command"}
		if strings.TrimSpace(c.SQL) == "" {
			one.SQL, one.Rule = "", "no candidate"
		}
		a.Candidates = append(a.Candidates, one)
	}
}
