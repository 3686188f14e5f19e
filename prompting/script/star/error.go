package star

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Error is what went wrong in a method's files, and where.
type Error struct {
	File      string  // as Options.Name names it; "" where no file is to blame
	Line, Col int     // from 1; 0 where unknown. Col counts bytes
	Message   string  // what is wrong
	Hint      string  // what to write instead; may be empty
	Stack     []Frame // the calls that led there, the innermost first
	cause     error
}

// Frame is one call of a stack: the function, and the place in it.
type Frame struct {
	Name      string
	File      string
	Line, Col int
}

// Error prints the innermost place and the cause, the hint, and the stack, a line each.
func (e *Error) Error() string {
	b := new(strings.Builder)
	if e.File != "" {
		b.WriteString(place(e.File, e.Line, e.Col) + ": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("\n    hint: " + e.Hint)
	}
	for i, f := range e.Stack {
		if i == 20 && len(e.Stack) > 24 {
			fmt.Fprintf(b, "\n    and %d more", len(e.Stack)-i)
			break
		}
		fmt.Fprintf(b, "\n    %s: in %s", place(f.File, f.Line, f.Col), f.Name)
	}
	return b.String()
}

// Unwrap returns the cause: the error that a function of the host returned, the context's, or a limit's.
func (e *Error) Unwrap() error { return e.cause }

// place prints a position the way editors read it.
func place(file string, line, col int) string {
	switch {
	case line == 0:
		return file
	case col == 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, col)
}

// clipped keeps a message readable, however large the value that it quotes.
func clipped(s string) string {
	if len(s) <= 2000 {
		return s
	}
	return strings.ToValidUTF8(s[:2000], "") + "..."
}

// explain turns what the interpreter returned into an Error. Where the call was stopped from outside, the cause is ctx's.
func explain(ctx context.Context, m *meter, err error) *Error {
	e := &Error{Message: clipped(err.Error()), cause: err}
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return static(e, err)
	}
	e.Stack = frames(eval.CallStack)
	if len(e.Stack) > 0 {
		e.File, e.Line, e.Col = e.Stack[0].File, e.Stack[0].Line, e.Stack[0].Col
	}
	var inner *Error
	switch {
	case m.tooMany:
		e.Message, e.cause = errSteps.Error(), errSteps
	case ctx.Err() != nil:
		e.cause = context.Cause(ctx)
		e.Message = "stopped: " + e.cause.Error()
	case errors.As(err, &inner): // of a file that this one loads, or of a call that the host made
		return &Error{File: inner.File, Line: inner.Line, Col: inner.Col, Message: inner.Message, Hint: inner.Hint,
			Stack: append(inner.Stack[:len(inner.Stack):len(inner.Stack)], e.Stack...), cause: inner.cause}
	default:
		e.cause = eval.Unwrap()
		e.Hint = runtimeHint(e.Message)
	}
	return e
}

// static places an error that was found before anything ran.
func static(e *Error, err error) *Error {
	var done *Error
	var parse syntax.Error
	var names resolve.ErrorList
	switch {
	case errors.As(err, &done):
		return done
	case errors.As(err, &parse):
		e.Message = clipped(parse.Msg)
		e.File, e.Line, e.Col = parse.Pos.Filename(), int(parse.Pos.Line), int(parse.Pos.Col)
	case errors.As(err, &names):
		e.Message = clipped(names[0].Msg)
		e.File, e.Line, e.Col = names[0].Pos.Filename(), int(names[0].Pos.Line), int(names[0].Pos.Col)
	}
	return e
}

// frames lists the calls of the files, the innermost first; those of functions written in Go have no place.
func frames(calls starlark.CallStack) []Frame {
	var out []Frame
	for i := range calls {
		c := calls.At(i)
		if c.Pos.Line == 0 {
			continue
		}
		name := c.Name
		if name == "<toplevel>" {
			name = "the file itself"
		}
		out = append(out, Frame{Name: name, File: c.Pos.Filename(), Line: int(c.Pos.Line), Col: int(c.Pos.Col)})
	}
	return out
}

// recovered turns a panic of the interpreter into an error: it is somebody's mistake, but not the process's end.
func recovered(panicked any, err error) error {
	if panicked == nil {
		return err
	}
	return &Error{Message: fmt.Sprintf("the interpreter failed: %v", panicked), cause: fmt.Errorf("star: panic: %v", panicked)}
}
