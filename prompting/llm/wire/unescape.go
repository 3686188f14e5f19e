package wire

import (
	"strconv"
	"strings"
)

// layers bounds how often one escape is escaped again; more would let a text of nothing else take long.
const layers = 8

// unescape returns the ASCII character that an escape of JSON, of a URL or of HTML at the start of a text stands for, and
// the escape's length; 0 if there is none. The backslash, the % and the & of an escape may themselves be escaped.
func unescape(text string) (c byte, n int) {
	c, n = text[0], 1
	if c == '\\' {
		if c, n = backslash(text); n == 0 {
			return 0, 0
		}
	}
	switch c {
	case '%':
		return after(text, n, percent)
	case '&':
		return after(text, n, entity)
	}
	if n == 1 { // the character by itself
		return 0, 0
	}
	return c, n
}

// after reads what follows the first n bytes of a text, which stand for a % or &; where it is no escape these bytes are one
// themselves, unless they are the character itself.
func after(text string, n int, read func(string) (byte, int)) (byte, int) {
	if c, more := read(text[n:]); more > 0 {
		return c, n + more
	}
	if n == 1 {
		return 0, 0
	}
	c, _ := backslash(text)
	return c, n
}

// backslash reads backslashes with the character after them, or with its code.
func backslash(text string) (c byte, n int) {
	for n < len(text) && n < layers && text[n] == '\\' {
		n++
	}
	if n == len(text) || text[n] == '\\' {
		return 0, 0
	}
	for _, form := range []struct {
		mark   string
		digits int
	}{{"u00", 2}, {"x", 2}} {
		if rest, ok := strings.CutPrefix(text[n:], form.mark); ok {
			if c, ok := code(rest, form.digits, 16); ok {
				return c, n + len(form.mark) + form.digits
			}
		}
	}
	return text[n], n + 1
}

// percent reads what follows the % of a URL's escape.
func percent(text string) (c byte, n int) {
	for layer := 0; layer < layers && strings.HasPrefix(text[n:], "25"); layer++ {
		if _, ok := code(text[n+2:], 2, 16); !ok {
			break
		}
		n += 2
	}
	c, ok := code(text[n:], 2, 16)
	if !ok {
		return 0, 0
	}
	return c, n + 2
}

// names are the characters that HTML has names for.
var names = map[string]byte{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// longestEntity is the length of the longest entity that is looked for.
const longestEntity = 12

// entity reads what follows the & of an entity of HTML.
func entity(text string) (c byte, n int) {
	for layer := 0; layer < layers; layer++ {
		end := strings.IndexByte(text[n:min(len(text), n+longestEntity)], ';')
		if end < 0 {
			return c, n
		}
		got, ok := reference(text[n : n+end])
		if !ok {
			return c, n
		}
		c, n = got, n+end+1
		if c != '&' {
			break
		}
	}
	return c, n
}

// reference returns the character of an entity without its & and semicolon.
func reference(name string) (c byte, ok bool) {
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		c, ok = names[name]
		return c, ok
	}
	if hex, is := strings.CutPrefix(strings.ToLower(digits), "x"); is {
		return code(hex, len(hex), 16)
	}
	return code(digits, len(digits), 10)
}

// code returns the ASCII character whose number has these digits.
func code(text string, digits, base int) (byte, bool) {
	if len(text) < digits || digits == 0 || text[0] == '+' || text[0] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:digits], base, 7)
	return byte(n), err == nil
}
