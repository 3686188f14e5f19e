package extract

import (
	"strings"
	"testing"

	"assay/prompting/sql/hostile"
)

var functions = map[string]func(string){
	"SQL":          func(sql string) { SQL(sql, Options{}) },
	"continuation": func(sql string) { SQL(strings.TrimPrefix(sql, "SELECT "), Options{Continuation: true}) },
	"in a fence":   func(sql string) { SQL("```sql\n"+sql+"\n```", Options{}) },
	"in a line":    func(sql string) { SQL("SQL: "+strings.ReplaceAll(sql, " ", "\n"), Options{}) },
	"in quotes":    func(sql string) { SQL("The answer is \""+sql+"\"", Options{}) },
	"over lines":   func(sql string) { SQL(strings.ReplaceAll(sql, " ", "\n\n"), Options{}) },
	"Examples":     func(sql string) { Examples("Q: x\nA: " + sql) },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }

// repeated are completions whose every line may begin a query, end it, or begin an answer.
var repeated = []string{
	"```\n", "SELECT a FROM t WHERE\n", "SELECT a FROM t\n", "WITH a AS (SELECT\n", "Q: a\nA: SELECT (\n", "Thus, the answer is: SELECT\n",
	"<sql>SELECT ", "<sql>SELECT (</sql>", "`SELECT \" ", "SELECT a,\n\n", `{"input": "a", "output": "SELECT 1"},`, `{"input": "\"`,
	"SELECT 1,\n### SQLite SQL tables\n", "((", "(SELECT ", " ", "</think>", "* > # 1. ", "SELECT f(\n", "SELECT '\n", "SELECT 1\r", "a as ",
	"a:\n", "SQL: SELECT 1,(\n", "SELECT /*\n", "thus, the answer", "1. SELECT a FROM t;\n", "- a\nSELECT a\n", "\"SELECT 1\",", "\xff\n",
}

// long returns a completion of so many bytes.
func long(line string) string { return strings.Repeat(line, 4<<20/len(line)) }

func TestRepeated(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes of text")
	}
	for _, line := range repeated {
		text := long(line)
		check := func(name string, f func()) {
			t.Helper()
			if got := hostile.Allocated(f); got > hostile.MaxMemory {
				t.Errorf("%s of %q: %d MB are allocated", name, line, got>>20)
			}
		}
		check("SQL", func() { SQL(text, Options{}) })
		check("continuation", func() { SQL(text, Options{Continuation: true}) })
	}
}

func BenchmarkRepeated(b *testing.B) {
	for _, line := range repeated {
		text := long(line)
		b.Run(strings.Join(strings.Fields(line), "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				SQL(text, Options{})
				Examples(text)
			}
		})
	}
}
