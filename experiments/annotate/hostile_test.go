package annotate

import (
	"testing"

	"assay/prompting/exemplar"
	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
)

var hostileSchema = new(schema.Database).Add("t", "a", "b", "c", "d").Add("u", "a", "x1", "x2")

var functions = map[string]func(string){
	"Fill": func(sql string) {
		d := exemplar.Demo{SQL: sql, Schema: hostileSchema, Steps: []exemplar.Step{{Columns: sql}, {SQL: sql}, {}}}
		Fill(&d) //nolint:errcheck // most are refused
	},
	"Derive": func(sql string) {
		d := exemplar.Demo{Question: sql, SQL: sql, Schema: hostileSchema}
		Derive(&d) //nolint:errcheck // most are refused
		Naturalness([]exemplar.Step{{Question: sql}, {Question: sql}}, nil)
	},
	"Columns": func(sql string) { Columns(sql, hostileSchema) }, //nolint:errcheck // most are refused
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
