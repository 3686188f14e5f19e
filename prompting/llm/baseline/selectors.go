package baseline

import (
	"sort"
	"strings"
)

// rankTables lists all tables: those of a few parses, best or drawn, and then the rest in the schema's order.
func (s *session) rankTables() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	order := s.neededTables(cs)
	for t := range s.base.tables {
		order = append(order, t)
	}
	seen, out := make([]bool, len(s.base.tables)), []string{}
	for _, t := range order {
		if !seen[t] {
			seen[t], out = true, append(out, s.base.tables[t].name)
		}
	}
	return strings.ReplaceAll(asJSON(out), `","`, `", "`), true
}

// neededTables returns the tables of a few parses, in the order in which they are met; some are met more than once.
func (s *session) neededTables(cs []candidate) (out []int) {
	for i := 0; i < readings && i < len(cs); i++ {
		c := cs[i]
		if s.params.Temperature > 0 {
			c = s.pick(cs)
		}
		out = append(out, c.q.from(s.base)...)
	}
	return out
}

// selectTables says of each table whether to keep it whole, to drop it, or which of its columns to keep.
func (s *session) selectTables() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	keep, used := map[int]bool{}, map[int]bool{}
	for _, t := range s.neededTables(cs) {
		keep[t] = true
	}
	for i := 0; i < readings && i < len(cs); i++ {
		for _, u := range usage(s.base, &cs[i].q, nil) {
			used[u.col] = true
		}
	}
	var out []string
	for t, tab := range s.base.tables {
		said := `"drop_all"`
		switch {
		case keep[t] && tab.n <= wholeTable:
			said = `"keep_all"`
		case keep[t]:
			var names []string
			for _, c := range s.base.columnsOf(t) {
				if used[c] || s.base.cols[c].isID() {
					names = append(names, s.base.cols[c].name)
				}
			}
			said = asJSON(names)
		}
		out = append(out, asJSON(tab.name)+": "+said)
	}
	return "{" + strings.Join(out, ", ") + "}", true
}

// wholeTable is how many columns a table may have that is kept whole.
const wholeTable = 10

// subQuestion answers simpler questions first, each with its query in a fence, and the question itself last.
func (s *session) subQuestion() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	draft := s.pick(cs)
	var out strings.Builder
	var solved []query
	step := func(question, sql string) {
		out.WriteString("Sub-question: " + question + "\n```sql\n" + sql + "\n```\n")
	}
	for _, q := range subQuestions(s.base, s.question, &draft.q) {
		if part := candidates(s.base, q, &s.knowledge); len(part) > 0 {
			c := s.pick(part)
			solved = append(solved, c.q)
			step(q, c.sql)
		}
	}
	step(s.question, s.pick(rank(s.agreeing(cs, solved))).sql)
	return strings.TrimSpace(out.String()), true
}

// skeleton writes a query's form before the query.
func (s *session) skeleton() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	c := s.pick(s.stage(cs, func(c *candidate) string { return formOf(c.sql) }))
	return "**Skeleton:** " + formOf(c.sql) + "\n" + final(c.sql), true
}

// clauses are the words that a skeleton keeps.
var clauses = map[string]bool{"select": true, "distinct": true, "from": true, "join": true, "where": true, "group": true, "by": true, "having": true,
	"order": true, "limit": true, "union": true, "intersect": true, "except": true, "not": true, "in": true, "count": true, "sum": true, "avg": true,
	"min": true, "max": true, "asc": true, "desc": true, "like": true, "between": true, "exists": true}

// formOf returns a query's words of SQL in lower case, with one _ for all that stands between two of them.
func formOf(sql string) string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(sql), func(r rune) bool { return strings.ContainsRune(" \t\r\n,();", r) }) {
		switch {
		case clauses[w]:
			out = append(out, w)
		case len(out) == 0 || out[len(out)-1] != "_":
			out = append(out, "_")
		}
	}
	return strings.Join(out, " ")
}

// mostTests bounds the tests that are written.
const mostTests = 5

// writeTests lists what the best parse says that some of the shown queries do not: one test each.
func (s *session) writeTests() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	best, missed := profile(s.pick(cs).sql), []string{}
	for word := range best {
		for _, x := range s.shown {
			if profile(x.sql)[word] == 0 && !strings.HasPrefix(word, "part ") {
				missed = append(missed, word)
				break
			}
		}
	}
	sort.Strings(missed)
	out := []string{}
	for _, w := range missed[:min(len(missed), mostTests)] {
		out = append(out, "The query has the word "+strings.ToUpper(w)+".")
	}
	return strings.ReplaceAll(asJSON(out), `","`, `", "`), true
}

// lenience is how many log odds a query may be behind the best and still pass a test that names no word.
const lenience = 1.0

// runTest says of each shown query whether it passes the test: it has the word that the test names, or else is about as good
// as the best.
func (s *session) runTest() (string, bool) {
	word, named := strings.CutPrefix(s.test, "The query has the word ")
	word = strings.ToLower(strings.TrimSuffix(word, "."))
	scores := s.judge()
	most := scores[0]
	for _, x := range scores {
		most = max(most, x)
	}
	var out []string
	for i, x := range s.shown {
		passed := scores[i] >= most-lenience
		if named {
			passed = profile(x.sql)[word] != 0
		}
		out = append(out, "Candidate "+x.name+": "+map[bool]string{true: "passed", false: "failed"}[passed])
	}
	return strings.Join(out, "\n"), true
}
