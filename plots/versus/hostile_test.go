package versus

import (
	"strings"
	"testing"

	hostiletexts "assay/prompting/sql/hostile"
)

var functions = map[string]func(string){
	"pieces":           func(sql string) { pieces(sql, "SELECT a FROM t") },
	"pieces of itself": func(sql string) { pieces(sql+" LIMIT 1", sql+" LIMIT 2") },
	"pieces all apart": func(sql string) { pieces(sql, strings.Repeat("x y ", 1000)) },
	"DiffLines": func(text string) {
		text = text[:min(len(text), 1<<17)] // a prompt's, which has a budget
		x := Prompt{Lines: DiffLines(text, "b\n"+strings.ReplaceAll(text, " ", "\n")+"a")}
		x.unified()
		x.fence()
	},
}

func TestHostileTexts(t *testing.T) { hostiletexts.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostiletexts.Bench(b, functions) }
