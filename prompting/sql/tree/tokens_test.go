package tree

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeywords: a word is a keyword where it stands as one, and most keywords may be names.
func TestKeywords(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		var got []string
		for _, tok := range Tokens(sql) {
			word := tok.Keyword
			if word == "" {
				word = "."
			}
			if tok.Name {
				word += "n"
			}
			got = append(got, word)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %s, want %s", sql, s, want)
		}
	}
	check("select a From t;", "SELECT .n FROM .n .")
	check(`SELECT "order", [by], 'x', 1`, "SELECT .n . .n . .n . .")
	check("SELECT if, left FROM t ORDER BY key", "SELECT IFn . LEFTn FROM .n ORDER BYn KEYn")
	check("SELECT sum(a) OVER (PARTITION BY b), over FROM t", "SELECT .n . .n . OVER . PARTITIONn BYn .n . . .n FROM .n")
}

func TestRefusal(t *testing.T) {
	check := func(sql, want string) {
		t.Helper()
		got := "none"
		if e := Refusal(sql); e != nil {
			got = fmt.Sprint(e.Offset, " ", e.Message)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", sql, got, want)
		}
	}
	check("SELECT 1", "none")
	check("DELETE FROM t;", "none")
	check("", "0 no statement")
	check("SELECT 1; SELECT 2", "10 more than one statement")
	check("SELECT a FROM t WHERE", "21 incomplete input")
}

func TestForms(t *testing.T) {
	check := func(sql string, want Forms) {
		t.Helper()
		if got, err := FormsOf(sql); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", sql, got, err)
		}
	}
	check("SELECT a FROM t JOIN u ON a = b", Forms{})
	check("SELECT a FROM t LEFT JOIN u ON a = b", Forms{LeftJoin: true})
	check("SELECT a AS x FROM t", Forms{Alias: true})
	check("SELECT a FROM t x WHERE a NOT IN (1)", Forms{In: true, Alias: true})
	check("SELECT 1; DELETE FROM t WHERE a IN (SELECT b FROM u AS v)", Forms{In: true, Alias: true})
	if _, err := FormsOf("SELEC"); err == nil {
		t.Error("no SQL is read")
	}
}
