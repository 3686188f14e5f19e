package values

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// mostParsed bounds the keywords that ParseKeywords returns, and longestParsed the characters of one.
const (
	mostParsed    = 200
	longestParsed = 300
)

// ParseKeywords reads the keywords out of a model's answer: a list in Python's or JSON's form, nested or inside an
// object or a code fence or not, of which the last that holds a text counts; else a line or an item between commas
// each, without bullets, numbers and quotes. The text is only read, never evaluated. Each keyword comes once, in order;
// nil where there is none.
func ParseKeywords(completion string) []string {
	var found []string
	for i := 0; i < len(completion); i++ {
		if completion[i] != '[' {
			continue
		}
		l := lister{s: completion, at: i + 1}
		if l.list(); len(l.out) > 0 {
			found = l.out
		}
		i = max(i, l.at-1)
	}
	if found == nil {
		found = parseLines(completion)
	}
	var out []string
	seen := map[string]bool{}
	for _, k := range found {
		k = strings.Join(strings.Fields(strings.ToValidUTF8(k, "\uFFFD")), " ")
		if k != "" && !seen[k] && len(k) <= longestParsed && len(out) < mostParsed {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// lister reads one bracketed list, lists inside it included.
type lister struct {
	s   string
	at  int
	out []string
}

// list reads up to the bracket that closes the list, or the end.
func (l *lister) list() {
	for depth := 1; l.at < len(l.s) && depth > 0; {
		switch c := l.s[l.at]; c {
		case '[', '(', '{':
			depth++
			l.at++
		case ']', ')', '}':
			depth--
			l.at++
		case '"', '\'':
			text := l.quoted(c)
			if !strings.HasPrefix(strings.TrimLeft(l.s[l.at:min(len(l.s), l.at+64)], " \t\r\n"), ":") { // no key of an object
				l.keep(text)
			}
		case ',', ' ', '\t', '\n', '\r', ':':
			l.at++
		default:
			l.keep(l.bare())
		}
	}
}

func (l *lister) keep(s string) {
	if s = strings.TrimSpace(s); s != "" {
		l.out = append(l.out, s)
	}
}

// quoted reads a text in quotes. A quote ends it where a comma, a colon or a closing bracket follows, or the end: so
// an apostrophe inside needs no backslash.
func (l *lister) quoted(quote byte) string {
	var b strings.Builder
	for l.at++; l.at < len(l.s); l.at++ {
		c := l.s[l.at]
		switch {
		case c == '\\' && l.at+1 < len(l.s):
			l.at++
			b.WriteByte(unescaped(l.s[l.at]))
		case c == quote && l.closes(l.at+1):
			l.at++
			return b.String()
		case c == '\n': // no text has a line break: its quote is missing
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescaped(c byte) byte {
	if c == 'n' || c == 't' || c == 'r' {
		return ' '
	}
	return c
}

func (l *lister) closes(at int) bool {
	rest := strings.TrimLeft(l.s[at:min(len(l.s), at+64)], " \t\r\n")
	return rest == "" || strings.ContainsRune(",]})", rune(rest[0])) || rest[0] == ':'
}

// bare reads a text without quotes up to a comma or bracket.
func (l *lister) bare() string {
	start := l.at
	for l.at < len(l.s) && !strings.ContainsRune(",[](){}\n", rune(l.s[l.at])) {
		l.at++
	}
	return strings.Trim(l.s[start:l.at], "'\"`")
}

var (
	bullet = regexp.MustCompile(`^\s*(?:[-*•>]+|\d{1,3}[.)])\s+`)
	label  = regexp.MustCompile(`(?i)^\W*(?:the )?(?:key ?words?|key ?phrases?|entities|answer)[^:\n]{0,40}:\W*`)
)

// parseLines reads an answer without brackets: bulleted lines where there are any, else the text after a label
// ("Keywords: ..."), else every line that is no sentence.
func parseLines(s string) []string {
	var bulleted, labelled, plain []string
	for _, line := range strings.Split(s, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "```"):
		case bullet.MatchString(line):
			bulleted = append(bulleted, cleaned(bullet.ReplaceAllString(line, "")))
		case label.MatchString(text):
			labelled = append(labelled, items(label.ReplaceAllString(text, ""))...)
		case strings.HasSuffix(text, ":") || len(strings.Fields(text)) > 12 && !strings.Contains(text, ","):
		default:
			plain = append(plain, items(text)...)
		}
	}
	for _, found := range [][]string{bulleted, labelled, plain} {
		found = slices.DeleteFunc(found, func(s string) bool { return !strings.ContainsFunc(s, isWordRune) })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// items cuts a line at the commas and semicolons outside quotes.
func items(line string) []string {
	var out []string
	quote, start := rune(0), 0
	for i, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '`'):
			quote = r
		case quote == 0 && (r == ',' || r == ';'):
			out = append(out, cleaned(line[start:i]))
			start = i + 1
		}
	}
	return append(out, cleaned(line[start:]))
}

func cleaned(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`*,;", r) })
}
