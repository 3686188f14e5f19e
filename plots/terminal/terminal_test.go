package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		// However a text is cut, what is written is the same.
		for _, size := range []int{1, 2, 3} {
			var b bytes.Buffer
			w := New(&b)
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				if n, err := w.Write(rest[:min(size, len(rest))]); err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
			}
			if err := w.Flush(); err != nil || b.String() != want {
				t.Errorf("%q in pieces of %d: %q, %v, want %q", text, size, b.String(), err, want)
			}
		}
	}
	check("", "")
	check("SELECT 1\n\tFROM t\r\n", "SELECT 1\n\tFROM t\r\n")
	check("naïve 日本語 🎉 ا٠", "naïve 日本語 🎉 ا٠")
	check("\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\x07`)
	check("\x1b]8;;http://x\x1b\\t\x1b]8;;\x1b\\", `\x1b]8;;http://x\x1b\t\x1b]8;;\x1b\`)
	check("\u009b31m\u009d0;t\u009c", `\u009b31m\u009d0;t\u009c`)
	check("\x9b31m\xff\xc3", `\x9b31m\xff\xc3`)
	check("right\rwrong\r", `right\x0dwrong\x0d`)
	check("a\r\r\nb", "a\\x0d\r\nb")
	check("ab\b\bcd\x7f\x00\x0b\x0c", `ab\x08\x08cd\u007f\x00\x0b\x0c`)
	check("\u202eabc\u2066\u2069\u200f\u061c", `\u202eabc\u2066\u2069\u200f\u061c`)
	check("a\u200bb\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\ufe0f", `a\u200bb\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\ufe0f`)
	check("\U000e0041\U000e0100", `\udb40\udc41\udb40\udd00`)
	check("\u2028\u2029\ufff9", `\u2028\u2029\ufff9`)
	check("\u0600\u00a0", "\u0600\u00a0") // a number sign and a blank are seen
	check("\ufffd", "\ufffd")
}

// Joiners are written where they are the spelling of a word or an emoji, and there alone.
func TestJoiners(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for at := range len(text) {
			var b bytes.Buffer
			w := New(&b)
			w.Write([]byte(text[:at]))
			w.Write([]byte(text[at:]))
			if w.Flush(); b.String() != want {
				t.Errorf("%q cut at %d: %q, want %q", text, at, b.String(), want)
			}
		}
	}
	same := func(text string) { t.Helper(); check(text, text) }
	same("می\u200cخواهم")                  // Persian
	same("क्\u200dष क्\u200cष ශ්\u200dරී") // Devanagari, Sinhala
	same("അവന്\u200d")                     // Malayalam, at the end of a word
	same("👩\u200d👩\u200d👧\u200d👦 👍🏽")      // a family
	same("🤷🏽\u200d♀\ufe0f 🏳\ufe0f\u200d🌈") // skin tone, style
	same("❤\ufe0f ☂\ufe0e 1\ufe0f\u20e3")
	check("ad\u200cmin ad\u200dmin 1\ufe0f2", `ad\u200cmin ad\u200dmin 1\ufe0f2`)
	check("م\u200c م\u200ca a\u200cم", `م\u200c م\u200ca a\u200cم`)
	check("م\u200c\u200cم", `م\u200c\u200cم`)
	check("👩\u200d\u200d👩 👩\u200dx x\u200d👩", `👩\u200d\u200d👩 👩\u200dx x\u200d👩`)
	check("❤\ufe0f\ufe0f ❤\ufe0e\u200d❤", "❤\ufe0f\\ufe0f ❤\ufe0e\\u200d❤")
	check("क्\u200d\u200d \ufe0f", "क्\u200d\\u200d \\ufe0f")
	check("ي\u200c\u061cي 👩\u200d\u202e", `ي\u200c\u061cي 👩\u200d\u202e`)
}

func TestLine(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	check("a\nb\tc\r\nd\re\u2028f", "a b c d e f")
	check("a\x1b[1mb", `a\x1b[1mb`)
}

// JSON stays JSON with the same values.
func TestJSON(t *testing.T) {
	var all []string
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && (r < 0x3000 || Hidden(r)) {
			all = append(all, string(r)+`\`+string(r))
		}
	}
	var b bytes.Buffer
	if err := json.NewEncoder(New(&b)).Encode(all); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(b.String(), Hidden); i >= 0 {
		t.Errorf("a hidden character at byte %d", i)
	}
	var got []string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || strings.Join(got, "\n") != strings.Join(all, "\n") {
		t.Errorf("JSON does not come through: %v", err)
	}
}

// Only our own sequences pass, and only on the way that is theirs.
func TestSequences(t *testing.T) {
	check := func(to func(*Writer) func([]byte) (int, error), text, want string) {
		t.Helper()
		var b bytes.Buffer
		if _, err := to(New(&b))([]byte(text)); err != nil || b.String() != want {
			t.Errorf("%q: %q, %v, want %q", text, b.String(), err, want)
		}
	}
	styled := func(w *Writer) func([]byte) (int, error) { return w.Styled().Write }
	bar := func(w *Writer) func([]byte) (int, error) { return w.Bar().Write }
	check(styled, Bold.Paint("x")+"\n", "\x1b[1mx\x1b[0m\n")
	check(styled, "\x1b[2J\x1b[1;31mx\x1b[8m\r\x1b", `\x1b[2J\x1b[1;31mx\x1b[8m\x0d\x1b`)
	check(bar, "\r 50% |##  | \x1b[1m\r", "\r 50% |##  | \\x1b[1m\r")
	check(func(w *Writer) func([]byte) (int, error) { return w.Write }, Bold.Paint("x"), `\x1b[1mx\x1b[0m`)
	var b bytes.Buffer
	if err := New(&b).Clear(); err != nil || b.Len() > 0 { // no terminal
		t.Errorf("%q, %v", b.String(), err)
	}
}

// FuzzWriter checks that nothing hidden comes through, whatever the text and wherever it is cut.
func FuzzWriter(f *testing.F) {
	f.Add("\x1b[1m\r\u202e\xc3", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		var b bytes.Buffer
		w := New(&b)
		w.Write([]byte(text[:at]))
		w.Write([]byte(text[at:]))
		w.Flush()
		out := strings.ReplaceAll(b.String(), "\r\n", "\n")
		hidden := func(r rune) bool { return Hidden(r) && !joins(r) }
		if strings.ContainsFunc(out, hidden) || Visible(out) != out || !utf8.ValidString(out) {
			t.Errorf("%q -> %q", text, out)
		}
		if b.String() != Visible(text) {
			t.Errorf("%q cut at %d: %q, whole %q", text, at, b.String(), Visible(text))
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	text := []byte(strings.Repeat("SELECT name FROM singer WHERE country = 'Österreich'\n", 1000))
	b.SetBytes(int64(len(text)))
	w := New(new(discard))
	for b.Loop() {
		w.Write(text)
	}
}

type discard struct{}

func (*discard) Write(p []byte) (int, error) { return len(p), nil }
