package baseline

import (
	"strings"

	"assay/prompting/llm"
)

// Bounds of a dialogue: values looked up, texts per column search, and queries tried.
const (
	maxLookUps = 4
	maxPhrases = 8
	maxQueries = 3
)

// act returns the next step of a dialogue. The order is fixed: search columns, look up values, find a join path, run a
// query, repair it if it fails or returns no row, and finish.
func (s *session) act() (thought string, next deed) {
	for _, step := range []func(*session) (string, deed, bool){
		(*session).searchColumns, (*session).searchValues, (*session).searchNames, (*session).finished, (*session).findPath, (*session).runQuery,
	} {
		if thought, next, ok := step(s); ok {
			return thought, next
		}
	}
	if _, n := s.lastQuery(); n > 0 {
		return "I know of no better query.", deed{name: "Done"}
	}
	return "I count what there is.", deed{name: "ExecuteSQL", args: map[string]any{"sql": "SELECT count(*) FROM " + ident(s.base.tables[0].name)}}
}

// said reports whether the dialogue has an action of that name, and with that argument if one is given.
func (s *session) said(name string, args ...string) bool {
	for _, d := range s.work.done {
		if d.name == name && (len(args) == 0 || strings.EqualFold(d.text(args[0]), args[1])) {
			return true
		}
	}
	return false
}

func (s *session) may(tool string) bool { return s.work.on[tool] }

// searchColumns searches once for columns that match the phrases of the question.
func (s *session) searchColumns() (string, deed, bool) {
	if !s.may("SearchColumn") || s.said("SearchColumn") {
		return "", deed{}, false
	}
	return "The question asks: " + s.question + " I look for the columns that it speaks of.",
		deed{name: "SearchColumn", args: map[string]any{"semantic": s.phrases()}}, true
}

// phrases returns the runs of content words of the question, the column words that its comparatives imply, and the
// names of the rows of mentioned tables.
func (s *session) phrases() []any {
	var out []any
	seen := map[string]bool{}
	add := func(p string) {
		if p = strings.TrimSpace(p); p != "" && !seen[strings.ToLower(p)] && len(out) < maxPhrases {
			seen[strings.ToLower(p)] = true
			out = append(out, p)
		}
	}
	text := s.question
	toks, us := link(s.base, text, nil)
	for i := 0; i < len(toks); {
		end := i
		for end < len(toks) && !toks[end].punct && !toks[end].quoted && !toks[end].number && !stop[toks[end].low] {
			end++
		}
		if end > i {
			add(text[toks[i].at:toks[end-1].to])
		}
		i = max(end, i+1)
	}
	for _, t := range toks {
		for _, spec := range strings.Fields(superlatives[t.low] + " " + comparatives[t.low]) {
			if w, _, _ := strings.Cut(spec, ":"); len(w) > 2 {
				add(w)
				break
			}
		}
	}
	for _, u := range us {
		if len(u.tabs) > 0 {
			add("name of the " + spell(s.base.tables[u.tabs[0].id].words))
		}
	}
	if len(out) == 0 {
		add(text)
	}
	return out
}

// searchNames searches once for the columns that name the rows of the tables which the best parse needs, if only their
// keys are known.
func (s *session) searchNames() (string, deed, bool) {
	if !s.may("SearchColumn") || s.times("SearchColumn") > 1 {
		return "", deed{}, false
	}
	var out []any
	for _, t := range s.draftTables() {
		plain := false
		for _, c := range s.base.columnsOf(t) {
			col := &s.base.cols[c]
			plain = plain || !col.key && len(col.refs) == 0
		}
		if !plain {
			out = append(out, "name of the "+spell(s.base.tables[t].words), spell(s.base.tables[t].words))
		}
	}
	if len(out) == 0 {
		return "", deed{}, false
	}
	return "Of some tables I know the keys alone, so I look for what else they hold.", deed{name: "SearchColumn", args: map[string]any{"semantic": out}}, true
}

func (s *session) times(name string) (n int) {
	for _, d := range s.work.done {
		if d.name == name {
			n++
		}
	}
	return n
}

// searchValues looks up a name or a quoted text of the question that no known column contains.
func (s *session) searchValues() (string, deed, bool) {
	if !s.may("SearchValue") || s.times("SearchValue") >= maxLookUps {
		return "", deed{}, false
	}
	_, us := link(s.base, s.work.asked, nil)
	for _, u := range us {
		if !u.isValue || u.number || len(u.value) < 2 || s.said("SearchValue", "value", u.value) {
			continue
		}
		return "I look up how the database spells " + u.value + ", and where.", deed{name: "SearchValue", args: map[string]any{"value": u.value}}, true
	}
	return "", deed{}, false
}

// drafts returns the parses of the question, computed once per turn.
func (s *session) drafts() []candidate {
	if s.work.drafts == nil {
		s.work.drafts = s.placed(s.candidates())
	}
	return s.work.drafts
}

// inPlace is the score that a parse gains if it compares a value with a column where a look-up found it, and loses if
// it compares the value with another column. It is set by hand.
const inPlace = 0.8

// placed adjusts the scores of parses by the look-ups.
func (s *session) placed(cs []candidate) []candidate {
	out := append([]candidate(nil), cs...)
	for i := range out {
		for _, c := range out[i].q.where {
			places := s.work.places[strings.ToLower(strings.Trim(c.right, "'"))]
			if len(places) == 0 || c.left.col < 0 {
				continue
			}
			col := &s.base.cols[c.left.col]
			if oneOf(strings.ToLower(s.base.tables[col.table].name+"."+col.name), places) {
				out[i].score += inPlace
			} else {
				out[i].score -= inPlace
			}
		}
	}
	return rank(out)
}

// draftTables returns the tables that the best parse mentions, without those that only join them.
func (s *session) draftTables() []int {
	cs := s.drafts()
	if len(cs) == 0 {
		return nil
	}
	return cs[0].q.from(s.base)
}

// findPath asks once how the first and the last table of the best parse are joined.
func (s *session) findPath() (string, deed, bool) {
	if !s.may("FindShortestPath") || s.said("FindShortestPath") {
		return "", deed{}, false
	}
	cs := s.drafts()
	if len(cs) == 0 {
		return "", deed{}, false
	}
	from := cs[0].q.from(s.base)
	if len(from) < 2 {
		return "", deed{}, false
	}
	name := func(t int) string {
		for _, u := range usage(s.base, &cs[0].q, nil) {
			if u.table == t && u.col >= 0 {
				return s.base.tables[t].name + "." + s.base.cols[u.col].name
			}
		}
		return s.base.tables[t].name
	}
	a, b := from[0], from[len(from)-1]
	return "The columns lie in " + s.base.tables[a].name + " and " + s.base.tables[b].name + ", so I need to know how these are joined.",
		deed{name: "FindShortestPath", args: map[string]any{"start": name(a), "end": name(b)}}, true
}

// finished ends the dialogue after a query whose result is neither an error nor empty, or after the last allowed try.
func (s *session) finished() (string, deed, bool) {
	last, n := s.lastQuery()
	if n == 0 || n < maxQueries && s.wrong(last) && s.mended(last) != "" {
		return "", deed{}, false
	}
	return "The result is what the question asks for.", deed{name: "Done"}, true
}

// lastQuery returns the last query that was run, and the number of queries run.
func (s *session) lastQuery() (last deed, n int) {
	for _, d := range s.work.done {
		if d.name == "ExecuteSQL" {
			last, n = d, n+1
		}
	}
	return last, n
}

// wrong reports whether a query's result calls for another query: it is empty or an error.
func (s *session) wrong(d deed) bool { return d.seen == "[]" || strings.HasPrefix(d.seen, "Error: ") }

// mended returns a repaired query for one that failed; empty if every repair was already run.
func (s *session) mended(d deed) string {
	if strings.Contains(d.seen, "run it again as it is") { // the parser writes every join with aliases and has no other form to offer
		return d.text("sql")
	}
	s.shown = []shown{{sql: d.text("sql"), result: strings.TrimPrefix(d.seen, "Error: the query failed: ")}}
	if strings.HasPrefix(d.seen, "Error: ") {
		s.shown[0].result = "error: " + s.shown[0].result
	}
	sql, ok := s.mend()
	if !ok || s.said("ExecuteSQL", "sql", sql) {
		return ""
	}
	return sql
}

// runQuery runs the query of a parse, or a repaired one.
func (s *session) runQuery() (string, deed, bool) {
	if last, n := s.lastQuery(); n > 0 {
		sql := s.mended(last)
		return "The result shows that the query is not right yet, so I change it.", deed{name: "ExecuteSQL", args: map[string]any{"sql": sql}}, sql != ""
	}
	cs := s.drafts()
	if len(cs) == 0 {
		return "", deed{}, false
	}
	c := s.pick(cs)
	return "Now I can write the query: " + describe(s.base, &c.q), deed{name: "ExecuteSQL", args: map[string]any{"sql": c.sql}}, true
}

// response writes the next step in the form that the request uses: a thought and an action as text, or a function call.
func (s *session) response(r llm.Request) llm.Response {
	thought, next := s.act()
	if len(r.Tools) == 0 {
		text, finish := cut("Thought: "+strings.Join(strings.Fields(thought), " ")+"\nAction: "+next.String(), r.Params)
		return llm.Response{Text: text, Finish: finish, Usage: llm.EstimateUsage(r, text)}
	}
	if next.args == nil {
		next.args = map[string]any{}
	}
	call := llm.ToolCall{ID: "call-" + next.name, Name: next.name, Arguments: asJSON(next.args)}
	return llm.Response{Text: thought, ToolCalls: []llm.ToolCall{call}, Finish: llm.FinishTools, Usage: llm.EstimateUsage(r, thought+call.Name+call.Arguments)}
}

// String returns the action as the text protocol writes it.
func (d deed) String() string {
	switch d.name {
	case "SearchColumn":
		return `SearchColumn(` + strings.ReplaceAll(asJSON(d.args["semantic"]), `","`, `", "`) + `)`
	case "SearchValue":
		return `SearchValue(` + asJSON(d.args["value"]) + `)`
	case "FindShortestPath":
		return `FindShortestPath(start=` + asJSON(d.args["start"]) + `, end=` + asJSON(d.args["end"]) + `)`
	case "ExecuteSQL":
		return `ExecuteSQL(` + asJSON(d.args["sql"]) + `)`
	}
	return d.name + "()"
}
