package dataset

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Question files are mostly members that nothing here reads: Spider's files hold parse trees of every query. What follows finds the
// values of a JSON array and the members of an object without decoding them. It checks the text only as
// far as it must: at brackets that do not close, or names that it cannot compare, it gives up, and its callers leave the
// text to encoding/json.

// elements are the values of a JSON array, as written.
func elements(b []byte) (out [][]byte, ok bool) {
	ok = each(b, func(i int) int {
		end := valueEnd(b, i)
		if end >= 0 {
			out = append(out, b[i:end])
		}
		return end
	})
	return out, ok
}

// each calls take with the place of each value of a JSON array; take returns the value's end, or -1 to give up.
func each(b []byte, take func(i int) (end int)) (ok bool) {
	i := blanks(b, 0)
	if i >= len(b) || b[i] != '[' {
		return false
	}
	for i = blanks(b, i+1); i < len(b) && b[i] != ']'; {
		end := take(i)
		if end < 0 {
			return false
		}
		if i = blanks(b, end); i < len(b) && b[i] == ',' {
			if i = blanks(b, i+1); i < len(b) && b[i] != ']' {
				continue
			}
			return false
		}
		break
	}
	return i < len(b) && b[i] == ']' && blanks(b, i+1) == len(b)
}

// members calls visit with the members of a JSON object, in their order.
func members(b []byte, visit func(name, value []byte)) (ok bool) {
	end := membersAt(b, blanks(b, 0), visit)
	return end >= 0 && blanks(b, end) == len(b)
}

// membersAt does so with the object that begins at i, and returns its end, or -1.
func membersAt(b []byte, i int, visit func(name, value []byte)) (end int) {
	if i >= len(b) || b[i] != '{' {
		return -1
	}
	for i = blanks(b, i+1); i < len(b) && b[i] == '"'; {
		end := stringEnd(b, i)
		if end < 0 || bytes.IndexByte(b[i:end], '\\') >= 0 {
			return -1
		}
		name := b[i+1 : end-1]
		if i = blanks(b, end); i >= len(b) || b[i] != ':' {
			return -1
		}
		i = blanks(b, i+1)
		if end = valueEnd(b, i); end < 0 {
			return -1
		}
		visit(name, b[i:end])
		if i = blanks(b, end); i < len(b) && b[i] == ',' {
			if i = blanks(b, i+1); i < len(b) && b[i] == '"' {
				continue
			}
			return -1
		}
		break
	}
	if i >= len(b) || b[i] != '}' {
		return -1
	}
	return i + 1
}

// blanks is the place of the first byte from i on that is no blank.
func blanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd is the end of the value that begins at i, or -1.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '[', '{':
		return nestedEnd(b, i)
	}
	end := i
	for end < len(b) && !strings.ContainsRune(",]} \n\t\r", rune(b[end])) {
		end++
	}
	if !json.Valid(b[i:end]) { // true, false, null, a number
		return -1
	}
	return end
}

func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		n := 0
		for i+n < len(b) && b[i+n] != '"' {
			if n++; n == 16 { // short ones are not worth a call
				n += max(0, bytes.IndexByte(b[i+n:], '"'))
				break
			}
		}
		if i+n >= len(b) || b[i+n] != '"' {
			return -1
		}
		slashes := 0
		for slashes < n && b[i+n-1-slashes] == '\\' {
			slashes++
		}
		if i += n; slashes%2 == 0 {
			return i + 1
		}
	}
}

// turns are the bytes at which nestedEnd looks up.
var turns = [256]bool{'"': true, '[': true, '{': true, ']': true, '}': true}

func nestedEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		c := b[i]
		if !turns[c] {
			continue
		}
		switch c {
		case '"':
			end := stringEnd(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '[', '{':
			depth++
		default:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// unquote reads a JSON string; ok is false where the value is none.
func unquote(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	plain := raw[1 : len(raw)-1]
	for _, c := range plain {
		if c < ' ' || c == '\\' || c == '"' || c >= utf8.RuneSelf {
			return s, json.Unmarshal(raw, &s) == nil
		}
	}
	return string(plain), true
}
