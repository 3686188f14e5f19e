// Package iterate answers a question with several calls per sample: least-to-most prompting.
//
// The first call reduces the question to sub-questions. One call per sub-question follows, in order, and each prompt
// contains all earlier sub-questions with their SQL. The SQL of the last call, which asks the question itself, is the
// candidate. The forms of prompt and answer are those of Tai et al. (2023); the wording of the instructions is assay's
// own. The method must never run SQL: its demonstrations and the model's own answers are all that it shows.
package iterate

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"

	"assay/configs"
	"assay/prompting"
	"assay/prompting/exemplar"
	"assay/prompting/extract"
	"assay/prompting/llm"
	"assay/prompting/render"
)

// maxQuestions bounds the sub-questions of one item, the question itself included. A model that lists more does not
// decompose sensibly, and each one costs a call. The trace says how many were left out.
const maxQuestions = 10

// Methods are those that New knows.
var Methods = []configs.Method{{Choice: configs.Choice{ID: "least-to-most", Shows: "sub-questions in one call, then a call for each"},
	Written: "sub-questions with their SQL"}}

//go:embed prompts/least-to-most.tmpl
var promptText string

var prompts = template.Must(template.New(Methods[0].ID).Parse(promptText))

// method is least-to-most with its settings.
type method struct {
	name string
	*prompting.Kit
}

var _ prompting.Method = (*method)(nil)

// New makes the method of that name from an arm's settings. Every demonstration that a prompt may draw on must have
// steps with their SQL: the error names those that have not.
func New(name string, d prompting.Deps, arm configs.Arm, seed int64) (prompting.Method, error) {
	m, err := newMethod(name, d, arm, seed)
	if err != nil {
		return nil, fmt.Errorf("iterate: method %q: %w", name, err)
	}
	return m, nil
}

// newMethod is New without the wrapping of errors.
func newMethod(name string, d prompting.Deps, arm configs.Arm, seed int64) (*method, error) {
	if name != Methods[0].ID {
		return nil, fmt.Errorf("unknown (there are %s)", Methods[0].ID)
	}
	kit, err := prompting.NewKit(name, d, arm, seed)
	if err != nil {
		return nil, err
	}
	err = kit.Lacking("steps with SQL", func(d exemplar.Demo) bool {
		for _, s := range d.Steps {
			if strings.TrimSpace(s.SQL) == "" {
				return true
			}
		}
		return len(d.Steps) == 0
	})
	return &method{name, kit}, err
}

// PromptHash identifies the text that the methods of this package put into prompts: "sha256:" and the hexadecimal
// SHA-256 of the template here and of what package render adds.
func PromptHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\nrender %s\n", len(promptText), promptText, render.Hash())
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// prompt builds the messages of a stage, "reduce" or "solve", around a test input.
func (m *method) prompt(stage string, q prompting.Question, input string) ([]llm.Message, error) {
	demos, err := m.Demos(q)
	if err != nil {
		return nil, err
	}
	system, err := prompting.Fill(prompts, stage+"-system", map[string]any{"K": len(demos)})
	if err != nil {
		return nil, err
	}
	return m.Prompt(system, stage, demos, func(d exemplar.Demo) (string, error) {
		return prompting.Fill(prompts, stage+"-target", prompting.Target(d))
	}, input)
}

// Prompts returns the messages of the reduction, which Answer sends first for sample 0.
func (m *method) Prompts(q prompting.Question) ([]llm.Message, error) {
	input, err := m.Input(q, 0, false)
	if err == nil {
		var messages []llm.Message
		if messages, err = m.prompt("reduce", q, input); err == nil {
			return messages, nil
		}
	}
	return nil, fmt.Errorf("iterate: prompt %q: %w", q.ID, err)
}

// Answer runs one chain per sample: one call that names sub-questions, then one call for each in order, with all
// earlier sub-questions and their SQL in the prompt. The last is the question itself, whose SQL is the candidate.
func (m *method) Answer(ctx context.Context, q prompting.Question) (prompting.Answer, error) {
	var a prompting.Answer
	for sample := range m.Samples() {
		c, err := m.chain(ctx, q, sample, &a.Trace)
		if err != nil {
			return a, fmt.Errorf("iterate: answer %q: %w", q.ID, err)
		}
		a.Candidates = append(a.Candidates, c)
	}
	return a, nil
}

// chain returns one sample. A completion that the model would not give ends it, with the failure as its candidate.
func (m *method) chain(ctx context.Context, q prompting.Question, sample int, trace *[]prompting.Call) (prompting.Candidate, error) {
	c := prompting.Candidate{Sample: sample, Generator: m.name}
	input, err := m.Input(q, sample, false)
	if err != nil {
		return c, err
	}
	messages, err := m.prompt("reduce", q, input)
	if err != nil {
		return c, err
	}
	r, err := m.Ask(ctx, "reduce", q.ID, sample, messages)
	if err != nil {
		return c, err
	}
	var questions []string
	if r.Failure == "" {
		questions, r.Call.Note = plan(r.Response.Text, q.Text)
	}
	c.Failure = r.Failure
	*trace = append(*trace, r.Call)
	return m.solve(ctx, q, input, questions, c, trace)
}

// solve asks the sub-questions one after the other.
func (m *method) solve(ctx context.Context, q prompting.Question, input string, questions []string, c prompting.Candidate, trace *[]prompting.Call) (prompting.Candidate, error) {
	var solved []prompting.StepView
	for i, sub := range questions {
		text, err := prompting.Fill(prompts, "solve-input", map[string]any{"Input": input, "Steps": solved, "Question": sub})
		if err != nil {
			return c, err
		}
		messages, err := m.prompt("solve", q, text)
		if err != nil {
			return c, err
		}
		r, err := m.Ask(ctx, solveStage(i), q.ID, c.Sample, messages)
		if err != nil {
			return c, err
		}
		found := extract.SQL(r.Response.Text, extract.Options{})
		r.Call.Note = r.Response.Silence()
		if found.Truncated {
			r.Call.Note = "the completion ends within the SQL"
		}
		*trace = append(*trace, r.Call)
		if r.Failure != "" {
			c.Failure = r.Failure
			return c, nil
		}
		solved = append(solved, prompting.StepView{Number: i + 1, Question: sub, SQL: shown(found.SQL, r.Response.Text)})
		if i == len(questions)-1 {
			c.SQL, c.Rule, c.Silence = found.SQL, found.Rule, r.Response.Silence()
		}
	}
	return c, nil
}

// solveStage returns the stage of the call for a sub-question, counted from 0.
func solveStage(i int) string { return fmt.Sprintf("solve %d", i+1) }

// shown returns an answer as later prompts show it: its SQL, or the text on one line where no SQL was found, so that
// the model sees its own answer.
func shown(sql, completion string) string {
	if sql != "" {
		return sql
	}
	r := []rune(prompting.OneLine(completion))
	return string(r[:min(len(r), 500)])
}
