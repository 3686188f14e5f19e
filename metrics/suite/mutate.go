package suite

import (
	"slices"
	"sort"
	"strings"

	"assay/prompting/sql/sqlite"
	"assay/prompting/sql/tree"
)

// mutant is a gold query with one small mistake in it, such as people and models make.
type mutant struct {
	rule string // one of the rule constants below
	sql  string
}

// The kinds of mistakes.
const (
	ruleCondition  = "condition-dropped"
	ruleConnective = "and-or"
	ruleComparison = "comparison"
	ruleNegation   = "negation"
	ruleConstant   = "constant"
	ruleAggregate  = "aggregate"
	ruleDistinct   = "distinct"
	ruleJoin       = "join"
	ruleTable      = "table"
	ruleColumn     = "column"
	ruleSelect     = "select-dropped"
	ruleGroup      = "group-dropped"
	ruleOrder      = "order"
	ruleLimit      = "limit"
	ruleSetOp      = "set-operation"
)

// maxMutants bounds the mutants of one gold query; of more, as many are taken at even distances.
const maxMutants = 150

// maxText bounds the text of all mutants of one gold query, in bytes: a long one has as many as fit, from its beginning.
const maxText = 8 << 20

// mutator makes the mutants of one statement by exchanging spans of its text, which leaves the rest as written.
// It is generous: what does not run is sorted out later.
type mutator struct {
	stmt  *tree.Stmt
	toks  []tree.Token
	cat   *catalog
	refs  map[*tree.Expr]tree.Ref
	fixed map[*tree.Expr]bool // literals of LIMIT, which have a rule of their own
	out   []mutant
	seen  map[string]bool
	bytes int // of the texts made so far
}

// mutants makes the mutants of a SELECT.
func mutants(stmt *tree.Stmt, cat *catalog) []mutant {
	m := &mutator{
		stmt: stmt, toks: tree.Tokens(stmt.SQL), cat: cat,
		refs: map[*tree.Expr]tree.Ref{}, fixed: map[*tree.Expr]bool{}, seen: map[string]bool{stmt.SQL: true},
	}
	for _, ref := range tree.Resolve(stmt, &cat.schema) {
		if ref.Expr != nil {
			m.refs[ref.Expr] = ref
		}
	}
	tree.Walk(stmt.Query, tree.Visitor{
		Query:  func(q *tree.Query, _ int) { m.query(q) },
		Select: m.arm,
		Expr:   m.expr,
	})
	if len(m.out) <= maxMutants {
		return m.out
	}
	var some []mutant
	for i := range maxMutants {
		some = append(some, m.out[i*len(m.out)/maxMutants])
	}
	return some
}

// edit is an exchange of one span.
type edit struct {
	start, end int
	text       string
}

// add makes a mutant by edits that do not overlap.
func (m *mutator) add(rule string, edits ...edit) {
	if m.bytes += len(m.stmt.SQL); m.bytes > maxText {
		return
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
	sql := m.stmt.SQL
	for _, e := range edits {
		if e.start < 0 || e.end < e.start || e.end > len(sql) {
			return
		}
		sql = sql[:e.start] + e.text + sql[e.end:]
	}
	if sql = strings.TrimSpace(sql); !m.seen[sql] {
		m.seen[sql] = true
		m.out = append(m.out, mutant{rule: rule, sql: sql})
	}
}

func (m *mutator) replace(rule string, at tree.Span, text string) {
	m.add(rule, edit{at.Start, at.End, text})
}

func (m *mutator) text(at tree.Span) string { return m.stmt.Text(at) }

// at returns the index of the first token that starts at or after a byte.
func (m *mutator) at(byte int) int {
	return sort.Search(len(m.toks), func(i int) bool { return m.toks[i].Start >= byte })
}

// token returns a token by index; beyond the ends, an empty one.
func (m *mutator) token(i int) tree.Token {
	if i < 0 || i >= len(m.toks) {
		return tree.Token{Kind: tree.IllegalText, Span: tree.Span{Start: len(m.stmt.SQL), End: len(m.stmt.SQL)}}
	}
	return m.toks[i]
}

func (m *mutator) is(i int, words ...string) bool {
	t := m.token(i)
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(t.Text, w) })
}

// between returns the tokens from one byte to another.
func (m *mutator) between(start, end int) []tree.Token {
	i, j := m.at(start), m.at(end)
	if i > j {
		return nil
	}
	return m.toks[i:j]
}

// outer returns a span with the parentheses round it. Only for spans that follow a keyword or a comma.
func (m *mutator) outer(s tree.Span) tree.Span {
	for {
		i, j := m.at(s.Start)-1, m.at(s.End)
		if !m.is(i, "(") || !m.is(j, ")") {
			return s
		}
		s = tree.Span{Start: m.token(i).Start, End: m.token(j).End}
	}
}

// dropClause takes a clause away: its keywords, and all from its first expression to its last.
func (m *mutator) dropClause(rule string, keywords int, first, last tree.Span) {
	start := m.at(m.outer(first).Start) - keywords
	m.add(rule, edit{m.token(start).Start, m.outer(last).End, ""})
}

// dropOf takes one of the items of a list separated by commas away.
func (m *mutator) dropOf(rule string, items []tree.Span, i int) {
	switch {
	case len(items) < 2:
	case i == 0:
		m.add(rule, edit{items[0].Start, items[1].Start, ""})
	default:
		m.add(rule, edit{items[i-1].End, items[i].End, ""})
	}
}

// quoteName writes a name so that it can be no keyword; plain names stay as they are.
func quoteName(name string) string {
	toks := tree.Tokens(name)
	if len(toks) == 1 && toks[0].Kind == tree.Word && toks[0].Text == name && strings.ContainsAny(name[:1], letters) && !reserved(name) {
		return name
	}
	return sqlite.Quote(name)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// reserved reports whether a name cannot be written as a column without quotes.
func reserved(name string) bool {
	_, err := tree.Parse("SELECT " + name + " FROM t WHERE " + name + " = 1")
	return err != nil
}
