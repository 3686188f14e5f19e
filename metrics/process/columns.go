package process

import (
	"strings"

	"assay/prompting/sql/schema"
)

// mostNames bounds the names that are read of one list.
const mostNames = 1000

// Columns reads a list of columns as InterCOL writes it: "table (column, column), table (column)". Names ignore letter case
// and may stand in quotation marks, backticks or brackets; a column may repeat its table ("table.column"), and "*" names
// the table alone. What the database lacks is among unknown, a column as "table.column". A text of another form names
// nothing: it is unknown as a whole.
func Columns(list string, db *schema.Database) (tables []string, columns []schema.ColumnName, unknown []string) {
	rest, n := strings.TrimSpace(list), 0
	for rest != "" && n < mostNames {
		name, inner, after, ok := group(rest)
		if !ok {
			return tables, columns, append(unknown, rest)
		}
		rest = strings.TrimLeft(after, " \t,;")
		t := db.Table(bareName(name))
		if t == nil {
			unknown = append(unknown, bareName(name))
			n++
			continue
		}
		tables = append(tables, t.Name)
		for c := range strings.SplitSeq(inner, ",") {
			c = bareName(c)
			if at := strings.LastIndexByte(c, '.'); at >= 0 && strings.EqualFold(bareName(c[:at]), t.Name) {
				c = bareName(c[at+1:])
			}
			if n++; c == "" || c == "*" || n > mostNames {
				continue
			}
			if own := t.Column(c); own != nil {
				columns = append(columns, schema.ColumnName{Table: t.Name, Column: own.Name})
			} else {
				unknown = append(unknown, t.Name+"."+c)
			}
		}
	}
	return tables, columns, unknown
}

// group splits "name (inner) after". Parentheses within quoted names belong to the name.
func group(s string) (name, inner, after string, ok bool) {
	open := outside(s, '(')
	if open < 0 {
		return "", "", "", false
	}
	end := outside(s[open+1:], ')')
	if end < 0 {
		return "", "", "", false
	}
	return strings.TrimSpace(s[:open]), s[open+1 : open+1+end], s[open+end+2:], true
}

// outside returns the first place of a character that is in no quoted or parenthesized part; -1 for none.
func outside(s string, c byte) int {
	quote, depth := byte(0), 0
	for i := 0; i < len(s); i++ {
		switch {
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case depth == 0 && s[i] == c:
			return i
		case s[i] == '"' || s[i] == '`':
			quote = s[i]
		case s[i] == '(':
			depth++
		case s[i] == ')' && depth > 0:
			depth--
		}
	}
	return -1
}

// bareName is a name without white space and quotation marks at its ends.
func bareName(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 {
		for _, pair := range []string{`""`, "``", "[]", "''"} {
			if s[0] == pair[0] && s[len(s)-1] == pair[1] {
				return s[1 : len(s)-1]
			}
		}
	}
	return s
}
