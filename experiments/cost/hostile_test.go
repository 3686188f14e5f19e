package cost

import (
	"strings"
	"testing"

	"assay/prompting/sql/hostile"
)

// TestHostileTexts: counting the tokens of a megabyte takes memory in proportion, and ends, whatever the megabyte is.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes of text")
	}
	for _, model := range []string{"gpt-4o", "gpt-4"} {
		c, err := NewCounter(openai(model))
		if err != nil {
			t.Fatal(err)
		}
		c.Text("warm")
		for _, word := range []string{"a", " ", "\n", "!", "\xff", "é", "😀", "ab", "A ", "\r\n", "'s", "0", "\u200d", "中", "\u0301", "/\n"} {
			text := strings.Repeat(word, (1<<20)/len(word))
			if got := hostile.Allocated(func() { c.Text(text) }); got > 2*hostile.MaxMemory {
				t.Errorf("%s of %q: %d MB are allocated", model, word, got>>20)
			}
		}
	}
}
