package extract

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Example is a question with its SQL that a model wrote, or that is shown as one it might have. Each is on one line.
type Example struct {
	Question string
	SQL      string
}

// Bounds of what is read of one completion.
const (
	maxExamples    = 2000
	maxExampleText = 1 << 20 // bytes
	maxExampleSize = 4000    // bytes of a question, and of a query
	maxExampleWork = 2 << 20 // bytes that are parsed
)

// label matches what precedes a question or a query: "input": in an object, Question: or SQL: on a line.
var label = regexp.MustCompile(`(?im)(?:^[ \t>*#.)\]\-0-9]*(?:example[ \t]*[0-9]*[ \t]*[:.)]?[ \t]*)?[{\[ \t]*["'“”*]*(input|question|output|sql|sqlite|query|q|a)|[{,]\s*["'“”]+(input|question|output|sql|query))["'“”*]*\s*:\**[ \t]*`)

// Examples reads the examples of a completion: JSON objects or lists of them, well formed or not; labelled lines
// ("Question:" and "SQL:", "Q:" and "A:"); or a query after each line that is none. Those without a question or without
// a query that parses to its end are passed over, as are repeats. The SQL is what package extract finds in the text.
func Examples(completion string) []Example {
	text := Answer(completion, maxExampleText)
	s := search{left: maxExampleWork}
	found := s.labelled(text)
	if len(found) == 0 {
		found = s.unlabelled(text)
	}
	return distinct(found)
}

// distinct leaves out the examples that repeat a question or a query.
func distinct(in []Example) (out []Example) {
	seen := repeats{}
	for _, e := range in {
		if !seen.has(e) {
			out = append(out, e)
		}
	}
	return out
}

// repeats is the questions and queries met so far.
type repeats map[string]bool

// has reports whether the example repeats a question or a query, and notes both.
func (r repeats) has(e Example) bool {
	q, s := "q "+strings.ToLower(e.Question), "s "+e.SQL
	repeated := r[q] || r[s]
	r[q], r[s] = true, true
	return repeated
}

// labelled reads pairs by the labels before question and query: a text goes up to the next label.
func (s *search) labelled(text string) (out []Example) {
	question := ""
	all := label.FindAllStringSubmatchIndex(text, 2*maxExamples)
	for i, at := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		value := unquoted(text[at[1]:end])
		group := 2
		if at[group] < 0 {
			group = 4
		}
		switch strings.ToLower(text[at[group]:at[group+1]]) {
		case "input", "question", "q":
			question = value
		default:
			if e, ok := s.example(question, value); ok {
				out = append(out, e)
				question = ""
			}
		}
	}
	return out
}

var (
	// tail matches what may follow a text in quotes before the next label: the ends of objects, the number of the next.
	tail    = regexp.MustCompile("(?i)[\\s,;}\\]{\\[`]*(?:example[ \\t]*[0-9]*[ \\t]*[:.)]?|[0-9]+[.)])?[\\s,;}\\]{\\[`]*$")
	escapes = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\n`, " ", `\t`, " ", `\r`, " ", `\/`, "/")
)

// unquoted returns a text without the quotes around it, where it has both, and then without backslashes before signs.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	inner := s[:len(s)-len(tail.FindString(s))]
	var plain string
	if json.Unmarshal([]byte(inner), &plain) == nil {
		return plain
	}
	for _, quotes := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"”", "”"}} {
		if rest, ok := strings.CutPrefix(inner, quotes[0]); ok {
			if rest, ok = strings.CutSuffix(rest, quotes[1]); ok {
				return strings.TrimSpace(escapes.Replace(rest))
			}
		}
	}
	return s
}

// example makes an example of two texts.
func (s *search) example(question, text string) (Example, bool) {
	question = strings.Trim(oneLine(question), "*` ")
	if question == "" || len(question) > maxExampleSize || len(text) > maxExampleSize {
		return Example{}, false
	}
	found := s.sql(text, Options{})
	if found.SQL == "" || found.Truncated || found.Rule == Other {
		return Example{}, false
	}
	return Example{question, oneLine(found.SQL)}, true
}

var (
	query  = regexp.MustCompile(`(?i)^(?:select|with)\b`)
	asked  = regexp.MustCompile(`(?i)^(?:question|input|q)["'*]*\s*[0-9]*\s*:["'*]*\s*`)
	bullet = regexp.MustCompile(`^[ \t>*#\-]*(?:[0-9]+[.)])?[ \t*]*(?:--)?[ \t]*`)
)

// unlabelled takes each query that begins a line, up to an empty line or the next one that ends in a question mark or
// begins a list item, as the answer to the last line of text before it.
func (s *search) unlabelled(text string) (out []Example) {
	question, sql := "", ""
	end := func() {
		if e, ok := s.example(question, sql); ok {
			out = append(out, e)
			question = ""
		}
		sql = ""
	}
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		bare := bullet.ReplaceAllString(trimmed, "")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "```"):
			end()
		case query.MatchString(bare):
			end()
			sql = bare
		case sql != "" && bare == trimmed && !strings.HasSuffix(trimmed, "?"):
			sql += "\n" + trimmed
		default:
			end()
			question = asked.ReplaceAllString(bare, "")
		}
		if len(out) == maxExamples {
			break
		}
	}
	end()
	return out
}

// oneLine replaces each run of white space by one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
