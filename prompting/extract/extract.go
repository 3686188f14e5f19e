// Package extract finds the answer in a completion and the SQL in that, and says by which rule.
//
// A completion is split where the model goes on to a task of its own; in each segment the rules are tried in a fixed
// order, and the first that finds a query decides. Only the SQL grammar tells a query from prose. The package must
// never repair SQL: what it returns is a piece of the completion, and a fault in it is the model's.
package extract

import (
	"regexp"
	"strings"

	"assay/prompting/sql/tree"
)

// The rules, in the order in which SQL tries them. The first that finds a query decides.
const (
	Tag          = "tag"          // between <FINAL_ANSWER>, <answer> or <sql> and its closing tag: the last such pair
	Fence        = "fence"        // in a block between lines of ```: the last block with a query
	OpenFence    = "open-fence"   // after a ``` that is never closed
	Marker       = "marker"       // after a line that announces the answer ("Thus, the answer ...", "SQL:", "A:")
	Continuation = "continuation" // the prompt ended in SELECT and the completion continues it
	Statement    = "statement"    // a statement that starts with SELECT or WITH, in plain text
	Other        = "other"        // a statement that is not a query, if there is nothing else (the sandbox will refuse it)
	None         = "none"         // no SQL
)

// rules lists all rules, in order.
var rules = []string{Tag, Fence, OpenFence, Marker, Continuation, Statement, Other, None}

// Options says what is known about the prompt.
type Options struct {
	Continuation bool // the prompt ended in SELECT: the word is put before a completion that continues it
}

// Found is the SQL of a completion. SQL is a piece of the completion without white space at its ends and closing
// semicolons, preceded by "SELECT " if Options.Continuation asked for that. Nothing else is edited.
type Found struct {
	SQL       string // empty under rule None
	Rule      string // the rule that found it
	Truncated bool   // the completion ends in the middle of the SQL
}

// maxText bounds the searched text, in bytes: no answer is that long, but a model that repeats itself may be.
const maxText = 1 << 16

// Answer is a completion without the think block before it; of one that is longer than most bytes, their valid UTF-8
// is read.
func Answer(completion string, most int) string {
	if len(completion) > most {
		completion = strings.ToValidUTF8(completion[:most], "")
	}
	const end = "</think>"
	if i := strings.LastIndex(completion, end); i >= 0 {
		return completion[i+len(end):]
	}
	return completion
}

// SQL finds the query of a completion.
//
// A think block before the answer is skipped, and what follows the answer is dropped: an explanation, a closing fence,
// the next demonstration of a model that continues by itself. Of several statements the first that starts with SELECT
// or WITH counts; of several fenced blocks or tags the last, because models draft first; of several "Thus, the answer"
// lines the last, but of the shorter markers the first. A start that parses as SQLite takes precedence over one that
// does not, which separates SQL from prose such as "Select the rows where".
//
// A search that has parsed maxWork bytes takes nothing else for a statement that parses.
func SQL(completion string, o Options) Found {
	s := search{left: maxWork}
	return s.sql(completion, o)
}

// maxWork bounds the bytes that are parsed in search of one answer: a completion may have a query at each of many starts,
// which parses up to none of many line ends. An answer that is found takes a few thousand.
const maxWork = 1 << 19

// search is what may yet be parsed for a completion.
type search struct{ left int }

// refusal is [tree.Refusal] of a text for which enough is left.
func (s *search) refusal(sql string) *tree.Error {
	if s.left -= len(sql); s.left < 0 {
		return &tree.Error{Offset: -1, Message: "the search is given up"}
	}
	return tree.Refusal(sql)
}

func (s *search) sql(completion string, o Options) Found {
	text := Answer(completion, maxText)
	for _, segment := range segments(text) {
		if f, ok := s.find(segment, o); ok {
			return f
		}
	}
	for _, segment := range segments(text) {
		if f, ok := s.other(segment); ok {
			return f
		}
	}
	return Found{Rule: None}
}

// newTask matches the first line of a prompt's input. A model that writes one has begun a task of its own, or repeats
// the prompt.
var newTask = regexp.MustCompile(`(?m)^(### SQLite SQL tables|-- Using valid SQLite|### Complete sqlite SQL)`)

// segments splits a completion before every line that begins a new task.
func segments(text string) []string {
	var out []string
	for _, at := range newTask.FindAllStringIndex(text, 20) {
		if head := text[:at[0]]; strings.TrimSpace(head) != "" && len(out) == 0 {
			out = append(out, head)
		}
	}
	if len(out) == 0 {
		return []string{text}
	}
	return append(out, text[len(out[0]):])
}

// find tries every rule except the last two on one segment.
func (s *search) find(text string, o Options) (Found, bool) {
	blocks, open := s.fences(text)
	for _, rule := range []func() (Found, bool){
		func() (Found, bool) { return s.tagged(text, o) },
		func() (Found, bool) { return s.lastOf(blocks, Fence, o) },
		func() (Found, bool) { return s.lastOf(open, OpenFence, o) },
		func() (Found, bool) { return s.marked(text) },
		func() (Found, bool) { return s.continued(text, o) },
		func() (Found, bool) { return named(s.statement(text), Statement) },
	} {
		if f, ok := rule(); ok {
			return f, true
		}
	}
	return Found{}, false
}

// named adds the rule to a piece.
func named(p piece, rule string) (Found, bool) {
	return Found{SQL: p.sql, Rule: rule, Truncated: p.truncated}, p.sql != ""
}

var tags = regexp.MustCompile(`(?is)<(FINAL_ANSWER|answer|sql)>(.*?)(</(?:FINAL_ANSWER|answer|sql)>|$)`)

// tagged searches between the last pair of answer tags with a query; the closing tag may be missing.
func (s *search) tagged(text string, o Options) (Found, bool) {
	all := tags.FindAllStringSubmatch(text, 20)
	for i := len(all) - 1; i >= 0; i-- {
		inner := all[i][2]
		if blocks, _ := s.fences(inner); len(blocks) > 0 {
			inner = blocks[len(blocks)-1]
		}
		if f, ok := s.inside(inner, Tag, o); ok {
			return f, true
		}
	}
	return Found{}, false
}

// lastOf searches blocks from the last to the first.
func (s *search) lastOf(blocks []string, rule string, o Options) (Found, bool) {
	for i := len(blocks) - 1; i >= 0; i-- {
		if f, ok := s.inside(blocks[i], rule, o); ok {
			f.Truncated = f.Truncated && rule == OpenFence // in a closed block an incomplete query is a fault of the model, not truncated
			return f, true
		}
	}
	return Found{}, false
}

// inside searches text that is set apart from prose. It may hold a whole answer with comment lines, a statement, or a
// continuation. or a continuation.
func (s *search) inside(text, rule string, o Options) (Found, bool) {
	if f, ok := s.marked(text); ok {
		f.Rule = rule
		return f, true
	}
	if f, ok := s.continued(text, o); ok {
		return f, true
	}
	return named(s.statement(text), rule)
}

// fence matches the opening or closing of a block. A word after it counts as the block's language only if a line break
// follows, or if it is a name of SQL.
var fence = regexp.MustCompile("```(?:(?i:sqlite3?|sql|postgresql|mysql)\\b|[A-Za-z0-9_+-]*(?:\\r?\\n|$))?")

// fences returns the text of each fenced block, and that of a last one that is never closed. A lone fence after a
// statement closes a block that the prompt opened, so no block is open then.
func (s *search) fences(text string) (blocks, open []string) {
	for {
		at := fence.FindStringIndex(text)
		if at == nil {
			return blocks, open
		}
		end := strings.Index(text[at[1]:], "```")
		if end < 0 {
			if len(blocks) == 0 && s.statement(text[:at[0]]).sql != "" {
				return nil, nil
			}
			return blocks, []string{text[at[1]:]}
		}
		blocks = append(blocks, text[at[1]:at[1]+end])
		text = text[at[1]+end+3:]
	}
}

// thus and short match the lines that announce an answer. After the first, the rest of its line repeats the question.
var (
	thus  = regexp.MustCompile(`(?im)^[ \t]*(?:#|--)?[ \t]*thus,? the (?:answer|sql|query)[^:\n]*:[^\n]*(?:\n|$)`)
	short = regexp.MustCompile(`(?im)^[ \t]*(?:#+[ \t]*)?(?:\*\*)?(?:final )?(?:sql query|sqlite query|sql|sqlite|answer|query|a)(?:\*\*)?[ \t]*:(?:\*\*)?`)
)

// marked searches after the last "Thus, the answer" line that is followed by a query, and then after the first shorter
// marker that is followed by one immediately.
func (s *search) marked(text string) (Found, bool) {
	all := thus.FindAllStringIndex(text, 20)
	for i := len(all) - 1; i >= 0; i-- {
		if f, ok := named(s.statement(text[all[i][1]:]), Marker); ok {
			return f, true
		}
	}
	for _, at := range short.FindAllStringIndex(text, 20) {
		rest := strings.TrimLeft(text[at[1]:], " \t\r\n`")
		if starts := queryStarts(rest); len(starts) == 0 || starts[0] != 0 {
			continue
		}
		if leading := s.statement(text[:at[0]]); leading.sql != "" && leading.parsed {
			continue // the marker is part of the prose after an answer
		}
		return named(s.statement(text[at[1]:]), Marker)
	}
	return Found{}, false
}

// continued takes text as what follows the prompt's SELECT. It refuses text that starts a query by itself. It takes
// text that does not parse only if no statement inside it parses either and it does not look like prose.
func (s *search) continued(text string, o Options) (Found, bool) {
	body := strings.TrimSpace(text)
	if !o.Continuation || body == "" || strings.HasPrefix(body, "```") {
		return Found{}, false
	}
	if starts := queryStarts(body); len(starts) > 0 && starts[0] == 0 {
		return Found{}, false
	}
	p := s.endOf("SELECT " + body)
	if !p.parsed && !p.truncated && (s.statement(body).parsed || !fromClause.MatchString(p.sql) || prose.MatchString(body)) {
		return Found{}, false
	}
	return named(p, Continuation)
}

var (
	fromClause = regexp.MustCompile(`(?i)\bFROM\b`)
	prose      = regexp.MustCompile(`(?i)^(to|the|this|here|sure|i|we|you|in order|based|given|certainly|let|it|sorry|unfortunately)\b[^,(.*]* `)
)

// other takes a statement that is not a query, if a block or the whole text is one: the model did answer with SQL, so
// the item is rejected, and not one without SQL.
func (s *search) other(text string) (Found, bool) {
	blocks, open := s.fences(text)
	for _, t := range append(append(blocks, open...), text) {
		if t = trim(t); t != "" && s.refusal(t) == nil {
			return Found{SQL: t, Rule: Other}, true
		}
	}
	return Found{}, false
}
