package execution

import (
	"strings"
	"testing"

	"assay/metrics/exact"
	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
	"assay/prompting/sql/tree"
)

var functions = map[string]func(string){
	"spiderPrediction": func(sql string) { spiderPrediction(sql+" DISTINCT value", false) },
	"takeApart":        func(sql string) { takeApart(sql) },
	"plain":            func(sql string) { plain(sql) },
	"mentionsOrder":    func(sql string) { mentionsOrder(sql) },
	"keyed":            func(sql string) { keyed(sql) },
	"SelectKeys": func(sql string) {
		exact.New(exact.Options{KeepValue: true}).SelectKeys(sql, new(schema.Database).Add("t", "a")) //nolint:errcheck // most are refused
	},
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func BenchmarkHostileTexts(b *testing.B) { hostile.Bench(b, functions) }

// TestOversizedStaysAsItIs: what the sandbox refuses for its length is not worked on before.
func TestOversizedStaysAsItIs(t *testing.T) {
	long := "SELECT DISTINCT value" + strings.Repeat(" +1", tree.MaxTokens)
	for name, got := range map[string]string{"gold": spiderGold(long, false), "prediction": spiderPrediction(long, false), "key": plain(long + strings.Repeat("  ", tree.MaxBytes))[:len(long)]} {
		if got != long {
			t.Errorf("%s: changed", name)
		}
	}
	if words, values := takeApart(long); words != nil || values != nil {
		t.Errorf("takeApart: %d words, %d values", len(words), len(values))
	}
}

// TestPluggedTextIsBounded: a long literal of the gold query in many places is a way that is not tried.
func TestPluggedTextIsBounded(t *testing.T) {
	words := strings.Fields(strings.Repeat(slot+" ", 5000))
	ways := 0
	for text := range plugged(words, []string{"1", "'" + strings.Repeat("x", 100_000) + "'"}) {
		switch ways++; {
		case ways == 1 && len(text) != 2*5000-1, ways == 2 && len(text) != 2*4999+100_002, ways == 8 && text != "":
			t.Errorf("way %d: %d bytes", ways, len(text))
		}
		if ways == 8 {
			return
		}
	}
}
