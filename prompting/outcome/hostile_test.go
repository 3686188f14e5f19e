package outcome

import (
	"testing"

	"assay/prompting/sql/engine"
	"assay/prompting/sql/hostile"
)

var functions = map[string]func(string){
	"Flat":    func(sql string) { Flat(sql) },
	"wordsOf": func(sql string) { wordsOf(sql) },
	"Text": func(text string) {
		row := []engine.Value{engine.OfText(text), engine.OfBlob([]byte(text))}
		Outcome{Result: &engine.Result{Columns: []string{text, text}, Rows: [][]engine.Value{row, row}}}.Text()
	},
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
