package baseline

import (
	"strings"
	"unicode"
)

// base is the database as the prompt describes it.
type base struct {
	tables []table
	cols   []column
	links  []joint // join edges: declared foreign keys, or edges guessed from names if none are declared
}

// table is one table: its columns are base.cols[first : first+n].
type table struct {
	name     string
	words    []string // stems of its name's parts
	first, n int
}

// column is one column.
type column struct {
	name    string
	table   int
	words   []string // stems of its name's parts
	typ     string   // as declared; empty in formats without types
	samples []string // example values shown in the prompt
	key     bool     // declared primary key, or the likely key if none is declared
	refs    []string // declared targets, "table.column" in lower case
}

// addTable appends a table without columns and returns its number.
func (b *base) addTable(name string) int {
	b.tables = append(b.tables, table{name: name, first: len(b.cols)})
	return len(b.tables) - 1
}

// addColumn appends a column to the last table.
func (b *base) addColumn(name string) *column {
	t := len(b.tables) - 1
	b.cols = append(b.cols, column{name: name, table: t})
	b.tables[t].n++
	return &b.cols[len(b.cols)-1]
}

// columnsOf returns the numbers of a table's columns.
func (b *base) columnsOf(t int) []int {
	out := make([]int, 0, b.tables[t].n)
	for i := 0; i < b.tables[t].n; i++ {
		out = append(out, b.tables[t].first+i)
	}
	return out
}

// tableNamed and columnNamed find by name, ignoring case; -1 if there is none.
func (b *base) tableNamed(name string) int {
	for i := range b.tables {
		if strings.EqualFold(b.tables[i].name, name) {
			return i
		}
	}
	return -1
}

func (b *base) columnNamed(t int, name string) int {
	if t < 0 {
		return -1
	}
	for _, c := range b.columnsOf(t) {
		if strings.EqualFold(b.cols[c].name, name) {
			return c
		}
	}
	return -1
}

// finish splits every name into words, marks keys and finds the join edges. The words of the question extend the
// vocabulary by which names written without separators are split.
func (b *base) finish(question []token) {
	vocabulary := map[string]bool{}
	for w := range glue {
		vocabulary[w] = true
	}
	for _, t := range question {
		if !t.punct && !t.quoted && len(t.low) > 3 && !stop[t.low] {
			vocabulary[t.low], vocabulary[t.stem] = true, true
		}
	}
	for i := range b.tables {
		b.tables[i].words = nameParts(b.tables[i].name, vocabulary)
		for _, w := range b.tables[i].words {
			if len(w) > 3 {
				vocabulary[w] = true
			}
		}
	}
	for i := range b.cols {
		b.cols[i].words = nameParts(b.cols[i].name, vocabulary)
	}
	b.markKeys()
	b.links = findJoints(b)
}

// markKeys marks the likely key of each table for which the prompt declares none.
func (b *base) markKeys() {
	for t := range b.tables {
		declared := false
		for _, c := range b.columnsOf(t) {
			declared = declared || b.cols[c].key
		}
		if !declared && b.tables[t].n > 0 {
			b.cols[b.likelyKey(t)].key = true
		}
	}
}

// likelyKey returns the column named "id" or after the table with "id", or else the first column.
func (b *base) likelyKey(t int) int {
	for _, c := range b.columnsOf(t) {
		col := &b.cols[c]
		table := b.tables[t].words
		named := coverage(col.words, table) > 0.95 && len(col.words) == len(table)+1
		if last(col.words) == "id" && (len(col.words) == 1 || named) {
			return c
		}
	}
	return b.tables[t].first
}

// nameParts splits an identifier into stems, at separators, case changes and known words.
func nameParts(name string, vocabulary map[string]bool) []string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, piece := range camel(part) {
			for _, w := range unglue(strings.ToLower(piece), vocabulary) {
				out = append(out, stem(w))
			}
		}
	}
	if len(out) == 0 {
		out = []string{strings.ToLower(name)}
	}
	return out
}

// camel splits fooBar and FOOBar at the case changes.
func camel(s string) []string {
	var out []string
	rs, from := []rune(s), 0
	for i := 1; i < len(rs); i++ {
		up := unicode.IsUpper(rs[i])
		if up && !unicode.IsUpper(rs[i-1]) || up && i+1 < len(rs) && unicode.IsLower(rs[i+1]) {
			out = append(out, string(rs[from:i]))
			from = i
		}
	}
	return append(out, string(rs[from:]))
}

// glueTails are endings that are split off after any beginning.
var glueTails = set("name code date type time year number count title")

// unglue splits a word written without separators into known words, or returns it whole if it cannot.
func unglue(w string, vocabulary map[string]bool) []string {
	switch w {
	case "fname", "firstname":
		return []string{"first", "name"}
	case "lname", "lastname":
		return []string{"last", "name"}
	}
	if len(w) < 5 || len(w) > 40 || vocabulary[w] || vocabulary[stem(w)] {
		if len(w) == 4 && strings.HasSuffix(w, "id") {
			return []string{w[:2], "id"}
		}
		if len(w) == 3 && strings.HasSuffix(w, "id") && strings.IndexByte("aeiou", w[0]) < 0 && w != "bid" && w != "kid" {
			return []string{w[:1], "id"}
		}
		return []string{w}
	}
	best, cover := []string{w}, 0
	for i := 2; i <= len(w)-2; i++ {
		head, tail := w[:i], w[i:]
		known := 0
		if vocabulary[head] && len(head) > 2 {
			known += len(head)
		}
		if vocabulary[tail] && (len(tail) > 2 || tail == "id" || tail == "no") {
			known += len(tail)
		}
		if known > cover && (known*2 >= len(w) || tail == "id" || glueTails[tail] && len(head) > 2) {
			best, cover = []string{head, tail}, known
		}
	}
	if len(best) == 2 && !vocabulary[best[0]] && len(best[0]) > 5 {
		best = append(unglue(best[0], vocabulary), best[1])
	} else if len(best) == 2 && !vocabulary[best[1]] && len(best[1]) > 5 {
		best = append(best[:1:1], unglue(best[1], vocabulary)...)
	}
	return best
}

// last returns the last word of a name.
func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// isID reports whether the column's name is that of an identifier.
func (c *column) isID() bool {
	switch last(c.words) {
	case "id", "code", "key", "identifier", "ssn":
		return true
	}
	return false
}

// isNumeric reports whether the column seems to hold quantities: the declared type decides, or else the name.
func (c *column) isNumeric() bool {
	t := strings.ToLower(c.typ)
	switch {
	case strings.Contains(t, "char") || strings.Contains(t, "text") || strings.Contains(t, "date") || strings.Contains(t, "bool"):
		return c.anyWord(numeric) && allNumbers(c.samples)
	case t != "":
		return !c.isID()
	}
	return c.anyWord(numeric) && !c.isID() && last(c.words) != "name"
}

func allNumbers(values []string) bool {
	for _, v := range values {
		if _, ok := numberOf(strings.TrimPrefix(v, "-")); !ok {
			return false
		}
	}
	return len(values) > 0
}

func (c *column) anyWord(words map[string]bool) bool {
	for _, w := range c.words {
		if words[w] || words[abbreviations[w]] {
			return true
		}
	}
	return false
}

// has reports whether one of the column's words is w or a synonym of it.
func (c *column) has(w string) bool {
	for _, x := range c.words {
		if x == w || synonym(x, w) || abbreviations[x] == w {
			return true
		}
	}
	return false
}
