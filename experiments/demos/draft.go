package demos

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/llm"
	"assay/prompting/render"
	"assay/prompting/script/jinja"
)

//go:embed draft.jinja
var draftPrompt string

// Drafter asks a model for steps and chains of thought. It is safe for concurrent use.
type Drafter struct {
	Model  llm.Model // behind the ledger, so that no call is made twice
	Author llm.Author
	Params llm.Params

	prompt *jinja.Template
	asked  atomic.Int64
	tokens atomic.Int64
}

// NewDrafter makes a drafter.
func NewDrafter(m llm.Model, author llm.Author, p llm.Params) (*Drafter, error) {
	t, err := jinja.Parse("draft.jinja", draftPrompt)
	if err != nil {
		return nil, fmt.Errorf("demos: drafter %q: %w", author, err)
	}
	return &Drafter{Model: m, Author: author, Params: p, prompt: t}, nil
}

// Counts returns how many drafts were asked for, and their tokens, those that the ledger gave included.
func (d *Drafter) Counts() (asked, tokens int64) { return d.asked.Load(), d.tokens.Load() }

// drafted is the answer that the prompt asks for.
type drafted struct {
	Steps []struct {
		Question string `json:"question"`
		SQL      string `json:"sql"`
	} `json:"steps"`
	CoT string `json:"cot"`
}

// mostDrafted bounds the steps of a draft before the last; more are no decomposition of a question.
const mostDrafted = 4

// draft adds what the model writes. What is wrong with its answer is a failure of each kind that was asked for; an error is the
// context's, or one that every call would have.
func (d *Drafter) draft(ctx context.Context, demo *exemplar.Demo, steps, cot bool) ([]Failure, error) {
	fail := func(reason, detail string) (out []Failure, err error) {
		for _, k := range []struct {
			kind  string
			asked bool
		}{{Steps, steps}, {CoT, cot}} {
			if k.asked {
				out = append(out, Failure{k.kind, reason, detail})
			}
		}
		return out, nil
	}
	messages, err := d.messages(demo, steps, cot)
	if err != nil {
		return nil, fmt.Errorf("demos: draft %q: %w", demo.ID, err)
	}
	params := d.Params
	if params.Temperature > 0 && params.FixedSeed == nil {
		seed := llm.DrawSeed(0, demo.ID, "demos", "draft")
		params.Seed = &seed
	}
	got, err := d.Model.Generate(ctx, llm.Request{Author: d.Author, Params: params, Messages: messages})
	d.asked.Add(1)
	d.tokens.Add(int64(got.Usage.PromptTokens + got.Usage.CompletionTokens))
	var refused *llm.Failure
	switch {
	case errors.As(err, &refused):
		return fail("the model gives no answer", refused.Reason)
	case err != nil:
		return nil, fmt.Errorf("demos: draft %q: %w", demo.ID, err)
	}
	answer, reason, detail := readDraft(got.Text, steps, cot)
	if reason != "" {
		if got.Finish == "length" {
			reason = "the answer is cut off: raise model.max_tokens"
		}
		return fail(reason, detail)
	}
	by := exemplar.ByModel(d.Author.String())
	if steps {
		for _, s := range answer.Steps {
			demo.Steps = append(demo.Steps, exemplar.Step{Question: oneLine(s.Question), SQL: strings.TrimSuffix(strings.TrimSpace(s.SQL), ";")})
		}
		demo.Steps = append(demo.Steps, exemplar.Step{Question: demo.Question, SQL: demo.SQL})
		demo.By.Steps = by
	}
	if cot {
		demo.CoT, demo.By.CoT = strings.TrimLeft(oneLine(answer.CoT), "# "), by
	}
	return nil, nil
}

// messages fills the prompt.
func (d *Drafter) messages(demo *exemplar.Demo, steps, cot bool) ([]llm.Message, error) {
	schema, err := render.Schema(demo.Schema, configs.Schema{Format: "createtable"})
	if err != nil {
		return nil, err
	}
	filled, err := d.prompt.Messages(map[string]any{"db": demo.DB, "schema": strings.TrimRight(schema, "\n"),
		"question": oneLine(demo.Question), "evidence": oneLine(demo.Evidence), "sql": strings.TrimSpace(demo.SQL), "steps": steps, "cot": cot})
	if err != nil {
		return nil, err
	}
	out := make([]llm.Message, len(filled))
	for i, m := range filled {
		out[i] = llm.Message{Role: llm.Role(m.Role), Text: m.Text}
	}
	return out, nil
}

// readDraft reads the JSON object of an answer, which may stand in a fence or among words. The reason is empty where it is what
// was asked for.
func readDraft(text string, steps, cot bool) (out drafted, reason, detail string) {
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return out, "the answer holds no JSON object", clip(text)
	}
	in := json.NewDecoder(strings.NewReader(text[from : to+1]))
	in.DisallowUnknownFields()
	if err := in.Decode(&out); err != nil || in.More() {
		if err == nil {
			err = errors.New("there is more than one object")
		}
		return out, "the answer is not the JSON that was asked for", err.Error()
	}
	switch {
	case steps && out.Steps == nil:
		return out, "the answer is not the JSON that was asked for", `"steps" is missing`
	case len(out.Steps) > mostDrafted:
		return out, "the draft has too many steps", fmt.Sprint(len(out.Steps))
	case cot && oneLine(out.CoT) == "":
		return out, "the answer is not the JSON that was asked for", `"cot" is missing`
	}
	for i, s := range out.Steps {
		if oneLine(s.Question) == "" || strings.TrimSpace(s.SQL) == "" {
			return out, "a step lacks its question or its SQL", fmt.Sprintf("step %d", i+1)
		}
	}
	return out, "", ""
}

// clip is the beginning of a model's answer.
func clip(s string) string {
	r := []rune(oneLine(s))
	return string(r[:min(len(r), 80)])
}
