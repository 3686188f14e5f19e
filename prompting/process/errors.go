package process

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"assay/configs"
)

// Kind is what went wrong with a program.
type Kind string

// The kinds of failure.
const (
	Unstarted Kind = "unstarted" // there is no such program, or the system refused it
	Died      Kind = "died"      // it ended, or closed its output, before it answered
	Unready   Kind = "unready"   // its first line is no greeting, or did not come within Options.Startup
	Late      Kind = "late"      // its time was over, and it was killed
	Nonsense  Kind = "nonsense"  // its answer is no JSON object, or none that its reader takes
	Unasked   Kind = "unasked"   // it wrote a line that nobody had asked for
	TooLong   Kind = "too long"  // its line is above Options.Limit
)

// Error is a program's failure. All its texts are in one line, of printable characters.
type Error struct {
	Kind   Kind
	Argv   []string // the program and its arguments
	Dir    string   // its working directory
	Status string   // how it ended, such as "exit status 1"
	Cause  string   // of Unstarted and Nonsense
	Wrote  string   // the beginning of the line that is wrong or has no end
	Stderr string   // the end of what it wrote to standard error
}

// Error says what the program did, what it wrote, and how its standard error ends.
func (e *Error) Error() string {
	text := fmt.Sprintf("process: run %q: %s", CommandLine(e.Argv), e.what())
	if e.Wrote != "" {
		text += fmt.Sprintf("; it wrote %q", e.Wrote)
	}
	if e.Stderr != "" {
		text += "; its standard error ends: " + e.Stderr
	}
	return text
}

func (e *Error) what() string {
	switch e.Kind {
	case Unstarted:
		return "it cannot be started: " + e.Cause
	case Died:
		return "it ended before it answered: " + e.Status
	case Unready:
		return `its first line was not {"ready": true} in time`
	case Late:
		return "it did not answer in time, and was killed"
	case Unasked:
		return "it wrote a line that was not asked for: one line of JSON answers one line of input, and all else belongs on standard error"
	case TooLong:
		return "its line is too long"
	}
	if e.Cause != "" {
		return "its answer is not understood: " + e.Cause
	}
	return "its answer is no JSON object: one line of JSON answers one line of input, and all else belongs on standard error"
}

// Refusal is the error about a program of an experiment that the user has not allowed to run.
func Refusal(p configs.Program) error {
	return fmt.Errorf("process: run %q: an experiment's programs run only where that is allowed: this one would run in %s; "+
		"read what it does, then add --allow-commands, or ASSAY_ALLOW_COMMANDS=1", CommandLine(p.Command), p.Dir)
}

// CommandLine is a command as a shell takes it, in one line.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = Line(w, len(w))
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plain reports whether a shell takes a character for itself.
func plain(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./=:,+@%", r)
}

// tailBytes is how much of a program's standard error is kept, and clipBytes how much of a line out is shown.
const (
	tailBytes = 2000
	clipBytes = 200
)

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b[max(0, len(b)-tailBytes):]...)
	if over := len(t.end) - tailBytes; over > 0 {
		t.end = append(t.end[:0], t.end[over:]...)
	}
	return len(b), nil
}

// text is the tail in one line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Line(string(t.end), tailBytes)
}

// Line is a text in one line that no terminal obeys; of one with more than most bytes it is the beginning, and dots.
func Line(text string, most int) string {
	dots := ""
	if len(text) > most {
		text, dots = text[:most], "..."
	}
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ") + dots
}

// shared is a writer for several programs, one write at a time; nil: none.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

// Write never fails: a program must not die because its log cannot be written.
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		_, _ = s.to.Write(b)
	}
	return len(b), nil
}

// mostLine is how long a line may be to be passed on in one piece.
const mostLine = 8 << 10

// lines passes whole lines on, so that those of several programs do not mix.
type lines struct {
	to   io.Writer
	part []byte
}

// Write keeps what is after the last line break.
func (l *lines) Write(b []byte) (int, error) {
	l.part = append(l.part, b...)
	n := bytes.LastIndexByte(l.part, '\n') + 1
	if len(l.part) > mostLine {
		n = len(l.part)
	}
	if n > 0 {
		_, _ = l.to.Write(l.part[:n])
		l.part = append(l.part[:0], l.part[n:]...)
	}
	return len(b), nil
}

// end passes on what is left.
func (l *lines) end() {
	if len(l.part) > 0 {
		_, _ = l.to.Write(append(l.part, '\n'))
	}
}
