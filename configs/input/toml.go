package input

import (
	"fmt"
	"strings"
)

// Bounds of a TOML text. The time that the library takes grows with the cube of a key's parts and with the square of the depth
// of inline tables: 64 kB of either took more than a minute.
const (
	tomlParts = 50
	tomlDepth = 50
	tomlMost  = 500_000 // statements: a file of demonstrations of a whole training split has as many
)

// Statement is a table's header, or a key with its value.
type Statement struct {
	Line int // where it begins, from 1
	Text string
}

// TOML fails where a TOML text has keys of too many parts or values too deep, so that decoding it takes a time in proportion to
// its length. It leaves errors of syntax to the decoder.
func TOML(text string) error {
	_, err := Statements(text)
	return err
}

// Statements cuts a TOML text into its statements, without comments between them, and fails as [TOML] does. What follows an
// error of syntax is cut anyhow.
func Statements(text string) (out []Statement, err error) {
	t := tomlText{s: text, line: 1}
	for t.skipBlanks(); t.i < len(t.s); t.skipBlanks() {
		from, line := t.i, t.line
		if err := t.statement(); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(out) == tomlMost {
			return nil, fmt.Errorf("line %d: more than %d keys and tables", line, tomlMost)
		}
		out = append(out, Statement{line, strings.TrimRight(t.s[from:t.i], " \t\r")})
	}
	return out, nil
}

// tomlText is a place in a TOML text.
type tomlText struct {
	s    string
	i    int
	line int
}

// skipBlanks goes to the next statement.
func (t *tomlText) skipBlanks() {
	for t.i < len(t.s) {
		switch t.s[t.i] {
		case ' ', '\t', '\r':
		case '\n':
			t.line++
		case '#':
			t.comment()
			continue
		default:
			return
		}
		t.i++
	}
}

// comment goes to the end of the line.
func (t *tomlText) comment() {
	if n := strings.IndexByte(t.s[t.i:], '\n'); n >= 0 {
		t.i += n
	} else {
		t.i = len(t.s)
	}
}

// statement goes to the end of a statement: a line's end outside of brackets and texts.
func (t *tomlText) statement() error {
	depth, parts := 0, 1
	for t.i < len(t.s) {
		switch t.s[t.i] {
		case '#':
			t.comment()
			continue
		case '"', '\'':
			t.text()
			continue
		case '[', '{':
			depth, parts = depth+1, 1
		case ']', '}':
			depth, parts = max(0, depth-1), 1
		case '=', ',':
			parts = 1
		case '.':
			parts++
		case '\n':
			if depth == 0 {
				return nil
			}
			t.line, parts = t.line+1, 1
		}
		if depth > tomlDepth || parts > tomlParts {
			return fmt.Errorf("a value or a key that is more than %d deep", tomlDepth)
		}
		t.i++
	}
	return nil
}

// text goes behind a quoted text. One of a single line that does not end ends with its line, which is an error for the decoder.
func (t *tomlText) text() {
	quote := t.s[t.i]
	long := strings.Repeat(string(quote), 3)
	if !strings.HasPrefix(t.s[t.i:], long) {
		for t.i++; t.i < len(t.s) && t.s[t.i] != '\n'; t.i++ {
			if t.s[t.i] == quote {
				t.i++
				return
			}
			if quote == '"' && t.s[t.i] == '\\' && t.i+1 < len(t.s) && t.s[t.i+1] != '\n' {
				t.i++
			}
		}
		return
	}
	for t.i += 3; t.i < len(t.s); t.i++ {
		switch {
		case strings.HasPrefix(t.s[t.i:], long):
			t.i += 3
			for n := 0; n < 2 && t.i < len(t.s) && t.s[t.i] == quote; n++ { // the text may end with quotes of its own
				t.i++
			}
			return
		case t.s[t.i] == '\n':
			t.line++
		case quote == '"' && t.s[t.i] == '\\' && t.i+1 < len(t.s) && t.s[t.i+1] != '\n':
			t.i++
		}
	}
}
