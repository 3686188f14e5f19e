package columns

import (
	"regexp"
	"strings"

	"assay/prompting/sql/schema"
	"assay/prompting/values"
)

// leastName is how alike a keyword and a column's name must be.
const leastName = 0.9

// mostName bounds the keywords that are compared with names, in bytes: no name is longer.
const mostName = 200

var parenthesised = regexp.MustCompile(`\(([^()]*)\)`)

// Named lists the columns whose names a keyword matches, in the schema's order. It is the rule of CHESS (Talaei et al.
// 2024, retrieve_entity.py): without regard to case, spaces, underscores and a plural's s, the name and the keyword
// have a [values.Ratio] of 0.9 at least, or so have the name and what is left of an "=" in the keyword, in its
// parentheses, before them, or one of its words.
func Named(db *schema.Database, keywords []string) (out []schema.ColumnName) {
	forms := map[string]bool{}
	for _, k := range keywords {
		if len(k) > mostName {
			continue
		}
		for _, f := range nameForms(k) {
			if f = bare(f); f != "" {
				forms[f] = true
			}
		}
	}
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			if name := bare(c.Name); matches(name, forms) {
				out = append(out, schema.ColumnName{Table: t.Name, Column: c.Name})
			}
		}
	}
	return out
}

func matches(name string, forms map[string]bool) bool {
	if forms[name] || name == "" {
		return name != ""
	}
	for f := range forms {
		short, long := min(len(name), len(f)), max(len(name), len(f))
		if 2*float64(short) >= leastName*float64(short+long)-1 && values.Ratio(name, f) >= leastName {
			return true
		}
	}
	return false
}

// nameForms returns a keyword and its parts that may be a column's name.
func nameForms(keyword string) []string {
	out := []string{keyword}
	if left, _, ok := strings.Cut(keyword, "="); ok {
		out = append(out, left)
	}
	if before, _, ok := strings.Cut(keyword, "("); ok {
		out = append(out, before)
	}
	for _, m := range parenthesised.FindAllStringSubmatch(keyword, 20) {
		out = append(out, m[1])
	}
	return append(out, strings.Fields(keyword)...)
}

var joints = strings.NewReplacer(" ", "", "_", "")

// bare returns a name in lower case without spaces, underscores and the s of a plural.
func bare(name string) string {
	return strings.TrimRight(joints.Replace(strings.ToLower(strings.TrimSpace(name))), "s")
}
