package baseline

import (
	"encoding/json"
	"regexp"
	"strings"

	"assay/prompting/llm"
)

// work is a dialogue in which a model explores the database with tools, up to the present turn.
type work struct {
	on    map[string]bool // the tools on offer
	asked string          // the question as the user wrote it
	done  []deed

	places map[string][]string // the "table.column" of cells that look-ups found, by the cells' text; all in lower case
	drafts []candidate         // see session.drafts
}

// deed is one action of the dialogue with its result.
type deed struct {
	name string
	args map[string]any
	seen string
}

// text returns an argument of the deed that is a string.
func (d deed) text(name string) string { s, _ := d.args[name].(string); return s }

// toolHead matches the line that begins a tool's description in the instruction.
var toolHead = regexp.MustCompile(`(?m)^([A-Z][A-Za-z]*)\([a-zA-Z=, ]*\)$`)

// readWork parses a dialogue with tools. The instruction names the tools; the user's first message ends in "Q: ..."
// below a list of tables. The database is built from what the tools have returned so far.
func readWork(messages []llm.Message, tools []llm.Tool) (*prompt, bool) {
	if len(messages) < 2 || messages[0].Role != llm.System || !strings.Contains(messages[0].Text, "\nExecuteSQL(sql)\n") {
		return nil, false
	}
	p := &prompt{base: &base{}, work: &work{on: map[string]bool{}, places: map[string][]string{}}}
	for _, m := range toolHead.FindAllStringSubmatch(messages[0].Text, -1) {
		p.work.on[m[1]] = len(tools) == 0
	}
	for _, t := range tools {
		p.work.on[t.Name] = true
	}
	p.demos = shownDialogues(messages[0].Text)
	p.question, p.evidence = labelled(messages[1].Text, "Q:"), labelled(messages[1].Text, "Evidence:")
	p.work.done = deeds(messages[2:])
	v := &viewed{tables: map[string]*viewedTable{}}
	v.list(messages[1].Text)
	for _, d := range p.work.done {
		v.learn(d)
		p.work.place(d)
	}
	v.build(p.base)
	p.work.asked = p.question
	for _, d := range p.work.done {
		p.question = respeltAs(p.question, d)
	}
	return p, p.question != "" && len(p.base.tables) > 0
}

// respeltAs replaces a text that was looked up by the similar text that the look-up found, in quotes, if the two
// differ.
func respeltAs(question string, d deed) string {
	value := d.text("value")
	line, _, _ := strings.Cut(d.seen, "\n")
	var f found
	if d.name != "SearchValue" || value == "" || json.Unmarshal([]byte(line), &f) != nil || f.Contents == value || strings.Contains(f.Contents, `"`) {
		return question
	}
	at := strings.Index(question, value)
	if at < 0 || nameCloseness(value, f.Contents) < 0.5 {
		return question
	}
	quoted := at > 0 && strings.ContainsAny(question[at-1:at], "\"'")
	if !quoted {
		f.Contents = `"` + f.Contents + `"`
	}
	return question[:at] + f.Contents + question[at+len(value):]
}

// shownDialogues returns the demonstrations in the instruction: each question with the last query that was run for it.
func shownDialogues(text string) []demo {
	var out []demo
	for _, line := range strings.Split(text, "\n") {
		if q, ok := strings.CutPrefix(line, "Q: "); ok {
			out = append(out, demo{question: strings.TrimSpace(q)})
		} else if call, ok := strings.CutPrefix(line, "Action: ExecuteSQL("); ok && len(out) > 0 {
			out[len(out)-1].sql = unquoted(strings.TrimSuffix(strings.TrimSpace(call), ")"))
		}
	}
	return out
}

// unquoted returns a quoted text without its quotes; escapes are those of JSON.
func unquoted(s string) string {
	var out string
	if json.Unmarshal([]byte(s), &out) == nil {
		return out
	}
	return strings.Trim(s, `"'`)
}

// deeds pairs the model's actions with their results.
func deeds(messages []llm.Message) []deed {
	var out []deed
	for _, m := range messages {
		switch {
		case m.Role == llm.Assistant && len(m.Calls) > 0:
			d := deed{name: m.Calls[0].Name, args: map[string]any{}}
			_ = json.Unmarshal([]byte(m.Calls[0].Arguments), &d.args) // invalid JSON counts as no arguments
			out = append(out, d)
		case m.Role == llm.Assistant:
			out = append(out, readDeed(m.Text))
		case len(out) > 0 && out[len(out)-1].seen == "":
			out[len(out)-1].seen = strings.TrimPrefix(m.Text, "Observation: ")
		}
	}
	return out
}

// readDeed parses an action as [deed.String] writes it; for any other text it finds only the name.
func readDeed(text string) deed {
	_, call, _ := strings.Cut("\n"+text, "\nAction: ")
	name, rest, _ := strings.Cut(call, "(")
	d := deed{name: strings.TrimSpace(name), args: map[string]any{}}
	rest = strings.TrimSuffix(strings.TrimSpace(rest), ")")
	keys := map[string][]string{"SearchColumn": {"semantic"}, "SearchValue": {"value"}, "FindShortestPath": {"start", "end"}, "ExecuteSQL": {"sql"}}
	for _, key := range keys[d.name] {
		rest = strings.TrimPrefix(strings.TrimLeft(rest, ", "), key+"=")
		in := json.NewDecoder(strings.NewReader(rest))
		var v any
		if in.Decode(&v) != nil {
			return d
		}
		d.args[key], rest = v, rest[in.InputOffset():]
	}
	return d
}

// place notes where a look-up found texts.
func (w *work) place(d deed) {
	for _, line := range strings.Split(d.seen, "\n") {
		var f found
		if d.name == "SearchValue" && json.Unmarshal([]byte(line), &f) == nil && f.Contents != "" {
			text := strings.ToLower(f.Contents)
			w.places[text] = append(w.places[text], strings.ToLower(f.Table+"."+f.Column))
		}
	}
}

// viewed is the part of the database that the dialogue has shown so far.
type viewed struct {
	order  []string
	tables map[string]*viewedTable // by name in lower case
}

type viewedTable struct {
	name string
	keys map[string]bool // in lower case
	cols []column
}

// table returns the table of that name, added if it is new.
func (v *viewed) table(name string) *viewedTable {
	low := strings.ToLower(name)
	if v.tables[low] == nil {
		v.tables[low] = &viewedTable{name: name, keys: map[string]bool{}}
		v.order = append(v.order, low)
	}
	return v.tables[low]
}

// column returns the column of that name, added if it is new.
func (t *viewedTable) column(name string) *column {
	for i := range t.cols {
		if strings.EqualFold(t.cols[i].name, name) {
			return &t.cols[i]
		}
	}
	t.cols = append(t.cols, column{name: name})
	return &t.cols[len(t.cols)-1]
}

// list parses the rows of the list of tables.
func (v *viewed) list(text string) {
	var head []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		switch {
		case head == nil:
			head = cells
		case strings.HasPrefix(line, "| ---"):
		default:
			v.row(head, cells)
		}
	}
}

// row adds one row of the list of tables.
func (v *viewed) row(head, cells []string) {
	t := v.table(strings.TrimSpace(cells[0]))
	for i := 1; i < len(cells) && i < len(head); i++ {
		for _, part := range strings.Split(cells[i], ", ") {
			part = strings.TrimSpace(part)
			switch {
			case part == "":
			case head[i] == "Primary Key":
				t.column(part)
				t.keys[strings.ToLower(part)] = true
			case head[i] == "Columns":
				t.column(part)
			case head[i] == "Foreign Key":
				if from, to, ok := strings.Cut(part, " -> "); ok {
					v.refer(t.name, from, to)
				}
			}
		}
	}
}

// refer notes a foreign key from a column to "table.column".
func (v *viewed) refer(table, from, to string) {
	c := v.table(table).column(from)
	if to = strings.ToLower(to); !oneOf(to, c.refs) {
		c.refs = append(c.refs, to)
	}
	if t, name, ok := strings.Cut(to, "."); ok && v.tables[t] != nil {
		v.table(t).column(name)
	}
}

// found is one line of the result of SearchColumn or SearchValue.
type found struct{ Column, Table, Type, Statistics, Contents string }

// learn adds the result of one action.
func (v *viewed) learn(d deed) {
	switch d.name {
	case "SearchColumn", "SearchValue":
		for _, line := range strings.Split(d.seen, "\n") {
			var f found
			if json.Unmarshal([]byte(line), &f) != nil || f.Column == "" || f.Table == "" || v.tables[strings.ToLower(f.Table)] == nil {
				continue
			}
			c := v.table(f.Table).column(f.Column)
			if f.Type != "" {
				c.typ = f.Type
				c.samples = append(c.samples, examplesOf(f.Statistics)...)
			} else if f.Contents != "" && !oneOf(f.Contents, c.samples) {
				c.samples = append(c.samples, f.Contents)
			}
		}
	case "FindShortestPath":
		for _, edge := range pathEdge.FindAllStringSubmatch(d.seen, -1) {
			if a := strings.ToLower(edge[1]); v.tables[a] != nil && v.tables[strings.ToLower(edge[3])] != nil && !v.refers(edge) {
				v.refer(edge[1], edge[2], edge[3]+"."+edge[4])
			}
		}
	}
}

var pathEdge = regexp.MustCompile(`(\w+)\.(\w+) = (\w+)\.(\w+)`)

// refers reports whether an edge is known, in either direction.
func (v *viewed) refers(edge []string) bool {
	has := func(table, column, to string) bool {
		return oneOf(strings.ToLower(to), v.table(table).column(column).refs)
	}
	return has(edge[1], edge[2], edge[3]+"."+edge[4]) || has(edge[3], edge[4], edge[1]+"."+edge[2])
}

var quotedExample = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|-?[0-9][0-9.]*`)

// examplesOf returns the example values in a column's statistics.
func examplesOf(statistics string) []string {
	kind, values, _ := strings.Cut(statistics, ": ")
	if strings.HasPrefix(statistics, "texts") {
		_, values, _ = strings.Cut(statistics, "such as ")
		kind = "categories"
	}
	if kind != "categories" && kind != "numbers" {
		return nil
	}
	values, _, _ = strings.Cut(values, "; ")
	var out []string
	for _, m := range quotedExample.FindAllStringSubmatch(values, 200) {
		one := m[0]
		if one[0] == '\'' || one[0] == '"' {
			one = strings.ReplaceAll(strings.ReplaceAll(m[1]+m[2], `\'`, `'`), `\"`, `"`)
		}
		out = append(out, one)
	}
	return out
}

// build fills b with the known part of the database.
func (v *viewed) build(b *base) {
	for _, low := range v.order {
		t := v.tables[low]
		b.addTable(t.name)
		for _, c := range t.cols {
			own := b.addColumn(c.name)
			own.typ, own.samples, own.refs, own.key = c.typ, c.samples, c.refs, t.keys[strings.ToLower(c.name)]
		}
	}
}
