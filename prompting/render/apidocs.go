package render

import (
	"strings"

	"assay/prompting/sql/schema"
)

// apiDocs prints one comment line a table, all names in lower case: "# table (column, column)". This is the form of Tai
// et al. (2023); it shows neither types nor keys nor rows. A name that is no plain identifier stands in double quotes.
// Values that the question mentions follow, a line a column; the form has none.
func apiDocs(db *schema.Database, _ int) string {
	var b strings.Builder
	b.WriteString("### SQLite SQL tables, with their properties:\n#\n")
	for _, t := range db.Tables {
		names := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			names[i] = docName(c.Name)
		}
		b.WriteString("# " + docName(t.Name) + " (" + strings.Join(names, ", ") + ")\n")
	}
	b.WriteString("#\n")
	head := "# values that the question may mention:\n"
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			if v := found(c); len(v) > 0 {
				b.WriteString(head + "# " + docName(t.Name) + "." + docName(c.Name) + ": " + strings.Join(v, ", ") + "\n")
				head = ""
			}
		}
	}
	if head == "" {
		b.WriteString("#\n")
	}
	return b.String()
}

// docName is a name in lower case, quoted where spaces or signs would leave its end in doubt.
func docName(name string) string {
	name = strings.ToLower(name)
	if schema.Plain(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
