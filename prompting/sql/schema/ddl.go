package schema

import (
	"strings"

	"github.com/sqlc-dev/meyer/token"
)

// createTable returns a CREATE TABLE statement: one line per column with its declared type, then the primary key, then
// those foreign keys of keys that belong to this table. It quotes only names that need it, as people write SQL.
func createTable(t Table, keys []ForeignKey) string {
	var lines []string
	for _, c := range t.Columns {
		lines = append(lines, strings.TrimRight(Quote(c.Name)+" "+c.Type, " "))
	}
	lines = append(lines, Constraints(t, keys)...)
	return "CREATE TABLE " + Quote(t.Name) + " (\n  " + strings.Join(lines, ",\n  ") + "\n)"
}

// Constraints returns the table's PRIMARY KEY clause and its FOREIGN KEY clauses, one clause per string, without commas.
func Constraints(t Table, keys []ForeignKey) []string {
	var out []string
	if len(t.PrimaryKey) > 0 {
		quoted := make([]string, len(t.PrimaryKey))
		for i, c := range t.PrimaryKey {
			quoted[i] = Quote(c)
		}
		out = append(out, "PRIMARY KEY ("+strings.Join(quoted, ", ")+")")
	}
	for _, k := range keys {
		if strings.EqualFold(k.Table, t.Name) {
			out = append(out, "FOREIGN KEY ("+Quote(k.Column)+") REFERENCES "+Quote(k.RefTable)+" ("+Quote(k.RefColumn)+")")
		}
	}
	return out
}

// Quote returns a name as SQL can read it: unchanged where it is a plain identifier that SQLite does not take for a
// keyword, else in double quotes.
func Quote(name string) string {
	if k := token.Lookup(name); Plain(name) && (k == token.ID || token.CanFallback(k)) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Plain reports whether a name consists of ASCII letters, digits, '_' and '$' only and does not start with a digit or
// '$'. A plain name may still be a keyword.
func Plain(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '$')) {
			return false
		}
	}
	return name != ""
}
