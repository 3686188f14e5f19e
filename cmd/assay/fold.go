package main

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// folding breaks lines that are longer than a width, at spaces, and indents what follows by two more than the line. A word
// that is too long by itself stays whole, so that it can be copied.
type folding struct {
	to    io.Writer
	width int
	begun []byte // of a line whose end has not come yet
	err   error
}

// Write implements [io.Writer].
func (f *folding) Write(p []byte) (int, error) {
	f.begun = append(f.begun, p...)
	for {
		at := bytes.IndexByte(f.begun, '\n')
		if at < 0 || f.err != nil {
			return len(p), f.err
		}
		f.line(string(f.begun[:at]) + "\n")
		f.begun = f.begun[at+1:]
	}
}

// Flush writes what has no end of line.
func (f *folding) Flush() error {
	f.line(string(f.begun))
	f.begun = nil
	return f.err
}

// hang are the columns at which fields of an item begin, below which their further lines go on.
const hang = 10

// line writes one line, in as many as it needs.
func (f *folding) line(s string) {
	indent := strings.Repeat(" ", len(s)-len(strings.TrimLeft(s, " "))+2)
	if len(s) > hang && s[0] != ' ' && s[hang-1] == ' ' && s[hang-2] == ' ' {
		indent = strings.Repeat(" ", hang)
	}
	for f.err == nil && utf8.RuneCountInString(strings.TrimSuffix(s, "\n")) > f.width {
		at := breakAt(s, f.width)
		if at < 0 {
			break
		}
		_, f.err = io.WriteString(f.to, strings.TrimRight(s[:at], " ")+"\n")
		s = indent + strings.TrimLeft(s[at:], " ")
	}
	if f.err == nil {
		_, f.err = io.WriteString(f.to, s)
	}
}

// breakAt is the byte of the last space that leaves no more than width characters before it, or else of the first one after
// that; negative where there is none behind the first word, or nothing follows it.
func breakAt(s string, width int) int {
	last, n := -1, 0
	for i, r := range s {
		if r == ' ' && strings.TrimSpace(s[:i]) != "" && strings.TrimSpace(s[i:]) != "" {
			if n > width && last >= 0 {
				return last
			}
			last = i
			if n > width {
				return i
			}
		}
		n++
	}
	return last
}
