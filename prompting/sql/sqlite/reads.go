package sqlite

import (
	"slices"
	"strings"

	"assay/prompting/sql/schema"
)

// sorted returns the references in order. SQLite also reports a table without a column where the statement reads columns
// of the table under another alias; sorted drops that entry.
func sorted(seen map[schema.ColumnName]bool) []schema.ColumnName {
	whole := map[string]bool{} // tables of which a column is read
	for r := range seen {
		if r.Column != "" {
			whole[r.Table] = true
		}
	}
	var refs []schema.ColumnName
	for r := range seen {
		if r.Column != "" || !whole[r.Table] {
			refs = append(refs, r)
		}
	}
	slices.SortFunc(refs, func(a, b schema.ColumnName) int {
		if c := strings.Compare(a.Table, b.Table); c != 0 {
			return c
		}
		return strings.Compare(a.Column, b.Column)
	})
	return refs
}
