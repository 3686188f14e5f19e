package exact

import (
	"testing"

	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
)

var hostileSchema = new(schema.Database).Add("t", "a", "b", "c", "d").Add("u", "a", "x1", "x2")

var functions = map[string]func(string){
	"Match": func(sql string) {
		New(Options{}).Match(sql, "SELECT a FROM t", hostileSchema) //nolint:errcheck // the gold query is read
	},
	"Match of itself": func(sql string) {
		New(Options{}).Match(sql+" ", sql, hostileSchema) //nolint:errcheck // most are refused
	},
	"Hardness": func(sql string) { Hardness(sql, nil) }, //nolint:errcheck // most are refused
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
