package columns

import (
	"strings"
	"testing"

	"assay/prompting/sql/hostile"
)

var functions = map[string]func(string){
	"Parse":            func(text string) { Parse(text, school()) },
	"Parse of dots":    func(text string) { Parse(strings.ReplaceAll(text, " ", "Pupil.id"), school()) },
	"Parse of listing": func(text string) { Parse("{Pupil: ["+text, school()) },
	"Relevant":         func(text string) { Relevant(text) },
	"Named":            func(text string) { Named(school(), []string{text, "a=" + text[:min(len(text), mostName-2)]}) },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }
