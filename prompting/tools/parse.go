package tools

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of an action's text.
const (
	maxText = 100_000 // bytes
	maxArgs = 16
	maxList = 64 // elements of a list
)

// syntaxError is a text that is no action.
type syntaxError struct {
	Offset int    // characters before the place
	Msg    string // what is wrong there, for the model that wrote it
}

// Error is `tools: parse action "character N": cause`, N counted from 1.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("tools: parse action \"character %d\": %s", e.Offset+1, e.Msg)
}

// Parse reads an action: Name(arguments), blanks around it and nothing else. An argument is a literal, or name=literal:
//
//	'text' "text" '''text''' """text"""   with Python's escapes; r before it for none; a text may span lines;
//	                                      several side by side are one
//	1 -2.5 1e9 None True False            bare words; null, true and false are read as these
//	['text', 'text']                      a list of texts or numbers, not nested
//
// Nothing is ever evaluated. Bytes that are not UTF-8, and escapes that are no character, become U+FFFD. What fits the
// tool's parameters is returned in the canonical form of [Action.String], so that Parse(a.String()) is a. An error is a
// *syntaxError.
func Parse(text string) (Action, error) {
	a, rest, err := Cut(text)
	if err == nil && strings.TrimSpace(rest) != "" {
		at := utf8.RuneCountInString(strings.ToValidUTF8(text, "\uFFFD")) - utf8.RuneCountInString(strings.TrimLeft(rest, blanks))
		err = &syntaxError{at, "something follows the action's closing parenthesis"}
	}
	if err != nil {
		return Action{}, err
	}
	return a, nil
}

// Cut reads the action that a text begins with, after blanks, and returns what follows it. It is [Parse] otherwise.
func Cut(text string) (a Action, rest string, err error) {
	if len(text) > maxText {
		return Action{}, "", &syntaxError{0, fmt.Sprintf("the action is longer than %d bytes", maxText)}
	}
	p := &reader{text: strings.ToValidUTF8(text, "\uFFFD")}
	if a, err = p.action(); err != nil {
		return Action{}, "", err
	}
	return a.canonical(), p.text[p.at:], nil
}

const blanks = " \t\r\n\f\v"

// reader reads text from at on.
type reader struct {
	text string
	at   int
}

func (p *reader) fail(msg string, args ...any) error {
	return &syntaxError{utf8.RuneCountInString(p.text[:p.at]), fmt.Sprintf(msg, args...)}
}

func (p *reader) skip() {
	for p.at < len(p.text) && strings.IndexByte(blanks, p.text[p.at]) >= 0 {
		p.at++
	}
}

// take moves over blanks and the character c, if it is next.
func (p *reader) take(c byte) bool {
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	keyword    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*[ \t\r\n]*=`)
	number     = regexp.MustCompile(`^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
)

func (p *reader) action() (Action, error) {
	p.skip()
	name := identifier.FindString(p.text[p.at:])
	if name == "" {
		return Action{}, p.fail("an action begins with the name of a tool, as in ExecuteSQL(\"SELECT 1\")")
	}
	p.at += len(name)
	if !p.take('(') {
		return Action{}, p.fail("an opening parenthesis must follow %s", name)
	}
	a := Action{Name: name}
	for {
		if p.take(')') {
			return a, nil
		}
		arg, err := p.arg()
		if err != nil {
			return a, err
		}
		if a.Args = append(a.Args, arg); len(a.Args) > maxArgs {
			return a, p.fail("more than %d arguments", maxArgs)
		}
		if !p.take(',') && !p.ends(')') {
			return a, p.expected("a comma or the closing parenthesis", arg)
		}
	}
}

// ends reports whether the character c is next, blanks left out.
func (p *reader) ends(c byte) bool {
	p.skip()
	return p.at < len(p.text) && p.text[p.at] == c
}

// expected returns what is missing here, and after a text what has likely gone wrong.
func (p *reader) expected(what string, after Arg) error {
	hint := ""
	if !after.Bare && !after.IsList {
		hint = `; a quote inside a text needs a backslash, or three quotes around the text`
	}
	if p.at >= len(p.text) {
		return p.fail("the action is not complete: expected %s%s", what, hint)
	}
	return p.fail("expected %s%s", what, hint)
}

func (p *reader) arg() (Arg, error) {
	p.skip()
	name := ""
	if m := keyword.FindString(p.text[p.at:]); m != "" {
		p.at += len(m)
		name = strings.TrimRight(m[:len(m)-1], blanks)
		p.skip()
	}
	arg, err := p.value()
	arg.Name = name
	return arg, err
}

// value reads a literal.
func (p *reader) value() (Arg, error) {
	if p.take('[') {
		list, err := p.list()
		return Arg{List: list, IsList: true}, err
	}
	return p.scalar()
}

func (p *reader) list() ([]string, error) {
	list := []string{}
	for {
		if p.take(']') {
			return list, nil
		}
		one, err := p.scalar()
		if err != nil {
			return nil, err
		}
		if one.Bare && slices.Contains(words[:], one.Text) {
			return nil, p.fail("a list holds texts in quotes or numbers, not %s", one.Text)
		}
		if list = append(list, one.Text); len(list) > maxList {
			return nil, p.fail("a list of more than %d elements", maxList)
		}
		if !p.take(',') && !p.ends(']') {
			return nil, p.expected("a comma or the closing bracket", one)
		}
	}
}

// words are the bare words in canonical form.
var words = [...]string{"None", "True", "False"}

// scalar reads texts side by side, a number, or a word.
func (p *reader) scalar() (Arg, error) {
	p.skip()
	rest := p.text[p.at:]
	if raw, ok := p.opens(); ok {
		return p.texts(raw)
	}
	if n := number.FindString(rest); n != "" {
		if f, err := strconv.ParseFloat(n, 64); err == nil {
			p.at += len(n)
			return Arg{Text: canonicalNumber(n, f), Bare: true}, nil
		}
	}
	word := identifier.FindString(rest)
	switch strings.ToLower(word) {
	case "":
		if rest == "" {
			return Arg{}, p.fail("the action is not complete: an argument or the closing parenthesis is missing")
		}
		return Arg{}, p.fail("an argument is a text in quotes, a number, None, True, False, or a list of texts")
	case "none", "null", "true", "false":
		i := strings.Index("none null true false", strings.ToLower(word)) / 5
		p.at += len(word)
		return Arg{Text: [...]string{"None", "None", "True", "False"}[i], Bare: true}, nil
	}
	return Arg{}, p.fail("%s is not in quotes; expressions, variables and formatted strings are not evaluated", clip(word, 40))
}

// canonicalNumber writes a number the shortest way; a whole one that a float64 cannot hold keeps its digits.
func canonicalNumber(n string, f float64) string {
	if !strings.ContainsAny(n, ".eE") {
		sign := ""
		if strings.HasPrefix(n, "-") {
			sign = "-"
		}
		if n = strings.TrimLeft(strings.TrimLeft(n, "+-"), "0"); n == "" {
			return "0"
		}
		return sign + n
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// opens reports whether a text begins here, moves over an r or u before it, and reports whether it is raw.
func (p *reader) opens() (raw, ok bool) {
	rest := p.text[p.at:]
	if len(rest) > 1 && strings.IndexByte("rRuU", rest[0]) >= 0 && (rest[1] == '\'' || rest[1] == '"') {
		p.at++
		return rest[0] == 'r' || rest[0] == 'R', true
	}
	return false, rest != "" && (rest[0] == '\'' || rest[0] == '"')
}

// texts reads texts side by side as one.
func (p *reader) texts(raw bool) (Arg, error) {
	var b strings.Builder
	for {
		if err := p.quoted(&b, raw); err != nil {
			return Arg{}, err
		}
		p.skip()
		var ok bool
		if raw, ok = p.opens(); !ok {
			return Arg{Text: b.String()}, nil
		}
	}
}

// quoted reads one text, from its opening quote on.
func (p *reader) quoted(b *strings.Builder, raw bool) error {
	quote := p.text[p.at : p.at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(p.text[p.at:], three) {
		quote = three
	}
	begin := p.at
	p.at += len(quote)
	for p.at < len(p.text) {
		switch rest := p.text[p.at:]; {
		case strings.HasPrefix(rest, quote):
			p.at += len(quote)
			return nil
		case rest[0] != '\\':
			b.WriteByte(rest[0])
			p.at++
		case raw:
			_, n := utf8.DecodeRuneInString(rest[1:])
			b.WriteString(rest[:1+n])
			p.at += 1 + n
		default:
			if err := p.escape(b); err != nil {
				return err
			}
		}
	}
	p.at = begin
	return p.fail("the text that begins here has no closing quote")
}

// letters are the escapes of one letter.
var letters = map[byte]string{'\n': "", '\\': "\\", '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r",
	't': "\t", 'v': "\v"}

// escape reads a backslash and what it escapes. As in Python, an unknown escape is kept, backslash included.
func (p *reader) escape(b *strings.Builder) error {
	rest := p.text[p.at+1:]
	if rest == "" {
		p.at++
		return nil // the missing quote is reported
	}
	if s, ok := letters[rest[0]]; ok {
		b.WriteString(s)
		p.at += 2
		return nil
	}
	digits, base, least := "", 16, 0
	switch rest[0] {
	case 'x':
		digits, least = lead(rest[1:], 2, isHex), 2
	case 'u':
		digits, least = lead(rest[1:], 4, isHex), 4
	case 'U':
		digits, least = lead(rest[1:], 8, isHex), 8
	case 'N':
		return p.fail(`characters by name (\N) are not read`)
	default:
		if digits, base = lead(rest, 3, isOctal), 8; digits == "" {
			b.WriteByte('\\')
			p.at++
			return nil
		}
		p.at-- // no letter before the digits
	}
	if len(digits) < least {
		return p.fail(`\%c needs %d hexadecimal digits`, rest[0], least)
	}
	r, err := strconv.ParseUint(digits, base, 32)
	if err != nil || r > utf8.MaxRune {
		r = utf8.RuneError
	}
	b.WriteRune(rune(r)) // a surrogate is written as U+FFFD
	p.at += 2 + len(digits)
	return nil
}

// lead returns the first characters of s that pass, at most n.
func lead(s string, n int, pass func(byte) bool) string {
	i := 0
	for i < len(s) && i < n && pass(s[i]) {
		i++
	}
	return s[:i]
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// cause returns what is wrong with an action, without the frame of Error.
func cause(err error) string {
	if e, ok := errors.AsType[*syntaxError](err); ok {
		return fmt.Sprintf("%s (character %d)", e.Msg, e.Offset+1)
	}
	return err.Error()
}
