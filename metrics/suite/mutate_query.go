package suite

import (
	"strconv"
	"strings"

	"assay/prompting/sql/tree"
)

// query makes the mutants of set operations, ORDER BY and LIMIT.
func (m *mutator) query(q *tree.Query) {
	m.setOps(q)
	m.orders(q)
	m.limits(q)
}

// otherOps lists the operations that replace a set operation.
var otherOps = map[string][]string{
	"UNION": {"INTERSECT", "UNION ALL"}, "UNION ALL": {"UNION"}, "INTERSECT": {"UNION", "EXCEPT"}, "EXCEPT": {"UNION", "INTERSECT"},
}

func (m *mutator) setOps(q *tree.Query) {
	for i, op := range q.Ops {
		left, right := q.Arms[i], q.Arms[i+1]
		toks := m.between(left.End, right.Start)
		if len(toks) == 0 {
			continue
		}
		at := tree.Span{Start: toks[0].Start, End: toks[len(toks)-1].End}
		for _, other := range otherOps[op] {
			m.replace(ruleSetOp, at, other)
		}
		end := right.End
		if i == len(q.Ops)-1 && len(q.OrderBy) == 0 && q.Limit == nil {
			end = q.End
		} else if i == len(q.Ops)-1 { // the last arm's span has the ORDER BY and LIMIT in it
			end = m.tail(q)
		}
		m.add(ruleSetOp, edit{at.Start, end, " "})
		m.add(ruleSetOp, edit{left.Start, right.Start, ""})
		if op == "EXCEPT" {
			m.add(ruleSetOp, edit{left.Start, left.End, m.text(tree.Span{Start: right.Start, End: end})},
				edit{right.Start, end, m.text(left.Span) + " "})
		}
	}
}

// tail returns where the ORDER BY or LIMIT of a query starts.
func (m *mutator) tail(q *tree.Query) int {
	if len(q.OrderBy) > 0 {
		return m.token(m.at(m.outer(q.OrderBy[0].Expr.Span).Start) - 2).Start
	}
	return m.token(m.at(q.Limit.Start) - 1).Start
}

// termSpan returns an ORDER BY term with its direction; word is the span of ASC or DESC, empty behind the expression
// where there is none.
func (m *mutator) termSpan(t tree.Term) (whole, word tree.Span) {
	whole = m.outer(t.Expr.Span)
	word = tree.Span{Start: whole.End, End: whole.End}
	i := m.at(whole.End)
	if m.is(i, "ASC", "DESC") {
		word, whole.End = m.token(i).Span, m.token(i).End
		i++
	}
	if m.is(i, "NULLS") {
		whole.End = m.token(i + 1).End
	}
	return whole, word
}

func (m *mutator) orders(q *tree.Query) {
	if len(q.OrderBy) == 0 {
		return
	}
	var spans []tree.Span
	for _, t := range q.OrderBy {
		whole, word := m.termSpan(t)
		spans = append(spans, whole)
		if t.Desc {
			m.replace(ruleOrder, word, " ASC")
		} else {
			m.replace(ruleOrder, word, " DESC")
		}
		for i, c := range q.Arms[0].Columns {
			if i < 2 && c.Expr.Kind == tree.Name && len(q.Arms) == 1 && m.text(c.Expr.Span) != m.text(t.Expr.Span) {
				m.replace(ruleOrder, t.Expr.Span, m.text(c.Expr.Span))
			}
		}
	}
	for i := range spans {
		m.dropOf(ruleOrder, spans, i)
	}
	start := m.at(spans[0].Start) - 2
	m.add(ruleOrder, edit{m.token(start).Start, spans[len(spans)-1].End, ""})
}

func (m *mutator) limits(q *tree.Query) {
	if q.Limit == nil {
		return
	}
	m.fixed[q.Limit], m.fixed[q.Offset] = true, true
	start, end := q.Limit.Start, q.Limit.End
	if q.Offset != nil {
		start, end = min(start, q.Offset.Start), max(end, q.Offset.End)
	}
	word := m.token(m.at(start) - 1)
	m.add(ruleLimit, edit{word.Start, end, ""})
	n, err := strconv.Atoi(m.text(q.Limit.Span))
	if err != nil {
		return
	}
	m.replace(ruleLimit, q.Limit.Span, strconv.Itoa(n+1))
	if n > 1 {
		m.replace(ruleLimit, q.Limit.Span, strconv.Itoa(n-1))
	}
}

// arm makes the mutants of one SELECT, apart from those of its expressions.
func (m *mutator) arm(s *tree.Select) {
	if len(s.Columns) == 0 {
		return
	}
	m.distinct(s)
	m.selected(s)
	if s.Where != nil {
		m.dropClause(ruleCondition, 1, s.Where.Span, s.Where.Span)
	}
	if s.Having != nil {
		m.dropClause(ruleCondition, 1, s.Having.Span, s.Having.Span)
	}
	if n := len(s.GroupBy); n > 0 {
		var spans []tree.Span
		for _, g := range s.GroupBy {
			spans = append(spans, m.outer(g.Span))
		}
		for i := range spans {
			m.dropOf(ruleGroup, spans, i)
		}
		m.dropClause(ruleGroup, 2, s.GroupBy[0].Span, s.GroupBy[n-1].Span)
	}
	m.sources(s)
}

func (m *mutator) distinct(s *tree.Select) {
	next := m.at(s.Start) + 1
	switch {
	case s.Distinct:
		m.add(ruleDistinct, edit{m.token(next).Start, m.token(next + 1).Start, ""})
	case !m.is(next, "ALL"):
		m.add(ruleDistinct, edit{m.token(next).Start, m.token(next).Start, "DISTINCT "})
	}
}

// selected drops each result column. Where the list ends is known only as far as the expressions go, so an alias
// stays with the comma behind it.
func (m *mutator) selected(s *tree.Select) {
	if len(s.Columns) < 2 {
		return
	}
	for i, c := range s.Columns {
		start := m.outer(c.Expr.Span)
		switch {
		case i+1 < len(s.Columns):
			m.add(ruleSelect, edit{start.Start, m.outer(s.Columns[i+1].Expr.Span).Start, ""})
		case c.Alias == "":
			comma := m.at(start.Start) - 1
			m.add(ruleSelect, edit{m.token(comma).Start, start.End, ""})
		}
	}
}

// sources makes the mutants of a FROM clause.
func (m *mutator) sources(s *tree.Select) {
	for i, f := range s.From {
		if (f.Join == "JOIN" || f.Join == "INNER JOIN") && !m.needed(s, i) {
			m.add(ruleJoin, edit{f.Start, m.token(m.at(f.Start) + strings.Count(f.Join, " ") + 1).Start, "LEFT JOIN "})
		}
		if strings.HasPrefix(f.Join, "LEFT") {
			m.add(ruleJoin, edit{f.Start, m.token(m.at(f.Start) + strings.Count(f.Join, " ") + 1).Start, "JOIN "})
		}
		if f.On != nil {
			on := m.outer(f.On.Span)
			m.add(ruleJoin, edit{m.token(m.at(on.Start) - 1).Start, on.End, ""})
		}
		m.dropSource(s, i)
		if f.Table != "" && f.Args == nil {
			m.otherTables(s, f)
		}
	}
}

// needed reports whether a condition that NULL fails names a column of the i-th source, or every row has a partner in
// it: a LEFT JOIN of it would then be the same as a JOIN, and no mistake.
func (m *mutator) needed(s *tree.Select, i int) bool {
	if m.rejectsNull(s.Where, s.From[i]) || m.refers(s.From[i]) {
		return true
	}
	for _, later := range s.From[i+1:] {
		if (later.Join == "JOIN" || later.Join == "INNER JOIN") && m.rejectsNull(later.On, s.From[i]) {
			return true
		}
	}
	return false
}

// refers reports whether a source is joined on a reference to it that is declared and never NULL.
func (m *mutator) refers(f *tree.Source) bool {
	if f.On == nil || f.On.Kind != tree.Binary || f.On.Op != "=" {
		return false
	}
	from, to := f.On.Args[0], f.On.Args[1]
	if m.belongs(from, f) {
		from, to = to, from
	}
	child := m.cat.find(m.refs[from].Table)
	if child == nil || from.Kind != tree.Name || to.Kind != tree.Name {
		return false
	}
	for _, fk := range child.foreign {
		if len(fk.columns) == 1 && !fk.soft && strings.EqualFold(fk.parent.name, f.Table) {
			c := child.columns[fk.columns[0]]
			if !c.mayBeNull() && strings.EqualFold(c.name, m.refs[from].Column) &&
				strings.EqualFold(fk.parent.columns[fk.key[0]].name, m.refs[to].Column) {
				return true
			}
		}
	}
	return false
}

// rejectsNull reports whether a condition can only hold where some column of a source is not NULL.
func (m *mutator) rejectsNull(e *tree.Expr, f *tree.Source) bool {
	if e == nil {
		return false
	}
	var operands []*tree.Expr
	switch {
	case e.Kind == tree.Binary && e.Op == "AND":
		return m.rejectsNull(e.Args[0], f) || m.rejectsNull(e.Args[1], f)
	case e.Kind == tree.Binary && e.Op == "OR":
		return m.rejectsNull(e.Args[0], f) && m.rejectsNull(e.Args[1], f)
	case e.Kind == tree.Binary:
		operands = e.Args
	case e.Kind == tree.Like, e.Kind == tree.Between && !e.Not:
		operands = e.Args
	case e.Kind == tree.In && !e.Not:
		operands = e.Args[:min(1, len(e.Args))]
	case e.Kind == tree.Is && e.Not && e.Op == "IS":
		if right := e.Args[1]; right.Kind == tree.Literal && right.Lit == tree.Null {
			operands = e.Args[:1]
		}
	}
	for _, a := range operands {
		if m.belongs(a, f) {
			return true
		}
	}
	return false
}

// belongs reports whether an expression is a column of a source, or arithmetic with one.
func (m *mutator) belongs(e *tree.Expr, f *tree.Source) bool {
	switch {
	case e.Kind == tree.Binary && strings.Contains("+-*/%", e.Op):
		return m.belongs(e.Args[0], f) || m.belongs(e.Args[1], f)
	case e.Kind != tree.Name || m.refs[e].Meaning != tree.BaseColumn:
		return false
	case e.Table == "":
		return strings.EqualFold(m.refs[e].Table, f.Table)
	case f.Alias != "":
		return strings.EqualFold(e.Table, f.Alias)
	}
	return strings.EqualFold(e.Table, f.Table)
}

// dropSource takes one of several sources away; for the first, the second's join and condition go with it.
func (m *mutator) dropSource(s *tree.Select, i int) {
	f := s.From[i]
	if len(s.From) < 2 {
		return
	}
	if i > 0 {
		m.replace(ruleTable, f.Span, "")
		return
	}
	next := s.From[1]
	body := m.token(m.at(next.Start) + strings.Count(next.Join, " ") + 1).Start
	edits := []edit{{f.Start, body, ""}}
	if next.On != nil {
		on := m.outer(next.On.Span)
		edits = append(edits, edit{m.token(m.at(on.Start) - 1).Start, on.End, ""})
	}
	m.add(ruleTable, edits...)
}

// otherTables exchanges a table for up to two others that have all the columns that the statement uses of it.
func (m *mutator) otherTables(s *tree.Select, f *tree.Source) {
	t := m.cat.find(f.Table)
	if t == nil {
		return
	}
	used := map[string]bool{}
	for _, ref := range m.refs {
		if ref.Meaning == tree.BaseColumn && strings.EqualFold(ref.Table, t.name) && ref.Column != "*" {
			used[strings.ToLower(ref.Column)] = true
		}
	}
	at := m.at(f.Start)
	if f.Join != "" && f.Join != "," {
		at += strings.Count(f.Join, " ") + 1
	} else if f.Join == "," {
		at++
	}
	found := 0
	for _, o := range m.cat.tables {
		if o != t && o.hasAll(used) && found < 2 {
			found++
			m.add(ruleTable, edit{m.token(at).Start, m.token(at).End, quoteName(o.name)})
		}
	}
}
