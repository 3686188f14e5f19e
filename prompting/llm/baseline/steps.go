package baseline

import "strings"

// use is a table with one of its columns, or with star for no particular column.
type use struct{ table, col int }

func (u use) print(b *base) string {
	if u.col == star {
		return b.tables[u.table].name + ".*"
	}
	return b.tables[u.table].name + "." + b.cols[u.col].name
}

// usage lists the columns of a query, join keys and sub-queries included, in order of first use.
func usage(b *base, q *query, out []use) []use {
	add := func(u use) {
		for _, x := range out {
			if x == u {
				return
			}
		}
		out = append(out, u)
	}
	q.columns(func(c int) { add(use{b.cols[c].table, c}) })
	order, edges, _, _ := b.tree(q.from(b))
	for i, t := range order {
		if i > 0 {
			add(use{b.cols[edges[i].a].table, edges[i].a})
			add(use{t, edges[i].b})
		}
	}
	for _, t := range order {
		named := false
		for _, u := range out {
			named = named || u.table == t
		}
		if !named {
			add(use{t, star})
		}
	}
	for _, c := range q.where {
		if c.sub != nil {
			out = usage(b, c.sub, out)
		}
	}
	if q.right != nil {
		out = usage(b, q.right, out)
	}
	return out
}

// printUses returns "table (column, column), table (column)".
func printUses(b *base, us []use) string {
	var tables []int
	cols := map[int][]string{}
	for _, u := range us {
		if _, ok := cols[u.table]; !ok {
			tables = append(tables, u.table)
			cols[u.table] = []string{}
		}
		if u.col != star {
			cols[u.table] = append(cols[u.table], ident(b.cols[u.col].name))
		}
	}
	var out []string
	for _, t := range tables {
		out = append(out, ident(b.tables[t].name)+" ("+strings.Join(cols[t], ", ")+")")
	}
	return strings.Join(out, ", ")
}

// spoken maps an aggregate function to its English.
var spoken = map[string]string{"avg": "average", "max": "maximum", "min": "minimum"}

// subQuestions returns the simpler questions that lead to the question, without the question itself: one for each part
// of the query that depends on another result, and one for the question without its restrictions.
func subQuestions(b *base, question string, q *query) []string {
	var out []string
	for _, c := range q.where {
		if c.sub == nil || len(c.sub.sel) == 0 {
			continue
		}
		e := c.sub.sel[0]
		switch word := spoken[e.agg]; {
		case word != "" && e.col != star:
			out = append(out, "What is the "+word+" "+spell(b.cols[e.col].words)+"?")
		case e.col != star:
			from := c.sub.from(b)
			out = append(out, "What are the "+spell(b.cols[e.col].words)+" values of all "+spell(b.tables[from[len(from)-1]].words)+"?")
		}
	}
	if len(q.group) > 0 && (len(q.having) > 0 || q.limit > 0) && counts(q) {
		out = append(out, "How many rows are there for each "+spell(b.cols[q.group[0]].words)+"?")
	}
	if plain := beforeRestriction(question); plain != "" && len(q.where)+len(q.order)+len(q.having) > 0 {
		out = append(out, plain)
	}
	return out
}

// counts reports whether a query's HAVING or ORDER BY counts rows.
func counts(q *query) bool {
	for _, c := range q.having {
		if c.left.agg == "count" {
			return true
		}
	}
	for _, o := range q.order {
		if o.e.agg == "count" {
			return true
		}
	}
	return false
}

func spell(words []string) string { return strings.Join(words, " ") }

var restricts = set("who that whose with where having which sorted ordered in from for by when without but except before after")

// beforeRestriction returns the question up to its first restriction; empty if nothing useful is left.
func beforeRestriction(question string) string {
	toks := tokenize(question)
	for i, t := range toks {
		if i < 4 || !restricts[t.low] || t.quoted {
			continue
		}
		end := i
		for end > 0 && (stop[toks[end-1].low] || toks[end-1].punct) {
			end--
		}
		if end < 3 {
			return ""
		}
		return strings.TrimRight(question[:toks[end-1].to], " ,.") + "?"
	}
	return ""
}
