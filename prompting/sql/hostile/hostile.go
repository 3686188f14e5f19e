// Package hostile is the texts that everything which reads a model's SQL is tested with, and what that may cost.
//
// [Texts] are written to be slow or large for a lexer, a parser, a comparison of two texts or one of two lists; those
// that [tree.Oversize] lets through are as near to its limits as the form allows. Only tests use this package.
package hostile

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"assay/prompting/sql/tree"
)

// Text is a text that a model might write.
type Text struct{ Name, SQL string }

// MaxMemory is how many bytes may be allocated in all while one text is worked on.
const MaxMemory = 64 << 20

// many is how often a word of a blank and three letters fits into a statement.
const many = tree.MaxTokens - 50

// Texts returns the texts. Each call makes them anew, about 40 MB.
func Texts() []Text { return append(large(), small()...) }

// large returns the texts that are above a limit.
func large() []Text {
	return []Text{
		{"five million parentheses", strings.Repeat("(", 5_000_000)},
		{"a query of parentheses", "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000)},
		{"ten megabytes of terms", "SELECT 1" + strings.Repeat("+1", 5_000_000)},
		{"ten megabytes in quotes", "SELECT '" + strings.Repeat("x", 10<<20) + "'"},
		{"many WHENs", "SELECT CASE " + strings.Repeat("WHEN 1 THEN 2 ", 40_000) + "END"},
		{"one deeper than permitted", "SELECT " + strings.Repeat("(", tree.MaxDepth+1) + "1" + strings.Repeat(")", tree.MaxDepth+1)},
		{"one byte more than permitted", "SELECT '" + strings.Repeat("x", tree.MaxBytes-8) + "'"},
		{"one token more than permitted", "SELECT 1" + strings.Repeat(" +1", tree.MaxTokens/2)},
	}
}

// small returns the texts that are below every limit.
func small() []Text {
	rep := strings.Repeat
	fill := func(word string) string { return rep(word, tree.MaxBytes/len(word)-20) }
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	deep := tree.MaxDepth
	tables := "t" + rep(",t", 63)
	return []Text{
		{"parentheses", "SELECT " + rep("(", deep) + "1" + rep(")", deep)},
		{"parentheses that stay open", "SELECT " + rep("(", deep)},
		{"parentheses that close", "SELECT " + rep(")", many)},
		{"pairs of parentheses", "SELECT " + rep("()", many/2)},
		{"calls in calls", "SELECT " + rep("count(", deep) + "a" + rep(")", deep) + " FROM t"},
		{"a chain of NOT", "SELECT a FROM t WHERE " + rep("NOT ", many) + "a"},
		{"a chain of signs", "SELECT " + rep("- ", many) + "a FROM t"},
		{"a chain of CASE", "SELECT " + rep("CASE WHEN ", many/2) + "a"},
		{"CASE in CASE", "SELECT " + rep("CASE WHEN a THEN 1 ELSE ", 900) + "1" + rep(" END", 900) + " FROM t"},
		{"a sum", "SELECT a" + rep("+a", many/2) + " FROM t"},
		{"a sum that SQLite takes", "SELECT a" + rep("+a", 990) + " FROM t"},
		{"a concatenation", "SELECT a" + rep("||a", 2900) + " FROM t"},
		{"a chain of OR", "SELECT a FROM t WHERE a=1" + list(many/4, " OR a=%d")},
		{"a chain of AND", "SELECT a FROM t WHERE a=1" + list(2900, " AND b%d=a")},
		{"a chain of BETWEEN", "SELECT a FROM t WHERE a BETWEEN " + rep("1 AND a BETWEEN ", many/4) + "1 AND 2"},
		{"a chain of IS NULL", "SELECT a FROM t WHERE a" + rep(" IS NULL", 2900)},
		{"a chain of COLLATE", "SELECT a" + rep(" COLLATE x", 2900) + " FROM t"},
		{"a long IN", "SELECT a FROM t WHERE a IN (1" + list(many/2-20, ",%d") + ")"},
		{"a long IN of texts", "SELECT a FROM t WHERE a IN ('x'" + list(many/2-20, ",'%d'") + ")"},
		{"long VALUES", "VALUES (1)" + list(many/4, ",(%d)")},
		{"a long select list", "SELECT a" + list(1990, ",x%d") + " FROM t"},
		{"a select list that is too long", "SELECT a" + list(many/2-20, ",x%d") + " FROM t"},
		{"a long ORDER BY", "SELECT a FROM t ORDER BY a" + list(many/2-20, ",x%d")},
		{"a long GROUP BY", "SELECT a FROM t GROUP BY a" + list(many/2-20, ",x%d")},
		{"stars over tables", "SELECT *" + rep(",*", 1990) + " FROM " + tables},
		{"stars over tables, united", "SELECT 1" + rep(" UNION SELECT *"+rep(",*", 60)+" FROM "+tables, 75)},
		{"stars of tables", "SELECT t.*" + list(1990, ",t%d.*") + " FROM " + tables},
		{"joins", "SELECT a FROM t" + list(many/3-20, " JOIN t%d")},
		{"joins in order", "SELECT a FROM t" + list(60, " JOIN t AS t%d ON t.a = t.b AND t.b = t.c")},
		{"tables in parentheses", "SELECT a FROM " + rep("(t, ", deep-10) + "t" + rep(")", deep-10)},
		{"names in sub-queries", rep("SELECT (", 60) + "SELECT 1" + list(6000, "+x%d") + rep(") FROM "+tables, 60)},
		{"names over tables", "SELECT 1" + list(1900, ",x%d") + " FROM " + tables},
		{"tables that join themselves", "WITH a AS (SELECT 1 AS x)" + list(1000, ", a%d AS (SELECT * FROM a, a)") + " SELECT * FROM a"},
		{"tables that double", doubling(700)},
		{"a chain of WITH", "WITH a AS (SELECT 1)" + list(many/8, ", a%d AS (SELECT 1)") + " SELECT * FROM a" + rep(", a", 60)},
		{"WITH in WITH", rep("WITH a AS (", deep-10) + "SELECT 1" + rep(") SELECT * FROM a", deep-10)},
		{"a union", "SELECT a FROM t" + rep(" UNION SELECT a FROM t", many/5)},
		{"a union of nothing", rep("SELECT UNION ", many/2)},
		{"sub-queries in FROM", rep("SELECT * FROM (", deep-10) + "SELECT 1" + rep(")", deep-10)},
		{"sub-queries in WHERE", "SELECT a FROM t" + rep(" WHERE a IN (SELECT a FROM t", deep-10) + rep(")", deep-10)},
		{"windows", "SELECT 1" + rep(",sum(a) OVER (PARTITION BY b ORDER BY c)", 1500) + " FROM t"},
		{"SELECT over and over", rep("SELECT ", many)},
		{"FROM over and over", "SELECT a " + rep("FROM ", many)},
		{"AS over and over", "SELECT a FROM t " + rep("AS ", many)},
		{"DISTINCT over and over", "SELECT " + rep("DISTINCT ", many) + "a FROM t"},
		{"WITH over and over", rep("WITH ", many)},
		{"a new statement each time", rep("SELECT 1;", many/3)},
		{"semicolons", rep(";", many)},
		{"commas", "SELECT " + rep(",", many)},
		{"full stops", "SELECT " + rep("a.", many/2) + "a"},
		{"quotes", fill("'")},
		{"double quotes", fill(`"`)},
		{"backticks", fill("`")},
		{"brackets", fill("[")},
		{"open strings", "SELECT " + rep("' \" ", many/8)},
		{"strings", "SELECT " + rep("'a' ", many-20)},
		{"one string", "SELECT '" + fill("''") + "'"},
		{"value in a string", "SELECT '" + fill("value ") + "'"},
		{"open comments", "SELECT " + fill("/*")},
		{"comments", "SELECT " + fill("/**/") + "1"},
		{"comment lines", "SELECT " + fill("--\n") + "1"},
		{"blanks", "SELECT " + fill(" ") + "1"},
		{"line ends", "SELECT " + fill("\n") + "1"},
		{"lines", "SELECT a\n" + rep("FROM t\n", many/2)},
		{"a long name", "SELECT " + fill("a")},
		{"a long number", "SELECT " + fill("1")},
		{"a long exponent", "SELECT 1e" + fill("9")},
		{"a long blob", "SELECT x'" + fill("00") + "'"},
		{"signs", rep("<", many)},
		{"marks of other tongues", fill("“é")},
		{"what is no UTF-8", rep("\xff\xfe", many/2)},
		{"zero bytes", "SELECT 1 " + fill("\x00")},
		{"backslashes", "SELECT '" + fill(`\`) + "'"},
		{"formats of a date", "SELECT strftime('" + fill("%e") + "')"},
		{"functions that are newer", "SELECT 1" + list(1990, ",jsonb_%d(a)")},
		{"digits with marks between", "SELECT 1" + rep(",1_0", 1990)},
	}
}

// doubling returns a query whose tables have the columns of two others each.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("WITH a0 AS (SELECT 1 AS x0)")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ", a%d AS (SELECT *, 1 AS x%d FROM a%d, a%d)", i, i, i-1, i-1)
	}
	fmt.Fprintf(&b, " SELECT * FROM a%d", n-1)
	return b.String()
}

// Check gives every text to each function, by the function's name. None may panic, or allocate more than MaxMemory for
// one text. Bytes allocated do not depend on the machine, as time does; what is slow mostly allocates.
func Check(t *testing.T, functions map[string]func(sql string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("tens of megabytes of text")
	}
	for _, x := range Texts() {
		for name, f := range functions {
			if got := Allocated(func() { f(x.SQL) }); got > MaxMemory {
				t.Errorf("%s of %s: %d MB are allocated", name, x.Name, got>>20)
			}
		}
	}
}

// Allocated returns how many bytes f allocates in all.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bench is a benchmark of each function with each text: time has no place in a test.
func Bench(b *testing.B, functions map[string]func(sql string)) {
	for _, x := range Texts() {
		for name, f := range functions {
			b.Run(name+"/"+strings.ReplaceAll(x.Name, " ", "-"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f(x.SQL)
				}
			})
		}
	}
}
