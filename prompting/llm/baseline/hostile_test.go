package baseline

import (
	"context"
	"strings"
	"testing"

	"assay/prompting/llm"
	"assay/prompting/sql/hostile"
)

// asked answers a prompt of the first tables with a text at one of its places.
func asked(parts ...string) func(text string) {
	return func(text string) {
		text = text[:min(len(text), 1<<14)]
		r := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Join(parts, text)}}}
		New().Generate(context.Background(), r) //nolint:errcheck // no prompt is an error: FuzzGenerate
	}
}

var readers = map[string]func(string){
	"the whole":     asked("", ""),
	"question":      asked("# boat (id, name, year)\n# trip (boat_id, day)\n### Question: Which boats ", " have a name?\n"),
	"quoted":        asked("# boat (id, name, year)\n### Question: Which boats are named '", "'?\n"),
	"column":        asked("# boat (id, ", ")\n### Question: Which boats have the most trips?\n"),
	"demonstration": asked("### Examples\nQuestion: How many?\nSQL: ", "\n\n# boat (id, name)\n### Question: How many boats?\n"),
	"query":         asked("### Database schema\n# boat (id, name)\n### Question\nWhich boats?\n### Query\n", "\n### Result\nerror: no such column: x\n### Mended query\nFinal answer:"),
	"error":         asked("### Database schema\n# boat (id, name)\n### Question\nWhich boats?\n### Query\nSELECT x FROM boat\n### Result\nerror: no such column: ", "\n### Mended query\nFinal answer:"),
}

// TestHostileTexts: no prompt takes more than 128 MB in all. Every fifth text is one of each kind.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("long prompts")
	}
	for i, x := range hostile.Texts() {
		for name, f := range readers {
			if i%5 != 0 {
				continue
			}
			if got := hostile.Allocated(func() { f(x.SQL) }); got > 2*hostile.MaxMemory {
				t.Errorf("%s of %s: %d MB are allocated", name, x.Name, got>>20)
			}
		}
	}
}

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, readers) }
