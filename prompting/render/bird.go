package render

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// proseWidth bounds a printed description, in characters.
const proseWidth = 200

// bird prints a CREATE TABLE statement a table whose columns carry a comment of what the dataset knows about them:
// example values, expanded name, description, meaning of the values. The parts and their titles are those of CHESS
// (Talaei et al. 2024), without its value statistics; a part with nothing to say is left out. The values that the
// question mentions come before the other examples, as appendix A.5 of CHASE-SQL has them, or in their place.
func bird(db *schema.Database, values int) string {
	var b strings.Builder
	for _, t := range db.Tables {
		if t.Description != "" {
			b.WriteString("-- " + clip(t.Description, proseWidth) + "\n")
		}
		b.WriteString("CREATE TABLE " + schema.Quote(t.Name) + "\n(\n")
		constraints := schema.Constraints(t, db.ForeignKeys)
		for i, c := range t.Columns {
			line := "    " + strings.TrimRight(schema.Quote(c.Name)+" "+oneLine(c.Type), " ")
			if i < len(t.Columns)-1 || len(constraints) > 0 {
				line += ","
			}
			if note := columnNote(c, Others(db, c, values)); note != "" {
				line += " -- " + note
			}
			b.WriteString(line + "\n")
		}
		if len(constraints) > 0 {
			b.WriteString("    " + strings.Join(constraints, ",\n    ") + "\n")
		}
		b.WriteString(");\n\n")
	}
	return b.String()
}

// columnNote says in one line what is known of a column.
func columnNote(c schema.Column, values int) string {
	var parts []string
	if shown := examples(c, values); len(shown) > 0 {
		parts = append(parts, "Example Values: "+strings.Join(shown, ", "))
	}
	for _, p := range []struct{ title, text string }{
		{"Column Name Meaning", c.Meaning}, {"Column Description", c.Description}, {"Value Description", c.Values},
	} {
		if p.text != "" {
			parts = append(parts, p.title+": "+clip(p.text, proseWidth))
		}
	}
	return strings.Join(parts, " | ")
}

// Others is how many example values of a column stand beside the values found in it.
func Others(db *schema.Database, c schema.Column, values int) int {
	if db.Examples == schema.NoExample || db.Examples == schema.OfUnfound && len(c.Found) > 0 {
		return 0
	}
	return values
}

// examples are the found values of a column and as many others as asked for, each in backticks.
func examples(c schema.Column, values int) []string {
	mentioned := found(c)
	shown := mentioned
	for _, v := range c.Samples[:min(values, len(c.Samples))] {
		if v = inTicks(v); !slices.Contains(mentioned, v) {
			shown = append(shown, v)
		}
	}
	return shown
}

// found are the values that the question mentions, each in backticks.
func found(c schema.Column) (out []string) {
	for _, v := range c.Found {
		out = append(out, inTicks(v))
	}
	return out
}

func inTicks(v string) string { return "`" + clip(v, cellWidth) + "`" }
