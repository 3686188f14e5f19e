package tree_test

import (
	"errors"
	"strings"
	"testing"

	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

var wide = new(schema.Database).Add("t", "a", "b", "c", "d", "e", "f", "g", "h").Add("u", "a", "x1", "x2")

// parsed calls f for a text that is a query.
func parsed(f func(*tree.Stmt)) func(string) {
	return func(sql string) {
		if s, err := tree.Parse(sql); err == nil && s.Query != nil {
			f(s)
		}
	}
}

var functions = map[string]func(string){
	"Oversize":        func(sql string) { tree.Oversize(sql) },
	"Tokens":          func(sql string) { tree.Tokens(sql) },
	"Refusal":         func(sql string) { tree.Refusal(sql) },
	"FormsOf":         func(sql string) { tree.FormsOf(sql) }, //nolint:errcheck // most are refused
	"WithoutDistinct": func(sql string) { tree.WithoutDistinct(sql) },
	"Parse":           parsed(func(*tree.Stmt) {}),
	"Columns":         parsed(func(s *tree.Stmt) { tree.Columns(s, wide) }),
	"Tables":          parsed(func(s *tree.Stmt) { tree.Tables(s, wide) }),
	"Count":           parsed(func(s *tree.Stmt) { tree.Count(s) }),
	"Literals":        parsed(func(s *tree.Stmt) { tree.Literals(s) }),
	"WithKeys":        parsed(func(s *tree.Stmt) { tree.WithKeys(s, s.Query, false) }),
	"Print":           parsed(func(s *tree.Stmt) { _ = s.Print() }),
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }

// Each fact: a text, and how its refusal begins; empty for one that is not refused.
func TestOversize(t *testing.T) {
	check := func(name, sql, want string) {
		t.Helper()
		got := tree.Oversize(sql)
		if want == "" && got != nil || want != "" && (got == nil || !strings.HasPrefix(got.Message, want)) {
			t.Errorf("%s: %v, want %q", name, got, want)
		}
		_, err := tree.Parse(sql)
		if e, ok := errors.AsType[*tree.Error](err); want != "" && (!ok || e.Message != got.Message) {
			t.Errorf("%s: parsed with %v", name, err)
		}
		if toks := tree.Tokens(sql); want != "" && (len(toks) != 1 || toks[0].Kind != tree.IllegalText || toks[0].Text != sql) {
			t.Errorf("%s: %d tokens", name, len(toks))
		}
	}
	rep := strings.Repeat
	check("nothing", "", "")
	check("as long as may be", "SELECT '"+rep("x", tree.MaxBytes-9)+"'", "")
	check("one byte more", "SELECT '"+rep("x", tree.MaxBytes-8)+"'", "statement too long: more than 262144 bytes")
	check("as deep as may be", "SELECT "+rep("(", tree.MaxDepth)+"1"+rep(")", tree.MaxDepth), "")
	check("one deeper", "SELECT "+rep("(", tree.MaxDepth+1)+"1"+rep(")", tree.MaxDepth+1), "nested too deeply: more than 200 open")
	check("side by side", "SELECT "+rep("(1),", 3000)+"1", "")
	check("as many tokens as may be", "SELECT 1"+rep(",1", tree.MaxTokens/2-2), "")
	check("too many tokens", "SELECT 1"+rep(",1", tree.MaxTokens/2), "statement too long: more than 20000 tokens")
	check("parentheses in a text", "SELECT '"+rep("(", 1000)+"'", "")
}

// The tree has SQLite's own limits on what names are looked for in.
func TestWidth(t *testing.T) {
	check := func(sql string, ok bool) {
		t.Helper()
		if _, err := tree.Parse(sql); (err == nil) != ok {
			t.Errorf("%.40s: %v", sql, err)
		}
	}
	check("SELECT 1 FROM t"+strings.Repeat(", t", 63), true)
	check("SELECT 1 FROM t"+strings.Repeat(", t", 64), false)
	check("SELECT 1 FROM (t"+strings.Repeat(", t", 63)+"), t", false)
	check("SELECT 1"+strings.Repeat(", 1", 1999)+" FROM t", true)
	check("SELECT 1"+strings.Repeat(", 1", 2000)+" FROM t", false)
}
