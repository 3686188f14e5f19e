package tree

import (
	"regexp"
	"strings"
)

// Skeleton returns a query without what it is about, as DAIL-SQL (Gao et al. 2024) compares queries: each table, column and
// literal is "_", aliases and joins are gone, lists, comparisons and chains of conditions are one "_", and every key of an ORDER
// BY is "_" with its direction. Keywords and functions are in small letters, with a space between tokens. It works on tokens,
// so that a query that does not parse has one, too; the skeleton of text that is [Oversize] is empty.
func Skeleton(sql string) string {
	if Oversize(sql) != nil {
		return ""
	}
	text := " " + strings.Join(orderedKeys(masked(Tokens(sql))), " ") + " "
	for _, r := range collapses {
		text = r.pattern.ReplaceAllString(text, r.by)
	}
	return strings.TrimSpace(text)
}

// hole stands for a name or a literal.
const hole = "_"

// collapses are applied in this order; a space is at either end of the text.
var collapses = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(` (?:natural |left |right |full |inner |outer |cross )+join `), " join "},
	{regexp.MustCompile(` on _ (?:=|!=|<|<=|>|>=) _(?: (?:and|or) _ (?:=|!=|<|<=|>|>=) _)* `), " "},
	{regexp.MustCompile(` _(?: join _)+ `), " _ "},
	{regexp.MustCompile(` _(?: , _)+ `), " _ "},
	{regexp.MustCompile(` _ (?:=|!=|<|<=|>|>=) _`), " _"},
	{regexp.MustCompile(` where _(?: (?:and|or) _)+ `), " where _ "},
}

// keptWords are the keywords of queries. Others, such as MATCH, RANGE and TIES, are names in most queries that have them.
var keptWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`SELECT DISTINCT ALL FROM JOIN NATURAL LEFT RIGHT FULL INNER OUTER CROSS ON USING WHERE AND OR NOT IN LIKE GLOB
		BETWEEN IS NULL EXISTS CASE WHEN THEN ELSE END GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET UNION INTERSECT EXCEPT WITH CAST
		COLLATE ESCAPE VALUES OVER PARTITION`) {
		out[w] = true
	}
	return out
}()

// masked returns the tokens with names and literals as holes.
func masked(tokens []Token) (out []string) {
	last := func() string {
		if len(out) == 0 {
			return ""
		}
		return out[len(out)-1]
	}
	put := func(s string) {
		if s != hole || last() != hole { // two holes side by side are a name and its alias
			out = append(out, s)
		}
	}
	for i := 0; i < len(tokens); i++ {
		t, next := tokens[i], ""
		if i+1 < len(tokens) {
			next = tokens[i+1].Text
		}
		switch {
		case t.Keyword == "AS" && i+1 < len(tokens) && tokens[i+1].Name:
			i++
		case t.Text == "." || t.Text == ";": // t.c is one name, whose parts are holes side by side
		case t.Kind == Word && (keptWords[t.Keyword] || next == "("): // a keyword or a function
			put(strings.ToLower(t.Text))
		case t.Kind != Symbol, t.Text == "*" && isStar(last(), tokens, i):
			put(hole)
		case t.Text == "-" && i+1 < len(tokens) && tokens[i+1].Kind == Number && last() != hole && last() != ")":
		default:
			put(alike(t.Text))
		}
	}
	return out
}

// alike returns the usual form of an operator that has two.
func alike(op string) string {
	switch op {
	case "<>":
		return "!="
	case "==":
		return "="
	}
	return op
}

// isStar reports whether a * means columns and is no product.
func isStar(before string, tokens []Token, i int) bool {
	switch before {
	case "(", ",", "select", "distinct", "all":
		return true
	}
	return i > 0 && tokens[i-1].Text == "."
}

// orderedKeys replaces each key of an ORDER BY by a hole and its direction.
func orderedKeys(tokens []string) (out []string) {
	for i := 0; i < len(tokens); i++ {
		out = append(out, tokens[i])
		if i == 0 || tokens[i] != "by" || tokens[i-1] != "order" {
			continue
		}
		for more := true; more; {
			end, direction := keyEnd(tokens, i+1)
			out = append(out, hole, direction)
			if i = end - 1; end < len(tokens) && tokens[end] == "," {
				out, i = append(out, ","), end
			} else {
				more = false
			}
		}
	}
	return out
}

// keyEnd returns where a key of an ORDER BY ends, and its direction.
func keyEnd(tokens []string, from int) (end int, direction string) {
	direction = "asc"
	depth := 0
	for end = from; end < len(tokens); end++ {
		switch t := tokens[end]; {
		case t == "(":
			depth++
		case t == ")" && depth > 0:
			depth--
		case depth > 0:
		case t == ")" || t == "," || t == "limit" || t == "union" || t == "intersect" || t == "except":
			return end, direction
		case t == "desc":
			direction = "desc"
		}
	}
	return end, direction
}
