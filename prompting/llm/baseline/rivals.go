package baseline

import (
	"encoding/json"
	"regexp"
	"strings"
)

// The stages of DIN-SQL, the prompt of DAIL-SQL and the answer of ACT-SQL: which words of the question need which column, the class of the question,
// and queries with what leads to them.

var (
	linkedLine = regexp.MustCompile(`(?m)^Schema_links: \[(.*)\]$`)
	partsLine  = regexp.MustCompile(`(?m)^questions = (\[.*\])$`)
)

// readStage parses a schema and a question, with lines after it that say what earlier stages found.
func readStage(user string) (*prompt, bool) {
	blocks := readBlocks(user)
	if len(blocks) == 0 {
		return nil, false
	}
	for _, b := range blocks {
		for i, line := range b.target {
			b.target[i] = strings.TrimPrefix(line, "SQL: ")
		}
	}
	last := blocks[len(blocks)-1]
	p := fromBlocks(blocks)
	p.base = readSchema(last.schema)
	end := strings.Join(last.target, "\n")
	if m := linkedLine.FindStringSubmatch(end); m != nil {
		p.solved = append(p.solved, pair{sql: strings.ReplaceAll(m[1], ",", " ")})
	}
	if m := partsLine.FindStringSubmatch(end); m != nil {
		_ = json.Unmarshal([]byte(m[1]), &p.parts) // where it is none, there are none
	}
	return p, p.question != "" && len(p.base.cols) > 0
}

// reference is a column of a query with the words of the question that name it.
type reference struct{ phrase, column string }

// references lists the columns of a query, those of sub-queries and of the other side too, each once.
func (s *session) references(q *query) (out []reference) {
	toks, units := link(s.base, s.question, s.aliases)
	seen := map[int]bool{}
	each(q, func(q *query) {
		q.columns(func(c int) {
			if seen[c] {
				return
			}
			seen[c] = true
			phrase := s.question
			for _, u := range units {
				if len(u.cols) > 0 && u.cols[0].id == c && u.to <= len(toks) {
					phrase = s.question[toks[u.from].at:toks[u.to-1].to]
					break
				}
			}
			out = append(out, reference{phrase, use{s.base.cols[c].table, c}.print(s.base)})
		})
	})
	return out
}

// each calls f with a query, its sub-queries and the other side of its set operation.
func each(q *query, f func(*query)) {
	f(q)
	for _, c := range q.where {
		if c.sub != nil {
			each(c.sub, f)
		}
	}
	if q.right != nil {
		each(q.right, f)
	}
}

// joined lists the joins of a query, and the values that it compares with.
func (s *session) joined(q *query) (joins, values []string) {
	each(q, func(q *query) {
		order, edges, _, _ := s.base.tree(q.from(s.base))
		for i := range order {
			if i > 0 && edges[i].a >= 0 {
				a, b := edges[i].a, edges[i].b
				joins = append(joins, use{s.base.cols[a].table, a}.print(s.base)+" = "+use{s.base.cols[b].table, b}.print(s.base))
			}
		}
		for _, c := range append(append([]cond(nil), q.where...), q.having...) {
			if c.sub == nil && c.right != "" {
				values = append(values, c.right)
			}
		}
	})
	return joins, values
}

// linkColumns names the columns, joins and values that the question needs.
func (s *session) linkColumns() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	c := s.pick(cs)
	var out strings.Builder
	var links []string
	for _, r := range s.references(&c.q) {
		out.WriteString(`"` + r.phrase + `" needs ` + r.column + ".\n")
		links = append(links, r.column)
	}
	joins, values := s.joined(&c.q)
	for _, j := range joins {
		out.WriteString("The tables are joined by " + j + ".\n")
	}
	out.WriteString("Schema_links: [" + strings.Join(append(append(links, joins...), values...), ",") + "]")
	return out.String(), true
}

// classify says whether the query joins tables or has a query inside, and what that one answers.
func (s *session) classify() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	c := s.pick(cs)
	tables, _, _, _ := s.base.tree(c.q.from(s.base))
	var names []string
	for _, t := range tables {
		names = append(names, s.base.tables[t].name)
	}
	nested := c.q.right != nil
	each(&c.q, func(q *query) { nested = nested || q != &c.q })
	joins, label := "No join is needed.", "EASY"
	if len(tables) > 1 {
		joins, label = "A join is needed.", "NON-NESTED"
	}
	inside, parts := "Neither a query inside nor a set operation is needed.", []string{}
	if nested {
		inside, label = "A query inside or a set operation is needed.", "NESTED"
		parts = append(parts, subQuestions(s.base, s.question, &c.q)...)
	}
	list, err := json.Marshal(parts)
	if err != nil { // unreachable: they are texts
		return "", false
	}
	return "Tables: [" + strings.Join(names, ", ") + "]. " + joins + "\n" + inside + "\nquestions = " + string(list) + "\nLabel: \"" + label + `"`, true
}

// represent answers the simpler questions of the prompt, is bound by what they select, and writes the query without its joins
// and then whole.
func (s *session) represent() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	var out strings.Builder
	var solved []query
	for _, q := range s.parts[:min(len(s.parts), mostParts)] {
		q = q[:min(len(q), mostRead)]
		if part := candidates(s.base, q, &s.knowledge); len(part) > 0 {
			c := s.pick(part)
			solved = append(solved, c.q)
			out.WriteString(`The SQL of "` + q + `" is: ` + c.sql + "\n")
		}
	}
	c := s.pick(rank(s.agreeing(cs, solved)))
	if len(s.parts) == 0 {
		tables, _, _, _ := s.base.tree(c.q.from(s.base))
		var names []string
		for _, t := range tables {
			names = append(names, s.base.tables[t].name)
		}
		out.WriteString("Tables to join: [" + strings.Join(names, ", ") + "]\n")
	}
	out.WriteString("Intermediate_representation: " + unjoined(s.base, &c.q) + "\nSQL: " + c.sql)
	return out.String(), true
}

// mostParts bounds the simpler questions of a prompt that are answered.
const mostParts = 10

// unjoined prints a query with full names and without FROM; a query inside it stays whole.
func unjoined(b *base, q *query) string {
	p := printer{b: b, alias: map[int]string{}}
	for t := range b.tables {
		p.alias[t] = ident(b.tables[t].name)
	}
	out := "SELECT " + p.list(q.sel)
	if len(q.where) > 0 {
		out += " WHERE " + p.conds(q.where)
	}
	for i, c := range q.group {
		out += map[bool]string{true: " GROUP BY ", false: ", "}[i == 0] + p.column(c)
	}
	if len(q.having) > 0 {
		out += " HAVING " + p.conds(q.having)
	}
	out += p.tail(q)
	if q.right != nil {
		out += " " + q.setOp + " " + unjoined(b, q.right)
	}
	return out
}

// lookOver leaves a query as it is, and writes one where there is none.
func (s *session) lookOver() (string, bool) {
	if sql := s.shown[0].sql; sql != "" {
		return sql, true
	}
	return s.plainly()
}

// plainly answers with the query alone.
func (s *session) plainly() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	return s.pick(cs).sql, true
}

// reason tells which words of the question need which column, and then the query.
func (s *session) reason() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	c := s.pick(s.stage(cs, columnsOf(s.base)))
	var out strings.Builder
	for _, r := range s.references(&c.q) {
		out.WriteString(`According to "` + r.phrase + `", the column ` + r.column + " is needed.\n")
	}
	if _, values := s.joined(&c.q); len(values) > 0 {
		out.WriteString("Values: " + strings.Join(values, ", ") + ".\n")
	}
	return out.String() + "So the query is:\n" + c.sql, true
}

// readAlike parses examples without schemas, each a question in a comment and its query or a query alone, and then a schema
// and a question.
func readAlike(user string) (*prompt, bool) {
	var examples []demo
	rest, question := "", ""
	for left := user; left != ""; {
		line, after, _ := strings.Cut(left, "\n")
		if startsSchema(line) {
			rest = left
			break
		}
		if q, ok := strings.CutPrefix(line, "/* Question: "); ok {
			question = strings.TrimSuffix(q, " */")
		} else if sql := lastQuery([]string{line}); sql != "" {
			examples = append(examples, demo{question, sql})
		}
		left = after
	}
	blocks := readBlocks(rest)
	if len(blocks) == 0 {
		return nil, false
	}
	p := fromBlocks(blocks)
	p.demos = append(examples, p.demos...)
	p.base = readSchema(blocks[len(blocks)-1].schema)
	p.form = readForm("", blocks)
	return p, p.question != "" && len(p.base.cols) > 0
}

// goOn answers with the query, or with what follows SELECT where the prompt ends in it.
func (s *session) goOn() (string, bool) {
	sql, ok := s.plainly()
	if s.form == formContinue {
		sql = strings.TrimPrefix(sql, "SELECT ")
	}
	return sql, ok
}
