package baseline

import (
	"strings"

	"assay/prompting/llm"
)

// task is a kind of prompt with another layout or answer than those of [form]. It is recognized by one of its lines,
// and parsed and answered by its own functions.
type task struct {
	mark   string // a heading of the prompt, or a line of the answer's form in its instruction
	asked  bool   // true: mark is a line of the user's text; false: it is anywhere in the instruction
	read   func(user string) (*prompt, bool)
	answer func(*session) (string, bool)
}

// tasks are tried in order.
var tasks = []task{
	{"### Mended query", true, readSections, (*session).mend},
	{"### Answer, A or B", true, readSections, (*session).compare},
	{"### Ranking, best first", true, readSections, (*session).order},
	{"### Unit tests, as a list", true, readSections, (*session).writeTests},
	{"### Verdicts, one a line", true, readSections, (*session).runTest},
	{`"relevant": "Yes" or "No"`, false, readOneColumn, (*session).relevant},
	{`["<table>", "<table>"]`, false, readQuestion, (*session).rankTables},
	{`"<table>": "keep_all"`, false, readQuestion, (*session).selectTables},
	{"Sub-question: <", false, readQuestion, (*session).subQuestion},
	{"**Skeleton:**", false, readQuestion, (*session).skeleton},
	{`{"<table>": ["<column>"`, false, readQuestion, (*session).chooseColumns},
	{`{"input": "<question>"`, false, readTables, (*session).writeExamples},
	{"a list of texts in JSON", false, readBare, (*session).keywords},
	{"**1. Divide and Conquer:**", false, readQuestion, (*session).divide},
	{"**Query Plan:**", false, readQuestion, (*session).plan},
	{"<FINAL_ANSWER>", false, readQuestion, (*session).think},
	{"### Query as it should be", true, readSections, (*session).lookOver},
	{"### Query without the mistake", true, readSections, (*session).mend},
	{"Schema_links: [<table>.<column>", false, readStage, (*session).linkColumns},
	{`Label: "<class>"`, false, readStage, (*session).classify},
	{"Intermediate_representation: <", false, readStage, (*session).represent},
	{`The text ends in "SQL:"`, false, readStage, (*session).plainly},
	{"/* Examples of questions like the last, each with its SQL: */", true, readAlike, (*session).goOn},
	{"/* SQL examples that are like what is wanted: */", true, readAlike, (*session).goOn},
	{`According to "<`, false, readStage, (*session).reason},
}

// taskOf returns the task of a prompt, nil for a plain one.
func taskOf(system, user string) *task {
	for i := range tasks {
		t := &tasks[i]
		if t.asked && strings.Contains("\n"+user+"\n", "\n"+t.mark+"\n") || !t.asked && strings.Contains(system, t.mark) {
			return t
		}
	}
	return nil
}

// texts returns the instruction and the user's text, each joined from all its messages.
func texts(messages []llm.Message) (system, user string) {
	var s, u strings.Builder
	for _, m := range messages {
		if m.Role == llm.System {
			s.WriteString(m.Text + "\n")
		} else {
			u.WriteString(m.Text + "\n")
		}
	}
	return s.String(), u.String()
}

// readQuestion parses a schema and a question in the layout of the methods, with demonstrations or examples before it.
func readQuestion(user string) (*prompt, bool) {
	examples, rest := cutExamples(user)
	blocks := readBlocks(rest)
	if len(blocks) == 0 {
		return nil, false
	}
	p := fromBlocks(blocks)
	p.demos = append(examples, p.demos...)
	p.base = readSchema(blocks[len(blocks)-1].schema)
	return p, p.question != "" && len(p.base.cols) > 0
}

// cutExamples splits the examples, each a question and its query, from the start of the text.
func cutExamples(user string) ([]demo, string) {
	rest, ok := strings.CutPrefix(user, "### Examples\n")
	if !ok {
		return nil, user
	}
	var out []demo
	for {
		line, after, _ := strings.Cut(rest, "\n")
		if q, ok := strings.CutPrefix(line, "Question:"); ok {
			out = append(out, demo{question: strings.TrimSpace(q)})
		} else if sql, ok := strings.CutPrefix(line, "SQL:"); ok && len(out) > 0 {
			out[len(out)-1].sql = strings.TrimSpace(sql)
		} else {
			return out, rest
		}
		rest = after
	}
}

// shown is a query that the prompt shows, with the result of running it.
type shown struct{ name, sql, result string }

// readSections parses the layout in which a schema, the question and queries have headings.
func readSections(user string) (*prompt, bool) {
	p := &prompt{base: &base{}}
	heading, body := "", []string(nil)
	for _, line := range append(strings.Split(user, "\n"), "### ") {
		if !strings.HasPrefix(line, "### ") || startsSchema(line) {
			body = append(body, line)
			continue
		}
		p.section(heading, body)
		heading, body = strings.TrimSpace(line[len("### "):]), nil
	}
	p.question = strings.TrimSpace(p.question)
	return p, p.question != "" && len(p.shown) > 0
}

// section stores the text under one heading.
func (p *prompt) section(heading string, body []string) {
	text := strings.TrimSpace(strings.Join(body, "\n"))
	name, isCandidate := strings.CutPrefix(heading, "Candidate ")
	switch {
	case heading == "Database schema":
		p.base = readSchema(body)
	case heading == "Question":
		p.question = text
	case heading == "Evidence":
		p.evidence = text
	case heading == "Unit test":
		p.test = text
	case heading == "Query", isCandidate:
		p.shown = append(p.shown, shown{name: strings.TrimSpace(name), sql: text})
	case strings.HasPrefix(heading, "Result") && len(p.shown) > 0:
		p.shown[len(p.shown)-1].result = text
	}
}

// readOneColumn parses the layout that describes one column.
func readOneColumn(user string) (*prompt, bool) {
	p := readLabels(user)
	name, table := labelled(user, "Column:"), labelled(user, "Table:")
	if name == "" || table == "" {
		return nil, false
	}
	p.base.addTable(table)
	c := p.base.addColumn(name)
	c.typ = labelled(user, "Type:")
	for _, v := range strings.Split(labelled(user, "Example values:"), ",") {
		if v = strings.TrimSpace(v); v != "" {
			c.samples = append(c.samples, v)
		}
	}
	p.meaning = labelled(user, "Meaning:")
	return p, p.question != ""
}

// readBare parses a question without a schema.
func readBare(user string) (*prompt, bool) {
	p := readLabels(user)
	return p, p.question != ""
}

// readLabels parses the question and the evidence from their labelled lines.
func readLabels(user string) *prompt {
	return &prompt{base: &base{}, question: labelled(user, "Question:"), evidence: labelled(user, "Evidence:")}
}

// labelled returns what follows a label at the start of a line.
func labelled(text, label string) string {
	for _, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
