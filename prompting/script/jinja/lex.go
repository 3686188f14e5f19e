package jinja

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a stretch of a file: text with its whitespace already cut, or a tag with its tokens.
type piece struct {
	pos
	text   string
	toks   []token // of a tag; the last one is its end
	output bool    // {{ }}, not {% %}
	sign   byte    // '-' or '+' at the tag's beginning, or 0
	end    int     // the offset behind the tag, before the whitespace that it eats
}

// tokenKind is the kind of a token within a tag.
type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	opToken
)

// token is one word, number, string or sign within a tag; text is the string's value for a string.
type token struct {
	pos
	kind tokenKind
	text string
}

// white is any run of what Python takes for whitespace.
const white = `[\t-\r\x1c-\x1f\x{85}\p{Z}]*`

var (
	tagBegin   = regexp.MustCompile(`\{[{%#]`)
	rawBegin   = regexp.MustCompile(`^` + white + `raw` + white + `(-?)%\}`)
	commentEnd = regexp.MustCompile(`()([-+]?)#\}`)
	rawEnd     = regexp.MustCompile(`\{%([-+]?)` + white + `endraw` + white + `([-+]?)%\}`)
	// tokenForm is a token; its groups are the kinds but endToken, in their order.
	tokenForm = regexp.MustCompile(`^(?s:([_\pL][_\pL\p{Nd}]*)` +
		`|(\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+(?:_\d+)*)?)` +
		`|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')` +
		`|(//|\*\*|[=!<>]=|[-+/*%~\[\](){}<>=.:|,;]))`)
	oddNumber = regexp.MustCompile(`^0_?\d`)
	oddEnd    = regexp.MustCompile(`^[_\pL\p{Nd}]`) // behind a number
)

// lexer cuts a file into pieces the way jinja2 3.1.6 does with trim_blocks and lstrip_blocks.
type lexer struct {
	src    *source
	pieces []piece
	off    int // where the next piece begins
}

func lex(src *source) []piece {
	l := &lexer{src: src}
	for l.off < len(src.text) {
		l.next()
	}
	return l.pieces
}

func (l *lexer) here(off int) pos { return pos{l.src, off} }

// next reads the text up to the next tag, and the tag.
func (l *lexer) next() {
	text := l.src.text
	begin := tagBegin.FindStringIndex(text[l.off:])
	if begin == nil {
		l.addText(l.off, text[l.off:])
		l.off = len(text)
		return
	}
	at := l.off + begin[0]
	sign, inner := signAt(text, at+2), at+2
	if sign != 0 {
		inner++
	}
	l.addText(l.off, l.cutRight(text[l.off:at], sign, text[at+1]))
	m := rawBegin.FindStringSubmatchIndex(text[inner:])
	switch {
	case text[at+1] == '#':
		l.skip(at, inner, commentEnd, "a comment is opened and never closed: write #}")
	case text[at+1] == '%' && m != nil:
		l.cutLeft(inner+m[1], signAt(text, inner+m[2]), false)
		begin := l.off
		l.addText(begin, l.skip(at, begin, rawEnd, "raw is opened and never closed: write {% endraw %}"))
	default:
		l.tag(piece{pos: l.here(at), output: text[at+1] == '{', sign: sign}, inner)
	}
}

func signAt(text string, i int) byte {
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		return text[i]
	}
	return 0
}

// cutRight cuts the end of the text before a tag: all whitespace for '-', the blanks that
// indent a tag or comment which is the first thing on its line otherwise.
func (l *lexer) cutRight(text string, sign, opener byte) string {
	if sign == '-' {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == '+' || opener == '{' {
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	begins := line > 0 || l.off == 0 || l.src.text[l.off-1] == '\n'
	if begins && strings.TrimLeftFunc(text[line:], isSpace) == "" {
		return text[:line]
	}
	return text
}

// cutLeft moves on behind a tag: over all whitespace for '-', over one line break for none.
func (l *lexer) cutLeft(off int, sign byte, trims bool) {
	l.off = off
	if sign == '-' {
		l.off = l.blanks(off)
	} else if sign == 0 && trims && strings.HasPrefix(l.src.text[off:], "\n") {
		l.off++
	}
}

// blanks is the offset behind the whitespace.
func (l *lexer) blanks(off int) int {
	return len(l.src.text) - len(strings.TrimLeftFunc(l.src.text[off:], isSpace))
}

func (l *lexer) addText(off int, text string) {
	if text != "" {
		l.pieces = append(l.pieces, piece{pos: l.here(off), text: text})
	}
}

// skip moves on behind what ends in this pattern, and returns what stands before it.
func (l *lexer) skip(at, from int, end *regexp.Regexp, what string) string {
	rest := l.src.text[from:]
	m := end.FindStringSubmatchIndex(rest)
	if m == nil {
		l.here(at).stop("%s at its end", what)
	}
	l.off = from
	text := l.cutRight(rest[:m[0]], signAt(rest[:m[3]], m[2]), '%')
	l.cutLeft(from+m[1], signAt(rest[:m[5]], m[4]), true)
	return text
}

// tag reads the tokens of {% ... %} or {{ ... }}.
func (l *lexer) tag(p piece, inner int) {
	closer := "%}"
	if p.output {
		closer = "}}"
	}
	var open []token
	for off := inner; ; {
		off = l.blanks(off)
		if n, sign := closing(l.src.text[off:], closer); n > 0 && len(open) == 0 {
			p.toks = append(p.toks, token{pos: l.here(off)})
			p.end = off + n
			l.pieces = append(l.pieces, p)
			l.cutLeft(p.end, sign, !p.output)
			return
		}
		if off >= len(l.src.text) {
			if len(open) > 0 {
				last := open[len(open)-1]
				last.stop("%s is opened and never closed", last.text)
			}
			p.stop("a tag is opened and never closed: write %s at its end", closer)
		}
		t, next := l.token(off)
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			open = append(open, t)
		case !t.is(")") && !t.is("]") && !t.is("}"):
		case len(open) == 0:
			t.stop("%s closes nothing that is open", t.text)
		default:
			open = open[:len(open)-1]
		}
		if p.toks = append(p.toks, t); len(p.toks) > maxTokens {
			p.stop("a tag of more than %d words: make it in method.star and pass it", maxTokens)
		}
		off = next
	}
}

// closing is the length of a tag's end at the beginning of the text, or 0, and its sign.
func closing(text, closer string) (int, byte) {
	sign := signAt(text, 0)
	if strings.HasPrefix(text, closer) {
		return len(closer), 0
	}
	if sign == 0 || sign == '+' && closer == "}}" || !strings.HasPrefix(text[1:], closer) {
		return 0, 0
	}
	return 1 + len(closer), sign
}

// token reads one token, and where the next begins.
func (l *lexer) token(off int) (token, int) {
	rest := l.src.text[off:]
	t := token{pos: l.here(off)}
	m := tokenForm.FindStringSubmatchIndex(rest)
	if m == nil {
		c, _ := utf8.DecodeRuneInString(rest)
		if c == '"' || c == '\'' {
			t.stop("a string is opened and never closed")
		}
		t.stop("unexpected character %q in a tag", c)
	}
	t.text = rest[:m[1]]
	for t.kind = nameToken; m[2*t.kind] < 0; {
		t.kind++
	}
	switch t.kind {
	case numberToken:
		if oddNumber.MatchString(t.text) || oddEnd.MatchString(rest[m[1]:]) || off > 0 && l.src.text[off-1] == '.' {
			t.stop("a number is written in decimal digits, as in 12 or 1.5; an item of a list as xs[0]")
		}
		t.text = strings.ReplaceAll(t.text, "_", "")
	case stringToken:
		t.text = escape.ReplaceAllStringFunc(t.text[1:len(t.text)-1], func(e string) string {
			by, ok := escapes[e[1:]]
			if !ok {
				t.stop("the escape %s in a string: write the character itself", e)
			}
			return by
		})
	}
	return t, off + m[1]
}

var escape = regexp.MustCompile(`(?s)\\.`)

// escapes are the escapes that strings may hold.
var escapes = map[string]string{"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", `"`: `"`}

// isSpace is Python's str.isspace for one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
