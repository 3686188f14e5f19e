package iterate

import (
	"fmt"
	"regexp"
	"strings"

	"assay/prompting"
)

var (
	needed = regexp.MustCompile(`(?is)we need to know\s*:?(.*)`)
	split  = regexp.MustCompile(`["”]\s*(?:,\s*(?:and\s+)?|and\s+|;\s*|\n\s*)["“]`)
	listed = regexp.MustCompile(`(?m)^\s*(?:\d{1,2}[.)]|[-*])\s+(.+?)\s*$`)
	inner  = regexp.MustCompile(`(?s)["“](.+)["”]`)
)

// subQuestions reads a reduction: the quoted list after "we need to know:", on one line or several, or else a numbered
// or bulleted list. A sub-question may itself hold quotes: only a quote, a comma and a quote divide two. Nil where the
// completion has neither.
func subQuestions(completion string) []string {
	var out []string
	if m := needed.FindStringSubmatch(completion); m != nil {
		text, _, _ := strings.Cut(strings.TrimSpace(m[1]), "\n\n")
		text, _, _ = strings.Cut(text, "\n#")
		if q := inner.FindStringSubmatch(text); q != nil {
			for _, part := range split.Split(q[1], -1) {
				out = append(out, prompting.OneLine(part))
			}
			return kept(out)
		}
	}
	for _, m := range listed.FindAllStringSubmatch(completion, -1) {
		out = append(out, prompting.OneLine(strings.Trim(m[1], `"“”`)))
	}
	return kept(out)
}

// kept drops what is empty.
func kept(questions []string) []string {
	var out []string
	for _, q := range questions {
		if q != "" {
			out = append(out, q)
		}
	}
	return out
}

// plan returns the questions to solve, the last being the question itself, and what the trace says of them. Equal
// sub-questions, and those that repeat the question, are asked once.
func plan(completion, question string) (questions []string, note string) {
	question = prompting.OneLine(question)
	seen := map[string]bool{strings.ToLower(question): true}
	for _, sub := range subQuestions(completion) {
		if key := strings.ToLower(sub); !seen[key] {
			seen[key] = true
			questions = append(questions, sub)
		}
	}
	dropped := 0
	if len(questions) > maxQuestions-1 {
		dropped = len(questions) - (maxQuestions - 1)
		questions = questions[:maxQuestions-1]
	}
	note = strings.Join(questions, " | ")
	if note == "" {
		note = "no sub-questions"
	}
	if dropped > 0 {
		note += fmt.Sprintf(" (%d more left out)", dropped)
	}
	return append(questions, question), note
}
