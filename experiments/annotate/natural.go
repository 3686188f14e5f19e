package annotate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/experiments/decompose/english"
	"assay/prompting/exemplar"
)

// Naturalness rates how natural the wording of steps is, from 0 (not English) to 1, and says what it takes off and why.
//
// Every step but the last, which is the question itself, begins with 1 and loses:
//
//	0.02 for each word beyond 20, at most 0.3
//	0.10 for each time that a content word stands there beyond the second, and for each within three
//	     words of itself with no "and" between
//	0.10 for each relative clause ("whose", "that have") and each "of" beyond the second
//	0.15 for each word that is none: with an underscore, without a vowel, with digits among letters,
//	     unless the question has it
//	0.20 for "record", which stands for what has no noun, unless the question has it
//	0.10 for a possessive on a possessive
//	0.30 where no content word is the question's, in proportion up to a half of them
//	0.15 for each word that no question of the usage has, and 0.10 for each two words next to each
//	     other that none has in this order, unless the question has both words
//
// The usage is that of the dataset's questions; without one (nil), the last rule is left out. The score is the mean of
// the steps'; steps that are the question alone have 1. The rule reads the words alone: whether a step is true, it cannot
// tell.
func Naturalness(steps []exemplar.Step, usage *Usage) (score float64, why []string) {
	if len(steps) < 2 {
		return 1, nil
	}
	asked := begin(steps[len(steps)-1].Question)
	question, own := contents(asked), usage.with(asked)
	for i, s := range steps[:len(steps)-1] {
		lost := 0.0
		text := begin(s.Question)
		for _, f := range append(faults(text, question), own.faults(text)...) {
			lost += f.lost
			why = append(why, fmt.Sprintf("step %d: %s (-%.2f)", i+1, f.why, f.lost))
		}
		score += max(0, 1-lost)
	}
	return score / float64(len(steps)-1), why
}

// begin returns the part of a text that is rated: no question is longer.
func begin(text string) string { return text[:min(len(text), 5000)] }

// fault is something unnatural, and what it costs.
type fault struct {
	lost float64
	why  string
}

// faults returns what is unnatural in the wording of a step; asked has the content words of the whole question.
func faults(text string, asked []string) []fault {
	var out []fault
	note := func(lost float64, format string, args ...any) {
		if lost > 0 {
			out = append(out, fault{lost, fmt.Sprintf(format, args...)})
		}
	}
	words := strings.Fields(text)
	note(min(0.3, 0.02*float64(len(words)-20)), "%d words", len(words))
	if n, example := repeated(text); n > 0 {
		note(0.1*float64(n), "%q again and again", example)
	}
	if n := len(clauses.FindAllString(text, -1)); n > 2 {
		note(0.1*float64(n-2), "%d relative clauses", n)
	}
	if n := strings.Count(text, " of "); n > 2 {
		note(0.1*float64(n-2), "%d times \"of\"", n)
	}
	for _, w := range words {
		if broken(w) && !slices.Contains(asked, strings.ToLower(strings.Trim(w, `.,;:!?"'()`))) {
			note(0.15, "%q is no word", w)
		}
	}
	if strings.Count(text, "'s ") > 1 {
		note(0.1, "a possessive on a possessive")
	}
	if m := record.FindString(text); m != "" && !slices.Contains(asked, "record") {
		note(0.2, "%q stands for what has no noun", m)
	}
	if share := reused(contents(text), asked); share < 0.5 {
		note(0.3*(0.5-share)/0.5, "%.0f%% of its words are the question's", 100*share)
	}
	return out
}

var record = regexp.MustCompile(`\brecords?\b`)

var clauses = regexp.MustCompile(`\b(whose|that have|that has|for which)\b`)

// function has the words that say nothing of a database.
var function = map[string]bool{"what": true, "which": true, "is": true, "are": true, "the": true, "of": true, "all": true,
	"whose": true, "that": true, "have": true, "has": true, "and": true, "or": true, "a": true, "an": true, "there": true,
	"how": true, "many": true, "each": true, "for": true, "does": true, "do": true, "number": true, "not": true, "in": true,
	"with": true, "to": true, "by": true, "their": true, "those": true, "on": true, "at": true, "no": true, "named": true,
	"different": true, "than": true, "more": true, "least": true, "most": true, "above": true, "below": true, "from": true}

// contents returns the content words of a text, in the singular.
func contents(text string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if w = strings.Trim(strings.TrimSuffix(strings.Trim(w, `.,;:!?"'()`), "'s"), `"'`); w != "" && !function[w] {
			out = append(out, english.Singular(w))
		}
	}
	return out
}

// repeated counts the repetitions that a reader stumbles over: the third and later, and those within three words.
func repeated(text string) (n int, example string) {
	seen := map[string]int{}
	last := map[string]int{}
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		list := contents(w)
		if len(list) == 0 {
			continue
		}
		key := list[0]
		seen[key]++
		if at, before := last[key]; seen[key] > 2 || before && i-at <= 3 && !strings.Contains(strings.Join(words[at:i], " ")+" ", " and ") {
			n, example = n+1, key
		}
		last[key] = i
	}
	return n, example
}

// broken reports whether a word is left over from an identifier.
func broken(w string) bool {
	w = strings.Trim(w, `.,;:!?"'()`)
	if strings.Contains(w, "_") {
		return true
	}
	letters, digits := 0, 0
	for _, r := range w {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z':
			letters++
		default: // capitals and signs: a value
			return false
		}
	}
	return letters > 0 && digits > 0 || letters > 2 && !strings.ContainsAny(w, "aeiouy")
}

// reused returns the share of words that are the question's too; 1 where there is no word.
func reused(words, asked []string) float64 {
	if len(words) == 0 {
		return 1
	}
	known := map[string]bool{}
	for _, w := range asked {
		known[w] = true
	}
	n := 0
	for _, w := range words {
		if known[w] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}
