package demos

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"assay/configs"
	"assay/prompting/exemplar"
	"assay/prompting/render"
	"assay/prompting/script/jinja"
)

//go:embed draft.jinja
var draftPrompt string

// Drafter asks a model for steps and chains of thought. It is safe for concurrent use.
type Drafter struct {
	voice  Voice
	prompt *jinja.Template
}

// NewDrafter makes a drafter.
func NewDrafter(v Voice) (*Drafter, error) {
	t, err := jinja.Parse("draft.jinja", draftPrompt)
	if err != nil {
		return nil, fmt.Errorf("demos: drafter %q: %w", v.Author, err)
	}
	return &Drafter{v, t}, nil
}

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
	schema, err := render.Schema(demo.Schema, configs.Schema{Format: "createtable"})
	if err != nil {
		return nil, fmt.Errorf("draft %q: %w", demo.ID, err)
	}
	got, reason, detail, err := d.voice.ask(ctx, d.prompt, demo.ID, "draft", map[string]any{"db": demo.DB, "schema": strings.TrimRight(schema, "\n"),
		"question": oneLine(demo.Question), "evidence": oneLine(demo.Evidence), "sql": strings.TrimSpace(demo.SQL), "steps": steps, "cot": cot})
	if err != nil {
		return nil, err
	}
	if reason != "" {
		return fail(reason, detail)
	}
	answer, reason, detail := readDraft(got.Text, steps, cot)
	if reason != "" {
		if got.Finish == "length" {
			reason = cutOff
		}
		return fail(reason, detail)
	}
	by := exemplar.ByModel(d.voice.Author.String())
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

// readDraft reads the JSON object of an answer, which may stand in a fence or among words. The reason is empty where it is what
// was asked for.
func readDraft(text string, steps, cot bool) (out drafted, reason, detail string) {
	if reason, detail = readJSON(text, &out); reason != "" {
		return out, reason, detail
	}
	switch {
	case steps && out.Steps == nil:
		return out, otherJSON, `"steps" is missing`
	case len(out.Steps) > mostDrafted:
		return out, "the draft has too many steps", fmt.Sprint(len(out.Steps))
	case cot && oneLine(out.CoT) == "":
		return out, otherJSON, `"cot" is missing`
	}
	for i, s := range out.Steps {
		if oneLine(s.Question) == "" || strings.TrimSpace(s.SQL) == "" {
			return out, "a step lacks its question or its SQL", fmt.Sprintf("step %d", i+1)
		}
	}
	return out, "", ""
}
