package single

import (
	"regexp"
	"strings"

	"assay/prompting/exemplar"
)

var (
	numbered   = regexp.MustCompile(`^\s*(?:\*\*)?\d{1,2}[.)]\s*(.+?)(?:\*\*)?\s*$`)
	columnLine = regexp.MustCompile(`(?i)^\s*SQL table \(columns?\)\s*:\s*(.*?)\s*$`)
	closing    = regexp.MustCompile(`(?i)^\s*#?\s*thus,`)
)

// steps parses the numbered sub-questions of a decomposition, and the lines of columns under them where the method asks
// for those. It stops at the line that announces the answer, and skips lines of any other form. It returns nil where
// the completion has no numbered line.
func steps(completion string) []exemplar.Step {
	var out []exemplar.Step
	for _, line := range strings.Split(completion, "\n") {
		if closing.MatchString(line) {
			break
		}
		if m := numbered.FindStringSubmatch(line); m != nil {
			out = append(out, exemplar.Step{Question: m[1]})
		} else if m := columnLine.FindStringSubmatch(line); m != nil && len(out) > 0 {
			out[len(out)-1].Columns = m[1]
		}
	}
	return out
}

// stepsNote puts the sub-questions of a completion on one line.
func stepsNote(completion string) string {
	var parts []string
	for _, s := range steps(completion) {
		if s.Columns != "" {
			s.Question += " [" + s.Columns + "]"
		}
		parts = append(parts, s.Question)
	}
	return strings.Join(parts, " | ")
}

var part = regexp.MustCompile(`(?i)^[\s*]*Sub-question\s+([0-9][0-9.]*)\s*:[\s*]*(.+?)\s*$`)

// partsNote puts the sub-questions of a division, with their numbers, on one line.
func partsNote(completion string) string {
	var parts []string
	for _, line := range strings.Split(completion, "\n") {
		if m := part.FindStringSubmatch(line); m != nil {
			parts = append(parts, m[1]+" "+m[2])
		}
	}
	return strings.Join(parts, " | ")
}
