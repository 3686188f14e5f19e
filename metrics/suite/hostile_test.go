package suite

import (
	"testing"

	texts "assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

// mutated makes the mutants and the hints of a query.
func mutated(sql string) {
	stmt, err := tree.Parse(sql)
	if err != nil || stmt.Query == nil {
		return
	}
	cat := &catalog{schema: *new(schema.Database).Add("t", "a", "b", "c", "d").Add("u", "a", "x1", "x2")}
	for _, t := range cat.schema.Tables {
		cat.tables = append(cat.tables, &table{name: t.Name, at: len(cat.tables)})
		for _, c := range t.Names() {
			cat.tables[len(cat.tables)-1].columns = append(cat.tables[len(cat.tables)-1].columns, column{name: c})
		}
	}
	mutants(stmt, cat)
	cat.hint(stmt)
}

var functions = map[string]func(string){"mutants": mutated}

func TestHostileTexts(t *testing.T) { texts.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { texts.Bench(b, functions) }
