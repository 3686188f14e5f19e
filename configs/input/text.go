package input

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// UTF8 returns a text without its byte order mark, or says in which other encoding it may be.
func UTF8(b []byte) ([]byte, error) {
	text := bytes.TrimPrefix(b, []byte("\ufeff"))
	if wide := wide(text); wide != "" {
		return nil, fmt.Errorf("is %s, not UTF-8: convert it with iconv -f %s -t UTF-8", wide, wide)
	}
	if utf8.Valid(text) {
		return text, nil
	}
	at := invalid(text)
	line := bytes.Count(text[:at], []byte("\n")) + 1
	return nil, fmt.Errorf("line %d: byte 0x%02x is not UTF-8 (Latin-1 or Windows-1252 perhaps): convert the file with iconv -f WINDOWS-1252 -t UTF-8", line, text[at])
}

// invalid returns the place of the first byte that is not UTF-8.
func invalid(b []byte) (at int) {
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return at
}

// wide names the encoding of a text whose characters have two or four bytes, by its byte order mark or, without one, by the
// zeros of its first characters; empty for none.
func wide(b []byte) string {
	zero := func(at int) bool { return at < len(b) && b[at] == 0 }
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}):
		return "UTF-32"
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}), bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "UTF-16"
	case len(b) < 4:
		return ""
	case zero(1) && zero(3) && !zero(0) && !zero(2):
		return "UTF-16LE"
	case zero(0) && zero(2) && !zero(1) && !zero(3):
		return "UTF-16BE"
	}
	return ""
}

// Shape fails where a text of JSON, or of TOML's inline values, has brackets deeper than depth or more than values values, so
// that decoding it takes a memory in proportion to values. It reads the text once, and leaves errors of syntax to the decoder.
func Shape(b []byte, depth, values int) error {
	deep, n := 0, 1
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if deep, n = deep+1, n+1; deep > depth {
				return fmt.Errorf("line %d: brackets within brackets, more than %d deep", lineAt(b, i), depth)
			}
		case ']', '}':
			deep--
		case ',':
			n++
		}
		if n > values {
			return fmt.Errorf("line %d: more than %d values", lineAt(b, i), values)
		}
	}
	return nil
}

// Records passes a CSV text through, and fails at a record that is longer than most bytes: a quote that nothing closes, or a line
// without an end, would fill the memory of a CSV reader.
func Records(r io.Reader, most int) io.Reader { return &records{r: r, most: most} }

type records struct {
	r      io.Reader
	most   int
	n      int // bytes of the present record
	quoted bool
}

// Read implements [io.Reader].
func (r *records) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for _, c := range p[:n] {
		if r.n++; c == '"' {
			r.quoted = !r.quoted
		} else if c == '\n' && !r.quoted {
			r.n = 0
		}
		if r.n > r.most {
			return 0, fmt.Errorf("a row is longer than %d bytes", r.most)
		}
	}
	return n, err
}

// lineAt returns the line of a byte, from 1.
func lineAt(b []byte, at int) int { return bytes.Count(b[:at], []byte("\n")) + 1 }
