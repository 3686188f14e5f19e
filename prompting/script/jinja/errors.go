package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is what is wrong at one place of a template file, found while parsing or while filling.
type Error struct {
	File      string // the name that was given to Parse, or the file of a Block
	Line, Col int    // counted from 1; Col in characters
	Text      string // what is wrong, and what to write instead where that is known
	Err       error  // the cause, where it is another error, such as that of a Func
}

// Error is "file:line:col: text".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text)
}

// Unwrap is the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// source is a file as it was parsed: line breaks are "\n" alone.
type source struct{ file, text string }

// pos is a place of a file, as an offset in bytes.
type pos struct {
	src *source
	off int
}

// line is the number of the line, from 1.
func (p pos) line() int { return 1 + strings.Count(p.src.text[:p.off], "\n") }

// fail is an Error at this place.
func (p pos) fail(format string, args ...any) *Error {
	before := p.src.text[:p.off]
	col := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &Error{File: p.src.file, Line: p.line(), Col: col, Text: fmt.Sprintf(format, args...)}
}

// stop ends parsing with an error at this place.
func (p pos) stop(format string, args ...any) { panic(p.fail(format, args...)) }

// caught, deferred where parsing and filling begin, makes an error of what stop ended them with.
func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}
