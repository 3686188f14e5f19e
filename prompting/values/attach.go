package values

import (
	"slices"
	"strings"

	"assay/prompting/schema"
)

// Attach returns a copy of a database's description in which the columns of the matches have the matched values first
// among their samples, the best match first, so that a prompt which shows example values shows them (CHASE-SQL, appendix
// A.5). The samples they had follow, without repeats. Columns that the description does not have are passed over; db
// itself is not changed.
func Attach(db *schema.Database, matches []Match) *schema.Database {
	out := *db
	out.Tables = slices.Clone(db.Tables)
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Columns = slices.Clone(t.Columns)
		for j := range t.Columns {
			c := &t.Columns[j]
			var found []string
			for _, m := range matches {
				if strings.EqualFold(m.Table, t.Name) && strings.EqualFold(m.Column, c.Name) && !slices.Contains(found, m.Value) {
					found = append(found, m.Value)
				}
			}
			if len(found) > 0 {
				c.Samples = merged(found, c.Samples)
			}
		}
	}
	return &out
}

// merged is the found values and then the samples that are none of them.
func merged(found, samples []string) []string {
	out := slices.Clone(found)
	for _, s := range samples {
		if !slices.Contains(found, s) {
			out = append(out, s)
		}
	}
	return out
}
