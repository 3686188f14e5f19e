package main

import (
	"bytes"
	"io"
	"strings"

	"assay/plots/terminal"
)

// folding breaks lines that are longer than a width, as [terminal.Hang] does, and indents what follows by two more than the
// line, up to half the width.
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
	indent := strings.Repeat(" ", min(len(s)-len(strings.TrimLeft(s, " "))+2, f.width/2))
	if len(s) > hang && s[0] != ' ' && s[hang-1] == ' ' && s[hang-2] == ' ' {
		indent = strings.Repeat(" ", hang)
	}
	body, end := strings.CutSuffix(s, "\n")
	out := strings.Join(terminal.Hang("", indent, body, f.width), "\n")
	if end {
		out += "\n"
	}
	if f.err == nil {
		_, f.err = io.WriteString(f.to, out)
	}
}
