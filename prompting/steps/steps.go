// Package steps reads the steps of a decomposition out of completions, by one stated grammar.
//
// [Read] finds the steps of one completion, in one of three forms:
//
//	list      numbered sub-questions at the left margin, "1. <sub-question>", each followed by lines "SQL table (column):
//	          <table> (<column>, ...)" and "SQL: <query>" or neither, up to the line "Thus, ...": as QDecomp and InterCOL
//	          write them (Tai et al. 2023). A list counts where that last line, a line "decompose the question", or a line
//	          of columns shows what it is: other numbered lists are no steps.
//	division  below a heading "Assembling SQL", up to the next heading, lines "* **Sub-question 1.1 (<words>):** <query>"
//	          and "* **Main Question:** <query>", with or without the signs of Markdown: CHASE-SQL's Algorithm 1.
//	solve     a call of the stage "solve N", whose completion is the query of step N: least-to-most. Its question is the
//	          N-th of the note of the call of stage "reduce" before it, which [Of] adds.
//
// It reads text alone. It must never run a query, repair one, or take a step for what a completion does not say.
package steps

import (
	"regexp"
	"strconv"
	"strings"

	"assay/prompting"
	"assay/prompting/extract"
)

// Bounds of what is read of one completion: the bytes searched, the steps, and the bytes of a sub-question or a list of
// columns. A query is as long as it is.
const (
	mostText  = 1 << 16
	mostSteps = 100
	mostWords = 2 << 10
)

// reduce is the stage that divides a question into sub-questions, which stages "solve N" answer.
const reduce = "reduce"

// solve matches the stage of a call that answers one sub-question, perhaps after the name of its generator.
var solve = regexp.MustCompile(`(?:^|: )solve (\d{1,3})$`)

// Read returns the steps of a completion to a call of the stage; nil where it states none. continues says that the prompt
// ended in the word SELECT.
func Read(stage, completion string, continues bool) []prompting.Step {
	if m := solve.FindStringSubmatch(stage); m != nil {
		found := extract.SQL(completion, extract.Options{Continuation: continues})
		return []prompting.Step{{Label: m[1], SQL: strings.Clone(found.SQL), Solved: true}}
	}
	if _, own := split(stage); own == reduce {
		return nil // its sub-questions are the questions of the stages "solve N", and not steps beside them
	}
	text := extract.Answer(completion, mostText)
	if at := assembling.FindStringIndex(text); at != nil {
		return division(text[at[1]:])
	}
	return list(text)
}

var (
	numbered  = regexp.MustCompile(`^ {0,3}(?:\*\*)?(\d{1,2})[.)]\s+(.+?)(?:\*\*)?\s*$`)
	columns   = regexp.MustCompile(`(?i)^\s*SQL table \(columns?\)\s*:\s*(.*?)\s*$`)
	query     = regexp.MustCompile(`(?i)^\s*(?:#\s*)?SQL\s*:\s*(.*?)\s*$`)
	thus      = regexp.MustCompile(`(?i)^\s*#?\s*thus,`)
	decompose = regexp.MustCompile(`(?i)^\s*#?\s*decompose the question\s*$`)
)

// list reads the form list.
func list(text string) (out []prompting.Step) {
	shown := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if thus.MatchString(line) {
			shown = true
			break
		}
		shown = shown || decompose.MatchString(line)
		step, named, sql := numbered.FindStringSubmatch(line), columns.FindStringSubmatch(line), query.FindStringSubmatch(line)
		last := len(out) - 1
		switch {
		case step != nil && len(out) < mostSteps:
			out = append(out, prompting.Step{Label: step[1], Question: clip(step[2])})
		case last >= 0 && named != nil:
			out[last].Columns, shown = clip(named[1]), true
		case last >= 0 && sql != nil:
			out[last].SQL = bare(sql[1])
		}
	}
	if !shown {
		return nil
	}
	return out
}

var (
	assembling = regexp.MustCompile(`(?im)^[\s#*]*(?:\d[.)]\s*)?assembling(?: the)? SQL\b.*$`)
	heading    = regexp.MustCompile(`(?i)^[\s#*]*(?:\d[.)]\s*)?(?:simplification|final optimized|<FINAL_ANSWER>)`)
	part       = regexp.MustCompile(`(?i)^[\s*+-]*(?:main question|sub-question\s+(\d[\d.]{0,20}))\s*(?:\((.*?)\))?[\s*]*:[\s*]*(.*)$`)
)

// division reads the form division, from below its heading. A query may take several lines.
func division(text string) (out []prompting.Step) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if heading.MatchString(line) {
			break
		}
		m := part.FindStringSubmatch(line)
		switch {
		case m == nil && len(out) > 0:
			out[len(out)-1].SQL += "\n" + line
		case m == nil || len(out) == mostSteps:
		case m[1] == "":
			out = append(out, prompting.Step{Label: "main", Question: clip(m[2]), SQL: m[3], Solved: true, Final: true})
		default:
			out = append(out, prompting.Step{Label: strings.TrimRight(m[1], "."), Question: clip(m[2]), SQL: m[3], Solved: true})
		}
	}
	for i := range out {
		out[i].SQL = bare(out[i].SQL)
	}
	return out
}

// fence matches a line of a code fence.
var fence = regexp.MustCompile("(?m)^[ \t]*```[a-zA-Z]*[ \t]*$")

// bare takes the signs of code, white space and closing semicolons off the ends of a query.
func bare(sql string) string {
	sql = strings.TrimSpace(fence.ReplaceAllString(sql, ""))
	if s, code := strings.CutPrefix(sql, "`"); code && strings.HasSuffix(s, "`") && strings.Count(s, "`") == 1 {
		sql = strings.TrimSuffix(s, "`")
	}
	return strings.Clone(strings.TrimRight(sql, "; \t\n")) // the completion need not be kept
}

func clip(s string) string {
	if len(s) > mostWords {
		s = strings.ToValidUTF8(s[:mostWords], "")
	}
	return strings.Clone(strings.TrimSpace(s))
}

// Noted is a step of an answer.
type Noted struct {
	prompting.Step
	Sample    int    // of the calls that it is from
	Generator string // whose calls, where several generators make the answer's candidates; else empty
	Number    int    // from 1, within its sample and generator
}

// Of returns the steps of an answer's trace in the order of its calls, those of sub-questions with the text that the trace
// notes of them.
func Of(trace []prompting.Call) (out []Noted) {
	type author struct {
		sample    int
		generator string
	}
	planned, count, last := map[author][]string{}, map[author]int{}, map[author]int{}
	for _, c := range trace {
		generator, stage := split(c.Stage)
		by := author{c.Sample, generator}
		if stage == reduce {
			planned[by] = plan(c.Note)
		}
		for _, s := range c.Steps {
			if count[by] == mostSteps {
				break
			}
			count[by]++
			if stage != "" && solve.MatchString(stage) {
				s.Question = at(planned[by], s.Label)
				last[by] = len(out)
			}
			out = append(out, Noted{s, c.Sample, generator, count[by]})
		}
	}
	for by, i := range last { // least-to-most asks for the question itself last
		if n, _ := strconv.Atoi(out[i].Label); n == len(planned[by])+1 {
			out[i].Final, out[i].Question = true, ""
		}
	}
	return out
}

// split divides "generator: stage"; the generator of a stage without one is empty.
func split(stage string) (generator, own string) {
	if g, s, found := strings.Cut(stage, ": "); found {
		return g, s
	}
	return "", stage
}

// leftOut matches the end of the note of sub-questions of which some are not asked.
var leftOut = regexp.MustCompile(` \(\d+ more left out\)$`)

// plan reads the sub-questions that a note lists.
func plan(note string) []string {
	note = leftOut.ReplaceAllString(note, "")
	if note == "" || note == "no sub-questions" {
		return nil
	}
	return strings.Split(note, " | ")
}

// at returns the sub-question of a number from 1; empty where the plan has none.
func at(plan []string, label string) string {
	n, err := strconv.Atoi(label)
	if err != nil || n < 1 || n > len(plan) {
		return ""
	}
	return plan[n-1]
}
