package demos

import (
	"context"
	_ "embed"
	"fmt"

	"assay/prompting/exemplar"
	"assay/prompting/script/jinja"
)

//go:embed score.jinja
var scorePrompt string

// Scorer asks a model how natural the steps of a demonstration are. It is safe for concurrent use.
type Scorer struct {
	voice  Voice
	prompt *jinja.Template
}

// NewScorer makes a scorer.
func NewScorer(v Voice) (*Scorer, error) {
	t, err := jinja.Parse("score.jinja", scorePrompt)
	if err != nil {
		return nil, fmt.Errorf("demos: scorer %q: %w", v.Author, err)
	}
	return &Scorer{v, t}, nil
}

// best is the highest score that the prompt knows; the lowest is 1.
const best = 5

// score replaces the rule's score by the model's, a fifth of what it says, from 0.2 to 1. Steps that are the question alone are
// not asked about. An answer that cannot be read leaves the rule's score, and is a failure of kind Score.
func (s *Scorer) score(ctx context.Context, m *Made) error {
	if len(m.Steps) < 2 {
		return nil
	}
	var steps []any
	for _, step := range m.Steps[:len(m.Steps)-1] {
		steps = append(steps, oneLine(step.Question))
	}
	got, reason, detail, err := s.voice.ask(ctx, s.prompt, m.ID, "score", map[string]any{"question": oneLine(m.Question), "steps": steps})
	if err != nil {
		return err
	}
	score, why := 0, ""
	if reason == "" {
		if score, why, reason, detail = readScore(got.Text); reason != "" && got.Finish == "length" {
			reason = cutOff
		}
	}
	if reason != "" {
		m.Failures = append(m.Failures, Failure{Score, reason, detail})
		return nil
	}
	m.Naturalness, m.By.Naturalness, m.Why = float64(score)/best, exemplar.ByModel(s.voice.Author.String()), nil
	if why != "" {
		m.Why = []string{why}
	}
	return nil
}

// readScore reads an answer: {"score": 1 to 5, "why": "..."}. The reason is empty where it is that.
func readScore(text string) (score int, why, reason, detail string) {
	var out struct {
		Score *int   `json:"score"`
		Why   string `json:"why"`
	}
	if reason, detail = readJSON(text, &out); reason != "" {
		return 0, "", reason, detail
	}
	switch {
	case out.Score == nil:
		return 0, "", otherJSON, `"score" is missing`
	case *out.Score < 1 || *out.Score > best:
		return 0, "", otherJSON, fmt.Sprintf("the score is %d, not from 1 to %d", *out.Score, best)
	}
	return *out.Score, oneLine(out.Why), "", ""
}
