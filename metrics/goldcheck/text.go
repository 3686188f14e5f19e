package goldcheck

import (
	"sort"
	"strings"

	"assay/prompting/sql/tree"
)

// text finds the keywords round the nodes of a statement, which the tree does not keep.
type text struct {
	sql  string
	toks []tree.Token
}

func newText(s *tree.Stmt) *text { return &text{sql: s.SQL, toks: tree.Tokens(s.SQL)} }

// at returns the index of the first token that starts at or after a byte.
func (t *text) at(byte int) int {
	return sort.Search(len(t.toks), func(i int) bool { return t.toks[i].Start >= byte })
}

// wordBefore returns where the nearest such keyword before a node starts, or -1.
func (t *text) wordBefore(s tree.Span, word string) int {
	for i := t.at(s.Start) - 1; i >= 0; i-- {
		if t.toks[i].Kind == tree.Word && strings.EqualFold(t.toks[i].Text, word) {
			return t.toks[i].Start
		}
	}
	return -1
}

// closed returns the end of a span with the parentheses that close right behind it, up to the end of the arm.
func (t *text) closed(s tree.Span, until int) int {
	end := s.End
	depth := 0
	for i := t.at(s.Start) - 1; i >= 0 && t.toks[i].Text == "("; i-- {
		depth++
	}
	for i := t.at(s.End); i < len(t.toks) && depth > 0 && t.toks[i].Text == ")" && t.toks[i].End <= until; i++ {
		end = t.toks[i].End
		depth--
	}
	return end
}

// fromTo returns the text of an arm from FROM to the end of its GROUP BY.
func (t *text) fromTo(s *tree.Select) (string, bool) {
	end := t.bodyEnd(s)
	if n := len(s.GroupBy); n > 0 {
		end = t.closed(s.GroupBy[n-1].Span, s.End)
	}
	return t.from(s, end)
}

// fromWhere returns the text of an arm from FROM to the end of its WHERE.
func (t *text) fromWhere(s *tree.Select) (string, bool) { return t.from(s, t.bodyEnd(s)) }

func (t *text) bodyEnd(s *tree.Select) int {
	if s.Where != nil {
		return t.closed(s.Where.Span, s.End)
	}
	if n := len(s.From); n > 0 {
		return s.From[n-1].End
	}
	return s.End
}

func (t *text) from(s *tree.Select, end int) (string, bool) {
	if len(s.From) == 0 {
		return "", false
	}
	start := t.wordBefore(s.From[0].Span, "FROM")
	if start < s.Start || end <= start {
		return "", false
	}
	return t.sql[start:end], true
}
