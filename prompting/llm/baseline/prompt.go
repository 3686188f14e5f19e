package baseline

import (
	"strings"

	"assay/prompting/llm"
)

// form is the kind of answer that a prompt demands.
type form int

// The forms, one per method and stage.
const (
	formSQL      form = iota // the query
	formContinue             // what follows the prompt's last word, SELECT
	formCoT                  // one comment line per clause, then the query
	formReduce               // least-to-most, stage 1: the sub-questions
	formSolve                // least-to-most, stage 2: the query for the last Q
	formDecomp               // numbered sub-questions, then the query
	formInterCol             // the same with the columns of each step
)

// demo is one demonstration: a question and its answer.
type demo struct {
	question string
	sql      string // the last query of the target; empty if there is none
}

// pair is a sub-question that the prompt has already answered.
type pair struct{ question, sql string }

// prompt is what the parser found in a request's messages.
type prompt struct {
	form     form
	base     *base
	question string
	evidence string
	demos    []demo
	solved   []pair

	task    *task    // nil: form decides
	shown   []shown  // the queries to repair or to compare
	meaning string   // of the one column that the prompt asks about
	count   int      // number of examples to write
	parts   []string // simpler questions that the prompt names
	test    string   // that the shown queries are to pass

	work *work // a dialogue with tools; nil for other prompts
}

// block is one schema with its question and, in a demonstration, the target.
type block struct {
	schema   []string
	evidence string
	question string
	target   []string
}

// readPrompt parses a request's messages; false if they hold no schema or no question.
func readPrompt(messages []llm.Message) (*prompt, bool) {
	system, user := texts(messages)
	if t := taskOf(system, user); t != nil {
		p, ok := t.read(user)
		if ok {
			p.task = t
		}
		return p, ok
	}
	blocks := readBlocks(user)
	if len(blocks) == 0 {
		return nil, false
	}
	p := fromBlocks(blocks)
	lastBlock := blocks[len(blocks)-1]
	p.form = readForm(system, blocks)
	if p.form == formSolve {
		p.solved, p.question = readPairs(lastBlock.target, p.question)
	}
	p.base = readSchema(lastBlock.schema)
	p.question = strings.TrimSpace(p.question)
	return p, p.question != "" && len(p.base.cols) > 0
}

// mostRead bounds a question and its evidence, in bytes; what is behind is not read. Linking looks at pairs of words.
const mostRead = 2048

// bound cuts what is longer than mostRead.
func (p *prompt) bound() {
	cut := func(s *string) {
		if len(*s) > mostRead {
			*s = strings.ToValidUTF8((*s)[:mostRead], "")
		}
	}
	cut(&p.question)
	cut(&p.evidence)
	for i := range p.demos {
		cut(&p.demos[i].question)
	}
}

// fromBlocks takes the last block as the question and the earlier ones as demonstrations.
func fromBlocks(blocks []block) *prompt {
	lastBlock := blocks[len(blocks)-1]
	p := &prompt{question: lastBlock.question, evidence: lastBlock.evidence}
	for _, bl := range blocks[:len(blocks)-1] {
		p.demos = append(p.demos, demo{bl.question, lastQuery(bl.target)})
	}
	return p
}

// readBlocks splits the text at the start of each schema.
func readBlocks(text string) []block {
	var out []block
	cur := &block{}
	inRows, asked := false, false // inRows: in a comment of example rows; asked: after the line that announces the question
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if startsSchema(trimmed) && (cur.question != "" || len(cur.target) > 0) {
			out = append(out, *cur)
			cur, asked = &block{}, false
		}
		switch {
		case cur.question != "":
			cur.target = append(cur.target, line)
		case strings.HasPrefix(trimmed, "/*"), inRows:
			inRows = !strings.HasSuffix(trimmed, "*/")
			cur.schema = append(cur.schema, line)
		case strings.HasPrefix(trimmed, "-- Using valid"):
			asked = true
		default:
			if e, ok := after(trimmed, "Evidence:", "External Knowledge:", "Hint:"); ok {
				cur.evidence = e
			} else if q, ok := questionLine(trimmed, asked); ok && len(cur.schema) > 0 {
				cur.question = q
			} else {
				cur.schema = append(cur.schema, line)
			}
		}
	}
	if cur.question != "" {
		out = append(out, *cur)
	}
	return out
}

func startsSchema(line string) bool {
	return strings.HasPrefix(line, "### SQLite SQL tables") || hasPrefixFold(line, "CREATE TABLE")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// after returns what follows one of the markers at the start of a line, ignoring comment signs.
func after(line string, markers ...string) (string, bool) {
	body := strings.TrimLeft(line, "#- ")
	for _, m := range markers {
		if hasPrefixFold(body, m) {
			return strings.TrimSpace(body[len(m):]), true
		}
	}
	return "", false
}

// questionLine returns the question in a line; asked says that the line before announced it.
func questionLine(line string, asked bool) (string, bool) {
	if q, ok := after(line, "Question:"); ok {
		return q, q != ""
	}
	switch {
	case asked && strings.HasPrefix(line, "--"):
		q := strings.TrimSpace(strings.TrimLeft(line, "- "))
		return q, q != ""
	case strings.HasPrefix(line, "### ") && !strings.HasPrefix(line, "### SQLite"):
		return strings.TrimSpace(line[4:]), true
	}
	return "", false
}

// readForm determines the form of answer from the instruction, the demonstrations and the end of the prompt.
func readForm(system string, blocks []block) form {
	end := blocks[len(blocks)-1].target
	hints := system
	for _, b := range blocks[:len(blocks)-1] {
		hints += strings.Join(b.target, "\n") + "\n"
	}
	tail := ""
	for _, line := range end {
		if t := strings.TrimSpace(line); t != "" {
			tail = t
		}
	}
	switch {
	case tail == "A:":
		return formSolve
	case strings.Contains(hints, "we need to know"):
		return formReduce
	case strings.Contains(hints, "SQL table (column):"):
		return formInterCol
	case strings.Contains(hints, "decompose the question"):
		return formDecomp
	case strings.Contains(hints, "# Thus, the answer for the question is"):
		return formCoT
	case tail == "SELECT":
		return formContinue
	}
	return formSQL
}

// readPairs parses the answered Q and A lines after the input, and the Q without an answer.
func readPairs(lines []string, question string) ([]pair, string) {
	var out []pair
	open := ""
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if q, ok := strings.CutPrefix(line, "Q:"); ok {
			open = strings.TrimSpace(q)
		} else if a, ok := strings.CutPrefix(line, "A:"); ok && strings.TrimSpace(a) != "" && open != "" {
			out = append(out, pair{open, strings.TrimSpace(a)})
		}
	}
	if open == "" {
		open = question
	}
	return out, open
}

// lastQuery returns the last query of a target: from the last line that begins a query to the end.
func lastQuery(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[i]), "A:"))
		if hasPrefixFold(line, "SELECT") || hasPrefixFold(line, "WITH ") {
			rest := append([]string{line}, lines[i+1:]...)
			for k := range rest {
				rest[k] = strings.TrimSuffix(strings.TrimSpace(rest[k]), "</FINAL_ANSWER>")
			}
			return strings.TrimSpace(strings.Join(rest, " "))
		}
	}
	return ""
}

// readSchema parses the lines of a schema in any of the known formats.
func readSchema(lines []string) *base {
	b := &base{}
	var ddl []string
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			readDocLine(b, line)
		} else {
			ddl = append(ddl, line)
		}
	}
	if len(b.tables) == 0 {
		readDDL(b, strings.Join(ddl, "\n"))
	}
	return b
}

// readDocLine parses "# table (column, column)".
func readDocLine(b *base, line string) {
	body := strings.TrimSpace(strings.TrimLeft(line, "#"))
	name, rest := identAt(body)
	rest = strings.TrimSpace(rest)
	if name == "" || !strings.HasPrefix(rest, "(") || !strings.HasSuffix(rest, ")") {
		return
	}
	b.addTable(name)
	for _, part := range splitTop(rest[1:len(rest)-1], ',') {
		if c, _ := identAt(strings.TrimSpace(part)); c != "" {
			b.addColumn(c)
		}
	}
}
