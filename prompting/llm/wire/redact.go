package wire

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"assay/prompting/llm"
)

const (
	// minRedact is the length below which a key is a placeholder ("x", "EMPTY"); redacting it would garble ordinary words.
	minRedact = 6
	// minCoded is the length below which a piece of base64 may be part of an ordinary word.
	minCoded = 8
)

// redacted stands for the key in a text.
const redacted = "[key]"

// Redact replaces the key everywhere in a text: as it is, in hexadecimal and in base64, there also as part of a longer
// text, and each of them also under the escapes of URLs, JSON and HTML, one within the other.
func (k Key) Redact(text string) string {
	if k.redact == nil {
		return text
	}
	return k.redact(text)
}

// redactor returns the function that replaces a key; nil for a placeholder.
func redactor(key string) func(string) string {
	if len(key) < minRedact {
		return nil
	}
	var starting [256][]string // the forms, by their first character
	for _, form := range forms(key) {
		starting[form[0]] = append(starting[form[0]], form)
	}
	return func(text string) string {
		var b strings.Builder
		done := 0 // bytes of text that b has
		for i := 0; i < len(text); {
			n := longestOf(text[i:], starting[text[i]])
			if c, escape := unescape(text[i:]); n == 0 && escape > 0 {
				n = longestOf(text[i:], starting[c])
			}
			if n == 0 {
				i++
				continue
			}
			b.WriteString(text[done:i] + redacted)
			i += n
			done = i
		}
		return b.String() + text[done:]
	}
}

// forms are the ways to write a key before any escapes.
func forms(key string) []string {
	lower := hex.EncodeToString([]byte(key))
	all := []string{key, lower, strings.ToUpper(lower)}
	for before := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if f := coded(enc, key, before); len(f) >= minCoded {
				all = append(all, f)
			}
		}
	}
	return all
}

// longestOf returns how many bytes at the start of a text spell one of the forms, the most there are.
func longestOf(text string, of []string) (n int) {
	for _, form := range of {
		n = max(n, spelt(text, form))
	}
	return n
}

// spelt returns how many bytes at the start of a text spell a form, under whatever escapes; 0 if they do not.
func spelt(text, form string) int {
	if strings.HasPrefix(text, form) { // a key may itself look like an escape
		return len(form)
	}
	at := 0
	for i := range len(form) {
		n := spelling(text[at:], form[i])
		if n == 0 {
			return 0
		}
		at += n
	}
	return at
}

// spelling returns how many bytes at the start of a text spell a character; 0 if they do not.
func spelling(text string, want byte) int {
	if text == "" {
		return 0
	}
	if c, n := unescape(text); n > 0 && c == want {
		return n
	}
	if text[0] == want {
		return 1
	}
	return 0
}

// coded returns the base64 characters that a key decides by itself, where the number of bytes before it leaves the given
// remainder by 3. The characters at the ends also depend on what stands beside the key.
func coded(enc *base64.Encoding, key string, before int) string {
	all := enc.EncodeToString(append(make([]byte, before), key...))
	first := (before*8 + 5) / 6
	last := (before + len(key)) * 8 / 6
	return all[first:last]
}

// Answer is what a provider returns of a call, without the key: servers repeat it, and answers are stored. Every text of a
// response is another's. It changes got.
func (k Key) Answer(got []llm.Response, err error) ([]llm.Response, error) {
	for i := range got {
		r := &got[i]
		for _, text := range []*string{&r.Text, &r.Finish, &r.Model, &r.Reasoning, &r.Print, &r.Card} {
			*text = k.Redact(*text)
		}
		for j := range r.ToolCalls {
			c := &r.ToolCalls[j]
			for _, text := range []*string{&c.ID, &c.Name, &c.Arguments, &c.Signature} {
				*text = k.Redact(*text)
			}
		}
	}
	return got, k.Error(err)
}

// Error returns an error without the key. One that holds it becomes its text, a [*llm.Failure] a copy of its texts.
func (k Key) Error(err error) error {
	if err == nil || k.Redact(err.Error()) == err.Error() {
		return err
	}
	var f *llm.Failure
	if !errors.As(err, &f) {
		return errors.New(k.Redact(err.Error()))
	}
	clean := *f
	clean.Reason = k.Redact(f.Reason)
	if f.Err != nil {
		clean.Err = errors.New(k.Redact(f.Err.Error()))
	}
	return &clean
}

// Texts returns texts without the key.
func (k Key) Texts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = k.Redact(t)
	}
	return out
}
