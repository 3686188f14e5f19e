package baseline

import (
	"strconv"
	"strings"
)

// final returns a query in the tags that end an answer with steps.
func final(sql string) string { return "<FINAL_ANSWER>\n" + sql + "\n</FINAL_ANSWER>" }

// think decides clause by clause, and explains the decisions before the query.
func (s *session) think() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	cs = s.stage(cs, fromOf(s.base))
	cs = s.stage(cs, whereOf(s.base))
	c := s.pick(cs)
	return describe(s.base, &c.q) + "\n" + final(c.sql), true
}

// subAnswer is a simpler question with its query.
type subAnswer struct {
	question string
	c        candidate
}

// divide answers the simpler questions first, is bound by what they select, and assembles the query.
func (s *session) divide() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	draft := s.pick(cs)
	var subs []subAnswer
	var solved []query
	for _, q := range subQuestions(s.base, s.question, &draft.q) {
		if part := candidates(s.base, q, &s.knowledge); len(part) > 0 {
			c := s.pick(part)
			subs, solved = append(subs, subAnswer{q, c}), append(solved, c.q)
		}
	}
	c := s.pick(rank(s.agreeing(cs, solved)))
	var out strings.Builder
	part := func(indent, label string, a subAnswer) {
		out.WriteString(indent + "* **" + label + ":** " + a.question + "\n")
		out.WriteString(indent + "* **Analysis:** It needs " + printUses(s.base, usage(s.base, &a.c.q, nil)) + ".\n")
		out.WriteString(indent + "* **Pseudo SQL:** " + a.c.q.pseudo(s.base) + "\n")
	}
	out.WriteString("**1. Divide and Conquer:**\n")
	part("", "Main Question", subAnswer{s.question, c})
	for i, a := range subs {
		part("  ", "Sub-question "+strconv.Itoa(i+1), a)
	}
	out.WriteString("**2. Assembling SQL:**\n")
	for i := len(subs) - 1; i >= 0; i-- {
		out.WriteString("* **Sub-question " + strconv.Itoa(i+1) + " (" + subs[i].question + "):** " + subs[i].c.sql + "\n")
	}
	out.WriteString("* **Main Question:** " + c.sql + "\n")
	out.WriteString("**3. Simplification and Optimization:**\n* Nothing becomes shorter.\n**Final Optimized SQL Query:**\n" + final(c.sql))
	return out.String(), true
}

// pseudo returns a query with its conditions in words.
func (q *query) pseudo(b *base) string {
	p := printer{b: b, alias: map[int]string{}}
	var tables []string
	for _, t := range q.from(b) {
		tables = append(tables, ident(b.tables[t].name))
	}
	text := "SELECT " + p.list(q.sel) + " FROM " + strings.Join(tables, " joined with ")
	if len(q.where) > 0 {
		text += " WHERE " + describeConds(&p, q.where)
	}
	if len(q.group) > 0 {
		text += " for each " + spell(b.cols[q.group[0]].words)
	}
	if len(q.having) > 0 {
		text += " where " + describeConds(&p, q.having)
	}
	return text + p.tail(q)
}

// plan decides in the order of execution, and writes the steps under the three headings.
func (s *session) plan() (string, bool) {
	cs := s.candidates()
	if len(cs) == 0 {
		return "", false
	}
	cs = s.stage(cs, columnsOf(s.base))
	cs = s.stage(cs, whereOf(s.base))
	c := s.pick(cs)
	var out strings.Builder
	out.WriteString("**Query Plan:**\n")
	for _, part := range []struct {
		heading string
		steps   []string
	}{
		{"Preparation", s.opened(&c.q)},
		{"Matching, filtering and counting", s.matched(&c.q)},
		{"Delivering the result", s.delivered(&c.q)},
	} {
		out.WriteString("**" + part.heading + "**\n")
		for i, step := range part.steps {
			out.WriteString(strconv.Itoa(i+1) + ". " + step + "\n")
		}
	}
	out.WriteString("**Final Optimized SQL Query:**\n" + final(c.sql))
	return out.String(), true
}

// opened says which tables and columns a query reads.
func (s *session) opened(q *query) []string {
	var steps []string
	uses := usage(s.base, q, nil)
	for t := range s.base.tables {
		var own []use
		for _, u := range uses {
			if u.table == t {
				own = append(own, u)
			}
		}
		if len(own) > 0 {
			steps = append(steps, "Open "+printUses(s.base, own)+".")
		}
	}
	for _, c := range q.where {
		if c.sub == nil {
			steps = append(steps, "Look for the value "+strings.ReplaceAll(c.right, "\n", " ")+".")
		}
	}
	if len(q.group)+len(q.order) > 0 {
		steps = append(steps, "Make room for grouping or sorting.")
	}
	return steps
}

// matched says how rows are joined, filtered and grouped.
func (s *session) matched(q *query) []string {
	p := printer{b: s.base, alias: map[int]string{}}
	order, edges, _, _ := s.base.tree(q.from(s.base))
	var steps []string
	for i, t := range order {
		name := ident(s.base.tables[t].name)
		if i == 0 {
			steps = append(steps, "Read the rows of "+name+".")
			continue
		}
		steps = append(steps, "For each, find the rows of "+name+" by "+p.column(edges[i].b)+".")
	}
	if len(q.where) > 0 {
		steps = append(steps, "Let a row pass where "+describeConds(&p, q.where)+".")
	}
	for _, c := range q.group {
		steps = append(steps, "Group the rows by "+p.column(c)+".")
	}
	if len(q.having) > 0 {
		steps = append(steps, "Let a group pass where "+describeConds(&p, q.having)+".")
	}
	return steps
}

// delivered says what is returned, in which order and how much of it.
func (s *session) delivered(q *query) []string {
	p := printer{b: s.base, alias: map[int]string{}}
	var steps []string
	for _, o := range q.order {
		steps = append(steps, "Sort by "+p.expr(o.e)+map[bool]string{true: ", the largest first.", false: ", the smallest first."}[o.desc])
	}
	if q.limit > 0 {
		steps = append(steps, "Keep the first "+strconv.Itoa(q.limit)+".")
	}
	steps = append(steps, "Return "+p.list(q.sel)+".")
	if q.right != nil {
		steps = append(steps, "Combine it by "+q.setOp+" with a second result.")
	}
	return steps
}
