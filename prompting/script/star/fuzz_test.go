package star

import (
	"errors"
	"strings"
	"testing"
)

// FuzzLoad loads arbitrary text as a method and calls its answer: whatever it says, that ends, and with an error of ours.
func FuzzLoad(f *testing.F) {
	for body := range hostile {
		if strings.Contains(body, "while") || strings.Contains(body, "00000") {
			continue // slow
		}
		f.Add("def answer():\n    " + strings.ReplaceAll(body, "\n", "\n    "))
	}
	for _, text := range []string{"", "x = 1", "def answer(): return f\"a\"", "load('a.star', 'a')", "a[0], b = 1, 2", "[x for x in y for z in x]", "\x00", "def answer(*a, **k):\n  '''d'''\n  a[0] += 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := answer(text)
		var e *Error
		if err != nil && err.Error() != "no answer" && !errors.As(err, &e) {
			t.Errorf("%T: %v", err, err)
		}
		if err != nil && strings.Contains(err.Error(), "the interpreter failed") {
			t.Errorf("a panic: %v", err)
		}
	})
}
