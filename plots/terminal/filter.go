package terminal

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// filter escapes a text that arrives in pieces. Its zero value passes no sequences.
type filter struct {
	own     []Sequence // that pass
	pending []byte     // the beginning of a character, of a line end or of a sequence, until the rest arrives
}

// add appends a piece to dst.
func (f *filter) add(dst, piece []byte) []byte {
	if len(f.pending) > 0 {
		piece = append(f.pending, piece...)
		f.pending = nil
	}
	for len(piece) > 0 {
		n := plain(piece)
		dst, piece = append(dst, piece[:n]...), piece[n:]
		if len(piece) == 0 {
			break
		}
		took := f.special(&dst, piece)
		if took == 0 {
			f.pending = bytes.Clone(piece)
			break
		}
		piece = piece[took:]
	}
	return dst
}

// end appends what still waits for its rest.
func (f *filter) end(dst []byte) []byte {
	rest := f.pending
	f.pending = nil
	for len(rest) > 0 {
		r, n := utf8.DecodeRune(rest)
		dst, rest = escape(dst, r, rest[:n]), rest[n:]
	}
	return dst
}

// plain returns how many bytes at the start are printed ASCII, line feeds and tabs.
func plain(p []byte) int {
	for i, c := range p {
		if (c < 0x20 || c > 0x7e) && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(p)
}

// special appends the character or sequence at the start of p and returns its length, 0 where the rest of it is missing.
func (f *filter) special(dst *[]byte, p []byte) int {
	for _, s := range f.own {
		switch {
		case bytes.HasPrefix(p, []byte(s.code)):
			*dst = append(*dst, s.code...)
			return len(s.code)
		case bytes.HasPrefix([]byte(s.code), p):
			return 0
		}
	}
	if p[0] == '\r' {
		switch {
		case len(p) == 1:
			return 0
		case p[1] == '\n':
			*dst = append(*dst, "\r\n"...)
			return 2
		}
	}
	if !utf8.FullRune(p) {
		return 0
	}
	r, n := utf8.DecodeRune(p)
	if r == utf8.RuneError && n == 1 || Hidden(r) {
		*dst = escape(*dst, r, p[:n])
	} else {
		*dst = append(*dst, p[:n]...)
	}
	return n
}

// escape appends the visible form of a character, or of a byte that is none. Controls below a blank, which no JSON text
// holds, have the short form.
func escape(dst []byte, r rune, raw []byte) []byte {
	switch {
	case r == utf8.RuneError && len(raw) == 1, r < 0x20:
		return fmt.Appendf(dst, `\x%02x`, raw[0])
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
