package columns

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"assay/prompting/extract"
	"assay/prompting/sql/schema"
)

// maxText bounds what of an answer is read, in bytes.
const maxText = 1 << 16

var (
	// listing matches a table with a list of columns: "table": ["a", "b"].
	listing = regexp.MustCompile("[\"'`]?([^\"'`:\\[\\]{}\\n,]+)[\"'`]?\\s*:\\s*\\[((?:\"(?:[^\"\\\\\\n]|\\\\.)*\"|[^\\]\"])*)\\]")
	// element matches a text in quotes, or one up to a comma.
	element = regexp.MustCompile("\\s*(?:\"((?:[^\"\\\\\\n]|\\\\.)*)\"|'([^']*)'|`([^`]*)`|([^,]+))")
	// calling matches a line of the form table (a, b), and several of them on a line.
	calling = regexp.MustCompile(`([^\n(),;]+)\(([^()]*)\)`)
	// verdict matches what an answer of the method Each says.
	verdict = regexp.MustCompile(`(?i)["'*]*\b(?:is_column_information_)?relevant["'*]*\s*[:=][\s"'*]*(yes|no|true|false)\b`)
	opening = regexp.MustCompile(`(?i)^\W*(yes|no)\b`)
)

// Parse reads the columns out of an answer, in the schema's order, each once: lists of columns by table as a JSON
// object has them; or else "table (column, column)"; or else every "table.column" in the text. What the schema does not
// have is passed over, and case and quotes do not matter. Nil where there is none.
func Parse(completion string, db *schema.Database) []schema.ColumnName {
	text := extract.Answer(completion, maxText)
	var out []schema.ColumnName
	for _, form := range []*regexp.Regexp{listing, calling} {
		for _, m := range form.FindAllStringSubmatch(text, 2000) {
			out = append(out, listed(db, m[1], m[2])...)
		}
		if len(out) > 0 {
			return Ordered(db, out)
		}
	}
	return Ordered(db, dotted(db, text))
}

// listed resolves a table and a list between commas. An element may name its table itself.
func listed(db *schema.Database, table, list string) (out []schema.ColumnName) {
	t := db.Table(name(table))
	for _, m := range element.FindAllStringSubmatch(list, 5000) {
		part := strings.Join(m[1:], "")
		if m[1] != "" && json.Unmarshal([]byte(strings.TrimSpace(m[0])), &part) != nil {
			part = m[1]
		}
		if t == nil || t.Column(part) == nil {
			part = name(part)
		}
		if t != nil && t.Column(part) != nil {
			out = append(out, schema.ColumnName{Table: t.Name, Column: part})
			continue
		}
		out = append(out, dotted(db, part)...)
	}
	return out
}

// name returns a name without the blanks and quotes around it.
func name(s string) string {
	return strings.Trim(s, " \t\r\n\"'`*#-•[]{}")
}

var quotes = strings.NewReplacer(`"`, "", "`", "", "'", "", "[", "", "]", "")

// dotted finds each column written table.column.
func dotted(db *schema.Database, text string) (out []schema.ColumnName) {
	if !strings.Contains(text, ".") {
		return nil
	}
	text = strings.ToLower(quotes.Replace(text))
	for _, t := range db.Tables {
		if !strings.Contains(text, strings.ToLower(t.Name)+".") {
			continue
		}
		for _, c := range t.Columns {
			if hasWord(text, strings.ToLower(quotes.Replace(t.Name+"."+c.Name))) {
				out = append(out, schema.ColumnName{Table: t.Name, Column: c.Name})
			}
		}
	}
	return out
}

// hasWord reports whether word occurs in text other than as part of a longer name.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 || word == "" {
			return false
		}
		from, to := at+i, at+i+len(word)
		if (from == 0 || !part(text[from-1])) && (to == len(text) || !part(text[to])) {
			return true
		}
		at = from + 1
	}
}

func part(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 0x80
}

// Ordered returns the columns as the schema spells and orders them, each once.
func Ordered(db *schema.Database, in []schema.ColumnName) (out []schema.ColumnName) {
	wanted := map[schema.ColumnName]bool{}
	for _, c := range in {
		wanted[c.Folded()] = true
	}
	for _, c := range db.Columns() {
		if wanted[c.Folded()] {
			out = append(out, c)
		}
	}
	return out
}

// Relevant reads an answer about one column: the last verdict in it, or the "yes" or "no" that it opens with. ok is
// false where it has neither.
func Relevant(completion string) (relevant, ok bool) {
	text := extract.Answer(completion, maxText)
	if all := verdict.FindAllStringSubmatch(text, 100); len(all) > 0 {
		said := strings.ToLower(all[len(all)-1][1])
		return said == "yes" || said == "true", true
	}
	if m := opening.FindStringSubmatch(text); m != nil {
		return strings.EqualFold(m[1], "yes"), true
	}
	return false, false
}

// Format writes columns, which are in the schema's order, as a JSON object of lists by table, on one line. Parse reads
// it.
func Format(cs []schema.ColumnName) string {
	var b strings.Builder
	for i, c := range cs {
		switch {
		case i > 0 && cs[i-1].Table == c.Table:
			b.WriteString(", ")
		case i > 0:
			b.WriteString("], " + quoted(c.Table) + ": [")
		default:
			b.WriteString("{" + quoted(c.Table) + ": [")
		}
		b.WriteString(quoted(c.Column))
	}
	if len(cs) > 0 {
		b.WriteString("]}")
	}
	return b.String()
}

// quoted returns a name as JSON.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // unreachable: a string can be written
		return `""`
	}
	return strings.TrimSpace(b.String())
}
