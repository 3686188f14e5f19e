package diagnosis

import (
	"testing"

	"assay/experiments/record"
	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
)

var hostileSchema = new(schema.Database).Add("t", "a", "b", "c", "d").Add("u", "a", "x1", "x2")

// against a plain query, and against itself with the words in capitals.
func diagnosed(gold, sql string) {
	c := Case{Question: record.Question{Gold: gold, Question: sql}, Schema: hostileSchema}
	c.Answer.SQL = sql
	suggest(c)
}

var functions = map[string]func(string){
	"suggest":           func(sql string) { diagnosed("SELECT a FROM t WHERE b = 1 AND c = 'x' ORDER BY d LIMIT 1", sql) },
	"suggest of itself": func(sql string) { diagnosed(sql+" ", sql) },
	"suggest for it":    func(sql string) { diagnosed(sql, "SELECT b FROM u") },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
