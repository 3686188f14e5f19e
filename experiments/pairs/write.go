package pairs

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/prompting/llm"
)

// Formats are the formats in which pairs are written, one line of JSON per pair.
var Formats = []string{"jsonl", "gemini", "openai"}

// Write writes the pairs, one per line:
//
//	jsonl   the whole pair: its origin, the queries, the label, the prompt
//	gemini  supervised tuning of Gemini models: systemInstruction and contents, each with role and parts
//	openai  supervised fine-tuning of chat models: messages, each with role and content
//
// The two tuning formats have one turn, whose answer is the label; see
// https://cloud.google.com/vertex-ai/generative-ai/docs/models/gemini-supervised-tuning-prepare and
// https://platform.openai.com/docs/guides/supervised-fine-tuning.
func (s *Set) Write(w io.Writer, format string) error {
	form := map[string]func(Pair) any{"jsonl": plain, "gemini": gemini, "openai": openai}[format]
	if form == nil {
		return fmt.Errorf("pairs: write: unknown format %q (there are %s)", format, strings.Join(Formats, ", "))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range s.Pairs {
		if err := e.Encode(form(p)); err != nil {
			return fmt.Errorf("pairs: write: %w", err)
		}
	}
	return nil
}

// Labels counts the pairs whose right query is A, and those whose is B.
func (s *Set) Labels() (a, b int) {
	for _, p := range s.Pairs {
		if p.Label == "A" {
			a++
		} else {
			b++
		}
	}
	return a, b
}

// texts joins a prompt's messages of one role.
func texts(messages []llm.Message, role llm.Role) string {
	var out []string
	for _, m := range messages {
		if m.Role == role {
			out = append(out, m.Text)
		}
	}
	return strings.Join(out, "\n\n")
}

func plain(p Pair) any {
	return struct {
		Run      string   `json:"run"`
		Item     string   `json:"item"`
		DB       string   `json:"db"`
		Arm      string   `json:"arm"`
		Point    []string `json:"point"`
		Seed     int64    `json:"seed"`
		Question string   `json:"question"`
		Evidence string   `json:"evidence"`
		A        string   `json:"a"`
		B        string   `json:"b"`
		Label    string   `json:"label"`
		Gold     bool     `json:"gold"`
		System   string   `json:"system"`
		Prompt   string   `json:"prompt"`
	}{p.Run, p.Item, p.DB, p.Arm, slices.Concat([]string{}, p.Point), p.Seed, p.Question, p.Evidence, p.A, p.B, p.Label, p.Gold,
		texts(p.Messages, llm.System), texts(p.Messages, llm.User)}
}

// content is a turn in Gemini's form.
type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Text string `json:"text"`
}

func gemini(p Pair) any {
	say := func(role, text string) content { return content{role, []part{{text}}} }
	return struct {
		System   content   `json:"systemInstruction"`
		Contents []content `json:"contents"`
	}{say("system", texts(p.Messages, llm.System)), []content{say("user", texts(p.Messages, llm.User)), say("model", p.Label)}}
}

// message is a turn in OpenAI's form.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func openai(p Pair) any {
	return struct {
		Messages []message `json:"messages"`
	}{[]message{{"system", texts(p.Messages, llm.System)}, {"user", texts(p.Messages, llm.User)}, {"assistant", p.Label}}}
}
