package linking

import (
	"testing"

	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
)

var wide = new(schema.Database).Add("t", "a", "b", "c", "d").Add("u", "a", "x1", "x2")

var functions = map[string]func(string){
	"Of": func(sql string) { Of(sql, wide) }, //nolint:errcheck // most are refused
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
