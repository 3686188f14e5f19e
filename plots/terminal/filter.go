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
	pending []byte     // the beginning of a character, of a line end or of a sequence, or a joiner, until the rest arrives
	last    rune       // what was appended last, where it was a character as it stands
}

// add appends a piece to dst.
func (f *filter) add(dst, piece []byte) []byte {
	if len(f.pending) > 0 {
		piece = append(f.pending, piece...)
		f.pending = nil
	}
	for len(piece) > 0 {
		n := plain(piece)
		if n > 0 {
			f.last = rune(piece[n-1])
		}
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
	f.pending, f.last = nil, 0
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
			*dst, f.last = append(*dst, s.code...), 0
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
			*dst, f.last = append(*dst, "\r\n"...), 0
			return 2
		}
	}
	if !utf8.FullRune(p) {
		return 0
	}
	r, n := utf8.DecodeRune(p)
	seen := (r != utf8.RuneError || n > 1) && !Hidden(r)
	if joins(r) {
		if seen = settled(f.last, r); !seen {
			if !utf8.FullRune(p[n:]) {
				return 0
			}
			next, _ := utf8.DecodeRune(p[n:])
			seen = between(f.last, r, next)
		}
	}
	if seen {
		*dst, f.last = append(*dst, p[:n]...), r
	} else {
		*dst, f.last = escape(*dst, r, p[:n]), 0
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
