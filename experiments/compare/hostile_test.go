package compare

import (
	"testing"

	"assay/metrics"
	"assay/prompting/sql/hostile"
)

// flip is a flip from a text to another.
func flip(a, b string) Flip {
	return Flip{SQLA: a, SQLB: b, StatusA: metrics.Correct, StatusB: metrics.Wrong}
}

var functions = map[string]func(string){
	"Words":          func(sql string) { Words(sql) },
	"explain":        func(sql string) { explain(flip(sql, "SELECT a FROM t"), "B") },
	"explain itself": func(sql string) { explain(flip(sql, sql+" "), "B") },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
